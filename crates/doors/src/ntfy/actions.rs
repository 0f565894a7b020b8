//! The action buttons of a publication, in ntfy's short form and as JSON: at most three, of four kinds.

use serde_json::{Map, Value};
use tidings_model::{Action, ActionKind};

use super::error::{NtfyError, actions_invalid};

/// The number of buttons of one publication, at most.
pub(super) const MAX_ACTIONS: usize = 3;

/// Parses buttons from a header: a JSON array, or `view, Open, https://…; http, Close, …`.
pub(super) fn parse(text: &str) -> Result<Vec<Action>, NtfyError> {
    let text = text.trim();
    let actions = if text.starts_with('[') {
        let values: Vec<Value> =
            serde_json::from_str(text).map_err(|e| actions_invalid(&format!("JSON error: {e}")))?;
        from_json(values)?
    } else {
        split(text, ';')?
            .iter()
            .filter(|part| !part.trim().is_empty())
            .map(|part| parse_simple(part))
            .collect::<Result<_, _>>()?
    };
    check(actions)
}

/// Parses buttons from JSON objects.
pub(super) fn from_json(values: Vec<Value>) -> Result<Vec<Action>, NtfyError> {
    let read = |mut v: Value| -> Result<Action, NtfyError> {
        // Clients that write all members leave those null that they do not set.
        if let Some(members) = v.as_object_mut() {
            members.retain(|_, member| !member.is_null());
        }
        let known = v.get("action").and_then(Value::as_str).unwrap_or("");
        if !matches!(known, "view" | "http" | "broadcast" | "copy") {
            return Err(unknown_action(known));
        }
        serde_json::from_value(v).map_err(|e| actions_invalid(&e.to_string()))
    };
    check(values.into_iter().map(read).collect::<Result<_, _>>()?)
}

fn unknown_action(kind: &str) -> NtfyError {
    actions_invalid(&format!(
        "parameter 'action' cannot be '{kind}', valid values are 'view', 'broadcast', 'http' and 'copy'"
    ))
}

fn check(actions: Vec<Action>) -> Result<Vec<Action>, NtfyError> {
    if actions.len() > MAX_ACTIONS {
        return Err(actions_invalid("only 3 actions allowed"));
    }
    for action in &actions {
        if action.label.is_empty() {
            return Err(actions_invalid("parameter 'label' is required"));
        }
        let needs_url = matches!(action.action, ActionKind::View | ActionKind::Http);
        if needs_url && action.url.is_empty() {
            return Err(actions_invalid("parameter 'url' is required"));
        }
        if action.action == ActionKind::Copy && action.value.is_empty() {
            return Err(actions_invalid("parameter 'value' is required"));
        }
        let method = action.method.as_deref().unwrap_or("");
        if action.body.is_some() && matches!(method.to_ascii_uppercase().as_str(), "GET" | "HEAD") {
            return Err(actions_invalid("parameter 'body' cannot be set if method is GET or HEAD"));
        }
    }
    Ok(actions)
}

/// Splits a text at a separator outside of quotes; a backslash escapes a quote.
fn split(text: &str, at: char) -> Result<Vec<String>, NtfyError> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let start_of_value =
            || parts.last().is_none_or(|p| p.trim_end().is_empty() || p.trim_end().ends_with(['=', ',']));
        match (c, quote) {
            ('\\', Some(_)) => {
                if let Some(part) = parts.last_mut() {
                    part.push(c);
                    part.extend(chars.next());
                }
            }
            (c, Some(open)) if c == open => {
                quote = None;
                parts.last_mut().into_iter().for_each(|p| p.push(c));
            }
            ('"' | '\'', None) if start_of_value() => {
                quote = Some(c);
                parts.last_mut().into_iter().for_each(|p| p.push(c));
            }
            (c, None) if c == at => parts.push(String::new()),
            (c, _) => parts.last_mut().into_iter().for_each(|p| p.push(c)),
        }
    }
    if quote.is_some() {
        return Err(actions_invalid("unexpected end of input, quote started, but not closed"));
    }
    Ok(parts)
}

/// A value without its surrounding quotes and their escapes.
fn unquote(text: &str) -> String {
    let text = text.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|t| t.strip_suffix(quote)) {
            return inner.replace(&format!("\\{quote}"), &quote.to_string()).replace("\\\\", "\\");
        }
    }
    text.to_owned()
}

/// Parses one button as `view, Open, https://…, clear=true`: kind, label and, for most kinds, a value come without a
/// name.
fn parse_simple(text: &str) -> Result<Action, NtfyError> {
    let mut fields = Map::new();
    let (mut headers, mut extras) = (Map::new(), Map::new());
    for (i, part) in split(text, ',')?.into_iter().enumerate() {
        let named = part.split_once('=').map(|(k, v)| (k.trim().to_ascii_lowercase(), v));
        let is_name = |k: &str| {
            !k.is_empty() && k.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
        };
        let (key, value) = match named {
            Some((key, value)) if is_name(&key) && !(i == 2 && key.starts_with("http")) => {
                (key, unquote(value))
            }
            _ if part.trim().is_empty() => continue,
            _ => {
                let kind = fields.get("action").and_then(Value::as_str).unwrap_or("");
                let key = match (i, kind) {
                    (0, _) => "action",
                    (1, _) => "label",
                    (2, "view" | "http") => "url",
                    (2, "copy") => "value",
                    _ => return Err(actions_invalid(&format!("term '{}' unknown", part.trim()))),
                };
                (key.to_owned(), unquote(&part))
            }
        };
        if let Some(name) = key.strip_prefix("headers.") {
            headers.insert(header_name(&part, name), value.into());
        } else if let Some(name) = key.strip_prefix("extras.") {
            extras.insert(name.to_owned(), value.into());
        } else {
            match key.as_str() {
                "clear" => {
                    let yes = matches!(value.to_ascii_lowercase().as_str(), "1" | "yes" | "true");
                    fields.insert(key, yes.into());
                }
                "action" => {
                    fields.insert(key, value.to_ascii_lowercase().into());
                }
                "label" | "url" | "method" | "body" | "intent" | "value" => {
                    fields.insert(key, value.into());
                }
                _ => return Err(actions_invalid(&format!("key '{key}' unknown"))),
            }
        }
    }
    if !headers.is_empty() {
        fields.insert("headers".to_owned(), headers.into());
    }
    if !extras.is_empty() {
        fields.insert("extras".to_owned(), extras.into());
    }
    let kind = fields.get("action").and_then(Value::as_str).unwrap_or("").to_owned();
    if !matches!(kind.as_str(), "view" | "http" | "broadcast" | "copy") {
        return Err(unknown_action(&kind));
    }
    fields.entry("label").or_insert_with(|| "".into());
    serde_json::from_value(Value::Object(fields)).map_err(|e| actions_invalid(&e.to_string()))
}

/// The header's name in its original case; `lowercase_name` is its lower-case form.
fn header_name(part: &str, lowercase_name: &str) -> String {
    let name = part.split('=').next().unwrap_or("").trim();
    name.get("headers.".len()..).unwrap_or(lowercase_name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buttons_read_in_both_forms() {
        let two = parse("view, Open portal, https://home.example/, clear=true; http, Close door, https://api.example/, method=PUT, headers.Authorization=Bearer x, body='{\"a\": \"b, c; d\"}'").unwrap();
        assert_eq!(two.len(), 2);
        assert_eq!(
            (two[0].action, two[0].label.as_str(), two[0].clear),
            (ActionKind::View, "Open portal", true)
        );
        assert_eq!(two[1].body.as_deref(), Some(r#"{"a": "b, c; d"}"#));
        assert_eq!(two[1].headers["Authorization"], "Bearer x");
        let json = parse(r#"[{"action":"copy","label":"Copy code","value":"123"}]"#).unwrap();
        assert_eq!(json[0].value, "123");
        let named = parse("action=broadcast, label=Take picture, extras.cmd=pic").unwrap();
        assert_eq!(named[0].rest["extras"]["cmd"], "pic");
        let null = r#"[{"action":"http","label":"A","url":"https://a","method":null,"headers":null,"body":null,"extras":null}]"#;
        let bare = parse(null).unwrap();
        assert!(
            bare[0].method.is_none() && bare[0].headers.is_empty() && bare[0].rest.is_empty(),
            "null is left out"
        );
        let plain = parse("view, Search, https://example.org/?q=a").unwrap();
        assert_eq!(plain[0].url, "https://example.org/?q=a");
    }

    #[test]
    fn bad_buttons_are_refused_with_ntfys_number() {
        for bad in [
            "shout, Hey, https://a",
            "view, Open",
            "view, , https://a",
            "[{]",
            "copy, Label",
            "view, A, https://a; view, B, https://b; view, C, https://c; view, D, https://d",
            "http, A, https://a, body='unclosed",
        ] {
            assert_eq!(parse(bad).unwrap_err().code(), 40018, "{bad}");
        }
    }

    #[test]
    fn whatever_buttons_a_header_has_they_are_refused_or_stay_the_same_as_json() {
        tidings_testkit::fuzz::run("ntfy-actions", 4_000, |input| {
            let Ok(actions) = parse(&String::from_utf8_lossy(input)) else { return };
            let again = parse(&serde_json::to_string(&actions).unwrap()).unwrap();
            let told = |actions: &[Action]| -> Vec<_> {
                let told =
                    actions.iter().map(|action| (action.action, action.label.clone(), action.url.clone()));
                told.collect()
            };
            assert_eq!(told(&again), told(&actions));
        });
    }
}
