//! What a file is, by its first bytes and its name, and how it travels: as text, or in base64.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use metier_loader::FileStart;

use super::SKILL_FILE;

/// A file on its way to a client.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileContents {
    /// Its type, by its first bytes and its name.
    pub mime: &'static str,
    /// What is in it.
    pub body: FileBody,
}

/// How a file travels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileBody {
    /// The bytes, which are UTF-8 without NUL.
    Text(String),
    /// The bytes in base64.
    Blob(String),
}

impl FileContents {
    /// Text where the bytes are text without loss, otherwise base64.
    pub fn of(path: &str, bytes: Vec<u8>) -> Self {
        let (mime, body) = Self::of_bytes(path, bytes);
        let body = body.map_or_else(
            |bytes| FileBody::Blob(STANDARD.encode(bytes)),
            FileBody::Text,
        );
        Self { mime, body }
    }

    /// A part of a file, and which bytes it is. What the file is says all of it, so that every part travels in one way. A
    /// text is cut between characters: from the one that `asked` begins in to the last one that ends in it, one at least.
    pub fn part(path: &str, bytes: Vec<u8>, asked: Range<usize>) -> (Self, Range<usize>) {
        let whole = |bytes: &[u8]| asked.start.min(bytes.len())..asked.end.min(bytes.len());
        match Self::of_bytes(path, bytes) {
            (mime, Ok(text)) => {
                let Range { start, end } = whole(text.as_bytes());
                let start = text.floor_char_boundary(start);
                let mut end = text.floor_char_boundary(end);
                if end <= start {
                    end = text.ceil_char_boundary((start + 1).min(text.len()));
                }
                let body = FileBody::Text(text.get(start..end).unwrap_or_default().to_owned());
                (Self { mime, body }, start..end)
            }
            (mime, Err(bytes)) => {
                let part = whole(&bytes);
                let of_part = bytes.get(part.clone()).unwrap_or_default();
                let body = FileBody::Blob(STANDARD.encode(of_part));
                (Self { mime, body }, part)
            }
        }
    }

    fn of_bytes(path: &str, bytes: Vec<u8>) -> (&'static str, Result<String, Vec<u8>>) {
        let start = FileStart::of(&bytes);
        let is_text = start.is_text() && mime_of_bytes(start.bytes()).is_none();
        let body = match String::from_utf8(bytes) {
            Ok(text) if is_text => Ok(text),
            Ok(text) => Err(text.into_bytes()),
            Err(error) => Err(error.into_bytes()),
        };
        (mime_of(path, &start), body)
    }
}

/// The type of a file, by its first bytes and its name. Instructions are always what the name says.
pub fn mime_of(path: &str, start: &FileStart) -> &'static str {
    let by_name = mime_of_name(path);
    if path == SKILL_FILE {
        return by_name.unwrap_or_default();
    }
    let by_magic = mime_of_bytes(start.bytes());
    if start.is_text() && by_magic.is_none() {
        return by_name.filter(|mime| is_text(mime)).unwrap_or("text/plain");
    }
    match (by_magic, by_name.filter(|mime| !is_text(mime))) {
        // A document of an office program is a zip file; its name says more.
        (Some("application/zip") | None, Some(name)) => name,
        (Some(magic), _) => magic,
        (None, None) => "application/octet-stream",
    }
}

fn is_text(mime: &str) -> bool {
    mime.starts_with("text/")
        || [
            "application/json",
            "application/yaml",
            "application/toml",
            "application/xml",
            "application/sql",
            "image/svg+xml",
        ]
        .contains(&mime)
}

fn mime_of_bytes(bytes: &[u8]) -> Option<&'static str> {
    const MAGIC: [(&[u8], &str); 11] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"%PDF-", "application/pdf"),
        (b"PK\x03\x04", "application/zip"),
        (b"PK\x05\x06", "application/zip"),
        (b"\x1f\x8b", "application/gzip"),
        (b"OggS", "audio/ogg"),
        (b"fLaC", "audio/flac"),
        (b"ID3", "audio/mpeg"),
    ];
    if let (Some(b"RIFF"), Some(kind)) = (bytes.get(..4), bytes.get(8..12)) {
        match kind {
            b"WEBP" => return Some("image/webp"),
            b"WAVE" => return Some("audio/wav"),
            _ => {}
        }
    }
    MAGIC
        .iter()
        .find(|(magic, _)| bytes.starts_with(magic))
        .map(|(_, mime)| *mime)
}

/// The type of a file by its name, as far as its name tells.
fn mime_of_name(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (_, extension) = name.rsplit_once('.')?;
    Some(match extension.to_ascii_lowercase().as_str() {
        "md" | "markdown" => "text/markdown",
        "txt" | "log" | "rst" | "ini" | "cfg" | "conf" | "lua" | "mel" | "ms" | "hscript"
        | "ps1" | "bat" | "cmd" | "rb" | "rs" | "go" | "c" | "h" | "cpp" | "java" => "text/plain",
        "py" => "text/x-python",
        "sh" | "bash" => "text/x-shellscript",
        "js" | "mjs" | "cjs" => "text/javascript",
        "ts" | "tsx" | "jsx" => "text/typescript",
        "html" | "htm" => "text/html",
        "css" => "text/css",
        "csv" => "text/csv",
        "json" => "application/json",
        "yaml" | "yml" => "application/yaml",
        "toml" => "application/toml",
        "xml" | "xsd" => "application/xml",
        "sql" => "application/sql",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "wav" => "audio/wav",
        "mp3" => "audio/mpeg",
        "ogg" => "audio/ogg",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "gz" | "tgz" => "application/gzip",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx" => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_decide_and_names_refine() {
        let is = |path: &str, bytes: &[u8]| {
            let contents = FileContents::of(path, bytes.to_vec());
            let kind = match contents.body {
                FileBody::Text(_) => "text",
                FileBody::Blob(_) => "blob",
            };
            (contents.mime, kind)
        };
        assert_eq!(is("SKILL.md", "# 球".as_bytes()), ("text/markdown", "text"));
        assert_eq!(is("SKILL.md", b"# \xe9"), ("text/markdown", "blob"));
        assert_eq!(is("a.py", b"x"), ("text/x-python", "text"));
        assert_eq!(is("LICENSE", b"x"), ("text/plain", "text"));
        assert_eq!(is("empty.bin", b""), ("text/plain", "text"));
        assert_eq!(is("a.png", b"\x89PNG\r\n\x1a\n\0"), ("image/png", "blob"));
        assert_eq!(is("a.md", b"\x89PNG\r\n\x1a\n\0"), ("image/png", "blob"));
        assert_eq!(is("fake.png", b"hello"), ("text/plain", "text"));
        assert_eq!(is("nul.txt", b"a\0b"), ("application/octet-stream", "blob"));
        assert_eq!(
            is("latin.txt", b"\xe9"),
            ("application/octet-stream", "blob")
        );
        assert_eq!(is("a.pdf", b"%PDF-1.7 plain"), ("application/pdf", "blob"));
        assert_eq!(is("a.xlsx", b"PK\x03\x04\xff").0.len(), 65);
        assert_eq!(
            is("a.wav", b"RIFF\xff\0\0\0WAVEfmt "),
            ("audio/wav", "blob")
        );
        assert_eq!(
            is("no-ext", b"\xff\xfe"),
            ("application/octet-stream", "blob")
        );
    }

    #[test]
    fn a_part_of_a_text_ends_between_characters() {
        let part = |bytes: &[u8], asked: Range<usize>| {
            let (contents, part) = FileContents::part("a", bytes.to_vec(), asked);
            (contents.body, part)
        };
        let text = |text: &str, part| (FileBody::Text(text.to_owned()), part);
        let bytes = "a球é".as_bytes();
        assert_eq!(part(bytes, 0..3), text("a", 0..1));
        assert_eq!(part(bytes, 1..2), text("球", 1..4));
        assert_eq!(part(bytes, 3..5), text("球", 1..4));
        assert_eq!(part(bytes, 3..usize::MAX), text("球é", 1..6));
        assert_eq!(part(bytes, 6..9), text("", 6..6));
        assert_eq!(part(b"", 0..9), text("", 0..0));
        // Every part of what is no text is base64, also where its own bytes would be one.
        let blob = (FileBody::Blob("Yg==".to_owned()), 1..2);
        assert_eq!(part(b"ab\0", 1..2), blob);
    }

    #[test]
    fn text_travels_as_it_is() {
        let text = "\u{feff}a\r\nb\n";
        let contents = FileContents::of("a.txt", text.as_bytes().to_vec());
        assert_eq!(contents.body, FileBody::Text(text.to_owned()));
    }
}
