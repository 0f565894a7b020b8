//! Stories of two people on one server: how far a message was read, and a group that is made, named, joined, handed
//! over and left in their windows.

use tidings_ipc::{Closed, ErrorCode, GroupChange, Member, NewConversation, SourceForm, ThreadView};

use super::harness::{TestApp, open};
use super::work_server::{Work, work};
use tidings_model::Receipt;
use tidings_testkit::wait;

/// A person's desktop, with the work server as a source.
pub(super) async fn desktop(work: &Work, token: &str) -> (TestApp, i64) {
    let test = open().connected().await;
    let form = SourceForm {
        protocol: "tidings".into(),
        url: work.url.clone(),
        token: token.to_owned(),
        name: "Work".into(),
        sign_in: None,
    };
    let source = test.app.sources.add_source(form).await.unwrap();
    (test, source)
}

/// The thread with this key, once it is there.
pub(super) async fn thread(test: &TestApp, source: i64, key: &str) -> i64 {
    let mut found = None;
    wait::until("the conversation", || {
        found = test.app.context.replica.thread_by_key(source, key).unwrap().map(|thread| thread.id);
        std::future::ready(found.is_some())
    })
    .await;
    found.unwrap()
}

pub(super) async fn view(test: &TestApp, id: i64) -> ThreadView {
    test.app.reading.thread(id, None).await.unwrap()
}

/// Waits until a thread is seen as it should be.
pub(super) async fn seen(what: &str, test: &TestApp, id: i64, is: impl Fn(&ThreadView) -> bool) {
    wait::until(what, || async { is(&view(test, id).await) }).await;
}

fn names(members: &[Member]) -> Vec<(&str, bool)> {
    members.iter().map(|one| (one.id.as_str(), one.owner)).collect()
}

#[tokio::test]
async fn the_last_message_that_the_other_has_read_says_so_with_its_time() {
    let work = work().await;
    let (ana, at_ana) = desktop(&work, &work.ana).await;
    let (bo, at_bo) = desktop(&work, &work.bo).await;
    let body = "Lunch at noon?".to_owned();
    let new = NewConversation { source: at_ana, to: vec!["bo".into()], body, ..NewConversation::default() };
    let of_ana = ana.app.conversations.start_conversation(new).await.unwrap();
    let of_bo = thread(&bo, at_bo, "user:ana").await;
    seen("the message to come back", &ana, of_ana, |view| view.items.len() == 1).await;
    assert_eq!(view(&ana, of_ana).await.peer_read, None, "it came, and nobody looked at it");

    bo.app.marks.mark(vec![of_bo], tidings_model::Mark::Read).await.unwrap();
    seen("the reading", &ana, of_ana, |view| view.peer_read.is_some()).await;
    let shown = view(&ana, of_ana).await;
    let read = shown.peer_read.unwrap();
    assert_eq!(read.msgid, shown.items[0].msgid);
    assert!(read.at >= shown.items[0].time);
    ana.app.conversations.send_message(of_ana, "Or at one?".into(), Vec::new()).await.unwrap();
    seen("the second message", &ana, of_ana, |view| view.items.len() == 2).await;
    let shown = view(&ana, of_ana).await;
    assert_eq!(shown.peer_read.unwrap().msgid, shown.items[0].msgid, "the second was not read");
    assert_eq!(view(&bo, of_bo).await.peer_read, None, "Bo wrote nothing");
}

#[tokio::test]
async fn a_message_to_a_group_says_with_whom_it_has_arrived_before_anybody_reads_it() {
    let work = work().await;
    work.server.create_user("chen", "Chen Yu").await.unwrap();
    let (ana, at_ana) = desktop(&work, &work.ana).await;
    let (bo, at_bo) = desktop(&work, &work.bo).await;
    let new = NewConversation {
        source: at_ana,
        to: vec!["bo".into(), "chen".into()],
        group: true,
        name: "Crew".into(),
        body: "Lunch at noon?".into(),
    };
    let of_ana = ana.app.conversations.start_conversation(new).await.unwrap();
    seen("the message to come back", &ana, of_ana, |view| view.items.len() == 1).await;
    let msgid = view(&ana, of_ana).await.items[0].msgid.clone();
    let key = ana.app.context.replica.threads_by_id(&[of_ana]).unwrap()[0].key.clone();
    thread(&bo, at_bo, &key).await;
    // The page that asks gets the readers at once; the message has them with the next pull.
    wait::until("it to arrive", || async {
        ana.app.conversations.read_by(of_ana, msgid.clone()).await.unwrap().arrived.len() == 1
    })
    .await;
    let by = ana.app.conversations.read_by(of_ana, msgid.clone()).await.unwrap();
    let ids = |readers: &[tidings_ipc::Reader]| readers.iter().map(|one| one.id.clone()).collect::<Vec<_>>();
    assert_eq!(
        (ids(&by.read), ids(&by.arrived), ids(&by.unread)),
        (vec![], vec!["bo".into()], vec!["chen".into()])
    );
    ana.app.engine.pull_now();
    let receipt = |read| Some(Receipt { read, delivered: 1, members: 2 });
    seen("that it arrived", &ana, of_ana, |view| view.items[0].receipt == receipt(0)).await;

    let of_bo = thread(&bo, at_bo, &key).await;
    bo.app.marks.mark(vec![of_bo], tidings_model::Mark::Read).await.unwrap();
    bo.app.conversations.leave_thread(of_bo).await.unwrap();
    seen("the reading", &ana, of_ana, |view| view.items[0].receipt == receipt(1)).await;
    let by = ana.app.conversations.read_by(of_ana, msgid).await.unwrap();
    assert_eq!((ids(&by.read), ids(&by.arrived)), (vec!["bo".into()], vec![]));
}

#[tokio::test]
async fn a_group_is_made_named_joined_handed_over_and_left_and_the_others_see_it_at_once() {
    let work = work().await;
    work.server.create_user("chen", "Chen Yu").await.unwrap();
    let (ana, at_ana) = desktop(&work, &work.ana).await;
    let (bo, at_bo) = desktop(&work, &work.bo).await;
    let new = NewConversation {
        source: at_ana,
        to: vec!["bo".into()],
        group: true,
        name: "Crew".into(),
        body: "Hello".into(),
    };
    let of_ana = ana.app.conversations.start_conversation(new).await.unwrap();
    let key = ana.app.context.replica.threads_by_id(&[of_ana]).unwrap()[0].key.clone();
    assert!(key.starts_with("group:"), "one other person is enough for a group");
    let of_bo = thread(&bo, at_bo, &key).await;
    seen("the group's name", &bo, of_bo, |view| view.title == "Crew").await;
    assert_eq!(names(&bo.app.conversations.members(of_bo).await.unwrap()), [("ana", true), ("bo", false)]);

    // Only the owner changes it, and what nobody is called is said.
    let rename = |name: &str| GroupChange::Rename { name: name.into() };
    let refused = bo
        .app
        .conversations
        .change_group(of_bo, rename("Mine"))
        .await
        .unwrap_err()
        .to_ipc(bo.app.context.lang());
    assert_eq!(refused.text, "Only the owner of the group can do this. Nothing has changed");
    let nobody = ana
        .app
        .conversations
        .change_group(of_ana, GroupChange::Add { user: "chenn".into() })
        .await
        .unwrap_err();
    let nobody = nobody.to_ipc(ana.app.context.lang());
    assert_eq!(nobody.code, ErrorCode::NotFound);
    assert_eq!(nobody.text, "Work has no user chenn, or they left the group. Nothing has changed");

    ana.app.conversations.change_group(of_ana, rename(" Release crew ")).await.unwrap();
    assert_eq!(view(&ana, of_ana).await.title, "Release crew");
    seen("the new name", &bo, of_bo, |view| view.title == "Release crew").await;
    let members =
        ana.app.conversations.change_group(of_ana, GroupChange::Add { user: "chen".into() }).await.unwrap();
    assert_eq!(names(&members), [("ana", true), ("bo", false), ("chen", false)]);
    seen("the third member", &bo, of_bo, |view| view.facts.contains(&"3 people".to_owned())).await;
    let lines = |view: &ThreadView| view.group_lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>();
    for (who, of) in [(&ana, of_ana), (&bo, of_bo)] {
        let told = lines(&view(who, of).await);
        assert_eq!(told, ["The group was renamed “Release crew”", "Chen Yu joined"]);
    }

    let members = ana
        .app
        .conversations
        .change_group(of_ana, GroupChange::HandOver { user: "bo".into() })
        .await
        .unwrap();
    assert_eq!(names(&members), [("ana", false), ("bo", true), ("chen", false)]);
    assert!(ana.app.conversations.change_group(of_ana, rename("Back")).await.is_err());
    bo.app.conversations.change_group(of_bo, GroupChange::Remove { user: "chen".into() }).await.unwrap();
    seen("the removal", &ana, of_ana, |view| view.facts.contains(&"2 people".to_owned())).await;
    assert_eq!(lines(&view(&ana, of_ana).await).last().map(String::as_str), Some("Chen Yu left"));

    // Who is removed sees it, and so does who leaves.
    bo.app.conversations.change_group(of_bo, GroupChange::Remove { user: "ana".into() }).await.unwrap();
    seen("that she is out", &ana, of_ana, |view| {
        view.composer.as_ref().unwrap().closed == Some(Closed::Left)
    })
    .await;
    assert_eq!(view(&ana, of_ana).await.items.len(), 1, "what was written stays");
    bo.app.conversations.change_group(of_bo, GroupChange::Leave).await.unwrap();
    assert_eq!(view(&bo, of_bo).await.composer.unwrap().closed, Some(Closed::Left));
}

#[tokio::test]
async fn a_group_that_its_owner_ends_is_closed_for_everybody_and_keeps_its_name() {
    let work = work().await;
    let (ana, at_ana) = desktop(&work, &work.ana).await;
    let (bo, at_bo) = desktop(&work, &work.bo).await;
    let new = NewConversation {
        source: at_ana,
        to: vec!["bo".into()],
        group: true,
        name: "Crew".into(),
        body: "Hello".into(),
    };
    let of_ana = ana.app.conversations.start_conversation(new).await.unwrap();
    let key = ana.app.context.replica.threads_by_id(&[of_ana]).unwrap()[0].key.clone();
    let of_bo = thread(&bo, at_bo, &key).await;
    seen("the group's name", &bo, of_bo, |view| view.title == "Crew").await;
    let refused = bo
        .app
        .conversations
        .change_group(of_bo, GroupChange::End)
        .await
        .unwrap_err()
        .to_ipc(bo.app.context.lang());
    assert_eq!(refused.text, "Only the owner of the group can do this. Nothing has changed");
    ana.app.conversations.change_group(of_ana, GroupChange::End).await.unwrap();
    assert_eq!(view(&ana, of_ana).await.composer.unwrap().closed, Some(Closed::Ended));
    let ended = |view: &ThreadView| view.composer.as_ref().unwrap().closed == Some(Closed::Ended);
    seen("the end", &bo, of_bo, ended).await;
    let shown = view(&bo, of_bo).await;
    assert_eq!((shown.title.as_str(), shown.items.len()), ("Crew", 1), "what was written stays");
}

#[tokio::test]
async fn without_its_server_a_group_is_not_changed_and_that_is_said() {
    let test = open().running();
    let source = test.source("Work");
    let new =
        NewConversation { source, to: vec!["bo".into()], body: "Hi".into(), ..NewConversation::default() };
    let peer = test.app.conversations.start_conversation(new).await.unwrap();
    let rename = GroupChange::Rename { name: "Crew".into() };
    assert!(test.app.conversations.change_group(peer, rename.clone()).await.is_err(), "a person is no group");
    let message = tidings_model::wire::NewMessage::default();
    test.app.context.replica.write_message(source, "group:crew", message).unwrap();
    let crew = test.app.context.replica.thread_by_key(source, "group:crew").unwrap().unwrap().id;
    let error =
        test.app.conversations.change_group(crew, rename).await.unwrap_err().to_ipc(test.app.context.lang());
    assert_eq!(error.code, ErrorCode::Outside);
    assert_eq!(
        error.text,
        "Work cannot be reached, so the group has not changed. Try again when you are back online"
    );
    let nameless = test.app.conversations.change_group(crew, GroupChange::Rename { name: " ".into() }).await;
    assert_eq!(nameless.unwrap_err().to_ipc(test.app.context.lang()).code, ErrorCode::Invalid);
}
