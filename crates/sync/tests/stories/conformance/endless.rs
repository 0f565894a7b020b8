//! A pull ends whatever a protocol answers: pages without end are given up, in one place for all protocols.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use tidings_model::Actor;
use tidings_net::{Error as NetError, Result};
use tidings_replica::{NewSource, Page, Replica, ServiceItem};
use tidings_sources::{Fetched, ServerInfo, Since, Source};
use tidings_sync::{Error, pull_once};
use tidings_testkit::clock::ManualClock;

/// The most pages that bring nothing before a pull is given up.
const MAX_EMPTY_PAGES: usize = 200;

/// A protocol that always says that there is more.
#[derive(Default)]
struct Endless {
    /// Whether each page has another cursor.
    moves: bool,
    /// Whether each page has the same item.
    has_item: bool,
    pages: AtomicUsize,
}

#[async_trait]
impl Source for Endless {
    async fn server_info(&self) -> Result<ServerInfo> {
        Ok(ServerInfo::default())
    }

    async fn page(&self, _since: Since, _limit: usize) -> Result<Fetched> {
        let nth = self.pages.fetch_add(1, Ordering::SeqCst);
        let actor = Actor { id: "a".to_owned(), name: "A".to_owned() };
        let item =
            || ServiceItem::new("m1", "2026-11-20T06:14:00Z".parse().unwrap(), "t".to_owned(), actor.clone());
        let page = Page {
            service_items: self.has_item.then(item).into_iter().collect(),
            next: Some(if self.moves { nth.to_string() } else { "here".to_owned() }),
            more: true,
            ..Page::default()
        };
        Ok(Fetched { page, ..Fetched::default() })
    }
}

/// The error of a pull, and the number of pages that were asked for.
async fn pull(source: Endless) -> (Error, usize) {
    let dir = tempfile::tempdir().unwrap();
    let replica = Replica::open(dir.path(), Arc::new(ManualClock::default())).unwrap();
    let (name, protocol, url) = ("Endless".to_owned(), "endless".to_owned(), "https://e.example".to_owned());
    let id = replica.add_source(NewSource { name, protocol, url, user: None, own: false }).unwrap();
    let source = Arc::new(source);
    let error = pull_once(&replica, id, source.clone()).await.unwrap_err();
    (error, source.pages.load(Ordering::SeqCst))
}

#[tokio::test]
async fn items_whose_cursor_does_not_move_end_the_pull() {
    let (error, pages) = pull(Endless { has_item: true, ..Endless::default() }).await;
    assert!(matches!(error, Error::Net(NetError::Malformed)), "{error:?}");
    // The page after the one that is looked at is asked for ahead.
    assert!(pages <= 3, "{pages} pages");
}

#[tokio::test(start_paused = true)]
async fn empty_pages_are_given_up_though_a_server_may_look_through_much_that_is_for_others() {
    for moves in [false, true] {
        let (error, pages) = pull(Endless { moves, ..Endless::default() }).await;
        assert!(matches!(error, Error::NoProgress), "{error:?}");
        assert!((MAX_EMPTY_PAGES..MAX_EMPTY_PAGES + 3).contains(&pages), "{pages} pages");
    }
}
