//! Stories of a reader's disk: one pull of a source brings so much and no more, and the next one goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use tidings_model::Actor;
use tidings_net::{Error as NetError, Result};
use tidings_replica::{Mark, NewSource, Page, Replica, ServiceItem, SourceId, Targets};
use tidings_sources::{Fetched, ServerInfo, Since, Source};
use tidings_sync::{BackoffConfig, Error, PullEnd, PullLimit, SourceStatus, Trouble, pull_within};
use tidings_testkit::clock::ManualClock;

use crate::support::{Inbox, serve_changes, server, stamp, until, until_state};

/// A protocol whose pages never end, each with one new item.
#[derive(Default)]
struct Endless {
    /// The size of each page on the wire, unpacked.
    page_bytes: usize,
    /// Whether every answer is larger than is accepted.
    is_too_large: bool,
    /// Whether the items have stamps, as those of a Tidings server.
    has_stamps: bool,
    /// The cursor at which it can't be reached.
    gone_at: Option<u64>,
    asked: AtomicU64,
}

#[async_trait]
impl Source for Endless {
    async fn server_info(&self) -> Result<ServerInfo> {
        Ok(ServerInfo::default())
    }

    async fn page(&self, since: Since, _limit: usize) -> Result<Fetched> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        if self.is_too_large {
            return Err(NetError::AnswerTooLarge);
        }
        let n: u64 = since.cursor.map_or(0, |cursor| cursor.parse().unwrap());
        if self.gone_at == Some(n) {
            return Err(NetError::Unreachable);
        }
        let at = "2026-11-20T06:14:00Z".parse().unwrap();
        let item = ServiceItem::new(&*format!("m{n}"), at, "t", Actor { id: "a".into(), name: "A".into() });
        let page = Page { next: Some((n + 1).to_string()), more: true, ..Page::default() };
        let page = if self.has_stamps {
            Page {
                items: vec![serde_json::from_value(crate::support::item(n.cast_signed())).unwrap()],
                ..page
            }
        } else {
            Page { service_items: vec![item], ..page }
        };
        Ok(Fetched { page, bytes: self.page_bytes, ..Fetched::default() })
    }

    async fn skip_item(&self, since: Since) -> Result<Option<Fetched>> {
        let n: u64 = since.cursor.map_or(0, |cursor| cursor.parse().unwrap());
        let page = Page { next: Some((n + 1).to_string()), more: true, ..Page::default() };
        Ok(Some(Fetched { page, ..Fetched::default() }))
    }
}

struct Reader {
    replica: Replica,
    id: SourceId,
    _dir: tempfile::TempDir,
}

impl Reader {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let replica = Replica::open(dir.path(), Arc::new(ManualClock::default())).unwrap();
        let (name, protocol, url) =
            ("Endless".to_owned(), "endless".to_owned(), "https://e.example".to_owned());
        let id = replica.add_source(NewSource { name, protocol, url, user: None, own: false }).unwrap();
        Self { replica, id, _dir: dir }
    }

    /// The bound at which a pull ended.
    async fn end(&self, source: &Arc<Endless>, limit: PullLimit) -> PullEnd {
        match pull_within(&self.replica, self.id, source.clone(), limit).await {
            Err(Error::PullEnded(end)) => end,
            other => panic!("{other:?}"),
        }
    }

    fn items(&self) -> u64 {
        self.replica.counts().unwrap().total
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_without_end_ends_the_pull_at_its_pages_or_its_bytes_and_the_next_goes_on() {
    let (reader, source) = (Reader::new(), Arc::new(Endless { page_bytes: 1_000, ..Endless::default() }));
    let pages = PullLimit { pages: 7, ..PullLimit::default() };
    assert_eq!(reader.end(&source, pages).await, PullEnd::Pages(7));
    assert_eq!((reader.items(), source.asked.load(Ordering::SeqCst)), (7, 7), "nothing is asked for ahead");
    let bytes = PullLimit { bytes: 2_500, ..PullLimit::default() };
    assert_eq!(reader.end(&source, bytes).await, PullEnd::Bytes(2_500));
    assert_eq!(reader.items(), 10, "it went on where the other ended");
    assert_eq!(reader.replica.source(reader.id).unwrap().cursor.as_deref(), Some("10"));
    assert_eq!(PullLimit::default(), PullLimit { bytes: 1 << 30, pages: 1_000, keep_free: None });
}

#[tokio::test(start_paused = true)]
async fn full_pages_of_a_backlog_are_written_together_within_the_bounds_of_the_pull() {
    let full = Endless { page_bytes: 2 << 20, has_stamps: true, gone_at: Some(9), ..Endless::default() };
    let (reader, source) = (Reader::new(), Arc::new(full));
    let mut changes = reader.replica.subscribe();
    let pages = PullLimit { pages: 7, ..PullLimit::default() };
    assert_eq!(reader.end(&source, pages).await, PullEnd::Pages(7));
    assert_eq!((reader.items(), source.asked.load(Ordering::SeqCst)), (7, 7), "nothing is asked for ahead");
    let mut writes = 0;
    while changes.try_recv().is_ok() {
        writes += 1;
    }
    assert!(writes <= 3, "{writes} writes of seven pages");
    let bytes = PullLimit { bytes: 3 << 20, ..PullLimit::default() };
    assert_eq!(reader.end(&source, bytes).await, PullEnd::Bytes(3 << 20));
    assert_eq!(reader.items(), 9);
}

#[tokio::test(start_paused = true)]
async fn the_pages_before_one_that_fails_are_kept() {
    let full = Endless { page_bytes: 2 << 20, has_stamps: true, gone_at: Some(3), ..Endless::default() };
    let (reader, source) = (Reader::new(), Arc::new(full));
    let pull = pull_within(&reader.replica, reader.id, source.clone(), PullLimit::default()).await;
    assert!(matches!(pull, Err(Error::Net(NetError::Unreachable))), "{pull:?}");
    assert_eq!(reader.items(), 3);
    assert_eq!(reader.replica.source(reader.id).unwrap().cursor.as_deref(), Some("3"));
}

#[tokio::test(start_paused = true)]
async fn answers_that_are_too_large_count_though_nothing_of_them_is_kept() {
    let (reader, source) = (Reader::new(), Arc::new(Endless { is_too_large: true, ..Endless::default() }));
    let limit = PullLimit { bytes: 100 << 20, ..PullLimit::default() };
    assert_eq!(reader.end(&source, limit).await, PullEnd::Bytes(100 << 20));
    assert!(source.asked.load(Ordering::SeqCst) <= 14);
}

#[tokio::test(start_paused = true)]
async fn where_the_disk_has_no_room_nothing_is_pulled_and_what_waits_is_sent() {
    let (reader, source) = (Reader::new(), Arc::new(Endless::default()));
    reader.end(&source, PullLimit { pages: 2, ..PullLimit::default() }).await;
    reader.replica.mark(Targets::MsgIds(vec!["m0".into()]), Mark::Read).unwrap();
    let (asked, full) = (
        source.asked.load(Ordering::SeqCst),
        PullLimit { keep_free: Some(u64::MAX), ..PullLimit::default() },
    );
    assert_eq!(reader.end(&source, full).await, PullEnd::Disk(u64::MAX));
    assert_eq!((reader.items(), source.asked.load(Ordering::SeqCst)), (1, asked));
    assert_eq!(reader.replica.counts().unwrap().waiting, 0);
    reader.end(&source, PullLimit { pages: 2, ..PullLimit::default() }).await;
    assert_eq!(reader.items(), 3, "with room it goes on");
}

#[tokio::test]
async fn the_running_app_says_that_a_pull_ended_and_goes_on_by_its_timer_until_all_is_here() {
    let server = server().await;
    serve_changes(&server, 50, 5).await;
    let inbox = Inbox::of(&server.uri());
    PullLimit { pages: 3, ..PullLimit::default() }.store(&inbox.replica).unwrap();
    let backoff = BackoffConfig { poll_interval: Duration::from_millis(50), ..BackoffConfig::default() };
    let engine = inbox.engine_with(backoff).await;
    let mut ends = 0;
    let mut statuses = engine.statuses();
    let all = async {
        loop {
            let state = statuses.borrow_and_update().get(&inbox.source).copied();
            match state {
                Some(SourceStatus::Retrying { trouble: Trouble::PullEnded(PullEnd::Pages(3)), .. }) => {
                    ends += 1;
                }
                Some(SourceStatus::Retrying { .. }) => panic!("{state:?}"),
                _ => {}
            }
            if inbox.unread() == 50 {
                break;
            }
            statuses.changed().await.unwrap();
        }
    };
    tokio::time::timeout(crate::support::TEST_TIMEOUT, all).await.unwrap();
    assert!(ends >= 1, "it was said");
    until_state(&engine, inbox.source, |state| matches!(state, SourceStatus::Idle)).await;
    until("the end", async || inbox.replica.source(inbox.source).unwrap().complete).await;
    assert_eq!(inbox.cursor(), Some(stamp(50)));
    engine.shutdown().await;
    inbox.assert_consistent();
}
