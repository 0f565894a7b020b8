//! Adds to the OpenAPI schemas what the Rust types do not express. It marks the strings that are ids, sets the maximum
//! number of elements, and lets null in a request mean a missing member.

use serde_json::{Map, Value, json};
use tidings_model::notification::Carrier;
use tidings_model::topic::{EXPECT_MAX_SECS, EXPECT_MIN_SECS};
use tidings_model::wire::{NewAnnouncement, NewMessage, NewReminder};
use tidings_model::{Content, Notification};
use tidings_server_core::domain::limits;
use tidings_server_core::domain::topic_settings::SIGNING_SENDERS;
use utoipa::{PartialSchema, ToSchema};

/// The pattern of ids of users, groups, topics, target types and actions.
pub(crate) const ID_PATTERN: &str = "^[A-Za-z0-9._-]{1,64}$";
/// The pattern of conversations.
pub(crate) const CONVERSATION_PATTERN: &str = "^(user|group):[A-Za-z0-9._-]{1,64}$";
/// The pattern of the catalog's reasons: an id, or the beginning of one followed by `*`.
const REASON_PATTERN: &str = r"^[A-Za-z0-9._-]{1,64}\*?$";
/// The pattern of topics.
pub(crate) const TOPIC_PATTERN: &str = r"^[A-Za-z0-9_-]{1,64}$";
/// The pattern of target ids; at most 256 bytes.
pub(crate) const TARGET_ID_PATTERN: &str = r"^[^\u0000-\u001f\u007f-\u009f]{1,256}$";
/// The pattern of a view in its text form.
const VIEW_PATTERN: &str = r"^(announcements/all|conversation/(user|group):[A-Za-z0-9._-]{1,64}|target/[A-Za-z0-9._-]{1,64}:[^\u0000-\u001f\u007f-\u009f]{1,256})$";

/// Schemas of request bodies, in which null means a missing member.
const REQUEST_SCHEMAS: &[&str] = &[
    "NewUser",
    "UserChange",
    "TokenRequest",
    "Catalog",
    "NewAnnouncement",
    "NewReminder",
    "NewMessage",
    "NewGroup",
    "GroupChange",
    "SubscriptionRequest",
    "At",
    "TopicRequest",
    "TemplateTrial",
];

/// Keywords to add to schemas: the schema's name, the member's pointer below `/properties`, the keyword and its value.
fn constraints() -> Vec<(&'static str, &'static str, &'static str, Value)> {
    let array = limits::ARRAY_ELEMENTS;
    // The limits of texts are in bytes and `maxLength` counts characters, of which there are never more than bytes.
    let text = || Value::from(limits::TEXT_BYTES);
    let mut all = vec![
        ("NewUser", "/id", "pattern", ID_PATTERN.into()),
        ("NewGroup", "/id", "pattern", ID_PATTERN.into()),
        ("NewGroup", "/name", "minLength", 1.into()),
        ("NewGroup", "/members", "maxItems", limits::GROUP_MEMBERS.into()),
        ("NewGroup", "/members/items", "pattern", ID_PATTERN.into()),
        ("GroupChange", "/name", "minLength", 1.into()),
        ("GroupChange", "/name", "maxLength", limits::NAME_BYTES.into()),
        ("GroupChange", "/owner", "pattern", ID_PATTERN.into()),
        ("TokenRequest", "/scopes", "minItems", 1.into()),
        ("NewAnnouncement", "/title", "minLength", 1.into()),
        ("NewReminder", "/action", "pattern", ID_PATTERN.into()),
        ("Attachment", "/name", "maxLength", limits::NAME_BYTES.into()),
        ("Question", "/answers", "maxItems", limits::QUESTION_ANSWERS.into()),
        ("Question", "/default", "pattern", ID_PATTERN.into()),
        ("Choice", "/id", "pattern", ID_PATTERN.into()),
        ("Choice", "/label", "pattern", r"\S".into()),
        ("Choice", "/label", "maxLength", limits::QUESTION_LABEL_BYTES.into()),
        ("NewUser", "/name", "maxLength", limits::NAME_BYTES.into()),
        ("UserChange", "/name", "maxLength", limits::NAME_BYTES.into()),
        ("NewGroup", "/name", "maxLength", limits::NAME_BYTES.into()),
        ("TokenRequest", "/label", "maxLength", limits::NAME_BYTES.into()),
        ("NewMessage", "/to", "pattern", ID_PATTERN.into()),
        ("Target", "/type", "pattern", ID_PATTERN.into()),
        ("Target", "/id", "pattern", TARGET_ID_PATTERN.into()),
        ("Target", "/owner", "pattern", ID_PATTERN.into()),
        ("Target", "/title", "maxLength", text()),
        ("Target", "/url", "maxLength", text()),
        ("TargetRef", "/type", "pattern", ID_PATTERN.into()),
        ("TargetRef", "/id", "pattern", TARGET_ID_PATTERN.into()),
        ("Catalog", "/actions", "propertyNames", json!({"pattern": ID_PATTERN})),
        ("Catalog", "/reasons", "propertyNames", json!({"pattern": REASON_PATTERN})),
        ("Ops", "/ops", "maxItems", array.into()),
        ("TopicRequest", "/name", "maxLength", limits::NAME_BYTES.into()),
        ("TopicRequest", "/icon", "maxLength", limits::ICON_URL_BYTES.into()),
        ("TopicRequest", "/icon", "pattern", r"^(https?://[a-z0-9.-]+(/.*)?)?$".into()),
        ("TopicRequest", "/template", "maxLength", limits::TEMPLATE_BYTES.into()),
        ("TopicRequest", "/publishers", "maxItems", limits::TOPIC_PUBLISHERS.into()),
        ("TopicRequest", "/publishers/items", "pattern", ID_PATTERN.into()),
        ("TopicRequest", "/readers", "maxItems", limits::TOPIC_READERS.into()),
        ("TopicRequest", "/readers/items", "pattern", ID_PATTERN.into()),
        ("TopicRequest", "/secrets", "propertyNames", json!({"enum": SIGNING_SENDERS})),
        ("TopicRequest", "/expect_secs", "minimum", EXPECT_MIN_SECS.into()),
        ("TopicRequest", "/expect_secs", "maximum", EXPECT_MAX_SECS.into()),
        ("TemplateTrial", "/template", "maxLength", limits::TEMPLATE_BYTES.into()),
    ];
    for carrier in ["NewAnnouncement", "NewReminder", "NewMessage", "NotificationEdit"] {
        all.extend(["/title", "/body", "/url", "/icon"].map(|member| (carrier, member, "maxLength", text())));
        all.extend([
            (carrier, "/tags", "maxItems", limits::TAG_COUNT.into()),
            (carrier, "/tags/items", "maxLength", limits::TAG_BYTES.into()),
            (carrier, "/data", "description", data_description()),
        ]);
    }
    all
}

fn data_description() -> Value {
    format!("Anything else; at most {} bytes as JSON.", limits::DATA_BYTES).into()
}

/// Adds the members of [`Content`] to the schemas of its carriers, which flatten it.
fn flatten_contents(schemas: &mut Map<String, Value>) {
    let mut parts = Vec::new();
    Content::schemas(&mut parts);
    schemas.extend(parts.into_iter().map(|(name, part)| (name, json!(part))));
    if let Value::Object(mut content) = json!(Content::schema())
        && let Some(Value::Object(fields)) = content.get_mut("properties")
    {
        for field in fields.values_mut().filter_map(Value::as_object_mut) {
            field.remove("default"); // what a carrier requires has none
        }
        flatten_content::<Notification>(fields, schemas);
        flatten_content::<NewAnnouncement>(fields, schemas);
        flatten_content::<NewReminder>(fields, schemas);
        flatten_content::<NewMessage>(fields, schemas);
    }
}

fn flatten_content<C: Carrier>(fields: &Map<String, Value>, schemas: &mut Map<String, Value>) {
    let Some(Value::Object(schema)) = schemas.get_mut(C::NAME) else { return };
    let taken = fields.iter().filter(|(name, _)| !C::IGNORED.contains(&name.as_str()));
    if let Value::Object(members) = schema.entry("properties").or_insert_with(|| json!({})) {
        members.extend(taken.map(|(name, field)| (name.clone(), field.clone())));
    }
    if let (Some(name), Value::Array(required)) =
        (C::REQUIRED, schema.entry("required").or_insert_with(|| json!([])))
    {
        required.push(name.into());
    }
}

/// Adds all of this to the schemas.
pub(crate) fn apply_constraints(schemas: &mut Map<String, Value>) {
    flatten_contents(schemas);
    for (schema, member, name, value) in constraints() {
        let place = format!("/properties{member}");
        if let Some(Value::Object(map)) = schemas.get_mut(schema).and_then(|s| s.pointer_mut(&place)) {
            map.insert(name.to_owned(), value);
        }
    }
    for name in REQUEST_SCHEMAS {
        if let Some(schema) = schemas.get_mut(*name) {
            allow_null_where_optional(schema);
        }
    }
    if let Some(view) = schemas.get_mut("View").and_then(Value::as_object_mut) {
        view.insert("pattern".to_owned(), VIEW_PATTERN.into());
    }
    constrain_actor_ids(schemas);
    constrain_operations(schemas);
    constrain_questions(schemas);
    describe_remaining(schemas);
}

/// Allows null for every optional member.
fn allow_null_where_optional(schema: &mut Value) {
    let required = schema.get("required").cloned().unwrap_or_default();
    let require = |name: &str| required.as_array().is_some_and(|all| all.iter().any(|one| one == name));
    let Some(members) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (_, member) in members.iter_mut().filter(|(name, _)| !require(name)) {
        match member.get_mut("type") {
            Some(Value::String(one)) => {
                let nullable = json!([one, "null"]);
                if let Some(map) = member.as_object_mut() {
                    map.insert("type".to_owned(), nullable);
                }
            }
            Some(_) => {}
            None => *member = json!({"anyOf": [member.take(), {"type": "null"}]}),
        }
    }
}

/// Adds the pattern of ids to both forms of an actor: an id, or an object with one.
fn constrain_actor_ids(schemas: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = schemas.get_mut("ActorRef").and_then(|s| s.get_mut("oneOf")) else {
        return;
    };
    for choice in choices {
        let id = if choice.get("properties").is_some() {
            choice.pointer_mut("/properties/id")
        } else {
            Some(choice)
        };
        if let Some(Value::Object(map)) = id {
            map.insert("pattern".to_owned(), ID_PATTERN.into());
        }
    }
}

/// Allows any object with an id as an operation: an unknown operation is refused alone, and the others are applied.
fn constrain_operations(schemas: &mut Map<String, Value>) {
    let length = [("minLength", Value::from(1)), ("maxLength", limits::KEY_BYTES.into())];
    let parts = schemas.get_mut("Op").and_then(|s| s.get_mut("allOf")).and_then(Value::as_array_mut);
    for part in parts.into_iter().flatten() {
        if let Some(Value::Object(id)) = part.pointer_mut("/properties/id") {
            id.extend(length.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        }
    }
    if let Some(items) = schemas.get_mut("Ops").and_then(|s| s.pointer_mut("/properties/ops/items")) {
        let id = json!({"type": "string", "minLength": 1, "maxLength": limits::KEY_BYTES});
        *items = json!({"anyOf": [items.take(), {"type": "object", "required": ["id"], "properties": {"id": id},
            "description": "Anything else with an id is answered with `ok: false, code: invalid`."}]});
    }
}

/// Requires an answer to choose, or that a question takes a text.
fn constrain_questions(schemas: &mut Map<String, Value>) {
    if let Some(Value::Object(question)) = schemas.get_mut("Question") {
        let offers = json!({"required": ["answers"], "properties": {"answers": {"minItems": 1}}});
        let takes_text = json!({"required": ["text"], "properties": {"text": {"const": true}}});
        question.insert("anyOf".to_owned(), json!([offers, takes_text]));
    }
}

/// Adds the optional member `remaining` of a pull with `count=true`.
fn describe_remaining(schemas: &mut Map<String, Value>) {
    if let Some(Value::Object(members)) = schemas.get_mut("SyncPage").and_then(|s| s.get_mut("properties")) {
        let about = "Items after this page; only where it was asked for with `count=true`.";
        members
            .insert("remaining".to_owned(), json!({"type": "integer", "minimum": 0, "description": about}));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_said_is_said_about_something() {
        let document = crate::http::api::document();
        for (schema, member, name, value) in constraints() {
            let place = format!("/components/schemas/{schema}/properties{member}");
            let found = document.pointer(&place).unwrap_or_else(|| panic!("there is no {place}"));
            assert_eq!(found.get(name), Some(&value), "{place}");
        }
        for name in REQUEST_SCHEMAS {
            assert!(document.pointer(&format!("/components/schemas/{name}")).is_some(), "there is no {name}");
        }
        let places = [
            "SyncPage/properties/remaining",
            "Ops/properties/ops/items/anyOf",
            "Question/anyOf",
            "View/pattern",
        ];
        for place in places {
            assert!(
                document.pointer(&format!("/components/schemas/{place}")).is_some(),
                "there is no {place}"
            );
        }
        let op = document.pointer("/components/schemas/Op").unwrap().to_string();
        assert!(op.contains(&format!(r#""maxLength":{}"#, limits::KEY_BYTES)), "{op}");
        let ids = document.pointer("/components/schemas/ActorRef/oneOf").and_then(Value::as_array).unwrap();
        assert!(ids.iter().all(|choice| choice.to_string().contains(r#""pattern""#)), "{ids:?}");
    }
}
