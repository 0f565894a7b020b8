//! Tests of new conversations: with a real server, with a name that it does not know, and while the server is down.

use std::sync::Arc;

use tidings_ipc::{ErrorCode, NewConversation, Place, SourceForm, ThreadQuery, ThreadRow};
use tidings_model::{Kind, SystemClock};
use tidings_sources::{Since, Source, Tidings};

use super::harness::{TestApp, open, until};
use super::work_server::{Work, work};

fn to(source: i64, to: &[&str], name: &str) -> NewConversation {
    let to = to.iter().map(|id| (*id).to_owned()).collect();
    NewConversation { source, to, group: false, name: name.to_owned(), body: " Hello there ".to_owned() }
}

/// Ana's desktop, with the work server as a source.
async fn at_work(work: &Work) -> (TestApp, i64) {
    let test = open().connected().await;
    let form = SourceForm {
        protocol: "tidings".into(),
        url: work.url.clone(),
        token: work.ana.clone(),
        name: "Work".into(),
        sign_in: None,
    };
    let source = test.app.sources.add_source(form).await.unwrap();
    (test, source)
}

async fn conversations(test: &TestApp) -> Vec<ThreadRow> {
    let place = Place::Kind { kind: Kind::Message };
    let query = ThreadQuery { limit: 10, ..ThreadQuery::top(place) };
    test.app.reading.threads(query).await.unwrap().rows
}

async fn refused(test: &TestApp, new: NewConversation) -> (ErrorCode, String) {
    let error =
        test.app.conversations.start_conversation(new).await.unwrap_err().to_ipc(test.app.context.lang());
    (error.code, error.text)
}

#[tokio::test]
async fn what_begins_a_conversation_arrives_and_its_thread_is_the_one_that_was_answered() {
    let work = work().await;
    let (test, source) = at_work(&work).await;
    let thread = test.app.conversations.start_conversation(to(source, &["bo", "bo"], "")).await.unwrap();
    let bo = Tidings::new(&work.url, work.bo.clone(), Arc::new(SystemClock)).unwrap();
    let items = bo.page(Since::default(), 10).await.unwrap().page.items;
    let received: Vec<_> =
        items.iter().map(|item| (item.thread.as_str(), item.content.body.as_str())).collect();
    assert_eq!(received, [("user:ana", "Hello there")]);
    until("the message to come back", || {
        let row = test.app.context.replica.thread_by_key(source, "user:bo").unwrap().unwrap();
        assert_eq!(row.id, thread);
        row.total == 1
    })
    .await;
    assert!(test.app.context.replica.outgoing(source).unwrap().is_empty());

    let group = test.app.conversations.start_conversation(to(source, &["bo", "ana"], "")).await.unwrap();
    assert_eq!(group, thread, "one is in every group anyway: with one other it is a conversation");
}

#[tokio::test]
async fn the_people_of_a_server_are_found_while_a_name_is_typed_though_they_never_wrote() {
    let work = work().await;
    work.server.create_user("kes", "Bo Kessler").await.unwrap();
    let (test, source) = at_work(&work).await;
    let found = async |typed: &str| -> Vec<(String, String)> {
        let people = test.app.conversations.find_people(source, typed).await.unwrap();
        people.into_iter().map(|person| (person.id, person.name)).collect()
    };
    let kessler = ("kes".to_owned(), "Bo Kessler".to_owned());
    assert_eq!(found(" KES ").await, std::slice::from_ref(&kessler));
    assert_eq!(found("bo").await, [("bo".to_owned(), "Bo".to_owned()), kessler]);
    assert!(found("ana").await.is_empty(), "that is the reader");
    assert!(found(&"b".repeat(200)).await.is_empty());
    test.app.sources.pause_source(source, true).await.unwrap();
    assert!(found("bo").await.is_empty(), "nobody is asked in a pause");
}

#[tokio::test]
async fn several_people_become_a_group_with_its_name() {
    let work = work().await;
    work.server.create_user("chen", "Chen Yu").await.unwrap();
    let (test, source) = at_work(&work).await;
    let thread =
        test.app.conversations.start_conversation(to(source, &["bo", "chen"], "Release crew")).await.unwrap();
    let view = test.app.reading.thread(thread, None).await.unwrap();
    assert_eq!(
        (view.title.as_str(), view.facts.as_slice()),
        ("Release crew", &["3 people".into(), "Work".into()][..])
    );
    let people = test.app.conversations.people(source).await.unwrap();
    let people: Vec<_> = people.iter().map(|person| (person.id.as_str(), person.name.as_str())).collect();
    assert!(people.contains(&("chen", "Chen Yu")), "who was met is offered the next time: {people:?}");
}

#[tokio::test]
async fn a_name_that_nobody_has_is_told_and_nothing_is_sent_or_left_behind() {
    let work = work().await;
    let (test, source) = at_work(&work).await;
    let (code, text) = refused(&test, to(source, &["bob"], "")).await;
    assert_eq!(code, ErrorCode::NotFound);
    assert_eq!(text, "Work has no user bob. Nothing was sent, and your message is kept here");
    let (code, text) = refused(&test, to(source, &["bo", "chenn"], "Crew")).await;
    assert_eq!(code, ErrorCode::NotFound);
    assert_eq!(text, "Work has no user chenn. Nothing was sent, and your message is kept here");
    let (code, text) = refused(&test, to(source, &["bo kessler"], "")).await;
    assert_eq!((code, text.starts_with("“bo kessler” is not a user name")), (ErrorCode::NotFound, true));
    assert!(test.app.context.replica.outgoing(source).unwrap().is_empty());
    assert!(conversations(&test).await.is_empty());
    for nothing in [
        to(source, &[], ""),
        to(source, &["bo", "chen"], " "),
        NewConversation { body: "\n".into(), ..to(source, &["bo"], "") },
    ] {
        assert_eq!(refused(&test, nothing).await.0, ErrorCode::Invalid);
    }
}

#[tokio::test]
async fn with_the_server_away_a_message_waits_in_its_conversation_and_a_group_is_not_promised() {
    let test = open().running();
    let work = test.source("Work");
    let thread = test.app.conversations.start_conversation(to(work, &["bo"], "")).await.unwrap();
    let rows = conversations(&test).await;
    assert_eq!((rows.len(), rows[0].id, rows[0].who.as_str(), rows[0].pending), (1, thread, "bo", true));
    assert_eq!(rows[0].what[0].text, "You: Hello there");
    let composer = test.app.reading.thread(thread, None).await.unwrap().composer.unwrap();
    assert!(composer.waiting);
    let id = composer.outgoing[0].id.clone();

    // The server refuses the message later, as it does not know the name.
    test.app.context.replica.message_refused(&id, "404").unwrap();
    let composer = test.app.reading.thread(thread, None).await.unwrap().composer.unwrap();
    assert_eq!(composer.outgoing[0].failed.as_deref(), Some("There is no user bo"));
    test.app.conversations.discard_message(id).await.unwrap();
    assert!(conversations(&test).await.is_empty(), "what was begun in vain goes with its only message");

    let (code, text) = refused(&test, to(work, &["bo", "chen"], "Crew")).await;
    assert_eq!(code, ErrorCode::Outside);
    assert!(text.starts_with("Work cannot be reached, so the group was not created"), "{text}");
    test.app.sources.pause_source(work, true).await.unwrap();
    let (_, text) = refused(&test, to(work, &["bo", "chen"], "Crew")).await;
    assert!(text.starts_with("Work is paused, so the group was not created"), "{text}");
    assert!(conversations(&test).await.is_empty());
}
