//! What a thread says in both languages, its buttons, and how one comes to it. Refuses files.

use serde_json::json;
use tidings_model::Lang;
use tidings_sync::Occasion;

use super::desktop::{notification, open, published, until};
use super::inbox;
use crate::page::{ErrorCode, Mark, PageEvent, ThreadQuery};
use crate::ports::Wish;
use crate::socket::Request;

#[tokio::test]
async fn a_thread_reads_as_it_should_in_both_languages() {
    let sitting = open().running();
    let own = sitting.source("Work");
    let bo = json!({"actor": {"id": "bo", "name": "Bo"}, "body": "**Yes**", "format": "markdown"});
    let page = vec![notification(&sitting.clock, 1, &json!({})), notification(&sitting.clock, 2, &bo)];
    sitting.pulled(own, Occasion::Live, page).await;
    let id = sitting.app.threads(inbox()).await.unwrap().rows[0].id;
    let view = sitting.app.thread(id, None).await.unwrap();
    assert_eq!(view.row.who, "Bo and Ana");
    assert_eq!(view.title, "Rust in 2026");
    assert_eq!(view.facts, ["Your article", "Work", "2 comments, 2 new"]);
    assert_eq!(view.items[1].body.trim(), "<p><strong>Yes</strong></p>");
    let mut settings = sitting.app.page_settings();
    settings.lang = Some(Lang::ZhCn);
    assert_eq!(sitting.app.settings(&settings).await.unwrap().lang_now, Lang::ZhCn);
    let view = sitting.app.thread(id, None).await.unwrap();
    assert_eq!(view.row.who, "Bo和Ana");
    assert_eq!(view.facts, ["你的文章", "Work", "2 条评论，2 条新的"]);
    until("the tray to change its language", || {
        sitting.last_view().is_some_and(|view| view.tooltip == "2 条未读")
    })
    .await;
}

#[tokio::test]
async fn a_button_says_what_came_of_it_and_reads_where_its_sender_wants_that() {
    let sitting = open().running();
    let own = sitting.source("");
    let actions = json!({"actions": [
        {"action": "view", "label": "Open", "url": "https://blog.example.org/a"},
        {"action": "http", "label": "Accept", "url": "https://blog.example.org/accept", "clear": true,
         "headers": {"X-Key": "k"}, "body": "yes"}]});
    sitting.pulled(own, Occasion::Live, vec![notification(&sitting.clock, 1, &actions)]).await;
    let id = sitting.app.threads(inbox()).await.unwrap().rows[0].id;
    let buttons = sitting.app.thread(id, None).await.unwrap().items[0].actions.clone();
    let run = |index: usize| {
        sitting.app.run_action(id, "m1".into(), index, buttons.get(index).unwrap_or(&buttons[0]))
    };
    assert_eq!(run(0).await.unwrap(), "Done");
    assert_eq!(*sitting.desktop.opened.lock().unwrap(), ["https://blog.example.org/a"]);
    assert_eq!(run(1).await.unwrap(), "blog.example.org did not answer");
    *sitting.desktop.answer.lock().unwrap() = Some(500);
    assert_eq!(run(1).await.unwrap(), "blog.example.org answered 500");
    assert!(sitting.app.thread(id, None).await.unwrap().items[0].unread, "nothing was done yet");
    *sitting.desktop.answer.lock().unwrap() = Some(204);
    assert_eq!(run(1).await.unwrap(), "Done");
    assert!(!sitting.app.thread(id, None).await.unwrap().items[0].unread);
    let call = sitting.desktop.calls.lock().unwrap().last().cloned().unwrap();
    assert_eq!((call.method.as_str(), call.body.as_deref()), ("POST", Some("yes")));
    assert!(run(2).await.is_err());
    assert!(sitting.app.open_link("file:///etc/passwd").await.is_err());
}

#[tokio::test]
async fn found_words_stand_out_in_the_list() {
    let sitting = open().running();
    let own = sitting.source("");
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 1, "backups", "Backup done")]).await;
    let found = sitting.app.threads(ThreadQuery { search: Some("backup".into()), ..inbox() }).await.unwrap();
    assert_eq!(found.rows.len(), 1);
    assert!(found.rows[0].what.iter().any(|span| span.found && span.text == "Backup"));
    let id = found.rows[0].id;
    sitting.app.mark(vec![id], &Mark::Archive).await.unwrap();
    for (within, rows) in [(false, 1), (true, 0)] {
        let asked = ThreadQuery { search: Some("backup".into()), within, ..inbox() };
        assert_eq!(sitting.app.threads(asked).await.unwrap().rows.len(), rows);
    }
    let wrong = ThreadQuery { after: Some("nonsense".into()), ..inbox() };
    assert_eq!(sitting.app.threads(wrong).await.unwrap_err().to_page(Lang::En).code, ErrorCode::Invalid);
}

#[tokio::test]
async fn a_link_opens_its_very_item_or_says_that_it_is_not_here() {
    let sitting = open().running();
    let own = sitting.source("");
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 1, "a", "one")]).await;
    let thread = sitting.app.threads(inbox()).await.unwrap().rows[0].id;
    assert_eq!(sitting.app.answer(Request::Open("tidings://open/m1".into())).await, Ok(()));
    let first = sitting.with_page().await;
    assert_eq!((first.open, first.open_item.as_deref()), (Some(thread), Some("m1")));
    sitting.app.wish(Wish::Link(format!("tidings://thread/{thread}"))).await;
    until("the page to be told", || {
        sitting.events.lock().unwrap().contains(&PageEvent::Open { thread, item: None, action: None })
    })
    .await;
    let unknown = sitting.app.answer(Request::Open("tidings://open/nope".into())).await;
    assert_eq!(unknown, Err("That notification is not on this computer".into()));
    until("the reader to be told", || {
        let text = "That notification is not on this computer".to_owned();
        sitting.events.lock().unwrap().contains(&PageEvent::Said { text })
    })
    .await;
    assert_eq!(*sitting.desktop.shown.lock().unwrap(), 3, "the window comes up either way");
}
