//! The first minutes of somebody who has just installed Tidings, counted in steps. No page of the settings is needed.

use std::cell::Cell;

use support::{app, desktop::Desktop, page::Page, toasts::Toasts, wait};

/// The most clicks, keys and commands of the palette on the whole way.
const MOST_STEPS: u32 = 10;

/// The page of somebody whose steps are counted.
struct Newcomer<'d> {
    page: Page<'d>,
    steps: Cell<u32>,
}

impl Newcomer<'_> {
    /// Counts a step. The one before must have opened no page of the settings.
    async fn step(&self) -> &Page<'_> {
        self.needs_no_settings().await;
        self.steps.set(self.steps.get() + 1);
        &self.page
    }

    /// Fails the test if the settings are open: their sidebar has their pages.
    async fn needs_no_settings(&self) {
        let open = self.page.find_all("[data-settings]").await.len();
        assert_eq!(open, 0, "pages of the settings after {} steps", self.steps.get());
    }
}

#[tokio::test]
async fn from_the_first_test_to_a_rule_and_a_quiet_hour_it_takes_few_steps_and_no_settings() {
    let desktop = Desktop::with_recorded_toasts();
    let toasts = Toasts::record(&desktop).await;
    let newcomer = Newcomer { page: Page::open(&desktop).await, steps: Cell::default() };
    let server = app::own_server(&desktop).await;

    newcomer.page.wait_for("[data-first-test]").await;
    newcomer.step().await.click("[data-first-test]").await;
    toasts.wait_for("A test notification").await;

    newcomer.page.wait_for_row("A test notification").await;
    newcomer.step().await.click_row("A test notification").await;
    wait::until_equal("unread after reading", 0, || async { app::unread(&desktop.data_dir()) }).await;

    newcomer.step().await.type_text("e").await;
    newcomer.page.wait_for_snackbar("archived").await;

    // What comes too often. The newest speaks in the row, and with its own priority.
    for (n, priority, is_urgent) in [(4811, "urgent", true), (4812, "default", false)] {
        let text = format!("Build {n} failed");
        server.publish("ci", &text, &[("Priority", priority)]).await;
        newcomer.page.wait_for_row(&text).await;
        let rows = newcomer.page.rows().await;
        let says = |row: &String| row.contains(&text) && row.contains("urgent") == is_urgent;
        assert!(rows.iter().any(says), "{rows:?}");
    }
    newcomer.step().await.click_row("Build 4812 failed").await;
    newcomer.step().await.run_command("Create a rule from this thread").await;
    newcomer.page.wait_for("[data-part=archive]").await;
    newcomer.step().await.click("[data-part=archive]").await;
    newcomer.step().await.press_button("Also apply to existing notifications").await;
    newcomer.page.wait_for_text("2 of ").await;
    newcomer.step().await.press_button("Save").await;
    newcomer.page.wait_for_snackbar("Rule saved and applied to 1 thread").await;
    wait::until_equal("rows after the rule", 0, || async { newcomer.page.rows().await.len() }).await;

    // What the rule did to what was here is taken back by a key; the rule stays.
    newcomer.page.wait_for("body:not(:has(.dialog))").await;
    newcomer.step().await.type_text("z").await;
    newcomer.page.wait_for_snackbar("Undone for 1 thread. The rule stays").await;
    newcomer.page.wait_for_row("Build 4812 failed").await;
    wait::until_equal("what is archived", 1, || async {
        server.get("inbox?archived=true").await.is(200)["items"].as_array().map_or(0, Vec::len)
    })
    .await;

    newcomer.step().await.run_command("Pause toasts for an hour").await;
    wait::until("the pause", || async {
        app::tidings_json(&desktop.data_dir(), &["quiet"]).to_string().contains("pause")
    })
    .await;
    server.publish("backups", "Backup done", &[]).await;
    newcomer.page.wait_for_row("Backup done").await;
    wait::stays(wait::QUIET_PERIOD, "the toasts while it is quiet", false, || async {
        toasts.calls().iter().any(|toast| toast.body.contains("Backup done"))
    })
    .await;
    newcomer.needs_no_settings().await;
    assert!(newcomer.steps.get() <= MOST_STEPS, "{} steps", newcomer.steps.get());
    newcomer.page.close().await;
}
