//! Tests of what any program of the session may say in the name of the notification daemon. It sends signals with
//! arguments of other types, of toasts that nobody showed, twice, and in any order.

use std::collections::BTreeSet;
use std::time::Instant;

use tidings_ports::{DesktopRequest, ToastKey, ToastRef};
use zbus::message::Message;
use zbus::zvariant::StructureBuilder;

use super::super::daemon::ShownToasts;
use super::{ActionInvoked, ActivationToken, NotificationClosed, NotificationReplied};
use crate::activation::tests::value;

/// The toasts on the screen have the daemon's ids from 1 to this one.
const SHOWN: u32 = 3;
/// More arguments have a longer signature than the bus allows (255 bytes).
const MAX_ARGUMENTS: usize = 20;
/// The daemon's interface, and its path.
const INTERFACE: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";

/// A signal: its name, and its arguments with a unit separator before each. `None` for what the bus would not pass on.
fn signal(line: &str) -> Option<Message> {
    let mut parts = line.split('\u{1f}');
    let builder = Message::signal(PATH, INTERFACE, parts.next()?).ok()?;
    let arguments = parts
        .take(MAX_ARGUMENTS)
        .fold(StructureBuilder::new(), |before, part| before.append_field(value(part)));
    let built = match arguments.build() {
        Ok(arguments) => builder.build(&arguments),
        Err(_) => builder.build(&()),
    };
    built.ok()
}

/// An input has a signal in each line.
#[test]
fn whatever_is_said_of_toasts_each_of_them_is_pressed_or_closed_once() {
    tidings_testkit::fuzz::run("bus-signal", 3_000, |input| {
        // No text on the bus has a NUL.
        let text = String::from_utf8_lossy(input).replace('\0', " ");
        let (mut shown, mut left) = (ShownToasts::default(), BTreeSet::new());
        for id in 1..=SHOWN {
            let toast = ToastRef { key: ToastKey::Thread(id.into()), serial: 1 };
            shown.record_shown(toast, id, Instant::now());
            left.insert(id);
        }
        for message in text.lines().filter_map(signal) {
            if let Some(token) = ActivationToken::from_message(message.clone())
                && let Ok(args) = token.args()
            {
                shown.set_token(args.id, args.token.to_owned());
            }
            if let Some(click) = ActionInvoked::from_message(message.clone())
                && let Ok(args) = click.args()
            {
                let request = shown.click(args.id, args.key);
                assert_eq!(request.is_some(), left.remove(&args.id), "{request:?}");
                if let Some(DesktopRequest::ToastAction { index, .. }) = request {
                    assert!(index < 3, "{index}");
                }
            }
            if let Some(reply) = NotificationReplied::from_message(message.clone())
                && let Ok(args) = reply.args()
            {
                let has_words = !args.text.trim().is_empty();
                let request = shown.reply(args.id, args.text);
                assert_eq!(request.is_some(), has_words && left.remove(&args.id), "{request:?}");
            }
            if let Some(closing) = NotificationClosed::from_message(message.clone())
                && let Ok(args) = closing.args()
            {
                let removed = shown.remove(args.id);
                assert_eq!(removed.is_some(), left.remove(&args.id), "{removed:?}");
            }
        }
        assert_eq!(shown.remove_all().len(), left.len());
    });
}
