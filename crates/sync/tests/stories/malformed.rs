//! Stories of items that can't be read: the others are taken, the source names the one, and the pull goes on.

use serde_json::{Value, json};
use tidings_model::Stamp;
use tidings_net::http;
use tidings_replica::{Replica, SourceId};
use tidings_testkit::services::{Forgejo, GitHub, GitLab, Gotify, Mastodon, Ntfy, ScriptedService};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::service_inbox::ServiceInbox;
use crate::support::{Inbox, answer, item, ok, server, stamp};

/// The msgids of the items that could not be read.
fn malformed(replica: &Replica, source: SourceId) -> Vec<String> {
    let skipped = replica.skipped_since(source, Stamp::ZERO).unwrap();
    assert!(skipped.iter().all(|one| one.malformed), "{skipped:?}");
    skipped.into_iter().map(|one| one.msgid.0).collect()
}

/// Serves a page of changes, of which the items with these numbers are replaced.
async fn serve_odd(server: &MockServer, odd: Vec<(i64, Value)>) {
    let items: Vec<Value> = (1..=5)
        .map(|n| odd.iter().find(|(at, _)| *at == n).map_or_else(|| item(n), |(_, odd)| odd.clone()))
        .collect();
    let page = json!({"items": items, "marks": [], "next": stamp(5), "more": false, "epoch": "e1"});
    answer(server, "sync", ok(page)).await;
}

#[tokio::test]
async fn an_item_of_a_tidings_server_that_cannot_be_read_is_passed_by_and_named() {
    let server = server().await;
    let mut kind = item(2);
    kind["kind"] = json!("rumour");
    let mut deep = json!(1);
    (0..100).for_each(|_| deep = json!([deep]));
    let mut nested = item(4);
    nested["data"] = json!({"a": deep, "msgid": "not this"});
    nested["stamp"] = json!(7);
    serve_odd(&server, vec![(2, kind), (3, json!("no object")), (4, nested)]).await;
    let inbox = Inbox::of(&server.uri());
    assert_eq!(inbox.pull().await.unwrap().arrived, 2);
    assert_eq!(inbox.cursor(), Some(stamp(5)), "the pull went on");
    let mut named = malformed(&inbox.replica, inbox.source);
    named.sort();
    assert_eq!(named, ["", "m2", "m4"]);
    let row = inbox.replica.source(inbox.source).unwrap();
    assert_eq!((row.malformed, row.skipped), (3, 0));
    assert_eq!(row.malformed_msgids, ["m2", "m4"]);
    inbox.assert_consistent();
}

#[tokio::test]
async fn one_that_is_nested_too_deep_or_no_utf_8_costs_no_other_item() {
    let server = server().await;
    let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
    let page = json!({"items": [item(1), item(2), item(3)], "marks": [], "next": stamp(3), "more": false, "epoch": "e1"});
    let text = page.to_string();
    let text = text.replace(r#""id":"bob""#, r#""id":"b?b""#);
    let nested = text.replacen(r#""msgid":"m2""#, &format!(r#""msgid":"m2","data":{{"a":{deep}}}"#), 1);
    let mut bytes = nested.into_bytes();
    for byte in &mut bytes {
        if *byte == b'?' {
            *byte = 0xff;
        }
    }
    answer(&server, "sync", ResponseTemplate::new(200).set_body_raw(bytes, "application/json")).await;
    let inbox = Inbox::of(&server.uri());
    assert_eq!(inbox.pull().await.unwrap().arrived, 2);
    assert_eq!(malformed(&inbox.replica, inbox.source), ["m2"]);
}

#[tokio::test]
async fn the_name_of_one_that_cannot_be_read_has_64_characters_at_most_and_goes_when_it_can_be_read() {
    let server = server().await;
    let mut long = item(1);
    long["msgid"] = json!("é".repeat(5_000));
    long["kind"] = json!(5);
    let mut later = item(3);
    later["version"] = json!("one");
    let page =
        json!({"items": [long, item(2), later], "marks": [], "next": stamp(3), "more": false, "epoch": "e1"});
    crate::support::answer_once(&server, "sync", ok(page)).await;
    let inbox = Inbox::of(&server.uri());
    inbox.pull().await.unwrap();
    let mut named = malformed(&inbox.replica, inbox.source);
    named.sort();
    assert_eq!(named, ["m3".to_owned(), "é".repeat(64)]);
    answer(
        &server,
        "sync",
        ok(json!({"items": [item(3)], "marks": [], "next": stamp(4), "more": false, "epoch": "e1"})),
    )
    .await;
    assert_eq!(inbox.pull().await.unwrap().arrived, 1);
    assert_eq!(malformed(&inbox.replica, inbox.source), ["é".repeat(64)]);
}

/// Passes the requests for a list on to a service, and replaces one of its elements.
async fn with_odd_element(
    service: &dyn ScriptedService,
    list: &'static str,
    odd: impl Fn(&mut Value) + Send + Sync + 'static,
) -> MockServer {
    let base: url::Url = service.url().parse().unwrap();
    let http = http::client_for(&base).unwrap();
    let origin = base.origin().ascii_serialization();
    let server = MockServer::start().await;
    let pass_on = move |request: &Request| {
        let mut asked = http.request(
            request.method.clone(),
            format!("{origin}{}?{}", request.url.path(), request.url.query().unwrap_or_default()),
        );
        for (name, value) in &request.headers {
            if name != "host" {
                asked = asked.header(name, value);
            }
        }
        let answer = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let answer = asked.send().await.unwrap();
                (answer.status(), answer.headers().clone(), answer.bytes().await.unwrap())
            })
        });
        let (status, headers, body) = answer.join().unwrap();
        let mut body = body.to_vec();
        if request.url.path().ends_with(list)
            && let Ok(mut value) = serde_json::from_slice::<Value>(&body)
        {
            odd(&mut value);
            body = value.to_string().into_bytes();
        }
        let mut template = ResponseTemplate::new(status.as_u16()).set_body_bytes(body);
        for name in ["link", "x-total-count", "x-next-page", "content-type"] {
            if let Some(value) = headers.get(name) {
                template = template.insert_header(name, value.to_str().unwrap());
            }
        }
        template
    };
    Mock::given(any()).respond_with(pass_on).mount(&server).await;
    server
}

/// Pulls five items of a service of which one can't be read, and more that come later.
async fn one_of_five(
    service: &dyn ScriptedService,
    list: &'static str,
    elements: fn(&mut Value) -> &mut Value,
) {
    (0..5).for_each(|n| service.publish(n));
    let odd = with_odd_element(service, list, move |answer| {
        for element in elements(answer).as_array_mut().into_iter().flatten() {
            if element.to_string().contains("item 2") {
                *element = json!({"id": {"no": "id"}, "msgid": "odd one", "time": "yesterday"});
            }
        }
    })
    .await;
    let inbox = ServiceInbox::of(service);
    inbox.move_to(
        service
            .url()
            .replace(&service.url().parse::<url::Url>().unwrap().origin().ascii_serialization(), &odd.uri()),
    );
    for _ in 0..3 {
        inbox.pull().await.unwrap();
        assert_eq!(inbox.items().len(), 4, "the others are here");
        assert_eq!(malformed(&inbox.replica, inbox.source), ["odd one"], "it is named once");
    }
    (5..8).for_each(|n| service.publish(n));
    inbox.pull().await.unwrap();
    assert_eq!(inbox.items().len(), 7, "the pull goes on");
    inbox.assert_consistent();
}

#[tokio::test]
async fn a_message_of_gotify_that_cannot_be_read_is_passed_by() {
    one_of_five(&Gotify::start().await, "/message", |answer| &mut answer["messages"]).await;
}

#[tokio::test]
async fn a_notification_of_mastodon_that_cannot_be_read_is_passed_by() {
    one_of_five(&Mastodon::start().await, "/notifications", |answer| answer).await;
}

#[tokio::test]
async fn a_thread_of_github_that_cannot_be_read_is_passed_by() {
    one_of_five(&GitHub::start().await, "/notifications", |answer| answer).await;
}

#[tokio::test]
async fn a_thread_of_forgejo_that_cannot_be_read_is_passed_by() {
    one_of_five(&Forgejo::start().await, "/notifications", |answer| answer).await;
}

#[tokio::test]
async fn a_to_do_of_gitlab_that_cannot_be_read_is_passed_by() {
    one_of_five(&GitLab::start().await, "/todos", |answer| answer).await;
}

#[tokio::test]
async fn a_line_of_ntfy_that_cannot_be_read_is_passed_by() {
    let ntfy = Ntfy::start().await;
    (0..2).for_each(|n| ntfy.publish(n));
    ntfy.store(json!({"id": 5, "time": 0, "message": "odd"}));
    ntfy.publish(2);
    let inbox = ServiceInbox::of(&ntfy);
    for _ in 0..3 {
        inbox.pull().await.unwrap();
        assert_eq!((inbox.items().len(), malformed(&inbox.replica, inbox.source)), (3, vec!["5".to_owned()]));
    }
}
