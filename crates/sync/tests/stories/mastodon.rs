//! Stories of Mastodon: how notifications are grouped, and how one learns of them.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::json;
use tidings_model::{Format, Lang, MsgId, SystemClock, template};
use tidings_net::Error as NetError;
use tidings_replica::Mark;
use tidings_sources::{Hint, Since};
use tidings_sync::{Error, pull_once};
use tidings_testkit::scripted::{ScriptedServer, response};
use tidings_testkit::services::mastodon::{account, me, status};
use tidings_testkit::services::{Fault, Mastodon, ScriptedService};
use tidings_testkit::wait::within_timeout;
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::support::ServiceInbox;

fn inbox_of(server: &Mastodon) -> ServiceInbox {
    ServiceInbox::of("mastodon", &server.url(), &server.token())
}

#[tokio::test]
async fn favourites_of_one_post_are_one_thread_that_reads_in_both_languages() {
    let server = Mastodon::start().await;
    let post =
        json!({ "status": status("77", &me(), "<p>Rust &amp; <a href=\"https://x.example/\">co</a></p>") });
    for actor in ["bo", "cy", "dee"] {
        server.notify("favourite", actor, post.clone());
    }
    server.notify("reblog", "bo", post.clone());
    let inbox = inbox_of(&server);
    assert_eq!(inbox.pull().await.unwrap().arrived, 4);
    let thread = inbox.replica.thread_by_key(inbox.source, "post:77#favourite").unwrap().unwrap();
    assert_eq!((thread.actor_count, thread.unread), (3, 3));
    let target = thread.preview.target.unwrap();
    assert_eq!((target.title.as_deref(), target.owner.as_deref()), (Some("Rust & co"), Some("1")));
    assert_eq!(
        target.owner,
        inbox.replica.source(inbox.source).unwrap().user,
        "the post is the reader's own"
    );
    let catalog = inbox.replica.catalog(inbox.source).unwrap().unwrap();
    let names: Vec<&str> = thread.actors.iter().map(|actor| actor.name.as_str()).collect();
    let values = template::Values {
        actors: &names,
        actor_count: 3,
        target: "Rust & co",
        target_type: "",
        title: "",
        data: &serde_json::Map::new(),
    };
    let read = |lang: Lang| {
        template::render(lang, &catalog.actions["favourite"].template[lang.tag()], &values).text()
    };
    assert_eq!(read(Lang::En), "dee :verified:, cy :verified: and 1 other favourited Rust & co");
    assert_eq!(read(Lang::ZhCn), "dee :verified:、cy :verified:等 3 人喜欢了“Rust & co”");
    assert!(inbox.replica.thread_by_key(inbox.source, "post:77#reblog").unwrap().is_some());
}

#[tokio::test]
async fn a_mention_has_its_text_and_its_warning_first() {
    let server = Mastodon::start().await;
    let mut post = status(
        "5",
        &account("bo"),
        "<p>It was <b>him</b></p><p><a href=\"https://m.example/@ana\">@ana</a></p>",
    );
    post["spoiler_text"] = json!("Film, the end");
    post["visibility"] = json!("direct");
    post["media_attachments"] = json!([{"type": "image", "url": "https://files.example/a.png", "description": "A *door*"}, {"type": "image", "url": "https://files.example/b.png"}]);
    let id = server.notify("mention", "bo", json!({ "status": post }));
    let inbox = inbox_of(&server);
    inbox.pull().await.unwrap();
    let item = inbox.item();
    assert_eq!((item.msgid.as_str(), item.thread.as_str()), (id.as_str(), "post:5#mention"));
    assert_eq!(item.content.title, "Film, the end");
    assert_eq!(item.target.unwrap().title.as_deref(), Some("Film, the end"));
    let body = "It was **him**\n\n[@ana](https://m.example/@ana)\n\n![](https://files.example/b.png)";
    assert_eq!((item.content.body.as_str(), item.content.format), (body, Format::Markdown));
    assert_eq!(
        (&item.content.data["sensitive"], &item.content.data["visibility"]),
        (&json!(true), &json!("direct"))
    );
    assert_eq!(item.content.attachment.unwrap().name, "A *door*");
    assert_eq!(item.content.icon.as_deref(), Some("https://remote.example/a.png"));
}

#[tokio::test]
async fn follows_of_a_day_are_told_together_and_a_poll_tells_its_result() {
    let server = Mastodon::start().await;
    server.notify("follow", "bo", json!({}));
    server.notify("follow", "cy", json!({}));
    let mut post = status("6", &account("dee"), "<p>Tabs?</p>");
    post["poll"] = json!({"id": "1", "options": [{"title": "Yes & *no*", "votes_count": 3}, {"title": "No", "votes_count": 1}]});
    server.notify("poll", "dee", json!({ "status": post }));
    server.notify("something.new", "bo", json!({ "status": {"id": 7} }));
    let inbox = inbox_of(&server);
    assert_eq!(inbox.pull().await.unwrap().arrived, 4);
    let [other, poll, cy, bo] = inbox.items().try_into().unwrap();
    assert_eq!((bo.thread.as_str(), &cy.thread), ("account:1#follow@2026-09-21", &bo.thread));
    assert_eq!(bo.content.body, "I am **bo**");
    assert_eq!(poll.content.body, "Tabs?\n\n- Yes \\& \\*no\\*: 75 %\n- No: 25 %");
    assert_eq!(other.action.as_deref(), Some("notification"), "what is not known is told as it is");
}

#[tokio::test]
async fn the_newest_come_in_one_round_trip_and_the_rest_behind_them() {
    let server = Mastodon::start().await;
    (0..300).for_each(|n| server.publish(n));
    let inbox = inbox_of(&server);
    let client = inbox.client();
    let first = client.page(Since::default(), 1_000).await.unwrap().page;
    assert_eq!((first.service_items.len(), first.more), (80, true));
    assert_eq!(first.service_items.last().unwrap().msgid.as_str(), server.msgid(299));
    // The first page is stored, and the second one fails.
    server.faults().plan(2, Fault::Reset);
    assert!(inbox.pull().await.is_err());
    assert_eq!(inbox.items().len(), 80);
    // What comes meanwhile comes with the same pull that fills the gap.
    (300..310).for_each(|n| server.publish(n));
    inbox.pull().await.unwrap();
    assert_eq!(inbox.items().len(), 310);
    let before = server.requests().len();
    assert_eq!(inbox.pull().await.unwrap().fetched, 0);
    assert_eq!(server.requests().len() - before, 2, "the account, and a page that did not change");
}

#[tokio::test]
async fn what_was_deleted_here_or_dismissed_there_stays_as_it_is() {
    let server = Mastodon::start().await;
    (0..3).for_each(|n| server.publish(n));
    let inbox = inbox_of(&server);
    inbox.pull().await.unwrap();
    inbox.mark(&MsgId(server.msgid(1)), Mark::Delete);
    server.delete(0);
    server.publish(3);
    inbox.pull().await.unwrap();
    let ids: Vec<_> = inbox.items().into_iter().map(|item| item.msgid.0).collect();
    assert_eq!(ids, [3, 2, 0].map(|n| server.msgid(n)));
}

#[tokio::test]
async fn the_live_channel_tells_of_notifications_alone() {
    let server = Mastodon::start().await;
    let inbox = inbox_of(&server);
    for channel in ["/api/v1/streaming/user/notification", "/api/v1/streaming/user"] {
        server.set_channel(Some(channel));
        let mut live = inbox.client().listen().await.unwrap().unwrap();
        let next = tokio::spawn(async move { live.next().await });
        let publish = async {
            // The channel may not be open yet when its head is sent.
            let mut pause = tokio::time::interval(Duration::from_millis(50));
            loop {
                pause.tick().await;
                server.notify("follow", "bo", json!({}));
            }
        };
        let hint = within_timeout("a hint", async {
            tokio::select! {
                hint = next => hint.unwrap(),
                () = publish => None,
            }
        });
        assert!(matches!(hint.await, Some(Ok(Hint::Changed))), "{channel}");
    }
}

#[tokio::test]
async fn without_a_live_channel_there_is_the_timer_and_no_other_host_gets_the_token() {
    let server = Mastodon::start().await;
    server.set_channel(None);
    let inbox = inbox_of(&server);
    assert!(inbox.client().listen().await.unwrap().is_none());
    let other = ScriptedServer::start().await;
    let elsewhere = other.url();
    let asked = other.always(response("200 OK", "content-type: text/event-stream\r\n", ":)\n\n"));
    for _ in 0..2 {
        server.faults().plan(0, Fault::Redirect(format!("{elsewhere}/api/v1/streaming/user")));
    }
    assert!(inbox.client().listen().await.unwrap().is_none());
    server.faults().plan(0, Fault::CaptivePortal);
    assert!(inbox.client().listen().await.unwrap().is_none());
    assert!(asked.lock().unwrap().is_empty());
    server.faults().plan(0, Fault::Status(401, String::new()));
    assert!(matches!(inbox.client().listen().await, Err(NetError::SignIn)));
}

#[tokio::test]
async fn one_odd_answer_to_who_one_is_passes_and_no_sign_in_is_needed() {
    let server = Mastodon::start().await;
    server.publish(0);
    let inbox = inbox_of(&server);
    inbox.pull().await.unwrap();
    let user = inbox.replica.source(inbox.source).unwrap().user;
    server.publish(1);
    for odd in [r#"{"id":"x"}"#, r#"{"acct":"x"}"#, "{}"] {
        let other = MockServer::start().await;
        let json = |body: &str| ResponseTemplate::new(200).set_body_raw(body.to_owned(), "application/json");
        let who = Mock::given(path("/api/v1/accounts/verify_credentials"));
        who.respond_with(json(odd)).mount(&other).await;
        Mock::given(path("/api/v1/notifications")).respond_with(json("[]")).mount(&other).await;
        let row = inbox.replica.source(inbox.source).unwrap();
        let row = tidings_replica::Source { url: other.uri(), ..row };
        let client = tidings_sources::open(&row, server.token(), Arc::new(SystemClock)).unwrap();
        let error = pull_once(&inbox.replica, inbox.source, client).await.unwrap_err();
        assert!(
            matches!(error, Error::Net(NetError::Malformed)) && !error.needs_sign_in(),
            "{odd}: {error:?}"
        );
        assert_eq!(inbox.replica.source(inbox.source).unwrap().user, user, "{odd}");
    }
    assert_eq!(inbox.pull().await.unwrap().arrived, 1);
}

#[tokio::test]
async fn an_answer_that_is_no_list_of_notifications_moves_nothing() {
    let server = Mastodon::start().await;
    let inbox = inbox_of(&server);
    inbox.pull().await.unwrap();
    let before = inbox.replica.source(inbox.source).unwrap().cursor;
    for odd in [Fault::Garbage, Fault::CaptivePortal] {
        server.notify("follow", "bo", json!({}));
        server.faults().plan(0, odd.clone());
        server.faults().plan(0, odd);
        assert!(matches!(inbox.pull().await, Err(Error::Net(NetError::Malformed))));
    }
    let row = inbox.replica.source(inbox.source).unwrap();
    assert_eq!((row.cursor, inbox.items().len()), (before, 0));
}
