//! Tests of quiet hours while a calendar is busy. The clock is fixed at 22:13:20 UTC, on Tuesday, 14 November 2023.

use std::sync::{Arc, Mutex};

use tidings_ipc::{CalendarTrouble, QuietHours, QuietWhat};
use tidings_model::Clock;
use tidings_testkit::scripted::{Requests, ScriptedServer, response};

use super::harness::{TestApp, open, open_when};

/// Busy from 22:00 to 22:30 and, all day, on Thursday.
const BUSY: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n\
    BEGIN:VEVENT\r\nUID:a\r\nDTSTART:20231113T220000Z\r\nDURATION:PT30M\r\nRRULE:FREQ=DAILY;COUNT=2\r\nEND:VEVENT\r\n\
    BEGIN:VEVENT\r\nUID:b\r\nDTSTART;VALUE=DATE:20231116\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

/// A server of a calendar, whose document may be changed; it answers 304 while it was not.
struct CalendarServer {
    url: String,
    document: Arc<Mutex<String>>,
    requests: Requests,
}

impl CalendarServer {
    async fn start(document: &str) -> Self {
        let server = ScriptedServer::start().await;
        let url = format!("{}/ana.ics?key=1", server.url());
        let document = Arc::new(Mutex::new(document.to_owned()));
        let now = Arc::clone(&document);
        let requests = server.serve(move |mut exchange| {
            let text = now.lock().unwrap().clone();
            async move {
                let tag = format!("\"{}\"", text.len());
                let answer = if exchange.header("if-none-match") == Some(tag.as_str()) {
                    response("304 Not Modified", "", "")
                } else {
                    response("200 OK", &format!("etag: {tag}\r\n"), text)
                };
                let _ = exchange.send(&answer).await;
            }
        });
        Self { url, document, requests }
    }

    fn set(&self, document: &str) {
        document.clone_into(&mut self.document.lock().unwrap());
    }

    fn asked(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

async fn set_calendar(test: &TestApp, address: &str) {
    let mut settings = test.app.settings.current_settings();
    let hours = QuietHours { on: true, calendar: Some(address.to_owned()), ..QuietHours::default() };
    settings.notify.quiet = vec![hours];
    test.app.settings.settings(&settings).await.unwrap();
    test.app.calendars.refresh_calendars().await.unwrap();
}

fn titles(test: &TestApp) -> Vec<String> {
    test.desktop.toasts.lock().unwrap().iter().map(|toast| toast.title.clone()).collect()
}

async fn trouble(test: &TestApp) -> Option<CalendarTrouble> {
    test.app.silence.quiet_now().await.unwrap().calendars[0].trouble
}

#[tokio::test]
async fn toasts_wait_while_the_calendar_is_busy_and_come_when_it_is_free() {
    let server = CalendarServer::start(BUSY).await;
    let test = open().running();
    test.source("");
    set_calendar(&test, &server.url).await;
    test.arrive(1, "a", "one").await;
    assert_eq!(titles(&test), Vec::<String>::new());
    let now = test.app.silence.quiet_now().await.unwrap();
    let half_past = 1_700_001_000_000;
    assert_eq!(now.causes.len(), 1);
    assert_eq!((&now.causes[0].what, now.causes[0].until), (&QuietWhat::Calendar { at: 0 }, Some(half_past)));
    assert_eq!(
        (now.calendars[0].trouble, now.calendars[0].read_at),
        (None, Some(test.clock.now().as_millis()))
    );
    assert_eq!(test.with_page().await.sync.quiet_until, Some(half_past));
    assert_eq!(test.app.silence.next_timer().await.unwrap().unwrap().as_millis(), half_past);

    test.clock.advance(1_000);
    test.app.silence.run_due_timers().await.unwrap();
    assert_eq!(titles(&test), ["a"]);
    assert_eq!(test.app.silence.quiet_now().await.unwrap().causes, []);
    // The whole day is the reader's, whose zone is UTC.
    assert_eq!(test.app.silence.next_timer().await.unwrap().unwrap().as_millis(), 1_700_092_800_000);
}

#[tokio::test]
async fn what_a_calendar_said_counts_without_a_network_and_after_a_restart() {
    let server = CalendarServer::start(BUSY).await;
    let test = open().running();
    set_calendar(&test, &server.url).await;
    let TestApp { app, folder, clock, .. } = test;
    drop(app);
    let test = open_when(folder, tidings_model::Lang::En, clock).running();
    assert_eq!(test.app.silence.quiet_now().await.unwrap().causes.len(), 1);
    test.app.calendars.refresh_calendars().await.unwrap();
    assert_eq!(server.asked(), 1, "it was asked a moment ago");

    // After half an hour it is asked whether it changed.
    test.clock.advance(31 * 60);
    test.app.calendars.refresh_calendars().await.unwrap();
    assert_eq!(server.asked(), 2);
    assert!(server.requests.lock().unwrap()[1].contains("if-none-match"));
    assert_eq!(
        test.app.silence.next_timer().await.unwrap().unwrap().as_millis(),
        1_700_092_800_000,
        "it is still known"
    );

    server.set("<html>sign in</html>");
    for _ in 0..2 {
        test.clock.advance(31 * 60);
        test.app.calendars.refresh_calendars().await.unwrap();
        assert_eq!(trouble(&test).await, Some(CalendarTrouble::NoCalendar));
    }
    assert_eq!(test.app.silence.next_timer().await.unwrap().unwrap().as_millis(), 1_700_092_800_000);
    server.set(&BUSY.replace("UID:b", "UID:b\r\nTRANSP:TRANSPARENT"));
    test.clock.advance(31 * 60);
    test.app.calendars.refresh_calendars().await.unwrap();
    assert_eq!(
        (trouble(&test).await, test.app.silence.next_timer().await.unwrap()),
        (None, None),
        "it is free"
    );
}

#[tokio::test]
async fn a_calendar_that_cannot_be_asked_is_said_and_its_address_stays_here() {
    let test = open().running();
    for (address, expected) in [
        ("nonsense", CalendarTrouble::Address),
        ("file:///etc/passwd", CalendarTrouble::Address),
        ("http://127.0.0.1:1/ana.ics", CalendarTrouble::NoAnswer),
    ] {
        set_calendar(&test, address).await;
        assert_eq!(trouble(&test).await, Some(expected), "{address}");
    }
    let file = test.folder.path().join("settings.json");
    test.choose_file(&file);
    test.app.settings_transfer.export_settings().await.unwrap();
    assert!(!std::fs::read_to_string(&file).unwrap().contains("ana.ics"), "it is a secret");
    test.app.settings_transfer.import_settings().await.unwrap();
    let kept = test.app.settings.current_settings().notify.quiet;
    assert_eq!(kept[0].calendar.as_deref(), Some("http://127.0.0.1:1/ana.ics"), "and it is not lost");
}
