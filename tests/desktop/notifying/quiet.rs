//! Tests of what holds toasts back for a time: mutes, quiet hours of a topic, a calendar; and of the place that lists it.

use serde_json::{Value, json};
use support::{
    app,
    client::Client,
    desktop::Desktop,
    page::Page,
    scripted::{ScriptedServer, response},
    server::ServerProcess,
    toasts::Toasts,
    wait,
};
use tidings_model::{Clock, Stamp, SystemClock};

/// Starts the server of a calendar that is busy from an hour ago until in two hours, and returns its address.
async fn busy_calendar() -> String {
    let server = ScriptedServer::start().await;
    let address = format!("{}/ana.ics", server.url());
    let time = |stamp: Stamp| format!("{}Z", &stamp.to_string().replace(['-', ':'], "")[..15]);
    let now = SystemClock.now();
    let (from, to) = (time(now.plus_secs(-3_600)), time(now.plus_secs(7_200)));
    let document = format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:a\r\nDTSTART:{from}\r\nDTEND:{to}\r\n\
         END:VEVENT\r\nEND:VCALENDAR\r\n"
    );
    server.always(response("200 OK", "content-type: text/calendar\r\n", document));
    address
}

/// Opens the window on an inbox with a source `Work`, and with an item of each of these topics, of which a toast told.
async fn inbox<'d>(desktop: &'d Desktop, topics: &[&str]) -> (Toasts, ServerProcess, Client, Page<'d>) {
    let toasts = Toasts::record(desktop).await;
    let work = ServerProcess::start();
    app::add_source(&desktop.data_dir(), &work.admin().user("ana", &["inbox"]).await);
    let (page, own) = (Page::open(desktop).await, app::own_server(desktop).await);
    for topic in topics {
        let first = format!("First of {topic}");
        own.publish(topic, &first, &[]).await;
        toasts.wait_for(&first).await;
        page.wait_for_row(&first).await;
    }
    (toasts, work, own, page)
}

/// Whether one of these texts was in a toast.
fn told(toasts: &Toasts, texts: &[&str]) -> bool {
    toasts
        .calls()
        .iter()
        .any(|toast| texts.iter().any(|text| toast.summary.contains(text) || toast.body.contains(text)))
}

/// Waits until the inbox has this text.
async fn wait_for_arrival(desktop: &Desktop, text: &str) {
    wait::until(&format!("the arrival of {text:?}"), || async {
        app::tidings_json(&desktop.data_dir(), &["list"]).to_string().contains(text)
    })
    .await;
}

/// Waits until the list of what is quiet has a line with an end for each of these causes, and no other line.
async fn wait_for_causes(page: &Page<'_>, causes: &[&str]) {
    let script =
        "return [...document.querySelectorAll('[data-testid=quiet-now] li')].map(one => one.innerText)";
    wait::until(&format!("{causes:?} in the list of what is quiet"), || async {
        let lines = page.script(script).await;
        let lines: Vec<_> = lines.as_array()?.iter().filter_map(Value::as_str).collect();
        let has = |cause: &&str| lines.iter().any(|line| line.contains(cause) && line.contains("until"));
        (lines.len() == causes.len() && causes.iter().all(has)).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mutes_for_a_time_hours_of_a_topic_and_a_calendar_hold_toasts_back_and_one_place_says_why() {
    let desktop = Desktop::with_recorded_toasts();
    let (toasts, work, own, page) = inbox(&desktop, &["builds", "parcels", "doorbell"]).await;

    // A thread, a topic and a source, each for an hour.
    page.click_row("First of builds").await;
    page.run_command("Mute for an hour").await;
    page.wait_for_snackbar("muted until").await;
    page.wait_for_text("Muted until").await;
    page.click_row("First of doorbell").await;
    for what in [["--source", "This computer", "--topic", "backups"].as_slice(), &["--source", "Work"]] {
        app::tidings(&desktop.data_dir(), &[&["mute", "--until", "1h"], what].concat());
    }
    own.publish("builds", "Second of builds", &[]).await;
    own.publish("backups", "First of backups", &[]).await;
    let news = json!({"title": "Second of Work", "body": "For everybody"});
    work.admin().post("announcements", news).await.success();
    own.publish("parcels", "Second of parcels", &[]).await;
    toasts.wait_for("Second of parcels").await;
    wait_for_arrival(&desktop, "Second of Work").await;
    let muted = ["Second of builds", "First of backups", "Second of Work"];
    wait::stays(wait::QUIET_PERIOD, "a toast of what is muted", false, || async { told(&toasts, &muted) })
        .await;

    page.open_section("Notifications", "quiet-hours").await;
    page.press_button("Add quiet hours").await;
    page.press_button("parcels of This computer").await;
    page.fill_field("From", "00:00").await;
    page.fill_field("To", "00:00").await;
    page.press_button("Quiet while my calendar is busy").await;
    page.fill_field("Address of the calendar", &busy_calendar().await).await;
    let mutes = ["Muted thread in This computer", "Muted, from This computer", "Muted source"];
    let [thread, topic, source] = mutes;
    let (hours, calendar) = ("Only parcels of This computer", "Busy in the calendar");
    wait_for_causes(&page, &[hours, calendar, source, topic, thread]).await;
    let causes = app::tidings_json(&desktop.data_dir(), &["quiet"])["causes"].as_array().map(Vec::len);
    assert_eq!(causes, Some(5), "the terminal lists the same");

    own.publish("doorbell", "Third of doorbell", &[]).await;
    own.publish("parcels", "Third of parcels", &[]).await;
    wait_for_arrival(&desktop, "Third of parcels").await;
    let held = ["Third of doorbell", "Third of parcels"];
    wait::stays(wait::QUIET_PERIOD, "a toast while it is quiet", false, || async { told(&toasts, &held) })
        .await;

    // Each lets pass what it alone held back.
    page.press_button("End: While the calendar on").await;
    toasts.wait_for("Third of doorbell").await;
    wait_for_causes(&page, &[hours, source, topic, thread]).await;
    assert!(!told(&toasts, &["Third of parcels"]), "the hours of its topic go on");
    page.press_button("End: Every day").await;
    toasts.wait_for("Third of parcels").await;
    wait_for_causes(&page, &mutes).await;
    assert!(!told(&toasts, &muted));
    page.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_topic_and_a_source_are_muted_for_an_hour_say_until_when_and_are_unmuted() {
    let desktop = Desktop::with_recorded_toasts();
    let (toasts, _work, own, page) = inbox(&desktop, &["doorbell", "backups"]).await;

    page.click_row("First of backups").await;
    page.run_command("Mute all from backups for an hour").await;
    page.wait_for_snackbar("“backups” muted until").await;
    page.wait_for_row("Muted until").await;
    // What is open on the screen has no toast either.
    page.click_row("First of doorbell").await;
    own.publish("backups", "Second of backups", &[]).await;
    page.wait_for_row("Second of backups").await;
    wait::stays(wait::QUIET_PERIOD, "a toast of what is muted", false, || async {
        told(&toasts, &["Second of backups"])
    })
    .await;
    page.click_row("Second of backups").await;
    page.run_command("Unmute all from backups").await;
    wait::until("the row to say nothing of it", || async {
        page.rows().await.iter().all(|row| !row.contains("Muted"))
    })
    .await;
    page.click_row("First of doorbell").await;
    own.publish("backups", "Third of backups", &[]).await;
    toasts.wait_for("Third of backups").await;

    let title = "return [...document.querySelectorAll('[data-place^=source-]')]
        .map(one => one.title).find(title => title.startsWith('Work')) ?? ''";
    for (line, is_muted) in [("Mute for an hour", true), ("Unmute", false)] {
        page.open_settings("Sources").await;
        page.press_button("More for Work").await;
        page.press_button(line).await;
        page.type_quickly("gi").await;
        wait::until(&format!("the place of the source after {line:?}"), || async {
            let title = page.script(title).await;
            let title = title.as_str().filter(|title| !title.is_empty())?;
            (title.contains("Muted until") == is_muted).then_some(())
        })
        .await;
    }
    page.close().await;
}

#[tokio::test]
async fn a_second_schedule_that_leaves_today_out_holds_nothing_back() {
    let desktop = Desktop::with_recorded_toasts();
    let toasts = Toasts::record(&desktop).await;
    let page = Page::open(&desktop).await;
    let own = app::own_server(&desktop).await;
    own.publish("parcels", "First of parcels", &[]).await;
    toasts.wait_for("First of parcels").await;

    page.open_section("Notifications", "quiet-hours").await;
    for topic in [Some("parcels of This computer"), None] {
        page.press_button("Add quiet hours").await;
        page.fill_field("From", "00:00").await;
        page.fill_field("To", "00:00").await;
        if let Some(topic) = topic {
            page.press_button(topic).await;
        }
    }
    let of_topic = "Only parcels of This computer";
    wait_for_causes(&page, &[of_topic, "Every day"]).await;
    // Its days are those that are neither today nor next to it, whatever the hour is.
    let today = page.script("return (new Date().getDay() + 6) % 7").await.as_u64().expect("a day");
    for day in [today + 6, today, today + 1] {
        let chip = format!("[aria-label='Start on'] button:nth-child({})", day % 7 + 1);
        page.click(&chip).await;
        page.wait_for(&format!("{chip}[aria-pressed=false]")).await;
    }
    wait_for_causes(&page, &[of_topic]).await;

    own.publish("parcels", "Second of parcels", &[]).await;
    wait_for_arrival(&desktop, "Second of parcels").await;
    own.publish("doorbell", "First of doorbell", &[]).await;
    toasts.wait_for("First of doorbell").await;
    assert!(!told(&toasts, &["Second of parcels"]), "the first schedule goes on");
    page.close().await;
}
