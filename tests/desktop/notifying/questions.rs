//! Tests of questions: a program asks, the reader answers in the window or in a toast, and the program goes on.

use support::{app, desktop::Desktop, page::Page, toasts::Toasts};
use tokio::task::JoinHandle;

/// Has `tidings ask` wait for an answer; its success, output and errors come once it ends.
fn ask(desktop: &Desktop, topic: &'static str, text: &'static str) -> JoinHandle<(bool, String, String)> {
    let data = desktop.data_dir();
    tokio::task::spawn_blocking(move || {
        app::try_tidings(
            &data,
            &[
                &["ask", text, "--topic", topic, "--timeout", "60s"][..],
                &["--answer", "Approve", "--answer", "Deny"],
            ]
            .concat(),
        )
    })
}

#[tokio::test]
async fn a_program_that_asks_gets_what_is_answered_by_a_key_in_the_window_or_by_the_button_of_a_toast() {
    let desktop = Desktop::with_recorded_toasts();
    let toasts = Toasts::record(&desktop).await;
    let page = Page::open(&desktop).await;

    // The first of the topic that anybody hears of: no subscription was made before.
    let deploys = ask(&desktop, "deploys", "Deploy 4812?");
    let toast = toasts.wait_for("Deploy 4812?").await;
    assert!(toast.actions.iter().any(|(_, label)| label == "Approve"), "{:?}", toast.actions);
    page.wait_for_row("Approve").await;
    page.type_text("j").await;
    page.wait_for(".sheet .question button[title='Deny (a 2)']").await;
    page.type_quickly("a2").await;
    let (is_first, out, err) = deploys.await.unwrap();
    assert!(!is_first && out.contains("Deny"), "{out}{err}");
    page.wait_for_row("You answered Deny").await;
    page.wait_for_text("You answered Deny").await;

    let restarts = ask(&desktop, "restarts", "Restart?");
    let toast = toasts.wait_for("Restart?").await;
    toasts.press_button(&toast, "Approve").await;
    let (is_first, out, err) = restarts.await.unwrap();
    assert!(is_first && out.contains("Approve"), "{out}{err}");
    page.wait_for_row("You answered Approve").await;
    page.close().await;
}
