//! Tests of notify levels, quiet hours and pauses.

use serde_json::json;
use tidings_ipc::{
    IpcEvent, NotifyLevel, NotifySettings, QuietHours, Rule, RuleField, RuleThen, RuleWhen, UnreadCount,
};
use tidings_model::{Clock, Notification};
use tidings_ports::{Badge, DesktopRequest, MenuAction, ToastKey};
use tidings_sync::PullReason;

use super::harness::{TestApp, notification, open, open_at, published, until};
use super::inbox;

fn titles(test: &TestApp) -> Vec<String> {
    test.desktop.toasts.lock().unwrap().iter().map(|toast| toast.title.clone()).collect()
}

/// Quiet hours from 22:00 to 07:00, every day.
fn nights(passes: Option<u8>) -> QuietHours {
    QuietHours { on: true, days: [true; 7], from: 22 * 60, to: 7 * 60, passes, ..QuietHours::default() }
}

async fn set_quiet(test: &TestApp, hours: QuietHours) {
    let mut settings = test.app.settings.current_settings();
    settings.notify.quiet = vec![hours];
    test.app.settings.settings(&settings).await.unwrap();
}

#[tokio::test]
async fn a_toast_that_stands_for_several_says_how_many_and_of_what() {
    let test = open().running();
    let work = test.source("Work");
    let comment = |nth: i64, name: &str, body: &str| {
        notification(&test.clock, nth, &json!({"actor": {"id": name, "name": name}, "body": body}))
    };
    test.pulled(work, PullReason::Live, vec![comment(1, "Ana", "Agreed.")]).await;
    assert_eq!(test.last_toast().title, "Ana");
    test.pulled(work, PullReason::Live, vec![comment(2, "Bo", "No."), comment(3, "Cy", "Why?")]).await;
    let toast = test.last_toast();
    assert_eq!(toast.title, "3 new in Rust in 2026");
    assert!(toast.body.contains("Cy") && toast.body.ends_with("Why?"), "{}", toast.body);
    assert_eq!(titles(&test).len(), 2, "the two that came together are one update");
    let mut settings = test.app.settings.current_settings();
    settings.lang = Some(tidings_model::Lang::ZhCn);
    test.app.settings.settings(&settings).await.unwrap();
    test.pulled(work, PullReason::Live, vec![comment(4, "Dan", "好")]).await;
    assert_eq!(test.last_toast().title, "“Rust in 2026”有 4 条新通知");
}

#[tokio::test]
async fn the_noise_report_tells_of_the_last_month_by_source_and_topic() {
    let test = open().running();
    let (own, work) = (test.source(""), test.source("Work"));
    let old = json!({"created_at": test.clock.now().plus_secs(-31 * 86_400), "msgid": "old"});
    test.pulled(own, PullReason::Live, vec![notification(&test.clock, 1, &old)]).await;
    let told =
        vec![published(&test.clock, 2, "ci", "failed"), published(&test.clock, 3, "ci", "failed again")];
    test.pulled(own, PullReason::Live, told).await;
    test.pulled(work, PullReason::Live, vec![notification(&test.clock, 4, &json!({}))]).await;
    let noise = test.app.noise_report.noise().await.unwrap();
    let sources: Vec<_> = noise.sources.iter().map(|one| (one.source, one.items, one.unread)).collect();
    assert_eq!(sources, [(own, 2, 2), (work, 1, 1)]);
    let [origin] = &noise.sources[0].origins[..] else { panic!("{noise:?}") };
    assert_eq!((origin.target.as_str(), origin.name.as_str(), origin.items), ("topic:ci", "ci", 2));
    assert!(noise.sources[1].origins.is_empty(), "an article is no topic");
}

#[tokio::test]
async fn without_a_preview_a_toast_says_only_how_many_and_from_where() {
    let test = open().running();
    let work = test.source("Work");
    let mut settings = test.app.settings.current_settings();
    settings.notify.preview = false;
    test.app.settings.settings(&settings).await.unwrap();
    let secret = json!({"actions": [{"action": "view", "label": "Secret", "url": "https://a.example"}]});
    let page = vec![notification(&test.clock, 1, &secret), notification(&test.clock, 2, &secret)];
    test.pulled(work, PullReason::Live, page).await;
    let toast = test.last_toast();
    assert_eq!((toast.title.as_str(), toast.body.as_str()), ("Work", "2 new"));
    assert!(toast.actions.is_empty() && toast.read.is_some());
}

#[tokio::test]
async fn what_comes_in_quiet_hours_is_told_in_one_sentence_at_their_end() {
    let test = open().running();
    test.source("");
    // The clock is fixed at 22:13:20 UTC.
    set_quiet(&test, nights(Some(5))).await;
    let quiet = test.with_page().await.sync.quiet_until;
    assert_eq!(quiet, Some(1_700_031_600_000), "07:00");
    until("a faint tray", || {
        test.last_view().is_some_and(|v| v.faint && v.tooltip.ends_with("Quiet until 07:00"))
    })
    .await;
    test.arrive(1, "a", "one").await;
    test.arrive(2, "b", "two").await;
    assert_eq!(titles(&test), Vec::<String>::new());
    let own = test.app.context.replica.sources().unwrap()[0].id;
    let mut urgent: Notification = published(&test.clock, 3, "fire", "now");
    urgent.content.priority = tidings_model::Priority::new(5).unwrap();
    test.pulled(own, PullReason::Live, vec![urgent]).await;
    assert_eq!(titles(&test), ["fire"]);

    test.clock.advance(9 * 3_600);
    test.app.silence.run_due_timers().await.unwrap();
    assert_eq!(titles(&test)[1..], ["This computer: 2 new while you were away"]);
    until("the tray", || test.last_view().is_some_and(|v| !v.faint && v.badge == Badge::Number(3))).await;
    assert_eq!(test.app.silence.next_timer().await.unwrap().unwrap().as_millis(), 1_700_085_600_000, "22:00");
}

#[tokio::test]
async fn the_page_hears_when_the_desktop_is_not_to_be_disturbed() {
    let test = open().running();
    test.source("");
    assert!(!test.with_page().await.sync.do_not_disturb);
    let told = |on| {
        let events = test.events.lock().unwrap();
        let last = events.iter().rev().find_map(|event| match event {
            IpcEvent::Sync { sync, .. } => Some(sync.do_not_disturb),
            _ => None,
        });
        last == Some(on)
    };
    test.app.requests.handle_request(DesktopRequest::DoNotDisturb(true)).await;
    until("the page to know", || told(true)).await;
    test.arrive(1, "a", "one").await;
    assert_eq!(titles(&test), ["a"], "the desktop itself keeps it back, so it can show it later");
    until("the number", || test.last_view().is_some_and(|v| v.badge == Badge::Number(1))).await;
    test.app.requests.handle_request(DesktopRequest::DoNotDisturb(false)).await;
    until("the page to know", || told(false)).await;
}

/// Ends the program and starts it again, this many seconds later.
fn restart(test: TestApp, seconds: i64) -> TestApp {
    let TestApp { app, folder, .. } = test;
    drop(app);
    let again = open_at(folder, tidings_model::Lang::En);
    again.clock.advance(seconds);
    again.running()
}

#[tokio::test]
async fn what_came_in_a_silence_is_told_though_the_program_ended_in_it() {
    let test = open().running();
    let own = test.source("");
    set_quiet(&test, nights(None)).await;
    for (nth, topic) in [(1, "a"), (2, "b"), (3, "c"), (4, "d")] {
        test.arrive(nth, topic, "x").await;
    }
    let read = test.app.reading.threads(inbox()).await.unwrap().rows[0].id;
    test.app.marks.mark(vec![read], tidings_model::Mark::Read).await.unwrap();

    // A restart in the same night, and one more item before the morning.
    let test = restart(test, 3_600);
    test.arrive(5, "e", "x").await;
    assert_eq!(titles(&test), Vec::<String>::new());
    test.clock.advance(8 * 3_600);
    test.app.silence.run_due_timers().await.unwrap();
    assert_eq!(titles(&test), ["This computer: 4 new while you were away"]);
    let test = restart(test, 9 * 3_600);
    test.pulled(own, PullReason::Live, vec![published(&test.clock, 6, "f", "x")]).await;
    assert_eq!(titles(&test), ["f"], "what was told is not told again");
}

#[tokio::test]
async fn a_silence_that_ended_while_the_program_did_not_run_is_told_at_its_start() {
    let test = open().running();
    let own = test.source("");
    test.app.requests.handle_request(DesktopRequest::Menu(MenuAction::PauseHour)).await;
    for nth in 1..4 {
        test.arrive(nth, &format!("t{nth}"), "x").await;
    }
    let test = restart(test, 3_601);
    until("what came in the pause", || titles(&test) == ["This computer: 3 new while you were away"]).await;
    // Items that arrive after the pause join the same toast.
    let page = (5..7).map(|nth| published(&test.clock, nth, &format!("t{nth}"), "x")).collect();
    test.pulled(own, PullReason::Gap, page).await;
    test.caught_up(own, PullReason::Gap).await;
    let toast = test.last_toast();
    assert_eq!(
        (toast.key, toast.title.as_str()),
        (ToastKey::Source(own), "This computer: 5 new while you were away")
    );
}

#[tokio::test]
async fn what_was_read_in_a_pause_is_not_told_at_its_end() {
    let test = open().running();
    test.source("");
    test.app.requests.handle_request(DesktopRequest::Menu(MenuAction::PauseHour)).await;
    for n in 1..4 {
        test.arrive(n, &format!("t{n}"), "x").await;
    }
    let rows = test.app.reading.threads(inbox()).await.unwrap().rows;
    test.app.marks.mark(vec![rows[0].id, rows[1].id], tidings_model::Mark::Read).await.unwrap();
    let until = test.app.page.sync_and_places().await.unwrap().0.paused_until.unwrap();
    assert_eq!(until, test.app.context.now().plus_secs(3_600).as_millis());
    test.clock.advance(3_601);
    test.app.silence.run_due_timers().await.unwrap();
    assert_eq!(titles(&test), ["t1"], "one is told by its words");
    test.app.requests.handle_request(DesktopRequest::Menu(MenuAction::PauseTomorrow)).await;
    let until = test.app.page.sync_and_places().await.unwrap().0.paused_until.unwrap();
    assert_eq!(until, 1_700_035_200_000, "08:00 in the morning");
}

#[tokio::test]
async fn a_source_and_a_thread_tell_what_they_may() {
    let test = open().running();
    let own = test.source("");
    test.with_page().await;
    test.arrive(1, "a", "one").await;
    test.arrive(2, "b", "two").await;
    let rows = test.app.reading.threads(inbox()).await.unwrap().rows;
    let (b, a) = (rows[0].id, rows[1].id);
    let at_level = |level| NotifySettings { level: Some(level), ..NotifySettings::default() };
    test.app.rules.set_thread_notify(a, at_level(NotifyLevel::Badge)).await.unwrap();
    test.arrive(3, "a", "three").await;
    assert_eq!(titles(&test), ["a", "b"], "no toast");
    until("the badge", || test.last_view().is_some_and(|v| v.badge == Badge::Number(3))).await;
    assert_eq!(test.app.reading.thread(a, None).await.unwrap().notify, at_level(NotifyLevel::Badge));

    test.app.rules.set_source_notify(own, at_level(NotifyLevel::Nothing)).await.unwrap();
    until("only what is heard all the same", || {
        test.last_view().is_some_and(|v| v.badge == Badge::Number(2))
    })
    .await;
    let places = test.app.page.sync_and_places().await.unwrap().1;
    let count = UnreadCount { unread: 3, counted: 2 };
    assert_eq!((places.inbox, places.sources[0].count, places.reminder), (count, count, count));
    until("the tooltip", || test.last_view().is_some_and(|v| v.tooltip == "2 unread, 1 quiet")).await;
    assert_eq!(places.sources[0].notify, at_level(NotifyLevel::Nothing));
    let loud = NotifySettings { level: Some(NotifyLevel::Toast), sound: Some(false), from_priority: Some(2) };
    assert_eq!(test.app.rules.set_thread_notify(b, loud).await.unwrap(), loud);
    test.arrive(4, "b", "four").await;
    assert!(titles(&test).len() == 3 && test.last_toast().sound.is_silent());
    let launcher = || test.desktop.launcher.lock().unwrap().last().copied();
    until("the launcher", || launcher() == Some((4, false))).await;
}

#[tokio::test]
async fn a_row_says_whether_what_is_unread_in_it_stands_on_the_badge() {
    let test = open().running();
    let own = test.source("");
    test.arrive(1, "a", "one").await;
    test.arrive(2, "b", "two").await;
    test.with_page().await;
    let list_refetched = || {
        let mut events = test.events.lock().unwrap();
        let refetched = events.iter().any(|event| matches!(event, IpcEvent::Threads { refetch: true, .. }));
        events.clear();
        refetched
    };
    let counts = async || {
        let rows = test.app.reading.threads(inbox()).await.unwrap().rows;
        [rows[1].counts, rows[0].counts]
    };
    let a = test.app.reading.threads(inbox()).await.unwrap().rows[1].id;
    assert_eq!(counts().await, [true, true]);

    let mut settings = test.app.settings.current_settings();
    settings.notify.from_priority = 4;
    test.app.settings.settings(&settings).await.unwrap();
    assert_eq!(counts().await, [false, false], "both are too faint now");
    until("the list to be asked for anew", list_refetched).await;

    let own_least = NotifySettings { from_priority: Some(3), ..NotifySettings::default() };
    test.app.rules.set_thread_notify(a, own_least).await.unwrap();
    assert_eq!(counts().await, [true, false]);
    until("the badge", || test.last_view().is_some_and(|v| v.badge == Badge::Number(1))).await;

    let nothing = NotifySettings { level: Some(NotifyLevel::Nothing), ..NotifySettings::default() };
    test.app.rules.set_source_notify(own, nothing).await.unwrap();
    assert_eq!(counts().await, [false, false]);
    until("the list to be asked for anew", list_refetched).await;
    until("the badge", || test.last_view().is_some_and(|v| v.badge == Badge::None)).await;
    let loud = NotifySettings { level: Some(NotifyLevel::Badge), ..own_least };
    test.app.rules.set_thread_notify(a, loud).await.unwrap();
    assert_eq!(counts().await, [true, false], "what is heard all the same counts");
    until("the badge", || test.last_view().is_some_and(|v| v.badge == Badge::Number(1))).await;
}

#[tokio::test]
async fn a_rule_is_tried_kept_and_obeyed() {
    let test = open().running();
    test.source("");
    test.arrive(1, "builds", "build failed").await;
    let rule = Rule {
        on: true,
        when: RuleWhen { target: "Builds".into(), words: "failed".into(), ..RuleWhen::default() },
        then: RuleThen { no_toast: true, pin: true, ..RuleThen::default() },
        ..Rule::default()
    };
    let trial = test.app.rules.try_rule(rule.clone()).await.unwrap();
    assert_eq!((trial.matches, trial.of, trial.rows[0].who.as_str()), (1, 1, "builds"));
    let saved = test.app.rules.save_rule(rule.clone()).await.unwrap();
    assert_eq!(saved, [Rule { id: saved[0].id, ..rule }]);
    test.arrive(2, "builds", "build failed again").await;
    assert_eq!(titles(&test), ["builds"], "only what came before the rule");
    assert!(test.app.reading.threads(inbox()).await.unwrap().rows[0].pinned);
    assert!(test.app.rules.remove_rule(saved[0].id).await.unwrap().is_empty());
    assert!(test.app.rules.remove_rule(saved[0].id).await.is_err());
}

#[tokio::test]
async fn what_a_rule_reads_has_no_toast_and_what_it_did_leads_to_the_items() {
    let test = open().running();
    let own = test.source("");
    let rule = Rule {
        on: true,
        when: RuleWhen { tags: vec!["nas".into()], ..RuleWhen::default() },
        then: RuleThen { read: true, ..RuleThen::default() },
        ..Rule::default()
    };
    let rule = test.app.rules.save_rule(rule).await.unwrap().remove(0);
    let tagged = |nth: i64, body: &str| {
        let mut n = published(&test.clock, nth, "backups", body);
        n.content.tags = vec!["NAS".into()];
        n
    };
    let page = vec![tagged(1, "first"), tagged(2, "second"), published(&test.clock, 3, "news", "look")];
    test.pulled(own, PullReason::Live, page).await;
    assert_eq!(titles(&test), ["news"]);
    until("the badge", || test.last_view().is_some_and(|v| v.badge == Badge::Number(1))).await;
    let days = test.app.rules.rule_days().await.unwrap();
    assert_eq!(days.iter().map(|day| (day.rule, day.items)).collect::<Vec<_>>(), [(rule.id, 2)]);
    let acts = test.app.rules.rule_acts(rule.id).await.unwrap();
    let shown: Vec<_> = acts.iter().map(|act| (act.row.what[0].text.as_str(), act.then.read)).collect();
    assert_eq!(shown, [("second", true), ("first", true)]);
    let thread = test.app.reading.thread(acts[1].row.id, None).await.unwrap();
    assert!(thread.items.iter().any(|item| item.msgid == acts[1].msgid), "a link to the very item");
    let found = test.app.rules.complete_rule(RuleField::Tag, "na".into()).await.unwrap();
    assert_eq!(found[0].value, "NAS");
    assert!(test.app.rules.rule_acts(99).await.unwrap().is_empty());
}
