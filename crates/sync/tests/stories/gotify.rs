//! Tests of Gotify as a source: backwards to the known messages, live, and deleted there as here.

use serde_json::json;
use tidings_model::MsgId;
use tidings_net::Error as NetError;
use tidings_replica::{Mark, Targets};
use tidings_sources::Since;
use tidings_sync::{Error, SourceStatus};
use tidings_testkit::scripted::{ScriptedServer, response};
use tidings_testkit::services::{Fault, Gotify, ScriptedService};

use crate::service_inbox::{ServiceInbox, all_items};
use crate::support::{until, until_state};

/// The number of requests for messages.
fn pages(gotify: &Gotify) -> usize {
    gotify.requests().iter().filter(|request| request.starts_with("GET /gotify/message?")).count()
}

#[tokio::test]
async fn the_newest_page_comes_first_and_the_rest_behind_it() {
    let gotify = Gotify::start().await;
    (0..1_000).for_each(|n| gotify.publish(n));
    let inbox = ServiceInbox::of(&gotify);
    let client = inbox.client().unwrap();
    assert!(inbox.pull_page(&*client, 1_000).await.unwrap());
    assert_eq!(pages(&gotify), 1, "one round trip");
    let first = inbox.bodies();
    assert_eq!(first, all_items(1_000)[1_000 - first.len()..]);
    // Three messages share a time, which is not divided.
    assert!((197..=200).contains(&first.len()), "{}", first.len());
    // What is published while a walk is interrupted comes with the pull that finishes it.
    gotify.publish(1_000);
    inbox.pull().await.unwrap();
    assert_eq!((inbox.bodies(), inbox.unread()), (all_items(1_001), 1_001));
    let before = pages(&gotify);
    let again = inbox.pull().await.unwrap();
    assert_eq!((again.fetched, pages(&gotify) - before), (0, 1));
    inbox.assert_consistent();
}

#[tokio::test]
async fn a_pull_that_goes_on_with_an_interrupted_backlog_looks_at_the_newest_again() {
    let gotify = Gotify::start().await;
    (0..500).for_each(|n| gotify.publish(n));
    let inbox = ServiceInbox::of(&gotify);
    inbox.pull().await.unwrap();
    (500..1_200).for_each(|n| gotify.publish(n));
    let interrupted = inbox.client().unwrap();
    assert!(inbox.pull_page(&*interrupted, 200).await.unwrap());
    drop(interrupted);
    (1_200..1_900).for_each(|n| gotify.publish(n));
    inbox.pull().await.unwrap();
    assert_eq!((inbox.bodies(), inbox.unread()), (all_items(1_900), 1_900), "in one pull");
    let before = pages(&gotify);
    assert_eq!(inbox.pull().await.unwrap().fetched, 0);
    assert_eq!(pages(&gotify) - before, 1);
    inbox.assert_consistent();
}

#[tokio::test]
async fn a_long_absence_is_walked_back_to_what_is_known() {
    let gotify = Gotify::start().await;
    (0..300).for_each(|n| gotify.publish(n));
    let inbox = ServiceInbox::of(&gotify);
    inbox.pull().await.unwrap();
    (300..900).for_each(|n| gotify.publish(n));
    let before = pages(&gotify);
    assert_eq!(inbox.pull().await.unwrap().arrived, 600);
    assert!(pages(&gotify) - before <= 5, "it stops there");
    assert_eq!(inbox.bodies(), all_items(900));
    inbox.assert_consistent();
}

#[tokio::test]
async fn an_interrupted_walk_goes_on_where_it_was() {
    let gotify = Gotify::start().await;
    ServiceInbox::of(&gotify).survives_interruptions(&gotify, 200, 197).await;
}

#[tokio::test]
async fn a_number_that_becomes_visible_late_is_not_missed() {
    let gotify = Gotify::start().await;
    gotify.add(1, json!({"message": "one"}));
    gotify.add(3, json!({"message": "three"}));
    let inbox = ServiceInbox::of(&gotify);
    inbox.pull().await.unwrap();
    gotify.add(2, json!({"message": "two"}));
    inbox.pull().await.unwrap();
    assert_eq!(inbox.items().len(), 3);
    assert_eq!(inbox.pull().await.unwrap().fetched, 0);
}

#[tokio::test]
async fn applications_give_names_and_icons() {
    let gotify = Gotify::start().await;
    gotify.add_application(2, "Router", "static/defaultapp.png");
    gotify.publish(0);
    gotify.add(2, json!({"appid": 2, "message": "up", "title": "", "priority": 8}));
    let inbox = ServiceInbox::of(&gotify);
    inbox.pull().await.unwrap();
    let backup = inbox.item(&gotify.msgid(0)).notification;
    assert_eq!((backup.actor.name.as_str(), backup.thread.as_str()), ("Backup", "application:1#publish"));
    assert_eq!(backup.content.icon, Some(format!("{}/image/backup.png", gotify.url())));
    let router = inbox.item(&gotify.msgid(1)).notification;
    assert_eq!((router.content.title.as_str(), router.content.icon.as_deref()), ("Router", None));
    assert_eq!(router.content.priority.get(), 4);
    // One that is not listed has its number as name.
    gotify.add(3, json!({"appid": 9, "message": "?"}));
    inbox.pull().await.unwrap();
    assert_eq!(inbox.item(&gotify.msgid(2)).notification.actor.name, "9");
    inbox.assert_consistent();
}

#[tokio::test]
async fn what_is_deleted_here_is_deleted_there_and_other_marks_stay_here() {
    let gotify = Gotify::start().await;
    (0..5).for_each(|n| gotify.publish(n));
    let inbox = ServiceInbox::of(&gotify);
    inbox.pull().await.unwrap();
    let mark = |n: usize, mark: Mark| {
        inbox.replica.mark(Targets::MsgIds(vec![MsgId(gotify.msgid(n))]), mark).unwrap();
    };
    mark(0, Mark::Read);
    mark(1, Mark::Archive);
    mark(2, Mark::Delete);
    mark(3, Mark::Delete);
    // The first deletion arrives, and its answer says that there is no such message any more.
    gotify.faults().plan(0, Fault::Status(404, String::new()));
    inbox.pull().await.unwrap();
    let deleted: Vec<_> =
        gotify.requests().into_iter().filter(|request| request.starts_with("DELETE ")).collect();
    assert_eq!(deleted.len(), 2, "{deleted:?}");
    assert_eq!((gotify.ids(), inbox.items().len(), inbox.unread()), (vec![1, 2, 5], 3, 1));
    inbox.pull().await.unwrap();
    assert_eq!(gotify.requests().iter().filter(|request| request.starts_with("DELETE ")).count(), 2);
    inbox.assert_consistent();
}

#[tokio::test]
async fn what_is_deleted_there_stays_here() {
    let gotify = Gotify::start().await;
    (0..5).for_each(|n| gotify.publish(n));
    let inbox = ServiceInbox::of(&gotify);
    inbox.pull().await.unwrap();
    gotify.wipe();
    inbox.pull().await.unwrap();
    assert_eq!(inbox.items().len(), 5);
    gotify.publish(5);
    inbox.pull().await.unwrap();
    assert_eq!((inbox.bodies(), inbox.unread()), (all_items(6), 6));
}

#[tokio::test]
async fn a_server_that_was_set_up_anew_overwrites_nothing() {
    let gotify = Gotify::start().await;
    (0..300).for_each(|n| gotify.publish(n));
    let inbox = ServiceInbox::of(&gotify);
    inbox.pull().await.unwrap();
    gotify.wipe();
    for id in 1..=2 {
        let message = json!({"message": format!("anew {id}"), "date": "2027-01-01T00:00:00Z"});
        gotify.add(id, message);
    }
    assert_eq!(inbox.pull().await.unwrap().arrived, 2);
    assert_eq!(inbox.bodies()[298..], ["item 298", "item 299", "anew 1", "anew 2"]);
    gotify.add(3, json!({"message": "anew 3", "date": "2027-01-01T00:00:09Z"}));
    assert_eq!(inbox.pull().await.unwrap().arrived, 1);
    inbox.assert_consistent();
}

#[tokio::test]
async fn what_is_published_is_there_at_once_and_a_stream_that_ends_loses_nothing() {
    let gotify = Gotify::start().await;
    let inbox = ServiceInbox::of(&gotify);
    let engine = inbox.engine().await;
    for round in 0..4 {
        until_state(&engine, inbox.source, |s| *s == SourceStatus::Live).await;
        until("the stream", || async { gotify.streams() == 1 }).await;
        gotify.publish(2 * round);
        let count = u64::try_from(2 * round + 1).unwrap();
        until("the live message", || async { inbox.unread() == count }).await;
        gotify.end_streams();
        gotify.publish(2 * round + 1);
        until("what came without a stream", || async { inbox.unread() == count + 1 }).await;
    }
    engine.shutdown().await;
    assert_eq!(inbox.bodies(), all_items(8));
    inbox.assert_consistent();
}

#[tokio::test]
async fn the_token_is_in_its_header_and_nowhere_else() {
    let gotify = Gotify::start().await;
    gotify.publish(0);
    let inbox = ServiceInbox::of(&gotify);
    inbox.pull().await.unwrap();
    let token = gotify.token();
    for request in gotify.requests() {
        let with_token: Vec<_> = request.lines().filter(|line| line.contains(&token)).collect();
        assert_eq!(with_token, [format!("x-gotify-key: {token}")], "{request}");
    }
    assert!(!inbox.cursor().unwrap().contains(&token));
    assert_eq!(inbox.replica.source(inbox.source).unwrap().user.as_deref(), Some("ana"));
    let wrong = ServiceInbox::with_token(&gotify, "Cwrong");
    assert!(matches!(wrong.pull().await, Err(Error::Net(NetError::SignIn))));
    let other = Gotify::start().await;
    gotify.faults().plan(0, Fault::Redirect(format!("{}/message", other.url())));
    let error = inbox.client().unwrap().page(Since::default(), 10).await.unwrap_err();
    assert!(matches!(error, NetError::RedirectRefused), "{error:?}");
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn a_message_that_is_too_large_is_skipped_and_the_others_come() {
    let gotify = Gotify::start().await;
    (0..20).for_each(|n| gotify.publish(n));
    let containers: Vec<_> = (0..70_000).map(|_| json!({})).collect();
    gotify.add(21, json!({"message": "large", "extras": {"home::list": containers}}));
    (21..40).for_each(|n| gotify.publish(n));
    let inbox = ServiceInbox::of(&gotify);
    for _ in 0..2 {
        inbox.pull().await.unwrap();
        assert_eq!(inbox.items().len(), 39);
        assert_eq!(inbox.replica.source(inbox.source).unwrap().skipped, 1);
    }
    gotify.publish(40);
    inbox.pull().await.unwrap();
    assert_eq!(inbox.items().len(), 40);
    inbox.assert_consistent();
}

#[tokio::test]
async fn a_server_that_does_not_go_back_is_not_asked_for_ever() {
    let server = ScriptedServer::start().await;
    let messages: Vec<_> = (1..=10)
        .rev()
        .map(|id| json!({"id": id, "appid": 1, "message": "m", "date": "2026-01-01T00:00:00Z"}))
        .collect();
    let page = json!({"paging": {"size": 10, "since": 1, "limit": 10}, "messages": messages}).to_string();
    let url = server.url();
    let requests = server.serve(move |mut exchange| {
        let body = match exchange.url().path() {
            "/application" => "[]".to_owned(),
            "/current/user" => json!({"id": 1, "name": "ana"}).to_string(),
            _ => page.clone(),
        };
        async move {
            let _ = exchange.send(&response("200 OK", "content-type: application/json\r\n", body)).await;
        }
    });
    let gotify = Gotify::start().await;
    let inbox = ServiceInbox::of(&gotify);
    inbox.move_to(url);
    assert!(matches!(inbox.pull().await, Err(Error::Net(NetError::Malformed))));
    assert!(requests.lock().unwrap().len() <= 4);
}
