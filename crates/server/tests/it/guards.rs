//! Tests of host and origin checks, and of rate limits.

use reqwest::Method;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{Client, start, start_with, within_timeout};

/// Sends the bytes of a request and returns the whole response.
async fn raw_request(url: &str, text: &str) -> String {
    let mut stream = tokio::net::TcpStream::connect(url.strip_prefix("http://").unwrap()).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut out = Vec::new();
    let read = stream.read_to_end(&mut out);
    within_timeout("the answer", read).await.unwrap();
    String::from_utf8_lossy(&out).into_owned()
}

#[tokio::test]
async fn names_that_are_not_the_servers_are_refused_before_anything_else() {
    let s = start_with(|c| c.allow_hosts = vec!["inbox.example".into()]).await;
    let alice = s.user("alice").await;
    let port = s.url.rsplit_once(':').unwrap().1.to_owned();
    for host in ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "10.0.0.1", ""] {
        let got = alice.send(alice.request(Method::GET, "health").header("host", host)).await;
        got.problem(421, "misdirected", None);
    }
    for host in [
        "localhost",
        &format!("LOCALHOST:{port}"),
        "[::1]:1",
        "127.0.0.5",
        "inbox.example",
        "inbox.example:443",
    ] {
        alice.send(alice.request(Method::GET, "health").header("host", host)).await.is(200);
    }
    let two = raw_request(
        &s.url,
        "GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    )
    .await;
    assert!(two.starts_with("HTTP/1.1 421"), "{two}");
    let absolute = raw_request(
        &s.url,
        "GET http://evil.example/api/v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    )
    .await;
    assert!(absolute.starts_with("HTTP/1.1 421"), "{absolute}");
}

#[tokio::test]
async fn pages_of_other_origins_are_refused_before_anything_else() {
    let s = start_with(|c| c.open_publish = true).await;
    let nobody = Client::without_token(&s.url);
    for origin in ["null", "http://evil.example", "http://127.0.0.1:1", "file://"] {
        for path in ["/topic", "/", "/api/v1/messages", "/nowhere/at/all"] {
            let request = nobody.request(Method::POST, path).header("origin", origin).body("x");
            nobody.send(request).await.problem(403, "forbidden", None);
        }
    }
    for site in ["cross-site", "same-site", "odd"] {
        let request = nobody.request(Method::GET, "health").header("sec-fetch-site", site);
        nobody.send(request).await.problem(403, "forbidden", None);
    }
    let own = nobody
        .request(Method::GET, "health")
        .header("origin", &s.url)
        .header("sec-fetch-site", "same-origin");
    nobody.send(own).await.is(200);
}

#[tokio::test]
async fn a_page_of_an_allowed_origin_may_ask_with_a_token_and_any_other_may_not() {
    const PAGE: &str = "https://ntfy.example";
    let s = start_with(|c| {
        c.open_publish = true;
        c.allow_origins = vec![PAGE.parse().unwrap()];
    })
    .await;
    let (reader, publisher) = (s.user("alice").await, s.publisher().await);
    let nobody = Client::without_token(&s.url);
    let preflight = |origin: &str| {
        let request = nobody.request(Method::OPTIONS, "/alerts/json").header("origin", origin);
        request
            .header("access-control-request-method", "GET")
            .header("access-control-request-headers", "authorization")
            .header("access-control-request-private-network", "true")
            .header("sec-fetch-site", "cross-site")
    };
    let allowed = nobody.send(preflight(PAGE)).await;
    assert_eq!(allowed.status, 200);
    for (name, value) in [
        ("access-control-allow-origin", PAGE),
        ("access-control-allow-methods", "GET"),
        ("access-control-allow-headers", "authorization"),
        ("access-control-allow-private-network", "true"),
    ] {
        assert_eq!(allowed.headers[name], value, "{name}");
    }
    for foreign in ["https://ntfy.example:8443", "http://ntfy.example", "https://ntfy.example.evil"] {
        nobody.send(preflight(foreign)).await.problem(403, "forbidden", None);
    }

    let from_page = |client: &Client, method, path: &str| {
        client.request(method, path).header("origin", PAGE).header("sec-fetch-site", "cross-site")
    };
    let published = publisher.send(from_page(&publisher, Method::POST, "/alerts").body("x")).await;
    let read = reader.send(from_page(&reader, Method::GET, "/alerts/json?poll=1")).await;
    for answer in [published, read] {
        assert_eq!(answer.headers["access-control-allow-origin"], PAGE);
        answer.is(200);
    }
    let tokenless = nobody.send(from_page(&nobody, Method::POST, "/alerts").body("x")).await;
    assert_eq!(tokenless.status, 403, "a page is no program of this machine");
    let also_foreign = from_page(&reader, Method::GET, "me").header("origin", "https://evil.example");
    reader.send(also_foreign).await.problem(403, "forbidden", None);
}

#[tokio::test]
async fn a_client_that_sends_nothing_is_let_go_and_holds_up_nobody() {
    let s = start().await;
    let idle: Vec<_> = futures_util::future::join_all(
        (0..50).map(|_| tokio::net::TcpStream::connect(s.url.strip_prefix("http://").unwrap().to_owned())),
    )
    .await;
    let alice = s.user("alice").await;
    alice.get("health").await.is(200);
    drop(idle);
    let nonsense_answer = raw_request(&s.url, "NONSENSE\r\n\r\n").await;
    assert!(nonsense_answer.starts_with("HTTP/1.1 400"), "{nonsense_answer}");
    s.stop().await;
}

#[tokio::test]
async fn too_many_requests_are_told_to_wait() {
    let s = start_with(|c| {
        c.rate = Some(tidings_server::RateLimit { burst: 20, per_second: 1 });
        c.rate_local = true;
    })
    .await;
    let client = Client::without_token(&s.url);
    let answers = futures_util::future::join_all((0..40).map(|_| client.get("health"))).await;
    assert!(answers.iter().any(|g| g.status == 200));
    let refused = answers.into_iter().find(|g| g.status == 429).expect("one is refused");
    assert!(refused.headers.contains_key("retry-after"));
    refused.problem(429, "rate_limited", None);
}

#[tokio::test]
async fn who_speaks_ntfy_or_gotify_is_told_to_wait_in_its_own_form() {
    let s = start_with(|c| {
        c.rate = Some(tidings_server::RateLimit { burst: 1, per_second: 1 });
        c.rate_local = true;
    })
    .await;
    let client = Client::without_token(&s.url);
    for (path, member, code) in [
        ("/t", "code", 42901),
        ("/v1/account", "code", 42901),
        ("/message", "errorCode", 429),
        ("/current/user", "errorCode", 429),
    ] {
        let answers = futures_util::future::join_all((0..10).map(|_| client.get(path))).await;
        let refused = answers.into_iter().find(|g| g.status == 429).expect("one is refused");
        assert_eq!(refused.headers["content-type"], "application/json", "{path}");
        assert!(refused.headers.contains_key("retry-after"), "{path}");
        assert_eq!(refused.is(429)[member], code, "{path}");
    }
}

#[tokio::test]
async fn a_token_has_its_share_wherever_it_asks_from() {
    let s = start_with(|c| {
        c.rate = Some(tidings_server::RateLimit { burst: 20, per_second: 1 });
        c.rate_local = true;
    })
    .await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    let from = |client: &Client, address: &str| client.from_address(address.parse().unwrap());
    let mut refused = 0;
    for address in ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5"] {
        let alice = from(&alice, address);
        for _ in 0..10 {
            let got = alice.get("me").await;
            if got.status == 429 {
                got.problem(429, "rate_limited", None);
                refused += 1;
            }
        }
    }
    assert!((10..=20).contains(&refused), "none of the addresses asked too often, the token did: {refused}");
    from(&bob, "127.0.0.5").get("me").await.is(200);
}
