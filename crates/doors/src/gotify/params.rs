//! The parameters of a request: the members of a JSON body, or the fields of a form and of the query.

use std::borrow::Cow;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use serde_json::{Map, Value};
use tidings_model::Problem;
use tidings_server_core::domain::limits;
use tidings_server_core::http::auth::principal_of;
use tidings_server_core::http::input::{
    Keep, Query, WholePart, bytes, form_boundary, is_form, media_type, parse_body, parse_members, whole_parts,
};

use super::GotifyState;
use super::error::{GotifyError, bad_request, required};

/// The parameters of a request whose token was checked before.
#[derive(Debug)]
pub(super) struct Params {
    values: Values,
    /// The size of the body.
    pub(super) bytes: usize,
}

#[derive(Debug)]
enum Values {
    Json(Map<String, Value>),
    /// The names and values of a form, then those of the query; the first of each name counts.
    Form(Vec<(String, String)>),
}

/// The parameter that has the extras of a message.
pub(super) const EXTRAS: &str = "extras";

/// What is kept of a member of a body. No other parameter than the extras is a list or an object.
fn keep(member: &str) -> Keep {
    if member.eq_ignore_ascii_case(EXTRAS) {
        Keep::Within("data", limits::DATA_BYTES)
    } else {
        Keep::Elements(0)
    }
}

impl FromRequest<GotifyState> for Params {
    type Rejection = GotifyError;

    async fn from_request(request: Request, app: &GotifyState) -> Result<Self, GotifyError> {
        let (parts, body) = request.into_parts();
        let principal = principal_of(&parts.extensions);
        let body = bytes(app, &parts, principal, body, limits::BODY_BYTES).await?;
        let bytes = body.len();
        let media_type = media_type(&parts.headers);
        if media_type == "application/json" {
            let parse = |bytes: &Bytes| match parse_members(bytes, keep)? {
                Value::Object(members) => Ok(Self { values: Values::Json(members), bytes: bytes.len() }),
                _ => Err(Problem::invalid("body", "must be an object")),
            };
            return Ok(parse_body(app, principal, body, parse).await?);
        }
        let boundary = is_form(&parts.headers).then(|| form_boundary(&parts.headers)).transpose()?;
        let parse = move |bytes: &Bytes| match (boundary, media_type.as_str()) {
            (Some(boundary), _) => form_fields(whole_parts(bytes.clone(), &boundary)?),
            (None, "application/x-www-form-urlencoded") => {
                Ok(url::form_urlencoded::parse(bytes).into_owned().collect())
            }
            (None, _) => Ok(Vec::new()),
        };
        let mut fields = parse_body(app, principal, body, parse).await?;
        let query = Query::parse(parts.uri.query().unwrap_or(""));
        fields.extend(query.pairs().map(|(name, value)| (name.to_owned(), value.to_owned())));
        Ok(Self { values: Values::Form(fields), bytes })
    }
}

/// The fields of a multipart form, without its files.
fn form_fields(parts: Vec<WholePart>) -> Result<Vec<(String, String)>, Problem> {
    let fields = parts.into_iter().filter(|part| !part.is_file && !part.name.is_empty());
    let text = |part: WholePart| match std::str::from_utf8(&part.content) {
        Ok(text) => Ok((part.name, text.to_owned())),
        Err(_) => Err(Problem::invalid(part.name, "must be UTF-8")),
    };
    fields.map(text).collect()
}

/// The error for a member of another type than its field.
fn wrong_type(name: &str, wanted: &str) -> GotifyError {
    bad_request(format!("Field '{name}' must be {wanted}"))
}

impl Params {
    #[cfg(test)]
    pub(super) fn of_json(members: Map<String, Value>) -> Self {
        Self { values: Values::Json(members), bytes: 0 }
    }

    /// The value of a parameter; null counts as missing. As with Gotify, the case of JSON's names does not matter.
    fn value(&self, name: &str) -> Option<Cow<'_, Value>> {
        match &self.values {
            Values::Json(members) => {
                let other_case = || {
                    let mut members = members.iter();
                    members.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
                };
                members.get(name).or_else(other_case).filter(|value| !value.is_null()).map(Cow::Borrowed)
            }
            Values::Form(fields) => {
                let (_, text) = fields.iter().find(|(key, _)| key == name)?;
                Some(Cow::Owned(Value::String(text.clone())))
            }
        }
    }

    /// A text; empty if it is missing.
    pub(super) fn text(&self, name: &str) -> Result<String, GotifyError> {
        let Some(value) = self.value(name) else { return Ok(String::new()) };
        match value.into_owned() {
            Value::String(text) if text.contains('\0') => {
                Err(Problem::invalid(name, "must not contain NUL").into())
            }
            Value::String(text) => Ok(text),
            _ => Err(wrong_type(name, "a text")),
        }
    }

    /// A text that may not be empty.
    pub(super) fn required_text(&self, name: &str) -> Result<String, GotifyError> {
        let text = self.text(name)?;
        if text.is_empty() { Err(required(name)) } else { Ok(text) }
    }

    /// A whole number; an empty field of a form counts as 0, as with Gotify.
    pub(super) fn integer(&self, name: &str) -> Result<Option<i64>, GotifyError> {
        let Some(value) = self.value(name) else { return Ok(None) };
        let number = match (&self.values, value.as_ref()) {
            (Values::Form(_), Value::String(text)) if text.is_empty() => Some(0),
            (Values::Form(_), Value::String(text)) => text.parse().ok(),
            (_, value) => value.as_i64(),
        };
        number.map(Some).ok_or_else(|| wrong_type(name, "a whole number"))
    }

    /// Takes the members of an object, which only JSON can have.
    pub(super) fn take_object(&mut self, name: &str) -> Result<Map<String, Value>, GotifyError> {
        let value = match &mut self.values {
            Values::Form(_) => None,
            Values::Json(members) => {
                let is_there = |key: &&String| key.as_str() == name;
                let other_case = |key: &&String| key.eq_ignore_ascii_case(name);
                let key = members.keys().find(is_there).or_else(|| members.keys().find(other_case)).cloned();
                key.and_then(|key| members.remove(&key))
            }
        };
        match value {
            None | Some(Value::Null) => Ok(Map::new()),
            Some(Value::Object(members)) => Ok(members),
            Some(_) => Err(wrong_type(name, "an object")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn from_json(value: &Value) -> Params {
        Params::of_json(value.as_object().cloned().unwrap())
    }

    #[test]
    fn json_has_types_and_a_form_has_texts() {
        let body = json!({"Message": "x", "priority": 5, "title": null, "Extras": {"a": 1}});
        let mut body = from_json(&body);
        assert_eq!(
            (body.text("message").unwrap(), body.text("title").unwrap()),
            ("x".to_owned(), String::new())
        );
        assert_eq!(body.integer("priority").unwrap(), Some(5));
        assert_eq!(body.take_object(EXTRAS).unwrap().len(), 1);
        for odd in [json!({"priority": "5"}), json!({"priority": 5.5}), json!({"priority": 1e30})] {
            assert!(from_json(&odd).integer("priority").is_err(), "{odd}");
        }
        assert!(from_json(&json!({"message": 5})).text("message").is_err());
        assert!(from_json(&json!({"extras": []})).take_object(EXTRAS).is_err());
        let pairs = [("message", "x"), ("priority", "5"), ("message", "y"), ("empty", "")];
        let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        let mut form = Params { values: Values::Form(pairs), bytes: 0 };
        assert_eq!((form.text("message").unwrap(), form.integer("priority").unwrap()), ("x".into(), Some(5)));
        assert_eq!((form.integer("empty").unwrap(), form.integer("none").unwrap()), (Some(0), None));
        assert!(form.integer("message").is_err() && form.take_object(EXTRAS).unwrap().is_empty());
        assert!(form.required_text("empty").is_err());
    }
}
