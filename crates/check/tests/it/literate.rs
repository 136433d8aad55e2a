//! Markdown files that hold other files in fenced blocks.
//!
//! A block whose info string is `LANGUAGE PATH` is a file of that path. `LANGUAGE PATH escaped`
//! reads escapes in the text, so that any bytes can be written: `\xNN`, `\n`, `\r`, `\t`, `\\` and
//! `{N*text}` for a text N times over; the line ends of the block do not count. In the path of such
//! a block `\xNN` counts too. `text PATH link` is a symbolic link to the text.

use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;

use metier_check::{CheckOptions, CheckReport, check};
use metier_loader::ParseMode;
use tempfile::TempDir;

/// A fenced block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) info: Vec<String>,
    pub(crate) text: String,
    /// The bytes of the text in its document.
    pub(crate) span: Range<usize>,
}

/// A heading with everything up to the next one.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) heading: String,
    pub(crate) blocks: Vec<Block>,
}

/// The sections of a document, by its headings of one level (`## `).
pub(crate) fn sections(document: &str) -> Vec<Section> {
    let mut sections = vec![Section {
        heading: String::new(),
        blocks: Vec::new(),
    }];
    let mut open: Option<(String, Block)> = None;
    let mut at = 0;
    for line in document.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim_end();
        let current = sections.last_mut().unwrap();
        match &mut open {
            Some((fence, block)) => {
                if bare == fence {
                    block.span.end = start;
                    document[block.span.clone()].clone_into(&mut block.text);
                    current.blocks.push(block.clone());
                    open = None;
                }
            }
            None if bare.starts_with("```") => {
                let info = bare.trim_start_matches('`');
                let block = Block {
                    info: info.split_whitespace().map(str::to_owned).collect(),
                    text: String::new(),
                    span: at..at,
                };
                open = Some((bare[..bare.len() - info.len()].to_owned(), block));
            }
            None => {
                if let Some(heading) = bare.strip_prefix("## ") {
                    sections.push(Section {
                        heading: heading.to_owned(),
                        blocks: Vec::new(),
                    });
                }
            }
        }
    }
    assert!(open.is_none(), "a block is not closed");
    sections
}

impl Block {
    fn word(&self, at: usize) -> &str {
        self.info.get(at).map_or("", String::as_str)
    }

    /// The first word of the info string.
    pub(crate) fn kind(&self) -> &str {
        self.word(0)
    }

    /// The second word: a path, or what an expectation is about.
    pub(crate) fn about(&self) -> &str {
        self.word(1)
    }

    pub(crate) fn is_file(&self) -> bool {
        !matches!(self.kind(), "findings" | "skills") && !self.about().is_empty()
    }

    /// The bytes of the file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        if self.word(2) == "escaped" {
            return unescaped(&self.text.replace('\n', ""));
        }
        self.text.clone().into_bytes()
    }
}

/// Writes the files of some blocks into a folder of their own.
pub(crate) fn folder(blocks: &[Block]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for block in blocks.iter().filter(|block| block.is_file()) {
        let name = if block.word(2) == "escaped" {
            os_string(unescaped(block.about()))
        } else {
            block.about().into()
        };
        let path = folder.path().join(Path::new(&name));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if block.word(2) == "link" {
            link(block.text.trim(), &path);
        } else {
            std::fs::write(path, block.bytes()).unwrap();
        }
    }
    folder
}

#[cfg(unix)]
fn link(target: &str, path: &Path) {
    std::os::unix::fs::symlink(target, path).unwrap();
}

#[cfg(not(unix))]
fn link(_: &str, _: &Path) {}

#[cfg(unix)]
fn os_string(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(not(unix))]
fn os_string(bytes: Vec<u8>) -> OsString {
    String::from_utf8(bytes).unwrap().into()
}

/// Checks a folder in a mode; the roots are its folders of these names, or itself.
pub(crate) fn checked(folder: &TempDir, roots: &[&str], mode: ParseMode) -> CheckReport {
    let mut options = CheckOptions::default();
    options.mode = mode;
    let paths: Vec<_> = if roots.is_empty() {
        vec![folder.path().to_owned()]
    } else {
        roots.iter().map(|root| folder.path().join(root)).collect()
    };
    check(&paths, &options)
}

fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(tail) = rest.strip_prefix("\\x") {
            bytes.push(u8::from_str_radix(&tail[..2], 16).unwrap());
            rest = &tail[2..];
        } else if c == '\\' {
            bytes.push(match &rest[1..2] {
                "n" => b'\n',
                "r" => b'\r',
                "t" => b'\t',
                "\\" => b'\\',
                other => panic!("unknown escape `{other}`"),
            });
            rest = &rest[2..];
        } else if let Some((number, text, tail)) = repeated(rest) {
            bytes.extend(unescaped(text).repeat(number));
            rest = tail;
        } else {
            bytes.extend(c.to_string().bytes());
            rest = &rest[c.len_utf8()..];
        }
    }
    bytes
}

/// `{N*text}`.
fn repeated(text: &str) -> Option<(usize, &str, &str)> {
    let (inner, tail) = text.strip_prefix('{')?.split_once('}')?;
    let (number, text) = inner.split_once('*')?;
    Some((number.parse().ok()?, text, tail))
}

#[test]
fn escapes_and_blocks_are_read() {
    assert_eq!(unescaped("a\\xFF\\n{3*xy}{k: v}"), b"a\xFF\nxyxyxy{k: v}");
    let document =
        "# T\n## One (001)\n```yaml a/b.yaml\nx: 1\n```\n````md c.md\n```\n````\n## Two\n";
    let found = sections(document);
    assert_eq!(found.len(), 3);
    assert_eq!(found[1].blocks[0].text, "x: 1\n");
    assert_eq!(found[1].blocks[1].text, "```\n");
    assert_eq!(&document[found[1].blocks[0].span.clone()], "x: 1\n");
}
