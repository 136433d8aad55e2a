//! Many vectors of one length, one byte a number.

/// The greatest code in a row, which has one byte for each.
const LARGEST: f32 = 127.0;

/// The greatest code of a query. The sum of two thousand products with rows stays below 2^31.
const LARGEST_OF_QUERY: f32 = 1000.0;

/// Vectors in the order in which they were pushed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    dims: usize,
    codes: Vec<i8>,
    /// What the codes of each row are multiplied with.
    scales: Vec<f32>,
}

/// A query's vector in codes.
#[derive(Debug, Clone)]
pub(crate) struct Coded {
    codes: Vec<i16>,
    scale: f32,
}

impl Coded {
    pub(crate) fn new(vector: &[f32]) -> Self {
        let scale = scale(vector, LARGEST_OF_QUERY);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "no code is beyond the largest"
        )]
        let codes = vector.iter().map(|value| code(*value, scale) as i16);
        Self {
            codes: codes.collect(),
            scale,
        }
    }

    /// Whether it is like nothing at all.
    pub(crate) fn is_zero(&self) -> bool {
        self.scale <= 0.0
    }
}

/// What a code has to be multiplied with; 0 for a vector of zeros or one that is not finite.
fn scale(vector: &[f32], largest: f32) -> f32 {
    let reach = vector.iter().map(|value| value.abs()).fold(0.0, f32::max);
    if vector.iter().all(|value| value.is_finite()) {
        reach / largest
    } else {
        0.0
    }
}

fn code(value: f32, scale: f32) -> f32 {
    if scale > 0.0 {
        (value / scale).round()
    } else {
        0.0
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
        self.push_zeros();
        self.set(self.len() - 1, vector);
    }

    pub(crate) fn push_zeros(&mut self) {
        self.codes.resize(self.codes.len() + self.dims, 0);
        self.scales.push(0.0);
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

    fn row(&self, place: usize) -> &[i8] {
        let start = place.saturating_mul(self.dims);
        self.codes
            .get(start..start.saturating_add(self.dims))
            .unwrap_or_default()
    }

    /// Puts another vector into a row.
    pub(crate) fn set(&mut self, place: usize, vector: &[f32]) {
        let start = place.saturating_mul(self.dims);
        let row = self.codes.get_mut(start..start.saturating_add(self.dims));
        if let (Some(row), Some(slot)) = (row, self.scales.get_mut(place))
            && row.len() == vector.len()
        {
            *slot = scale(vector, LARGEST);
            for (byte, value) in row.iter_mut().zip(vector) {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "no code is beyond the largest"
                )]
                let code = code(*value, *slot) as i8;
                *byte = code;
            }
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

/// The inner product. Integers, so that it is the same on every machine, whatever the order. Sixteen sums
/// side by side and the bytes widened first, which the compiler turns into the instruction for such sums.
#[expect(
    clippy::cast_precision_loss,
    reason = "seven digits are more than the codes have"
)]
fn product(row: &[i8], query: &[i16]) -> f32 {
    let (row, rest_of_row) = row.as_chunks::<16>();
    let (query, rest_of_query) = query.as_chunks::<16>();
    let mut sums = [0_i32; 16];
    for (row, query) in row.iter().zip(query) {
        let row = row.map(i16::from);
        for ((sum, byte), number) in sums.iter_mut().zip(row).zip(query) {
            *sum += i32::from(byte) * i32::from(*number);
        }
    }
    let rest = rest_of_row.iter().zip(rest_of_query);
    let rest: i32 = rest.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    (sums.iter().sum::<i32>() + rest) as f32
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
