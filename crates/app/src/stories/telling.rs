//! Stories of being told: how loud, and when not. Refuses what a toast's buttons do: that is told beside it.

use serde_json::json;
use tidings_model::Notification;
use tidings_sync::Occasion;

use super::desktop::{Sitting, notification, open, open_at, published, until};
use super::inbox;
use crate::page::{NotifyLevel, NotifySettings, PageEvent, QuietHours, Rule, RuleThen, RuleWhen};
use crate::policy::badge::{Badge, MenuWish};
use crate::policy::toast::ToastKey;
use crate::ports::Wish;

fn titles(sitting: &Sitting) -> Vec<String> {
    sitting.desktop.toasts.lock().unwrap().iter().map(|toast| toast.title.clone()).collect()
}

/// Quiet from 22 to 7, every day.
fn nights(passes: Option<u8>) -> QuietHours {
    QuietHours { on: true, days: [true; 7], from: 22 * 60, to: 7 * 60, passes }
}

async fn set_quiet(sitting: &Sitting, hours: QuietHours) {
    let mut settings = sitting.app.page_settings();
    settings.notifying.quiet = vec![hours];
    sitting.app.settings(&settings).await.unwrap();
}

#[tokio::test]
async fn a_toast_that_stands_for_several_says_how_many_and_of_what() {
    let sitting = open().running();
    let work = sitting.source("Work");
    let said = |nth: i64, name: &str, body: &str| {
        notification(&sitting.clock, nth, &json!({"actor": {"id": name, "name": name}, "body": body}))
    };
    sitting.pulled(work, Occasion::Live, vec![said(1, "Ana", "Agreed.")]).await;
    assert_eq!(sitting.last_toast().title, "Ana");
    sitting.pulled(work, Occasion::Live, vec![said(2, "Bo", "No."), said(3, "Cy", "Why?")]).await;
    let toast = sitting.last_toast();
    assert_eq!(toast.title, "3 new in Rust in 2026");
    assert!(toast.body.contains("Cy") && toast.body.ends_with("Why?"), "{}", toast.body);
    assert_eq!(titles(&sitting).len(), 2, "the two that came together are one update");
    let mut settings = sitting.app.page_settings();
    settings.lang = Some(tidings_model::Lang::ZhCn);
    sitting.app.settings(&settings).await.unwrap();
    sitting.pulled(work, Occasion::Live, vec![said(4, "Dan", "好")]).await;
    assert_eq!(sitting.last_toast().title, "“Rust in 2026”有 4 条新通知");
}

#[tokio::test]
async fn without_a_preview_a_toast_says_only_how_many_and_from_where() {
    let sitting = open().running();
    let work = sitting.source("Work");
    let mut settings = sitting.app.page_settings();
    settings.notifying.preview = false;
    sitting.app.settings(&settings).await.unwrap();
    let secret = json!({"actions": [{"action": "view", "label": "Secret", "url": "https://a.example"}]});
    let page = vec![notification(&sitting.clock, 1, &secret), notification(&sitting.clock, 2, &secret)];
    sitting.pulled(work, Occasion::Live, page).await;
    let toast = sitting.last_toast();
    assert_eq!((toast.title.as_str(), toast.body.as_str()), ("Work", "2 new"));
    assert!(toast.actions.is_empty() && toast.read.is_some());
}

#[tokio::test]
async fn what_comes_in_quiet_hours_is_told_in_one_sentence_at_their_end() {
    let sitting = open().running();
    sitting.source("");
    // The clock stands at 22:13:20 UTC.
    set_quiet(&sitting, nights(Some(5))).await;
    let quiet = sitting.with_page().await.sync.quiet_until;
    assert_eq!(quiet, Some(1_700_031_600_000), "07:00");
    until("a faint tray", || {
        sitting.last_view().is_some_and(|v| v.faint && v.tooltip.ends_with("Quiet until 07:00"))
    })
    .await;
    sitting.arrive(1, "a", "one").await;
    sitting.arrive(2, "b", "two").await;
    assert_eq!(titles(&sitting), Vec::<String>::new());
    let own = sitting.app.inner.replica.sources().unwrap()[0].id;
    let mut urgent: Notification = published(&sitting.clock, 3, "fire", "now");
    urgent.content.priority = tidings_model::Priority::new(5).unwrap();
    sitting.pulled(own, Occasion::Live, vec![urgent]).await;
    assert_eq!(titles(&sitting), ["fire"]);

    sitting.clock.pass(9 * 3_600);
    sitting.app.moment().await.unwrap();
    assert_eq!(titles(&sitting)[1..], ["This computer: 2 new while you were away"]);
    until("the tray", || sitting.last_view().is_some_and(|v| !v.faint && v.badge == Badge::Number(3))).await;
    assert_eq!(sitting.app.next_moment().await.unwrap().unwrap().as_millis(), 1_700_085_600_000, "22:00");
}

/// The program ends and starts again, so many seconds later.
fn again(sitting: Sitting, seconds: i64) -> Sitting {
    let Sitting { app, folder, .. } = sitting;
    drop(app);
    let again = open_at(folder, tidings_model::Lang::En);
    again.clock.pass(seconds);
    again.running()
}

#[tokio::test]
async fn what_came_in_a_silence_is_told_though_the_program_ended_in_it() {
    let sitting = open().running();
    let own = sitting.source("");
    set_quiet(&sitting, nights(None)).await;
    for (nth, topic) in [(1, "a"), (2, "b"), (3, "c"), (4, "d")] {
        sitting.arrive(nth, topic, "x").await;
    }
    let read = sitting.app.threads(inbox()).await.unwrap().rows[0].id;
    sitting.app.mark(vec![read], &crate::page::Mark::Read).await.unwrap();

    // It starts again in the same night, and one more comes before the morning.
    let sitting = again(sitting, 3_600);
    sitting.arrive(5, "e", "x").await;
    assert_eq!(titles(&sitting), Vec::<String>::new());
    sitting.clock.pass(8 * 3_600);
    sitting.app.moment().await.unwrap();
    assert_eq!(titles(&sitting), ["This computer: 4 new while you were away"]);
    let sitting = again(sitting, 9 * 3_600);
    sitting.pulled(own, Occasion::Live, vec![published(&sitting.clock, 6, "f", "x")]).await;
    assert_eq!(titles(&sitting), ["f"], "what was told is not told again");
}

#[tokio::test]
async fn a_silence_that_ended_while_the_program_did_not_run_is_told_at_its_start() {
    let sitting = open().running();
    let own = sitting.source("");
    sitting.app.wish(Wish::Menu(MenuWish::PauseHour)).await;
    for nth in 1..4 {
        sitting.arrive(nth, &format!("t{nth}"), "x").await;
    }
    let sitting = again(sitting, 3_601);
    until("what came in the pause", || titles(&sitting) == ["This computer: 3 new while you were away"])
        .await;
    // What came after it is told in the same toast.
    let page = (5..7).map(|nth| published(&sitting.clock, nth, &format!("t{nth}"), "x")).collect();
    sitting.pulled(own, Occasion::Gap, page).await;
    sitting.caught_up(own, Occasion::Gap).await;
    let toast = sitting.last_toast();
    assert_eq!(
        (toast.key, toast.title.as_str()),
        (ToastKey::Source(own), "This computer: 5 new while you were away")
    );
}

#[tokio::test]
async fn what_was_read_in_a_pause_is_not_told_at_its_end() {
    let sitting = open().running();
    sitting.source("");
    sitting.app.wish(Wish::Menu(MenuWish::PauseHour)).await;
    for n in 1..4 {
        sitting.arrive(n, &format!("t{n}"), "x").await;
    }
    let rows = sitting.app.threads(inbox()).await.unwrap().rows;
    sitting.app.mark(vec![rows[0].id, rows[1].id], &crate::page::Mark::Read).await.unwrap();
    let until = sitting.app.sync_and_places().await.unwrap().0.paused_until.unwrap();
    assert_eq!(until, sitting.app.now().plus_secs(3_600).as_millis());
    sitting.clock.pass(3_601);
    sitting.app.moment().await.unwrap();
    assert_eq!(titles(&sitting), ["t1"], "one is told by its words");
    sitting.app.wish(Wish::Menu(MenuWish::PauseTomorrow)).await;
    let until = sitting.app.sync_and_places().await.unwrap().0.paused_until.unwrap();
    assert_eq!(until, 1_700_035_200_000, "08:00 in the morning");
}

#[tokio::test]
async fn a_source_and_a_thread_tell_what_they_may() {
    let sitting = open().running();
    let own = sitting.source("");
    sitting.with_page().await;
    sitting.arrive(1, "a", "one").await;
    sitting.arrive(2, "b", "two").await;
    let rows = sitting.app.threads(inbox()).await.unwrap().rows;
    let (b, a) = (rows[0].id, rows[1].id);
    let tell = |tell| NotifySettings { level: Some(tell), ..NotifySettings::default() };
    sitting.app.set_thread_notify(a, tell(NotifyLevel::Badge)).await.unwrap();
    sitting.arrive(3, "a", "three").await;
    assert_eq!(titles(&sitting), ["a", "b"], "no toast");
    until("the badge", || sitting.last_view().is_some_and(|v| v.badge == Badge::Number(3))).await;
    assert_eq!(sitting.app.thread(a, None).await.unwrap().notify, tell(NotifyLevel::Badge));

    sitting.app.set_source_notify(own, tell(NotifyLevel::Nothing)).await.unwrap();
    until("only what is heard all the same", || {
        sitting.last_view().is_some_and(|v| v.badge == Badge::Number(2))
    })
    .await;
    let places = sitting.app.sync_and_places().await.unwrap().1;
    assert_eq!((places.unread, places.sources[0].unread, places.reminder), (2, 2, 2));
    assert_eq!(places.sources[0].notify, tell(NotifyLevel::Nothing));
    let loud = NotifySettings { level: Some(NotifyLevel::Toast), sound: Some(false), from_priority: Some(2) };
    assert_eq!(sitting.app.set_thread_notify(b, loud).await.unwrap(), loud);
    sitting.arrive(4, "b", "four").await;
    assert!(titles(&sitting).len() == 3 && !sitting.last_toast().sound);
    let launcher = || sitting.desktop.launcher.lock().unwrap().last().copied();
    until("the launcher", || launcher() == Some((4, false))).await;
}

#[tokio::test]
async fn a_row_says_whether_what_is_unread_in_it_stands_on_the_badge() {
    let sitting = open().running();
    let own = sitting.source("");
    sitting.arrive(1, "a", "one").await;
    sitting.arrive(2, "b", "two").await;
    sitting.with_page().await;
    let asked_anew = || {
        let mut events = sitting.events.lock().unwrap();
        let asked = events.iter().any(|event| matches!(event, PageEvent::Threads { refetch: true, .. }));
        events.clear();
        asked
    };
    let counts = async || {
        let rows = sitting.app.threads(inbox()).await.unwrap().rows;
        [rows[1].counts, rows[0].counts]
    };
    let a = sitting.app.threads(inbox()).await.unwrap().rows[1].id;
    assert_eq!(counts().await, [true, true]);

    let mut settings = sitting.app.page_settings();
    settings.notifying.from_priority = 4;
    sitting.app.settings(&settings).await.unwrap();
    assert_eq!(counts().await, [false, false], "both are too faint now");
    until("the list to be asked for anew", asked_anew).await;

    let own_least = NotifySettings { from_priority: Some(3), ..NotifySettings::default() };
    sitting.app.set_thread_notify(a, own_least).await.unwrap();
    assert_eq!(counts().await, [true, false]);
    until("the badge", || sitting.last_view().is_some_and(|v| v.badge == Badge::Number(1))).await;

    let nothing = NotifySettings { level: Some(NotifyLevel::Nothing), ..NotifySettings::default() };
    sitting.app.set_source_notify(own, nothing).await.unwrap();
    assert_eq!(counts().await, [false, false]);
    until("the list to be asked for anew", asked_anew).await;
    until("the badge", || sitting.last_view().is_some_and(|v| v.badge == Badge::None)).await;
    let loud = NotifySettings { level: Some(NotifyLevel::Badge), ..own_least };
    sitting.app.set_thread_notify(a, loud).await.unwrap();
    assert_eq!(counts().await, [true, false], "what is heard all the same counts");
    until("the badge", || sitting.last_view().is_some_and(|v| v.badge == Badge::Number(1))).await;
}

#[tokio::test]
async fn a_rule_is_tried_kept_and_obeyed() {
    let sitting = open().running();
    sitting.source("");
    sitting.arrive(1, "builds", "build failed").await;
    let rule = Rule {
        on: true,
        when: RuleWhen { target: "Builds".into(), words: "failed".into(), ..RuleWhen::default() },
        then: RuleThen { no_toast: true, pin: true, ..RuleThen::default() },
        ..Rule::default()
    };
    let trial = sitting.app.try_rule(rule.clone()).await.unwrap();
    assert_eq!((trial.matches, trial.of, trial.rows[0].who.as_str()), (1, 1, "builds"));
    let kept = sitting.app.save_rule(rule.clone()).await.unwrap();
    assert_eq!(kept, [Rule { id: kept[0].id, ..rule }]);
    sitting.arrive(2, "builds", "build failed again").await;
    assert_eq!(titles(&sitting), ["builds"], "only what came before the rule");
    assert!(sitting.app.threads(inbox()).await.unwrap().rows[0].pinned);
    assert!(sitting.app.remove_rule(kept[0].id).await.unwrap().is_empty());
    assert!(sitting.app.remove_rule(kept[0].id).await.is_err());
}
