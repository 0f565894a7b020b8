//! Tests of the sounds of toasts: the notification daemon plays them if it can, else a program of the desktop's.

use std::{fs, os::unix::fs::PermissionsExt};

use support::{
    app::{self, App},
    desktop::Desktop,
    toasts::Toasts,
    wait,
};

/// A desktop whose program for sounds writes down how it is started.
fn with_player() -> Desktop {
    let desktop = Desktop::with_recorded_toasts();
    let folder = desktop.path().join("player");
    let player = folder.join("canberra-gtk-play");
    fs::create_dir(&folder).expect("a folder for the player");
    let text = format!("#!/bin/sh\necho \"$@\" >>'{}'\n", desktop.path().join("played").display());
    fs::write(&player, text).expect("the player is written");
    fs::set_permissions(&player, fs::Permissions::from_mode(0o755)).expect("the player can be run");
    let path = std::env::var("PATH").expect("a path of programs");
    desktop.with_variable("PATH", &format!("{}:{path}", folder.display()))
}

/// How the program for sounds was started, in order.
fn played(desktop: &Desktop) -> Vec<String> {
    let text = fs::read_to_string(desktop.path().join("played")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_program_plays_what_the_notification_service_cannot() {
    let desktop = with_player();
    let toasts = Toasts::record_with(&desktop, &["actions", "body"]).await;
    let app = App::start(&desktop, &["--background"]);
    let server = app.server().await;
    let mut expected = Vec::new();
    for (topic, priority, sound) in [
        ("backups", "3", Some("message-new-instant")),
        ("fire", "5", Some("dialog-warning")),
        ("water", "5", None),
        ("parcels", "4", Some("message-new-instant")),
    ] {
        toasts.set_do_not_disturb(sound.is_none()).await;
        server.publish(topic, &format!("News of {topic}"), &[("Priority", priority)]).await;
        let toast = toasts.wait_for(&format!("News of {topic}")).await;
        assert_eq!(toast.sound, None, "the service is told to be silent");
        expected.extend(sound.map(|name| format!("-i {name}")));
        wait::until_equal("what was played", expected.clone(), || async { played(&desktop) }).await;
    }
}

#[tokio::test]
async fn a_notification_service_that_plays_sounds_is_told_which() {
    let desktop = with_player();
    let (toasts, _app, server) = app::start_with_recorded_toasts(&desktop).await;
    server.publish("backups", "Backup done", &[]).await;
    assert_eq!(toasts.wait_for("Backup").await.sound.as_deref(), Some("message-new-instant"));
    server.publish("fire", "It burns", &[("Priority", "5")]).await;
    assert_eq!(toasts.wait_for("burns").await.sound.as_deref(), Some("dialog-warning"));
    assert!(played(&desktop).is_empty(), "nothing is heard twice");
}
