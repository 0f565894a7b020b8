//! Numbers. What is no number counts as 0, as in sprig.

use gotmpl::{Result, Value};

use super::{Function, argument, failed};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("int", int),
    ("int64", int),
    ("atoi", int),
    ("float64", float64),
    ("add", add),
    ("add1", add1),
    ("sub", sub),
    ("mul", mul),
    ("div", div),
    ("mod", modulo),
    ("max", max),
    ("min", min),
    ("round", round),
    ("floor", floor),
    ("ceil", ceil),
];

/// The largest number of decimals that `round` takes; a decimal number has no more.
const MAX_DECIMALS: i64 = 15;

/// A number of any kind; `None` for anything else.
#[allow(clippy::cast_precision_loss, reason = "a template's numbers are those of JSON, which are decimal")]
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Uint(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

/// A number or the number in a text.
fn any_number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        Value::Bool(value) => Some(f64::from(*value)),
        other => number(other),
    }
}

/// A whole number, without the decimals of another one.
#[allow(
    clippy::cast_possible_truncation,
    reason = "decimals are dropped, and what is too large becomes the largest"
)]
pub(super) fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) => Some(*number),
        Value::String(text) => text.trim().parse().ok().or_else(|| any_number(value).map(|n| n as i64)),
        other => any_number(other).map(|number| number as i64),
    }
}

fn whole_or_zero(value: &Value) -> i64 {
    whole(value).unwrap_or(0)
}

fn int(arguments: &[Value]) -> Result<Value> {
    Ok(Value::Int(whole_or_zero(argument(arguments, 0))))
}

fn float64(arguments: &[Value]) -> Result<Value> {
    Ok(Value::Float(decimal(arguments)))
}

fn decimal(arguments: &[Value]) -> f64 {
    any_number(argument(arguments, 0)).unwrap_or(0.0)
}

/// The arguments, put together from the left.
fn folded(arguments: &[Value], both: fn(i64, i64) -> i64) -> Value {
    Value::Int(arguments.iter().map(whole_or_zero).reduce(both).unwrap_or(0))
}

fn add(arguments: &[Value]) -> Result<Value> {
    Ok(folded(arguments, i64::saturating_add))
}

fn add1(arguments: &[Value]) -> Result<Value> {
    Ok(Value::Int(whole_or_zero(argument(arguments, 0)).saturating_add(1)))
}

fn sub(arguments: &[Value]) -> Result<Value> {
    Ok(folded(arguments, i64::saturating_sub))
}

fn mul(arguments: &[Value]) -> Result<Value> {
    Ok(folded(arguments, i64::saturating_mul))
}

fn max(arguments: &[Value]) -> Result<Value> {
    Ok(folded(arguments, i64::max))
}

fn min(arguments: &[Value]) -> Result<Value> {
    Ok(folded(arguments, i64::min))
}

fn div(arguments: &[Value]) -> Result<Value> {
    divided(arguments, i64::checked_div)
}

fn modulo(arguments: &[Value]) -> Result<Value> {
    divided(arguments, i64::checked_rem)
}

fn divided(arguments: &[Value], by: fn(i64, i64) -> Option<i64>) -> Result<Value> {
    let [of, divisor] = [0, 1].map(|index| whole_or_zero(argument(arguments, index)));
    by(of, divisor).map_or_else(|| failed("this can't be divided"), |result| Ok(Value::Int(result)))
}

/// `round 3.14159 2`.
fn round(arguments: &[Value]) -> Result<Value> {
    let decimals = whole_or_zero(argument(arguments, 1)).clamp(0, MAX_DECIMALS);
    let factor = 10_f64.powi(i32::try_from(decimals).unwrap_or(0));
    Ok(Value::Float((decimal(arguments) * factor).round() / factor))
}

fn floor(arguments: &[Value]) -> Result<Value> {
    Ok(Value::Float(decimal(arguments).floor()))
}

fn ceil(arguments: &[Value]) -> Result<Value> {
    Ok(Value::Float(decimal(arguments).ceil()))
}
