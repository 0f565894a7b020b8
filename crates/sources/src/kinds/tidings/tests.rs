//! Tests of what a server of the same kind answers, and of its address.

use tidings_model::SystemClock;
use tidings_testkit::scripted::{ScriptedServer, response};

use super::groups::quoted_names;
use super::*;

fn base(url: &str) -> Result<String> {
    Tidings::new(url, String::new(), Arc::new(SystemClock)).map(|t| t.base.to_string())
}

#[test]
fn a_server_names_whom_it_does_not_know_among_those_it_was_asked_for() {
    let sent = ["bo", "user", "chen.yu"].map(String::from);
    assert_eq!(quoted_names(&sent, "there is no user `bo`"), ["bo"]);
    assert_eq!(quoted_names(&sent, "“chen.yu” and “bo” are nobody"), ["bo", "chen.yu"]);
    assert!(quoted_names(&sent, "there is no such user, not even `bob`").is_empty());
}

#[test]
fn an_address_may_be_written_in_several_ways() {
    for url in
        ["http://a.example", "http://a.example/", "http://a.example/api/v1", "http://a.example/api/v1/"]
    {
        assert_eq!(base(url).unwrap(), "http://a.example/api/v1/", "{url}");
    }
    assert_eq!(base("https://b.example/tidings").unwrap(), "https://b.example/tidings/api/v1/");
    for url in ["a.example", "ftp://a.example", "", "http://"] {
        assert!(base(url).is_err(), "{url}");
    }
}

/// What an answer of these bytes is read as, without a task: no input is large enough for one.
fn at_once<T>(reading: impl Future<Output = T>) -> T {
    futures_util::FutureExt::now_or_never(reading).unwrap()
}

#[test]
fn whatever_a_page_of_a_pull_has_it_is_read_element_by_element_as_it_is_read_at_once() {
    tidings_testkit::fuzz::run("sync-page", 2_000, |input| {
        let body = bytes::Bytes::copy_from_slice(input);
        let whole = at_once(parse::<wire::SyncPage>(body.clone()));
        let by_element = at_once(read_elements(body));
        if let Ok((page, skipped)) = &by_element {
            assert!(page.items.len() + skipped.len() <= input.len());
        }
        if let Ok(whole) = whole {
            let (page, skipped) = by_element.unwrap();
            assert_eq!((page, skipped.len()), (whole.clone(), 0));
            let page: tidings_replica::Page = whole.into();
            assert!(page.items.len() <= input.len());
        }
    });
}

#[tokio::test]
async fn a_server_of_an_earlier_version_knows_no_people_and_that_is_no_error() {
    let server = ScriptedServer::start().await;
    let url = server.url();
    server.always(response("404 Not Found", "content-type: application/problem+json\r\n", "{}"));
    let source = Tidings::new(&url, "tdg_right".into(), Arc::new(SystemClock)).unwrap();
    assert_eq!(source.people("bo").await.unwrap(), None);
}

#[tokio::test]
async fn a_page_tells_where_its_source_is() {
    let server = ScriptedServer::start().await;
    let url = server.url();
    let page = r#"{"items":[],"marks":[],"next":"2026-11-20T06:00:00Z","more":false,"epoch":"e1"}"#;
    server.always(response("200 OK", "content-type: application/json\r\n", page));
    let source = Tidings::new(&url, "tdg_right".into(), Arc::new(SystemClock)).unwrap();
    source.page(Since::default(), 10).await.unwrap();
    let at = egress::recorded_address(&url.parse().unwrap());
    assert_eq!(at, Some(std::net::Ipv4Addr::LOCALHOST.into()));
}
