//! The order in which a folder lists its entries plays no part.

use proptest::prelude::*;

use metier_loader::ParseMode;

use crate::folder::Folder;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The entries of a folder come in the order in which they were made, more or less; the
    /// report must not show it.
    #[test]
    fn the_order_of_a_folder_plays_no_part(
        names in Just((0..12).map(|n| format!("{}/s{n}", ["b", "a", "c/d"][n % 3])).chain(["b/twin".to_owned(), "a/twin".to_owned()]).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let folder = Folder::new();
        for name in &names {
            folder.skill(&format!("skills/{name}"));
        }
        folder.write("skills/broken/SKILL.md", "").write("skills/bare/tools.yaml", "");
        let report = folder.scan(&["skills"], ParseMode::Lenient);
        let found: Vec<_> = report.skills.iter().map(|skill| skill.display_path.clone()).collect();
        let mut sorted = found.clone();
        sorted.sort_by(|one, other| one.split('/').cmp(other.split('/')));
        prop_assert_eq!(&found, &sorted);
        prop_assert_eq!(found.len(), names.len() - 1);
        prop_assert_eq!(report.shadowed.len(), 1);
        prop_assert_eq!(&report.shadowed[0].skill.display_path, "b/twin");
        prop_assert_eq!(report.rejected.len(), 1);
        prop_assert_eq!(report.root_findings.len(), 1);
    }
}
