//! Tests of settings that reach the desktop: the zoom of the page, test notifications, toasts in a focused window, and
//! the keys for the window. Other tests close the window while the program goes on.

use tidings_ipc::{NotifyLevel, NotifySettings, QuietHours, Scale, TestNotification, TestOutcome};
use tidings_model::Lang;
use tidings_ports::{Badge, DesktopRequest, MenuAction, ToastAnswer, ToastKey};

use super::harness::{TestApp, open, open_at, until};
use super::publishing::with_real_server;

#[tokio::test]
async fn the_zoom_holds_at_once_and_before_the_first_paint_of_the_next_start() {
    let test = open();
    let mut settings = test.app.settings.current_settings();
    settings.scale = Scale { zoom: 150, text: 125 };
    assert_eq!(test.app.settings.settings(&settings).await.unwrap().scale, settings.scale);
    assert_eq!(*test.desktop.zooms.lock().unwrap(), [100, 150]);
    test.app.settings.popup(Vec::new(), (100, 40)).await;
    assert_eq!(*test.desktop.menus.lock().unwrap(), [(150, 60)], "where the pointer is on the screen");

    settings.scale.zoom = 4_000;
    assert_eq!(
        test.app.settings.settings(&settings).await.unwrap().scale.zoom,
        300,
        "no more than can be used"
    );
    let folder = test.folder;
    drop(test.app);
    let again = open_at(folder, Lang::En);
    assert_eq!(*again.desktop.zooms.lock().unwrap(), [300]);
    assert_eq!(again.app.settings.current_settings().scale.text, 125);
}

/// Sends a test notification whose item arrives as by a pull, and lets the desktop answer.
async fn tested(test: &TestApp, nth: i64, answer: Option<ToastAnswer>) -> TestNotification {
    let app = test.app.clone();
    let before = test.desktop.toasts.lock().unwrap().len();
    let result = tokio::spawn(async move { app.test_notifications.test_notification().await.unwrap() });
    test.arrive(nth, "test", "A test notification").await;
    if let Some(answer) = answer {
        until("the toast", || test.desktop.toasts.lock().unwrap().len() > before).await;
        let toast = test.last_toast().to_ref();
        // The app subscribes to answers before it publishes; that is before the test's toast of a real pull.
        while !result.is_finished() {
            test.app.requests.handle_request(DesktopRequest::ToastAnswered { toast, answer }).await;
            tokio::task::yield_now().await;
        }
    }
    result.await.unwrap()
}

#[tokio::test]
async fn a_test_notification_tells_what_the_desktop_answered() {
    let (test, _server, owner, _folder) = with_real_server().await;
    let own = test.source("");
    for (nth, answer, outcome, words) in [
        (1, ToastAnswer::Shown, TestOutcome::Shown, "Shown by the desktop"),
        (2, ToastAnswer::DoNotDisturb, TestOutcome::Held, "Do Not Disturb is on"),
        (3, ToastAnswer::NoDaemon, TestOutcome::Failed, "no notification service"),
        (4, ToastAnswer::Refused, TestOutcome::Failed, "refused the notification"),
    ] {
        let told = tested(&test, nth, Some(answer)).await;
        assert!(told.outcome == outcome && told.text.contains(words), "{told:?}");
    }
    let inbox = owner.get("inbox").await.is(200);
    assert_eq!(inbox["items"].as_array().unwrap().len(), 4, "each went the way of a real one");

    test.app.requests.handle_request(DesktopRequest::Menu(MenuAction::PauseHour)).await;
    let told = tested(&test, 5, None).await;
    assert!(told.outcome == TestOutcome::Held && told.text.contains("Toasts are paused"), "{told:?}");
    test.app.silence.pause_toasts(None).await.unwrap();
    let mut settings = test.app.settings.current_settings();
    settings.notify.quiet =
        vec![QuietHours { on: true, days: [true; 7], from: 22 * 60, to: 7 * 60, ..QuietHours::default() }];
    test.app.settings.settings(&settings).await.unwrap();
    let told = tested(&test, 6, None).await;
    assert!(told.text.contains("Quiet hours last until 07:00"), "{told:?}");
    settings.notify.quiet.clear();
    test.app.settings.settings(&settings).await.unwrap();
    let nothing = NotifySettings { level: Some(NotifyLevel::Badge), ..NotifySettings::default() };
    test.app.rules.set_source_notify(own, nothing).await.unwrap();
    let told = tested(&test, 7, None).await;
    assert!(told.text.contains("Change this in Settings, Sources"), "{told:?}");
}

#[tokio::test]
async fn without_a_server_a_test_is_the_programs_own_toast() {
    let test = open();
    let app = test.app.clone();
    let result = tokio::spawn(async move { app.test_notifications.test_notification().await.unwrap() });
    until("the toast", || !test.desktop.toasts.lock().unwrap().is_empty()).await;
    let toast = test.last_toast();
    assert_eq!((toast.key, toast.body.as_str()), (ToastKey::Program, "A test notification"));
    let (toast, answer) = (toast.to_ref(), ToastAnswer::Shown);
    test.app.requests.handle_request(DesktopRequest::ToastAnswered { toast, answer }).await;
    assert_eq!(result.await.unwrap().outcome, TestOutcome::Shown);
    test.app.requests.handle_request(DesktopRequest::ToastOpen { toast, token: None }).await;
    assert_eq!(*test.desktop.shown.lock().unwrap(), 1, "a click opens the window");
}

#[tokio::test]
async fn toasts_are_shown_in_a_focused_window_until_that_is_switched_off() {
    let test = open().running();
    test.source("");
    let titles = || test.desktop.toasts.lock().unwrap().iter().map(|t| t.title.clone()).collect::<Vec<_>>();
    *test.desktop.focused.lock().unwrap() = true;
    test.arrive(1, "a", "one").await;
    assert_eq!(titles(), ["a"]);
    let mut settings = test.app.settings.current_settings();
    settings.behaviour.toasts_in_focus = false;
    test.app.settings.settings(&settings).await.unwrap();
    test.arrive(2, "b", "two").await;
    assert_eq!(titles(), ["a"]);
    until("the number", || test.last_view().is_some_and(|view| view.badge == Badge::Number(2))).await;
    *test.desktop.focused.lock().unwrap() = false;
    test.arrive(3, "c", "three").await;
    assert_eq!(titles(), ["a", "c"], "what was on the screen is not told later");
}

#[tokio::test]
async fn keys_for_the_window_are_taken_kept_and_given_back_where_another_program_has_them() {
    let test = open();
    assert_eq!(test.app.global_keys.global_shortcut().keys, None, "off by default");
    let keys = |text: &str| Some(text.to_owned());
    let view = test.app.global_keys.set_global_shortcut(keys("Control+Alt+KeyT")).await.unwrap();
    assert_eq!((view.keys.as_deref(), view.problem), (Some("Control+Alt+KeyT"), None));
    test.desktop.taken.lock().unwrap().push("Super+KeyN".into());
    let error =
        test.app.global_keys.set_global_shortcut(keys("Super+KeyN")).await.unwrap_err().to_ipc(Lang::En);
    assert_eq!(error.text, "Another program uses Super+N. Choose other keys");
    assert_eq!(test.app.global_keys.global_shortcut().keys.as_deref(), Some("Control+Alt+KeyT"));
    assert_eq!(test.desktop.shortcuts.lock().unwrap().last(), Some(&keys("Control+Alt+KeyT")));
    test.app.requests.handle_request(DesktopRequest::ToggleWindow).await;
    assert_eq!(*test.desktop.toggled.lock().unwrap(), 1);

    let folder = test.folder;
    drop(test.app);
    let again = open_at(folder, Lang::En);
    again.desktop.taken.lock().unwrap().push("Control+Alt+KeyT".into());
    let again = again.connected().await;
    let problem = again.app.global_keys.global_shortcut().problem.unwrap();
    assert!(problem.contains("Another program uses Ctrl+Alt+T"), "{problem}");
    assert_eq!(again.app.global_keys.set_global_shortcut(None).await.unwrap().problem, None);
}

#[tokio::test]
async fn without_a_tray_the_first_close_tells_once_how_to_come_back() {
    let test = open();
    assert!(test.app.background.keeps_running());
    test.app.background.went_to_background().await;
    assert!(test.desktop.toasts.lock().unwrap().is_empty(), "the tray icon shows where it is");
    test.app.requests.handle_request(DesktopRequest::TrayAvailable(false)).await;
    let notice = |test: &TestApp| test.app.context.notices.all(Lang::En)[0].text.clone();
    assert!(notice(&test).contains("Start it again to open the window"), "{}", notice(&test));
    test.app.global_keys.set_global_shortcut(Some("Control+Alt+KeyT".to_owned())).await.unwrap();
    test.app.background.went_to_background().await;
    let toast = test.last_toast();
    assert_eq!(toast.title, "Tidings keeps running in the background");
    assert!(toast.body.contains("Start it again") && toast.body.contains("Ctrl+Alt+T"), "{}", toast.body);

    // A portal may say so long after the keys were set.
    *test.desktop.lacks_shortcuts.lock().unwrap() = true;
    test.app.context.settings.update(|stored| stored.background_told = false);
    test.app.background.went_to_background().await;
    let toast = test.last_toast();
    assert!(!toast.body.contains("Ctrl+Alt+T"), "keys that do nothing: {}", toast.body);

    let folder = test.folder;
    drop(test.app);
    let again = open_at(folder, Lang::En);
    again.app.requests.handle_request(DesktopRequest::TrayAvailable(false)).await;
    again.app.background.went_to_background().await;
    assert!(again.desktop.toasts.lock().unwrap().is_empty(), "said once");
    let mut settings = again.app.settings.current_settings();
    settings.behaviour.keep_running = false;
    again.app.settings.settings(&settings).await.unwrap();
    assert!(!again.app.background.keeps_running());
    assert!(notice(&again).contains("Closing the window quits"), "{}", notice(&again));
}
