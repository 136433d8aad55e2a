//! Whether a skill is too large for a manifest is the same whoever asks: a scan, which has seen its folder, and the manifest
//! itself.

use std::fs;
use std::path::Path;

use metier_loader::{ManifestCache, ParseMode, Root, RootLabel, parse_skill_dir, scan};
use proptest::prelude::*;

/// Something that lies in a skill.
#[derive(Clone, Debug)]
enum Thing {
    /// So many files in a folder.
    Files {
        place: &'static str,
        count: usize,
    },
    /// A file of so many MiB, which no disk holds.
    Large {
        place: &'static str,
        mebibytes: u64,
    },
    /// A link to a file beside it.
    Link {
        place: &'static str,
    },
    Odd,
}

fn thing() -> impl Strategy<Value = Thing> {
    let place = prop::sample::select(vec![
        ".",
        "scripts",
        "metadata",
        "docs",
        "docs/deep",
        ".git",
        "scripts/__pycache__",
    ]);
    prop_oneof![
        4 => (place.clone(), prop::sample::select(vec![1, 3, 200, 509, 510, 511, 512, 600]))
            .prop_map(|(place, count)| Thing::Files { place, count }),
        3 => (place.clone(), prop::sample::select(vec![1, 8, 15, 16, 40]))
            .prop_map(|(place, mebibytes)| Thing::Large { place, mebibytes }),
        1 => place.prop_map(|place| Thing::Link { place }),
        1 => Just(Thing::Odd),
    ]
}

fn put(skill: &Path, number: usize, thing: &Thing) {
    let folder = |place: &str| {
        let folder = skill.join(place);
        fs::create_dir_all(&folder).unwrap();
        folder
    };
    match thing {
        Thing::Files { place, count } => {
            let folder = folder(place);
            for file in 0..*count {
                fs::write(folder.join(format!("{number}-{file}.txt")), "x").unwrap();
            }
        }
        Thing::Large { place, mebibytes } => {
            let file = fs::File::create(folder(place).join(format!("{number}.bin"))).unwrap();
            file.set_len(mebibytes << 20).unwrap();
        }
        Thing::Link { place } => {
            let folder = folder(place);
            fs::write(folder.join(format!("{number}-target")), "x").unwrap();
            #[cfg(unix)]
            let _ = std::os::unix::fs::symlink(
                format!("{number}-target"),
                folder.join(format!("{number}-link")),
            );
        }
        Thing::Odd => {
            let long = "n".repeat(200);
            for file in 0..6 {
                fs::write(skill.join(format!("{long}{file}")), "x").unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn whoever_asks_is_told_the_same(things in proptest::collection::vec(thing(), 0..4)) {
        let root = tempfile::tempdir().unwrap();
        let skill = root.path().join("crowd");
        fs::create_dir(&skill).unwrap();
        let text = "---\nname: crowd\ndescription: x\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n";
        fs::write(skill.join("SKILL.md"), text).unwrap();
        fs::write(skill.join("tools.yaml"), "tools: [{name: go, description: x, source_file: go.py}]\n").unwrap();
        for (number, thing) in things.iter().enumerate() {
            put(&skill, number, thing);
        }
        let scanned = scan(&[Root::new(RootLabel::Explicit, root.path())], ParseMode::Lenient);
        let scanned = scanned.skills.first().unwrap();
        let alone = parse_skill_dir(&skill, ParseMode::Lenient).unwrap();
        prop_assert_eq!(&scanned.beyond_manifest, &alone.beyond_manifest);
        prop_assert_eq!(&scanned.beyond_manifest, &scanned.files.beyond_manifest());
        let manifest = ManifestCache::default().manifest(&scanned.files);
        prop_assert_eq!(&scanned.beyond_manifest, &manifest.err().map(|error| error.to_string()));
    }
}
