//! Whether a path is one inside a folder, by its letters alone.

use std::path::{Component, Path};

/// Whether a path cannot be one inside a folder. One that climbs above it is refused even if it
/// comes back.
pub(super) fn climbs_out(relative: &str) -> bool {
    let depth = relative
        .split('/')
        .try_fold(0_usize, |depth, part| match part {
            "" | "." => Some(depth),
            ".." => depth.checked_sub(1),
            _ => Some(depth + 1),
        });
    depth.is_none() || is_absolute_here(relative) || relative.contains('\0')
}

/// Whether a path that names a file is absolute. Where no system of drives is, a folder may be named like one.
fn is_absolute_here(path: &str) -> bool {
    let may_be_a_name = cfg!(unix) && !path.starts_with('/') && !path.contains('\\');
    !may_be_a_name && is_absolute_anywhere(path)
}

/// Whether a path is absolute on any platform; such a path is never one inside a skill.
pub(crate) fn is_absolute_anywhere(path: &str) -> bool {
    let mut chars = path.chars();
    let drive = chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':');
    drive
        || path.starts_with(['/', '\\'])
        || Path::new(path)
            .components()
            .any(|part| matches!(part, Component::Prefix(_) | Component::RootDir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_inside_never_climbs_above_its_folder() {
        for inside in ["a", "a/b", "./a", "a/../b", "a//b", "..a", "a/..b"] {
            assert!(!climbs_out(inside), "{inside}");
        }
        for outside in [
            "..",
            "a/../..",
            "a/../../a",
            "/a",
            "\\\\a",
            "C:\\a",
            "c:/../../a",
            "a\0",
        ] {
            assert!(climbs_out(outside), "{outside}");
        }
        for drive in ["C:a", "c:/a"] {
            assert!(is_absolute_anywhere(drive));
            assert_eq!(climbs_out(drive), cfg!(windows), "{drive}");
        }
    }
}
