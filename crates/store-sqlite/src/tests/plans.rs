//! Asserts that every statement of the store uses an index: the conformance suite runs the statements, and SQLite's
//! query plans are examined.

use std::path::Path;
use std::sync::Arc;

use tidings_model::wire::Scope;
use tidings_model::{Actor, Kind, Stamp};
use tidings_store::future_stamps::FutureStamps;
use tidings_store::prelude::*;
use tidings_store::{
    Audience, ConversationQuery, Draft, ListQuery, NewToken, Outcome, Recipients, TargetRef, User, UserKey,
};

use super::{make, make_small};
use crate::groups::pending;
use crate::{SqliteStore, prepare_copy};
use tidings_testkit::clock::ManualClock;
use tidings_testkit::statements::{self, Listed, Unrun};

const CHECK: &str = "`tidings check` reads everything once, on a connection of its own";
const BY_SOURCE: &str = "sorts what is new for one user up to the horizon, at most 20,000 rows";
const OF_ONE_USER: &str = "the memberships of one user, where more groups changed than that";

/// Plan steps that are allowed without an index, each with the reason.
const LISTED: &[Listed] = &[
    // The first column of each of these queries is the name of the difference.
    Listed { statement: "SELECT '", step: "SCAN ", reason: CHECK },
    Listed { statement: "SELECT '", step: "USE TEMP B-TREE", reason: CHECK },
    Listed {
        statement: "FROM subscriptions s CROSS JOIN notifications n",
        step: "USE TEMP B-TREE FOR ORDER BY",
        reason: BY_SOURCE,
    },
    Listed {
        statement: "FROM memberships s CROSS JOIN group_messages m",
        step: "USE TEMP B-TREE FOR ORDER BY",
        reason: BY_SOURCE,
    },
    Listed {
        statement: "FROM memberships m INDEXED BY memberships_by_user CROSS JOIN groups g",
        step: "USE TEMP B-TREE FOR",
        reason: OF_ONE_USER,
    },
];

/// Columns that do not distinguish the rows of an inbox: an index search on these alone may go through all rows of a
/// user.
const USER_COLUMNS: &[&str] = &["user", "unread", "kind"];

const LIMITED: &str = "answers its first rows, in the order of the index, and no condition passes any over";
const BATCH: &str = "ends at a row that was found before, a batch further on";
const PAGE: &str =
    "ends when the page is full; the index has the order of the page and nothing that is not on it";
const SNOOZE_FILTER: &str =
    "ends at its cap or page; on the way it passes over what sleeps, in the index alone";

const FEW: &str = "at most as many rows as one user may have, which is a limit";
/// Allowed searches on [`USER_COLUMNS`] columns alone, each with the reason why it ends.
const RANGES: &[Listed] = &[
    Listed { statement: "SELECT '", step: "SEARCH ", reason: CHECK },
    Listed { statement: "= ?1 LIMIT ?2)", step: "SEARCH ", reason: LIMITED },
    Listed { statement: "m.left_at = 0 LIMIT ?2", step: "SEARCH m ", reason: LIMITED },
    Listed {
        statement: "WHERE i.user = ?1 ORDER BY i.created_at LIMIT ?2",
        step: "SEARCH i ",
        reason: LIMITED,
    },
    Listed {
        statement: "DELETE FROM items WHERE user = ?1 AND created_at <= ?2",
        step: "SEARCH items ",
        reason: BATCH,
    },
    Listed {
        statement: "AND own = 1 AND kind = 3 ORDER BY created_at LIMIT ?3",
        step: "SEARCH items ",
        reason: "reads on past what others sent, on a connection for reading",
    },
    Listed {
        statement: "SELECT view, name, stamp FROM closed_conversations",
        step: "SEARCH closed_conversations ",
        reason: PAGE,
    },
    Listed { statement: "ORDER BY created_at LIMIT 1 OFFSET ?", step: "SEARCH items ", reason: LIMITED },
    Listed {
        statement: "SELECT created_at FROM items WHERE user = ?1 AND +kind = 3 AND own = 0",
        step: "SEARCH items ",
        reason: "goes through what a pull has brought once: the position moves past it",
    },
    Listed {
        statement: "AND created_at <= ?5 ORDER BY created_at LIMIT 1",
        step: "SEARCH items ",
        reason: LIMITED,
    },
    Listed {
        statement: "SELECT target_type FROM subscriptions WHERE user = ?1 AND target_type > ?2 ORDER BY target_type LIMIT 1",
        step: "SEARCH ",
        reason: LIMITED,
    },
    Listed {
        statement: "SELECT 1 FROM items WHERE user = ?1 AND stamp > ?2 LIMIT",
        step: "SEARCH ",
        reason: LIMITED,
    },
    Listed {
        statement: "SELECT max(stamp) FROM",
        step: "SEARCH ",
        reason: "the newest stamp is the end of the index",
    },
    Listed { statement: "ORDER BY view LIMIT 1", step: "SEARCH ", reason: LIMITED },
    Listed { statement: "SELECT view, newest_at FROM conversations", step: "SEARCH ", reason: PAGE },
    Listed {
        statement: "FROM gotify_messages m INDEXED BY gotify_messages_by_user",
        step: "SEARCH m ",
        reason: PAGE,
    },
    Listed { statement: "ORDER BY id DESC LIMIT 1", step: "SEARCH gotify_messages ", reason: LIMITED },
    Listed { statement: "a.user = ?1 ORDER BY a.id", step: "SEARCH a ", reason: FEW },
    Listed { statement: "c.user = ?1 ORDER BY c.id", step: "SEARCH c ", reason: FEW },
    Listed { statement: "SELECT count(*) FROM gotify_", step: "SEARCH gotify_", reason: FEW },
    Listed { statement: "SELECT coalesce(sum(bytes), 0) FROM gotify_images", step: "SEARCH ", reason: FEW },
    Listed { statement: "UPDATE items SET unread = 2", step: "SEARCH ", reason: "what this test plants" },
    Listed {
        statement: "DELETE FROM users WHERE key = ?1 AND id >= '~'",
        step: "SEARCH ",
        reason: "the rows that would go along went before it, in portions",
    },
    Listed {
        statement: "DELETE FROM conversations WHERE user = ?1 AND view > ?2 AND view <= ?3",
        step: "SEARCH conversations ",
        reason: BATCH,
    },
    Listed {
        statement: "SELECT created_at FROM items INDEXED BY items_unread",
        step: "SEARCH items ",
        reason: LIMITED,
    },
    Listed { statement: "UPDATE items AS o SET unread", step: "SEARCH o ", reason: BATCH },
    Listed {
        statement: "SELECT action, wanted FROM preferences",
        step: "SEARCH ",
        reason: "one row for each action of the catalog at most",
    },
    Listed {
        statement: "FROM follows WHERE user = ?1 AND actor > ?2 ORDER BY actor",
        step: "SEARCH ",
        reason: PAGE,
    },
    Listed {
        statement: "FROM memberships m INDEXED BY memberships_now CROSS JOIN groups g ON g.key = m.group_key AND g.id",
        step: "SEARCH m ",
        reason: PAGE,
    },
    Listed { statement: "ORDER BY i.stamp", step: "SEARCH i ", reason: PAGE },
    Listed {
        statement: "SELECT kind, view, mark, stamp FROM read_marks",
        step: "SEARCH read_marks ",
        reason: PAGE,
    },
    Listed { statement: "FROM tokens t INDEXED BY tokens_by_user", step: "SEARCH t ", reason: PAGE },
    Listed {
        statement: "ORDER BY i.content_at DESC LIMIT :limit",
        step: "SEARCH i USING INDEX items_listed ",
        reason: PAGE,
    },
    Listed {
        statement: "ORDER BY i.content_at DESC LIMIT :limit",
        step: "SEARCH i USING INDEX items_archived ",
        reason: PAGE,
    },
    Listed {
        statement: "ORDER BY i.content_at DESC LIMIT :limit",
        step: "SEARCH i USING INDEX items_unread_listed ",
        reason: SNOOZE_FILTER,
    },
    Listed {
        statement: "FROM items INDEXED BY items_unread WHERE user = :user",
        step: "SEARCH items ",
        reason: SNOOZE_FILTER,
    },
    Listed {
        statement: "FROM subscriptions s CROSS JOIN notifications n",
        step: "SEARCH ",
        reason: BY_SOURCE,
    },
    Listed {
        statement: "FROM memberships s CROSS JOIN group_messages m",
        step: "SEARCH s ",
        reason: BY_SOURCE,
    },
    Listed {
        statement: "FROM memberships m INDEXED BY memberships_by_user CROSS JOIN groups g",
        step: "SEARCH m ",
        reason: OF_ONE_USER,
    },
];

/// Statements that no test runs, each with the reason.
const UNRUN: &[Unrun] = &[];

fn is_test(file: &Path) -> bool {
    file.parent().is_some_and(|folder| folder.ends_with("tests"))
}

/// Runs what the conformance suite does not: pages after the first one, targets with more subscribers than connected
/// users, and repairs and deletions of upkeep.
async fn run_rare_statements(store: &SqliteStore, clock: &ManualClock) {
    let user_key = |did: Outcome<User>| match did {
        Outcome::Done(user) => user.key,
        Outcome::Replayed(_) => unreachable!("nobody asked before"),
    };
    let ann = user_key(store.add_user("ann", "Ann", None).await.unwrap());
    let bob = user_key(store.add_user("bob", "Bob", None).await.unwrap());
    let token = NewToken {
        id: "t".into(),
        hash: [1; 32],
        label: String::new(),
        scopes: vec![Scope::Inbox],
        made_by: None,
    };
    store.add_token("ann", token, None).await.unwrap();
    store.tokens(Some(ann), ListQuery::first(9).after("t")).await.unwrap();
    store.add_group(ann, Some("crew".into()), "Crew".into(), vec!["bob".into()], None).await.unwrap();
    store.members("crew", ListQuery::first(9).after("ann")).await.unwrap();
    let mut drafts = vec![];
    for to in [Audience::Group("crew".into()), Audience::User("bob".into())] {
        drafts.push(Draft::new(Kind::Message, to, Actor { id: "ann".into(), name: "Ann".into() }));
    }
    store.post(drafts, None).await.unwrap();
    let query = ConversationQuery { before: None, limit: 9, cap: 9 };
    store.conversations(ann, query).await.unwrap();
    for user in [ann, bob] {
        let target = TargetRef { kind: "a".into(), id: "1".into() };
        store.subscribe(user, target, vec!["like".into()], None).await.unwrap();
        store.follow(user, "x").await.unwrap();
    }
    store.subscriptions(ann, None, Some("1".into()), ListQuery::first(9)).await.unwrap();
    let recipients = Recipients::Subscribers {
        kind: "a".into(),
        id: "1".into(),
        action: "like".into(),
        actor: "x".into(),
    };
    store.recipients_among(&[recipients], &[UserKey(-1)]).await.unwrap();
    store.write(move |w| pending::begin(w, ann, "left", "Left")).await.unwrap();
    clock.advance(2 * 3_600);
    while store.prune(None, 9).await.unwrap() {}
    store
        .db
        .write(move |tx| {
            Ok::<_, tidings_sqlite::Error>(
                tx.execute("UPDATE items SET unread = 2 WHERE user = ?1", [ann.0])?,
            )
        })
        .await
        .unwrap();
    assert!(!store.reconcile(UserKey(0), Stamp::ZERO, 9).await.unwrap().0.is_empty());
    assert_eq!(store.check().await.unwrap(), []);
}

#[tokio::test]
async fn every_statement_of_the_server_goes_through_an_index() {
    statements::record();
    tidings_conformance::store_conformance!(@checks [@in_turn make;]);
    tidings_conformance::store_conformance!(@bounds [@in_turn make_small;]);
    let dir = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::default());
    let store = SqliteStore::open(&dir.path().join("server.db"), clock.clone()).unwrap();
    run_rare_statements(&store, &clock).await;
    let copy = dir.path().join("copy.db");
    store.backup(&copy).await.unwrap();
    let as_clock = clock.clone() as Arc<dyn tidings_model::Clock>;
    prepare_copy(&copy, &as_clock, FutureStamps::Refuse, |_, _| Ok(0)).unwrap();
    let found = store.read(|c| Ok(statements::audit(c, LISTED)?)).await.unwrap();
    assert!(found.is_empty(), "{}", found.join("\n\n"));
    let ranges = store.read(|c| Ok(statements::audit_ranges(c, USER_COLUMNS, RANGES)?)).await.unwrap();
    assert!(ranges.is_empty(), "{}", ranges.join("\n\n"));
    let sources = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    let never = statements::never_ran(sources, &is_test, UNRUN).unwrap();
    assert!(never.is_empty(), "{}", never.join("\n\n"));
}
