//! Reading weights: a length, a JSON header that says where each tensor lies, the numbers.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A header longer than this is no header.
const LONGEST_HEADER: usize = 16 * 1024 * 1024;

/// A table of numbers, row after row. A vector is a table of one row.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Tensor {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) values: Vec<f32>,
}

impl Tensor {
    pub(crate) fn row(&self, row: usize) -> &[f32] {
        let start = row.saturating_mul(self.columns);
        self.values
            .get(start..start.saturating_add(self.columns))
            .unwrap_or_default()
    }
}

#[derive(Deserialize)]
struct Place {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

/// All 32-bit tensors of one or two dimensions, by name.
pub(crate) fn read(bytes: &[u8]) -> Result<BTreeMap<String, Tensor>, String> {
    let (length, rest) = bytes
        .split_first_chunk::<8>()
        .ok_or("the file is shorter than its first number")?;
    let length = usize::try_from(u64::from_le_bytes(*length))
        .ok()
        .filter(|length| *length <= LONGEST_HEADER)
        .ok_or("the header is too long for a safetensors file")?;
    let (header, data) = rest
        .split_at_checked(length)
        .ok_or("the file ends within its header")?;
    let header: BTreeMap<String, serde_json::Value> = serde_json::from_slice(header)
        .map_err(|error| format!("the header is no JSON: {error}"))?;
    let mut tensors = BTreeMap::new();
    for (name, place) in header {
        let Ok(place) = serde_json::from_value::<Place>(place) else {
            continue;
        };
        let (rows, columns) = match place.shape.as_slice() {
            [columns] => (1, *columns),
            [rows, columns] => (*rows, *columns),
            _ => continue,
        };
        if place.dtype != "F32" {
            continue;
        }
        let [start, end] = place.data_offsets;
        let bytes = data
            .get(start..end)
            .ok_or_else(|| format!("`{name}` lies beyond the end of the file"))?;
        let values: Vec<f32> = bytes
            .as_chunks()
            .0
            .iter()
            .map(|four| f32::from_le_bytes(*four))
            .collect();
        if Some(values.len()) != rows.checked_mul(columns) {
            return Err(format!("`{name}` has another size than it says"));
        }
        tensors.insert(
            name.strip_prefix("bert.").unwrap_or(&name).to_owned(),
            Tensor {
                rows,
                columns,
                values,
            },
        );
    }
    Ok(tensors)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[f32]) -> Vec<u8> {
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        for value in data {
            bytes.extend(value.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn tensors_are_read_and_others_are_left_out() {
        let bytes = file(
            r#"{"__metadata__":{"format":"pt"},"bert.a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},
               "ids":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}}"#,
            &[1.0, 2.0],
        );
        let tensors = read(&bytes).unwrap();
        assert_eq!(tensors.keys().collect::<Vec<_>>(), ["a"]);
        assert_eq!(tensors["a"].row(1), [2.0]);
        assert_eq!(tensors["a"].row(2), [0.0; 0]);
    }

    #[test]
    fn a_damaged_file_is_an_error() {
        assert!(read(b"").is_err());
        assert!(read(&u64::MAX.to_le_bytes()).is_err());
        assert!(read(&file("{", &[])).is_err());
        let beyond = r#"{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}"#;
        assert!(read(&file(beyond, &[1.0])).is_err());
        let other = r#"{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,8]}}"#;
        assert!(read(&file(other, &[1.0, 2.0])).is_err());
    }
}
