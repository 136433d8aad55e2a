//! Each test is a server of its own on this machine.

use metier_skill_protocol::selection_prompt;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::*;

async fn a_server(scheme: &str, key: Option<&str>) -> (TcpListener, HttpSelector) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("{scheme}://{}/v1/", listener.local_addr().unwrap());
    let selector = HttpSelector::new(&address, "m", key.map(str::to_owned)).unwrap();
    (listener, selector)
}

/// A whole request: the head, and as much of a body as it says.
async fn request(stream: &mut TcpStream) -> String {
    let mut heard = Vec::new();
    loop {
        let mut part = [0; 4096];
        let read = stream.read(&mut part).await.unwrap();
        assert_ne!(read, 0, "the client went in the middle");
        heard.extend_from_slice(&part[..read]);
        let text = String::from_utf8_lossy(&heard).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let head = head.to_lowercase();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        if body.len() == length.unwrap().parse::<usize>().unwrap() {
            return text;
        }
    }
}

/// Asks a server that reads a request and answers so, and then keeps the connection or ends it.
async fn asked(answer: &str, is_kept: bool) -> (Result<String, SelectorError>, String) {
    let (listener, selector) = a_server("http", Some("secret-key")).await;
    let (answered, ended) = tokio::sync::oneshot::channel::<()>();
    let server = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let heard = request(&mut stream).await;
        stream.write_all(answer.as_bytes()).await.unwrap();
        if is_kept {
            ended.await.unwrap();
        }
        heard
    };
    let client = async {
        let said = selector.ask(selection_prompt("t", &[], 2)).await;
        answered.send(()).ok();
        said
    };
    let (said, heard) = tokio::join!(client, server);
    assert!(!format!("{said:?} {selector:?}").contains("secret-key"));
    (said, heard)
}

#[tokio::test]
async fn a_model_is_asked_once_and_its_words_come_back() {
    const MESSAGE: &str = r#"{"choices": [{"message": {"content": "{}"}}]}"#;
    let length = MESSAGE.len();
    for (answer, is_kept) in [
        (
            format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{MESSAGE}"),
            true,
        ),
        (
            format!(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{length:x}\r\n{MESSAGE}\r\n0\r\n\r\n"
            ),
            true,
        ),
        (
            format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{MESSAGE}"),
            false,
        ),
        (format!("HTTP/1.0 200 OK\r\n\r\n{MESSAGE}"), false),
    ] {
        let (said, heard) = asked(&answer, is_kept).await;
        assert_eq!(said, Ok("{}".to_owned()), "{answer}");
        assert!(
            heard.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"),
            "{heard}"
        );
        assert!(
            heard.contains("authorization: Bearer secret-key\r\n"),
            "{heard}"
        );
    }
}

#[tokio::test]
async fn nobody_is_followed_and_no_fault_is_taken_for_an_answer() {
    for (head, body, reason) in [
        (
            "302 Found\r\nLocation: http://127.0.0.1:1/",
            "{}",
            "status 302",
        ),
        ("401 No", "secret-key", "status 401"),
        ("429 Slow\r\nRetry-After: 1", "{}", "status 429"),
        ("500 No", "{}", "status 500"),
        ("200 OK", "<html>", "not JSON"),
        ("200 OK", "{\"choices\": [", "not JSON"),
        ("200 OK", "{}", "no message"),
        ("200 OK", "{\"choices\": []}", "no message"),
        (
            "200 OK",
            "{\"choices\": [{\"message\": {\"content\": 7}}]}",
            "no message",
        ),
        (
            "200 OK\r\nContent-Encoding: gzip",
            "\u{1f}\u{8}",
            "not JSON",
        ),
        ("200 OK\r\nContent-Length: 9", "{}", "127.0.0.1"),
    ] {
        let answer = format!("HTTP/1.1 {head}\r\nConnection: close\r\n\r\n{body}");
        let said = asked(&answer, false).await.0.unwrap_err().to_string();
        assert!(said.contains(reason), "{reason}: {said}");
    }
    for answer in ["", "\0\u{1}", "HTTP/1.1"] {
        let said = asked(answer, false).await.0.unwrap_err();
        assert!(matches!(said, SelectorError::Unavailable { .. }), "{said}");
    }
}

#[tokio::test]
async fn of_an_answer_without_end_a_bounded_part_is_read() {
    let (listener, selector) = a_server("http", None).await;
    let server = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        request(&mut stream).await;
        let head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
        stream.write_all(head).await.unwrap();
        // It ends when the other side hangs up.
        while stream.write_all(&[b'a'; 4096]).await.is_ok() {}
    };
    let (said, ()) = tokio::join!(selector.ask(selection_prompt("t", &[], 2)), server);
    assert!(said.unwrap_err().to_string().contains("longer than 1 MiB"));
}

#[tokio::test]
async fn whoever_asks_no_longer_has_hung_up() {
    let (listener, selector) = a_server("http", None).await;
    let asking = tokio::spawn(selector.ask(selection_prompt("t", &[], 2)));
    let (mut stream, _) = listener.accept().await.unwrap();
    request(&mut stream).await;
    asking.abort();
    assert!(asking.await.unwrap_err().is_cancelled());
    // An end or a reset, and in any case no wait for ever.
    let _ = stream.read_to_end(&mut Vec::new()).await;
}

#[tokio::test]
async fn an_encrypted_address_sends_nothing_readable() {
    let (listener, selector) = a_server("https", Some("secret-key")).await;
    let server = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut heard = vec![0; 64];
        stream.read_exact(&mut heard).await.unwrap();
        heard
    };
    let (said, heard) = tokio::join!(selector.ask(selection_prompt("t", &[], 2)), server);
    // A record of the handshake of TLS begins with the byte 22.
    assert_eq!(heard.first(), Some(&22));
    assert!(
        matches!(said, Err(SelectorError::Unavailable { .. })),
        "{said:?}"
    );
}

#[test]
fn an_address_is_checked_before_anybody_is_asked() {
    let new = |address: &str, key: &str| {
        HttpSelector::new(address, "m", Some(key.to_owned())).map(|it| it.url.to_string())
    };
    for (address, whole) in [
        (
            "http://h/v1/chat/completions",
            "http://h/v1/chat/completions",
        ),
        (
            "http://h/v1/chat/completions/",
            "http://h/v1/chat/completions/",
        ),
        ("http://h:1", "http://h:1/chat/completions"),
        (
            "http://h/v1?api-version=2",
            "http://h/v1/chat/completions?api-version=2",
        ),
        (
            "http://[::1]:8080/v1/",
            "http://[::1]:8080/v1/chat/completions",
        ),
        ("https://h/v1", "https://h/v1/chat/completions"),
    ] {
        assert_eq!(new(address, "k").as_deref(), Ok(whole));
    }
    for address in [
        "",
        "h:1",
        "h/v1",
        "http:h",
        "http:///v1",
        "http://a b/",
        "http://h/ ",
        "http://me@h/",
        "http://:k@h/",
        "http://h/#k",
        "http://h\\v1",
        "http://h:99999/",
        "file:///h",
        "ws://h/",
    ] {
        assert_eq!(
            new(address, "k"),
            Err(SelectorAddressError::NoAddress),
            "{address}"
        );
    }
    for key in ["a\r\nb", "a b", "schlüssel", "\0"] {
        assert_eq!(new("http://h", key), Err(SelectorAddressError::Key));
    }
}
