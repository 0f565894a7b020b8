//! The functions of templates: those of Go that read or write texts, and those of the library sprig that ntfy's users
//! know. Every call counts its input and its output. All texts are written by one bounded [`Writer`], and no value gets
//! deeper than the JSON that it comes from.
//!
//! The language is Go's, by a library; the functions are written here, because each has to be bounded. They run on
//! threads and not in a child process, because they come as often as publications.

#![allow(
    clippy::unnecessary_wraps,
    reason = "all functions have the one type that the template library calls"
)]

mod compare;
mod dates;
mod defaults;
mod encode;
mod format;
mod lists;
mod maps;
mod numbers;
mod paths;
mod patterns;
mod text;

use std::fmt::{self, Write};
use std::sync::Arc;
use std::{io, str};

use gotmpl::{FuncMap, Result, TemplateError, Value, ValueFunc};

use crate::allowance::Allowance;
use crate::json::ReadJson;
use crate::limits;

/// A function of templates; the value that is piped to it is its last argument.
type Function = fn(&[Value]) -> Result<Value>;

/// Bytes that an element of a list or a member of a map counts for, beside its text.
const ELEMENT_BYTES: usize = 48;
/// Bytes that a map counts for, which are those of the smallest node of its tree.
const MAP_BYTES: usize = 512;

/// How the bytes of a call are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counting {
    /// It makes a value, which counts with all that is in it.
    Makes,
    /// It hands on one of its arguments or what is in them, and makes nothing.
    HandsOn,
    /// It compares what is in its arguments, which counts as often as it is read.
    Compares,
}

/// All functions, each call of which counts against an allowance. Those that read JSON do it by `read_json`.
pub(crate) fn within(allowance: &Arc<Allowance>, read_json: ReadJson) -> FuncMap {
    let making = [
        compare::FUNCTIONS,
        dates::FUNCTIONS,
        defaults::FUNCTIONS,
        encode::FUNCTIONS,
        format::FUNCTIONS,
        lists::FUNCTIONS,
        maps::FUNCTIONS,
        numbers::FUNCTIONS,
        paths::FUNCTIONS,
        patterns::FUNCTIONS,
        text::FUNCTIONS,
    ];
    let handing_on = [defaults::HANDING_ON, lists::HANDING_ON, maps::HANDING_ON, text::HANDING_ON];
    let comparing = [compare::COMPARING, lists::COMPARING];
    let groups = making.map(|group| (Counting::Makes, group)).into_iter();
    let groups = groups
        .chain(handing_on.map(|group| (Counting::HandsOn, group)))
        .chain(comparing.map(|group| (Counting::Compares, group)));
    let all = groups.flat_map(|(counting, group)| group.iter().map(move |function| (counting, function)));
    let all = all.map(|(counting, (name, function))| {
        ((*name).to_owned(), counted(Arc::clone(allowance), counting, *function))
    });
    let reading = encode::READING.iter().map(|(name, function)| {
        let read = move |arguments: &[Value]| function(read_json, arguments);
        ((*name).to_owned(), counted(Arc::clone(allowance), Counting::Makes, read))
    });
    all.chain(reading).collect()
}

fn counted(
    allowance: Arc<Allowance>,
    counting: Counting,
    function: impl Fn(&[Value]) -> Result<Value> + Send + Sync + 'static,
) -> ValueFunc {
    Arc::new(move |arguments| {
        match counting {
            Counting::Makes | Counting::HandsOn => allowance.take(arguments.iter().map(weight).sum())?,
            Counting::Compares => allowance.take(held_by_all(arguments, allowance.left()))?,
        }
        let value = function(arguments)?;
        allowance.take(match counting {
            Counting::Makes | Counting::Compares => held(&value, allowance.left()),
            Counting::HandsOn => ELEMENT_BYTES,
        })?;
        Ok(value)
    })
}

/// The bytes that a value counts for, without looking into its elements.
fn weight(value: &Value) -> usize {
    ELEMENT_BYTES
        + match value {
            Value::String(text) => text.len(),
            Value::List(elements) => elements.len() * ELEMENT_BYTES,
            Value::Map(members) => members.len() * ELEMENT_BYTES,
            _ => 0,
        }
}

/// The bytes that a value counts for with all that is in it; a part that is there twice counts twice. It stops counting
/// beyond `limit`.
fn held(value: &Value, limit: usize) -> usize {
    match value {
        Value::List(elements) => ELEMENT_BYTES + held_by_all(elements.iter(), limit),
        Value::Map(members) => {
            let names: usize = members.keys().map(|name| name.len()).sum();
            MAP_BYTES.saturating_add(names).saturating_add(held_by_all(members.values(), limit))
        }
        simple => weight(simple),
    }
}

fn held_by_all<'a>(values: impl IntoIterator<Item = &'a Value>, limit: usize) -> usize {
    let mut bytes = 0_usize;
    for value in values {
        bytes = bytes.saturating_add(held(value, limit.saturating_sub(bytes)));
        if bytes > limit {
            break;
        }
    }
    bytes
}

/// The error of a function that can't do what it is asked.
fn failed<T>(why: &str) -> Result<T> {
    Err(TemplateError::Exec(why.to_owned()))
}

/// An argument, counted from 0; nothing if it is missing.
fn argument(arguments: &[Value], index: usize) -> &Value {
    arguments.get(index).unwrap_or(&Value::Nil)
}

/// A text that a function writes. It takes no more than [`limits::TEMPLATE_VALUE_BYTES`], so that no function makes more,
/// however often a value is in what it prints.
#[derive(Default)]
struct Writer(String);

impl Writer {
    /// # Errors
    /// An error for what would make the text too long, of which nothing is written.
    fn text(&mut self, text: &str) -> Result<()> {
        self.write_str(text).or_else(|_| too_long())
    }

    /// Writes a value as Go prints it: nothing is `<nil>`.
    fn shown(&mut self, value: &Value) -> Result<()> {
        write!(self, "{value}").or_else(|_| too_long())
    }

    /// Writes a value; nothing is an empty text.
    fn value(&mut self, value: &Value) -> Result<()> {
        match value {
            Value::Nil => Ok(()),
            Value::String(text) => self.text(text),
            other => self.shown(other),
        }
    }

    /// Bytes that were written.
    fn len(&self) -> usize {
        self.0.len()
    }

    fn finish(self) -> Value {
        self.0.into()
    }
}

impl Write for Writer {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.0.len().saturating_add(part.len()) > limits::TEMPLATE_VALUE_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(part);
        Ok(())
    }
}

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let part = str::from_utf8(bytes).map_err(io::Error::other)?;
        self.write_str(part).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An argument as a text: nothing is an empty one.
///
/// # Errors
/// An error if it is longer than [`limits::TEMPLATE_VALUE_BYTES`].
fn text_of(value: &Value) -> Result<String> {
    let mut out = Writer::default();
    out.value(value)?;
    Ok(out.0)
}

/// Values as texts, each by itself.
///
/// # Errors
/// An error if they are longer than [`limits::TEMPLATE_VALUE_BYTES`] together.
fn texts_of<'a>(values: impl IntoIterator<Item = &'a Value>) -> Result<Vec<String>> {
    let (mut texts, mut bytes) = (Vec::new(), 0_usize);
    for value in values {
        let text = text_of(value)?;
        bytes += text.len();
        check_bytes(bytes)?;
        texts.push(text);
    }
    Ok(texts)
}

/// A text as a value.
///
/// # Errors
/// An error if it is longer than [`limits::TEMPLATE_VALUE_BYTES`].
fn text_value(text: String) -> Result<Value> {
    check_bytes(text.len())?;
    Ok(text.into())
}

/// # Errors
/// An error for more than [`limits::TEMPLATE_VALUE_BYTES`], before they are written.
fn check_bytes(bytes: usize) -> Result<()> {
    if bytes > limits::TEMPLATE_VALUE_BYTES { too_long() } else { Ok(()) }
}

fn too_long<T>() -> Result<T> {
    failed("a text in the template gets too long")
}

#[cfg(test)]
mod tests;
