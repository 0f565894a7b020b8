//! Tests that programs which speak with the server of a release speak with this one. What the reference of a release had is
//! there as it was, and no request needs more.

use std::{collections::BTreeSet, fs};

use serde_json::{Map, Value, json};
use support::{program::root, server::ServerProcess};

use crate::released::kept;

/// Fields that are read by people, and what names a version.
const WORDS: [&str; 6] = ["description", "summary", "title", "example", "examples", "info"];

/// What programs rely on in a part of a reference, which is called `name` there.
fn without_words(name: &str, part: &Value) -> Value {
    let has_names = ["properties", "schemas"].contains(&name);
    let stays = |key: &str| has_names || !WORDS.contains(&key);
    match part {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(key, _)| stays(key));
            Value::Object(fields.map(|(key, part)| (key.clone(), without_words(key, part))).collect())
        }
        Value::Array(all) => all.iter().map(|part| without_words("", part)).collect(),
        other => other.clone(),
    }
}

/// A reference, with the places of what requests have and of what responses have.
struct Reference<'d> {
    document: &'d Value,
    sent: BTreeSet<String>,
    answered: BTreeSet<String>,
}

impl<'d> Reference<'d> {
    fn of(document: &'d Value) -> Self {
        let (mut sent, mut answered) = (BTreeSet::new(), BTreeSet::new());
        let methods = |path: &'d Value| path.as_object().into_iter().flat_map(Map::values);
        for method in document["paths"].as_object().unwrap().values().flat_map(methods) {
            referred(document, &method["requestBody"], &mut sent);
            referred(document, &method["parameters"], &mut sent);
            referred(document, &method["responses"], &mut answered);
        }
        Self { document, sent, answered }
    }

    fn is_sent(&self, place: &str) -> bool {
        ["/requestBody", "/parameters"].iter().any(|part| place.contains(part)) || is_among(&self.sent, place)
    }

    fn is_answered(&self, place: &str) -> bool {
        place.contains("/responses/") || is_among(&self.answered, place)
    }

    /// What a later reference takes away from programs, or asks of them.
    fn broken_by(&self, later: &Value) -> Vec<String> {
        self.compared("", self.document, later)
    }

    fn compared(&self, place: &str, before: &Value, now: &Value) -> Vec<String> {
        let key = place.rsplit('/').next().unwrap_or_default();
        let fault = |what: String| vec![format!("{place}: {what}")];
        match (before, now) {
            (Value::Object(before), Value::Object(now)) => {
                let none = json!([]);
                let asks =
                    now.get("required").filter(|asks| asks.is_array() && before.get("required").is_none());
                let new = asks.map(|asks| ("required", &none, Some(asks)));
                let parts = before.iter().map(|(key, part)| (key.as_str(), part, now.get(key)));
                let compared = parts.chain(new).map(|(key, before, now)| match now {
                    Some(now) => self.compared(&format!("{place}/{key}"), before, now),
                    None if key == "required" => self.compared(&format!("{place}/{key}"), before, &none),
                    None => vec![format!("{place}/{key} is gone")],
                });
                compared.flatten().collect()
            }
            (Value::Array(before), Value::Array(now)) => {
                let gone = before
                    .iter()
                    .filter(|one| !now.iter().any(|two| self.compared(place, one, two).is_empty()));
                let new = now
                    .iter()
                    .filter(|two| !before.iter().any(|one| self.compared(place, one, two).is_empty()));
                let (gone, new): (Vec<_>, Vec<_>) = (gone.collect(), new.collect());
                let asks_more = match key {
                    "required" => self.is_sent(place) && !new.is_empty(),
                    "parameters" => new.iter().any(|parameter| parameter["required"] == true),
                    "type" | "security" => !new.is_empty(),
                    _ => false,
                };
                let gives_less = match key {
                    "required" => self.is_answered(place) && !gone.is_empty(),
                    "security" => false,
                    _ => !gone.is_empty(),
                };
                if asks_more || gives_less {
                    fault(format!("{gone:?} is gone, {new:?} is new"))
                } else {
                    Vec::new()
                }
            }
            _ if before == now => Vec::new(),
            _ => match (key.get(..3), before.as_f64(), now.as_f64()) {
                (Some("max"), Some(before), Some(now)) if now >= before => Vec::new(),
                (Some("min"), Some(before), Some(now)) if now <= before => Vec::new(),
                _ => fault(format!("{before} became {now}")),
            },
        }
    }
}

/// Whether a place is in one of the named parts of a reference.
fn is_among(names: &BTreeSet<String>, place: &str) -> bool {
    let part: Vec<_> = place.split('/').take(4).collect();
    names.contains(&format!("#{}", part.join("/")))
}

/// Adds the named parts to which a part refers, directly or by others.
fn referred(document: &Value, part: &Value, names: &mut BTreeSet<String>) {
    match part {
        Value::Object(fields) => {
            if let Some(name) = fields.get("$ref").and_then(Value::as_str)
                && names.insert(name.to_owned())
            {
                let named = document.pointer(name.trim_start_matches('#'));
                referred(document, named.expect("what is referred to is there"), names);
            }
            for part in fields.values() {
                referred(document, part, names);
            }
        }
        Value::Array(all) => {
            for part in all {
                referred(document, part, names);
            }
        }
        _ => {}
    }
}

/// The reference that a server of this version gives.
async fn reference() -> Value {
    let server = ServerProcess::start();
    without_words("", &server.admin().get("openapi.json").await.is(200))
}

#[tokio::test]
#[ignore = "it writes into tests/data what is kept of a release, once"]
async fn the_reference_of_this_version_is_kept_for_later_ones() {
    let file = root().join("tests/data").join(concat!(env!("CARGO_PKG_VERSION"), ".openapi.json"));
    assert!(!file.exists(), "{}: what a release said is never written anew", file.display());
    fs::write(file, format!("{}\n", reference().await)).unwrap();
}

#[tokio::test]
async fn whatever_the_reference_of_a_release_had_is_there_as_it_was() {
    let now = reference().await;
    for file in kept(".openapi.json") {
        let before: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let broken = Reference::of(&before).broken_by(&now);
        assert!(broken.is_empty(), "programs that speak with {} fail: {broken:#?}", file.display());
    }
}

#[test]
fn a_change_that_breaks_programs_is_told_from_one_that_does_not() {
    let before = json!({
        "paths": {"/notes": {"post": {
            "parameters": [{"name": "at", "required": false}],
            "requestBody": {"schema": {"$ref": "#/components/schemas/Note"}},
            "responses": {"200": {"schema": {"$ref": "#/components/schemas/Kept"}}},
        }}},
        "components": {"schemas": {
            "Note": {"required": ["body"], "properties": {"body": {"type": "string", "maxLength": 9}}},
            "Kept": {"required": ["id"], "properties": {"id": {"type": "string"}}},
        }},
    });
    let (post, note, kept) = ("/paths/~1notes/post", "/components/schemas/Note", "/components/schemas/Kept");
    for (place, key, value, breaks) in [
        ("/paths", "/more", json!({}), false),
        (post, "parameters", json!([]), true),
        (
            post,
            "parameters",
            json!([{"name": "at", "required": false}, {"name": "by", "required": true}]),
            true,
        ),
        (post, "parameters", json!([{"name": "at", "required": false}, {"name": "by"}]), false),
        (post, "responses", json!({}), true),
        (note, "required", json!(["body", "title"]), true),
        (note, "required", json!([]), false),
        (kept, "required", json!(["id", "at"]), false),
        (kept, "required", json!([]), true),
        (note, "properties", json!({"body": {"type": "string", "maxLength": 8}}), true),
        (note, "properties", json!({"body": {"type": "string", "maxLength": 10}, "title": {}}), false),
        (note, "properties", json!({"body": {"type": "number", "maxLength": 9}}), true),
    ] {
        let mut later = before.clone();
        later.pointer_mut(place).unwrap()[key] = value.clone();
        let broken = Reference::of(&before).broken_by(&later);
        assert_eq!(!broken.is_empty(), breaks, "{place}/{key}: {value}: {broken:?}");
    }
}
