//! Tests of answers in words, on a desktop whose toasts have a field for them.

use serde_json::json;
use support::{app, desktop::Desktop, server::ServerProcess, toasts::Toasts, wait};

#[tokio::test]
async fn a_message_and_a_question_are_answered_in_the_field_of_the_toast() {
    let desktop = Desktop::with_recorded_toasts();
    let toasts = Toasts::record_with(&desktop, &["actions", "body", "inline-reply"]).await;
    let server = ServerProcess::start();
    let ana = server.admin().user_named("ana", "Ana Ruiz", &["inbox"]).await;
    let bo = server.admin().user_named("bo", "Bo Kessler", &["inbox"]).await;
    app::add_source(&desktop.data_dir(), &ana);
    let app = app::App::start(&desktop, &["--background"]);
    app.server().await;

    bo.post("messages", json!({"to": "ana", "body": "Are we ready?"})).await.success();
    let toast = toasts.wait_for("Are we ready?").await;
    assert!(toast.actions.contains(&("inline-reply".to_owned(), "Reply".to_owned())), "{:?}", toast.actions);
    toasts.reply(&toast, "On my way").await;
    wait::until("the message to reach Bo", || async {
        bo.pull(None, 5_000).await.0.iter().any(|item| item["body"] == "On my way").then_some(())
    })
    .await;
    wait::until("no unread item", || async { (app::unread(&desktop.data_dir()) == 0).then_some(()) }).await;

    let data = desktop.data_dir();
    let asking = tokio::task::spawn_blocking(move || {
        let ask = ["ask", "When is the release?", "--topic", "releases", "--timeout", "60s", "--text"];
        app::try_tidings(&data, &ask)
    });
    let toast = toasts.wait_for("When is the release?").await;
    assert!(toast.actions.contains(&("inline-reply".to_owned(), "Answer".to_owned())), "{:?}", toast.actions);
    toasts.reply(&toast, "On Friday").await;
    let (_, out, err) = asking.await.unwrap();
    assert!(out.contains("On Friday"), "{out}{err}");
}
