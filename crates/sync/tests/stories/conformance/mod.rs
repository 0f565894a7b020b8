//! The conformance suite of sources of other services. Whatever a service, a network or a clock does, nothing is lost,
//! nothing comes twice, nobody is asked before it is time, and nobody else gets the token.

pub mod client;
mod endless;
pub mod secrets;

use std::collections::{BTreeSet, HashMap};

use tidings_net::Error as NetError;
use tidings_replica::{Mark, Waits};
use tidings_sources::Bounds;
use tidings_sync::Error;
use tidings_testkit::lot;
use tidings_testkit::services::{
    Fault, Feed, Forgejo, GitHub, GitLab, Gotify, Mastodon, Ntfy, ScriptedService, Tally,
};

use self::client::Client;

/// The stories that each service plays, in a module of the service's name.
macro_rules! services {
    ($($name:ident: $start:expr,)*) => { $(
        mod $name {
            #[allow(clippy::wildcard_imports, reason = "the services are named in one place")]
            use super::*;

            #[tokio::test]
            async fn every_item_arrives_once_whatever_goes_wrong() {
                super::every_item_arrives_once_whatever_goes_wrong(Client::of($start.await).await, ITEMS).await;
            }

            #[tokio::test]
            async fn marks_arrive_whatever_goes_wrong() {
                super::marks_arrive_whatever_goes_wrong(Client::of($start.await).await).await;
            }

            #[tokio::test]
            async fn a_refused_mark_does_not_stop_the_pull() {
                super::a_refused_mark_does_not_stop_the_pull(Client::of($start.await).await).await;
            }

            #[tokio::test]
            async fn news_come_once_and_what_is_deleted_goes() {
                super::news_come_once_and_what_is_deleted_goes(Client::of($start.await).await).await;
            }

            #[tokio::test]
            async fn what_was_read_is_unread_again_here_where_the_service_keeps_no_state() {
                super::what_was_read_is_unread_again_here_where_the_service_keeps_no_state(
                    Client::of($start.await).await,
                )
                .await;
            }

            #[tokio::test]
            async fn nobody_asks_before_it_is_time() {
                super::nobody_asks_before_it_is_time(Client::of($start.await).await).await;
            }

            #[tokio::test]
            async fn a_live_channel_brings_what_comes_and_what_came_without_it() {
                super::a_live_channel_brings_what_comes_and_what_came_without_it(Client::of($start.await).await).await;
            }

            #[tokio::test]
            async fn a_live_channel_brings_it_however_little_a_step_takes() {
                for seed in 0..SEEDS {
                    let client = Client::within($start.await, bounds(seed)).await;
                    super::a_live_channel_brings_what_comes_and_what_came_without_it(client).await;
                }
            }
        }
    )* };
}

// A new service is a line here.
services! {
    feed: Feed::start(),
    forgejo: Forgejo::start(),
    github: GitHub::start(),
    gitlab: GitLab::start(),
    gotify: Gotify::start(),
    mastodon: Mastodon::start(),
    ntfy: Ntfy::start(),
    tally: Tally::start(),
}

/// The number of items of the long story.
const ITEMS: usize = 10_000;
/// How often the story with small bounds draws them.
const SEEDS: u64 = 3;
/// Each fault happens to this many requests of a pull, one after the other.
const STEPS: usize = 4;
/// The seconds by which the clock of this machine jumps between two pulls.
const CLOCK_STEPS: &[i64] = &[60, 7_200, -3_600, 0, 40 * 86_400, -90 * 86_400, 1];

/// The least items of a page of a forge: its walk goes back by less, so that pages overlap.
const OVERLAP: usize = 8;

/// The bounds of a seed: the smallest of the first one. Nothing pauses between two pages, however little they bring.
pub fn bounds(seed: u64) -> Bounds {
    let drawn = lot::drawn(seed, |lot| match seed {
        0 => Bounds::SMALLEST,
        _ => Bounds::picked(|least, usual| lot.bound(least, usual)),
    });
    Bounds {
        pause_millis: 0,
        first_items: drawn.first_items.max(OVERLAP),
        page_items: drawn.page_items.max(OVERLAP),
        ..drawn
    }
}

/// All that can go wrong with a request without a lasting effect.
fn faults(elsewhere: &str) -> Vec<Fault> {
    let headers = |headers: &str| headers.to_owned();
    vec![
        // A pull from the beginning, which is made with pauses: early, while there is little.
        Fault::Status(410, headers("")),
        Fault::Reset,
        Fault::DropMidBody,
        Fault::Garbage,
        Fault::CaptivePortal,
        Fault::SlowBytes,
        Fault::HugeBody,
        Fault::Redirect(format!("{elsewhere}/elsewhere")),
        Fault::Status(401, headers("")),
        Fault::Status(403, headers("")),
        Fault::Status(404, headers("")),
        Fault::Status(429, headers("retry-after: 30\r\n")),
        Fault::Status(403, headers("x-ratelimit-remaining: 0\r\nx-ratelimit-reset: 45\r\n")),
        Fault::With(headers("x-ratelimit-remaining: 0\r\nx-ratelimit-reset: 20\r\n")),
        Fault::Status(500, headers("")),
        Fault::Status(502, headers("")),
        Fault::Status(503, headers("retry-after: 7\r\n")),
    ]
}

async fn every_item_arrives_once_whatever_goes_wrong<S: ScriptedService>(
    mut client: Client<S>,
    count: usize,
) {
    let faults = faults(client.elsewhere());
    let rounds = faults.len() * STEPS;
    let mut published = 0;
    for round in 0..rounds {
        let all = count * (round + 1) / rounds;
        (published..all).for_each(|n| client.service.publish(n));
        published = all;
        client.service.faults().plan(round % STEPS, faults[round / STEPS].clone());
        client.catch_up().await;
        assert_eq!(client.unread(), published as u64, "after {:?}", faults[round / STEPS]);
        client.clock.advance(CLOCK_STEPS[round % CLOCK_STEPS.len()]);
        if round % 5 == 0 {
            client.restart();
        }
    }
    let expected: HashMap<String, usize> = (0..count).map(|n| (client.service.msgid(n), n)).collect();
    assert_eq!(expected.len(), count, "each item has a msgid of its own");
    let items = client.items();
    assert_eq!(items.len(), count);
    for item in &items {
        let n = expected[item.msgid.as_str()];
        let text = format!("{}\n{}", item.content.title, item.content.body);
        assert!(text.contains(&format!("item {n}")), "{text:?} is not item {n}");
        assert_eq!(item.version, 1, "item {n} came once");
    }
    let times: BTreeSet<_> = items.iter().map(|item| item.created_at).collect();
    assert_eq!(times.len(), count, "each item has a time of its own");
    let stamps: BTreeSet<_> = items.iter().map(|item| item.stamp).collect();
    assert_eq!(stamps.len(), count);
    assert_eq!(client.pull().await.unwrap().arrived, 0);
    client.assert_kept_its_secret();
}

/// Whether the answer to a mark is one after which the client sends it again, or takes it as done.
fn is_tried_again(fault: &Fault) -> bool {
    // A service that has no such item, or does not allow the mark, is not asked again.
    !matches!(fault, Fault::Status(403, headers) if headers.is_empty())
        && !matches!(fault, Fault::Status(404 | 410, _))
}

async fn marks_arrive_whatever_goes_wrong<S: ScriptedService>(mut client: Client<S>) {
    let faults: Vec<Fault> = faults(client.elsewhere()).into_iter().filter(is_tried_again).collect();
    let marked = faults.len();
    let marks = [Mark::Read, Mark::Archive, Mark::Delete];
    (0..marked * marks.len()).for_each(|n| client.service.publish(n));
    client.catch_up().await;
    for (nth, fault) in faults.iter().enumerate() {
        for (column, mark) in marks.into_iter().enumerate() {
            client.mark(column * marked + nth, mark);
        }
        client.service.faults().plan(nth % marks.len(), fault.clone());
        client.catch_up().await;
        assert_eq!(client.waiting(), 0, "after {fault:?}");
    }
    client.catch_up().await;
    for n in 0..marked {
        assert_ne!(client.service.is_read(n), Some(false), "item {n} is read at the service");
        assert_ne!(client.service.is_archived(marked + n), Some(false), "item {n} is done at the service");
        let (read, done) = (client.item(n).unwrap(), client.item(marked + n).unwrap());
        assert!(read.read_at.is_some() && done.archived_at.is_some(), "item {n} is as it was marked here");
        assert!(client.item(2 * marked + n).is_none(), "item {n} is deleted here");
    }
    assert_eq!(client.unread(), 0);
    client.assert_kept_its_secret();
}

async fn a_refused_mark_does_not_stop_the_pull<S: ScriptedService>(mut client: Client<S>) {
    (0..2).for_each(|n| client.service.publish(n));
    client.catch_up().await;
    for (n, status) in [403, 422].into_iter().enumerate() {
        client.service.publish(2 + n);
        client.mark(n, Mark::Read);
        if client.service.is_read(n).is_some() {
            client.service.faults().plan(0, Fault::Status(status, String::new()));
        }
        assert_eq!(client.pull().await.unwrap().arrived, 1, "after {status}");
        assert_eq!(client.waiting(), 0, "it is not sent again");
    }
}

async fn news_come_once_and_what_is_deleted_goes<S: ScriptedService>(mut client: Client<S>) {
    let faults = faults(client.elsewhere());
    let (changed, deleted) = (faults.len(), 2 * faults.len());
    (0..deleted + 10).for_each(|n| client.service.publish(n));
    client.catch_up().await;
    (0..changed).for_each(|n| client.mark(n, Mark::Read));
    client.catch_up().await;
    assert_eq!(client.unread(), 10 + (deleted - changed) as u64);
    for (nth, fault) in faults.iter().enumerate() {
        let before = client.unread();
        let version = client.item(nth).unwrap().version;
        client.service.faults().plan(nth % 2, fault.clone());
        let is_changed = client.service.change(nth);
        client.catch_up().await;
        assert_eq!(client.unread(), before + u64::from(is_changed), "changed, after {fault:?}");
        let after = client.item(nth).unwrap();
        assert_eq!(after.version, version + u32::from(is_changed), "it changed once, after {fault:?}");
        client.service.faults().plan(nth % 2, fault.clone());
        let before = client.unread();
        let is_deleted = client.service.delete(changed + nth);
        client.catch_up().await;
        // What a service forgets, without saying that it is deleted, stays.
        let gone = is_deleted && client.item(changed + nth).is_none();
        assert_eq!(client.unread(), before - u64::from(gone), "deleted, after {fault:?}");
    }
    let before = client.items();
    client.catch_up().await;
    assert_eq!(client.items(), before);
    client.assert_kept_its_secret();
}

async fn a_live_channel_brings_what_comes_and_what_came_without_it<S: ScriptedService>(client: Client<S>) {
    if !client.is_live() {
        return;
    }
    let mut published = 0;
    for _ in 0..2 {
        // What comes while nobody listens, and while the channel is opened.
        (published..published + 5).for_each(|n| client.service.publish(n));
        let engine = client.engine().await;
        (published + 5..published + 10).for_each(|n| client.service.publish(n));
        client.until_unread(published + 10).await;
        client.until_live(&engine).await;
        for n in published + 10..published + 20 {
            client.service.publish(n);
            client.until_unread(n + 1).await;
        }
        published += 20;
        engine.shutdown().await;
    }
    assert!(client.items().iter().all(|item| item.version == 1));
    client.assert_kept_its_secret();
}

async fn what_was_read_is_unread_again_here_where_the_service_keeps_no_state<S: ScriptedService>(
    mut client: Client<S>,
) {
    client.service.publish(0);
    client.catch_up().await;
    if client.service.is_read(0).is_some() {
        return;
    }
    for (mark, unread) in [(Mark::Read, 0), (Mark::Unread, 1)] {
        client.mark(0, mark);
        assert_eq!(client.unread(), unread, "at once");
        // Also after a pull from the beginning, which brings the item again.
        client.service.faults().plan(0, Fault::Status(410, String::new()));
        client.catch_up().await;
        client.restart();
        client.catch_up().await;
        assert_eq!((client.unread(), client.waiting()), (unread, 0), "after {mark:?}");
    }
    assert_eq!(client.item(0).unwrap().version, 1);
    client.assert_kept_its_secret();
}

async fn nobody_asks_before_it_is_time<S: ScriptedService>(mut client: Client<S>) {
    client.service.publish(0);
    client.catch_up().await;
    let mut published = 1;
    for way in 0..5 {
        let at = client.now().plus_secs(120);
        let date = at.to_datetime().format("%a, %d %b %Y %H:%M:%S GMT");
        let seconds = at.as_secs();
        let fault = match way {
            0 => Fault::Status(429, "retry-after: 120\r\n".to_owned()),
            1 => Fault::Status(503, format!("retry-after: {date}\r\n")),
            2 => Fault::Status(403, format!("x-ratelimit-remaining: 0\r\nx-ratelimit-reset: {seconds}\r\n")),
            3 => Fault::Status(429, format!("x-ratelimit-reset: {at}\r\n")),
            _ => Fault::With(format!("x-ratelimit-remaining: 0\r\nx-ratelimit-reset: {seconds}\r\n")),
        };
        (published..published + 3).for_each(|n| client.service.publish(n));
        published += 3;
        client.service.faults().plan(0, fault.clone());
        let first = client.pull().await;
        assert!(first.is_err() || way == 4, "{fault:?}: {first:?}");
        client.mark(0, if way % 2 == 0 { Mark::Read } else { Mark::Unread });
        let asked = client.requests().await;
        for secs in [0, 60, 57] {
            client.clock.advance(secs);
            let error = client.pull().await.unwrap_err();
            assert!(
                matches!(error, Error::Net(NetError::Waiting { until }) if until <= at),
                "{fault:?}: {error:?}"
            );
            client.restart();
        }
        assert_eq!(client.requests().await, asked, "{fault:?}");
        client.clock.advance(5);
        client.catch_up().await;
        assert_eq!(client.items().len(), published, "{fault:?}");
    }
    // Whatever it says, a day is enough.
    client.service.faults().plan(0, Fault::Status(429, "retry-after: 99999999\r\n".to_owned()));
    client.service.publish(published);
    assert!(client.pull().await.is_err());
    client.clock.advance(i64::try_from(Waits::MAX.as_secs()).unwrap() + 1);
    client.catch_up().await;
    assert_eq!(client.items().len(), published + 1);
    client.assert_kept_its_secret();
}
