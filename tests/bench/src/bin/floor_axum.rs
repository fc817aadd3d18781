//! The floor of the HTTP figures: a handler of a few lines that answers from memory.

#![expect(clippy::print_stderr, reason = "its client reads the address from stderr")]

use axum::Router;
use axum::body::Bytes;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::post;
use axum::serve::ListenerExt as _;

async fn answer(body: Bytes) -> impl IntoResponse {
    let text = "x".repeat(1024);
    let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"read\":{},\"text\":\"{text}\"}}}}", body.len());
    ([(CONTENT_TYPE, "application/json")], answer)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    eprintln!("http://{}/mcp", listener.local_addr()?);
    let listener = listener.tap_io(|stream| {
        // With Nagle's algorithm, each answer would wait for the next one.
        let _ = stream.set_nodelay(true);
    });
    Ok(axum::serve(listener, Router::new().route("/mcp", post(answer))).await?)
}
