//! Texts: their parts, their case and what is put around them. Places in a text are counted in characters.

use std::collections::BTreeMap;

use gotmpl::{Result, Value};

use super::numbers::whole;
use super::{Function, Writer, argument, check_bytes, failed, text_of, text_value, texts_of};

/// Parts into which a text may be split, at most.
const MAX_PARTS: usize = 10_000;

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("trim", trim),
    ("trimAll", trim_all),
    ("trimPrefix", trim_prefix),
    ("trimSuffix", trim_suffix),
    ("upper", upper),
    ("lower", lower),
    ("title", title),
    ("repeat", repeat),
    ("substr", substr),
    ("trunc", trunc),
    ("abbrev", abbrev),
    ("contains", contains),
    ("hasPrefix", has_prefix),
    ("hasSuffix", has_suffix),
    ("quote", quote),
    ("squote", squote),
    ("cat", cat),
    ("nospace", nospace),
    ("indent", indent),
    ("nindent", nindent),
    ("replace", replace),
    ("toString", to_string),
    ("splitList", split_list),
    ("split", split),
    ("splitn", splitn),
    ("toStrings", to_strings),
];

pub(super) const HANDING_ON: &[(&str, Function)] = &[("plural", plural)];

/// The first arguments as texts.
fn texts<const N: usize>(arguments: &[Value]) -> Result<[String; N]> {
    let mut texts = std::array::from_fn(|_| String::new());
    for (index, text) in texts.iter_mut().enumerate() {
        *text = text_of(argument(arguments, index))?;
    }
    Ok(texts)
}

/// The argument as a count of characters; 0 if it is none.
fn count(arguments: &[Value], index: usize) -> usize {
    whole(argument(arguments, index)).and_then(|n| usize::try_from(n).ok()).unwrap_or(0)
}

fn to_string(arguments: &[Value]) -> Result<Value> {
    let [text] = texts(arguments)?;
    text_value(text)
}

fn trim(arguments: &[Value]) -> Result<Value> {
    let [text] = texts(arguments)?;
    Ok(text.trim().into())
}

/// `trimAll "-" .text`.
fn trim_all(arguments: &[Value]) -> Result<Value> {
    let [characters, text] = texts(arguments)?;
    Ok(text.trim_matches(|c| characters.contains(c)).into())
}

fn trim_prefix(arguments: &[Value]) -> Result<Value> {
    let [prefix, text] = texts(arguments)?;
    Ok(text.strip_prefix(&*prefix).unwrap_or(&text).into())
}

fn trim_suffix(arguments: &[Value]) -> Result<Value> {
    let [suffix, text] = texts(arguments)?;
    Ok(text.strip_suffix(&*suffix).unwrap_or(&text).into())
}

fn upper(arguments: &[Value]) -> Result<Value> {
    let [text] = texts(arguments)?;
    text_value(text.to_uppercase())
}

fn lower(arguments: &[Value]) -> Result<Value> {
    let [text] = texts(arguments)?;
    text_value(text.to_lowercase())
}

/// Every word with a capital.
fn title(arguments: &[Value]) -> Result<Value> {
    let [text] = texts(arguments)?;
    let mut out = String::with_capacity(text.len());
    let mut begins_word = true;
    for c in text.chars() {
        if begins_word {
            out.extend(c.to_uppercase());
        } else {
            out.push(c);
        }
        begins_word = c.is_whitespace();
    }
    text_value(out)
}

/// `repeat 3 .text`.
fn repeat(arguments: &[Value]) -> Result<Value> {
    let (times, text) = (count(arguments, 0), text_of(argument(arguments, 1))?);
    check_bytes(text.len().saturating_mul(times))?;
    Ok(text.repeat(times).into())
}

/// `substr 0 5 .text`; a negative end is the end of the text.
fn substr(arguments: &[Value]) -> Result<Value> {
    let (from, text) = (count(arguments, 0), text_of(argument(arguments, 2))?);
    let to = whole(argument(arguments, 1)).and_then(|to| usize::try_from(to).ok()).unwrap_or(usize::MAX);
    Ok(text.chars().skip(from).take(to.saturating_sub(from)).collect::<String>().into())
}

/// `trunc 5 .text`: the first characters, or the last ones if the number is negative.
fn trunc(arguments: &[Value]) -> Result<Value> {
    let (length, text) = (whole(argument(arguments, 0)).unwrap_or(0), text_of(argument(arguments, 1))?);
    let characters = usize::try_from(length.unsigned_abs()).unwrap_or(usize::MAX);
    let dropped = if length < 0 { text.chars().count().saturating_sub(characters) } else { 0 };
    Ok(text.chars().skip(dropped).take(characters).collect::<String>().into())
}

/// `abbrev 20 .text`: the beginning with three dots, if the text is longer.
fn abbrev(arguments: &[Value]) -> Result<Value> {
    let (length, text) = (count(arguments, 0), text_of(argument(arguments, 1))?);
    if length < 4 || text.chars().count() <= length {
        return Ok(text.into());
    }
    Ok((text.chars().take(length - 3).collect::<String>() + "...").into())
}

fn contains(arguments: &[Value]) -> Result<Value> {
    let [part, text] = texts(arguments)?;
    Ok(Value::Bool(text.contains(&*part)))
}

fn has_prefix(arguments: &[Value]) -> Result<Value> {
    let [prefix, text] = texts(arguments)?;
    Ok(Value::Bool(text.starts_with(&*prefix)))
}

fn has_suffix(arguments: &[Value]) -> Result<Value> {
    let [suffix, text] = texts(arguments)?;
    Ok(Value::Bool(text.ends_with(&*suffix)))
}

/// Values in their written forms, with a space between two.
fn joined(arguments: &[Value], written: impl Fn(&Value) -> Result<String>) -> Result<Value> {
    let mut out = Writer::default();
    for (index, value) in arguments.iter().enumerate() {
        if index > 0 {
            out.text(" ")?;
        }
        out.text(&written(value)?)?;
    }
    Ok(out.finish())
}

fn quote(arguments: &[Value]) -> Result<Value> {
    joined(arguments, |value| {
        Ok(format!("\"{}\"", text_of(value)?.replace('\\', "\\\\").replace('"', "\\\"")))
    })
}

fn squote(arguments: &[Value]) -> Result<Value> {
    joined(arguments, |value| Ok(format!("'{}'", text_of(value)?)))
}

fn cat(arguments: &[Value]) -> Result<Value> {
    joined(arguments, text_of)
}

fn nospace(arguments: &[Value]) -> Result<Value> {
    let [text] = texts(arguments)?;
    Ok(text.split_whitespace().collect::<String>().into())
}

/// `indent 2 .text`.
fn indent(arguments: &[Value]) -> Result<Value> {
    let (spaces, text) = (count(arguments, 0), text_of(argument(arguments, 1))?);
    let lines = text.matches('\n').count() + 1;
    check_bytes(text.len().saturating_add(lines.saturating_mul(spaces)))?;
    let margin = " ".repeat(spaces);
    Ok(format!("{margin}{}", text.replace('\n', &format!("\n{margin}"))).into())
}

/// Like `indent`, after a line break.
fn nindent(arguments: &[Value]) -> Result<Value> {
    text_value(format!("\n{}", text_of(&indent(arguments)?)?))
}

/// `replace "old" "new" .text`.
fn replace(arguments: &[Value]) -> Result<Value> {
    let [old, new, text] = texts(arguments)?;
    let found = text.matches(&*old).count();
    check_bytes(text.len().saturating_add(found.saturating_mul(new.len())))?;
    Ok(text.replace(&*old, &new).into())
}

/// `plural "one file" "many files" .count`.
fn plural(arguments: &[Value]) -> Result<Value> {
    let chosen = usize::from(whole(argument(arguments, 2)) != Some(1));
    Ok(argument(arguments, chosen).clone())
}

/// The parts of a text, the second argument, between separators, the first one.
fn parts(arguments: &[Value]) -> Result<Vec<Value>> {
    let [separator, text] = texts(arguments)?;
    if text.matches(&*separator).count() >= MAX_PARTS {
        return failed("the text has too many parts");
    }
    Ok(text.split(&*separator).map(Value::from).collect())
}

/// `splitList ", " .text`.
fn split_list(arguments: &[Value]) -> Result<Value> {
    Ok(parts(arguments)?.into())
}

/// Like `splitList`, as a map with the members `_0`, `_1` and so on.
fn split(arguments: &[Value]) -> Result<Value> {
    let named = parts(arguments)?.into_iter().enumerate().map(|(index, part)| (format!("_{index}"), part));
    Ok(named.collect::<BTreeMap<String, Value>>().into())
}

/// `splitn ", " 2 .text`: as `split`, into so many parts at most, the last of which is the rest.
fn splitn(arguments: &[Value]) -> Result<Value> {
    let (separator, text) = (text_of(argument(arguments, 0))?, text_of(argument(arguments, 2))?);
    let parts = match whole(argument(arguments, 1)).unwrap_or(0) {
        ..0 => MAX_PARTS,
        count => usize::try_from(count).unwrap_or(MAX_PARTS).min(MAX_PARTS),
    };
    let named = text.splitn(parts, &*separator).enumerate();
    let named = named.map(|(index, part)| (format!("_{index}"), Value::from(part)));
    Ok(named.collect::<BTreeMap<String, Value>>().into())
}

/// The elements of a list as texts; of anything else a list of it alone.
fn to_strings(arguments: &[Value]) -> Result<Value> {
    let texts: Vec<Value> = match argument(arguments, 0) {
        Value::Nil => Vec::new(),
        Value::List(all) => {
            let texts = texts_of(all.iter().filter(|value| !matches!(value, Value::Nil)))?;
            texts.into_iter().map(Value::from).collect()
        }
        other => vec![text_of(other)?.into()],
    };
    Ok(texts.into())
}
