//! Tests of what is kept of another program's toast.

use zbus::Message;
use zbus::zvariant::Value;

use super::*;

type SentHints<'h> = HashMap<&'h str, Value<'h>>;

fn call(app: &str, summary: &str, body: &str, hints: SentHints<'_>) -> Message {
    let arguments = (app, 0_u32, "icon", summary, body, vec!["default", "Open"], hints, -1_i32);
    let builder = Message::method_call("/org/freedesktop/Notifications", "Notify").unwrap();
    builder.build(&arguments).unwrap()
}

fn told(app: &str, summary: &str, body: &str, hints: SentHints<'_>) -> Option<DesktopNotification> {
    read(&call(app, summary, body, hints).body())
}

#[test]
fn a_notification_is_kept_as_plain_text_with_its_application_and_priority() {
    let body = "<b>Ana &amp; Bo</b> wrote:\n\
                    <a href=\"https://a.example\">5 &lt; 6</a><img src=\"file:///i.png\" alt=\"x\"/>";
    let urgent = HashMap::from([("urgency", Value::U8(2))]);
    let ana = told("Mail", " Two new\nmails ", body, urgent).unwrap();
    assert_eq!((ana.application.as_str(), ana.title.as_str()), ("Mail", "Two new mails"));
    assert_eq!(ana.text, "Ana & Bo wrote:\n5 < 6");
    assert_eq!((ana.priority, ana.lasts), (Priority::HIGHEST, true));
    let plain = told("Build", "Vec<T>", "a < b && c > d", HashMap::new()).unwrap();
    assert_eq!((plain.title.as_str(), plain.text.as_str()), ("Vec<T>", "a < b && c > d"));
    assert_eq!(plain.priority, Priority::DEFAULT);
    let low = told("Build", "Done", "", HashMap::from([("urgency", Value::U8(0))])).unwrap();
    assert_eq!(low.priority, Priority::LOW);
}

#[test]
fn an_application_without_a_name_has_that_of_its_desktop_entry() {
    let entry = |entry: &'static str| HashMap::from([("desktop-entry", Value::from(entry))]);
    let named = |app: &str, of: &'static str| told(app, "a", "b", entry(of)).map(|told| told.application);
    assert_eq!(named("", "org.gnome.Geary.desktop").as_deref(), Some("org.gnome.Geary"));
    assert_eq!(named(" ", "/usr/share/applications/geary.desktop").as_deref(), Some("geary"));
    assert_eq!(named("Geary", "org.gnome.Geary").as_deref(), Some("Geary"));
    assert_eq!(told("", "a", "b", HashMap::new()), None);
}

#[test]
fn what_this_program_itself_tells_is_not_even_looked_at() {
    assert_eq!(told("Tidings", "a", "b", HashMap::new()), None);
    assert_eq!(told("tidings", "a", "b", HashMap::new()), None);
    let entry = HashMap::from([("desktop-entry", Value::from("Tidings"))]);
    assert_eq!(told("Somebody", "a", "b", entry), None);
}

#[test]
fn what_gnomes_daemon_passes_on_to_its_shell_is_not_told_twice() {
    let passed_on = HashMap::from([("x-shell-sender", Value::from(":1.7"))]);
    assert_eq!(told("Mail", "a", "b", passed_on), None);
}

#[test]
fn what_belongs_to_the_moment_is_seen_but_not_kept() {
    for (name, hint) in [
        ("transient", Value::Bool(true)),
        ("transient", Value::I32(1)),
        ("value", Value::I32(40)),
        ("x-canonical-private-synchronous", Value::from("volume")),
    ] {
        let told = told("Mixer", "Volume", "", HashMap::from([(name, hint)])).unwrap();
        assert!(!told.lasts, "{name}");
    }
    assert!(
        told("Mixer", "New device", "", HashMap::from([("transient", Value::Bool(false))])).unwrap().lasts
    );
    assert!(!told("Mixer", "", " \n ", HashMap::new()).unwrap().lasts, "it says nothing");
}

#[test]
fn pictures_and_other_hints_are_skipped_and_texts_have_an_end() {
    let pixels = (64_i32, 64_i32, 256_i32, true, 8_i32, 4_i32, vec![7_u8; 64 * 256]);
    let nested: HashMap<&str, Value<'_>> = HashMap::from([("inner", Value::from(vec![1_u32, 2]))]);
    let hints = HashMap::from([
        ("image-data", Value::from(pixels)),
        ("x-nested", Value::from(nested)),
        ("x-variant", Value::Value(Box::new(Value::from("deep")))),
        ("x-float", Value::F64(0.5)),
        ("urgency", Value::U8(2)),
    ]);
    let long = "界".repeat(100_000);
    let told = told("Camera", &long, &long, hints).unwrap();
    assert_eq!(told.priority, Priority::HIGHEST, "the other hints are read past the picture");
    assert!(told.title.len() <= MAX_TITLE_BYTES && told.text.len() <= MAX_TEXT_BYTES);
    assert!(told.title.ends_with('界') && told.text.ends_with('界'));
}

#[test]
fn what_gnomes_programs_add_is_kept_likewise() {
    let add = |app: &str, content: SentHints<'_>| {
        let builder = Message::method_call("/org/gtk/Notifications", "AddNotification").unwrap();
        read_added(&builder.build(&(app, "new-mail", content)).unwrap().body())
    };
    let button: HashMap<&str, Value<'_>> = HashMap::from([("label", Value::from("Open"))]);
    let icon = Value::from(("themed", Value::Value(Box::new(Value::from(vec!["mail-unread"])))));
    let content = HashMap::from([
        ("title", Value::from("Two new mails")),
        ("body", Value::from("a < b\nand <b>this</b>")),
        ("priority", Value::from("urgent")),
        ("icon", icon),
        ("buttons", Value::from(vec![button])),
    ]);
    let (told, id) = add("org.gnome.Geary", content).unwrap();
    assert_eq!((told.application.as_str(), id.as_str()), ("org.gnome.Geary", "new-mail"));
    assert_eq!((told.title.as_str(), told.text.as_str()), ("Two new mails", "a < b\nand <b>this</b>"));
    assert_eq!((told.priority, told.lasts), (Priority::HIGHEST, true));
    assert!(!add("org.gnome.Geary", HashMap::new()).unwrap().0.lasts);
    assert_eq!(add("Tidings", HashMap::from([("title", Value::from("own"))])), None);
}

#[test]
fn a_call_with_other_arguments_is_none() {
    let builder = Message::method_call("/org/freedesktop/Notifications", "Notify").unwrap();
    assert_eq!(read(&builder.build(&("Mail", 7_u32)).unwrap().body()), None);
}

/// A hint of a type that its first letter selects.
fn hint(text: &str) -> Value<'_> {
    let (kind, rest) = text.split_at_checked(1).unwrap_or_default();
    match kind {
        "u" => Value::U8(rest.parse().unwrap_or(u8::MAX)),
        "i" => Value::I64(rest.parse().unwrap_or(i64::MIN)),
        "t" => Value::U64(rest.parse().unwrap_or(u64::MAX)),
        "b" => Value::Bool(rest.is_empty()),
        "f" => Value::F64(rest.parse().unwrap_or(f64::NAN)),
        "a" => Value::from(rest.split(',').collect::<Vec<_>>()),
        "v" => Value::Value(Box::new(Value::from(rest))),
        _ => Value::from(text),
    }
}

/// An input has application, title and text, and then names and values of hints, with a unit separator between them.
#[test]
fn whatever_a_program_tells_it_is_kept_as_plain_text_with_an_end() {
    tidings_testkit::fuzz::run("desktop-notification", 1_500, |input| {
        // No text on the bus has a NUL.
        let text = String::from_utf8_lossy(input).replace('\0', " ");
        let mut parts = text.split('\u{1f}');
        let mut next = || parts.next().unwrap_or_default();
        let (app, summary, body) = (next(), next(), next());
        let mut hints = SentHints::new();
        while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
            hints.insert(name, hint(value));
        }
        let builder = Message::method_call("/org/gtk/Notifications", "AddNotification").unwrap();
        let added = read_added(&builder.build(&(app, summary, &hints)).unwrap().body());
        for told in added.map(|(told, _)| told).into_iter().chain(told(app, summary, body, hints)) {
            assert!(told.title.len() <= MAX_TITLE_BYTES && told.text.len() <= MAX_TEXT_BYTES);
            assert!(
                text::line(&told.title) == told.title && text::block(&told.text) == told.text,
                "{told:?}"
            );
        }
    });
}
