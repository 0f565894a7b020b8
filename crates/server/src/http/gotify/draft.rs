//! Builds a draft from a message in Gotify's format. Extras that a notification has a field for are put there too; all
//! of them come back to Gotify's clients as they were sent.

use serde_json::{Map, Value};
use tidings_model::{
    Action, ActionKind, Actor, Attachment, Content, Format, Kind, Priority, Problem, Target,
};

use super::error::GotifyError;
use super::params::Params;
use crate::domain::account::UserKey;
use crate::domain::draft::{Audience, Draft};
use crate::domain::gotify::{APPLICATION_TARGET, Original, priority};
use crate::domain::limits;
use crate::http::input::{file_name, parse_value, web_url};
use crate::store::Application;

/// The label of the button for an address that Gotify's Android app opens at once.
const OPEN_LABEL: &str = "Open";

/// The draft of a message by an application, for its user.
///
/// # Errors
/// For a missing message, a field of another type, and a message beyond the limits.
pub(super) fn draft(application: &Application, user: UserKey, params: &Params) -> Result<Draft, GotifyError> {
    let Application { target, fields, .. } = application;
    let actor = Actor { id: target.clone(), name: fields.name.clone() };
    let mut draft = Draft::new(Kind::Reminder, Audience::Subscribers, actor);
    "publish".clone_into(&mut draft.action);
    draft.target = Some(Target {
        kind: APPLICATION_TARGET.to_owned(),
        id: target.clone(),
        title: Some(fields.name.clone()),
        ..Target::default()
    });
    draft.subscribe = Some(user);
    draft.content.body = params.required_text("message")?;
    draft.content.title = params.text("title")?;
    if draft.content.title.trim().is_empty() {
        draft.content.title.clone_from(&fields.name);
    }
    let sent = params.integer("priority")?;
    let original =
        Original { priority: sent.unwrap_or(fields.default_priority), extras: params.object("extras")? };
    let is_set = sent.is_some() || fields.default_priority != 0;
    draft.content.priority = if is_set { priority(original.priority) } else { Priority::DEFAULT };
    put_extras(&original.extras, &mut draft.content);
    original.keep_in(&mut draft.content);
    check(&draft)?;
    Ok(draft)
}

/// Puts those extras into the content that it has fields for.
fn put_extras(extras: &Map<String, Value>, content: &mut Content) {
    let text = |extra: &str, path: &str| extras.get(extra)?.pointer(path)?.as_str();
    let address = |extra, path| text(extra, path).filter(|address| web_url(address).is_some());
    if text("client::display", "/contentType").is_some_and(|t| t.eq_ignore_ascii_case("text/markdown")) {
        content.format = Format::Markdown;
    }
    content.url = address("client::notification", "/click/url").map(str::to_owned);
    content.attachment = address("client::notification", "/bigImageUrl").and_then(image);
    content.actions.extend(address("android::action", "/onReceive/intentUrl").map(view_action));
}

/// A picture as an attachment.
fn image(address: &str) -> Option<Attachment> {
    let name = file_name(&web_url(address)?).filter(|name| name.len() <= limits::NAME_BYTES);
    let name = name.unwrap_or_else(|| "image".to_owned());
    Some(Attachment { name, url: address.to_owned(), media: None, size: None, expires: None })
}

/// A button that opens an address.
fn view_action(address: &str) -> Action {
    Action {
        id: String::new(),
        action: ActionKind::View,
        label: OPEN_LABEL.to_owned(),
        url: address.to_owned(),
        value: String::new(),
        clear: false,
        method: None,
        headers: Map::new(),
        body: None,
        rest: Map::new(),
    }
}

/// Checks the limits on every publication, and those on JSON texts, because a form was not parsed as JSON.
fn check(draft: &Draft) -> Result<(), Problem> {
    draft.check()?;
    let bytes = serde_json::to_vec(draft).map_err(|e| Problem::invalid("body", e.to_string()))?;
    parse_value(&bytes).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tidings_model::Stamp;

    use crate::store::ApplicationFields;

    fn content(default_priority: i64, body: &Value) -> Content {
        let fields =
            ApplicationFields { name: "Backup".into(), default_priority, ..ApplicationFields::default() };
        let application = Application {
            id: 1,
            target: "t".into(),
            fields,
            created_at: Stamp::ZERO,
            last_used: None,
            image: None,
        };
        let params = Params::Json(body.as_object().cloned().unwrap());
        draft(&application, UserKey(1), &params).unwrap().content
    }

    #[test]
    fn what_is_not_given_is_the_applications() {
        let plain = content(0, &json!({"message": "m", "title": "  "}));
        assert_eq!((plain.title.as_str(), plain.priority.get()), ("Backup", 3));
        assert_eq!(Original::of(&plain).priority, 0);
        let with_default = content(8, &json!({"message": "m"}));
        assert_eq!((with_default.priority.get(), Original::of(&with_default).priority), (4, 8));
        let given = content(8, &json!({"message": "m", "priority": 0, "title": "T"}));
        assert_eq!((given.title.as_str(), given.priority.get()), ("T", 1));
    }

    #[test]
    fn extras_are_fields_where_there_are_any_and_only_web_addresses_are_opened() {
        let extras = json!({
            "client::display": {"contentType": "text/markdown"},
            "client::notification": {"click": {"url": "https://e.org/"}, "bigImageUrl": "https://e.org/a%20b.png"},
            "android::action": {"onReceive": {"intentUrl": "https://e.org/i"}},
            "home::lamp": {"on": true},
        });
        let sent = content(0, &json!({"message": "m", "extras": extras}));
        assert_eq!((sent.format, sent.url.as_deref()), (Format::Markdown, Some("https://e.org/")));
        assert_eq!(sent.attachment.as_ref().unwrap().name, "a b.png");
        assert_eq!(
            (sent.actions[0].label.as_str(), sent.actions[0].url.as_str()),
            ("Open", "https://e.org/i")
        );
        assert_eq!(Value::Object(Original::of(&sent).extras), extras);
        let extras = json!({
            "client::display": "text/markdown",
            "client::notification": {"click": {"url": "file:///etc/passwd"}, "bigImageUrl": "data:,x"},
            "android::action": {"onReceive": {"intentUrl": "intent://x"}},
        });
        let odd = content(0, &json!({"message": "m", "extras": extras}));
        assert!(odd.url.is_none() && odd.attachment.is_none() && odd.actions.is_empty());
        assert_eq!((odd.format, Value::Object(Original::of(&odd).extras)), (Format::Plain, extras));
    }
}
