//! The texts of the files that findings name, each read once in a row.

use std::cell::RefCell;

/// Keeps the last file; findings about one file come together.
#[derive(Default)]
pub(crate) struct SourceCache {
    last: RefCell<Option<(String, Option<String>)>>,
}

/// The largest file that is shown from.
const LARGEST: u64 = 4 * 1024 * 1024;

impl SourceCache {
    /// The text of a file as a finding names it, seen from the working directory.
    pub(crate) fn text(&self, file: &str) -> Option<String> {
        let mut last = self.last.borrow_mut();
        if let Some((name, text)) = last.as_ref()
            && name == file
        {
            return text.clone();
        }
        let is_small =
            std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() <= LARGEST);
        let text = is_small
            .then(|| {
                std::fs::read(file)
                    .ok()
                    .and_then(|bytes| String::from_utf8(bytes).ok())
            })
            .flatten();
        *last = Some((file.to_owned(), text.clone()));
        text
    }
}
