//! Attacks on HTTP and on bodies that failed, so that they stay failed. They are requests in which others are hidden,
//! and heads and chunks that no client writes. They are hosts and origins that read like this server's, and bodies that
//! are to take memory or time.

use reqwest::Method;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{Client, Running, start, start_with, within_timeout};

/// Sends bytes, and reads what comes until the server ends the connection; the status of each answer.
async fn answers(s: &Running, request: &[u8]) -> Vec<u16> {
    let mut stream = TcpStream::connect(s.url.trim_start_matches("http://")).await.unwrap();
    // The server may have refused it before all of it came.
    let _ = stream.write_all(request).await;
    let mut received = Vec::new();
    let _ = within_timeout("the end", stream.read_to_end(&mut received)).await;
    let text = String::from_utf8_lossy(&received).into_owned();
    text.match_indices("HTTP/1.1 ").map(|(at, head)| text[at + head.len()..][..3].parse().unwrap()).collect()
}

/// A request that posts a message, to be hidden in another one.
fn hidden(token: &str) -> String {
    let body = json!({"to": "alice", "body": "smuggled"}).to_string();
    format!(
        "POST /api/v1/messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[tokio::test]
async fn no_request_is_hidden_in_another_one() {
    let s = start().await;
    let alice = s.user("alice").await;
    let hidden = hidden(&alice.token);
    let length = hidden.len();
    // Lines of a head that leave open where its body ends, or what they say.
    let heads = [
        format!("Content-Length: 0\r\nContent-Length: {length}"),
        format!("Content-Length: {length}\r\nContent-Length: 0"),
        format!("Content-Length: 0, {length}"),
        "Content-Length: +0".to_owned(),
        "Content-Length: -0".to_owned(),
        "Content-Length: -1".to_owned(),
        "Content-Length: 0x0".to_owned(),
        "Content-Length: 0.0".to_owned(),
        "Content-Length: 0 0".to_owned(),
        "Content-Length: zero".to_owned(),
        "Content-Length: ".to_owned(),
        "Content-Length: 99999999999999999999999999".to_owned(),
        "Content-Length: 18446744073709551616".to_owned(),
        "Content-Length : 0".to_owned(),
        "Content Length: 0".to_owned(),
        "Transfer-Encoding: xchunked".to_owned(),
        "Transfer-Encoding: identity".to_owned(),
        "Transfer-Encoding: chunked, identity".to_owned(),
        "Transfer-Encoding: \"chunked\"".to_owned(),
        "Transfer-Encoding:\u{b}chunked".to_owned(),
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip".to_owned(),
        "Transfer-Encoding : chunked".to_owned(),
        "X: a\r\n Transfer-Encoding: chunked".to_owned(),
        "X: a\0b".to_owned(),
        "X: a\rContent-Length: 0".to_owned(),
        "nonsense".to_owned(),
        ": nothing".to_owned(),
    ];
    for head in heads {
        let request = format!(
            "POST /api/v1/views/announcements/all HTTP/1.1\r\nHost: localhost\r\n{head}\r\n\r\n{hidden}"
        );
        let got = answers(&s, request.as_bytes()).await;
        assert!(got.iter().all(|status| *status == 400) && got.len() <= 1, "{head:?}: {got:?}");
    }
    // Of both the chunks count, and nothing after them is read.
    let both = format!(
        "POST /api/v1/nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\nTransfer-Encoding: chunked\r\n\r\n\
         0\r\n\r\n{hidden}",
        length + 5
    );
    assert_eq!(answers(&s, both.as_bytes()).await, [404]);
    let old = format!(
        "POST /api/v1/nowhere HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"
    );
    assert!(answers(&s, old.as_bytes()).await.iter().all(|status| *status == 400));
    let whole = format!(
        "POST /api/v1/nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{hidden}"
    );
    assert_eq!(answers(&s, whole.as_bytes()).await, [404], "what is a body stays one");
    assert_eq!(alice.inbox().await, Vec::<serde_json::Value>::new(), "nothing that was hidden was done");
    s.holds_together().await;
}

#[tokio::test]
async fn what_no_client_writes_is_refused_and_the_server_goes_on() {
    let s = start_with(|c| c.body_part_timeout = std::time::Duration::from_millis(300)).await;
    let alice = s.user("alice").await;
    let head = |line: &str, more: &str| {
        format!("{line}\r\nHost: localhost\r\nConnection: close\r\n{more}\r\n").into_bytes()
    };
    let get = "GET /api/v1/health HTTP/1.1";
    let heads = [
        b"\0\0\0\0\r\n\r\n".to_vec(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        b"EHLO localhost\r\nMAIL FROM:<a@b>\r\n\r\n".to_vec(),
        b"GET /api/v1/health\r\n\r\n".to_vec(),
        b"GET /api/v1/health HTTP/1.1\r\nConnection: close\r\n\r\n".to_vec(),
        head("GET /api/v1/health HTTP/3.7", ""),
        head("GE T /api/v1/health HTTP/1.1", ""),
        head("GET /api/v1/hea lth HTTP/1.1", ""),
        head("GET /api/v1/hea\0lth HTTP/1.1", ""),
        head("GET \\api\\v1\\health HTTP/1.1", ""),
        head("CONNECT localhost:22 HTTP/1.1", ""),
        head("TRACE /api/v1/health HTTP/1.1", ""),
        head("BREW /api/v1/health HTTP/1.1", ""),
        head("GET http://evil.example/api/v1/health HTTP/1.1", ""),
        head("GET //evil.example/%2e%2e/%2e%2e/etc/passwd HTTP/1.1", ""),
        head("GET /docs/../../../../etc/passwd HTTP/1.1", ""),
        head("GET /file/..%2f..%2fserver.db HTTP/1.1", ""),
        head(get, &"X: y\r\n".repeat(150)),
        head(get, &format!("X: {}\r\n", "y".repeat(200 * 1024))),
        head(get, &format!("{}: y\r\n", "x".repeat(200 * 1024))),
        head(&format!("GET /{} HTTP/1.1", "a".repeat(200 * 1024)), ""),
        head(&format!("{} /api/v1/health HTTP/1.1", "A".repeat(200 * 1024)), ""),
    ];
    for request in heads {
        let shown = String::from_utf8_lossy(&request[..request.len().min(80)]).into_owned();
        let got = answers(&s, &request).await;
        assert!(got.iter().all(|status| (400..500).contains(status)) && got.len() <= 1, "{shown:?}: {got:?}");
    }
    let chunks = [
        "x\r\n".to_owned(),
        "-1\r\na\r\n0\r\n\r\n".to_owned(),
        "0x1\r\na\r\n0\r\n\r\n".to_owned(),
        "1 1\r\na\r\n0\r\n\r\n".to_owned(),
        "ffffffffffffffff\r\na\r\n0\r\n\r\n".to_owned(),
        "fffffffffffffffff\r\na\r\n0\r\n\r\n".to_owned(),
        "1\r\nab\r\n0\r\n\r\n".to_owned(),
        "1\na\n0\n\n".to_owned(),
        format!("1;{}\r\na\r\n0\r\n\r\n", "x".repeat(200 * 1024)),
        format!("{}\r\n\r\n", "0".repeat(200 * 1024)),
        format!("0\r\n{}\r\n", "X: y\r\n".repeat(50_000)),
        "1\r\na".to_owned(),
    ];
    for chunk in chunks {
        let shown: String = chunk.chars().take(60).collect();
        let head = format!(
            "POST /api/v1/messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
             Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n",
            alice.token
        );
        let got = answers(&s, format!("{head}{chunk}").as_bytes()).await;
        assert!(got.iter().all(|status| (400..500).contains(status)) && got.len() <= 1, "{shown:?}: {got:?}");
    }
    alice.get("health").await.is(200);
    s.holds_together().await;
}

#[tokio::test]
async fn hosts_and_origins_that_read_like_this_servers_are_not_its_own() {
    let s = start_with(|c| c.open_publish = true).await;
    let ask = |lines: String| {
        let request =
            format!("PUT /topic HTTP/1.1\r\n{lines}\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx");
        let s = &s;
        async move { answers(s, request.as_bytes()).await }
    };
    for host in [
        "localhost@evil.example",
        "localhost:80@evil.example",
        "localhost.evil.example",
        "evil.example#localhost",
        "evil.example/localhost",
        "localhost,evil.example",
        "localhost evil.example",
        "localhost\\evil.example",
        "localhost%00.evil.example",
        "localhost.",
        "[::1].evil.example",
        "[::1@evil.example",
        "[::2]",
        "::1evil",
        "127.0.0.1.evil.example",
        "127.1",
        "0x7f.0.0.1",
        "2130706433",
        "localhost:port",
        "localhost:80:80",
        "l\u{f6}calhost",
    ] {
        let got = ask(format!("Host: {host}")).await;
        assert!(got == [421] || got == [400], "{host:?}: {got:?}");
    }
    let own = s.url.trim_start_matches("http://");
    for origin in [
        "null".to_owned(),
        String::new(),
        format!("http://{own}@evil.example"),
        format!("http://{own}.evil.example"),
        format!("http://evil.example/{own}"),
        format!("http://evil.example#{own}"),
        format!("ftp://{own}"),
        format!("HTTP://evil.example, http://{own}"),
        format!("http://{own} http://evil.example"),
        format!("http://{own}\r\nOrigin: http://evil.example"),
        format!("http://evil.example\r\nOrigin: http://{own}"),
        format!("http://{own}\r\nSec-Fetch-Site: cross-site"),
        format!("http://{own}\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Site: same-site"),
        format!("http://{own}\r\nSec-Fetch-Site: same-origin, none"),
    ] {
        let got = ask(format!("Host: {own}\r\nOrigin: {origin}")).await;
        assert!(got == [403] || got == [400], "{origin:?}: {got:?}");
    }
    assert_eq!(ask(format!("Host: {own}\r\nOrigin: http://{own}")).await, [200]);
}

/// 10 MiB of zeros in 64 KiB.
fn gzip_bomb() -> Vec<u8> {
    // A fixed block: a zero, and then 258 zeros as before in each 13 bits.
    let mut bits: Vec<bool> = vec![true, true, false];
    bits.extend([false, false, true, true, false, false, false, false]);
    for _ in 0..40_000 {
        bits.extend([true, true, false, false, false, true, false, true]);
        bits.extend([false; 5]);
    }
    bits.extend([false; 7]);
    let packed =
        bits.chunks(8).map(|byte| byte.iter().enumerate().map(|(n, bit)| u8::from(*bit) << n).sum::<u8>());
    let head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    head.into_iter().chain(packed).chain([0; 8]).collect()
}

fn bombs() -> Vec<(&'static str, Vec<u8>)> {
    const MIB: usize = 1024 * 1024;
    let keys = |count: usize, name: &dyn Fn(usize) -> String| {
        let members: Vec<String> = (0..count).map(|n| format!("{:?}:0", name(n))).collect();
        format!("{{{}}}", members.join(",")).into_bytes()
    };
    let text = |text: String| {
        format!("{{\"to\":\"alice\",\"message\":\"m\",\"topic\":\"t\",\"body\":{text}}}").into_bytes()
    };
    vec![
        ("arrays without an end", vec![b'['; 8 * MIB - 1]),
        ("objects in objects", b"{\"a\":".repeat(MIB)),
        ("arrays in arrays", [b"[".repeat(2 * MIB), b"]".repeat(2 * MIB)].concat()),
        ("a number of a million digits", text("9".repeat(MIB))),
        ("a fraction of a million digits", text(format!("0.{}", "3".repeat(MIB)))),
        ("an exponent of a million digits", text(format!("1e{}", "9".repeat(MIB)))),
        ("50,000 names", keys(50_000, &|n| format!("k{n}"))),
        ("one name 50,000 times", keys(50_000, &|_| "body".to_owned())),
        ("a name of 4 MiB", keys(1, &|_| "k".repeat(4 * MIB))),
        ("a text of escapes", text(format!("\"{}\"", "\\u0041".repeat(MIB)))),
        ("a text of NUL", text(format!("\"{}\"", "\\u0000".repeat(100)))),
        ("half of a pair", text("\"\\ud83d\"".to_owned())),
        ("a text that is no UTF-8", [b"{\"body\":\"".to_vec(), vec![0xff; MIB], b"\"}".to_vec()].concat()),
        ("a name that is no UTF-8", b"{\"\xff\xfe\":1}".to_vec()),
        ("8 MiB of spaces", vec![b' '; 8 * MIB]),
        ("zeros packed by gzip", gzip_bomb()),
        ("9 MiB", vec![b'x'; 9 * MIB]),
    ]
}

#[tokio::test]
async fn a_body_that_is_to_take_memory_or_time_gets_an_answer_and_nothing_more() {
    let s = start_with(|c| {
        c.open_publish = true;
        c.memory_timeout = std::time::Duration::from_secs(600);
    })
    .await;
    let alice = s.user("alice").await;
    let doors = [
        (Method::POST, "/api/v1/messages"),
        (Method::POST, "/api/v1/inbox/ops"),
        (Method::POST, "/api/v1/reminders"),
        (Method::PATCH, "/api/v1/preferences"),
        (Method::PUT, "/"),
        (Method::POST, "/message"),
    ];
    for (name, bomb) in bombs() {
        for (method, door) in &doors {
            let request = alice.request(method.clone(), door).header("content-type", "application/json");
            let encoding = if bomb.starts_with(&[0x1f, 0x8b]) { "gzip" } else { "identity" };
            let got = alice.send(request.header("content-encoding", encoding).body(bomb.clone())).await;
            let status = got.status.as_u16();
            assert!((200..500).contains(&status), "{name} at {door}: {status} {}", got.body);
        }
        Client::without_token(&s.url).get("health").await.is(200);
    }
    s.holds_together().await;
}
