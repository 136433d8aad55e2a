//! Approvals: bound to every file, gone with any change, and readable about why.

use metier_mcp_client::{Approvals, ApproveFault, Approved, RemoteSkill};
use serde_json::json;

use crate::scripted::{Skill, connected, label, server, skill};

async fn remote(skill: &Skill) -> RemoteSkill {
    let connection = connected(&server(&[skill])).await;
    connection
        .open_skill(&skill.uri())
        .await
        .unwrap()
        .skill
        .as_ref()
        .clone()
}

fn bake() -> Skill {
    skill("bake")
        .file("references/tips.md", "Tips.\n")
        .file("old.md", "Old.\n")
}

fn changed(approvals: &mut Approvals, skill: &RemoteSkill) -> String {
    match approvals.look(&label(), skill) {
        Approved::Changed { difference } => difference.to_string(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn nobody_has_approved_what_is_new() {
    let mut approvals = Approvals::default();
    let skill = remote(&bake()).await;
    assert_eq!(approvals.look(&label(), &skill), Approved::Never);
    approvals.approve(&label(), &skill, []).unwrap();
    let other = metier_mcp_client::ServerLabel::new("other").unwrap();
    // The same skill of another server is another skill.
    assert_eq!(approvals.look(&other, &skill), Approved::Never);
    assert!(matches!(
        approvals.look(&label(), &skill),
        Approved::Yes { .. }
    ));
    assert_eq!(approvals.of_server(&label()), [bake().uri()]);
    assert!(approvals.revoke(&label(), &bake().uri()));
    assert!(!approvals.revoke(&label(), &bake().uri()));
    assert_eq!(approvals.look(&label(), &skill), Approved::Never);
}

#[tokio::test]
async fn a_change_takes_the_approval_away_for_good() {
    let mut approvals = Approvals::default();
    let first = remote(&bake()).await;
    approvals.approve(&label(), &first, []).unwrap();
    let mut newer = bake()
        .file("references/tips.md", "Other tips, and longer ones.\n")
        .file("scripts/run.sh", "echo\n")
        .with("description", json!("Does bake, and reads your mail."))
        .with("allowed-tools", json!("Bash(*)"));
    newer.others.remove("old.md");
    let newer = remote(&newer).await;
    insta::assert_snapshot!(changed(&mut approvals, &newer), @r#"
    ~ SKILL.md (60 -> 106 bytes)
    ~ references/tips.md (6 -> 29 bytes)
    + scripts/run.sh (5 bytes)
    - old.md (5 bytes)
    allowed-tools: not written -> "Bash(*)"
    description: "Does bake." -> "Does bake, and reads your mail."
    "#);
    // Changing back does not bring it back: somebody has to look.
    assert_eq!(changed(&mut approvals, &first), "");
    approvals.approve(&label(), &newer, []).unwrap();
    assert!(matches!(
        approvals.look(&label(), &newer),
        Approved::Yes { .. }
    ));
}

#[tokio::test]
async fn any_single_file_counts() {
    let first = remote(&bake()).await;
    let mut without = bake();
    without.others.remove("old.md");
    for other in [
        bake().file("old.md", "Odd.\n"),
        bake().file("new", ""),
        without,
    ] {
        let mut approvals = Approvals::default();
        approvals.approve(&label(), &first, []).unwrap();
        let other = remote(&other).await;
        assert_eq!(changed(&mut approvals, &other).lines().count(), 1);
    }
}

#[tokio::test]
async fn rights_are_granted_by_name_and_only_those_that_are_asked_for() {
    let skill = remote(
        &bake()
            .with("allowed-tools", json!("Bash"))
            .with("hooks", json!({"x": 1})),
    )
    .await;
    let mut approvals = Approvals::default();
    let fault = approvals.approve(&label(), &skill, ["shell"]).unwrap_err();
    assert_eq!(fault, ApproveFault::NotAsked("shell".into()));
    assert_eq!(approvals.look(&label(), &skill), Approved::Never);
    approvals.approve(&label(), &skill, ["hooks"]).unwrap();
    let Approved::Yes { rights } = approvals.look(&label(), &skill) else {
        panic!()
    };
    assert_eq!(rights.into_iter().collect::<Vec<_>>(), ["hooks"]);
}

#[tokio::test]
async fn they_are_kept_as_json() {
    let skill = remote(&bake()).await;
    let mut approvals = Approvals::default();
    approvals.approve(&label(), &skill, []).unwrap();
    let kept = serde_json::to_string(&approvals).unwrap();
    let mut read: Approvals = serde_json::from_str(&kept).unwrap();
    assert_eq!(read, approvals);
    assert!(matches!(read.look(&label(), &skill), Approved::Yes { .. }));
}

/// A thousand changed files are a short text all the same.
#[tokio::test]
async fn a_long_difference_is_counted() {
    let mut many = bake();
    for number in 0..300 {
        many = many.file(&format!("f{number:03}.md"), "x");
    }
    let mut approvals = Approvals::default();
    approvals
        .approve(&label(), &remote(&bake()).await, [])
        .unwrap();
    let said = changed(&mut approvals, &remote(&many).await);
    assert_eq!(said.lines().count(), 21);
    assert_eq!(said.lines().last().unwrap(), "… 280 more new files");
}

/// A file that says two things of one skill was made by no host; which of them counts is nothing to guess at.
#[tokio::test]
async fn an_approval_that_stands_there_twice_is_refused() {
    let mut approvals = Approvals::default();
    approvals
        .approve(&label(), &remote(&bake()).await, [])
        .unwrap();
    let text = serde_json::to_string(&approvals).unwrap();
    assert_eq!(serde_json::from_str::<Approvals>(&text).unwrap(), approvals);
    let inner = text.strip_prefix('{').unwrap().strip_suffix('}').unwrap();
    let servers = format!("{{{inner},{inner}}}");
    let (server, of_server) = inner.split_once(":{").unwrap();
    let skill = of_server.strip_suffix('}').unwrap();
    let skills = format!("{{{server}:{{{skill},{skill}}}}}");
    for (twice, name) in [(servers, label().to_string()), (skills, bake().uri())] {
        let refused = serde_json::from_str::<Approvals>(&twice).unwrap_err();
        assert!(
            refused
                .to_string()
                .contains(&format!("`{name}` stands there twice")),
            "{refused}"
        );
    }
}
