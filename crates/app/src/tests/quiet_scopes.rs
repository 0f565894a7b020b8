//! Tests of quiet hours that are for some sources and topics only. The clock is fixed at 22:13:20 UTC.

use tidings_ipc::{QuietHours, QuietScope, SourceId};
use tidings_sync::PullReason;

use super::harness::{TestApp, notification, open, open_at, until};

/// Quiet hours from 22:00 until this hour.
fn night(to: u16, only: Vec<QuietScope>) -> QuietHours {
    QuietHours { on: true, days: [true; 7], from: 22 * 60, to: to * 60, only, ..QuietHours::default() }
}

fn scope(source: SourceId, origin: &str) -> QuietScope {
    QuietScope { source, origin: origin.to_owned() }
}

async fn set_quiet(test: &TestApp, hours: Vec<QuietHours>) {
    let mut settings = test.app.settings.current_settings();
    settings.notify.quiet = hours;
    test.app.settings.settings(&settings).await.unwrap();
}

fn titles(test: &TestApp) -> Vec<String> {
    test.desktop.toasts.lock().unwrap().iter().map(|toast| toast.title.clone()).collect()
}

/// Ends the program and starts it again.
fn restart(test: TestApp) -> TestApp {
    let TestApp { app, folder, clock, .. } = test;
    drop(app);
    let again = open_at(folder, tidings_model::Lang::En);
    let passed = clock_difference(&clock, &again.clock);
    again.clock.advance(passed);
    again.running()
}

fn clock_difference(before: &impl tidings_model::Clock, after: &impl tidings_model::Clock) -> i64 {
    (before.now().as_micros() - after.now().as_micros()) / 1_000_000
}

#[tokio::test]
async fn quiet_hours_of_a_topic_and_of_a_source_let_everything_else_be_heard() {
    let test = open().running();
    let (own, work) = (test.source(""), test.source("Work"));
    let hours = vec![night(23, vec![scope(own, "topic:a")]), night(7, vec![scope(work, "")])];
    set_quiet(&test, hours).await;
    test.arrive(1, "a", "one").await;
    test.arrive(2, "b", "two").await;
    test.pulled(work, PullReason::Live, vec![notification(&test.clock, 3, &serde_json::json!({}))]).await;
    assert_eq!(titles(&test), ["b"]);
    assert_eq!(test.with_page().await.sync.quiet_until, None, "not everything is quiet");
    assert!(!test.last_view().unwrap().faint);

    // Each has its summary at the end of its own hours, also after a restart.
    let test = restart(test);
    assert_eq!(titles(&test), Vec::<String>::new());
    assert_eq!(test.app.silence.next_timer().await.unwrap().unwrap().as_millis(), 1_700_002_800_000, "23:00");
    test.clock.advance(3_600);
    test.app.silence.run_due_timers().await.unwrap();
    assert_eq!(titles(&test), ["a"]);
    test.clock.advance(8 * 3_600);
    test.app.silence.run_due_timers().await.unwrap();
    assert_eq!(titles(&test), ["a", "Ana"]);
    let test = restart(test);
    test.app.silence.run_due_timers().await.unwrap();
    assert_eq!(titles(&test), Vec::<String>::new(), "what was told is not told again");
}

#[tokio::test]
async fn quiet_hours_that_are_ended_early_begin_again_the_next_evening() {
    let test = open().running();
    let own = test.source("");
    let mut hours = night(7, Vec::new());
    set_quiet(&test, vec![hours.clone(), night(6, vec![scope(own, "topic:a")])]).await;
    test.arrive(1, "a", "one").await;
    test.arrive(2, "b", "two").await;
    let until_seven = test.app.page.sync_and_places().await.unwrap().0.quiet_until;
    hours.ended_until = until_seven;
    set_quiet(&test, vec![hours, night(6, vec![scope(own, "topic:a")])]).await;
    assert_eq!(test.app.page.sync_and_places().await.unwrap().0.quiet_until, None);
    until("what the others let pass", || titles(&test) == ["b"]).await;
    test.clock.advance(24 * 3_600);
    test.app.silence.run_due_timers().await.unwrap();
    assert!(test.app.page.sync_and_places().await.unwrap().0.quiet_until.is_some());
    test.arrive(3, "b", "three").await;
    assert_eq!(titles(&test), ["b"], "quiet again");
}

#[tokio::test]
async fn a_file_of_settings_has_the_sources_of_quiet_hours_by_address() {
    let (here, there) = (open(), open());
    // At the same address it is the same source, whatever it is called.
    there.source("Other");
    let (own, work) = (here.source(""), here.source("Work"));
    assert_ne!(own, there.source(""));
    let hours = vec![
        night(7, vec![scope(own, "topic:a"), scope(work, "")]),
        night(6, vec![scope(999, "")]),
        night(5, Vec::new()),
    ];
    set_quiet(&here, hours).await;
    let file = here.folder.path().join("settings.json");
    here.choose_file(&file);
    here.app.settings_transfer.export_settings().await.unwrap();
    there.choose_file(&file);
    there.app.settings_transfer.import_settings().await.unwrap();
    let sources = there.app.context.replica.sources().unwrap();
    let id = |name: &str| sources.iter().find(|source| source.name == name).unwrap().id;
    let imported = there.app.settings.current_settings().notify.quiet;
    let only: Vec<_> = imported.into_iter().map(|hours| hours.only).collect();
    assert_eq!(only, [vec![scope(id(""), "topic:a"), scope(id("Other"), "")], vec![]]);
}
