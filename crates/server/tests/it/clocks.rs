//! Tests of servers whose clock is wrong: alone, and of two nodes over one PostgreSQL database; and of the mending of
//! that.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tidings_model::{Clock, Stamp, SystemClock};
use tidings_server::mend_clock::mend_clock;
use tidings_server::migrate::{Location, migrate};
use tidings_server::{Server, ServerConfig};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::postgres::Database;

use crate::support::{Client, Running, logged, start, start_in, until};
use crate::uploads::{files, until_files, upload};

const DAY_AND_HOUR: i64 = 25 * 3_600;

/// A node over a database, whose clock is off by so many seconds.
async fn node(database: &Database, off: i64) -> Running {
    node_with(database, off, |_| ()).await
}

/// The same with another configuration.
pub(crate) async fn node_with(
    database: &Database,
    off: i64,
    more: impl FnOnce(&mut ServerConfig),
) -> Running {
    node_in(Arc::new(tempfile::tempdir().unwrap()), database, off, more).await
}

/// The same in a folder, which has the files of its database.
async fn node_in(
    dir: Arc<TempDir>,
    database: &Database,
    off: i64,
    more: impl FnOnce(&mut ServerConfig),
) -> Running {
    let clock = Arc::new(ManualClock::running());
    clock.advance(off);
    let store = database.url.parse().unwrap();
    let configure = |config: &mut ServerConfig| {
        config.store = store;
        more(config);
    };
    start_in(dir, clock, configure).await
}

/// What is asked of a node and would take a stamp: the way, the path and the body.
fn asks_for_stamps(message: &Value, question: &Value) -> Vec<(Method, String, Value)> {
    let (message, question) = (message.as_str().unwrap(), question.as_str().unwrap());
    let notification = format!("notifications/{message}");
    let target = json!({"type": "article", "id": "1"});
    let reminder = json!({"actor": "bob", "action": "like", "target": target});
    let subscription = json!({"target": target, "reason": "create_article"});
    let op = |op: &str, msgid: &str| json!({"id": op, "op": op, "msgids": [msgid], "answer": "yes"});
    vec![
        (Method::POST, "announcements".into(), json!({"title": "new"})),
        (Method::POST, "reminders".into(), reminder),
        (Method::POST, "messages".into(), json!({"to": "bob", "body": "new"})),
        (Method::PATCH, notification.clone(), json!({"body": "edited"})),
        (Method::DELETE, notification, Value::Null),
        (Method::POST, "inbox/ops".into(), json!({"ops": [op("archive", message)]})),
        (Method::POST, "inbox/ops".into(), json!({"ops": [op("answer", question)]})),
        (Method::PUT, "conversations/user:bob/read".into(), json!({"through": message})),
        (Method::PUT, "subscriptions".into(), subscription),
        (Method::PUT, "follows/bob".into(), json!({})),
    ]
}

#[tokio::test]
async fn a_node_whose_clock_is_a_day_off_hands_out_no_stamps_and_tells_what_is_there_and_was_done() {
    let database = Database::empty();
    let right = node(&database, 0).await;
    let bob = right.user("bob").await;
    let posted = bob.post("messages", json!({"to": "root", "body": "of a right clock"})).await.is(201);
    let choice = json!({"answers": [{"id": "yes", "label": "Yes"}]});
    let asked = json!({"to": "root", "body": "Now?", "question": choice});
    let asked = bob.post("messages", asked).await.is(201);
    let stamps = || database.sql("SELECT (SELECT last FROM log), (SELECT max(last) FROM inboxes)");
    for off in [DAY_AND_HOUR, -DAY_AND_HOUR] {
        let wrong = node(&database, off).await;
        assert_eq!(wrong.admin.get("health/ready").await.status, 503, "its clock is named there");
        let before = stamps();
        // The token of the administrator is another one at each node; a key is of one token.
        let there = Client::new(&wrong.url, &right.admin.token);
        for (method, path, body) in asks_for_stamps(&posted["msgid"], &asked["msgid"]) {
            let refused = there.ask(method.clone(), &path, body).await;
            assert!(refused.headers.contains_key("retry-after"), "{method} {path}: {}", refused.body);
            refused.problem(503, "unavailable", None);
        }
        let published = there.request(Method::POST, "/ops");
        there.send(published.body("at ntfy's door")).await.is(503);
        let delayed = there.request(Method::POST, "/ops").header("In", "1h");
        there.send(delayed.body("in an hour")).await.is(503);
        assert_eq!(stamps(), before);
        // What the inbox has is read, by the clock of the database.
        assert_eq!((there.unread("total").await, there.inbox().await.len()), (2, 2));
        assert_eq!(there.pull(None, 10).await.0.len(), 2);
        let now: Stamp = there.get("info").await.is(200)["now"].as_str().unwrap().parse().unwrap();
        assert!(now.as_micros().abs_diff(SystemClock.now().as_micros()) < 600_000_000, "{now}");
        // A key that was refused is free, and one that was done gets its answer here, too.
        let (key, announcement) = (format!("key {off}"), json!({"title": "once"}));
        let refused = there.post_keyed("announcements", announcement.clone(), &key).await.unwrap();
        refused.problem(503, "unavailable", None);
        let done = right.admin.post_keyed("announcements", announcement.clone(), &key).await.unwrap().is(201);
        assert_eq!(there.post_keyed("announcements", announcement, &key).await.unwrap().is(201), done);
        let msgid = done["msgid"].as_str().unwrap();
        right.admin.delete(&format!("notifications/{msgid}")).await.is(204);
        // Its clock is put right.
        wrong.clock.advance(-off);
        until("it is ready", || async { wrong.admin.get("health/ready").await.status == 200 }).await;
        there.put("views/announcements/all", json!({})).await.is(200);
    }
    right.holds_together().await;
}

#[tokio::test]
async fn a_node_a_year_ahead_takes_no_lease_hands_out_no_stamps_and_deletes_and_delivers_nothing() {
    const YEAR: i64 = 365 * 24 * 3_600;
    // Everything is old at once.
    let strict = |config: &mut ServerConfig| {
        config.retain = Some(Duration::from_millis(1));
        config.upkeep_interval = Duration::from_millis(20);
    };
    logged();
    let database = Database::empty();
    let right = node(&database, 0).await;
    let token = right.admin.token.clone();
    right.admin.post("announcements", json!({"title": "precious"})).await.is(201);
    right.stop().await;
    let due = SystemClock.now().as_micros();
    database.sql(&format!(
        "DELETE FROM leases; INSERT INTO scheduled (msgid, deliver_at, draft) VALUES ('m', {due}, '{{}}')"
    ));
    let before = database.sql("SELECT last FROM log");
    let wrong = node_with(&database, YEAR, strict).await;
    until("it says why it does no upkeep", || async {
        logged().contains("this server is not ready, so it leaves upkeep to the others")
    })
    .await;
    assert_eq!(wrong.admin.get("health/ready").await.status, 503);
    let there = Client::new(&wrong.url, &token);
    let refused = there.post("announcements", json!({"title": "by the wrong node"})).await;
    refused.problem(503, "unavailable", None);
    assert_eq!(database.sql("SELECT last FROM log"), before, "neither a start nor a post moves a stamp");
    assert_eq!(database.sql("SELECT count(*) FROM leases"), "0");
    assert_eq!(database.sql("SELECT count(*) FROM notifications"), "1");
    assert_eq!(database.sql("SELECT count(*) FROM scheduled"), "1");
    // A node whose clock is right does what is to be done.
    let _right = node_with(&database, 0, strict).await;
    until("what is old is deleted", || async { database.sql("SELECT count(*) FROM notifications") == "0" })
        .await;
    until("what is due is taken", || async { database.sql("SELECT count(*) FROM scheduled") == "0" }).await;
}

#[tokio::test]
async fn a_start_moves_no_stamp_and_the_clock_of_the_database_a_month_on_holds_retention() {
    let database = Database::empty();
    let strict = |config: &mut ServerConfig| {
        config.retain = Some(Duration::from_secs(24 * 3_600));
        config.upkeep_interval = Duration::from_millis(20);
    };
    let s = node(&database, 0).await;
    s.admin.post("announcements", json!({"title": "precious"})).await.is(201);
    s.stop().await;
    // To the database everything is a month ago, which is what its clock a month ahead looks like.
    let month_ago = SystemClock.now().plus_secs(-30 * 24 * 3_600).as_micros();
    database.sql(&format!(
        "UPDATE notifications SET created_at = {month_ago}; UPDATE log SET last = {month_ago}; DELETE FROM items"
    ));
    let server = Server::open(
        {
            let mut config = ServerConfig::new(tempfile::tempdir().unwrap().path());
            config.store = database.url.parse().unwrap();
            config
        },
        Arc::new(SystemClock),
    )
    .await
    .unwrap();
    let admin = server.users().await.unwrap().remove(0);
    server.create_token(&admin.id, "made at each start", &[]).await.unwrap();
    assert_eq!(database.sql("SELECT last FROM log"), month_ago.to_string(), "a start moves no stamp");
    drop(server);
    let held = node_with(&database, 0, strict).await;
    // Of 24 hours, seconds may have run.
    until("retention is held", || async {
        database.sql("SELECT age_hold_secs > 23 * 3600 FROM meta") == "t"
    })
    .await;
    // Upkeep has run once the data of a removed user is gone.
    held.user("carol").await;
    held.admin.delete("users/carol").await.is(204);
    let removed = "SELECT count(*) FROM users WHERE id >= '~'";
    until("removed users go all the same", || async { database.sql(removed) == "0" }).await;
    assert_eq!(database.sql("SELECT count(*) FROM notifications"), "1");
    held.stop().await;
    let _trusted = node_with(&database, 0, |config| {
        strict(config);
        config.retain_now = true;
    })
    .await;
    until("what is old is deleted", || async { database.sql("SELECT count(*) FROM notifications") == "0" })
        .await;
}

#[tokio::test]
async fn a_clock_of_the_database_that_jumps_while_a_node_runs_deletes_nothing_by_age_after_restarts() {
    // More than files and receipts are kept.
    const JUMP: i64 = 40 * 24 * 3_600;
    const FILE: [(&str, &str); 1] = [("Filename", "a.txt")];
    let strict = |config: &mut ServerConfig| {
        config.retain = Some(Duration::from_secs(5 * 24 * 3_600));
        config.upkeep_interval = Duration::from_millis(20);
    };
    let database = Database::empty();
    let s = node(&database, 0).await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    s.admin.post("announcements", json!({"title": "precious"})).await.is(201);
    upload(&alice, "/notes", "precious", &FILE).await.is(200);
    alice.post("groups", json!({"id": "crew", "name": "Crew", "members": ["bob"]})).await.is(201);
    let sent = alice.post("groups/crew/messages", json!({"body": "precious"})).await.is(201);
    bob.put("conversations/group:crew/read", json!({"through": sent["msgid"]})).await.is(200);
    let upto = database.sql("SELECT last FROM log");
    let kept = || database.sql(&format!("SELECT count(*) FROM notifications WHERE created_at <= {upto}"));
    let receipts = || database.sql("SELECT count(*) FROM receipts");
    // Both clocks jump. The one of the database does so for connections that are made from now on.
    let name = database.sql("SELECT current_database()");
    database.sql(&format!(
        "CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
             $$ SELECT pg_catalog.clock_timestamp() + interval '{JUMP} seconds' $$;
         ALTER DATABASE {name} SET search_path = public, pg_catalog"
    ));
    database.cut_connections();
    s.clock.advance(JUMP);
    until("both clocks are the same", || async { s.admin.get("health/ready").await.status == 200 }).await;
    // What is published by them hides the jump from the next start, and no upkeep has seen it yet.
    s.admin.post("announcements", json!({"title": "of a wrong month"})).await.is(201);
    let held = || database.sql("SELECT age_hold_secs > 23 * 3600 FROM meta");
    assert_eq!(held(), "t", "the post has stored the hold");
    let (mut dir, _) = s.stop().await;
    for user in ["carol", "dave"] {
        database.sql("DELETE FROM leases");
        let s = node_in(dir, &database, JUMP, strict).await;
        // Files have been tidied once that of a recalled publication is gone, and upkeep has run once the data of a
        // removed user is.
        let alice = Client::new(&s.url, &alice.token);
        let recalled = upload(&alice, "/notes", "not meant", &FILE).await.is(200);
        alice.delete(&format!("notifications/{}", recalled["id"].as_str().unwrap())).await.is(204);
        until_files(&s, "the file of what is recalled goes all the same", 1).await;
        s.user(user).await;
        s.admin.delete(&format!("users/{user}")).await.is(204);
        let removed = "SELECT count(*) FROM users WHERE id >= '~'";
        until("removed users go all the same", || async { database.sql(removed) == "0" }).await;
        assert_eq!((kept(), receipts(), files(s.dir.path()).len()), ("3".into(), "1".into(), 1));
        assert_eq!(held(), "t", "no restart ends the wait");
        (dir, _) = s.stop().await;
    }
    // An operator who says that the clock is right gets what they asked for.
    database.sql("DELETE FROM leases");
    let s = node_in(dir, &database, JUMP, |config| {
        strict(config);
        config.retain_now = true;
    })
    .await;
    until("what is old is deleted", || async { kept() == "0" && receipts() == "0" }).await;
    until_files(&s, "the old file is gone", 0).await;
}

/// What a reader sees, without times: the list, what is unread, and the conversations.
async fn seen(reader: &Client) -> Value {
    let inbox = reader.get("inbox?limit=100").await.is(200)["items"].clone();
    let items: Vec<_> = inbox
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            let is_set = |name: &str| !item[name].is_null();
            json!([item["msgid"], item["version"], item["receipt"], is_set("read_at"), is_set("revised_at")])
        })
        .collect();
    let conversations = reader.get("conversations").await.is(200);
    let conversations: Vec<_> = conversations
        .as_array()
        .unwrap()
        .iter()
        .map(|one| json!([one["id"], one["last"]["msgid"], one["unread"]]))
        .collect();
    json!({"items": items, "conversations": conversations, "unread": reader.get("unread").await.is(200)})
}

/// The times in what a server says that are later than now; a question that was just asked ends in a day by right.
fn in_the_future(value: &Value, found: &mut Vec<String>) {
    later_than(SystemClock.now(), value, found);
}

fn later_than(latest: Stamp, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.parse::<Stamp>().is_ok_and(|time| time > latest) => {
            found.push(text.clone());
        }
        Value::Array(values) => values.iter().for_each(|value| later_than(latest, value, found)),
        Value::Object(values) => {
            for (name, value) in values {
                let secs = if name == "expires_at" { 24 * 3_600 } else { 0 };
                later_than(latest.plus_secs(secs), value, found);
            }
        }
        _ => {}
    }
}

/// What was to come in ten minutes under the wrong clock still does.
async fn assert_delay_kept(s: &Running) {
    let waiting = s.admin.get("/builds/json?poll=1&scheduled=1").await.is(200);
    let due = waiting["time"].as_i64().unwrap_or_else(|| panic!("{waiting}"));
    let delay = due - SystemClock.now().as_secs();
    assert!((0..=600).contains(&delay), "it comes in {delay} s");
}

/// The question that nobody answered waits for a day, and takes an answer.
async fn assert_question_open(s: &Running, alice: &Client, asked: &Value) {
    let item = alice.inbox().await.into_iter().find(|item| item["msgid"] == *asked).unwrap();
    let ends: Stamp = item["question"]["expires_at"].as_str().unwrap().parse().unwrap();
    assert!(ends > SystemClock.now().plus_secs(20 * 3_600), "{item}");
    assert_eq!(item["question"]["state"], "open");
    let op = json!({"id": "answered", "op": "answer", "msgids": [asked], "answer": "no"});
    let answered = alice.post("inbox/ops", json!({"ops": [op]})).await.is(200);
    assert_eq!(answered["results"][0]["ok"], true, "{answered}");
    s.holds_together().await;
}

/// Nothing that readers get has a time in the future, and everything is as it was before.
async fn assert_mended(s: &Running, epoch: &str, readers: [(&str, &Value); 2]) {
    let mut found = Vec::new();
    for (token, before) in readers {
        let reader = Client::new(&s.url, token);
        reader.get(&format!("sync?epoch={epoch}")).await.problem(410, "resync", None);
        assert_eq!(&seen(&reader).await, before);
        for path in
            ["sync", "inbox", "conversations", "subscriptions", "follows", "groups", "tokens", "receipts"]
        {
            in_the_future(&reader.get(path).await.is(200), &mut found);
        }
    }
    assert_eq!(found, Vec::<String>::new());
    s.holds_together().await;
    assert_eq!(s.server.stamps_ahead().await.unwrap(), None);
    // What was mended is found by its msgid.
    let reader = Client::new(&s.url, readers[0].0);
    let inbox = reader.get("inbox?kind=message&unread=true").await.is(200);
    let msgid = inbox["items"][0]["msgid"].as_str().unwrap().to_owned();
    let ops = json!({"ops": [{"id": format!("mended {msgid}"), "op": "archive", "msgids": [msgid]}]});
    assert_eq!(reader.post("inbox/ops", ops).await.is(200)["results"][0]["ok"], true);
    let archived = reader.get("inbox?archived=true").await.is(200);
    assert!(archived["items"].as_array().unwrap().iter().any(|item| item["msgid"] == *msgid), "{archived}");
    let sender = Client::new(&s.url, readers[1].0);
    in_the_future(
        &sender.post("messages", json!({"to": "alice", "body": "of today"})).await.is(201),
        &mut found,
    );
    assert_eq!(found, Vec::<String>::new(), "what comes later is of now, too");
}

/// Each id of a sequence leads to its notification, and so does the one that is shown now.
async fn assert_ids_lead_on(s: &Running, ids: &[Value]) {
    let shown = s.admin.get("/runs/json?poll=1").await.is(200)["id"].clone();
    for id in ids.iter().chain([&shown]) {
        let id = id.as_str().unwrap();
        let edited = s.admin.patch(&format!("notifications/{id}"), json!({"body": format!("by {id}")})).await;
        assert_eq!(edited.is(200)["msgid"], ids[0], "{id} of {ids:?}");
    }
}

#[tokio::test]
async fn what_a_clock_a_year_ahead_left_gets_stamps_of_now_in_its_order_in_both_databases() {
    const YEAR: i64 = 365 * 24 * 3_600;
    let s = start().await;
    let (alice, bob) = (s.user("alice").await, s.user("bob").await);
    bob.post("messages", json!({"to": "alice", "body": "of a right clock"})).await.is(201);
    s.clock.advance(YEAR);
    // Something in every table whose rows a user makes.
    alice
        .put("subscriptions", json!({"target": {"type": "topic", "id": "builds"}, "reason": "create_topic"}))
        .await
        .is(200);
    alice.put("follows/bob", json!({})).await.is(200);
    alice.post("groups", json!({"id": "crew", "name": "Crew", "members": ["bob"]})).await.is(201);
    s.admin.post("announcements", json!({"title": "to all"})).await.is(201);
    let choices = json!({"answers": [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]});
    let mut asked = Vec::new();
    for body in ["Now?", "Later?"] {
        let question = json!({"to": "alice", "body": body, "question": choices});
        asked.push(bob.post("messages", question).await.is(201)["msgid"].clone());
    }
    let op = json!({"id": "0", "op": "answer", "msgids": [asked[0]], "answer": "yes"});
    assert_eq!(alice.post("inbox/ops", json!({"ops": [op]})).await.is(200)["results"][0]["ok"], true);
    let delayed = s.admin.request(Method::POST, "/builds").header("In", "10m").body("in ten minutes");
    s.admin.send(delayed).await.is(200);
    let mut ids = Vec::new();
    for text in ["50 %", "60 %", "70 %"] {
        let step = s.admin.request(Method::POST, "/runs").header("X-Sequence-ID", "run").body(text);
        ids.push(s.admin.send(step).await.is(200)["id"].clone());
    }
    let mut sent = Vec::new();
    for nth in 0..3 {
        let body = json!({"to": "alice", "body": format!("message {nth}")});
        sent.push(bob.post("messages", body).await.is(201)["msgid"].as_str().unwrap().to_owned());
        let reminder = json!({"actor": "bob", "action": "like", "target": {"type": "article", "id": "1", "owner": "alice"}});
        bob.post("reminders", reminder).await.is(201);
    }
    let posted = bob.post("groups/crew/messages", json!({"body": "to the crew"})).await.is(201);
    seen(&alice).await;
    let through = json!({"through": posted["msgid"]});
    alice.put("conversations/group:crew/read", through).await.is(200);
    alice.put("conversations/user:bob/read", json!({"through": sent[1]})).await.is(200);
    let ops = json!({"ops": [{"id": "1", "op": "archive", "msgids": [sent[0]]}]});
    alice.post("inbox/ops", ops).await.is(200);
    let (of_alice, of_bob) = (seen(&alice).await, seen(&bob).await);
    let epoch = alice.get("sync").await.is(200)["epoch"].as_str().unwrap().to_owned();
    let tokens = [&alice.token, &bob.token].map(Clone::clone);

    // The clock is put right. Nothing is mended under a server that runs.
    s.clock.advance(-YEAR);
    assert!(s.server.stamps_ahead().await.unwrap().is_some());
    let config = ServerConfig::new(s.dir.path());
    let busy = mend_clock(&config.store, &config.data_dir, s.clock.clone()).await.unwrap_err().to_string();
    assert!(busy.contains("stop it first; nothing has changed"), "{busy}");
    let (dir, clock) = s.stop().await;
    let database = Database::empty();
    let locations =
        (Location::Folder(dir.path().to_owned()), Location::Database(database.url.parse().unwrap()));
    migrate(&locations.0, &locations.1, clock.clone(), &|_, _| ()).await.unwrap();

    assert!(mend_clock(&config.store, &config.data_dir, clock.clone()).await.unwrap() > 10);
    let s = start_in(dir, clock, |_| {}).await;
    assert_mended(&s, &epoch, [(&tokens[0], &of_alice), (&tokens[1], &of_bob)]).await;
    assert_delay_kept(&s).await;
    assert_question_open(&s, &Client::new(&s.url, &tokens[0]), &asked[1]).await;
    assert_ids_lead_on(&s, &ids).await;
    s.stop().await;

    let mut config = ServerConfig::new(tempfile::tempdir().unwrap().path());
    config.store = database.url.parse().unwrap();
    let running = node(&database, 0).await;
    let busy =
        mend_clock(&config.store, &config.data_dir, Arc::new(SystemClock)).await.unwrap_err().to_string();
    assert!(busy.contains("stop them first; nothing has changed"), "{busy}");
    running.stop().await;
    assert!(mend_clock(&config.store, &config.data_dir, Arc::new(SystemClock)).await.unwrap() > 10);
    assert_eq!(mend_clock(&config.store, &config.data_dir, Arc::new(SystemClock)).await.unwrap(), 0);
    let s = node(&database, 0).await;
    assert_mended(&s, &epoch, [(&tokens[0], &of_alice), (&tokens[1], &of_bob)]).await;
    assert_delay_kept(&s).await;
    assert_question_open(&s, &Client::new(&s.url, &tokens[0]), &asked[1]).await;
    assert_ids_lead_on(&s, &ids).await;
}
