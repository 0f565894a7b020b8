//! Tests of answers in words that a desktop has for a toast.

use serde_json::{Value, json};
use tidings_model::Lang;
use tidings_ports::{DesktopRequest, Toast};
use tidings_replica::{SourceId, Withheld};
use tidings_strings::strings;
use tidings_sync::PullReason;

use super::harness::{TestApp, notification, open, until};
use super::inbox;

/// The toast of a message of Bo's, with the fields of `more` in it.
async fn toast_of_message(test: &TestApp, work: SourceId, more: Value) -> Toast {
    let mut message = json!({"kind": "message", "thread": "user:bo", "conversation": "user:bo", "action": null,
        "target": null, "actor": {"id": "bo", "name": "Bo Kessler"}, "body": "Are we ready?"});
    message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    test.pulled(work, PullReason::Live, vec![notification(&test.clock, 1, &message)]).await;
    test.last_toast()
}

async fn reply(test: &TestApp, toast: &Toast, text: &str) {
    let request = DesktopRequest::ToastReply { toast: toast.to_ref(), text: text.into() };
    test.app.requests.handle_request(request).await;
}

#[tokio::test]
async fn a_message_is_answered_in_its_toast_which_goes_and_is_read_with_it() {
    let test = open().running();
    let toast = toast_of_message(&test, test.source("Work"), json!({})).await;
    assert_eq!(toast.reply.as_deref(), Some("Reply"));
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    test.app.conversations.save_draft(thread, "About Friday".into()).await.unwrap();
    reply(&test, &toast, " On my way ").await;
    until("it to go", || test.desktop.closed.lock().unwrap().contains(&toast.key)).await;
    let view = test.app.reading.thread(thread, None).await.unwrap();
    assert!(!view.items[0].unread);
    let composer = view.composer.unwrap();
    assert_eq!((composer.outgoing.len(), composer.outgoing[0].body.as_str()), (1, "On my way"));
    assert_eq!(composer.draft, "About Friday", "what is being written in the window stays");

    // The desktop says it again, of a toast that is gone.
    reply(&test, &toast, "On my way").await;
    until("its reader to be told", || test.last_toast().body == strings(Lang::En).reply_changed).await;
    let view = test.app.reading.thread(thread, None).await.unwrap();
    assert_eq!(view.composer.unwrap().outgoing.len(), 1);
}

#[tokio::test]
async fn a_question_is_answered_in_words_and_takes_them_for_no_message() {
    let test = open().running();
    let question = json!({"state": "open", "answer": null, "expires_at": "2999-01-01T00:00:00Z",
        "answers": [{"id": "approve", "label": "Approve"}], "text": true});
    let toast = toast_of_message(&test, test.source("Work"), json!({"question": question})).await;
    assert_eq!(toast.actions, ["Approve"]);
    assert_eq!(toast.reply.as_deref(), Some("Answer"));
    reply(&test, &toast, "Tomorrow").await;
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    let view = test.app.reading.thread(thread, None).await.unwrap();
    let question = view.items[0].question.clone().unwrap();
    assert_eq!(question.outcome.as_deref(), Some("You answered Tomorrow"));
    assert!(view.composer.unwrap().outgoing.is_empty());
}

#[tokio::test]
async fn a_question_without_words_and_a_publication_take_none() {
    let test = open().running();
    test.source("");
    test.arrive(2, "backups", "Backup done").await;
    assert_eq!(test.last_toast().reply, None);
    let question = json!({"state": "open", "answer": null, "expires_at": "2999-01-01T00:00:00Z",
        "answers": [{"id": "approve", "label": "Approve"}]});
    assert_eq!(toast_of_message(&test, test.source("Work"), json!({"question": question})).await.reply, None);
}

#[tokio::test]
async fn an_answer_that_no_server_takes_is_refused_at_once() {
    let test = open().running();
    let question = json!({"state": "open", "answer": null, "expires_at": "2999-01-01T00:00:00Z",
        "answers": [], "text": true});
    let toast = toast_of_message(&test, test.source("Work"), json!({"question": question})).await;
    reply(&test, &toast, &"x".repeat(16 * 1024 + 1)).await;
    until("its reader to be told", || test.last_toast().body == strings(Lang::En).answer_not_offered).await;
    let thread = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    let view = test.app.reading.thread(thread, None).await.unwrap();
    assert!(view.items[0].question.as_ref().unwrap().open);
}

#[tokio::test]
async fn a_group_that_its_reader_has_left_takes_no_messages_in_a_toast() {
    for is_left in [false, true] {
        let test = open().running();
        let work = test.source("Work");
        if is_left {
            test.app.context.replica.group_withheld(work, "crew", Withheld::Left).unwrap();
        }
        let crew = json!({"thread": "group:crew", "conversation": "group:crew"});
        assert_eq!(toast_of_message(&test, work, crew).await.reply.is_none(), is_left);
    }
}
