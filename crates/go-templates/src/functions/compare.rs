//! Comparisons, and what a value is in Go's words. Unlike Go's they take whole and decimal numbers together, because a number of JSON is neither.

use std::cmp::Ordering;

use gotmpl::{Result, TemplateError, Value};

use super::numbers::number;
use super::{Function, argument, failed, text_of};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("eq", eq),
    ("ne", ne),
    ("lt", lt),
    ("le", le),
    ("gt", gt),
    ("ge", ge),
    ("typeOf", type_of),
    ("typeIs", type_is),
    ("typeIsLike", type_is),
    ("kindOf", kind_of),
    ("kindIs", kind_is),
];

pub(super) const COMPARING: &[(&str, Function)] = &[("deepEqual", deep_equal)];

/// Whether two values are equal.
///
/// # Errors
/// An error for values that can't be compared, as in Go: lists, maps, and those of different kinds.
pub(super) fn are_equal(a: &Value, b: &Value) -> Result<bool> {
    match (a, b) {
        (Value::Nil, other) | (other, Value::Nil) => Ok(matches!(other, Value::Nil)),
        (Value::Bool(a), Value::Bool(b)) => Ok(a == b),
        _ => Ok(order(a, b)? == Ordering::Equal),
    }
}

fn order(a: &Value, b: &Value) -> Result<Ordering> {
    let found = match (a, b) {
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        _ => number(a).zip(number(b)).and_then(|(a, b)| a.partial_cmp(&b)),
    };
    let unlike = || format!("a {} can't be compared with a {}", a.type_name(), b.type_name());
    found.ok_or_else(|| TemplateError::Exec(unlike()))
}

fn eq(arguments: &[Value]) -> Result<Value> {
    let Some((first, others)) = arguments.split_first() else { return failed("eq needs two values") };
    if others.is_empty() {
        return failed("eq needs two values");
    }
    for other in others {
        if are_equal(first, other)? {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}

fn ne(arguments: &[Value]) -> Result<Value> {
    Ok(Value::Bool(!are_equal(argument(arguments, 0), argument(arguments, 1))?))
}

fn lt(arguments: &[Value]) -> Result<Value> {
    compared(arguments, Ordering::is_lt)
}

fn le(arguments: &[Value]) -> Result<Value> {
    compared(arguments, Ordering::is_le)
}

fn gt(arguments: &[Value]) -> Result<Value> {
    compared(arguments, Ordering::is_gt)
}

fn ge(arguments: &[Value]) -> Result<Value> {
    compared(arguments, Ordering::is_ge)
}

fn compared(arguments: &[Value], holds: fn(Ordering) -> bool) -> Result<Value> {
    Ok(Value::Bool(holds(order(argument(arguments, 0), argument(arguments, 1))?)))
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Nil => "<nil>",
        Value::List(_) => "[]interface {}",
        Value::Map(_) => "map[string]interface {}",
        other => kind_name(other),
    }
}

fn kind_name(value: &Value) -> &'static str {
    match value {
        Value::Nil => "invalid",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int",
        Value::Uint(_) => "uint",
        Value::Float(_) => "float64",
        Value::String(_) => "string",
        Value::List(_) => "slice",
        Value::Map(_) => "map",
        Value::Function(_) => "func",
    }
}

fn type_of(arguments: &[Value]) -> Result<Value> {
    Ok(type_name(argument(arguments, 0)).into())
}

/// `typeIs "string" .value`.
fn type_is(arguments: &[Value]) -> Result<Value> {
    Ok(Value::Bool(text_of(argument(arguments, 0))? == type_name(argument(arguments, 1))))
}

fn kind_of(arguments: &[Value]) -> Result<Value> {
    Ok(kind_name(argument(arguments, 0)).into())
}

/// `kindIs "map" .value`.
fn kind_is(arguments: &[Value]) -> Result<Value> {
    Ok(Value::Bool(text_of(argument(arguments, 0))? == kind_name(argument(arguments, 1))))
}

fn deep_equal(arguments: &[Value]) -> Result<Value> {
    Ok(Value::Bool(is_same(argument(arguments, 0), argument(arguments, 1))))
}

/// Whether two values are the same, with all that is in them. No value is deeper than JSON may be.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Nil, Value::Nil) => true,
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| is_same(a, b))
        }
        (Value::Map(a), Value::Map(b)) => {
            let both = || a.iter().zip(b.iter());
            a.len() == b.len() && both().all(|((name, a), (other, b))| name == other && is_same(a, b))
        }
        (Value::List(_) | Value::Map(_) | Value::Nil, _)
        | (_, Value::List(_) | Value::Map(_) | Value::Nil) => false,
        _ => are_equal(a, b).unwrap_or(false),
    }
}
