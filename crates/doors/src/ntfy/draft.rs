//! Builds a draft from a publication in ntfy's format (headers, query and JSON). Invalid fields are rejected with
//! ntfy's errors.

use axum::http::header;
use serde::Deserialize;
use serde_json::Value;
use tidings_model::{Attachment, Choice, Code, Format, Priority, Question, Stamp, check_id};
use tidings_server_core::domain::limits;
use tidings_server_core::http::input::{Keep, check_draft, file_name, web_url};
use tidings_server_core::state::AppState;
use tidings_store::domain::draft::Draft;
use tidings_store::domain::question;
use tidings_store::domain::topic::is_valid_name;

use super::error::{
    ATTACH_URL_INVALID, DELAY_NO_CACHE, ICON_INVALID, NtfyError, PRIORITY_INVALID, SEQUENCE_INVALID,
    bad_request,
};
use super::fields::{Field, Fields, boolean};
use super::message::{BASE64, ENCODING};
use super::{actions, delay};

/// The body of a publication without a message, as with ntfy.
pub(super) const DEFAULT_MESSAGE: &str = "triggered";

/// The fields of a JSON publication. A field that is missing here is taken from the headers or the query.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct PublishFields {
    pub(super) topic: Option<String>,
    pub(super) message: Option<String>,
    pub(super) title: Option<String>,
    pub(super) priority: Option<Value>,
    pub(super) tags: Option<Value>,
    pub(super) click: Option<String>,
    pub(super) icon: Option<String>,
    pub(super) actions: Option<Vec<Value>>,
    pub(super) attach: Option<String>,
    pub(super) filename: Option<String>,
    pub(super) markdown: Option<bool>,
    pub(super) cache: Option<Value>,
    pub(super) delay: Option<Value>,
    pub(super) sequence_id: Option<String>,
    /// Whether the message stands for bytes, in base64.
    #[serde(skip)]
    pub(super) is_base64: bool,
    /// Whether title, message and priority come from templates, so that headers and query, which had them, do not count.
    #[serde(skip)]
    pub(super) is_filled_in: bool,
    /// The file that was uploaded with it.
    #[serde(skip)]
    pub(super) file: Option<Attachment>,
    /// The size of the JSON that they come from.
    #[serde(skip)]
    pub(super) bytes: usize,
}

/// What is kept of a member of a publication in JSON. Of a list that is one element more than it may have, for which the
/// publication is refused. No other field is a list or an object.
pub(super) fn keep(member: &str) -> Keep {
    Keep::Elements(match member {
        "actions" => actions::MAX_ACTIONS + 1,
        "tags" => limits::TAG_COUNT + 1,
        _ => 0,
    })
}

impl PublishFields {
    /// Whether the message is a file, because a file is named that has no address.
    pub(super) fn is_file(&self, fields: &Fields<'_>) -> bool {
        !fields.is_for_program() && self.link(fields).is_none() && self.file_name(fields).is_some()
    }

    /// The name of the file, in JSON or else outside of it.
    pub(super) fn file_name(&self, fields: &Fields<'_>) -> Option<String> {
        self.filename.clone().filter(|name| !name.is_empty()).or_else(|| fields.get(Field::Filename))
    }

    /// The address of a file that is not uploaded, likewise.
    fn link(&self, fields: &Fields<'_>) -> Option<String> {
        self.attach.clone().filter(|link| !link.is_empty()).or_else(|| fields.get(Field::Attach))
    }
}

pub(super) fn draft(
    app: &AppState,
    topic: &str,
    fields: &Fields<'_>,
    body_fields: PublishFields,
) -> Result<(Draft, Option<Stamp>), NtfyError> {
    let mut draft = Draft::on_topic(topic, app.owner);
    let header = |field| fields.get(field);
    let (link, file_name) = (body_fields.link(fields), body_fields.file_name(fields));
    let is_filled_in = body_fields.is_filled_in;
    let unfilled = |field| fields.get(field).filter(|_| !is_filled_in);
    draft.content.title =
        body_fields.title.filter(|t| !t.is_empty()).or_else(|| unfilled(Field::Title)).unwrap_or_default();
    draft.content.priority = match body_fields.priority {
        Some(value) => priority(&value_text(&value))?,
        None => unfilled(Field::Priority).map_or(Ok(Priority::DEFAULT), |p| priority(&p))?,
    };
    draft.content.tags = match body_fields.tags {
        Some(Value::Array(tags)) => tags.iter().map(value_text).collect(),
        Some(value) => comma_separated(&value_text(&value)),
        None => header(Field::Tags).map(|t| comma_separated(&t)).unwrap_or_default(),
    };
    draft.content.url = body_fields.click.filter(|c| !c.is_empty()).or_else(|| header(Field::Click));
    draft.content.icon = body_fields.icon.filter(|c| !c.is_empty()).or_else(|| header(Field::Icon));
    if draft.content.icon.as_deref().is_some_and(|icon| web_url(icon).is_none()) {
        return Err(ICON_INVALID);
    }
    draft.content.actions = match body_fields.actions {
        Some(values) if !values.is_empty() => actions::from_json(values)?,
        _ => header(Field::Actions).map(|a| actions::parse(&a)).transpose()?.unwrap_or_default(),
    };
    draft.content.attachment = match body_fields.file {
        Some(file) => Some(file),
        None => attachment(link, file_name)?,
    };
    // A program gets each byte.
    let body_text =
        body_fields.message.map(|text| if fields.is_for_program() { text } else { text.trim().to_owned() });
    draft.content.body = message(body_text, || unfilled(Field::Message), draft.content.attachment.as_ref());
    if body_fields.is_base64 {
        draft.content.data.insert(ENCODING.to_owned(), BASE64.into());
    }
    let by_type = fields
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|v| v.to_str().ok())
        .is_some_and(|v| v.to_ascii_lowercase().starts_with("text/markdown"));
    let markdown = body_fields.markdown.or_else(|| fields.flag(Field::Markdown)).unwrap_or(by_type);
    draft.content.format = if markdown { Format::Markdown } else { Format::Plain };
    draft.sequence = body_fields.sequence_id.filter(|s| !s.is_empty()).or_else(|| header(Field::SequenceId));
    if draft.sequence.as_deref().is_some_and(|s| !is_valid_name(s)) {
        return Err(SEQUENCE_INVALID);
    }
    let delay = body_fields.delay.map(|d| value_text(&d)).filter(|d| !d.is_empty());
    let cache = body_fields.cache.map(|c| value_text(&c)).filter(|c| !c.is_empty());
    let cache = cache.map_or_else(|| fields.flag(Field::Cache), |c| boolean(&c));
    let due = match delay.or_else(|| header(Field::Delay)) {
        Some(_) if cache == Some(false) => return Err(DELAY_NO_CACHE),
        delay => delay.map(|d| delay::parse_due(&d, app.now())).transpose()?,
    };
    draft.content.question = question(fields, due.unwrap_or(app.now()))?;
    question::open(&mut draft.content, due.unwrap_or(app.now()))?;
    if draft.content.title.is_empty() {
        topic.clone_into(&mut draft.content.title);
    }
    Ok((draft, due))
}

/// What is asked, from its headers: the labels with commas between, how long to wait, and the label that counts if nobody
/// answers.
fn question(fields: &Fields<'_>, at: Stamp) -> Result<Option<Question>, NtfyError> {
    let Some(labels) = fields.get(Field::Ask) else { return Ok(None) };
    let mut answers: Vec<Choice> = Vec::new();
    for label in comma_separated(&labels) {
        let id = choice_id(&label, &answers);
        answers.push(Choice { id, label, style: None });
    }
    let default = fields.get(Field::AskDefault).map(|default| {
        let named = |choice: &&Choice| choice.label.eq_ignore_ascii_case(&default) || choice.id == default;
        answers.iter().find(named).map_or(default.clone(), |choice| choice.id.clone())
    });
    let expires_at = fields.get(Field::AskExpires).map(|text| {
        delay::parse(&text, at)
            .ok_or_else(|| bad_request("invalid X-Ask-Expires: a duration such as 10m, or a time"))
    });
    let expires_at = expires_at.transpose()?;
    Ok(Some(Question { answers, default, expires_at, ..Question::default() }))
}

/// The id of an answer by its label: the label in lower case, or its place among them if that is no id or is taken.
fn choice_id(label: &str, before: &[Choice]) -> String {
    let id: String = label.to_ascii_lowercase().split_whitespace().collect::<Vec<_>>().join("-");
    let is_free = check_id(&id).is_ok() && before.iter().all(|choice| choice.id != id);
    if is_free { id } else { format!("answer-{}", before.len() + 1) }
}

/// The message: the JSON field or request body, otherwise the header or the query, otherwise a sentence that names the
/// file, or [`DEFAULT_MESSAGE`].
fn message(
    body_text: Option<String>,
    header: impl FnOnce() -> Option<String>,
    file: Option<&Attachment>,
) -> String {
    body_text
        .filter(|text| !text.is_empty())
        // A header can't have line breaks; clients write them as `\n`.
        .or_else(|| header().map(|m| m.replace("\\n", "\n")))
        .or_else(|| file.map(|file| format!("You received a file: {}", file.name)))
        .unwrap_or_else(|| DEFAULT_MESSAGE.to_owned())
}

pub(super) fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

pub(super) fn comma_separated(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned).collect()
}

/// Parses a priority: 1 to 5, or a name.
pub(super) fn priority(text: &str) -> Result<Priority, NtfyError> {
    let number = match text.trim().to_ascii_lowercase().as_str() {
        "" | "0" | "3" | "default" => 3,
        "1" | "min" => 1,
        "2" | "low" => 2,
        "4" | "high" => 4,
        "5" | "max" | "urgent" => 5,
        // RFC 9218 defines a header of the same name, which clients add by themselves: `u=1, i`.
        rfc if rfc.starts_with("u=") || rfc == "i" => 3,
        _ => return Err(PRIORITY_INVALID),
    };
    Priority::new(number).map_err(|_| PRIORITY_INVALID)
}

fn attachment(link: Option<String>, name: Option<String>) -> Result<Option<Attachment>, NtfyError> {
    let Some(link) = link else { return Ok(None) };
    let parsed = web_url(&link).ok_or(ATTACH_URL_INVALID)?;
    let name = name.or_else(|| file_name(&parsed)).unwrap_or_else(|| "attachment".to_owned());
    Ok(Some(Attachment { name, url: link, media: None, size: None, expires: None }))
}

/// Checks the limits on every publication.
pub(super) fn check(draft: &Draft) -> Result<(), NtfyError> {
    check_draft(draft).map_err(|problem| match problem.code {
        Code::Invalid => bad_request(&format!("{} {}", problem.field.unwrap_or_default(), problem.detail)),
        _ => problem.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tidings_server_core::http::input::{from_value, parse_members};

    #[test]
    fn of_buttons_and_tags_without_end_one_is_kept_more_than_may_be() {
        let button = json!({"action": "copy", "label": "l", "value": "v"});
        let sent = json!({"topic": "t", "actions": vec![button.clone(); 1_000], "tags": vec!["a"; 1_000]});
        let sent = sent.to_string();
        let fields: PublishFields = from_value(parse_members(sent.as_bytes(), keep).unwrap(), "").unwrap();
        let kept = fields.actions.unwrap();
        assert_eq!((kept.len(), kept.first()), (4, Some(&button)));
        assert_eq!(actions::from_json(kept).unwrap_err().code(), 40018);
        assert_eq!(fields.tags.unwrap().as_array().map(Vec::len), Some(limits::TAG_COUNT + 1));
    }
}
