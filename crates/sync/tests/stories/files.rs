//! Tests of messages with files: how they are sent, and what they hold up.

use std::time::Duration;

use serde_json::json;
use tidings_replica::Outgoing;
use tidings_sync::outgoing_files::{FOLDER, StagedFile};
use wiremock::{
    Mock, MockServer, Request, ResponseTemplate,
    matchers::{method, path},
};

use crate::support::{Inbox, answer, ok, problem, serve_changes, server, stamp, until};

/// A time that no test waits for.
const LONG: Duration = Duration::from_secs(600);

impl Inbox {
    /// Puts a message with a file into the outbox; returns its id.
    fn attach(&self, to: &str, name: &str, content: &[u8]) -> String {
        let mut staged = StagedFile::create(&self.replica, name.into(), 1 << 20).unwrap();
        staged.write(content).unwrap();
        let message = serde_json::from_value(json!({"body": "Here it is"})).unwrap();
        staged.queue(&self.replica, self.source, to, message).unwrap();
        staged.id().to_owned()
    }

    fn write(&self, to: &str, body: &str) {
        let message = serde_json::from_value(json!({ "body": body })).unwrap();
        self.replica.write_message(self.source, to, message).unwrap();
    }

    fn outgoing(&self) -> Vec<Outgoing> {
        self.replica.outgoing(self.source).unwrap()
    }

    fn copies(&self) -> usize {
        std::fs::read_dir(self.replica.folder().join(FOLDER)).map_or(0, Iterator::count)
    }
}

fn is_upload(request: &Request) -> bool {
    let media = request.headers.get("content-type").and_then(|value| value.to_str().ok());
    media.is_some_and(|media| media.starts_with("multipart/form-data"))
}

fn posted(msgid: &str) -> ResponseTemplate {
    ok(json!({"msgid": msgid, "stamp": stamp(1)}))
}

/// Sets the answer to every upload of a direct message.
async fn answer_uploads(server: &MockServer, with: ResponseTemplate) {
    let upload = Mock::given(method("POST")).and(path("/api/v1/messages")).and(is_upload);
    upload.respond_with(with).with_priority(2).mount(server).await;
}

/// Sets the answer to the next upload of a direct message.
async fn answer_upload_once(server: &MockServer, with: ResponseTemplate) {
    let upload = Mock::given(method("POST")).and(path("/api/v1/messages")).and(is_upload);
    upload.respond_with(with).up_to_n_times(1).with_priority(1).mount(server).await;
}

/// Accepts every message without a file.
async fn answer_messages(server: &MockServer) {
    let post = Mock::given(method("POST")).and(path("/api/v1/messages"));
    post.respond_with(posted("text")).with_priority(3).mount(server).await;
}

async fn uploads(server: &MockServer) -> Vec<Request> {
    server.received_requests().await.unwrap().into_iter().filter(is_upload).collect()
}

/// The bodies of the messages without a file that arrived.
async fn texts(server: &MockServer) -> Vec<String> {
    let requests = server.received_requests().await.unwrap();
    let messages = requests.iter().filter(|one| one.url.path().ends_with("/messages") && !is_upload(one));
    messages
        .map(|one| one.body_json::<serde_json::Value>().unwrap()["body"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_file_is_sent_as_a_form_with_the_message_first() {
    let server = server().await;
    serve_changes(&server, 0, 10).await;
    answer_uploads(&server, posted("m1")).await;
    let inbox = Inbox::of(&server.uri());
    let id = inbox.attach("user:bo", "计划.txt", b"the plan");
    inbox.pull().await.unwrap();
    let sent = uploads(&server).await.remove(0);
    assert_eq!(sent.headers.get("idempotency-key").unwrap(), id.as_str());
    assert_eq!(sent.headers.get("content-length").unwrap().to_str().unwrap(), sent.body.len().to_string());
    let body = String::from_utf8(sent.body).unwrap();
    let [message, file] =
        ["name=\"message\"", "name=\"file\"; filename=\"计划.txt\""].map(|part| body.find(part));
    assert!(message.unwrap() < file.unwrap(), "{body}");
    assert!(
        body.contains(r#""to":"bo""#) && body.contains("Here it is") && body.contains("the plan"),
        "{body}"
    );
    assert_eq!(inbox.outgoing()[0].posted.as_ref().unwrap().as_str(), "m1");
    assert_eq!(inbox.copies(), 1, "a history that begins anew may lack it");
}

#[tokio::test]
async fn a_file_whose_answer_is_lost_goes_again_under_the_same_key() {
    let server = server().await;
    serve_changes(&server, 0, 10).await;
    answer_upload_once(&server, problem(503, "unavailable")).await;
    answer_uploads(&server, posted("m1")).await;
    let inbox = Inbox::of(&server.uri());
    inbox.attach("user:bo", "plan.txt", b"the plan");
    let engine = inbox.quiet_engine().await;
    until("the file to be sent", || async { inbox.outgoing()[0].posted.is_some() }).await;
    let keys: Vec<_> =
        uploads(&server).await.iter().map(|one| one.headers.get("idempotency-key").cloned()).collect();
    assert_eq!((keys.len(), &keys[0]), (2, &keys[1]));
    engine.shutdown().await;
}

#[tokio::test]
async fn a_large_file_holds_up_only_its_own_conversation() {
    let server = server().await;
    serve_changes(&server, 3, 10).await;
    answer_uploads(&server, posted("m1").set_delay(LONG)).await;
    answer_messages(&server).await;
    let inbox = Inbox::of(&server.uri());
    inbox.write("user:bo", "before");
    inbox.attach("user:bo", "film.mp4", b"long");
    inbox.write("user:bo", "after");
    inbox.write("user:chen", "elsewhere");
    let engine = inbox.quiet_engine().await;
    until("the other messages and the pull", || async {
        inbox.unread() == 3 && texts(&server).await.len() == 2 && uploads(&server).await.len() == 1
    })
    .await;
    assert_eq!(texts(&server).await, ["before", "elsewhere"]);
    assert!(engine.uploads().borrow().values().all(|progress| progress.size == 4));
    inbox.write("user:chen", "and again");
    until("what comes later", || async { texts(&server).await.len() == 3 }).await;
    assert_eq!(uploads(&server).await.len(), 1, "it is still on its way");
    engine.shutdown().await;
}

#[tokio::test]
async fn what_was_written_after_a_file_follows_it() {
    let server = server().await;
    serve_changes(&server, 0, 10).await;
    answer_uploads(&server, posted("m1")).await;
    answer_messages(&server).await;
    let inbox = Inbox::of(&server.uri());
    inbox.attach("user:bo", "plan.txt", b"the plan");
    inbox.write("user:bo", "after");
    inbox.pull().await.unwrap();
    assert_eq!(texts(&server).await, ["after"]);
    assert!(inbox.outgoing().iter().all(|message| message.posted.is_some()));
}

#[tokio::test]
async fn a_message_that_is_discarded_while_its_file_is_sent_is_given_up() {
    let server = server().await;
    serve_changes(&server, 0, 10).await;
    answer_upload_once(&server, posted("m1").set_delay(LONG)).await;
    answer_uploads(&server, posted("m2")).await;
    let inbox = Inbox::of(&server.uri());
    let id = inbox.attach("user:bo", "film.mp4", b"long");
    let engine = inbox.quiet_engine().await;
    until("the upload", || async { engine.uploads().borrow().contains_key(&id) }).await;
    until("the request", || async { uploads(&server).await.len() == 1 }).await;
    inbox.replica.message_done(&id).unwrap();
    until("the end of the upload", || async { engine.uploads().borrow().is_empty() }).await;
    inbox.attach("user:bo", "b.txt", b"short");
    until("the next file", || async { inbox.outgoing()[0].posted.is_some() }).await;
    until("the copy to be removed", || async {
        engine.pull_and_wait().await;
        inbox.copies() == 1
    })
    .await;
    engine.shutdown().await;
}

#[tokio::test]
async fn a_refused_file_stays_with_the_reason_until_it_is_tried_again() {
    let server = server().await;
    serve_changes(&server, 0, 10).await;
    for (status, code) in [(413, "too_large"), (507, "no_room")] {
        answer_upload_once(&server, problem(status, code)).await;
    }
    answer_uploads(&server, posted("m1")).await;
    let inbox = Inbox::of(&server.uri());
    let id = inbox.attach("user:bo", "plan.txt", b"the plan");
    for refusal in ["413", "507"] {
        inbox.pull().await.unwrap();
        assert_eq!(inbox.outgoing()[0].refused.as_deref(), Some(refusal));
        assert_eq!(inbox.copies(), 1);
        inbox.replica.retry_message(&id).unwrap();
    }
    inbox.pull().await.unwrap();
    assert!(inbox.outgoing()[0].posted.is_some());
}

#[tokio::test]
async fn a_file_that_vanished_is_refused_and_holds_nothing_up() {
    let server = server().await;
    serve_changes(&server, 0, 10).await;
    answer_messages(&server).await;
    let inbox = Inbox::of(&server.uri());
    let id = inbox.attach("user:bo", "plan.txt", b"the plan");
    inbox.write("user:bo", "after");
    std::fs::remove_file(inbox.replica.folder().join(FOLDER).join(id)).unwrap();
    inbox.pull().await.unwrap();
    assert_eq!(inbox.outgoing()[0].refused.as_deref(), Some(Outgoing::FILE_MISSING));
    assert_eq!(texts(&server).await, ["after"]);
    assert!(uploads(&server).await.is_empty());
}

#[tokio::test]
async fn whether_a_server_takes_files_is_asked_with_each_connection() {
    let server = server().await;
    serve_changes(&server, 0, 10).await;
    let inbox = Inbox::of(&server.uri());
    inbox.pull().await.unwrap();
    let limit = || inbox.replica.source(inbox.source).unwrap().attachment_bytes;
    assert_eq!(limit(), None);
    let info = json!({"name": "tidings", "version": "1", "api": 1, "now": stamp(1),
        "limits": {"file_bytes": 15_000}});
    answer(&server, "info", ok(info)).await;
    inbox.pull().await.unwrap();
    assert_eq!(limit(), Some(15_000));
}
