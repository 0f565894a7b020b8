//! Paths, by their text alone, and addresses as their parts.

use std::collections::BTreeMap;

use gotmpl::{Result, TemplateError, Value};
use url::Url;

use super::maps::members;
use super::{Function, argument, text_of, text_value};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("base", base),
    ("dir", dir),
    ("clean", clean),
    ("ext", ext),
    ("isAbs", is_abs),
    ("osBase", base),
    ("osDir", dir),
    ("osClean", clean),
    ("osExt", ext),
    ("osIsAbs", is_abs),
    ("urlParse", url_parse),
    ("urlJoin", url_join),
];

fn path(arguments: &[Value]) -> Result<String> {
    text_of(argument(arguments, 0))
}

/// The last part; `.` of an empty path, `/` of the root.
fn base(arguments: &[Value]) -> Result<Value> {
    let path = path(arguments)?;
    let trimmed = path.trim_end_matches('/');
    text_value(match (path.is_empty(), trimmed.is_empty()) {
        (true, _) => ".".to_owned(),
        (_, true) => "/".to_owned(),
        _ => trimmed.rsplit('/').next().unwrap_or_default().to_owned(),
    })
}

/// All but the last part.
fn dir(arguments: &[Value]) -> Result<Value> {
    let path = path(arguments)?;
    let end = path.rfind('/').map_or(0, |at| at + 1);
    text_value(cleaned(path.get(..end).unwrap_or_default()))
}

fn clean(arguments: &[Value]) -> Result<Value> {
    text_value(cleaned(&path(arguments)?))
}

/// The shortest path to the same place, without `.`, `..` and `//` as far as that goes.
fn cleaned(path: &str) -> String {
    let is_absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        let leads_back = part == "..";
        if leads_back && parts.last().is_some_and(|last| *last != "..") {
            parts.pop();
        } else if !(leads_back && is_absolute) {
            parts.push(part);
        }
    }
    let joined = parts.join("/");
    match (is_absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

/// The ending with its dot; empty if there is none.
fn ext(arguments: &[Value]) -> Result<Value> {
    let path = path(arguments)?;
    let name = path.rsplit('/').next().unwrap_or_default();
    Ok(name.rfind('.').and_then(|at| name.get(at..)).unwrap_or_default().into())
}

fn is_abs(arguments: &[Value]) -> Result<Value> {
    Ok(Value::Bool(path(arguments)?.starts_with('/')))
}

/// The parts of an address, as a map.
fn url_parse(arguments: &[Value]) -> Result<Value> {
    let no_address = |e| TemplateError::Exec(format!("urlParse: this is no address: {e}"));
    let url = Url::parse(&path(arguments)?).map_err(no_address)?;
    let hostname = url.host_str().unwrap_or_default();
    let host = url.port().map_or_else(|| hostname.to_owned(), |port| format!("{hostname}:{port}"));
    let user = url
        .password()
        .map_or_else(|| url.username().to_owned(), |secret| format!("{}:{secret}", url.username()));
    let is_opaque = url.cannot_be_a_base();
    let parts = [
        ("scheme", url.scheme()),
        ("host", &host),
        ("hostname", hostname),
        ("path", if is_opaque { "" } else { url.path() }),
        ("query", url.query().unwrap_or_default()),
        ("opaque", if is_opaque { url.path() } else { "" }),
        ("fragment", url.fragment().unwrap_or_default()),
        ("userinfo", &user),
    ];
    let parts = parts.map(|(name, part)| (name.to_owned(), Value::from(part)));
    Ok(parts.into_iter().collect::<BTreeMap<String, Value>>().into())
}

/// The address that has the parts of a map.
fn url_join(arguments: &[Value]) -> Result<Value> {
    let members = members(argument(arguments, 0))?;
    let part = |name: &str| members.get(name).map_or_else(|| Ok(String::new()), text_of);
    // A part with what separates it from its neighbours; nothing if it is empty.
    let with = |before: &str, name: &str, after: &str| {
        let part = part(name)?;
        Ok::<_, TemplateError>(if part.is_empty() { part } else { format!("{before}{part}{after}") })
    };
    let opaque = part("opaque")?;
    let place = if opaque.is_empty() {
        let (user, host, path) = (with("", "userinfo", "@")?, part("host")?, part("path")?);
        let slashes = if host.is_empty() && user.is_empty() { "" } else { "//" };
        let gap = if slashes.is_empty() || path.is_empty() || path.starts_with('/') { "" } else { "/" };
        format!("{slashes}{user}{host}{gap}{path}")
    } else {
        opaque
    };
    let (scheme, query, fragment) =
        (with("", "scheme", ":")?, with("?", "query", "")?, with("#", "fragment", "")?);
    text_value(format!("{scheme}{place}{query}{fragment}"))
}
