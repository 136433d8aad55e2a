//! Our own server, as its clients see it: in both eras, with files that change while they look.

use std::path::Path;
use std::time::Duration;

use metier::mcp_client::{
    ActingWindow, Approvals, ConnectionState, DiskCache, Era, Flag, Map, Offer, ReadFault, Remote,
    ServerLabel, Settings, Target,
};
use metier::{CatalogSettings, McpHttpConfig, McpHttpHandle, SkillCatalog};

const ERAS: [Era; 3] = [Era::Legacy, Era::Modern, Era::Auto];

fn write(folder: &Path, name: &str, body: &str) {
    let skill = folder.join(name);
    std::fs::create_dir_all(skill.join("references")).unwrap();
    let text = format!(
        "---\nname: {name}\ndescription: \"Does {name}: well.\"\nversion: 1.10\nmetadata: {{level: 2}}\n---\n{body}\n"
    );
    std::fs::write(skill.join("SKILL.md"), text).unwrap();
    std::fs::write(skill.join("references/tips.md"), "Tips.\n").unwrap();
    std::fs::write(skill.join("references/pixel.bin"), [0, 159, 146, 150]).unwrap();
}

async fn serve(folder: &Path) -> (McpHttpHandle, SkillCatalog) {
    let mut config = McpHttpConfig::default();
    config.port = 0;
    let (server, catalog) = metier::skill_server(
        CatalogSettings::default(),
        config,
        &[folder.to_owned()],
        None,
    );
    (server.start().await.unwrap(), catalog)
}

async fn connect(handle: &McpHttpHandle, era: Era) -> Remote {
    let label = ServerLabel::new("ours").unwrap();
    let target = Target::http(handle.mcp_url());
    Remote::connect(label, &target, era, Settings::new(Flag::On))
        .await
        .unwrap()
}

fn names(offer: &Offer) -> Vec<&str> {
    let skills = offer
        .commands
        .iter()
        .filter(|command| command.uri.is_some());
    skills.map(|command| command.name.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_file_is_listed_read_and_verified_in_each_era() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "bake", "Bake it.");
    write(folder.path(), "rig", "Rig it.");
    let (handle, _catalog) = serve(folder.path()).await;
    for era in ERAS {
        let remote = connect(&handle, era).await;
        let connection = remote.connection();
        let declared = connection.declared();
        assert_eq!(
            declared.revision,
            if era == Era::Legacy {
                "2025-11-25"
            } else {
                "2026-07-28"
            }
        );
        let offer = connection.offer();
        assert_eq!(names(&offer), ["ours:bake", "ours:rig"]);
        assert!(offer.findings.is_empty(), "{:?}", offer.findings);
        for skill in &offer.skills {
            let opened = connection.open_skill(&skill.uri).await.unwrap();
            for path in ["SKILL.md", "references/tips.md", "references/pixel.bin"] {
                let bytes = connection.read_file(&opened.skill, path).await.unwrap();
                assert_eq!(
                    bytes,
                    std::fs::read(folder.path().join(&skill.name).join(path)).unwrap()
                );
            }
            // A skill is found by its URI alone as well.
            assert_eq!(connection.entry(&skill.uri).await.unwrap().uri, skill.uri);
        }
        let prompt = connection
            .prompt("ours:prompt:bake", Map::new())
            .await
            .unwrap();
        assert!(
            prompt[0].text.as_ref().unwrap().contains("Bake it."),
            "{prompt:?}"
        );
        let fault = connection
            .open_skill("skill://none/SKILL.md")
            .await
            .unwrap_err();
        assert!(matches!(fault, ReadFault::NoSuchSkill(_)), "{fault}");
        remote.leave().await;
    }
    handle.shutdown().await;
}

/// The next offer that has what is wanted; a notice that never comes ends the test.
async fn when(remote: &Remote, wanted: impl Fn(&Offer) -> bool) {
    let waiting = async {
        let mut offer = remote.connection().offer();
        while !wanted(&offer) {
            offer = remote.connection().newer_than(offer.generation).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), waiting)
        .await
        .expect("the notice came");
}

#[tokio::test(flavor = "multi_thread")]
async fn notices_are_followed_in_each_era() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "bake", "Bake it.");
    let (handle, catalog) = serve(folder.path()).await;
    for (number, era) in ERAS.into_iter().enumerate() {
        let remote = connect(&handle, era).await;
        let mut approvals = Approvals::default();
        let opened = remote
            .connection()
            .open_skill("skill://bake/SKILL.md")
            .await
            .unwrap();
        approvals
            .approve(remote.connection().label(), &opened.skill, [])
            .unwrap();
        let name = format!("new{number}");
        write(folder.path(), &name, "New.");
        write(
            folder.path(),
            "bake",
            &format!("Bake it otherwise, {number}."),
        );
        catalog.discover(&[folder.path().to_owned()], None);
        when(&remote, |offer| {
            names(offer).contains(&&*format!("ours:{name}"))
        })
        .await;
        let window =
            ActingWindow::open(remote.connection(), "skill://bake/SKILL.md", &mut approvals).await;
        let Err(ReadFault::Changed(difference)) = window else {
            panic!("{window:?}")
        };
        assert_eq!(difference.changed.len(), 1);
        std::fs::remove_dir_all(folder.path().join(&name)).unwrap();
        catalog.discover(&[folder.path().to_owned()], None);
        when(&remote, |offer| names(offer) == ["ours:bake"]).await;
        remote.leave().await;
    }
    handle.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_stopped_takes_its_skills_along() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "bake", "Bake it.");
    for era in [Era::Legacy, Era::Modern] {
        let (handle, _catalog) = serve(folder.path()).await;
        let cache = tempfile::tempdir().unwrap();
        let mut settings = Settings::new(Flag::On);
        settings.cache = Some(DiskCache::open(cache.path(), [folder.path()]).unwrap());
        let target = Target::http(handle.mcp_url());
        let label = ServerLabel::new("ours").unwrap();
        let remote = Remote::connect(label, &target, era, settings)
            .await
            .unwrap();
        remote
            .connection()
            .open_skill("skill://bake/SKILL.md")
            .await
            .unwrap();
        handle.shutdown().await;
        // Even what lies in the cache is not given out for a server that is gone.
        let _ = remote.connection().entry("skill://none/SKILL.md").await;
        when(&remote, |offer| offer.state == ConnectionState::Closed).await;
        assert!(remote.connection().offer().commands.is_empty());
        assert!(
            remote
                .connection()
                .open_skill("skill://bake/SKILL.md")
                .await
                .is_err()
        );
    }
}
