//! The control of the check. A writer that does not hold the row of the log until its change is visible makes readers
//! miss its publications, and the check says so.

use std::time::Instant;

use serde_json::json;
use support::{client::Client, server::ServerProcess};
use tidings_model::Stamp;
use tidings_testkit::postgres::Database;

use super::readers::item_of;
use super::record::{Audience, Posted, ReaderRecord, Record};

/// Takes a stamp, in a transaction of its own that ends at once.
const TAKE_A_STAMP: &str = "UPDATE log SET last = last + 1000 RETURNING last";

/// The statement that makes an announcement visible at a stamp that was taken before.
fn announcement_at(stamp: &str) -> String {
    format!(
        "INSERT INTO notifications (created_at, msgid, kind, actor_id, actor_name, action, target_type, target_id,
             target_details, content)
         VALUES ({stamp}, 'late', 1, 'admin', 'admin', '', '', '', '', '{{\"title\": \"News\", \"body\": \"late\"}}')"
    )
}

/// An announcement, as it was acknowledged.
fn announced(body: &str, msgid: &str, stamp: &str, sent: Instant) -> Posted {
    let (msgid, stamp, body) = (msgid.to_owned(), stamp.to_owned(), body.to_owned());
    Posted { msgid, stamp, body, audience: Audience::Everyone, sent, acknowledged: Instant::now() }
}

/// The items that a reader gets with two pulls, one after the other, with `between` in between.
async fn pull_twice(reader: &Client, between: impl FnOnce()) -> ReaderRecord {
    let (first, _, next) = reader.pull(None, 100).await;
    tokio::task::block_in_place(between);
    let (second, ..) = reader.pull(Some(&next), 100).await;
    let items = first.iter().chain(&second).map(item_of).collect();
    ReaderRecord { id: "bob".to_owned(), items, ..ReaderRecord::default() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_check_notices_what_a_writer_without_the_lock_makes_a_reader_miss() {
    let database = Database::empty();
    let server = ServerProcess::on_database(&database.url);
    let bob = server.admin().user("bob", &["inbox"]).await;

    let sent = Instant::now();
    let early = tokio::task::block_in_place(|| database.sql(TAKE_A_STAMP));
    let body = json!({"title": "News", "body": "in time"});
    let posted = server.admin().post("announcements", body).await.success();
    let text = |name: &str| posted[name].as_str().expect("a text");
    let in_time = announced("in time", text("msgid"), text("stamp"), sent);

    let pulled = pull_twice(&bob, || drop(database.sql(&announcement_at(&early)))).await;
    let early = Stamp::from_micros(early.parse().expect("a number")).to_string();
    let late = announced("late", "late", &early, sent);
    let record = Record { posted: vec![in_time, late], readers: vec![pulled] };
    let differences = record.differences();
    assert!(matches!(&*differences, [lost] if lost.starts_with("lost for bob")), "{differences:#?}");
}
