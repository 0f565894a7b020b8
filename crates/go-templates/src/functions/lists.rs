//! Lists: their parts, their order, and small ones that a template makes.

use gotmpl::{Result, Value};

use super::compare::are_equal;
use super::numbers::whole;
use super::{Function, Writer, argument, failed, held_by_all, text_of, texts_of};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("list", list),
    ("tuple", list),
    ("append", append),
    ("push", append),
    ("mustAppend", append),
    ("mustPush", append),
    ("prepend", prepend),
    ("mustPrepend", prepend),
    ("concat", concat),
    ("chunk", chunk),
    ("mustChunk", chunk),
    ("rest", rest),
    ("mustRest", rest),
    ("initial", initial),
    ("mustInitial", initial),
    ("reverse", reverse),
    ("mustReverse", reverse),
    ("compact", compact),
    ("mustCompact", compact),
    ("sortAlpha", sort_alpha),
    ("slice", slice),
    ("mustSlice", slice),
    ("join", join),
];

pub(super) const HANDING_ON: &[(&str, Function)] =
    &[("first", first), ("mustFirst", first), ("last", last), ("mustLast", last)];

pub(super) const COMPARING: &[(&str, Function)] = &[
    ("uniq", uniq),
    ("mustUniq", uniq),
    ("has", has),
    ("mustHas", has),
    ("without", without),
    ("mustWithout", without),
];

/// Bytes that one call compares, at most.
const MAX_COMPARED_BYTES: usize = 256 * 1024 * 1024;

/// The elements of a list; none if there is none.
fn elements(value: &Value) -> Result<&[Value]> {
    match value {
        Value::List(elements) => Ok(elements),
        Value::Nil => Ok(&[]),
        _ => failed("this is no list"),
    }
}

/// Whether a value is neither a list nor a map.
pub(super) fn is_simple(value: &Value) -> bool {
    !matches!(value, Value::List(_) | Value::Map(_))
}

/// A list of texts, numbers and truth values. It takes no lists, so that no value gets deeper round by round.
fn list(arguments: &[Value]) -> Result<Value> {
    if arguments.iter().all(is_simple) {
        return Ok(arguments.to_vec().into());
    }
    failed("list takes no lists and no maps")
}

/// The elements of a list and one value for it, which is no list, so that no value gets deeper round by round.
fn with_element(arguments: &[Value]) -> Result<(Vec<Value>, Value)> {
    let (all, value) = (elements(argument(arguments, 0))?, argument(arguments, 1));
    if !is_simple(value) {
        return failed("a list that a template makes takes no lists and no maps");
    }
    Ok((all.to_vec(), value.clone()))
}

/// `append .list .value`.
fn append(arguments: &[Value]) -> Result<Value> {
    let (mut all, value) = with_element(arguments)?;
    all.push(value);
    Ok(all.into())
}

/// `prepend .list .value`.
fn prepend(arguments: &[Value]) -> Result<Value> {
    let (mut all, value) = with_element(arguments)?;
    all.insert(0, value);
    Ok(all.into())
}

/// The elements of all lists in one.
fn concat(arguments: &[Value]) -> Result<Value> {
    let mut all = Vec::new();
    for list in arguments {
        all.extend_from_slice(elements(list)?);
    }
    Ok(all.into())
}

/// `chunk 3 .list`: lists of three elements each, of a list of texts, numbers and truth values.
fn chunk(arguments: &[Value]) -> Result<Value> {
    let size =
        whole(argument(arguments, 0)).and_then(|size| usize::try_from(size).ok()).filter(|size| *size > 0);
    let (Some(size), all) = (size, elements(argument(arguments, 1))?) else {
        return failed("chunk needs a size");
    };
    if !all.iter().all(is_simple) {
        return failed("chunk takes no lists of lists and maps");
    }
    Ok(all.chunks(size).map(|part| Value::from(part.to_vec())).collect::<Vec<_>>().into())
}

fn first(arguments: &[Value]) -> Result<Value> {
    Ok(elements(argument(arguments, 0))?.first().cloned().unwrap_or(Value::Nil))
}

fn last(arguments: &[Value]) -> Result<Value> {
    Ok(elements(argument(arguments, 0))?.last().cloned().unwrap_or(Value::Nil))
}

fn rest(arguments: &[Value]) -> Result<Value> {
    let all = elements(argument(arguments, 0))?;
    Ok(all.split_first().map_or(&[][..], |(_, rest)| rest).to_vec().into())
}

fn initial(arguments: &[Value]) -> Result<Value> {
    let all = elements(argument(arguments, 0))?;
    Ok(all.split_last().map_or(&[][..], |(_, initial)| initial).to_vec().into())
}

fn reverse(arguments: &[Value]) -> Result<Value> {
    Ok(elements(argument(arguments, 0))?.iter().rev().cloned().collect::<Vec<_>>().into())
}

fn compact(arguments: &[Value]) -> Result<Value> {
    let kept = elements(argument(arguments, 0))?.iter().filter(|element| element.is_truthy());
    Ok(kept.cloned().collect::<Vec<_>>().into())
}

/// Whether two elements are the same; those that can't be compared are not.
fn is_same(a: &Value, b: &Value) -> bool {
    is_simple(a) && is_simple(b) && are_equal(a, b).unwrap_or(false)
}

/// # Errors
/// An error if each element, compared so many times, takes too long.
fn check_comparisons(all: &[Value], times: usize) -> Result<()> {
    if held_by_all(all, MAX_COMPARED_BYTES).saturating_mul(times) > MAX_COMPARED_BYTES {
        return failed("the list is too long to be compared");
    }
    Ok(())
}

fn uniq(arguments: &[Value]) -> Result<Value> {
    let all = elements(argument(arguments, 0))?;
    check_comparisons(all, all.len())?;
    let mut kept: Vec<Value> = Vec::new();
    for element in all {
        if !kept.iter().any(|known| is_same(known, element)) {
            kept.push(element.clone());
        }
    }
    Ok(kept.into())
}

/// `has .value .list`.
fn has(arguments: &[Value]) -> Result<Value> {
    let value = argument(arguments, 0);
    Ok(Value::Bool(elements(argument(arguments, 1))?.iter().any(|element| is_same(element, value))))
}

/// `without .list .value …`.
fn without(arguments: &[Value]) -> Result<Value> {
    let (all, dropped) = (elements(argument(arguments, 0))?, arguments.get(1..).unwrap_or_default());
    check_comparisons(all, dropped.len())?;
    let kept = all.iter().filter(|element| !dropped.iter().any(|value| is_same(element, value)));
    Ok(kept.cloned().collect::<Vec<_>>().into())
}

fn sort_alpha(arguments: &[Value]) -> Result<Value> {
    let mut texts = texts_of(elements(argument(arguments, 0))?)?;
    texts.sort();
    Ok(texts.into_iter().map(Value::from).collect::<Vec<_>>().into())
}

/// `slice .list from to`; of a text it counts bytes, as Go does.
fn slice(arguments: &[Value]) -> Result<Value> {
    let of = argument(arguments, 0);
    let length = of.len().unwrap_or(0);
    let at = |index: usize, otherwise: usize| match arguments.get(index) {
        Some(value) => whole(value).and_then(|number| usize::try_from(number).ok()),
        None => Some(otherwise),
    };
    let range = at(1, 0).zip(at(2, length)).map(|(from, to)| from..to);
    let found = match (of, range) {
        (Value::List(all), Some(range)) => all.get(range).map(|part| part.to_vec().into()),
        (Value::String(text), Some(range)) => text.get(range).map(Value::from),
        _ => None,
    };
    found.map_or_else(|| failed("slice: there is no such part"), Ok)
}

/// `join ", " .list`.
fn join(arguments: &[Value]) -> Result<Value> {
    let separator = text_of(argument(arguments, 0))?;
    let of = argument(arguments, 1);
    if is_simple(of) {
        return Ok(text_of(of)?.into());
    }
    let mut out = Writer::default();
    for (index, element) in elements(of)?.iter().enumerate() {
        if index > 0 {
            out.text(&separator)?;
        }
        out.value(element)?;
    }
    Ok(out.finish())
}
