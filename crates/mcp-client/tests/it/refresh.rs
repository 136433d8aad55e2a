//! Refreshes: together, at the same time, and never over a connection that has ended.

use std::sync::Arc;

use metier_mcp_client::{ConnectionState, ServerEvent, ServerFault};
use tokio::sync::Semaphore;

use crate::scripted::{connected, server, skill};

#[tokio::test]
async fn the_lists_are_fetched_at_the_same_time() {
    let server = server(&[&skill("bake")]);
    connected(&server).await;
    assert_eq!(server.most_running(), 3);
}

/// A hundred notices while a refresh runs are one more refresh.
#[tokio::test]
async fn a_burst_is_one_more_refresh() {
    let server = server(&[&skill("bake")]);
    let connection = connected(&server).await;
    let _ = server.asked();
    let gate = Arc::new(Semaphore::new(0));
    *server.gate.lock().unwrap() = Some(Arc::clone(&gate));
    let mut told = Vec::new();
    for number in 0..101 {
        let connection = connection.clone();
        let event = if number % 2 == 0 {
            ServerEvent::ResourcesChanged
        } else {
            ServerEvent::PromptsChanged
        };
        told.push(tokio::spawn(async move { connection.tell(event).await }));
        // Each task runs up to where it waits.
        tokio::task::yield_now().await;
    }
    server.change(|script| script.skills = vec![vec![skill("rig").entry()]]);
    gate.add_permits(1000);
    for told in told {
        told.await.unwrap();
    }
    assert_eq!(server.asked().len(), 6);
    assert_eq!(connection.offer().skills[0].name, "rig");
}

#[tokio::test]
async fn what_comes_after_the_end_is_thrown_away() {
    let server = server(&[&skill("bake")]);
    let connection = connected(&server).await;
    let gate = Arc::new(Semaphore::new(0));
    *server.gate.lock().unwrap() = Some(Arc::clone(&gate));
    let refreshing = {
        let connection = connection.clone();
        tokio::spawn(async move { connection.tell(ServerEvent::ResourcesChanged).await })
    };
    tokio::task::yield_now().await;
    connection.tell(ServerEvent::Disconnected).await;
    gate.add_permits(10);
    refreshing.await.unwrap();
    assert_eq!(connection.offer().state, ConnectionState::Disconnected);
    assert!(connection.offer().commands.is_empty());
}

#[tokio::test]
async fn a_list_that_does_not_come_leaves_the_old_one_and_says_so() {
    let server = server(&[&skill("bake")]);
    let connection = connected(&server).await;
    server.change(|script| {
        let fault = ServerFault::Refused {
            code: -32603,
            message: "not today".into(),
        };
        script.faults.insert("skills/list", [fault].into());
    });
    connection.tell(ServerEvent::ResourcesChanged).await;
    let offer = connection.offer();
    assert_eq!(offer.skills.len(), 1);
    assert_eq!(
        offer.findings[0].message,
        "the server refused (-32603): not today"
    );
    connection.tell(ServerEvent::ResourcesChanged).await;
    assert!(connection.offer().findings.is_empty());
}

#[tokio::test]
async fn a_server_that_is_gone_takes_its_skills_along_at_once() {
    let bake = skill("bake");
    let server = server(&[&bake]);
    let connection = connected(&server).await;
    let before = connection.offer().generation;
    server.change(|script| {
        script
            .faults
            .insert("resources/read", [ServerFault::Gone("reset".into())].into());
    });
    connection.open_skill(&bake.uri()).await.unwrap_err();
    let offer = connection.offer();
    assert_eq!(offer.state, ConnectionState::Closed);
    assert_eq!(offer.generation, before + 1);
    assert!(offer.commands.is_empty());
}
