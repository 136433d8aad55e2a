//! Sessions over HTTP.

use axum::http::{Method, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::json;

use crate::bench::{Bench, initialize, request};

#[tokio::test]
async fn an_unknown_session_is_404_everywhere_and_none_is_400() {
    let client = Bench::new().client();
    let list = request(2, "tools/list", json!({}));
    let unknown = [("mcp-session-id", "no-such")];
    assert_eq!(
        client.post(&unknown, &list).await.status,
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        client.send(Method::GET, &unknown, "").await.status,
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        client.send(Method::DELETE, &unknown, "").await.status,
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        client.post(&[], &list).await.status,
        StatusCode::BAD_REQUEST
    );
    assert_eq!(
        client.send(Method::GET, &[], "").await.status,
        StatusCode::BAD_REQUEST
    );
    assert_eq!(
        client.send(Method::DELETE, &[], "").await.status,
        StatusCode::BAD_REQUEST
    );
    let twice = [("mcp-session-id", "a"), ("mcp-session-id", "b")];
    assert_eq!(
        client.post(&twice, &list).await.status,
        StatusCode::BAD_REQUEST
    );
    let fresh = client.post(&unknown, &initialize(1)).await;
    assert_eq!(fresh.status, StatusCode::OK);
    assert_ne!(fresh.session().unwrap(), "no-such");
}

#[tokio::test]
async fn a_deleted_session_is_gone() {
    let client = Bench::new().client();
    let id = client.session().await;
    let session = [("mcp-session-id", id.as_str()), ("accept", "*/*")];
    let open = client.open("/mcp", Method::GET, &session, "").await;
    assert!(
        client
            .send(Method::DELETE, &session, "")
            .await
            .status
            .is_success()
    );
    for (method, body) in [
        (
            Method::POST,
            request(2, "tools/list", json!({})).to_string(),
        ),
        (Method::GET, String::new()),
        (Method::DELETE, String::new()),
    ] {
        let got = client.send(method.clone(), &session, body).await;
        assert_eq!(got.status, StatusCode::NOT_FOUND, "{method}");
    }
    // The open stream ends rather than hang.
    open.into_body().collect().await.unwrap();
}
