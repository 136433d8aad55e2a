//! Over HTTP, in both eras.

use std::sync::Arc;
use std::time::Duration;

use metier_mcp_client::{
    ConnectFault, ConnectionState, Era, Flag, Mismatch, ReadFault, Remote, ServerEvent, Settings,
    Target,
};
use serde_json::json;

use super::http_server::{Habit, HttpServer};
use crate::scripted::{Scripted, label, server, settings, skill};

const ERAS: [(Era, bool); 3] = [
    (Era::Legacy, false),
    (Era::Modern, true),
    (Era::Auto, false),
];

async fn connect(http: &HttpServer, era: Era, settings: Settings) -> Result<Remote, ConnectFault> {
    Remote::connect(label(), &Target::http(&http.url), era, settings).await
}

async fn both(scripted: &Arc<Scripted>, era: Era, is_modern: bool) -> (HttpServer, Remote) {
    let http = HttpServer::start(Arc::clone(scripted), is_modern).await;
    let remote = connect(&http, era, settings()).await.unwrap();
    (http, remote)
}

#[tokio::test]
async fn skills_are_listed_and_read_in_each_era() {
    let bake = skill("bake").file("tips.md", "Tips.\n");
    let rig = skill("rig");
    for (era, is_modern) in ERAS {
        let server = server(&[&bake]);
        server.change(|script| {
            script.skills.push(vec![rig.entry()]);
            script
                .files
                .insert("skill://bake/tips.md".into(), vec![0xff, 0]);
            script.prompts = vec![vec![json!({"name": "hello"})]];
        });
        let (_http, remote) = both(&server, era, is_modern).await;
        let connection = remote.connection();
        let declared = connection.declared();
        assert_eq!(
            declared.revision,
            if is_modern {
                "2026-07-28"
            } else {
                "2025-11-25"
            }
        );
        assert!(is_modern || declared.name == "illwill", "{}", declared.name);
        let names: Vec<String> = connection
            .offer()
            .commands
            .iter()
            .map(|it| it.name.clone())
            .collect();
        assert_eq!(names, ["assets:prompt:hello", "assets:bake", "assets:rig"]);
        let opened = connection.open_skill(&bake.uri()).await.unwrap();
        assert_eq!(opened.text, bake.text());
        // Bytes that are no text come as base64; here they are the wrong ones.
        let fault = connection
            .read_file(&opened.skill, "tips.md")
            .await
            .unwrap_err();
        assert!(
            matches!(fault, ReadFault::Mismatch(Mismatch::Size { found: 2, .. })),
            "{fault}"
        );
        remote.leave().await;
    }
}

/// The SDK reads results into types; what does not fit comes as it is, and is judged entry by entry all the same.
#[tokio::test]
async fn a_bad_entry_costs_no_other_over_the_wire() {
    for (era, is_modern) in ERAS {
        let server = server(&[&skill("bake")]);
        server.change(|script| {
            script.skills[0].push(json!({"uri": 7}));
            script.skills[0]
                .push(json!({"uri": "skill://x/SKILL.md", "frontmatter": [], "resources": 1}));
            script.prompts = vec![vec![json!({"name": 3}), json!({"name": "hello"})]];
            script.resources = vec![vec![
                json!({"name": "no URI"}),
                json!({"uri": "file:///a", "name": "a"}),
            ]];
        });
        let (_http, remote) = both(&server, era, is_modern).await;
        let offer = remote.connection().offer();
        assert_eq!(offer.skills.len(), 1);
        assert_eq!(offer.commands.len(), 2);
        assert_eq!(offer.resources.len(), 1);
        assert_eq!(offer.findings.len(), 3, "{:?}", offer.findings);
    }
}

/// The SDK keeps answers for as long as a server says; what is verified must be what the server says now.
#[tokio::test]
async fn an_answer_is_never_one_from_before() {
    let bake = skill("bake");
    for (era, is_modern) in ERAS {
        let server = server(&[&bake]);
        let (_http, remote) = both(&server, era, is_modern).await;
        let connection = remote.connection();
        connection.open_skill(&bake.uri()).await.unwrap();
        let mut newer = bake.clone();
        newer.body = "Otherwise.\n".into();
        server.replace(&newer);
        assert!(connection.open_skill(&bake.uri()).await.is_err());
        connection.tell(ServerEvent::ResourcesChanged).await;
        assert_eq!(
            connection.open_skill(&bake.uri()).await.unwrap().text,
            newer.text()
        );
    }
}

#[tokio::test]
async fn no_redirect_is_followed() {
    let bake = skill("bake");
    for (era, is_modern) in ERAS {
        let elsewhere = HttpServer::start(server(&[&bake]), is_modern).await;
        let beginning = if is_modern {
            "server/discover"
        } else {
            "initialize"
        };
        let http = HttpServer::start(server(&[&bake]), is_modern).await;
        http.does(beginning, Habit::Redirect(elsewhere.url.clone()));
        let fault = connect(&http, era, settings()).await.unwrap_err();
        assert!(matches!(fault, ConnectFault::Refused(_)), "{fault}");
        let http = HttpServer::start(server(&[&bake]), is_modern).await;
        http.does("resources/read", Habit::Redirect(elsewhere.url.clone()));
        let remote = connect(&http, era, settings()).await.unwrap();
        let fault = remote
            .connection()
            .open_skill(&bake.uri())
            .await
            .unwrap_err();
        assert!(matches!(fault, ReadFault::Server(_)), "{fault}");
        assert_eq!(elsewhere.heard(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    let bake = skill("bake");
    let mut brief = settings();
    brief.bounds.request = Duration::from_millis(400);
    for (era, is_modern) in [(Era::Legacy, false), (Era::Modern, true)] {
        let beginning = if is_modern {
            "server/discover"
        } else {
            "initialize"
        };
        let http = HttpServer::start(server(&[&bake]), is_modern).await;
        http.does(beginning, Habit::Never);
        let fault = connect(&http, era, brief.clone()).await.unwrap_err();
        assert!(matches!(fault, ConnectFault::Late { .. }), "{fault}");
        let http = HttpServer::start(server(&[&bake]), is_modern).await;
        http.does("skills/list", Habit::Never);
        let remote = connect(&http, era, brief.clone()).await.unwrap();
        let offer = remote.connection().offer();
        assert_eq!(
            (offer.state, offer.skills.len()),
            (ConnectionState::Open, 0)
        );
        assert!(
            offer.findings[0]
                .message
                .starts_with("the server did not answer"),
            "{:?}",
            offer.findings
        );
    }
}

/// An answer without an end costs no more memory than an answer may have.
#[tokio::test]
async fn an_endless_answer_is_cut_off() {
    let bake = skill("bake");
    let mut small = settings();
    small.bounds.list_bytes = 256 * 1024;
    small.bounds.file_bytes = 128 * 1024;
    for (era, is_modern) in [(Era::Legacy, false), (Era::Modern, true)] {
        let http = HttpServer::start(server(&[&bake]), is_modern).await;
        http.does("resources/read", Habit::Endless);
        let remote = connect(&http, era, small.clone()).await.unwrap();
        let fault = remote
            .connection()
            .open_skill(&bake.uri())
            .await
            .unwrap_err();
        assert!(matches!(fault, ReadFault::Server(_)), "{fault}");
        // What the sockets of both sides hold was sent as well.
        assert!(http.sent() < 32 * 1024 * 1024, "{}", http.sent());
    }
}

#[tokio::test]
async fn a_server_that_goes_takes_its_skills_along() {
    let bake = skill("bake");
    for (era, is_modern) in ERAS {
        let (http, remote) = both(&server(&[&bake]), era, is_modern).await;
        http.stop().await;
        remote
            .connection()
            .open_skill(&bake.uri())
            .await
            .unwrap_err();
        assert_eq!(remote.connection().offer().state, ConnectionState::Closed);
        assert!(!remote.is_open());
        assert!(remote.connection().skill_commands().is_empty());
    }
}

#[tokio::test]
async fn with_the_flag_off_nothing_is_sent_or_started() {
    let http = HttpServer::start(server(&[&skill("bake")]), false).await;
    let fault = connect(&http, Era::Auto, Settings::new(Flag::Off))
        .await
        .unwrap_err();
    assert!(matches!(fault, ConnectFault::Off), "{fault}");
    assert_eq!(http.heard(), Vec::<String>::new());
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("started");
    let touch = Target::program(["touch".into(), mark.clone().into_os_string()]);
    let fault = Remote::connect(label(), &touch, Era::Auto, Settings::new(Flag::Off))
        .await
        .unwrap_err();
    assert!(matches!(fault, ConnectFault::Off), "{fault}");
    assert!(!mark.exists());
}

#[tokio::test]
async fn what_is_no_address_is_said_so() {
    for url in [
        "",
        "host:80",
        "ftp://host/",
        "http://",
        "skill://x/SKILL.md",
    ] {
        let fault = Remote::connect(label(), &Target::http(url), Era::Auto, settings())
            .await
            .unwrap_err();
        assert!(matches!(fault, ConnectFault::Url(_)), "{url}: {fault}");
    }
    let target = Target::Http {
        url: "http://host/mcp".into(),
        token: Some("secret".into()),
    };
    assert!(!format!("{target:?}").contains("secret"));
}
