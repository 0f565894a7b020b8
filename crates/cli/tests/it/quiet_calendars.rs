//! Tests that the terminal tells of calendars while which are busy it is quiet.

use std::sync::Arc;

use serde_json::json;
use tidings_model::{Clock, SystemClock};
use tidings_replica::Replica;

use crate::data_folder::DataFolder;

#[test]
fn a_busy_calendar_is_told_with_its_end_and_one_that_could_not_be_read_with_the_reason() {
    let laptop = DataFolder::new();
    let now = SystemClock.now();
    let (busy, broken) = ("https://cal.example.org/ana.ics", "https://cal.example.org/page.html");
    let hours = |address: &str| {
        json!({"on": true, "days": [true, true, true, true, true, true, true], "from": 0, "to": 0, "passes": null,
            "calendar": address})
    };
    let end = now.plus_secs(3_600).as_secs();
    let replica = Replica::open(laptop.path(), Arc::new(SystemClock)).unwrap();
    replica.set_setting("desktop", &json!({"notify": {"quiet": [hours(busy), hours(broken)]}})).unwrap();
    let known = json!({
        busy: {"busy": [{"local": false, "from": now.as_secs() - 60, "to": end}]},
        broken: {"trouble": "no_calendar"},
    });
    replica.set_setting("calendars", &known).unwrap();
    drop(replica);
    let told = laptop.run(&["quiet"]);
    let lines: Vec<&str> = told.lines().collect();
    let [first, second] = lines[..] else { panic!("{told}") };
    assert!(first.starts_with("the calendar of quiet hours 1 is busy, until 20"), "{told}");
    assert_eq!(second, "the calendar of quiet hours 2 is no calendar in the ICS format");
    let quiet = laptop.json(&["quiet"]);
    assert_eq!(quiet["causes"][0]["what"], json!({"is": "calendar", "at": 0}));
    assert_eq!(quiet["causes"][0]["until"], end * 1_000);
    assert_eq!(quiet["calendars"][1]["trouble"], "no_calendar");
}
