//! Numbers. What is no number counts as 0, as in sprig.

use gotmpl::{Result, Value};

use super::{Function, argument, failed, text_of};

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
    ("biggest", max),
    ("maxf", maxf),
    ("minf", minf),
    ("toDecimal", to_decimal),
    ("until", until),
    ("untilStep", until_step),
    ("seq", seq),
    ("min", min),
    ("round", round),
    ("floor", floor),
    ("ceil", ceil),
];

/// The largest number of decimals that `round` takes; a decimal number has no more.
const MAX_DECIMALS: i64 = 15;

/// Numbers that `until`, `untilStep` and `seq` count, at most.
const MAX_COUNTED: usize = 10_000;

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

/// The largest of decimal numbers.
fn maxf(arguments: &[Value]) -> Result<Value> {
    Ok(folded_decimals(arguments, f64::max))
}

/// The smallest of decimal numbers.
fn minf(arguments: &[Value]) -> Result<Value> {
    Ok(folded_decimals(arguments, f64::min))
}

fn folded_decimals(arguments: &[Value], both: fn(f64, f64) -> f64) -> Value {
    let decimals = arguments.iter().map(|value| any_number(value).unwrap_or(0.0));
    Value::Float(decimals.reduce(both).unwrap_or(0.0))
}

/// The number whose digits are octal, as those of a file's mode; 0 if they are not.
fn to_decimal(arguments: &[Value]) -> Result<Value> {
    Ok(Value::Int(i64::from_str_radix(&text_of(argument(arguments, 0))?, 8).unwrap_or(0)))
}

/// `until 3`: 0, 1 and 2.
fn until(arguments: &[Value]) -> Result<Value> {
    let end = whole_or_zero(argument(arguments, 0));
    list_of(counted(0, end, if end < 0 { -1 } else { 1 })?)
}

/// `untilStep 0 10 5`: 0 and 5.
fn until_step(arguments: &[Value]) -> Result<Value> {
    let [start, end, step] = [0, 1, 2].map(|index| whole_or_zero(argument(arguments, index)));
    list_of(counted(start, end, step)?)
}

fn list_of(numbers: Vec<i64>) -> Result<Value> {
    Ok(numbers.into_iter().map(Value::Int).collect::<Vec<_>>().into())
}

/// `seq 5`, `seq 2 5` and `seq 0 2 10`: numbers with their end, in one text.
fn seq(arguments: &[Value]) -> Result<Value> {
    let given: Vec<i64> = arguments.iter().map(whole_or_zero).collect();
    let by_one = |start: i64, end: i64| if end < start { -1 } else { 1 };
    let (start, step, end) = match *given {
        [end] => (1, by_one(1, end), end),
        [start, end] => (start, by_one(start, end), end),
        [start, step, end] => (start, step, end),
        _ => return Ok("".into()),
    };
    let numbers = counted(start, end.saturating_add(by_one(start, end)), step)?;
    Ok(numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(" ").into())
}

/// Numbers from one on, in steps, before the end; none if the steps do not lead there.
fn counted(start: i64, end: i64, step: i64) -> Result<Vec<i64>> {
    let mut numbers = Vec::new();
    let mut next = Some(start);
    while let Some(number) = next.filter(|number| (step > 0 && *number < end) || (step < 0 && *number > end))
    {
        if numbers.len() == MAX_COUNTED {
            return failed("a template may count to 10000");
        }
        numbers.push(number);
        next = number.checked_add(step);
    }
    Ok(numbers)
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
