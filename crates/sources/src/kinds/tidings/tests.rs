//! Tests of what a server of the same kind answers, and of its address.

use tidings_model::SystemClock;
use tidings_net::egress;
use tidings_testkit::scripted::{ScriptedServer, response};

use super::groups::quoted_names;
use super::pages::{likely_next, read_elements};
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

#[tokio::test]
async fn the_page_that_follows_is_asked_for_before_one_is_parsed_and_only_if_it_is_wanted() {
    let server = ScriptedServer::start().await;
    let source = Tidings::new(&server.url(), "tdg_right".into(), Arc::new(SystemClock)).unwrap();
    let at = |hour: u8| format!("2026-11-20T0{hour}:00:00.000000Z");
    let page = |hour: u8, more: bool| {
        let next = at(hour);
        json!({ "items": [], "marks": [], "next": next, "more": more, "epoch": "e1" })
    };
    let answer = async |body: serde_json::Value| {
        let mut exchange = server.request().await;
        exchange.send_json(&body).await.unwrap();
        exchange.url().query_pairs().find(|(name, _)| name == "since").unwrap().1.into_owned()
    };
    let mut ahead = Ahead::default();
    let fetch = async |from: u8, wanted: bool, ahead: &mut Ahead| {
        ahead.want(wanted);
        let since = Since { cursor: Some(at(from)), epoch: Some("e1".into()) };
        source.page_ahead(since, 5, ahead).await.unwrap().page.next
    };

    let (first, asked) = tokio::join!(fetch(1, true, &mut ahead), answer(page(2, true)));
    assert_eq!((first, asked), (Some(at(2)), at(1)));
    assert_eq!(answer(page(3, true)).await, at(2), "nobody has called for it yet");
    assert_eq!(fetch(2, false, &mut ahead).await, Some(at(3)));
    server.assert_no_request().await;

    // Another page than the one that is on its way is asked for by itself.
    let (_, asked) = tokio::join!(fetch(3, true, &mut ahead), answer(page(4, true)));
    assert_eq!((asked, answer(page(5, true)).await), (at(3), at(4)));
    let (other, asked) = tokio::join!(fetch(6, true, &mut ahead), answer(page(7, false)));
    assert_eq!((other, asked), (Some(at(7)), at(6)));
    server.assert_no_request().await;
}

#[test]
fn where_the_next_page_begins_is_read_from_the_end_of_one() {
    let at = "2026-11-20T06:00:00.000000Z";
    let next = |body: String| likely_next(body.as_bytes());
    let more = format!(r#""next":"{at}","more":true,"epoch":"e"}}"#);
    assert_eq!(next(format!(r#"{{"items":[],{more}"#)).as_deref(), Some(at));
    assert_eq!(next(format!(r#"{{"items":["{}"],{more}"#, "世".repeat(1_000))).as_deref(), Some(at));
    assert_eq!(next(format!("{{{more}{}", " ".repeat(1_000))), None);
    assert_eq!(next(more.replace("true", "false")), None);
    assert_eq!(next(more.replace("2026", "x")), None);
}
