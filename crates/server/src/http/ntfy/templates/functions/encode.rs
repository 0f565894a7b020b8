//! Other forms of a value: JSON, base64, a hash, and texts escaped for HTML, JavaScript and addresses.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gotmpl::{Result, TemplateError, Value};
use serde_json::{Map, Number};
use sha2::{Digest, Sha256};

use super::super::value_of;
use super::{Function, argument, check_bytes, failed, text_of, text_value};
use crate::http::input::parse_value;

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("toJson", to_json),
    ("toPrettyJson", to_pretty_json),
    ("fromJson", from_json),
    ("b64enc", b64enc),
    ("b64dec", b64dec),
    ("sha256sum", sha256sum),
    ("html", html),
    ("js", js),
    ("urlquery", urlquery),
];

/// A value as JSON. Whole numbers are written as such.
fn json_of(value: &Value) -> serde_json::Value {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::Int(number) => (*number).into(),
        Value::Uint(number) => (*number).into(),
        Value::Float(number) => match number.to_string().parse::<i64>() {
            Ok(whole) => whole.into(),
            Err(_) => Number::from_f64(*number).map_or(serde_json::Value::Null, Into::into),
        },
        Value::String(text) => text.to_string().into(),
        Value::List(elements) => elements.iter().map(json_of).collect(),
        Value::Map(members) => members
            .iter()
            .map(|(name, member)| (name.to_string(), json_of(member)))
            .collect::<Map<_, _>>()
            .into(),
        _ => serde_json::Value::Null,
    }
}

fn to_json(arguments: &[Value]) -> Result<Value> {
    text_value(json_of(argument(arguments, 0)).to_string())
}

fn to_pretty_json(arguments: &[Value]) -> Result<Value> {
    text_value(format!("{:#}", json_of(argument(arguments, 0))))
}

fn from_json(arguments: &[Value]) -> Result<Value> {
    let parsed = parse_value(text_of(argument(arguments, 0)).as_bytes());
    parsed.map(value_of).map_err(|_| TemplateError::Exec("fromJson: this is no JSON".to_owned()))
}

fn b64enc(arguments: &[Value]) -> Result<Value> {
    text_value(STANDARD.encode(text_of(argument(arguments, 0))))
}

fn b64dec(arguments: &[Value]) -> Result<Value> {
    let decoded = STANDARD.decode(text_of(argument(arguments, 0)).trim()).ok();
    match decoded.and_then(|bytes| String::from_utf8(bytes).ok()) {
        Some(text) => text_value(text),
        None => failed("b64dec: this is no text in base64"),
    }
}

fn sha256sum(arguments: &[Value]) -> Result<Value> {
    let digest = Sha256::digest(text_of(argument(arguments, 0)).as_bytes());
    let hex = digest.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    Ok(hex.into())
}

fn html(arguments: &[Value]) -> Result<Value> {
    escaped(arguments, gotmpl::html_escape)
}

fn js(arguments: &[Value]) -> Result<Value> {
    escaped(arguments, gotmpl::js_escape)
}

fn urlquery(arguments: &[Value]) -> Result<Value> {
    escaped(arguments, gotmpl::url_encode)
}

/// All arguments, one after the other, escaped.
fn escaped(arguments: &[Value], escape: fn(&str) -> String) -> Result<Value> {
    let text: String = arguments.iter().map(text_of).collect();
    check_bytes(text.len())?;
    text_value(escape(&text))
}
