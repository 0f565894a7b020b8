//! Other forms of a value: JSON, base64 and base32, hashes, and texts escaped for HTML, JavaScript and addresses.

use adler2::adler32_slice;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use data_encoding::{BASE32, HEXLOWER};
use gotmpl::{Result, Value};
use serde::{Serialize, Serializer};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::{Function, Writer, argument, failed, text_of, text_value, too_long};
use crate::json::{ReadJson, value_of};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("toJson", to_json),
    ("toJSON", to_json),
    ("mustToJSON", to_json),
    ("toRawJSON", to_json),
    ("mustToRawJSON", to_json),
    ("toPrettyJson", to_pretty_json),
    ("toPrettyJSON", to_pretty_json),
    ("mustToPrettyJSON", to_pretty_json),
    ("b64enc", b64enc),
    ("b64dec", b64dec),
    ("b32enc", b32enc),
    ("b32dec", b32dec),
    ("sha1sum", sha1sum),
    ("sha256sum", sha256sum),
    ("sha512sum", sha512sum),
    ("adler32sum", adler32sum),
    ("html", html),
    ("js", js),
    ("urlquery", urlquery),
];

/// A function of templates that reads JSON.
type ReadingFunction = fn(ReadJson, &[Value]) -> Result<Value>;

pub(super) const READING: &[(&str, ReadingFunction)] =
    &[("fromJson", from_json), ("fromJSON", from_json_or_nothing), ("mustFromJSON", from_json)];

/// A value, to be written as JSON. Whole numbers are written as such.
struct Json<'a>(&'a Value);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        match self.0 {
            Value::Bool(value) => to.serialize_bool(*value),
            Value::Int(number) => to.serialize_i64(*number),
            Value::Uint(number) => to.serialize_u64(*number),
            Value::Float(number) => match number.to_string().parse::<i64>() {
                Ok(whole) => to.serialize_i64(whole),
                Err(_) => to.serialize_f64(*number),
            },
            Value::String(text) => to.serialize_str(text),
            Value::List(elements) => to.collect_seq(elements.iter().map(Json)),
            Value::Map(members) => {
                to.collect_map(members.iter().map(|(name, member)| (&**name, Json(member))))
            }
            _ => to.serialize_unit(),
        }
    }
}

fn to_json(arguments: &[Value]) -> Result<Value> {
    let mut out = Writer::default();
    serde_json::to_writer(&mut out, &Json(argument(arguments, 0))).or_else(|_| too_long())?;
    Ok(out.finish())
}

fn to_pretty_json(arguments: &[Value]) -> Result<Value> {
    let mut out = Writer::default();
    serde_json::to_writer_pretty(&mut out, &Json(argument(arguments, 0))).or_else(|_| too_long())?;
    Ok(out.finish())
}

fn from_json(read_json: ReadJson, arguments: &[Value]) -> Result<Value> {
    match read_json(text_of(argument(arguments, 0))?.as_bytes()) {
        Some(json) => Ok(value_of(json)),
        None => failed("fromJson: this is no JSON"),
    }
}

/// Like `fromJson`; nothing if the text is no JSON.
fn from_json_or_nothing(read_json: ReadJson, arguments: &[Value]) -> Result<Value> {
    Ok(from_json(read_json, arguments).unwrap_or(Value::Nil))
}

fn b32enc(arguments: &[Value]) -> Result<Value> {
    text_value(BASE32.encode(text_of(argument(arguments, 0))?.as_bytes()))
}

fn b32dec(arguments: &[Value]) -> Result<Value> {
    let decoded = BASE32.decode(text_of(argument(arguments, 0))?.trim().as_bytes()).ok();
    match decoded.and_then(|bytes| String::from_utf8(bytes).ok()) {
        Some(text) => text_value(text),
        None => failed("b32dec: this is no text in base32"),
    }
}

fn b64enc(arguments: &[Value]) -> Result<Value> {
    text_value(STANDARD.encode(text_of(argument(arguments, 0))?))
}

fn b64dec(arguments: &[Value]) -> Result<Value> {
    let decoded = STANDARD.decode(text_of(argument(arguments, 0))?.trim()).ok();
    match decoded.and_then(|bytes| String::from_utf8(bytes).ok()) {
        Some(text) => text_value(text),
        None => failed("b64dec: this is no text in base64"),
    }
}

fn sha1sum(arguments: &[Value]) -> Result<Value> {
    let digest = <Sha1 as sha1::Digest>::digest(text_of(argument(arguments, 0))?.as_bytes());
    Ok(HEXLOWER.encode(&digest).into())
}

fn sha256sum(arguments: &[Value]) -> Result<Value> {
    hash::<Sha256>(arguments)
}

fn sha512sum(arguments: &[Value]) -> Result<Value> {
    hash::<Sha512>(arguments)
}

/// A hash of a text, in hexadecimal digits.
fn hash<H: Digest>(arguments: &[Value]) -> Result<Value> {
    let digest = H::digest(text_of(argument(arguments, 0))?.as_bytes());
    Ok(HEXLOWER.encode(&digest).into())
}

/// The check sum of a text, in decimal digits.
fn adler32sum(arguments: &[Value]) -> Result<Value> {
    text_value(adler32_slice(text_of(argument(arguments, 0))?.as_bytes()).to_string())
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
    let mut text = Writer::default();
    arguments.iter().try_for_each(|value| text.value(value))?;
    text_value(escape(&text.0))
}
