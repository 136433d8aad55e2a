//! No request leaves while the flag is off.

use metier_mcp_client::{
    ActingWindow, Approvals, ConnectionState, Flag, ReadFault, ServerEvent, Settings,
};

use crate::scripted::{connected_with, server, skill};

#[tokio::test]
async fn nothing_is_asked_and_nothing_is_there() {
    let bake = skill("bake");
    let server = server(&[&bake]);
    let mut settings = Settings::new(Flag::Off);
    settings.legacy_scan = true;
    let connection = connected_with(&server, settings).await;
    for event in [
        ServerEvent::PromptsChanged,
        ServerEvent::ResourcesChanged,
        ServerEvent::Disconnected,
        ServerEvent::Closed,
        ServerEvent::ResourcesChanged,
    ] {
        connection.tell(event).await;
    }
    assert_eq!(
        connection.open_skill(&bake.uri()).await.unwrap_err(),
        ReadFault::Off
    );
    let window = ActingWindow::open(&connection, &bake.uri(), &mut Approvals::default()).await;
    assert_eq!(window.unwrap_err(), ReadFault::Off);
    assert_eq!(server.asked(), Vec::<String>::new());
    assert_eq!(connection.offer().state, ConnectionState::Off);
    assert!(connection.offer().commands.is_empty());
    assert!(connection.skill_commands().is_empty());
}

#[test]
fn either_variable_switches_on_and_only_with_one() {
    let cases = [
        (&[][..], false),
        (&[("METIER_MCP_SKILLS", "1")], true),
        (&[("FEATURE_MCP_SKILLS", " 1 ")], true),
        (
            &[("METIER_MCP_SKILLS", "0"), ("FEATURE_MCP_SKILLS", "1")],
            true,
        ),
        (&[("METIER_MCP_SKILLS", "")], false),
        (&[("METIER_MCP_SKILLS", "true")], false),
        (&[("MCP_SKILLS", "1")], false),
    ];
    for (variables, on) in cases {
        let look = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        assert_eq!(Flag::of(look).is_on(), on, "{variables:?}");
    }
}
