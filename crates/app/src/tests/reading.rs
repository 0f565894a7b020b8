//! Tests of threads in both languages, buttons, and links that open a thread.

use serde_json::json;
use tidings_ipc::{Avatar, ErrorCode, IpcEvent, ThreadQuery};
use tidings_model::{Clock, Lang, Mark, MsgId};
use tidings_ports::{DesktopRequest, MenuAction};
use tidings_render::heading::Headings;
use tidings_replica::{DigestScope, NewSource};
use tidings_sync::PullReason;

use super::harness::{notification, open, published, until};
use super::inbox;
use crate::desktop::socket::Request;

#[tokio::test]
async fn a_thread_reads_as_it_should_in_both_languages() {
    let test = open().running();
    let own = test.source("Work");
    let bo = json!({"actor": {"id": "bo", "name": "Bo"}, "body": "**Yes**", "format": "markdown"});
    let page = vec![notification(&test.clock, 1, &json!({})), notification(&test.clock, 2, &bo)];
    test.pulled(own, PullReason::Live, page).await;
    let id = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    let view = test.app.reading.thread(id, None).await.unwrap();
    assert_eq!(view.row.who, "Bo and Ana");
    assert_eq!(view.title, "Rust in 2026");
    assert_eq!(view.facts, ["Your article", "Work", "2 comments, 2 new"]);
    assert_eq!(view.items[1].body.trim(), "<p><strong>Yes</strong></p>");
    let mut settings = test.app.settings.current_settings();
    settings.lang = Some(Lang::ZhCn);
    assert_eq!(test.app.settings.settings(&settings).await.unwrap().lang_now, Some(Lang::ZhCn));
    let view = test.app.reading.thread(id, None).await.unwrap();
    assert_eq!(view.row.who, "Bo和Ana");
    assert_eq!(view.facts, ["你的文章", "Work", "2 条评论，2 条新内容"]);
    until("the tray to change its language", || {
        test.last_view().is_some_and(|view| view.tooltip == "2 条未读")
    })
    .await;
}

#[tokio::test]
async fn a_feed_leads_with_the_titles_of_its_entries_and_is_nobody() {
    let test = open();
    let source = NewSource {
        name: "News".into(),
        protocol: "feed".into(),
        url: "https://news.example/feed".into(),
        user: None,
        own: false,
    };
    let feed = test.app.context.replica.add_source(source).unwrap();
    let entry = json!({"thread": "entry:a#publish", "actor": {"id": "news.example", "name": "Daily news"},
        "action": "publish", "target": {"type": "entry", "id": "a", "title": "A bridge opens"},
        "title": "A bridge opens", "body": "It took nine years."});
    let since = test.clock.now();
    test.pulled(feed, PullReason::Live, vec![notification(&test.clock, 1, &entry)]).await;
    let toast = test.last_toast();
    assert_eq!((toast.title.as_str(), &*toast.body), ("Daily news", "A bridge opens\nIt took nine years."));

    let row = test.app.reading.threads(inbox()).await.unwrap().rows.remove(0);
    let what: Vec<_> = row.what.iter().map(|span| (span.text.as_str(), span.strong)).collect();
    assert_eq!((row.who.as_str(), what), ("Daily news", vec![("A bridge opens", true)]));
    assert_eq!(row.snippet, "It took nine years.");
    assert_eq!(row.sentence, "Daily news: A bridge opens: It took nine years.");
    let icon = Avatar::Thing { icon: "rss".into() };
    assert_eq!(row.avatar, icon);
    let item = test.app.reading.thread(row.id, None).await.unwrap().items.remove(0);
    assert_eq!((item.actor.as_str(), item.verb.as_str(), item.avatar), ("Daily news", "", icon));
    let stored = test.app.context.replica.items_by_msgid(None, &[MsgId(item.msgid)]).unwrap();
    let mut headings = Headings::new(&test.app.context.replica, Lang::En.into());
    assert_eq!(
        (headings.heading(&stored[0]), headings.sentence(&stored[0])),
        ("A bridge opens".into(), String::new())
    );

    let replica = &test.app.context.replica;
    assert_eq!(replica.people("", 9).unwrap(), []);
    let scope = DigestScope { since, last_item: replica.last_item().unwrap(), source: None, thread: None };
    assert_eq!(replica.digest(scope, &|since| vec![since]).unwrap().people, []);
}

#[tokio::test]
async fn a_button_says_what_came_of_it_and_reads_where_its_sender_wants_that() {
    let test = open().running();
    let own = test.source("");
    let actions = json!({"actions": [
        {"action": "view", "label": "Open", "url": "https://blog.example.org/a"},
        {"action": "http", "label": "Accept", "url": "https://blog.example.org/accept", "clear": true,
         "headers": {"X-Key": "k"}, "body": "yes"}]});
    test.pulled(own, PullReason::Live, vec![notification(&test.clock, 1, &actions)]).await;
    let id = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    let buttons = test.app.reading.thread(id, None).await.unwrap().items[0].actions.clone();
    let run = |index: usize| {
        test.app.actions.run_action(id, "m1".into(), index, buttons.get(index).unwrap_or(&buttons[0]), false)
    };
    assert_eq!(run(0).await.unwrap(), "Done");
    assert_eq!(*test.desktop.opened.lock().unwrap(), ["https://blog.example.org/a"]);
    assert_eq!(run(1).await.unwrap(), "blog.example.org did not answer");
    *test.desktop.answer.lock().unwrap() = Some(500);
    assert_eq!(run(1).await.unwrap(), "blog.example.org answered 500");
    assert!(test.app.reading.thread(id, None).await.unwrap().items[0].unread, "nothing was done yet");
    *test.desktop.answer.lock().unwrap() = Some(204);
    assert_eq!(run(1).await.unwrap(), "Done");
    assert!(!test.app.reading.thread(id, None).await.unwrap().items[0].unread);
    let call = test.desktop.calls.lock().unwrap().last().cloned().unwrap();
    assert_eq!((call.method.as_str(), call.body.as_deref()), ("POST", Some("yes")));
    assert!(run(2).await.is_err());
    assert!(test.app.links.open_link("file:///etc/passwd", false).await.is_err());
}

#[tokio::test]
async fn found_words_stand_out_in_the_list() {
    let test = open().running();
    let own = test.source("");
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 1, "backups", "Backup done")]).await;
    let found =
        test.app.reading.threads(ThreadQuery { search: Some("backup".into()), ..inbox() }).await.unwrap();
    assert_eq!(found.rows.len(), 1);
    assert!(found.rows[0].what.iter().any(|span| span.found && span.text == "Backup"));
    let id = found.rows[0].id;
    test.app.marks.mark(vec![id], Mark::Archive).await.unwrap();
    for (within, rows) in [(false, 1), (true, 0)] {
        let query = ThreadQuery { search: Some("backup".into()), within, ..inbox() };
        assert_eq!(test.app.reading.threads(query).await.unwrap().rows.len(), rows);
    }
    let wrong = ThreadQuery { after: Some("nonsense".into()), ..inbox() };
    assert_eq!(test.app.reading.threads(wrong).await.unwrap_err().to_ipc(Lang::En).code, ErrorCode::Invalid);
}

#[tokio::test]
async fn a_link_opens_its_very_item_or_says_that_it_is_not_here() {
    let test = open().running();
    let own = test.source("");
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 1, "a", "one")]).await;
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    assert_eq!(test.app.answer(Request::Open("tidings://open/m1".into())).await, Ok(()));
    let first = test.with_page().await;
    assert_eq!((first.open, first.open_item.as_deref()), (Some(thread), Some("m1")));
    test.app
        .requests
        .handle_request(DesktopRequest::Link { link: format!("tidings://thread/{thread}"), token: None })
        .await;
    until("the page to be told", || {
        test.events.lock().unwrap().contains(&IpcEvent::Open { thread, item: None, action: None })
    })
    .await;
    let unknown = test.app.answer(Request::Open("tidings://open/nope".into())).await;
    assert_eq!(unknown, Err("This notification is not on this computer".into()));
    until("the reader to be told", || {
        let text = "This notification is not on this computer".to_owned();
        test.events.lock().unwrap().contains(&IpcEvent::Announce { text })
    })
    .await;
    assert_eq!(*test.desktop.shown.lock().unwrap(), 3, "the window comes up either way");
}

#[tokio::test]
async fn a_new_message_that_the_desktop_asks_for_waits_for_the_page() {
    let test = open().running();
    test.app
        .requests
        .handle_request(DesktopRequest::Act { action: MenuAction::NewMessage, token: None })
        .await;
    assert_eq!(*test.desktop.shown.lock().unwrap(), 1);
    test.with_page().await;
    until("the page to be told", || test.events.lock().unwrap().contains(&IpcEvent::NewConversation)).await;
}
