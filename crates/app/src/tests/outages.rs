//! Tests of the toast for sources that are out of reach.

use std::time::Duration;

use tidings_ipc::{NotifyLevel, NotifySettings};
use tidings_model::Clock;
use tidings_ports::{DesktopRequest, MenuAction};
use tidings_sync::{PullReason, SourceStatus, Trouble};
use tidings_testkit::wait;
use tokio::time::{self, Instant};

use super::harness::{TestApp, open};
use crate::notify::outages::{Outages, PATIENCE};

fn titles(test: &TestApp) -> Vec<String> {
    test.desktop.toasts.lock().unwrap().iter().map(|toast| toast.title.clone()).collect()
}

/// Lets half a minute pass for the program. A longer step would be a sleep of the computer.
async fn half_a_minute() {
    time::pause();
    time::advance(Duration::from_secs(30)).await;
    time::resume();
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_told_once_while_the_program_runs() {
    let test = open();
    let work = test.source("Work");
    test.store_token_of(work, "tdg_made_up");
    let test = test.connected().await;
    wait::until("the toast", || async {
        half_a_minute().await;
        titles(&test) == ["Work cannot be reached"]
    })
    .await;
    wait::stays(wait::QUIET_PERIOD, "the number of toasts", 1, || async {
        half_a_minute().await;
        titles(&test).len()
    })
    .await;
}

#[tokio::test]
async fn a_source_out_of_reach_for_a_quarter_of_an_hour_is_told_once_and_not_in_a_pause() {
    let test = open().running();
    let (own, work, muted) = (test.source(""), test.source("Work"), test.source("Chatter"));
    let feed = test.source("News");
    for (source, level) in [(muted, NotifyLevel::Nothing), (feed, NotifyLevel::Badge)] {
        let notify = NotifySettings { level: Some(level), ..NotifySettings::default() };
        test.app.rules.set_source_notify(source, notify).await.unwrap();
    }
    let failing = SourceStatus::Retrying { at: test.clock.now(), trouble: Trouble::Unreachable };
    let (mut outages, start) = (Outages::default(), Instant::now());
    outages.update(&[own, work, muted, feed].map(|source| (source, failing)).into(), start);
    test.app.requests.handle_request(DesktopRequest::Menu(MenuAction::PauseHour)).await;
    test.app.outages.tell_outages(&mut outages, start + PATIENCE).await.unwrap();
    test.app.silence.pause_toasts(None).await.unwrap();
    test.app.outages.tell_outages(&mut outages, start + PATIENCE).await.unwrap();
    assert_eq!(titles(&test), [""; 0], "it is looked at again a minute after the pause");
    for minutes in 1..=2 {
        let now = start + PATIENCE + minutes * Duration::from_secs(60);
        test.app.outages.tell_outages(&mut outages, now).await.unwrap();
    }
    assert_eq!(titles(&test), ["Work, News cannot be reached"], "what only counts is missed as well");
    let body = test.last_toast().body;
    assert!(body.starts_with("For 15 minutes: No answer. What is here is safe"), "{body}");

    let mut together = Outages::default();
    let home = test.source("Home");
    for (source, late) in [(work, 0), (home, 5)] {
        together.update(&[(work, failing), (source, failing)].into(), start + Duration::from_secs(late));
    }
    test.app.outages.tell_outages(&mut together, start + PATIENCE).await.unwrap();
    let toast = test.last_toast();
    assert_eq!(toast.title, "Work, Home cannot be reached", "a toast of the program replaces the one before");
    assert_eq!(toast.body, body, "the reason is said once");
}

#[tokio::test]
async fn an_outage_that_lasts_over_a_restart_is_told_once() {
    let test = open().running();
    let work = test.source("Work");
    let failing = SourceStatus::Retrying { at: test.clock.now(), trouble: Trouble::Unreachable };
    let toasts_after_a_start = async || {
        let (mut outages, start) = (test.app.outages.told_outages().await, Instant::now());
        outages.update(&[(work, SourceStatus::Idle)].into(), start);
        outages.update(&[(work, failing)].into(), start);
        test.app.outages.tell_outages(&mut outages, start + PATIENCE).await.unwrap();
        titles(&test)
    };
    assert_eq!(toasts_after_a_start().await, ["Work cannot be reached"]);
    assert_eq!(toasts_after_a_start().await.len(), 1, "it is the same outage");
    test.clock.advance(60);
    test.pulled(work, PullReason::Gap, Vec::new()).await;
    assert_eq!(toasts_after_a_start().await.len(), 2, "the source was there in between");
}
