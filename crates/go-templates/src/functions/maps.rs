//! Maps: their members, and small ones that a template makes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gotmpl::{Result, Value};

use super::lists::is_simple;
use super::{Function, argument, failed, text_of, texts_of};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("dict", dict),
    ("hasKey", has_key),
    ("keys", keys),
    ("values", values),
    ("pluck", pluck),
    ("pick", pick),
    ("omit", omit),
];

pub(super) const HANDING_ON: &[(&str, Function)] = &[("get", get), ("dig", dig)];

/// `dict "name" .value …`, with texts, numbers and truth values.
fn dict(arguments: &[Value]) -> Result<Value> {
    if !arguments.iter().all(is_simple) {
        return failed("dict takes no lists and no maps");
    }
    let pairs = arguments.chunks(2).map(|pair| Ok((text_of(argument(pair, 0))?, argument(pair, 1).clone())));
    Ok(pairs.collect::<Result<BTreeMap<String, Value>>>()?.into())
}

/// The members of a map.
pub(super) fn members(value: &Value) -> Result<&BTreeMap<Arc<str>, Value>> {
    match value {
        Value::Map(members) => Ok(members),
        _ => failed("this is no map"),
    }
}

/// `get .map "name"`.
fn get(arguments: &[Value]) -> Result<Value> {
    let name = text_of(argument(arguments, 1))?;
    Ok(members(argument(arguments, 0))?.get(name.as_str()).cloned().unwrap_or_else(|| "".into()))
}

fn has_key(arguments: &[Value]) -> Result<Value> {
    let name = text_of(argument(arguments, 1))?;
    Ok(Value::Bool(members(argument(arguments, 0))?.contains_key(name.as_str())))
}

/// The names of the members of all maps.
fn keys(arguments: &[Value]) -> Result<Value> {
    let mut names = Vec::new();
    for map in arguments {
        names.extend(members(map)?.keys().map(|name| Value::String(Arc::clone(name))));
    }
    Ok(names.into())
}

/// `pluck "name" .map …`: what the maps that have such a member have there.
fn pluck(arguments: &[Value]) -> Result<Value> {
    let (name, mut found) = (text_of(argument(arguments, 0))?, Vec::new());
    for map in arguments.iter().skip(1) {
        found.extend(members(map)?.get(name.as_str()).cloned());
    }
    Ok(found.into())
}

/// `pick .map "name" …`: a map with only these members.
fn pick(arguments: &[Value]) -> Result<Value> {
    kept(arguments, true)
}

/// `omit .map "name" …`: a map without these members.
fn omit(arguments: &[Value]) -> Result<Value> {
    kept(arguments, false)
}

fn kept(arguments: &[Value], is_named: bool) -> Result<Value> {
    let names: BTreeSet<String> = texts_of(arguments.iter().skip(1))?.into_iter().collect();
    let all = members(argument(arguments, 0))?.iter();
    let kept = all.filter(|(name, _)| names.contains(&***name) == is_named);
    let kept: BTreeMap<_, _> = kept.map(|(name, value)| (Arc::clone(name), value.clone())).collect();
    Ok(Value::Map(Arc::new(kept)))
}

/// `dig "name" "inner" "default" .map`: a member of a member; the default if one of them is missing.
fn dig(arguments: &[Value]) -> Result<Value> {
    let [names @ .., default, map] = arguments else { return failed("dig needs three values") };
    if names.is_empty() {
        return failed("dig needs three values");
    }
    let mut found = map;
    for name in names {
        let Some(inner) = members(found)?.get(text_of(name)?.as_str()) else { return Ok(default.clone()) };
        found = inner;
    }
    Ok(found.clone())
}

fn values(arguments: &[Value]) -> Result<Value> {
    Ok(members(argument(arguments, 0))?.values().cloned().collect::<Vec<_>>().into())
}
