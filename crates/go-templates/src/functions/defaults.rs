//! What stands in for a value that is missing, and a template that gives up by itself.

use gotmpl::{Result, Value};

use super::{Function, argument, failed, text_of};

pub(super) const FUNCTIONS: &[(&str, Function)] =
    &[("empty", empty), ("all", all), ("any", any), ("fail", fail)];

pub(super) const HANDING_ON: &[(&str, Function)] =
    &[("default", default), ("coalesce", coalesce), ("ternary", ternary)];

/// `default "d" .value`: the value, or `d` if it is empty.
fn default(arguments: &[Value]) -> Result<Value> {
    let given = arguments.get(1).filter(|given| given.is_truthy());
    Ok(given.unwrap_or(argument(arguments, 0)).clone())
}

fn empty(arguments: &[Value]) -> Result<Value> {
    Ok(Value::Bool(!argument(arguments, 0).is_truthy()))
}

/// The first argument that is not empty.
fn coalesce(arguments: &[Value]) -> Result<Value> {
    Ok(arguments.iter().find(|given| given.is_truthy()).cloned().unwrap_or(Value::Nil))
}

/// `ternary "yes" "no" .condition`.
fn ternary(arguments: &[Value]) -> Result<Value> {
    let chosen = usize::from(!argument(arguments, 2).is_truthy());
    Ok(argument(arguments, chosen).clone())
}

fn all(arguments: &[Value]) -> Result<Value> {
    Ok(Value::Bool(arguments.iter().all(Value::is_truthy)))
}

fn any(arguments: &[Value]) -> Result<Value> {
    Ok(Value::Bool(arguments.iter().any(Value::is_truthy)))
}

fn fail(arguments: &[Value]) -> Result<Value> {
    failed(&text_of(argument(arguments, 0))?)
}
