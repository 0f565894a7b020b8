//! One call by which a program shows a notification, of `Notify` or GNOME's `AddNotification`: what of it is kept.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use tidings_model::{Priority, text};
use zbus::message::Body;
use zbus::zvariant::{Signature, Type};

use super::super::applications::{is_own, valid_name};
use crate::markup::to_text;

/// The most bytes of a message of the bus that are looked at. Pictures in it are skipped.
const MAX_MESSAGE_BYTES: usize = 16 << 20;
/// The most bytes of a title.
const MAX_TITLE_BYTES: usize = 512;
/// The most bytes of a text.
const MAX_TEXT_BYTES: usize = 4 << 10;

/// The most bytes of a text with its markup, which makes it longer than it reads.
const MAX_MARKUP_BYTES: usize = 4 * MAX_TEXT_BYTES;

/// A notification that an application has sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DesktopNotification {
    /// The application's name.
    pub(super) application: String,
    /// Whether it is to be kept at all: it is not if it only belongs to the moment.
    pub(super) lasts: bool,
    /// The title, without markup.
    pub(super) title: String,
    /// The text, without markup.
    pub(super) text: String,
    /// The priority.
    pub(super) priority: Priority,
}

/// The arguments of `Notify`: application, replaced id, icon, summary, body, actions, hints, timeout.
type Arguments<'m> = (&'m str, u32, &'m str, &'m str, &'m str, Vec<&'m str>, Members<Hints>, i32);

/// The arguments of `AddNotification`: application, its own id of the notification, content.
type AddedArguments<'m> = (&'m str, &'m str, Members<Added>);

/// Reads a call of `Notify`. `None` for one of this program, for one that a daemon passes on, for one without a name,
/// and for one that is no such call.
pub(super) fn read(body: &Body) -> Option<DesktopNotification> {
    if body.len() > MAX_MESSAGE_BYTES {
        return None;
    }
    let (app, _, _, summary, body, _, Members(hints), _) = body.deserialize::<Arguments<'_>>().ok()?;
    let entry = hints.desktop_entry.as_deref().unwrap_or_default();
    if is_own(app) || is_own(entry) || hints.is_passed_on {
        return None;
    }
    let application = valid_name(app).or_else(|| valid_name(entry))?;
    let (title, text) = (line(summary), plain(body));
    let says_something = !title.is_empty() || !text.is_empty();
    Some(DesktopNotification {
        application,
        lasts: says_something && hints.lasts(),
        title,
        text,
        priority: hints.priority(),
    })
}

/// Reads a call of `AddNotification`, by which programs of GNOME and its portals show notifications. The second value
/// is the application's own id of it: what is added under the same one replaces it. `None` as for [`read`].
pub(super) fn read_added(body: &Body) -> Option<(DesktopNotification, String)> {
    if body.len() > MAX_MESSAGE_BYTES {
        return None;
    }
    let (app, id, Members(added)) = body.deserialize::<AddedArguments<'_>>().ok()?;
    let application = valid_name(app)?;
    let Added { title, body, priority } = added;
    let (title, text) = (line(&title), text::cut(text::block(&body).trim(), MAX_TEXT_BYTES).to_owned());
    let lasts = !title.is_empty() || !text.is_empty();
    Some((DesktopNotification { application, lasts, title, text, priority }, id.to_owned()))
}

/// A title in one line.
fn line(title: &str) -> String {
    text::cut(text::line(title).trim(), MAX_TITLE_BYTES).to_owned()
}

/// A text without its markup, line by line.
fn plain(markup: &str) -> String {
    let beginning = text::cut(markup, MAX_MARKUP_BYTES);
    let lines: Vec<_> = beginning.lines().map(|line| text::line(&to_text(line)).into_owned()).collect();
    text::cut(lines.join("\n").trim(), MAX_TEXT_BYTES).to_owned()
}

/// The hints that matter.
#[derive(Debug, Default)]
struct Hints {
    urgency: Option<u8>,
    desktop_entry: Option<String>,
    /// It shows a state, such as the volume or a progress, which the next one replaces.
    is_gauge: bool,
    is_transient: bool,
    /// GNOME's daemon passes on to its shell what a program has sent to it.
    is_passed_on: bool,
}

impl Hints {
    fn lasts(&self) -> bool {
        !self.is_gauge && !self.is_transient
    }

    fn priority(&self) -> Priority {
        match self.urgency {
            Some(0) => Priority::LOW,
            Some(2) => Priority::HIGHEST,
            _ => Priority::DEFAULT,
        }
    }
}

impl Put for Hints {
    fn put(&mut self, name: &str, value: Value) {
        match (name, value) {
            ("urgency", Value::Number(number)) => self.urgency = u8::try_from(number).ok(),
            ("desktop-entry", Value::Text(entry)) => {
                // Some name the file, or its path.
                let entry = entry.rsplit('/').next().unwrap_or_default();
                self.desktop_entry = Some(entry.trim_end_matches(".desktop").to_owned());
            }
            ("transient", Value::Number(number)) => self.is_transient = number != 0,
            ("x-shell-sender", _) => self.is_passed_on = true,
            ("value" | "x-canonical-private-synchronous" | "synchronous", _) => self.is_gauge = true,
            _ => {}
        }
    }
}

/// The content of an added notification.
#[derive(Debug, Default)]
struct Added {
    title: String,
    body: String,
    priority: Priority,
}

impl Put for Added {
    fn put(&mut self, name: &str, value: Value) {
        match (name, value) {
            ("title", Value::Text(title)) => self.title = title,
            ("body", Value::Text(body)) => self.body = body,
            ("priority", Value::Text(priority)) => {
                self.priority = match &*priority {
                    "low" => Priority::LOW,
                    "high" => Priority::HIGH,
                    "urgent" => Priority::HIGHEST,
                    _ => Priority::DEFAULT,
                };
            }
            _ => {}
        }
    }
}

/// What is read from the members of a dictionary.
trait Put: Default {
    /// Takes a member; those that do not matter are dropped.
    fn put(&mut self, name: &str, value: Value);
}

/// A dictionary of variants.
struct Members<T>(T);

impl<T> Type for Members<T> {
    const SIGNATURE: &'static Signature = <HashMap<&str, zbus::zvariant::Value<'_>>>::SIGNATURE;
}

impl<'de, T: Put> Deserialize<'de> for Members<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct All<T>(PhantomData<T>);
        impl<'de, T: Put> Visitor<'de> for All<T> {
            type Value = Members<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a dictionary")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Members<T>, M::Error> {
                let mut members = T::default();
                while let Some((name, Variant(value))) = map.next_entry::<&str, Variant>()? {
                    members.put(name, value);
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(All(PhantomData))
    }
}

/// The value of a member. What is neither text nor a number, such as a picture, is read without being stored.
enum Value {
    Text(String),
    Number(u64),
    Other,
}

/// A value with its signature before it.
struct Variant(Value);

impl<'de> Deserialize<'de> for Variant {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Parts;
        impl<'de> Visitor<'de> for Parts {
            type Value = Variant;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a variant")
            }

            fn visit_seq<S: SeqAccess<'de>>(self, mut parts: S) -> Result<Variant, S::Error> {
                let _signature: Option<&str> = parts.next_element()?;
                Ok(Variant(parts.next_element()?.unwrap_or(Value::Other)))
            }
        }
        from.deserialize_any(Parts)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_bool<E>(self, on: bool) -> Result<Value, E> {
                Ok(Value::Number(on.into()))
            }

            fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
                Ok(Value::Number(number))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
                Ok(u64::try_from(number).map_or(Value::Other, Value::Number))
            }

            fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
                Ok(Value::Other)
            }

            fn visit_str<E>(self, text: &str) -> Result<Value, E> {
                Ok(Value::Text(text::cut(text, MAX_MARKUP_BYTES).to_owned()))
            }

            fn visit_seq<S: SeqAccess<'de>>(self, mut all: S) -> Result<Value, S::Error> {
                while all.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Value::Other)
            }

            fn visit_map<M: MapAccess<'de>>(self, mut all: M) -> Result<Value, M::Error> {
                while all.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Value::Other)
            }
        }
        from.deserialize_any(Any)
    }
}

#[cfg(test)]
#[path = "notification_tests.rs"]
mod tests;
