//! What a request says: its query, its path and its body, checked before anybody looks at the meaning. Refuses with
//! the name of the field.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use bytes::BytesMut;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::time::Duration;
use tidings_model::{Code, Problem, Stamp, check_id};

use super::App;
use super::problem::Refusal;
use crate::domain::limits;

/// A client has so long to send a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);
/// So many times the allowed size is read and thrown away before a client is cut off.
const DRAINED: usize = 4;

/// The query, as pairs of texts. The last one of a name counts.
#[derive(Debug, Default, Clone)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn parse(text: &str) -> Self {
        Self(url::form_urlencoded::parse(text.as_bytes()).into_owned().collect())
    }

    /// The pairs, in their order.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// A text; an empty one counts as none.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>, Problem> {
        Ok(self.given(name)?.filter(|text| !text.is_empty()))
    }

    /// What was given, also where it is empty.
    pub(crate) fn given(&self, name: &str) -> Result<Option<&str>, Problem> {
        let value = self.0.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
        match value {
            Some(v) if v.contains('\0') => Err(Problem::invalid(name, "must not contain NUL")),
            Some(v) if v.len() > limits::TEXT => Err(Problem::invalid(name, "is too long")),
            value => Ok(value),
        }
    }

    /// A whole number within bounds.
    pub(crate) fn number(&self, name: &str, default: u64, max: u64) -> Result<u64, Problem> {
        let Some(text) = self.given(name)? else { return Ok(default) };
        match text.parse::<u64>() {
            Ok(n) if (1..=max).contains(&n) => Ok(n),
            _ => Err(Problem::invalid(name, format!("must be a whole number from 1 to {max}"))),
        }
    }

    /// A list's limit.
    pub(crate) fn limit(&self, default: usize, max: usize) -> Result<usize, Problem> {
        let n = self.number("limit", default as u64, max as u64)?;
        Ok(usize::try_from(n).unwrap_or(max))
    }

    /// The cap at which counting stops.
    pub(crate) fn cap(&self) -> Result<u64, Problem> {
        self.number("cap", limits::CAP_DEFAULT, limits::CAP)
    }

    /// A time.
    pub(crate) fn time(&self, name: &str) -> Result<Option<Stamp>, Problem> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        // A `+` of an offset that was not escaped arrives as a space.
        let parsed = text.parse::<Stamp>().or_else(|e| text.replace(' ', "+").parse().map_err(|_| e));
        parsed.map(Some).map_err(|e| Problem::invalid(name, e.to_string()))
    }

    /// `true` or `false`.
    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>, Problem> {
        match self.text(name)? {
            None => Ok(None),
            Some("true" | "1") => Ok(Some(true)),
            Some("false" | "0") => Ok(Some(false)),
            Some(_) => Err(Problem::invalid(name, "must be true or false")),
        }
    }
}

impl FromRequestParts<App> for Query {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Refusal> {
        Ok(Self::parse(parts.uri.query().unwrap_or("")))
    }
}

/// The variable parts of the path.
#[derive(Debug)]
pub(crate) struct Segments(Vec<(String, String)>);

impl Segments {
    /// A part as it is.
    pub(crate) fn text(&self, name: &str) -> Result<&str, Problem> {
        let text = self.0.iter().find(|(n, _)| n == name).map_or("", |(_, v)| v.as_str());
        if text.contains('\0') {
            return Err(Problem::invalid(name, "must not contain NUL"));
        }
        Ok(text)
    }

    /// A part that is an id.
    pub(crate) fn id(&self, name: &str) -> Result<&str, Problem> {
        let text = self.text(name)?;
        check_id(text).map_err(|e| Problem::invalid(name, e.to_string()))?;
        Ok(text)
    }
}

impl FromRequestParts<App> for Segments {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &App) -> Result<Self, Refusal> {
        match RawPathParams::from_request_parts(parts, state).await {
            Ok(params) => Ok(Self(params.iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect())),
            Err(_) => Err(Refusal::invalid("path", "must be UTF-8")),
        }
    }
}

/// Reads a body up to a size, within a time.
pub(crate) async fn bytes(headers: &HeaderMap, body: Body, most: usize) -> Result<Bytes, Problem> {
    let too_large = || Problem::new(Code::TooLarge, format!("a body may have {most} bytes"));
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse::<usize>().ok());
    let mut body = body;
    let read = async {
        let mut kept = BytesMut::with_capacity(announced.unwrap_or(0).min(most));
        let mut size: usize = 0;
        while let Some(frame) = body.frame().await {
            let data = frame.ok()?.into_data().unwrap_or_default();
            size = size.saturating_add(data.len());
            if size <= most && announced.is_none_or(|n| n <= most) {
                kept.extend_from_slice(&data);
            } else if size > most.saturating_mul(DRAINED) {
                break;
            }
        }
        Some((kept.freeze(), size.max(announced.unwrap_or(0))))
    };
    // What is too large is still read for a while: a client that is cut off never sees the answer.
    match tokio::time::timeout(BODY_TIMEOUT, read).await {
        Ok(Some((_, size))) if size > most => Err(too_large()),
        Ok(Some((kept, _))) => Ok(kept),
        Ok(None) => Err(Problem::invalid("body", "ended too early")),
        Err(_) => Err(Problem::invalid("body", "came too slowly")),
    }
}

/// A JSON body, whatever its content type says.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<App> for Json<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &App) -> Result<Self, Refusal> {
        let (parts, body) = request.into_parts();
        let bytes = bytes(&parts.headers, body, limits::BODY).await?;
        Ok(Self(typed(value(&bytes)?, "")?))
    }
}

/// A JSON body that may be missing altogether.
pub(crate) struct Optional<T>(pub(crate) T);

impl<T: DeserializeOwned + Default> FromRequest<App> for Optional<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &App) -> Result<Self, Refusal> {
        let (parts, body) = request.into_parts();
        let bytes = bytes(&parts.headers, body, limits::BODY).await?;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(Self(T::default()));
        }
        Ok(Self(typed(value(&bytes)?, "")?))
    }
}

/// A JSON body that is one thing or an array of them.
pub(crate) struct OneOrMany<T> {
    pub(crate) many: bool,
    pub(crate) things: Vec<T>,
}

impl<T: DeserializeOwned> FromRequest<App> for OneOrMany<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &App) -> Result<Self, Refusal> {
        let (parts, body) = request.into_parts();
        let bytes = bytes(&parts.headers, body, limits::BODY).await?;
        match value(&bytes)? {
            Value::Array(values) if values.len() > limits::ARRAY => {
                Err(Refusal::invalid("body", format!("an array may have {} elements", limits::ARRAY)))
            }
            Value::Array(values) => {
                let things = values
                    .into_iter()
                    .enumerate()
                    .map(|(i, v)| typed(v, &format!("[{i}].")))
                    .collect::<Result<_, _>>()?;
                Ok(Self { many: true, things })
            }
            value => Ok(Self { many: false, things: vec![typed(value, "")?] }),
        }
    }
}

/// JSON with every text within its bounds.
pub(crate) fn value(bytes: &[u8]) -> Result<Value, Problem> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|e| Problem::invalid("body", format!("is not JSON: {e}")))?;
    check_texts(&value, "")?;
    Ok(value)
}

/// Refuses NUL and texts that are too long, wherever they stand.
pub(crate) fn check_texts(value: &Value, path: &str) -> Result<(), Problem> {
    match value {
        Value::String(text) => check_text(text, path),
        Value::Array(values) => {
            values.iter().enumerate().try_for_each(|(i, v)| check_texts(v, &format!("{path}[{i}]")))
        }
        Value::Object(map) => map.iter().try_for_each(|(key, v)| {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            check_text(key, &path)?;
            check_texts(v, &path)
        }),
        _ => Ok(()),
    }
}

fn check_text(text: &str, field: &str) -> Result<(), Problem> {
    let field = if field.is_empty() { "body" } else { field };
    if text.contains('\0') {
        return Err(Problem::invalid(field.replace('\0', ""), "must not contain NUL"));
    }
    if text.len() > limits::TEXT {
        let short: String = field.chars().take(200).collect();
        return Err(Problem::invalid(short, format!("may have {} bytes", limits::TEXT)));
    }
    Ok(())
}

/// A value as what it should be; a field that is null counts as missing.
pub(crate) fn typed<T: DeserializeOwned>(mut value: Value, prefix: &str) -> Result<T, Problem> {
    if let Value::Object(map) = &mut value {
        map.retain(|_, v| !v.is_null());
    }
    serde_path_to_error::deserialize(value).map_err(|e| {
        let path = e.path().to_string();
        let detail = e.into_inner().to_string();
        let missing = detail.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
        let field = match (path.as_str(), missing) {
            (".", Some(missing)) => missing.to_owned(),
            (".", None) => "body".to_owned(),
            (path, Some(missing)) => format!("{path}.{missing}"),
            (path, None) => path.to_owned(),
        };
        Problem::invalid(format!("{prefix}{field}"), detail)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidings_model::wire::NewReminder;

    fn field(json: &str) -> String {
        let value = match value(json.as_bytes()) {
            Ok(value) => value,
            Err(problem) => return problem.field.unwrap(),
        };
        typed::<NewReminder>(value, "").unwrap_err().field.unwrap()
    }

    #[test]
    fn an_error_names_the_field_that_it_is_about() {
        assert_eq!(field("{"), "body");
        assert_eq!(field("[]"), "body");
        assert_eq!(field(r#"{"actor":"bob","action":"like"}"#), "target");
        assert_eq!(field(r#"{"actor":"bob","action":"like","target":{"type":"a"}}"#), "target.id");
        assert_eq!(field(r#"{"actor":5,"action":"like","target":{"type":"a","id":"1"}}"#), "actor");
        assert_eq!(
            field(r#"{"actor":"b","action":"like","target":{"type":"a","id":"1"},"priority":9}"#),
            "priority"
        );
        assert_eq!(field("{\"actor\":\"b\",\"title\":\"a\\u0000b\"}"), "title");
    }

    #[test]
    fn a_query_reads_numbers_times_and_flags_within_bounds() {
        let q = Query::parse("cap=1000&limit=0&since=2026-11-20T08:14:00+02:00&unread=maybe");
        assert_eq!(q.cap().unwrap(), 1000);
        assert_eq!(q.limit(50, 100).unwrap_err().field.as_deref(), Some("limit"));
        assert_eq!(q.time("since").unwrap().unwrap().to_string(), "2026-11-20T06:14:00.000000Z");
        assert_eq!(q.flag("unread").unwrap_err().field.as_deref(), Some("unread"));
        assert!(Query::parse("cap=1001").cap().is_err());
        assert!(Query::parse("cap=").cap().is_err(), "an empty text is no number");
    }
}
