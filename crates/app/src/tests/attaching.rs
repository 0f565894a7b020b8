//! Tests of files in conversations, with a real server: attached, sent, cancelled, refused, and fetched again.

use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tidings_ipc::{AttachedFile, FileState, IpcEvent, Preview, SourceForm, ThreadId};
use tidings_model::{Lang, Notification, SystemClock};
use tidings_ports::GivenFile;
use tidings_replica::Outgoing;
use tidings_sources::{Since, Source, Tidings};
use tidings_sync::outgoing_files::FOLDER;

use super::harness::{TestApp, open, open_at, until};
use super::work_server::{Work, work};

/// A picture of one pixel.
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";

/// Ana's desktop with the work server as a source, and her conversation with Bo.
async fn at_work(work: &Work) -> (TestApp, i64, ThreadId) {
    let test = open().connected().await;
    let form = SourceForm {
        protocol: "tidings".into(),
        url: work.url.clone(),
        token: work.ana.clone(),
        name: "Work".into(),
        sign_in: None,
    };
    let source = test.app.sources.add_source(form).await.unwrap();
    work.message_to_ana().await;
    let thread = || test.app.context.replica.thread_by_key(source, "user:bo").unwrap();
    until("the conversation", || thread().is_some()).await;
    until("the limit of files", || limit(&test, source).is_some()).await;
    let thread = thread().unwrap().id;
    (test, source, thread)
}

fn limit(test: &TestApp, source: i64) -> Option<u64> {
    test.app.context.replica.source(source).unwrap().attachment_bytes
}

impl TestApp {
    /// Writes a file, which the next dialog returns.
    fn choose_content(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        self.choose_file(&path);
        path
    }

    async fn attach(&self, thread: ThreadId, name: &str, content: &[u8]) -> AttachedFile {
        self.choose_content(name, content);
        self.app.composer_files.choose_file(thread).await.unwrap().unwrap()
    }

    fn outgoing(&self, source: i64) -> Vec<Outgoing> {
        self.app.context.replica.outgoing(source).unwrap()
    }

    fn copies(&self) -> usize {
        std::fs::read_dir(self.folder.path().join(FOLDER)).map_or(0, Iterator::count)
    }

    fn error_text(&self, result: crate::Result<Option<AttachedFile>>) -> String {
        result.unwrap_err().to_ipc(self.app.context.lang()).text
    }
}

/// What Bo received, oldest first.
async fn received(work: &Work) -> Vec<Notification> {
    let bo = Tidings::new(&work.url, work.bo.clone(), Arc::new(SystemClock)).unwrap();
    let items = bo.page(Since::default(), 100).await.unwrap().page.items;
    items.into_iter().filter(|item| item.actor.id == "ana").collect()
}

#[tokio::test]
async fn a_file_arrives_with_its_text_and_can_be_looked_at() {
    let work = work().await;
    let (test, source, thread) = at_work(&work).await;
    let path = test.choose_content("door.png", PICTURE);
    let file = test.app.composer_files.choose_file(thread).await.unwrap().unwrap();
    assert_eq!((file.name.as_str(), file.size), ("door.png", PICTURE.len() as u64));
    std::fs::remove_file(path).unwrap();
    let attached = test.app.reading.thread(thread, None).await.unwrap().composer.unwrap().files;
    assert_eq!(attached, std::slice::from_ref(&file));

    test.app.conversations.send_message(thread, " Who is it? ".into(), vec![file.id]).await.unwrap();
    until("the message to come back", || test.outgoing(source).is_empty()).await;
    until("the copy to be removed", || test.copies() == 0).await;
    assert!(test.app.reading.thread(thread, None).await.unwrap().composer.unwrap().files.is_empty());
    let arrived = received(&work).await;
    let attachment = arrived[0].content.attachment.as_ref().unwrap();
    assert_eq!((arrived.len(), arrived[0].content.body.as_str()), (1, "Who is it?"));
    assert_eq!((attachment.name.as_str(), attachment.size), ("door.png", Some(PICTURE.len() as u64)));

    let msgid = arrived[0].msgid.as_str().to_owned();
    test.with_page().await;
    let own = test.app.reading.thread(thread, None).await.unwrap().items.pop().unwrap().msgid;
    test.app.attachments.fetch_file(thread, own.clone()).await.unwrap();
    until("the file to be here", || {
        let here = |event: &IpcEvent| matches!(event, IpcEvent::File { file: FileState::Here { .. }, .. });
        test.events.lock().unwrap().iter().any(here)
    })
    .await;
    let preview = test.app.attachments.preview_file(thread, own).await.unwrap();
    assert!(matches!(preview, Preview::Image { src, .. } if src.starts_with("data:image/png")), "{msgid}");
}

#[tokio::test]
async fn a_file_that_was_sent_while_offline_survives_a_restart_and_arrives_once() {
    let work = work().await;
    let (test, source, thread) = at_work(&work).await;
    test.app.sources.pause_source(source, true).await.unwrap();
    let file = test.attach(thread, "plan.txt", b"the plan").await;
    let id = file.id.clone();
    test.app.conversations.send_message(thread, String::new(), vec![file.id]).await.unwrap();
    std::fs::remove_file(test.folder.path().join("plan.txt")).unwrap();
    let preview = test.app.composer_files.preview_outgoing(id.clone()).await.unwrap();
    assert_eq!(preview, Preview::Text { text: "the plan".into(), cut: false }, "it is seen while it waits");
    for stranger in ["../plan.txt", "../replica.db", "0"] {
        assert!(test.app.composer_files.preview_outgoing(stranger.into()).await.is_err(), "{stranger}");
    }
    let composer = test.app.reading.thread(thread, None).await.unwrap().composer.unwrap();
    assert_eq!(composer.outgoing[0].file.as_ref().unwrap().name, "plan.txt");
    assert_eq!(composer.outgoing[0].body, "plan.txt", "a name stands for a text");
    test.app.shutdown().await;
    let folder = test.folder;
    drop(test.app);

    let again = open_at(folder, Lang::En).connected().await;
    assert_eq!((again.copies(), again.outgoing(source).len()), (1, 1));
    again.app.sources.pause_source(source, false).await.unwrap();
    until("the message to come back", || again.outgoing(source).is_empty()).await;
    let arrived = received(&work).await;
    assert_eq!(arrived.len(), 1);
    assert_eq!(arrived[0].content.attachment.as_ref().unwrap().name, "plan.txt");
    until("the copy to be removed", || again.copies() == 0).await;
    assert!(again.app.composer_files.preview_outgoing(id).await.is_err(), "the item has it now");
}

#[tokio::test]
async fn what_is_dropped_or_pasted_comes_in_pieces_and_each_file_is_a_message() {
    let work = work().await;
    let (test, source, thread) = at_work(&work).await;
    let app = &test.app;
    let mut ids = Vec::new();
    for (name, pieces) in [("../a.txt", vec!["hello ", "there"]), ("b.txt", vec!["second"])] {
        let size = pieces.concat().len() as u64;
        let begun = app.composer_files.begin_file(thread, name, size).await.unwrap();
        assert!(
            app.conversations.send_message(thread, "x".into(), vec![begun.id.clone()]).await.is_err(),
            "not whole yet"
        );
        for piece in pieces {
            app.composer_files.add_piece(&begun.id, &STANDARD.encode(piece)).await.unwrap();
        }
        ids.push(begun.id);
    }
    let half = app.composer_files.begin_file(thread, "half.txt", 2).await.unwrap();
    app.window_closed();
    assert!(app.composer_files.add_piece(&half.id, "eA==").await.is_err(), "its page is gone");
    let unwanted = app.composer_files.begin_file(thread, "c.txt", 1).await.unwrap();
    app.composer_files.remove_file(&unwanted.id);
    assert!(app.composer_files.add_piece(&unwanted.id, "eA==").await.is_err());
    app.conversations.send_message(thread, "Both".into(), ids).await.unwrap();
    until("the messages to come back", || test.outgoing(source).is_empty()).await;
    let arrived = received(&work).await;
    let arrived: Vec<_> = arrived
        .iter()
        .map(|item| (&*item.content.body, &*item.content.attachment.as_ref().unwrap().name))
        .collect();
    assert_eq!(arrived, [("Both", "a.txt"), ("b.txt", "b.txt")]);
}

#[tokio::test]
async fn files_that_the_page_does_not_get_are_taken_from_the_desktop_one_after_the_other() {
    let work = work().await;
    let (test, source, thread) = at_work(&work).await;
    let files = &test.app.composer_files;
    let path = test.folder.path().join("first.txt");
    std::fs::write(&path, b"one").unwrap();
    let picture = |bytes: usize| GivenFile::Picture { name: "image.png", bytes: vec![7; bytes] };
    *test.desktop.given.lock().unwrap() = vec![picture(2), GivenFile::Path(path)];
    let mut given = Vec::new();
    while let Some(file) = files.given_file(thread).await.unwrap() {
        given.push((file.name, file.size));
    }
    assert_eq!(given, [("first.txt".to_owned(), 3), ("image.png".to_owned(), 2)]);
    test.desktop.given.lock().unwrap().push(GivenFile::Path(test.folder.path().to_owned()));
    let text = test.error_text(files.given_file(thread).await);
    assert!(text.starts_with("Only files can be attached"), "{text}");
    test.app.context.replica.set_attachment_bytes(source, Some(10)).unwrap();
    test.desktop.given.lock().unwrap().push(picture(11));
    let text = test.error_text(files.given_file(thread).await);
    assert!(text.starts_with("The file is larger than 10 B"), "{text}");
    assert_eq!(test.copies(), 2, "a picture that was refused leaves nothing");
}

#[tokio::test]
async fn what_cannot_be_attached_says_why_and_leaves_nothing() {
    let work = work().await;
    let (test, source, thread) = at_work(&work).await;
    test.app.context.replica.set_attachment_bytes(source, Some(10)).unwrap();
    test.choose_content("disk.img", &[0; 11]);
    let text = test.error_text(test.app.composer_files.choose_file(thread).await);
    assert_eq!(text, "The file is larger than 10 B, the most that the server accepts. It was not attached");
    let text = test.error_text(test.app.composer_files.begin_file(thread, "disk.img", 11).await.map(Some));
    assert!(text.contains("larger than 10 B"), "{text}");
    let small = test.app.composer_files.begin_file(thread, "a", 2).await.unwrap();
    assert!(
        test.app.composer_files.add_piece(&small.id, &STANDARD.encode("more")).await.is_err(),
        "more than was said"
    );
    test.choose_file(test.folder.path());
    let text = test.error_text(test.app.composer_files.choose_file(thread).await);
    assert!(text.starts_with("Only files can be attached"), "{text}");
    test.choose_file(&test.folder.path().join("missing"));
    let text = test.error_text(test.app.composer_files.choose_file(thread).await);
    assert!(text.starts_with("The file could not be attached"), "{text}");
    assert!(test.app.composer_files.choose_file(thread).await.unwrap().is_none(), "the dialog was cancelled");
    for _ in 0..10 {
        test.app.composer_files.begin_file(thread, "a", 1).await.unwrap();
    }
    let text = test.error_text(test.app.composer_files.begin_file(thread, "a", 1).await.map(Some));
    assert_eq!(text, "10 files are already attached. Send them first");
    test.app.context.replica.set_attachment_bytes(source, None).unwrap();
    let composer = test.app.reading.thread(thread, None).await.unwrap().composer.unwrap();
    assert_eq!((composer.files.len(), composer.attachment_bytes), (0, None));
}

#[tokio::test]
async fn a_file_that_waits_can_be_given_up_and_one_that_vanished_says_so() {
    let work = work().await;
    let (test, source, thread) = at_work(&work).await;
    test.app.sources.pause_source(source, true).await.unwrap();
    let file = test.attach(thread, "plan.txt", b"the plan").await;
    test.app.conversations.send_message(thread, "Here".into(), vec![file.id.clone()]).await.unwrap();
    test.app.conversations.discard_message(file.id).await.unwrap();
    assert_eq!((test.copies(), test.outgoing(source).len()), (0, 0));

    let file = test.attach(thread, "plan.txt", b"the plan").await;
    test.app.conversations.send_message(thread, "Here".into(), vec![file.id.clone()]).await.unwrap();
    std::fs::remove_file(test.folder.path().join(FOLDER).join(&file.id)).unwrap();
    test.app.sources.pause_source(source, false).await.unwrap();
    until("the refusal", || test.outgoing(source)[0].refused.is_some()).await;
    let view = test.app.reading.thread(thread, None).await.unwrap().composer.unwrap().outgoing.remove(0);
    assert!(view.failed.unwrap().starts_with("The copy of the file is no longer on this computer"));
    assert!(received(&work).await.is_empty());
}

#[tokio::test]
async fn a_file_that_the_server_refuses_is_sent_when_it_takes_it() {
    let test = open().running();
    let work = test.source("Work");
    let replica = &test.app.context.replica;
    replica.set_attachment_bytes(work, Some(15_000_000)).unwrap();
    replica.write_message(work, "user:bo", serde_json::from_str(r#"{"body":"x"}"#).unwrap()).unwrap();
    let thread = replica.thread_by_key(work, "user:bo").unwrap().unwrap().id;
    let file = test.attach(thread, "plan.txt", b"the plan").await;
    test.app.conversations.send_message(thread, String::new(), vec![file.id.clone()]).await.unwrap();
    replica.set_attachment_bytes(work, Some(5)).unwrap();
    for (status, words) in [
        ("413", "The file is larger than the server accepts (5 B)"),
        ("415", "The server does not accept files"),
        ("507", "The server has no room for your files now. Try again when older ones have expired"),
        ("403", "You may not write to this person"),
    ] {
        replica.message_refused(&file.id, status).unwrap();
        let view =
            test.app.reading.thread(thread, None).await.unwrap().composer.unwrap().outgoing.pop().unwrap();
        assert_eq!(view.failed.as_deref(), Some(words));
        test.app.conversations.retry_message(file.id.clone()).await.unwrap();
    }
    replica.set_attachment_bytes(work, Some(15_000_000)).unwrap();
    replica.message_refused(&file.id, "413").unwrap();
    let view = test.app.reading.thread(thread, None).await.unwrap().composer.unwrap().outgoing.pop().unwrap();
    assert!(view.failed.unwrap().starts_with("The server has no room"), "it is within the limit");
    assert_eq!(test.copies(), 1, "each try has its file");
    assert_eq!(test.app.storage.storage().await.unwrap().attachments, 8);
}

#[tokio::test]
async fn what_was_attached_and_not_sent_goes_with_the_program() {
    let work = work().await;
    let (test, _, thread) = at_work(&work).await;
    test.attach(thread, "plan.txt", b"the plan").await;
    let left = test.folder.path().join(FOLDER).join("0123456789abcdef0123456789abcdef");
    std::fs::write(&left, "of a killed program").unwrap();
    let folder = test.folder;
    test.app.shutdown().await;
    drop(test.app);
    let again = open_at(folder, Lang::En).connected().await;
    assert!(!left.exists());
    let composer = again.app.reading.thread(thread, None).await.unwrap().composer.unwrap();
    assert!(composer.files.is_empty());
}
