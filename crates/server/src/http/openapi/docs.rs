//! The API reference as an HTML page, rendered from the OpenAPI document. It has no scripts and loads nothing.

use std::fmt::Write;
use std::sync::OnceLock;

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde_json::Value;
use tidings_server_core::state::AppState;

use crate::http::api;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem;\
color:#1b1f24;background:#fff}h1,h2{line-height:1.2}section{border-top:1px solid #d8dee4;padding:.75rem 0}\
code,pre{font:14px/1.45 ui-monospace,monospace}pre{overflow:auto;background:#f4f6f8;padding:.75rem;border-radius:6px}\
b{display:inline-block;min-width:4.5rem}table{border-collapse:collapse}td{padding:.15rem .75rem .15rem 0;\
vertical-align:top}a{color:#0a58ca}@media(prefers-color-scheme:dark){body{color:#e6e8eb;background:#16181b}\
pre{background:#22262b}section{border-color:#343a41}a{color:#7db2ff}}";

pub(crate) fn routes() -> Router<AppState> {
    Router::new().route("/docs", get(page))
}

async fn page() -> Response {
    static PAGE: OnceLock<String> = OnceLock::new();
    let html = PAGE.get_or_init(|| render(&api::document()));
    let mut response = Html(html.as_str()).into_response();
    response.headers_mut().insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
    );
    response
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or("")
}

fn pairs<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    value.get(name).and_then(Value::as_object).into_iter().flatten()
}

/// The name of a schema as HTML, with a link to its section.
fn schema_name(schema: &Value) -> String {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let name = reference.rsplit('/').next().unwrap_or("");
        return format!("<a href=\"#schema-{name}\">{name}</a>", name = escape(name));
    }
    if let Some(items) = schema.get("items") {
        return format!("array of {}", schema_name(items));
    }
    if let Some(known) = schema.get("allOf").and_then(|parts| parts.get(0)) {
        return schema_name(known);
    }
    if let Some(choices) = schema.get("oneOf").and_then(Value::as_array) {
        return choices.iter().map(schema_name).collect::<Vec<_>>().join(" or ");
    }
    match schema.get("type") {
        Some(Value::String(kind)) => escape(kind),
        Some(other) => escape(&other.to_string()),
        None => "anything".to_owned(),
    }
}

/// The schemas of a body; that of a form is called one.
fn content(value: &Value) -> String {
    let schemas = pairs(value, "content").map(|(media_type, content)| {
        let name = schema_name(content.get("schema").unwrap_or(&Value::Null));
        if media_type == "multipart/form-data" { format!("{name} ({media_type})") } else { name }
    });
    schemas.collect::<Vec<_>>().join(" or ")
}

fn operation(out: &mut String, method: &str, path: &str, about: &Value) -> std::fmt::Result {
    write!(
        out,
        "<section><b>{}</b> <code>{}</code><p>{}</p><table>",
        escape(&method.to_ascii_uppercase()),
        escape(path),
        escape(text(about, "description"))
    )?;
    for parameter in about.get("parameters").and_then(Value::as_array).into_iter().flatten() {
        write!(
            out,
            "<tr><td><code>{}</code> ({})<td>{}",
            escape(text(parameter, "name")),
            escape(text(parameter, "in")),
            escape(text(parameter, "description"))
        )?;
    }
    if let Some(body) = about.get("requestBody") {
        write!(out, "<tr><td>body<td>{}", content(body))?;
    }
    for (status, answer) in pairs(about, "responses") {
        let what = if status == "default" {
            "<a href=\"#schema-Problem\">Problem</a>".to_owned()
        } else {
            content(answer)
        };
        let status = if status == "default" { "otherwise" } else { status };
        write!(out, "<tr><td>{}<td>{what}", escape(status))?;
    }
    out.push_str("</table></section>");
    Ok(())
}

fn render(document: &Value) -> String {
    let mut out = String::with_capacity(64 * 1024);
    // Writing to a string can't fail.
    let written = (|| -> std::fmt::Result {
        write!(
            out,
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
             content=\"width=device-width\"><title>Tidings API</title><style>{STYLE}</style><h1>Tidings API</h1>\
             <p>{}<p>As a document for programs: <a href=\"/api/v1/openapi.json\">openapi.json</a>.",
            escape(text(document.get("info").unwrap_or(&Value::Null), "description"))
        )?;
        for (path, methods) in pairs(document, "paths") {
            for (method, about) in methods.as_object().into_iter().flatten() {
                operation(&mut out, method, path, about)?;
            }
        }
        out.push_str("<h2>Shapes</h2>");
        for (name, schema) in pairs(document.get("components").unwrap_or(&Value::Null), "schemas") {
            let pretty = serde_json::to_string_pretty(schema).unwrap_or_default();
            write!(
                out,
                "<section id=\"schema-{name}\"><b>{name}</b><pre>{}</pre></section>",
                escape(&pretty),
                name = escape(name)
            )?;
        }
        Ok(())
    })();
    debug_assert!(written.is_ok());
    out
}
