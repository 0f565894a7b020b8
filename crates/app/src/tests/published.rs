//! What one published oneself: edited, taken back, and how many have read it, seen in two people's windows.

use serde_json::json;
use tidings_ipc::{ErrorCode, NewConversation, ThreadView};
use tidings_testkit::client::Client;
use tidings_testkit::wait;

use super::groups::{desktop, seen, thread, view};
use super::work_server::work;

#[tokio::test]
async fn ones_own_message_is_edited_and_taken_back_and_row_and_number_of_the_other_follow() {
    let work = work().await;
    let (ana, at_ana) = desktop(&work, &work.ana).await;
    let (bo, at_bo) = desktop(&work, &work.bo).await;
    let body = "Lunch at noon?".to_owned();
    let new = NewConversation { source: at_ana, to: vec!["bo".into()], body, ..NewConversation::default() };
    let of_ana = ana.app.conversations.start_conversation(new).await.unwrap();
    seen("the message to come back", &ana, of_ana, |view| view.items.len() == 1).await;
    let of_bo = thread(&bo, at_bo, "user:ana").await;
    seen("the message", &bo, of_bo, |view| view.items.len() == 1).await;
    let mine = view(&ana, of_ana).await.items[0].clone();
    let theirs = view(&bo, of_bo).await.items[0].clone();
    assert!(mine.changeable && !theirs.changeable && mine.edited.is_none());
    assert_eq!(ana.app.published.written_text(of_ana, mine.msgid.clone()).await.unwrap(), "Lunch at noon?");
    let not_his = bo.app.published.edit_item(of_bo, theirs.msgid.clone(), "No".into()).await.unwrap_err();
    assert_eq!(not_his.to_ipc(bo.app.context.lang()).code, ErrorCode::NotFound);

    ana.app.published.edit_item(of_ana, mine.msgid.clone(), "Lunch at one?".into()).await.unwrap();
    let is_edited =
        |view: &ThreadView| view.items[0].body.contains("Lunch at one?") && view.items[0].edited.is_some();
    seen("her own edit", &ana, of_ana, is_edited).await;
    seen("the edit", &bo, of_bo, is_edited).await;
    let row = bo.app.reading.thread(of_bo, None).await.unwrap().row;
    assert!(row.sentence.contains("Lunch at one?"), "{row:?}");

    ana.app.published.recall_item(of_ana, mine.msgid).await.unwrap();
    let unread = || async { bo.app.context.replica.counts().unwrap().total };
    wait::until("the number to follow", || async { unread().await == 0 }).await;
    let gone = bo.app.published.written_text(of_bo, theirs.msgid).await.unwrap_err();
    assert_eq!(gone.to_ipc(bo.app.context.lang()).code, ErrorCode::NotFound);
}

#[tokio::test]
async fn who_posted_an_announcement_sees_how_many_have_read_it() {
    let work = work().await;
    let (ana, at_ana) = desktop(&work, &work.ana).await;
    let (bo, at_bo) = desktop(&work, &work.bo).await;
    let posted = Client::new(&work.url, &work.ana).post("announcements", json!({"title": "News"})).await;
    let msgid = posted.success()["msgid"].as_str().unwrap().to_owned();
    let (of_ana, of_bo) =
        (thread(&ana, at_ana, "announcements").await, thread(&bo, at_bo, "announcements").await);
    let readers =
        || async { ana.app.published.announcement_readers(of_ana, msgid.clone()).await.unwrap().unwrap() };
    assert_eq!((readers().await.read, readers().await.users), (0, 1));
    bo.app.marks.mark(vec![of_bo], tidings_model::Mark::Read).await.unwrap();
    wait::until("the reading", || async { readers().await.read == 1 }).await;
    let not_his = bo.app.published.announcement_readers(of_bo, msgid.clone()).await.unwrap_err();
    assert_eq!(not_his.to_ipc(bo.app.context.lang()).code, ErrorCode::NotFound);
}
