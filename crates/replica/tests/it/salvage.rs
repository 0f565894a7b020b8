//! Tests of a damaged file: whatever page of it is damaged, the rest is kept, and the new file is sound.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;
use tidings_model::{Actor, Clock, Notification, QuestionState, Stamp, SystemClock};
use tidings_replica::{
    FILE, Item, Mark, NewSource, Page, Replacement, Replica, Rule, Salvage, Salvaged, SavedSearch,
    ServiceItem, SourceId, Targets,
};
use tidings_testkit::pages::{PAGE_BYTES, bits, kinds};
use tidings_testkit::{clock::ManualClock, fuzz};

/// The items of each source.
const ITEMS: i64 = 150;

fn clock() -> Arc<dyn Clock> {
    Arc::new(SystemClock)
}

fn open(folder: &Path) -> Replica {
    Replica::open(folder, clock()).unwrap()
}

fn add_source(replica: &Replica, name: &str, protocol: &str) -> SourceId {
    let url = format!("https://{protocol}.example");
    let new =
        NewSource { name: name.into(), protocol: protocol.into(), url, user: Some("ana".into()), own: false };
    replica.add_source(new).unwrap()
}

fn at(n: i64) -> Stamp {
    "2026-11-20T06:00:00Z".parse::<Stamp>().unwrap().plus_secs(n)
}

/// The reminder of a number, on a thread of its own for every ten.
fn reminder(n: i64) -> Notification {
    serde_json::from_value(json!({
        "msgid": format!("m{n}"), "stamp": at(n), "version": 1, "kind": "reminder", "created_at": at(n),
        "thread": format!("article:{}#comment", n / 10), "actor": {"id": "bob", "name": "Bob"}, "action": "comment",
        "target": {"type": "article", "id": (n / 10).to_string()}, "body": "Nice work ".repeat(20),
    }))
    .unwrap()
}

/// A replica with two sources, and with all that its reader may have set up and written.
fn filled() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let replica = open(folder.path());
    let (work, topics) = (add_source(&replica, "Work", "tidings"), add_source(&replica, "Topics", "ntfy"));
    let page = Page {
        items: (0..ITEMS).map(reminder).collect(),
        next: Some(at(ITEMS).to_string()),
        ..Page::default()
    };
    replica.apply(work, page).unwrap();
    let service = (0..ITEMS).map(|n| {
        let actor = Actor { id: "t".into(), name: "t".into() };
        ServiceItem::new(&*format!("t/{n}"), at(n), "topic:t#publish", actor)
    });
    replica
        .apply(topics, Page { service_items: service.collect(), next: Some("7".into()), ..Page::default() })
        .unwrap();
    let mark = |msgid: &str, mark| replica.mark(Targets::MsgIds(vec![msgid.into()]), mark).unwrap();
    mark("m3", Mark::Read);
    mark("m4", Mark::Archive);
    mark("m5", Mark::Delete);
    mark("m6", Mark::Snooze { until: SystemClock.now().plus_secs(1_000_000) });
    mark("t/3", Mark::Read);
    replica.acknowledge(topics, &answers(&replica, topics)).unwrap();
    let thread = replica.thread_by_key(work, "article:2#comment").unwrap().unwrap();
    replica.mark(Targets::Threads(vec![thread.id]), Mark::Pin).unwrap();
    let muted = replica.thread_by_key(work, "article:3#comment").unwrap().unwrap();
    replica.mark(Targets::Threads(vec![muted.id]), Mark::Mute { until: None }).unwrap();
    replica.save_draft(work, "user:bo", "Dear Bo").unwrap();
    replica
        .write_message(work, "user:cy", serde_json::from_value(json!({"to": "cy", "body": "Hello"})).unwrap())
        .unwrap();
    replica.set_setting("desktop", &json!({"theme": "dark"})).unwrap();
    replica.save_rule(Rule { name: "Quiet".into(), ..Rule::default() }).unwrap();
    replica.save_search(SavedSearch { id: 0, name: "Mine".into(), query: "from:bob".into() }).unwrap();
    assert_eq!(replica.check().unwrap(), []);
    folder
}

/// Applied answers to all operations that wait.
fn answers(replica: &Replica, source: SourceId) -> Vec<tidings_model::wire::OpResult> {
    let applied =
        |op: tidings_model::wire::Op| tidings_model::wire::OpResult { id: op.id, ok: true, code: None };
    replica.pending(source, 100).unwrap().into_iter().map(applied).collect()
}

/// Copies a replica that nobody has open.
fn copy(from: &Path) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(from.join(FILE), folder.path().join(FILE)).unwrap();
    folder
}

/// Flips bytes of a page, from 1.
fn flip(folder: &Path, page: usize, bytes: std::ops::Range<usize>) {
    let mut file = fs::read(folder.join(FILE)).unwrap();
    for byte in &mut file[(page - 1) * PAGE_BYTES..][bytes] {
        *byte ^= 0xa5;
    }
    fs::write(folder.join(FILE), file).unwrap();
}

fn root_page(folder: &Path, table: &str) -> usize {
    let conn = Connection::open(folder.join(FILE)).unwrap();
    let root: i64 =
        conn.query_row("SELECT rootpage FROM sqlite_master WHERE name = ?1", [table], |r| r.get(0)).unwrap();
    root.try_into().unwrap()
}

/// Makes the root of a table's tree name its first page in place of each other but the last.
fn repeat_first_page(folder: &Path, table: &str) {
    let start = (root_page(folder, table) - 1) * PAGE_BYTES;
    let mut file = fs::read(folder.join(FILE)).unwrap();
    let page = &mut file[start..][..PAGE_BYTES];
    assert!([2, 5].contains(&page[0]), "the root of {table} is a leaf");
    let number = |at: usize| usize::from(u16::from_be_bytes([page[at], page[at + 1]]));
    let cells: Vec<usize> = (0..number(3)).map(|nth| number(12 + 2 * nth)).collect();
    assert!(cells.len() > 2, "{table} has few pages");
    let first: [u8; 4] = page[cells[0]..][..4].try_into().unwrap();
    for cell in cells {
        page[cell..][..4].copy_from_slice(&first);
    }
    fs::write(folder.join(FILE), file).unwrap();
}

/// A page of the table of items with the last reminders, of which no mark waits to be sent.
fn page_of_reminders(folder: &Path) -> usize {
    let conn = Connection::open(folder.join(FILE)).unwrap();
    let sql = "SELECT pageno FROM dbstat WHERE name = 'items' AND pagetype = 'leaf' ORDER BY path DESC";
    let mut leaves = conn.prepare(sql).unwrap();
    let pages: Vec<usize> = leaves.query_map([], |r| r.get(0)).unwrap().map(Result::unwrap).collect();
    let file = fs::read(folder.join(FILE)).unwrap();
    let has_reminders = |page: &usize| {
        file[(page - 1) * PAGE_BYTES..][..PAGE_BYTES].windows(9).any(|bytes| bytes == b"Nice work")
    };
    pages.into_iter().find(has_reminders).unwrap()
}

fn repair(folder: &Path) -> (Replica, Salvaged) {
    let Salvage { replacement, salvaged } = Replica::salvage(folder, &clock()).unwrap();
    Replacement::put_in_place(&[replacement]).unwrap();
    (open(folder), salvaged)
}

/// How many of the things that the reader set up and wrote are there.
fn kept(replica: &Replica) -> usize {
    let Some(work) = replica.sources().unwrap().into_iter().find(|source| source.name == "Work") else {
        return 0;
    };
    let thread = |key: &str| replica.thread_by_key(work.id, key).unwrap();
    let waiting: usize = replica
        .pending(work.id, 100)
        .unwrap()
        .iter()
        .map(|op| format!("{op:?}").matches("MsgId(").count())
        .sum();
    [
        thread("article:2#comment").is_some_and(|thread| thread.pinned),
        thread("article:3#comment").is_some_and(|thread| thread.muted),
        replica.draft(work.id, "user:bo").unwrap() == "Dear Bo",
        replica.outgoing(work.id).unwrap().len() == 1,
        replica.setting("desktop").unwrap() == Some(json!({"theme": "dark"})),
        replica.rules().unwrap().len() == 1,
        replica.saved_searches().unwrap().len() == 1,
        waiting == 4,
        replica
            .items_by_msgid(None, &["m6".into()])
            .is_ok_and(|items| items.first().is_some_and(|item| item.notification.snoozed_until.is_some())),
        replica.sources().unwrap().len() == 2,
        work.cursor.is_none() && !work.complete,
    ]
    .into_iter()
    .filter(|is_kept| *is_kept)
    .count()
}

#[test]
fn a_sound_file_is_taken_over_whole_and_pulled_again_from_the_beginning() {
    let folder = filled();
    let before = open(folder.path());
    let (unread, counts) = (before.counts().unwrap().total, before.counts().unwrap());
    let work = before.sources().unwrap()[0].id;
    let waiting = before.pending(work, 100).unwrap();
    before.postpone_requests(work, Duration::from_secs(600)).unwrap();
    let waits = before.waits(work).unwrap();
    drop(before);
    let (replica, salvaged) = repair(folder.path());
    assert_eq!(salvaged, Salvaged { sources: 2, items: 2 * ITEMS as u64, lost_sources: Vec::new(), lost: 0 });
    assert_eq!(replica.check().unwrap(), []);
    assert_eq!(kept(&replica), 11);
    let after = replica.counts().unwrap();
    assert_eq!((after.total, after.badge, after.waiting), (unread, counts.badge, counts.waiting));
    let read = replica.items_by_msgid(None, &["t/3".into()]).unwrap();
    assert!(read[0].notification.read_at.is_some(), "what its service does not keep is kept here");
    assert_eq!(replica.pending(work, 100).unwrap(), waiting, "with their ids, and when the reader put them");
    assert_eq!(
        (replica.waits(work).unwrap(), waits.requests.is_some()),
        (waits, true),
        "asked for by its server"
    );
    // What a pull brings again is known.
    let again = Page { items: (0..ITEMS).map(reminder).collect(), next: Some("1".into()), ..Page::default() };
    let applied = replica.apply(work, again).unwrap();
    assert_eq!((applied.arrived.len(), replica.counts().unwrap().total), (0, unread));
    assert!(folder.path().join(format!("{FILE}.before")).exists(), "the damaged file stays");
    assert_eq!(replica.check().unwrap(), []);
}

#[test]
fn whatever_page_is_damaged_the_others_are_kept_and_the_new_file_is_sound() {
    let folder = filled();
    drop(open(folder.path()));
    let pages = fs::read(folder.path().join(FILE)).unwrap().len() / PAGE_BYTES;
    let (mut items, mut whole) = (0, 0);
    for page in 1..=pages {
        let damaged = copy(folder.path());
        // The kind of the page, the places of its cells, and a part of its content.
        flip(damaged.path(), page, 0..12);
        flip(damaged.path(), page, 2_000..2_100);
        let (replica, salvaged) = repair(damaged.path());
        assert_eq!(replica.check().unwrap(), [], "page {page} of {pages}");
        items += salvaged.items;
        whole += usize::from(kept(&replica) == 11);
    }
    assert!(whole * 100 >= pages * 80, "all that was set up is kept in {whole} of {pages} cases");
    let share = items * 100 / (pages as u64 * 2 * ITEMS as u64);
    assert!(share >= 90, "{share} % of all items are kept");
}

/// The things that are [`kept`], and all items.
fn contents(folder: &Path) -> (usize, Vec<Item>) {
    let (replica, mut items) = (open(folder), Vec::new());
    replica
        .export(&mut |some: Vec<Item>| {
            items.extend(some);
            true
        })
        .unwrap();
    (kept(&replica), items)
}

/// Asserts that the damage of a file is told, or that all is there as before. Gives whether it is told.
fn is_told(folder: &Path, before: &(usize, Vec<Item>), what: &str) -> bool {
    let told = Replica::damage(folder, &clock()).unwrap();
    assert!(told.is_some() || contents(folder) == *before, "{what} changes something and is not told");
    told.is_some()
}

#[test]
fn a_flipped_bit_in_each_kind_of_page_is_told_or_changes_nothing_and_is_repaired() {
    let folder = filled();
    let before = contents(folder.path());
    let bytes = fs::read(folder.path().join(FILE)).unwrap();
    let kinds = kinds(&bytes);
    for kind in ["leaf of a table", "leaf of an index", "interior page of a table"] {
        assert!(kinds.contains_key(kind), "{kinds:?}");
    }
    let (mut files, mut told, mut whole) = (0, 0, 0);
    for (kind, page) in kinds {
        for (at, bit) in bits(kind) {
            let what = format!("bit {bit} of byte {at} of page {page}, {kind}");
            let damaged = copy(folder.path());
            let mut bytes = bytes.clone();
            bytes[(page - 1) * PAGE_BYTES + at] ^= bit;
            fs::write(damaged.path().join(FILE), bytes).unwrap();
            files += 1;
            told += usize::from(is_told(damaged.path(), &before, &what));
            let (replica, _) = repair(damaged.path());
            assert_eq!(replica.check().unwrap(), [], "{what}");
            whole += usize::from(kept(&replica) == 11);
        }
    }
    assert!(told >= 10, "{told} of {files} are told");
    assert!(whole * 2 > files, "all that was set up is kept in {whole} of {files} cases");
}

#[test]
fn a_file_that_was_cut_is_told_and_what_is_left_of_it_is_kept() {
    let folder = filled();
    let before = contents(folder.path());
    let file = fs::read(folder.path().join(FILE)).unwrap();
    let pages = file.len() / PAGE_BYTES;
    let mut kept_items = Vec::new();
    for left in [pages - 1, pages * 3 / 4, pages / 2, pages / 3, 1] {
        // In the middle of a page, too.
        for more in [0, PAGE_BYTES / 2] {
            let damaged = copy(folder.path());
            fs::write(damaged.path().join(FILE), &file[..left * PAGE_BYTES + more]).unwrap();
            let what = format!("{left} of {pages} pages and {more} bytes");
            // Of the last page, nothing may be used.
            assert!(is_told(damaged.path(), &before, &what) || left == pages - 1, "{what}");
            let (replica, salvaged) = repair(damaged.path());
            assert_eq!(replica.check().unwrap(), [], "{what}");
            kept_items.push(salvaged.items);
        }
    }
    assert!(kept_items[0] >= ITEMS as u64 && kept_items[2] > 0, "{kept_items:?}");
}

#[test]
fn a_killed_replica_without_its_log_is_read_if_its_pages_fit_together_and_is_repaired_if_not() {
    let folder = filled();
    let before = contents(folder.path());
    let (killed, file) = (copy(folder.path()), fs::read(folder.path().join(FILE)).unwrap());
    // The lock says that nobody closed the file.
    let lock = killed.path().join(format!("{FILE}.lock"));
    fs::write(&lock, "x").unwrap();
    assert!(!is_told(killed.path(), &before, "the log that is gone"));
    // The last pages were in the log alone.
    fs::write(killed.path().join(FILE), &file[..file.len() - 4 * PAGE_BYTES]).unwrap();
    fs::write(&lock, "x").unwrap();
    assert!(is_told(killed.path(), &before, "the log that had the last pages"));
    let (replica, salvaged) = repair(killed.path());
    assert!(salvaged.items >= ITEMS as u64, "{salvaged:?}");
    assert_eq!(replica.check().unwrap(), []);
}

#[test]
fn a_source_that_cannot_be_read_is_named_and_the_rest_is_kept() {
    let folder = filled();
    drop(open(folder.path()));
    let page = root_page(folder.path(), "sources");
    flip(folder.path(), page, 0..8);
    assert!(Replica::damage(folder.path(), &clock()).unwrap().is_some());
    let (replica, salvaged) = repair(folder.path());
    assert_eq!((salvaged.sources, salvaged.lost_sources), (0, vec!["Topics".to_owned(), "Work".to_owned()]));
    assert_eq!((replica.rules().unwrap().len(), replica.saved_searches().unwrap().len()), (1, 1));
    assert_eq!(Replica::damage(folder.path(), &clock()).unwrap(), None);
}

#[test]
fn one_damaged_page_of_items_costs_its_own_items_alone() {
    let folder = filled();
    drop(open(folder.path()));
    flip(folder.path(), page_of_reminders(folder.path()), 0..8);
    let (replica, salvaged) = repair(folder.path());
    let lost = 2 * ITEMS as u64 - salvaged.items;
    assert!((1..60).contains(&lost) && salvaged.lost > 0, "{lost} of {} are lost", 2 * ITEMS);
    assert_eq!((kept(&replica), replica.check().unwrap().len()), (11, 0));
}

/// The pages of the leaves of a table, in the order of their rows.
fn leaves(folder: &Path, table: &str) -> Vec<usize> {
    let conn = Connection::open(folder.join(FILE)).unwrap();
    let sql = "SELECT pageno FROM dbstat WHERE name = ?1 AND pagetype = 'leaf' ORDER BY path";
    let mut leaves = conn.prepare(sql).unwrap();
    leaves.query_map([table], |r| r.get(0)).unwrap().map(Result::unwrap).collect()
}

/// Makes the row id of an item, which is encoded in two bytes, one beyond those of all others.
fn raise_row_id(folder: &Path, encoded: [u8; 2]) {
    let mut file = fs::read(folder.join(FILE)).unwrap();
    for page in leaves(folder, "items") {
        let page = &mut file[(page - 1) * PAGE_BYTES..][..PAGE_BYTES];
        let number = |at: usize| usize::from(u16::from_be_bytes([page[at], page[at + 1]]));
        let mut cells = (0..number(3)).map(|nth| number(8 + 2 * nth));
        // Before the row id is the number of bytes of the row.
        let row_id = |cell: usize| cell + 1 + page[cell..].iter().take_while(|byte| **byte >= 0x80).count();
        if let Some(at) = cells.find_map(|cell| Some(row_id(cell)).filter(|at| page[*at..][..2] == encoded)) {
            page[at] = 0xff;
            return fs::write(folder.join(FILE), file).unwrap();
        }
    }
    panic!("there is no item {encoded:?}");
}

#[test]
fn a_row_id_beyond_all_others_costs_no_row_behind_it() {
    let folder = filled();
    drop(open(folder.path()));
    // The row 200.
    raise_row_id(folder.path(), [0x81, 0x48]);
    let also_damaged = copy(folder.path());
    flip(also_damaged.path(), page_of_reminders(also_damaged.path()), 0..8);
    let (replica, salvaged) = repair(folder.path());
    assert_eq!((salvaged.items, salvaged.lost), (2 * ITEMS as u64, 1), "it is told");
    assert_eq!((kept(&replica), replica.check().unwrap().len()), (11, 0));
    // With a page before it that can't be read, ranges of rows are read.
    let (replica, salvaged) = repair(also_damaged.path());
    let lost = 2 * ITEMS as u64 - salvaged.items;
    assert!((1..60).contains(&lost) && salvaged.lost >= 2, "{salvaged:?}");
    let last = format!("t/{}", ITEMS - 1);
    assert_eq!(replica.items_by_msgid(None, &[last.as_str().into()]).unwrap().len(), 1);
    assert_eq!((kept(&replica), replica.check().unwrap().len()), (11, 0));
}

#[test]
fn a_mark_that_waits_is_sent_although_its_item_cannot_be_read() {
    let folder = filled();
    let replica = open(folder.path());
    let work = replica.sources().unwrap()[0].id;
    let last = format!("m{}", ITEMS - 1);
    replica.mark(Targets::MsgIds(vec![last.as_str().into()]), Mark::Archive).unwrap();
    let waiting = replica.pending(work, 100).unwrap();
    drop(replica);
    flip(folder.path(), page_of_reminders(folder.path()), 0..8);
    let (replica, _) = repair(folder.path());
    assert!(replica.items_by_msgid(None, &[last.as_str().into()]).unwrap().is_empty());
    assert_eq!(replica.pending(work, 100).unwrap(), waiting);
    assert_eq!(replica.check().unwrap(), []);
    replica.acknowledge(work, &answers(&replica, work)).unwrap();
    assert_eq!((replica.pending(work, 100).unwrap().len(), replica.check().unwrap().len()), (0, 0));
}

#[test]
pub(crate) fn whatever_waits_to_be_sent_waits_in_the_new_file_too() {
    let folder = tempfile::tempdir().unwrap();
    let replica = open(folder.path());
    let (work, topics) = (add_source(&replica, "Work", "tidings"), add_source(&replica, "Topics", "github"));
    let mut items: Vec<Notification> = (0..4).map(reminder).collect();
    for n in 4..7 {
        items.push(
            serde_json::from_value(json!({
                "msgid": format!("m{n}"), "stamp": at(n), "version": 1, "kind": "message", "created_at": at(n),
                "thread": "user:bob", "conversation": "user:bob", "actor": {"id": "bob", "name": "Bob"}, "body": "Hi",
                "auto": true,
            }))
            .unwrap(),
        );
    }
    let mark =
        serde_json::from_value(json!({"view": "conversation/user:bob", "through": at(6), "stamp": at(7)}));
    let page = Page { items, marks: vec![mark.unwrap()], next: Some(at(7).to_string()), ..Page::default() };
    replica.apply(work, page).unwrap();
    let service = (0..3).map(|n| {
        let actor = Actor { id: "t".into(), name: "t".into() };
        ServiceItem::new(&*format!("t/{n}"), at(n), &*format!("issue:{n}#comment"), actor)
    });
    replica.apply(topics, Page { service_items: service.collect(), ..Page::default() }).unwrap();
    let put = |msgid: &str, mark| replica.mark(Targets::MsgIds(vec![msgid.into()]), mark).unwrap();
    put("m1", Mark::Snooze { until: SystemClock.now().plus_secs(1_000_000) });
    put("m2", Mark::Archive);
    put("m3", Mark::Read);
    put("t/0", Mark::Delete);
    for source in [work, topics] {
        replica.acknowledge(source, &answers(&replica, source)).unwrap();
    }
    put("m1", Mark::Unsnooze);
    put("m2", Mark::Unarchive);
    put("m3", Mark::Unread);
    put("m5", Mark::Unread);
    let wished = replica.thread_by_key(topics, "issue:1#comment").unwrap().unwrap().id;
    replica.mark(Targets::Threads(vec![wished]), Mark::Unsubscribe).unwrap();
    let waiting = replica.pending(work, 100).unwrap();
    let state = |replica: &Replica| {
        let items = replica.items_by_msgid(None, &["m1", "m2", "m3", "m5", "t/0"].map(Into::into)).unwrap();
        let all = items.iter().map(|item| {
            let n = &item.notification;
            (n.msgid.clone(), item.unread, n.archived_at.is_some(), n.snoozed_until.is_some())
        });
        let wishes = replica.waiting_subscriptions(topics, 9).unwrap().into_iter();
        (all.collect::<Vec<_>>(), wishes.map(|wish| (wish.subject, wish.to)).collect::<Vec<_>>())
    };
    let before = state(&replica);
    assert_eq!((waiting.len(), before.0.len(), before.1.len()), (4, 4, 1), "what was deleted is not shown");
    drop(replica);
    let (replica, salvaged) = repair(folder.path());
    assert_eq!((replica.pending(work, 100).unwrap(), salvaged.lost), (waiting, 0));
    assert_eq!(state(&replica), before);
    assert_eq!(replica.check().unwrap(), []);
}

#[test]
fn what_is_written_while_a_replica_in_use_is_read_is_in_the_new_file_too() {
    let folder = filled();
    let clock = ManualClock::running();
    let replica = Replica::open(folder.path(), Arc::new(clock.clone())).unwrap();
    let work = replica.sources().unwrap()[0].id;
    let (writer, readings) = (replica.clone(), AtomicUsize::new(0));
    clock.before_each_reading(move || {
        // The new file asks twice when it is opened, and then when it takes in what was read before.
        if readings.fetch_add(1, Ordering::Relaxed) == 2 {
            writer.save_draft(work, "user:cy", "Dear Cy").unwrap();
        }
    });
    let staging = tempfile::tempdir().unwrap();
    let (file, salvaged) = replica.salvage_to(staging.path()).unwrap();
    assert_eq!((salvaged.items, salvaged.lost), (2 * ITEMS as u64, 0));
    replica.restore(&file).unwrap();
    assert_eq!(replica.draft(work, "user:cy").unwrap(), "Dear Cy");
    assert_eq!((kept(&replica), replica.check().unwrap().len()), (11, 0));
}

#[test]
pub(crate) fn an_answer_whose_time_is_over_at_the_repair_is_sent_and_one_that_came_too_late_is_still_told() {
    let folder = tempfile::tempdir().unwrap();
    let replica = open(folder.path());
    let work = add_source(&replica, "Work", "tidings");
    let asked = |n: i64| {
        let mut asked = reminder(n);
        let until = SystemClock.now().plus_secs(3_600);
        let question = json!({"answers": [{"id": "yes", "label": "Yes"}], "expires_at": until});
        asked.content.question = Some(serde_json::from_value(question).unwrap());
        asked
    };
    let page = Page { items: vec![asked(1), asked(2)], next: Some(at(2).to_string()), ..Page::default() };
    replica.apply(work, page).unwrap();
    let item =
        |replica: &Replica, msgid: &str| replica.items_by_msgid(None, &[msgid.into()]).unwrap().remove(0);
    replica.answer(item(&replica, "m1").id, Some("yes"), None).unwrap();
    let too_late = |op: tidings_model::wire::Op| tidings_model::wire::OpResult {
        id: op.id,
        ok: false,
        code: Some(tidings_model::Code::Gone),
    };
    let results: Vec<_> = replica.pending(work, 9).unwrap().into_iter().map(too_late).collect();
    replica.acknowledge(work, &results).unwrap();
    replica.answer(item(&replica, "m2").id, Some("yes"), None).unwrap();
    let waiting = replica.pending(work, 9).unwrap();
    assert_eq!((item(&replica, "m1").late_answer.as_deref(), waiting.len()), (Some("Yes"), 1));
    drop(replica);
    let later = ManualClock::running();
    later.advance(7_200);
    let later: Arc<dyn Clock> = Arc::new(later);
    let Salvage { replacement, .. } = Replica::salvage(folder.path(), &later).unwrap();
    Replacement::put_in_place(&[replacement]).unwrap();
    let replica = Replica::open(folder.path(), later).unwrap();
    assert_eq!(replica.pending(work, 9).unwrap(), waiting);
    assert!(item(&replica, "m2").answer_waits);
    assert_eq!(item(&replica, "m1").late_answer.as_deref(), Some("Yes"));
    assert_eq!(replica.check().unwrap(), []);
}

#[test]
fn a_page_that_its_table_names_again_and_again_is_read_once() {
    let folder = filled();
    let replica = open(folder.path());
    for n in 0..200 {
        replica.set_setting(&format!("setting {n}"), &json!("x".repeat(100))).unwrap();
    }
    drop(replica);
    for table in ["items", "settings"] {
        let damaged = copy(folder.path());
        repeat_first_page(damaged.path(), table);
        let (replica, salvaged) = repair(damaged.path());
        assert!(salvaged.lost > 0, "{table}");
        let conn = Connection::open(damaged.path().join(FILE)).unwrap();
        let kept: u64 = conn.query_row("SELECT count(*) FROM items", [], |r| r.get(0)).unwrap();
        assert_eq!(salvaged.items, kept, "{table}");
        assert_eq!(replica.check().unwrap(), [], "{table}");
    }
}

#[test]
fn a_value_that_makes_no_sense_costs_its_row_alone() {
    let folder = filled();
    drop(open(folder.path()));
    let conn = Connection::open(folder.path().join(FILE)).unwrap();
    conn.execute_batch(
        "UPDATE items SET content = CAST(x'ff00fe' AS TEXT) WHERE msgid = 'm7';
         UPDATE items SET content = '{' WHERE msgid = 'm8';
         UPDATE items SET kind = 9 WHERE msgid = 'm9'",
    )
    .unwrap();
    drop(conn);
    let replica = open(folder.path());
    let odd = replica.items_by_msgid(None, &["m8".into()]).unwrap_err();
    assert!(odd.is_corrupt(), "{odd:?}");
    drop(replica);
    let (replica, salvaged) = repair(folder.path());
    assert!(salvaged.lost == 3 && salvaged.items >= 2 * ITEMS as u64 - 3, "{salvaged:?}");
    assert_eq!((kept(&replica), replica.check().unwrap().len()), (11, 0));
}

#[test]
fn a_flipped_bit_in_a_text_is_told_by_the_check_and_gone_after_a_repair() {
    let folder = filled();
    drop(open(folder.path()));
    let start = (page_of_reminders(folder.path()) - 1) * PAGE_BYTES;
    let bytes = fs::read(folder.path().join(FILE)).unwrap();
    let page = &bytes[start..][..PAGE_BYTES];
    let at = start + page.windows(9).position(|bytes| bytes == b"Nice work").unwrap();
    // A letter becomes another, and the quotation mark before it none.
    for (at, said) in [(at + 2, "the search index"), (at - 1, "can't be read")] {
        let damaged = copy(folder.path());
        let mut file = bytes.clone();
        file[at] ^= 1;
        fs::write(damaged.path().join(FILE), file).unwrap();
        let found = Replica::damage(damaged.path(), &clock()).unwrap();
        assert!(found.as_ref().is_some_and(|found| found.contains(said)), "{found:?}");
        let (replica, _) = repair(damaged.path());
        assert_eq!((kept(&replica), replica.check().unwrap().len()), (11, 0));
    }
}

#[test]
fn a_flipped_bit_in_a_word_of_the_search_index_is_told_by_the_check() {
    let folder = filled();
    drop(open(folder.path()));
    let conn = Connection::open(folder.path().join(FILE)).unwrap();
    let mut leaves =
        conn.prepare("SELECT pageno FROM dbstat WHERE name = 'search_data' AND pagetype = 'leaf'").unwrap();
    let pages: Vec<usize> = leaves.query_map([], |r| r.get(0)).unwrap().map(Result::unwrap).collect();
    drop(leaves);
    drop(conn);
    let mut file = fs::read(folder.path().join(FILE)).unwrap();
    let word = pages.iter().find_map(|page| {
        let start = (page - 1) * PAGE_BYTES;
        let page = &file[start..][..PAGE_BYTES];
        Some(start + page.windows(4).position(|bytes| bytes == b"work")?)
    });
    file[word.unwrap() + 3] ^= 1;
    fs::write(folder.path().join(FILE), file).unwrap();
    let found = Replica::damage(folder.path(), &clock()).unwrap();
    assert!(found.as_ref().is_some_and(|found| found.contains(" index ")), "{found:?}");
    let (replica, _) = repair(folder.path());
    assert_eq!((kept(&replica), replica.check().unwrap().len()), (11, 0));
}

#[test]
fn json_that_is_none_is_told_by_the_check_and_left_out_by_a_repair() {
    for (table, column) in
        [("threads", "actors"), ("outbox", "change"), ("rules", "condition"), ("settings", "value")]
    {
        let folder = filled();
        let conn = Connection::open(folder.path().join(FILE)).unwrap();
        conn.execute_batch(&format!("UPDATE {table} SET {column} = '{{'")).unwrap();
        drop(conn);
        assert!(Replica::damage(folder.path(), &clock()).unwrap().is_some(), "{column} of {table}");
        let (replica, _) = repair(folder.path());
        assert_eq!(replica.check().unwrap(), [], "{column} of {table}");
    }
}

#[test]
fn the_log_of_another_replica_is_told_and_a_repair_keeps_all_that_is_ours() {
    let (folder, other) = (filled(), tempfile::tempdir().unwrap());
    let theirs = open(other.path());
    add_source(&theirs, "Elsewhere", "tidings");
    let log = format!("{FILE}-wal");
    fs::copy(other.path().join(&log), folder.path().join(&log)).unwrap();
    let why = Replica::damage(folder.path(), &clock()).unwrap().unwrap();
    assert!(why.contains("of another database"), "{why}");
    let (replica, salvaged) = repair(folder.path());
    assert_eq!(salvaged.lost, 0, "{salvaged:?}");
    assert_eq!((kept(&replica), replica.check().unwrap().len()), (11, 0));
    assert!(folder.path().join(format!("{FILE}.before-wal")).exists(), "it is kept beside the damaged file");
}

#[test]
fn a_question_that_ended_by_the_clock_of_this_device_alone_is_open_in_the_new_file() {
    let folder = tempfile::tempdir().unwrap();
    let replica = open(folder.path());
    let work = add_source(&replica, "Work", "tidings");
    let (mut asked, now) = (reminder(1), SystemClock.now());
    let question = json!({"answers": [{"id": "yes", "label": "Yes"}], "default": "yes", "expires_at": now.plus_secs(3_600)});
    asked.content.question = Some(serde_json::from_value(question).unwrap());
    replica
        .apply(work, Page { items: vec![asked], next: Some(at(1).to_string()), ..Page::default() })
        .unwrap();
    replica.set_clock_offset(work, 7_200_000_000).unwrap();
    replica.wake(now).unwrap();
    let shown = |replica: &Replica| {
        let item = replica.items_by_msgid(None, &["m1".into()]).unwrap().remove(0);
        let question = item.notification.content.question.unwrap();
        (question.state, question.answer.is_some(), replica.counts().unwrap().total)
    };
    assert_eq!(shown(&replica), (QuestionState::Expired, true, 0));
    drop(replica);
    let (replica, _) = repair(folder.path());
    assert_eq!(shown(&replica), (QuestionState::Open, false, 1));
    assert_eq!(replica.check().unwrap(), []);
}

#[test]
fn whatever_became_of_the_file_it_is_read_or_refused_and_what_is_saved_of_it_is_sound() {
    let folder = filled();
    drop(open(folder.path()));
    let file = fs::read(folder.path().join(FILE)).unwrap();
    fuzz::run("replica-file", 40, |input| {
        let damaged = tempfile::tempdir().unwrap();
        let bytes = fuzz::changed(&file, input);
        let backup = damaged.path().join("backup.db");
        fs::write(&backup, &bytes).unwrap();
        let _ = Replica::vet(&backup);
        fs::write(damaged.path().join(FILE), bytes).unwrap();
        if Replica::damage(damaged.path(), &clock()).is_ok_and(|damage| damage.is_none()) {
            let replica = open(damaged.path());
            replica.export(&mut |_| true).unwrap();
        }
        // Who opened it may not have closed it yet.
        let Ok(Salvage { replacement, .. }) = Replica::salvage(damaged.path(), &clock()) else { return };
        Replacement::put_in_place(&[replacement]).unwrap();
        assert_eq!(open(damaged.path()).check().unwrap(), []);
    });
}
