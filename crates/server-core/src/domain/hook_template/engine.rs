//! The engine of the templates in the settings of topics. A template reads nothing but the payload.

use std::io;

use minijinja::value::{Serde, Value as TemplateValue};
use minijinja::{Captured, Environment, Error, ErrorKind};
use serde_json::Value;
use tidings_model::Priority;

use super::Rendered;
use crate::domain::limits;

/// The name under which errors speak of a template.
const NAME: &str = "template";
/// Characters of an error that are shown.
const ERROR_CHARS: usize = 300;

/// Reads a template.
///
/// # Errors
/// A sentence that says what is wrong with it, and where.
pub(super) fn compile(template: &str) -> Result<(), String> {
    let environment = environment();
    environment.template_from_named_str(NAME, template).map(drop).map_err(|e| describe(&e))
}

/// Renders a payload.
///
/// # Errors
/// A sentence that says what is wrong with the template, if it fails or exceeds its limits.
pub(super) fn render(template: &str, payload: Value) -> Result<Rendered, String> {
    let environment = environment();
    let template = environment.template_from_named_str(NAME, template).map_err(|e| describe(&e))?;
    // A payload that is no object is reached under the name `payload`, which every payload has.
    let members: Vec<String> =
        payload.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
    let payload = TemplateValue::from(Serde(payload));
    let member = |name: String| Some((name.clone(), payload.get_attr(&name).ok()?));
    let members = members.into_iter().filter_map(member).chain([("payload".to_owned(), payload.clone())]);
    let context = TemplateValue::from_pairs(members);
    let mut output = BoundedOutput::default();
    let done = template.render_captured_to(context, &mut output).map_err(|e| describe(&e))?;
    let text = String::from_utf8(output.0).map_err(|_| "the template wrote no text".to_owned())?;
    fields(&done, text.trim().to_owned())
}

/// An environment with the engine's filters and tests, and without files, other templates and macros.
fn environment<'a>() -> Environment<'a> {
    let mut environment = Environment::new();
    environment.set_fuel(Some(limits::TOPIC_TEMPLATE_STEPS));
    environment.set_recursion_limit(limits::TOPIC_TEMPLATE_DEPTH);
    environment.remove_global("namespace");
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment
}

/// Takes as much output as a text may have.
#[derive(Default)]
struct BoundedOutput(Vec<u8>);

impl io::Write for BoundedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len().saturating_add(bytes.len()) > limits::TEXT_BYTES {
            return Err(io::Error::other(format!("it writes more than {} bytes", limits::TEXT_BYTES)));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The variables that the template has set.
fn fields(done: &Captured<'_>, text: String) -> Result<Rendered, String> {
    let state = done.state();
    let names = state.exports();
    let set = |name: &str| names.contains(&name).then(|| state.lookup(name)).flatten();
    let text_of = |name: &str| set(name).map(|value| value.to_string()).filter(|text| !text.is_empty());
    let short = |name: &str| match text_of(name) {
        Some(text) if text.len() > limits::TEXT_BYTES => Err(format!("`{name}` is too long")),
        text => Ok(text),
    };
    Ok(Rendered {
        text,
        title: short("title")?.unwrap_or_default(),
        url: short("url")?,
        priority: set("priority").map(|value| priority(&value)).transpose()?,
        tags: set("tags").map(|value| tags(&value)).transpose()?.unwrap_or_default(),
        thread: short("thread")?,
        resolved: set("resolved").is_some_and(|value| value.is_true()),
    })
}

fn priority(value: &TemplateValue) -> Result<Priority, String> {
    let number = value.to_string().trim().parse::<i64>();
    let priority = number.ok().and_then(|number| Priority::new(number).ok());
    priority.ok_or_else(|| "`priority` must be a whole number from 1 to 5".to_owned())
}

fn tags(value: &TemplateValue) -> Result<Vec<String>, String> {
    let most = limits::TAG_COUNT;
    let all: Vec<String> = match (value.as_str(), value.try_iter()) {
        (None, Ok(tags)) => tags.take(most + 1).map(|tag| tag.to_string()).collect(),
        _ => value.to_string().split(',').map(str::to_owned).collect(),
    };
    let all: Vec<_> = all.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect();
    if all.len() > most {
        return Err(format!("`tags` may have {most} tags"));
    }
    Ok(all)
}

/// What is wrong, in one line.
fn describe(error: &Error) -> String {
    let what = if error.kind() == ErrorKind::OutOfFuel {
        format!("it takes more than {} steps", limits::TOPIC_TEMPLATE_STEPS)
    } else {
        let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
        let detail = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
        format!("{}{detail}{cause}", error.kind())
    };
    let line = error.line().map(|line| format!("line {line}: ")).unwrap_or_default();
    format!("{line}{what}").replace('\n', " ").chars().take(ERROR_CHARS).collect()
}
