//! `fixed BYTES`: answers every message with as many bytes: the least that a server can do.

use std::error::Error;

use axum::Router;
use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::routing::post;
use axum::serve::ListenerExt as _;
use mcp_beside_rmcp::serve_until_the_input_ends;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let length: usize = std::env::args().nth(1).ok_or("how many bytes?")?.parse()?;
    let body = Bytes::from(vec![b' '; length]);
    let answer = move |_: Bytes| async move { ([(CONTENT_TYPE, "application/json")], body) };
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    tokio::spawn(
        async move { axum::serve(listener, Router::new().route("/mcp", post(answer))).await },
    );
    serve_until_the_input_ends(&url).await
}
