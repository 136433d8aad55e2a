//! Field lengths in one byte each.

use crate::weights::{FIELDS, Weights};

/// The lengths of a document's fields, in tokens, each as a code.
pub(super) type Lengths = [u8; FIELDS];

/// Lengths up to this are kept exactly.
const EXACT: u32 = 128;

/// Beyond [`EXACT`] a step is a sixteenth of the length's power of two.
pub(super) fn encode(length: u32) -> u8 {
    if length < EXACT {
        return u8::try_from(length).unwrap_or(u8::MAX);
    }
    let exponent = length.ilog2();
    let step = (length >> (exponent - 4)) & 0xF;
    let code = EXACT + (exponent - EXACT.ilog2()) * 16 + step;
    u8::try_from(code).unwrap_or(u8::MAX)
}

/// The shortest length of a code.
pub(super) fn decode(code: u8) -> u32 {
    let code = u32::from(code);
    if code < EXACT {
        return code;
    }
    let exponent = EXACT.ilog2() + (code - EXACT) / 16;
    (16 + (code - EXACT) % 16) << (exponent - 4)
}

/// What an occurrence counts, by field and by the code of the field's length.
#[derive(Debug, Clone)]
pub(super) struct Norms(Box<[[f32; 256]; FIELDS]>);

impl Norms {
    /// The norms for the average lengths `totals / documents`.
    pub(super) fn new(weights: &Weights, totals: [u64; FIELDS], documents: usize) -> Self {
        let mut table = Box::new([[0.0; 256]; FIELDS]);
        let fields = table
            .iter_mut()
            .zip(totals)
            .zip(weights.field.iter().zip(weights.length));
        for ((row, total), (&weight, b)) in fields {
            let average = average(total, documents);
            for (code, norm) in (0..=u8::MAX).zip(row.iter_mut()) {
                #[expect(clippy::cast_precision_loss, reason = "lengths are far below 2^24")]
                let length = decode(code) as f32;
                // A field of length 0 may hold an identifier whose parts are all stop words.
                *norm = weight / (1.0 - b + b * length / average).max(0.01);
            }
        }
        Self(table)
    }

    /// The weighted frequency of a term with these counts in a document of these lengths.
    #[inline]
    pub(super) fn frequency(&self, counts: [u8; FIELDS], lengths: Lengths) -> f32 {
        let mut sum = 0.0;
        for ((row, count), code) in self.0.iter().zip(counts).zip(lengths) {
            if let Some(norm) = row.get(usize::from(code)) {
                sum += f32::from(count) * norm;
            }
        }
        sum
    }
}

/// At least 1, so that a field that no document has divides by something.
fn average(total: u64, documents: usize) -> f32 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "an average needs no more digits"
    )]
    let average = total as f64 / documents.max(1) as f64;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "an average needs no more digits"
    )]
    let average = average as f32;
    average.max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_keep_short_lengths_and_the_order_of_all() {
        let mut last = 0;
        for length in 0..40_000 {
            let code = encode(length);
            assert!(code >= last);
            last = code;
            let decoded = decode(code);
            assert!(
                decoded <= length
                    && (length < 128 || code == u8::MAX || length - decoded <= length / 16)
            );
        }
    }
}
