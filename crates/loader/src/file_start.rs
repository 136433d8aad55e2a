//! What tells the type of a file beside its name.

/// No mark of a type is longer.
const LONGEST: usize = 12;

/// The first bytes of a file, and whether all of it is text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileStart {
    bytes: [u8; LONGEST],
    length: usize,
    is_text: bool,
}

impl FileStart {
    /// Of all bytes of a file.
    pub fn of(file: &[u8]) -> Self {
        let mut start = Self {
            is_text: !file.contains(&0) && std::str::from_utf8(file).is_ok(),
            ..Self::default()
        };
        for (kept, byte) in start.bytes.iter_mut().zip(file) {
            *kept = *byte;
            start.length += 1;
        }
        start
    }

    /// As many as there are, twelve at most.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// Whether the file is UTF-8 without NUL, at which some clients end a text.
    pub const fn is_text(&self) -> bool {
        self.is_text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_files() {
        assert_eq!(FileStart::of(b"").bytes(), b"");
        assert_eq!(FileStart::of(b"abc").bytes(), b"abc");
        assert_eq!(FileStart::of(&[b'x'; 99]).bytes(), [b'x'; 12]);
        assert!(FileStart::of("球".as_bytes()).is_text());
        assert!(!FileStart::of(b"a\0").is_text() && !FileStart::of(b"\xe9").is_text());
    }
}
