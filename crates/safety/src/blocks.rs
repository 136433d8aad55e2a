//! The blocks of a Markdown text: fences of code, lists, tables and quotations, and the headings above them.

use std::ops::Range;

/// Where blocks stand, found in one pass.
pub(crate) struct Blocks {
    fences: Vec<Range<usize>>,
    lists: Vec<Range<usize>>,
    headings: Vec<Range<usize>>,
}

impl Blocks {
    pub(crate) fn new(text: &str) -> Self {
        let mut blocks = Self {
            fences: Vec::new(),
            lists: Vec::new(),
            headings: Vec::new(),
        };
        let mut fence: Option<(usize, &str)> = None;
        let mut list: Option<Range<usize>> = None;
        let mut at = 0;
        let mut is_behind_blank = false;
        for line in text.split_inclusive('\n') {
            let (start, bare) = (at, line.trim());
            at += line.len();
            // Values that are looked at together are parted like that, and none says anything of the next.
            if bare == "." && is_behind_blank {
                let opened = fence.take().map(|(opened, _)| opened..start);
                blocks.fences.extend(opened);
                blocks.lists.extend(list.take());
                blocks.headings.push(start..start);
            }
            is_behind_blank = bare.is_empty();
            let mark = ["```", "~~~"]
                .into_iter()
                .find(|mark| bare.starts_with(mark));
            match (fence, mark) {
                (None, Some(mark)) => fence = Some((start, mark)),
                (Some((opened, mark)), Some(other)) if mark == other => {
                    blocks.fences.push(opened..start);
                    fence = None;
                }
                _ => {}
            }
            if fence.is_some() || mark.is_some() {
                continue;
            }
            if is_item(bare) {
                list.get_or_insert(start..at).end = at;
            } else if line.starts_with([' ', '\t']) && !bare.is_empty() {
                if let Some(list) = &mut list {
                    list.end = at;
                }
            } else if !bare.is_empty() {
                blocks.lists.extend(list.take());
                if is_heading(line) {
                    blocks.headings.push(start..at);
                }
            }
        }
        blocks.lists.extend(list);
        if let Some((opened, _)) = fence {
            blocks.fences.push(opened..text.len());
        }
        blocks
    }

    /// The fence in which an offset lies.
    pub(crate) fn fence(&self, at: usize) -> Option<&Range<usize>> {
        around(&self.fences, at)
    }

    /// The fence, list, table or quotation in which it lies.
    pub(crate) fn block(&self, at: usize) -> Option<&Range<usize>> {
        self.fence(at).or_else(|| around(&self.lists, at))
    }

    /// The line of the heading above it.
    pub(crate) fn heading(&self, at: usize) -> Option<Range<usize>> {
        let behind = self.headings.partition_point(|heading| heading.start < at);
        self.headings.get(behind.checked_sub(1)?).cloned()
    }
}

fn around(blocks: &[Range<usize>], at: usize) -> Option<&Range<usize>> {
    let behind = blocks.partition_point(|block| block.start <= at);
    let block = blocks.get(behind.checked_sub(1)?)?;
    (at < block.end).then_some(block)
}

fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    text.len() < line.len() && text.starts_with(' ')
}

fn is_item(line: &str) -> bool {
    let after_digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = after_digits.len() < line.len()
        && (after_digits.starts_with(". ") || after_digits.starts_with(") "));
    is_numbered
        || ["- ", "* ", "+ ", "|", ">"]
            .iter()
            .any(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_ends_where_it_was_opened() {
        let blocks = Blocks::new("a\n```\nb\n```\nc\n~~~\nd");
        assert_eq!(blocks.fences, [2..8, 14..19]);
    }

    #[test]
    fn a_list_goes_on_over_blank_and_indented_lines() {
        let text = "# A\na\n- b\n\n  c\n1. d\ne\n> f\n#g\n";
        let blocks = Blocks::new(text);
        assert_eq!(blocks.lists, [6..20, 22..26]);
        assert_eq!(blocks.headings, vec![0..4]);
        assert_eq!(blocks.block(9), Some(&(6..20)));
        assert_eq!(blocks.heading(23), Some(0..4));
        assert_eq!((blocks.block(20), blocks.heading(0)), (None, None));
    }

    #[test]
    fn values_say_nothing_of_each_other() {
        let blocks = Blocks::new("# Attacks\n- a\n```\n\n.\n\nb");
        assert_eq!(blocks.block(22), None);
        assert_eq!(blocks.heading(22), Some(19..19));
    }
}
