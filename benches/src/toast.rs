//! The time from a publication to its toast: until the notification daemon has answered on the session bus.

use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use zbus::blocking::fdo::{DBusProxy, MonitoringProxy};
use zbus::blocking::{Connection, MessageIterator};
use zbus::message::Type;
use zbus::zvariant::Value;
use zbus::{MatchRule, Message};

use crate::Result;
use crate::curl::{block_on, post_text, start_sink_server};
use crate::desktop::{DesktopProcess, endpoint, first_start, sibling_program};
use crate::input_latency::sample_durations;
use crate::report::{Report, millis};

const BUS_NAME: &str = "org.freedesktop.Notifications";
const OBJECT_PATH: &str = "/org/freedesktop/Notifications";
/// Number of toasts measured.
const SAMPLE_COUNT: usize = 100;
/// Pause between two toasts, so that each is shown on its own: the app shows at most five new toasts in ten seconds one
/// by one.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(2_100);
/// Pause between two toasts of the floor: the daemon itself shows any number.
const FLOOR_INTERVAL: Duration = Duration::from_millis(200);
/// Timeout for a toast to appear.
const TOAST_TIMEOUT: Duration = Duration::from_secs(30);

/// The arguments of the `Notify` method, in the order of the desktop notification specification.
type Notify<'a> = (&'a str, u32, &'a str, &'a str, &'a str, Vec<&'a str>, HashMap<&'a str, Value<'a>>, i32);

/// Receives the text of each toast that the daemon has answered for, with the time of the answer.
struct Toasts(Receiver<(String, Instant)>);

impl Toasts {
    /// Watches the session bus from now on; `None` if there is no notification daemon.
    fn watch() -> Result<Option<Self>> {
        if !DBusProxy::new(&Connection::session()?)?.name_has_owner(BUS_NAME.try_into()?)? {
            return Ok(None);
        }
        let bus = Connection::session()?;
        let calls =
            MatchRule::builder().msg_type(Type::MethodCall).interface(BUS_NAME)?.member("Notify")?.build();
        let answers = MatchRule::builder().msg_type(Type::MethodReturn).build();
        MonitoringProxy::new(&bus)?.become_monitor(&[calls, answers], 0)?;
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let mut pending_calls = HashMap::new();
            for message in MessageIterator::from(&bus).flatten() {
                if let Some(shown) = acknowledged_toast(&message, &mut pending_calls)
                    && sender.send((shown, Instant::now())).is_err()
                {
                    return;
                }
            }
        });
        Ok(Some(Self(receiver)))
    }

    /// The time at which a toast whose text contains `text` was shown; an error after [`TOAST_TIMEOUT`].
    fn wait_for(&self, text: &str) -> Result<Instant> {
        let started = Instant::now();
        while let Some(left) = TOAST_TIMEOUT.checked_sub(started.elapsed()) {
            let (shown, at) = self.0.recv_timeout(left)?;
            if shown.contains(text) {
                return Ok(at);
            }
        }
        Err(format!("no toast says {text:?}").into())
    }
}

/// The text of a toast, if this message is the daemon's answer to its `Notify` call. `pending_calls` holds the texts
/// of unanswered calls, by sender and serial number.
fn acknowledged_toast(
    message: &Message,
    pending_calls: &mut HashMap<(String, u32), String>,
) -> Option<String> {
    let header = message.header();
    if header.message_type() == Type::MethodCall {
        let body = message.body();
        let (_, _, _, summary, text, ..) = body.deserialize::<Notify<'_>>().ok()?;
        let call = (header.sender()?.to_string(), header.primary().serial_num().get());
        pending_calls.insert(call, format!("{summary}\n{text}"));
        return None;
    }
    pending_calls.remove(&(header.destination()?.to_string(), header.reply_serial()?.get()))
}

/// Shows a toast directly: one `Notify` call and its answer.
fn notify(bus: &Connection, text: &str) -> Result<()> {
    let body: Notify<'_> = ("bench", 0, "", "Floor", text, Vec::new(), HashMap::new(), -1);
    bus.call_method(Some(BUS_NAME), OBJECT_PATH, Some(BUS_NAME), "Notify", &body)?;
    Ok(())
}

/// Measures the time from a publication to its toast. It adds a note instead if there is no notification daemon.
pub(crate) async fn run(report: &mut Report, data: &Path) -> Result<()> {
    let Some(toasts) = Toasts::watch().ok().flatten() else {
        report.note("no notification daemon: the way to a toast was not measured");
        return Ok(());
    };
    let (app, folder) = (sibling_program("tidings-desktop")?, data.join("toasts"));
    std::fs::create_dir_all(&folder)?;
    first_start(&app, &folder)?;
    let running = DesktopProcess::start(&app, &folder, &["--background"])?;
    let url = endpoint(&folder)?;

    let bus = Connection::session()?;
    let raw = start_sink_server().await?;
    let mut n = 0;
    let floor = sample_durations(SAMPLE_COUNT, || {
        n += 1;
        let text = format!("Floor {n} of {SAMPLE_COUNT}");
        let started = Instant::now();
        block_on(post_text(&raw, &text))?;
        notify(&bus, &text)?;
        let took = started.elapsed();
        std::thread::sleep(FLOOR_INTERVAL);
        Ok(took)
    })?;
    let mut n = 0;
    let toast_latency = sample_durations(SAMPLE_COUNT, || {
        n += 1;
        let text = format!("Toast {n} of {SAMPLE_COUNT}");
        let started = Instant::now();
        block_on(post_text(&format!("{url}/bench-{n}"), &text))?;
        let took = toasts.wait_for(&text)?.duration_since(started);
        std::thread::sleep(SAMPLE_INTERVAL);
        Ok(took)
    })?;
    drop(running);

    report.section("Toasts", "from a `curl` to the answer of the notification daemon");
    report.row(
        "a notification",
        &millis(toast_latency),
        &millis(floor),
        "a raw post and a raw `Notify`, one after the other",
        toast_latency.p50.as_secs_f64() / floor.p50.as_secs_f64(),
    );
    report.goal(
        "from a `curl` to its toast under 50 ms (p99)",
        toast_latency.p99 < Duration::from_millis(50),
        &millis(toast_latency),
    );
    Ok(())
}
