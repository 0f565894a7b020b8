//! Comparisons. Unlike Go's they take whole and decimal numbers together, because a number of JSON is neither.

use std::cmp::Ordering;

use gotmpl::{Result, TemplateError, Value};

use super::numbers::number;
use super::{Function, argument, failed};

pub(super) const FUNCTIONS: &[(&str, Function)] =
    &[("eq", eq), ("ne", ne), ("lt", lt), ("le", le), ("gt", gt), ("ge", ge)];

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
