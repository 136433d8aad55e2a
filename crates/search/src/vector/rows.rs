//! Many vectors of one length, two bytes a number.

/// The greatest code. The sum of two thousand products of two of them stays below 2^31.
const LARGEST: f32 = 1000.0;

/// Vectors in the order in which they were pushed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    dims: usize,
    codes: Vec<i16>,
    /// What the codes of each row are multiplied with.
    scales: Vec<f32>,
}

/// A vector in codes.
#[derive(Debug, Clone)]
pub(crate) struct Coded {
    codes: Vec<i16>,
    scale: f32,
}

impl Coded {
    pub(crate) fn new(vector: &[f32]) -> Self {
        let largest = vector.iter().map(|value| value.abs()).fold(0.0, f32::max);
        if largest <= 0.0 || !largest.is_finite() {
            return Self {
                codes: vec![0; vector.len()],
                scale: 0.0,
            };
        }
        let scale = largest / LARGEST;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "no code is beyond the largest"
        )]
        let codes = vector
            .iter()
            .map(|value| (value / scale).round() as i16)
            .collect();
        Self { codes, scale }
    }

    /// Whether it is like nothing at all.
    pub(crate) fn is_zero(&self) -> bool {
        self.scale <= 0.0
    }
}

impl Rows {
    pub(crate) fn new(dims: usize) -> Self {
        Self {
            dims,
            ..Self::default()
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.scales.len()
    }

    /// Adds a vector; one of another length counts as all zeros.
    pub(crate) fn push(&mut self, vector: &[f32]) {
        if vector.len() == self.dims {
            self.push_coded(&Coded::new(vector));
        } else {
            self.push_zeros();
        }
    }

    pub(crate) fn push_zeros(&mut self) {
        self.codes.resize(self.codes.len() + self.dims, 0);
        self.scales.push(0.0);
    }

    fn push_coded(&mut self, coded: &Coded) {
        self.codes.extend_from_slice(&coded.codes);
        self.scales.push(coded.scale);
    }

    /// Adds a row of others, which have the same length.
    pub(crate) fn push_row(&mut self, others: &Self, place: usize) {
        let row = others.row(place);
        if row.len() == self.dims {
            self.codes.extend_from_slice(row);
            self.scales
                .push(others.scales.get(place).copied().unwrap_or_default());
        } else {
            self.push_zeros();
        }
    }

    fn row(&self, place: usize) -> &[i16] {
        let start = place.saturating_mul(self.dims);
        self.codes
            .get(start..start.saturating_add(self.dims))
            .unwrap_or_default()
    }

    /// Puts another vector into a row.
    pub(crate) fn set(&mut self, place: usize, vector: &[f32]) {
        let coded = Coded::new(vector);
        let start = place.saturating_mul(self.dims);
        if let (Some(row), Some(scale)) = (
            self.codes.get_mut(start..start.saturating_add(self.dims)),
            self.scales.get_mut(place),
        ) && row.len() == coded.codes.len()
        {
            row.copy_from_slice(&coded.codes);
            *scale = coded.scale;
        }
    }

    /// Takes a row out and puts the last one into its place.
    pub(crate) fn swap_remove(&mut self, place: usize) {
        let Some(last) = self.len().checked_sub(1) else {
            return;
        };
        if place > last {
            return;
        }
        let start = last * self.dims;
        self.codes
            .copy_within(start..start + self.dims, place * self.dims);
        self.codes.truncate(start);
        self.scales.swap_remove(place);
    }

    /// The likeness of each row to a vector, in the order of the rows.
    pub(crate) fn likeness(&self, query: &Coded) -> Vec<f32> {
        if self.dims == 0 || query.codes.len() != self.dims {
            return vec![0.0; self.len()];
        }
        self.codes
            .chunks_exact(self.dims)
            .zip(&self.scales)
            .map(|(row, scale)| product(row, &query.codes) * scale * query.scale)
            .collect()
    }
}

/// The inner product. Integers, so that it is the same on every machine, whatever the order; of two bytes,
/// since there is an instruction for these and none for single bytes.
#[expect(
    clippy::cast_precision_loss,
    reason = "seven digits are more than the codes have"
)]
fn product(a: &[i16], b: &[i16]) -> f32 {
    let sum: i32 = a
        .iter()
        .zip(b)
        .map(|(a, b)| i32::from(*a) * i32::from(*b))
        .sum();
    sum as f32
}

/// The inner product of plain numbers: eight sums side by side, which go through one instruction.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a, rest_a) = a.as_chunks::<8>();
    let (b, rest_b) = b.as_chunks::<8>();
    let mut sums = [0.0_f32; 8];
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    let rest: f32 = rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_come_close_to_the_numbers() {
        let mut rows = Rows::new(3);
        rows.push(&[0.6, 0.8, 0.0]);
        rows.push(&[0.0, 0.0, 1.0]);
        rows.push(&[1.0]);
        rows.push_zeros();
        let likeness = rows.likeness(&Coded::new(&[0.6, 0.8, 0.0]));
        assert!((likeness[0] - 1.0).abs() < 0.01, "{likeness:?}");
        assert!(
            likeness[1..].iter().all(|value| value.abs() < 0.01),
            "{likeness:?}"
        );
        let mut others = Rows::new(3);
        others.push_row(&rows, 1);
        assert_eq!(others.row(0), rows.row(1));
        others.set(0, &[0.6, 0.8, 0.0]);
        assert_eq!(others.row(0), rows.row(0));
    }

    #[test]
    fn odd_vectors_are_like_nothing() {
        assert!(
            Coded::new(&[f32::NAN, 1.0]).is_zero() || Coded::new(&[f32::NAN, 1.0]).codes[0] == 0
        );
        assert!(Coded::new(&[f32::INFINITY]).is_zero());
        assert!(Coded::new(&[]).is_zero());
        assert_eq!(Rows::new(0).likeness(&Coded::new(&[])), Vec::<f32>::new());
    }
}
