//! The cache on a Redis of its own: it gives the counts that a recount gives, whatever happens to Redis.

use std::sync::Arc;

use tidings_model::wire::{Change, Op, UnreadCounts};
use tidings_model::{Actor, Clock, Kind, Mark, MsgId, Stamp};
use tidings_store::prelude::*;
use tidings_store::{Audience, CacheFigures, Draft, Outcome, RequestedOp, UserKey};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::postgres::Database;
use tidings_testkit::redis::Redis;
use tidings_testkit::tls::{Authority, TlsFront};
use tidings_testkit::wait;

use super::database;
use crate::redis::unread_cache::CacheRead;
use crate::{PostgresOptions, PostgresStore, RedisAddress};

/// A handle on a database with a cache that is connected.
pub(super) async fn cached(database: &Database, redis: &Redis, clock: Arc<dyn Clock>) -> PostgresStore {
    // On a busy machine an answer takes longer than a reader waits.
    let patient = PostgresOptions { cache_timeout: wait::TEST_TIMEOUT, ..PostgresOptions::default() };
    connected(database, redis, clock, patient).await
}

async fn connected(
    database: &Database,
    redis: &Redis,
    clock: Arc<dyn Clock>,
    options: PostgresOptions,
) -> PostgresStore {
    let options = PostgresOptions { cache: Some(redis.url().parse().unwrap()), ..options };
    let store = PostgresStore::connect_under(&database.url, clock, options).await.unwrap();
    wait::until("the cache is connected", || async { !figures(&store).is_open }).await;
    store
}

fn figures(store: &PostgresStore) -> CacheFigures {
    store.cache_figures().unwrap()
}

pub(super) async fn add_user(store: &PostgresStore, id: &str) -> UserKey {
    match store.add_user(id, id, None).await.unwrap() {
        Outcome::Done(user) => user.key,
        Outcome::Replayed(_) => panic!("nobody asked before"),
    }
}

pub(super) async fn write(store: &PostgresStore, from: &str, to: &str) -> MsgId {
    let by = Actor { id: from.into(), name: from.into() };
    let draft = Draft::new(Kind::Message, Audience::User(to.into()), by);
    match store.post(vec![draft], None).await.unwrap() {
        Outcome::Done(posts) => posts[0].posted.msgid.clone(),
        Outcome::Replayed(_) => panic!("nobody asked before"),
    }
}

async fn apply(store: &PostgresStore, user: UserKey, id: &str, change: Change) {
    let op = RequestedOp { id: id.to_owned(), op: Some(Op { id: id.to_owned(), change }) };
    store.apply(user, vec![op], 99, None).await.unwrap();
}

async fn fresh(store: &PostgresStore, user: UserKey) -> UnreadCounts {
    store.fresh_unread(user, 1_000).await.unwrap()
}

/// The unread messages of a user, which a recount has to agree with.
async fn messages(store: &PostgresStore, user: UserKey) -> u64 {
    let told = fresh(store, user).await;
    assert_eq!(told, store.unread(user, 1_000).await.unwrap(), "the recount");
    told.message.count
}

/// The only hash of a user.
fn key_of(redis: &Redis, user: UserKey) -> String {
    let keys = redis.keys(&format!("tidings:*:unread:{}", user.0));
    assert_eq!(keys.len(), 1, "{keys:?}");
    keys[0].clone()
}

fn field(redis: &Redis, key: &str, name: &str) -> String {
    redis.ask(&["HGET", key, name])
}

/// Two handles on one database with a cache, and the users ann and bob.
async fn two_nodes(redis: &Redis) -> (Database, Arc<ManualClock>, [PostgresStore; 2], [UserKey; 2]) {
    let (database, clock) = (database().await, Arc::new(ManualClock::default()));
    let one = cached(&database, redis, clock.clone()).await;
    let two = cached(&database, redis, clock.clone()).await;
    let users = [add_user(&one, "ann").await, add_user(&one, "bob").await];
    (database, clock, [one, two], users)
}

#[tokio::test]
async fn what_one_node_counted_another_one_tells_and_a_direct_message_is_added() {
    let redis = Redis::start();
    let (_database, _, [one, two], [ann, bob]) = two_nodes(&redis).await;
    assert_eq!(messages(&one, ann).await, 0);
    assert_eq!((figures(&one).misses, figures(&one).hits), (1, 0));
    assert_eq!(messages(&two, ann).await, 0);
    assert_eq!((figures(&two).misses, figures(&two).hits), (0, 1));
    messages(&two, bob).await;

    write(&one, "bob", "ann").await;
    write(&one, "bob", "ann").await;
    let (key, of_bob) = (key_of(&redis, ann), key_of(&redis, bob));
    wait::until("the messages are added to both", || async {
        field(&redis, &key, "m") == "2" && field(&redis, &key, "v") == field(&redis, &of_bob, "v")
    })
    .await;
    let hits = figures(&two).hits;
    let told = fresh(&two, ann).await;
    assert_eq!((told.message.count, told.conversations["user:bob"].count), (2, 2));
    assert_eq!(messages(&two, bob).await, 0, "what one wrote oneself is not unread");
    assert_eq!(figures(&two).hits, hits + 2, "neither was counted again");
    // Half an hour from the last read, and up to a tenth more.
    redis.ask(&["PEXPIRE", &key, "600000"]);
    messages(&two, ann).await;
    let alive: i64 = redis.ask(&["PTTL", &key]).parse().unwrap();
    assert!((11 * 60_000..=33 * 60_000).contains(&alive), "{alive} ms");
}

#[tokio::test]
async fn a_hash_is_made_by_who_reads_alone_goes_when_a_step_was_missed_and_never_gets_older() {
    let redis = Redis::start();
    let (_database, _, [one, _], [ann, bob]) = two_nodes(&redis).await;
    for user in [ann, bob] {
        messages(&one, user).await;
    }
    let (cache, epoch) = (one.unread_cache.as_ref().unwrap(), one.epoch().await.unwrap());
    let CacheRead::Counts(older) = cache.peek(ann, &epoch).await else { panic!("it was counted") };
    let (key, of_bob) = (key_of(&redis, ann), key_of(&redis, bob));
    // The steps of a message to both inboxes are sent together.
    let write_and_step = async || {
        let before = field(&redis, &of_bob, "v");
        write(&one, "bob", "ann").await;
        wait::until("both steps were taken", || async { field(&redis, &of_bob, "v") != before }).await;
    };
    redis.ask(&["DEL", &key]);
    write_and_step().await;
    assert_eq!(redis.ask(&["EXISTS", &key]), "0", "a writer makes none");

    messages(&one, ann).await;
    redis.ask(&["HINCRBY", &key, "v", "-1"]);
    write_and_step().await;
    assert_eq!(redis.ask(&["EXISTS", &key]), "0", "a step before this one was missed");

    messages(&one, ann).await;
    let newer = field(&redis, &key, "v");
    cache.fill(ann, &epoch, &older).await;
    assert_eq!((field(&redis, &key, "v"), messages(&one, ann).await), (newer, 2));
}

#[tokio::test]
async fn counts_hold_until_a_snooze_ends_and_while_retention_takes_nothing_of_them() {
    let redis = Redis::start();
    let (_database, clock, [one, two], [ann, _]) = two_nodes(&redis).await;
    let first = write(&one, "bob", "ann").await;
    write(&one, "bob", "ann").await;
    assert_eq!(messages(&one, ann).await, 2);
    let until = clock.now().plus_secs(10);
    apply(&one, ann, "1", Change::Mark { mark: Mark::Snooze { until }, msgids: vec![first], at: None }).await;
    assert_eq!((messages(&one, ann).await, messages(&two, ann).await), (1, 1));
    clock.advance(11);
    assert_eq!((messages(&two, ann).await, messages(&one, ann).await), (2, 2), "it is back");
    clock.advance(-11);
    assert_eq!((messages(&one, ann).await, messages(&two, ann).await), (1, 1), "clocks may go back");

    clock.advance(100);
    assert_eq!(messages(&two, ann).await, 2);
    let later = clock.now();
    while one.prune(Some(later), 1).await.unwrap() {
        messages(&two, ann).await;
    }
    assert_eq!(messages(&two, ann).await, 0);
    // What was added to nothing is forgotten, too.
    write(&one, "bob", "ann").await;
    let key = key_of(&redis, ann);
    wait::until("the message is added", || async { field(&redis, &key, "m") == "1" }).await;
    clock.advance(100);
    while one.prune(Some(clock.now()), 100).await.unwrap() {}
    assert_eq!(messages(&two, ann).await, 0);
}

#[tokio::test]
async fn a_redis_that_is_killed_is_missed_by_nobody_and_is_in_use_when_it_is_back() {
    let mut redis = Redis::start();
    let (_database, _, [one, two], [ann, _]) = two_nodes(&redis).await;
    assert_eq!(messages(&one, ann).await, 0);
    redis.kill();
    for n in 1..=12 {
        write(&one, "bob", "ann").await;
        assert_eq!((messages(&one, ann).await, messages(&two, ann).await), (n, n));
    }
    assert!(figures(&one).unanswered > 0);
    wait::until("it is left alone", || async { figures(&one).is_open && figures(&two).is_open }).await;

    redis.restart();
    let hits = figures(&two).hits;
    wait::until("it is in use again", || async {
        assert_eq!((messages(&one, ann).await, messages(&two, ann).await), (12, 12));
        figures(&two).hits > hits
    })
    .await;
}

#[tokio::test]
async fn a_redis_that_hangs_is_left_alone_until_it_answers() {
    let redis = Redis::start();
    let (database, clock, _, [ann, _]) = two_nodes(&redis).await;
    let one = connected(&database, &redis, clock, PostgresOptions::default()).await;
    assert_eq!(messages(&one, ann).await, 0);
    redis.freeze();
    for n in 1..=8 {
        write(&one, "bob", "ann").await;
        assert_eq!(messages(&one, ann).await, n);
    }
    assert!(figures(&one).is_open, "nobody waits for it any more");
    redis.thaw();
    let hits = figures(&one).hits;
    wait::until("it is in use again", || async {
        assert_eq!(messages(&one, ann).await, 8);
        figures(&one).hits > hits
    })
    .await;
    assert!(!figures(&one).is_open);
}

#[tokio::test]
async fn two_systems_on_one_redis_do_not_mix() {
    let redis = Redis::start();
    let (_one, _, [here, _], [ann, _]) = two_nodes(&redis).await;
    let (_two, _, [there, _], [eve, _]) = two_nodes(&redis).await;
    assert_eq!(ann, eve, "the same key in both");
    write(&here, "bob", "ann").await;
    assert_eq!((messages(&here, ann).await, messages(&there, eve).await), (1, 0));
    write(&there, "bob", "ann").await;
    write(&there, "bob", "ann").await;
    assert_eq!((messages(&here, ann).await, messages(&there, eve).await), (1, 2));
    assert_eq!(redis.keys(&format!("tidings:*:unread:{}", ann.0)).len(), 2);
}

#[tokio::test]
async fn counts_are_never_told_past_their_version() {
    let redis = Redis::start();
    let (_database, _, [one, two], [ann, _]) = two_nodes(&redis).await;
    write(&one, "bob", "ann").await;
    assert_eq!(messages(&one, ann).await, 1);
    let key = key_of(&redis, ann);
    let version: i64 = field(&redis, &key, "v").parse().unwrap();
    for wrong in [version - 1, version + 1, version + 1_000_000] {
        redis.ask(&["HSET", &key, "v", &wrong.to_string(), "m", "700", "c:user:eve", "700"]);
        assert_eq!((messages(&one, ann).await, messages(&two, ann).await), (1, 1), "{wrong}");
        let hits = figures(&one).hits;
        assert_eq!(messages(&one, ann).await, 1);
        assert_eq!(figures(&one).hits, hits + 1, "and it was replaced");
    }
    redis.ask(&["DEL", &key]);
    for nonsense in [["HSET", &key, "v", "nonsense"], ["HSET", &key, "m", "many"]] {
        redis.ask(&nonsense);
        assert_eq!(messages(&two, ann).await, 1);
    }
}

#[tokio::test]
async fn a_wrong_number_of_the_right_version_is_found_by_a_recount_and_repaired() {
    let redis = Redis::start();
    let (_database, _, [one, two], [ann, bob]) = two_nodes(&redis).await;
    write(&one, "bob", "ann").await;
    for user in [ann, bob] {
        messages(&one, user).await;
    }
    assert_eq!(one.reconcile_cache(20).await.unwrap(), []);
    assert_eq!((figures(&one).compared, figures(&one).repaired), (2, 0));

    let key = key_of(&redis, ann);
    redis.ask(&["HSET", &key, "m", "7", "c:user:bob", "7"]);
    assert_eq!(fresh(&one, ann).await.message.count, 7, "it can't be told from a right one");
    let found = one.reconcile_cache(20).await.unwrap();
    let numbers: Vec<_> = found.iter().map(|d| (d.stored.as_str(), d.counted.as_str())).collect();
    assert_eq!(numbers, [("7", "1"), ("7", "1")]);
    assert_eq!(figures(&one).repaired, 2);
    assert_eq!((messages(&one, ann).await, messages(&two, ann).await), (1, 1));
}

#[tokio::test]
async fn a_new_epoch_begins_with_nothing_cached() {
    let redis = Redis::start();
    let (_database, _, [one, two], [ann, _]) = two_nodes(&redis).await;
    write(&one, "bob", "ann").await;
    assert_eq!(messages(&one, ann).await, 1);
    let key = key_of(&redis, ann);
    redis.ask(&["HSET", &key, "m", "7"]);
    one.new_epoch().await.unwrap();
    assert_eq!((messages(&two, ann).await, messages(&one, ann).await), (1, 1));
}

#[tokio::test]
async fn a_long_list_of_conversations_is_counted_and_not_cached() {
    let redis = Redis::start();
    let (database, _, [one, _], [ann, _]) = two_nodes(&redis).await;
    write(&one, "bob", "ann").await;
    let many = "INSERT INTO items (user_key, created_at, stamp, version, kind, unread, auto, own, view)
        SELECT user_key, created_at + n, stamp + n, 1, 3, 1, true, false, 'user:x' || n
        FROM items, generate_series(1, 1200) n WHERE kind = 3 AND NOT own";
    database.sql(many);
    database.sql("UPDATE inboxes SET last = last + 2000");
    for _ in 0..2 {
        let told = fresh(&one, ann).await;
        assert_eq!((told.conversations.len(), told.message.capped), (1_000, true));
    }
    assert_eq!(figures(&one).hits, 0);
}

#[tokio::test]
async fn a_redis_is_reached_by_its_port_with_its_password() {
    let redis = Redis::with_password("s3cret");
    let database = database().await;
    let port = redis.port().await;
    let address =
        |password: &str| -> RedisAddress { format!("redis://:{password}@127.0.0.1:{port}").parse().unwrap() };
    let options = PostgresOptions {
        bus: Some(address("s3cret")),
        cache: Some(address("s3cret")),
        cache_timeout: wait::TEST_TIMEOUT,
        ..PostgresOptions::default()
    };
    let clock = Arc::new(ManualClock::default());
    let store = PostgresStore::connect_under(&database.url, clock.clone(), options).await.unwrap();
    wait::within_timeout("the bus", store.others_changed()).await;
    wait::until("the cache", || async { !figures(&store).is_open }).await;
    let ann = add_user(&store, "ann").await;
    assert_eq!((messages(&store, ann).await, messages(&store, ann).await), (0, 0));
    assert_eq!(figures(&store).hits, 1);

    // Encrypted, with a certificate that is verified.
    let (authority, other) = (Authority::new("Ours"), Authority::new("Theirs"));
    let front = TlsFront::start(&format!("127.0.0.1:{port}"), &authority.server("localhost"), None).await;
    let folder = tempfile::tempdir().unwrap();
    for (authority, connects) in [(&other, false), (&authority, true)] {
        let roots = folder.path().join("roots.pem");
        std::fs::write(&roots, authority.pem()).unwrap();
        let place = front.url().replace("https://", "rediss://:s3cret@");
        let address: RedisAddress = format!("{place}?sslrootcert={}", roots.display()).parse().unwrap();
        let cache_timeout = wait::TEST_TIMEOUT;
        let options = PostgresOptions { cache: Some(address), cache_timeout, ..PostgresOptions::default() };
        let store = PostgresStore::connect_under(&database.url, clock.clone(), options).await.unwrap();
        if connects {
            wait::until("the encrypted cache", || async { !figures(&store).is_open }).await;
        }
        assert_eq!(messages(&store, ann).await, 0);
        assert_eq!((figures(&store).hits == 1, figures(&store).is_open), (connects, !connects));
    }

    let options = PostgresOptions { cache: Some(address("wrong")), ..PostgresOptions::default() };
    let refused = PostgresStore::connect_under(&database.url, clock, options).await.unwrap();
    assert_eq!(messages(&refused, ann).await, 0);
    assert!(figures(&refused).is_open);
}

#[tokio::test]
async fn a_store_without_a_cache_counts() {
    let database = database().await;
    let store = super::connect(&database.url, Arc::new(ManualClock::at(Stamp::from_micros(7)))).await;
    let ann = add_user(&store, "ann").await;
    write(&store, "ann", "ann").await;
    assert_eq!(fresh(&store, ann).await.total.count, 0);
    assert!(store.cache_figures().is_none());
    assert_eq!(store.reconcile_cache(20).await.unwrap(), []);
}
