//! Publishing as ntfy does it: a body with headers, JSON at the root, or a plain GET. Refuses whoever has no token,
//! but for programs on this machine where the server was told so.

use axum::body::Body;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use serde::Deserialize;
use serde_json::Value;
use tidings_model::wire::Scope;
use tidings_model::{Actor, Attachment, Code, Format, Kind, Priority, Problem, Stamp, Target};

use super::error::{
    ATTACH_URL_INVALID, DELAY_NO_CACHE, ICON_INVALID, JSON_INVALID, NOT_UTF8, NtfyError, PRIORITY_INVALID,
    SEQUENCE_INVALID, bad_request,
};
use super::fields::Fields;
use super::{actions, answer, delay};
use crate::domain::account::Bearer;
use crate::domain::draft::{Audience, Draft};
use crate::domain::limits;
use crate::http::App;
use crate::http::guards::peer;
use crate::http::input::{Query, Segments, bytes};
use crate::http::problem::json;
use crate::store::Did;

/// The text where none is given.
const DEFAULT_MESSAGE: &str = "triggered";

type Published = Result<Response, NtfyError>;

/// `PUT|POST /<topic>`.
pub(super) async fn body(State(app): State<App>, request: Request) -> Published {
    let (mut parts, body) = request.into_parts();
    let topic = path_topic(&mut parts, &app).await?;
    super::topic(&topic)?;
    let query = Query::parse(parts.uri.query().unwrap_or(""));
    let by = authorize(&app, &parts, &query, true).await?;
    let body = bytes(&parts.headers, body, limits::TEXT).await?;
    let text = String::from_utf8(body.to_vec()).map_err(|_| NOT_UTF8)?;
    let fields = Fields { headers: &parts.headers, query: &query };
    publish(&app, by, &topic, &fields, Given { message: Some(text), ..Given::default() }).await
}

/// `GET /<topic>/publish`, `/send` and `/trigger`.
pub(super) async fn get(State(app): State<App>, request: Request) -> Published {
    let (mut parts, _) = request.into_parts();
    let topic = path_topic(&mut parts, &app).await?;
    super::topic(&topic)?;
    let query = Query::parse(parts.uri.query().unwrap_or(""));
    let by = authorize(&app, &parts, &query, false).await?;
    let fields = Fields { headers: &parts.headers, query: &query };
    publish(&app, by, &topic, &fields, Given::default()).await
}

/// `POST /` and `PUT /` with JSON.
pub(super) async fn root(State(app): State<App>, request: Request) -> Published {
    let (parts, body) = request.into_parts();
    let query = Query::parse(parts.uri.query().unwrap_or(""));
    let by = authorize(&app, &parts, &query, true).await?;
    let given = read_json(&parts.headers, body).await?;
    let topic = given.topic.clone().unwrap_or_default();
    super::topic(&topic)?;
    let fields = Fields { headers: &parts.headers, query: &query };
    publish(&app, by, &topic, &fields, given).await
}

async fn path_topic(parts: &mut Parts, app: &App) -> Result<String, NtfyError> {
    let segments = Segments::from_request_parts(parts, app).await.map_err(|_| super::error::TOPIC_INVALID)?;
    Ok(segments.text("topic").map_err(|_| super::error::TOPIC_INVALID)?.to_owned())
}

async fn read_json(headers: &HeaderMap, body: Body) -> Result<Given, NtfyError> {
    let body = bytes(headers, body, limits::BODY).await?;
    let mut value: Value = serde_json::from_slice(&body).map_err(|_| JSON_INVALID)?;
    if let Value::Object(map) = &mut value {
        map.retain(|_, v| !v.is_null());
    }
    serde_json::from_value(value).map_err(|_| JSON_INVALID)
}

/// The token in whichever of ntfy's places it is.
fn token(headers: &HeaderMap, query: &Query) -> Option<String> {
    let from_query = || {
        let encoded = query.pairs().find(|(n, _)| *n == "auth" || *n == "authorization").map(|(_, v)| v)?;
        if encoded.starts_with("Bearer ") || encoded.starts_with("Basic ") {
            return Some(encoded.to_owned());
        }
        let bytes =
            [URL_SAFE_NO_PAD.decode(encoded), URL_SAFE.decode(encoded), STANDARD_NO_PAD.decode(encoded)]
                .into_iter()
                .find_map(Result::ok)?;
        String::from_utf8(bytes).ok()
    };
    let text = match headers.get(header::AUTHORIZATION) {
        Some(value) => value.to_str().ok()?.to_owned(),
        None => from_query()?,
    };
    let (scheme, rest) = text.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.trim().to_owned());
    }
    if scheme.eq_ignore_ascii_case("basic") {
        let decoded = String::from_utf8(STANDARD.decode(rest.trim()).ok()?).ok()?;
        let (name, password) = decoded.split_once(':')?;
        // Some programs can send a name alone.
        return Some(if password.is_empty() { name } else { password }.to_owned());
    }
    None
}

/// Who publishes: a token with `publish` or `inbox`, or, where the server was told so, a program on this machine.
async fn authorize(
    app: &App,
    parts: &Parts,
    query: &Query,
    without_token: bool,
) -> Result<Option<Bearer>, NtfyError> {
    let unauthorized = || Problem::new(Code::Unauthorized, "unauthorized");
    let forbidden = || Problem::new(Code::Forbidden, "forbidden");
    let sent = parts.headers.contains_key(header::AUTHORIZATION)
        || query.pairs().any(|(n, _)| n == "auth" || n == "authorization");
    if !sent {
        if without_token && app.server.config.open_publish && is_near(parts) {
            return Ok(None);
        }
        // As ntfy has it: who says nothing may not, who says something wrong is unknown.
        return Err(forbidden().into());
    }
    let token = token(&parts.headers, query).ok_or_else(unauthorized)?;
    let bearer = app.server.keys.bearer(&token).await?.ok_or_else(unauthorized)?;
    app.limiter.token(&bearer.token, parts)?;
    if !(bearer.may(Scope::Publish) || bearer.may(Scope::Inbox)) {
        return Err(forbidden().into());
    }
    Ok(Some(bearer))
}

/// Whether a request was made by a program on this machine, and not passed on by one for somebody else.
fn is_near(parts: &Parts) -> bool {
    const PASSED_ON: [&str; 4] = ["forwarded", "x-forwarded-for", "x-real-ip", "via"];
    peer(&parts.extensions).is_some_and(|p| p.ip().to_canonical().is_loopback())
        && !PASSED_ON.iter().any(|name| parts.headers.contains_key(*name))
}

/// What JSON says; headers hold for the rest.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Given {
    topic: Option<String>,
    message: Option<String>,
    title: Option<String>,
    priority: Option<Value>,
    tags: Option<Value>,
    click: Option<String>,
    icon: Option<String>,
    actions: Option<Vec<Value>>,
    attach: Option<String>,
    filename: Option<String>,
    markdown: Option<bool>,
    delay: Option<Value>,
    sequence_id: Option<String>,
}

/// Makes a draft of what was said, stores it, and answers as ntfy does.
async fn publish(app: &App, by: Option<Bearer>, topic: &str, fields: &Fields<'_>, given: Given) -> Published {
    let (draft, due) = draft(app, topic, fields, given)?;
    check(&draft)?;
    let shown = draft.clone();
    if let Some(due) = due {
        let msgid = app.store().schedule(draft, due).await?;
        app.server.scheduled.notify_one();
        return Ok(json(StatusCode::OK, &answer::message(&msgid, due, topic, &shown)));
    }
    let topic = topic.to_owned();
    let key = crate::http::once::plain_key(fields.headers, by.as_ref())?;
    let once = key.map(|(token, key)| {
        let (shown, topic) = (shown.clone(), topic.clone());
        crate::http::once::keep(token, key, move |posts: &Vec<crate::store::Post>| {
            posts.first().map(|p| answer::message(&p.posted.msgid, p.posted.stamp, &topic, &shown))
        })
    });
    match app.store().post(vec![draft], once).await? {
        Did::Now(posts) => {
            app.server.hub.published(&posts);
            let post = posts.first().ok_or_else(|| bad_request("nothing was published"))?;
            let body = answer::message(&post.posted.msgid, post.posted.stamp, &topic, &shown);
            Ok(json(StatusCode::OK, &body))
        }
        Did::Before(answer) => {
            Ok(crate::http::problem::json_bytes(StatusCode::OK, answer.body).into_response())
        }
    }
}

fn draft(
    app: &App,
    topic: &str,
    fields: &Fields<'_>,
    given: Given,
) -> Result<(Draft, Option<Stamp>), NtfyError> {
    let actor = Actor { id: topic.to_owned(), name: topic.to_owned() };
    let mut draft = Draft::new(Kind::Reminder, Audience::Subscribers, actor);
    "publish".clone_into(&mut draft.action);
    let header = |names: &[&str]| fields.get(names);
    draft.title = given
        .title
        .filter(|t| !t.is_empty())
        .or_else(|| header(&["x-title", "title", "t", "ti"]))
        .unwrap_or_default();
    draft.body = message(given.message, fields);
    draft.priority = match given.priority {
        Some(value) => priority(&text_of(&value))?,
        None => header(&["x-priority", "priority", "prio", "p"])
            .map_or(Ok(Priority::DEFAULT), |p| priority(&p))?,
    };
    draft.extra.tags = match given.tags {
        Some(Value::Array(tags)) => tags.iter().map(text_of).collect(),
        Some(value) => tags(&text_of(&value)),
        None => header(&["x-tags", "tags", "tag", "ta"]).map(|t| tags(&t)).unwrap_or_default(),
    };
    draft.extra.url = given.click.filter(|c| !c.is_empty()).or_else(|| header(&["x-click", "click"]));
    draft.extra.icon = given.icon.filter(|c| !c.is_empty()).or_else(|| header(&["x-icon", "icon"]));
    if draft.extra.icon.as_deref().is_some_and(|icon| !is_web(icon)) {
        return Err(ICON_INVALID);
    }
    draft.extra.actions = match given.actions {
        Some(values) if !values.is_empty() => actions::from_json(values)?,
        _ => header(&["x-actions", "actions", "action"])
            .map(|a| actions::parse(&a))
            .transpose()?
            .unwrap_or_default(),
    };
    draft.extra.attachment = attachment(
        given.attach.filter(|a| !a.is_empty()).or_else(|| header(&["x-attach", "attach", "a"])),
        given.filename.filter(|a| !a.is_empty()).or_else(|| header(&["x-filename", "filename", "file", "f"])),
    )?;
    let by_type = fields
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|v| v.to_str().ok())
        .is_some_and(|v| v.to_ascii_lowercase().starts_with("text/markdown"));
    let markdown =
        given.markdown.or_else(|| fields.flag(&["x-markdown", "markdown", "md"])).unwrap_or(by_type);
    draft.format = if markdown { Format::Markdown } else { Format::Plain };
    draft.sequence = given
        .sequence_id
        .filter(|s| !s.is_empty())
        .or_else(|| header(&["x-sequence-id", "sequence-id", "sid"]));
    if draft.sequence.as_deref().is_some_and(|s| !super::is_name(s)) {
        return Err(SEQUENCE_INVALID);
    }
    let due = given
        .delay
        .map(|d| text_of(&d))
        .filter(|d| !d.is_empty())
        .or_else(|| header(&["x-delay", "delay", "x-at", "at", "x-in", "in"]))
        .map(|d| delay::due(&d, app.now()))
        .transpose()?;
    if due.is_some() && fields.flag(&["x-cache", "cache"]) == Some(false) {
        return Err(DELAY_NO_CACHE);
    }
    draft.target = Some(Target {
        kind: "topic".to_owned(),
        id: topic.to_owned(),
        title: Some(topic.to_owned()),
        ..Target::default()
    });
    if draft.title.is_empty() {
        topic.clone_into(&mut draft.title);
    }
    draft.subscribe = app.owner;
    Ok((draft, due))
}

/// The body; where it is empty, the message of a header or the query, and ntfy's word where there is none at all.
fn message(given: Option<String>, fields: &Fields<'_>) -> String {
    let given = given.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    given
        // A header has no line breaks; programs write them as `\n`.
        .or_else(|| fields.get(&["x-message", "message", "m"]).map(|m| m.replace("\\n", "\n")))
        .unwrap_or_else(|| DEFAULT_MESSAGE.to_owned())
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn tags(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned).collect()
}

/// 1 to 5, or a word.
fn priority(text: &str) -> Result<Priority, NtfyError> {
    let number = match text.trim().to_ascii_lowercase().as_str() {
        "" | "0" | "3" | "default" => 3,
        "1" | "min" => 1,
        "2" | "low" => 2,
        "4" | "high" => 4,
        "5" | "max" | "urgent" => 5,
        // RFC 9218 has a header of the same name, which clients add by themselves: `u=1, i`.
        rfc if rfc.starts_with("u=") || rfc == "i" => 3,
        _ => return Err(PRIORITY_INVALID),
    };
    Priority::new(number).map_err(|_| PRIORITY_INVALID)
}

fn is_web(text: &str) -> bool {
    url::Url::parse(text).is_ok_and(|u| matches!(u.scheme(), "http" | "https") && u.has_host())
}

fn attachment(link: Option<String>, name: Option<String>) -> Result<Option<Attachment>, NtfyError> {
    let Some(link) = link else { return Ok(None) };
    let parsed = url::Url::parse(&link)
        .ok()
        .filter(|u| matches!(u.scheme(), "http" | "https") && u.has_host())
        .ok_or(ATTACH_URL_INVALID)?;
    let last = || {
        let last = parsed.path_segments().and_then(|mut s| s.next_back()).filter(|s| !s.is_empty())?;
        Some(percent_encoding::percent_decode_str(last).decode_utf8_lossy().into_owned())
    };
    let name = name.or_else(last).unwrap_or_else(|| "attachment".to_owned());
    Ok(Some(Attachment { name, url: link, media: None, size: None, expires: None }))
}

/// The limits that hold for every publication.
fn check(draft: &Draft) -> Result<(), NtfyError> {
    let value = serde_json::to_value(draft).map_err(|_| JSON_INVALID)?;
    crate::http::input::check_texts(&value, "")
        .map_err(|p| bad_request(&format!("{} {}", p.field.unwrap_or_default(), p.detail)))?;
    if draft.extra.tags.len() > limits::TAGS {
        return Err(bad_request("too many tags"));
    }
    Ok(())
}
