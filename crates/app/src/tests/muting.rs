//! Tests of mutes for a time: of threads, topics and sources, also if they end while the program does not run.

use tidings_ipc::{NotifyLevel, NotifySettings, QuietHours, QuietName, QuietScope, QuietWhat, ThreadRow};
use tidings_model::{Mark, Stamp};
use tidings_ports::{Badge, DesktopRequest};
use tidings_sync::PullReason;

use super::harness::{TestApp, open, open_at, published, until};
use super::inbox;

fn titles(test: &TestApp) -> Vec<String> {
    test.desktop.toasts.lock().unwrap().iter().map(|toast| toast.title.clone()).collect()
}

async fn row(test: &TestApp, who: &str) -> ThreadRow {
    let rows = test.app.reading.threads(inbox()).await.unwrap().rows;
    rows.into_iter().find(|row| row.who == who).unwrap()
}

async fn shows(test: &TestApp, badge: Badge) {
    until("the badge", || test.last_view().is_some_and(|view| view.badge == badge)).await;
}

/// A time in this many seconds.
fn after(test: &TestApp, seconds: i64) -> Stamp {
    test.app.context.now().plus_secs(seconds)
}

#[tokio::test]
async fn a_thread_that_is_muted_for_an_hour_is_heard_again_after_it() {
    let test = open().running();
    test.source("");
    test.arrive(1, "a", "one").await;
    let (id, ends) = (row(&test, "a").await.id, after(&test, 3_600));
    let marked = test.app.marks.mark(vec![id], Mark::Mute { until: Some(ends) }).await.unwrap();
    let now = row(&test, "a").await;
    assert_eq!((now.muted, now.muted_until, now.counts), (true, Some(ends.as_millis()), false));
    assert_eq!(test.app.silence.next_timer().await.unwrap(), Some(ends));
    test.arrive(2, "a", "two").await;
    assert_eq!(titles(&test), ["a"], "only the one before");
    shows(&test, Badge::None).await;

    test.clock.advance(3_600);
    test.app.silence.run_due_timers().await.unwrap();
    shows(&test, Badge::Number(2)).await;
    test.arrive(3, "a", "three").await;
    assert_eq!(titles(&test).len(), 2);
    // What ended is not brought back by an undo, for another change came after it.
    test.app.marks.undo(marked.undo.unwrap()).await.unwrap();
    assert!(!row(&test, "a").await.muted);
}

#[tokio::test]
async fn a_mute_that_ended_while_the_program_did_not_run_is_over_at_its_start() {
    let test = open().running();
    let own = test.source("");
    test.arrive(1, "a", "one").await;
    test.arrive(2, "b", "two").await;
    let (id, ends) = (row(&test, "a").await.id, after(&test, 60));
    test.app.marks.mark(vec![id], Mark::Mute { until: Some(ends) }).await.unwrap();
    test.app.mutes.mute(own, "topic:b".into(), Some(ends.as_millis())).await.unwrap();
    shows(&test, Badge::None).await;
    let TestApp { app, folder, .. } = test;
    drop(app);
    let again = open_at(folder, tidings_model::Lang::En);
    again.clock.advance(61);
    let again = again.running();
    again.app.silence.run_due_timers().await.unwrap();
    shows(&again, Badge::Number(2)).await;
    assert!(!row(&again, "b").await.origin.unwrap().muted);
}

#[tokio::test]
async fn a_topic_is_quiet_for_a_time_while_its_source_is_heard() {
    let test = open().running();
    let own = test.source("");
    test.arrive(1, "a", "one").await;
    test.arrive(2, "b", "two").await;
    let ends = after(&test, 3_600).as_millis();
    test.app.mutes.mute(own, "topic:a".into(), Some(ends)).await.unwrap();
    let a = row(&test, "a").await;
    let origin = a.origin.unwrap();
    assert_eq!((origin.id.as_str(), origin.name.as_str(), origin.muted_until), ("topic:a", "a", Some(ends)));
    assert_eq!((a.muted, a.muted_until), (true, Some(ends)));
    test.arrive(3, "a", "three").await;
    test.arrive(4, "b", "four").await;
    assert_eq!(titles(&test), ["a", "b", "2 new in b"]);
    let noise = test.app.noise_report.noise().await.unwrap();
    let muted: Vec<_> = noise.sources[0].origins.iter().map(|one| (one.name.as_str(), one.muted)).collect();
    assert_eq!(muted, [("a", true), ("b", false)]);
    test.app.mutes.unmute(own, "topic:a".into()).await.unwrap();
    assert!(!row(&test, "a").await.muted);
    shows(&test, Badge::Number(4)).await;
    test.arrive(5, "a", "five").await;
    assert!(test.last_toast().title.ends_with("in a"), "heard again");
}

#[tokio::test]
async fn a_source_is_quiet_for_a_time_and_a_file_of_settings_does_not_make_that_last() {
    let test = open().running();
    let own = test.source("");
    test.arrive(1, "a", "one").await;
    let ends = after(&test, 3_600);
    test.app.mutes.mute(own, String::new(), Some(ends.as_millis())).await.unwrap();
    let source = || async { test.app.page.sync_and_places().await.unwrap().1.sources.remove(0) };
    assert_eq!(source().await.muted_until, Some(ends.as_millis()));
    assert!(!row(&test, "a").await.counts);
    let file = test.folder.path().join("settings.json");
    test.choose_file(&file);
    test.app.settings_transfer.export_settings().await.unwrap();
    let written: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(written["sources"][0]["notify"]["level"], serde_json::Value::Null);

    test.clock.advance(3_600);
    test.app.silence.run_due_timers().await.unwrap();
    assert_eq!((source().await.muted_until, source().await.notify.level), (None, None));
    assert!(row(&test, "a").await.counts);
}

#[tokio::test]
async fn one_place_tells_all_that_is_quiet_and_until_when() {
    let test = open().running();
    let (own, work) = (test.source(""), test.source("Work"));
    assert_eq!(test.app.silence.quiet_now().await.unwrap().causes, []);
    for (nth, topic) in [(1, "a"), (2, "b"), (3, "c")] {
        test.arrive(nth, topic, "x").await;
    }
    let mut named = published(&test.clock, 4, "backups-7", "x");
    named.target.as_mut().unwrap().title = Some("Nightly backups".into());
    test.pulled(own, PullReason::Live, vec![named]).await;
    test.app.mutes.mute(own, "topic:backups-7".into(), None).await.unwrap();
    let ends = after(&test, 3_600);
    let millis = ends.as_millis();
    let (b, c) = (row(&test, "b").await.id, row(&test, "c").await.id);
    test.app.marks.mark(vec![c], Mark::Mute { until: None }).await.unwrap();
    test.app.marks.mark(vec![b], Mark::Mute { until: Some(ends) }).await.unwrap();
    test.app.mutes.mute(own, "topic:a".into(), Some(millis)).await.unwrap();
    test.app.mutes.mute(work, String::new(), None).await.unwrap();
    let feed = test.source("Feed");
    let badge = NotifySettings { level: Some(NotifyLevel::Badge), ..NotifySettings::default() };
    test.app.context.replica.set_source_notify(feed, badge).unwrap();
    let mut settings = test.app.settings.current_settings();
    let night = QuietHours { on: true, days: [true; 7], from: 22 * 60, to: 7 * 60, ..QuietHours::default() };
    let scope = |source, origin: &str| QuietScope { source, origin: origin.to_owned() };
    let only = vec![scope(work, ""), scope(own, "topic:backups-7")];
    let noon = QuietHours { from: 12 * 60, to: 13 * 60, ..night.clone() };
    settings.notify.quiet = vec![noon, QuietHours { only, ..night }];
    test.app.settings.settings(&settings).await.unwrap();
    test.app.silence.pause_toasts(Some(0)).await.unwrap();
    test.app.requests.handle_request(DesktopRequest::DoNotDisturb(true)).await;

    let told = || async {
        let now = test.app.silence.quiet_now().await.unwrap();
        assert_eq!(now.more_threads, 0);
        now.causes.into_iter().map(|one| (one.what, one.name, one.source, one.until)).collect::<Vec<_>>()
    };
    let unnamed = String::new;
    let origin = QuietWhat::Origin { origin: "topic:a".into() };
    let named = QuietWhat::Origin { origin: "topic:backups-7".into() };
    let expected = [
        (QuietWhat::Pause, unnamed(), None, None),
        (QuietWhat::Hours { at: 1 }, unnamed(), None, Some(1_700_031_600_000)),
        (QuietWhat::DoNotDisturb, unnamed(), None, None),
        (origin, "a".into(), Some(own), Some(millis)),
        (named, "Nightly backups".into(), Some(own), None),
        (QuietWhat::Source, unnamed(), Some(work), None),
        (QuietWhat::Thread { thread: b }, "b: x".into(), Some(own), Some(millis)),
        (QuietWhat::Thread { thread: c }, "c: x".into(), Some(own), None),
        (QuietWhat::BadgeOnly, unnamed(), Some(feed), None),
    ];
    assert_eq!(told().await, expected);
    let names = test.app.silence.quiet_now().await.unwrap().names;
    let name = "Nightly backups".to_owned();
    assert_eq!(names, [QuietName { source: own, origin: "topic:backups-7".to_owned(), name }]);

    test.clock.advance(3_600);
    test.app.silence.run_due_timers().await.unwrap();
    let left: Vec<QuietWhat> = told().await.into_iter().map(|one| one.0).collect();
    let ended = |at: usize| [3, 6].contains(&at);
    let expected: Vec<QuietWhat> =
        (0..).zip(expected).filter(|(at, _)| !ended(*at)).map(|(_, one)| one.0).collect();
    assert_eq!(left, expected);
}
