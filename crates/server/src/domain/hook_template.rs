//! Templates in the settings of topics: a payload of a webhook goes in, and the text and the fields of a notification
//! come out. A template reads nothing but the payload. Its steps, its depth and its output are bounded.

use std::io;

use minijinja::value::{Serde, Value as TemplateValue};
use minijinja::{Captured, Environment, Error, ErrorKind};
use serde_json::Value;
use tidings_model::{Priority, Problem};

use super::limits;

/// The name under which errors speak of a template.
const NAME: &str = "template";
/// Characters of an error that are shown.
const ERROR_CHARS: usize = 300;

/// What a template made of a payload. The fields are the variables that it sets.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// `title`; empty where it is not set.
    pub title: String,
    /// `url`.
    pub url: Option<String>,
    /// `priority`, 1 to 5.
    pub priority: Option<Priority>,
    /// `tags`: a list, or a text with commas.
    pub tags: Vec<String>,
    /// `thread`: what it is about; later payloads about the same revise the notification.
    pub thread: Option<String>,
    /// `resolved`: whether what it is about is over, so that its notification is marked as read.
    pub resolved: bool,
}

/// Checks that a template can be read; an empty one is none.
///
/// # Errors
/// `invalid` for the field `template`, with the place of the error.
pub fn check(template: &str) -> Result<(), Problem> {
    if template.len() > limits::TEMPLATE_BYTES {
        return Err(Problem::invalid("template", format!("may have {} bytes", limits::TEMPLATE_BYTES)));
    }
    let environment = environment();
    let read = environment.template_from_named_str(NAME, template);
    read.map(drop).map_err(|e| Problem::invalid("template", describe(&e)))
}

/// Renders a payload.
///
/// # Errors
/// A sentence that says what is wrong with the template, where it fails or exceeds its limits.
pub fn render(template: &str, payload: &Value) -> Result<Rendered, String> {
    let environment = environment();
    let template = environment.template_from_named_str(NAME, template).map_err(|e| describe(&e))?;
    // A payload that is no object is reached under the name `payload`, which every payload has.
    let mut context = match payload {
        Value::Object(members) => members.clone(),
        _ => serde_json::Map::new(),
    };
    context.insert("payload".to_owned(), payload.clone());
    let mut output = BoundedOutput::default();
    let done = template.render_captured_to(Serde(context), &mut output).map_err(|e| describe(&e))?;
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
        tags: set("tags").map(|value| tags(&value)).unwrap_or_default(),
        thread: short("thread")?,
        resolved: set("resolved").is_some_and(|value| value.is_true()),
    })
}

fn priority(value: &TemplateValue) -> Result<Priority, String> {
    let number = value.to_string().trim().parse::<i64>();
    let priority = number.ok().and_then(|number| Priority::new(number).ok());
    priority.ok_or_else(|| "`priority` must be a whole number from 1 to 5".to_owned())
}

fn tags(value: &TemplateValue) -> Vec<String> {
    let all: Vec<String> = match (value.as_str(), value.try_iter()) {
        (None, Ok(tags)) => tags.map(|tag| tag.to_string()).collect(),
        _ => value.to_string().split(',').map(str::to_owned).collect(),
    };
    all.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn failure(template: &str, payload: &Value) -> String {
        render(template, payload).unwrap_err()
    }

    #[test]
    fn a_template_makes_text_and_sets_fields() {
        let template = "{% set title = 'Sensor ' ~ name %}{% set priority = 4 %}{% set tags = ['a', 'b'] %}\
            {% set url = link %}{% set thread = id %}{% set resolved = state == 'ok' %}\
            {{ value | round(1) }} °C <b>&</b>";
        let payload =
            json!({"name": "attic", "value": 21.04, "link": "https://x.example/", "id": 7, "state": "ok"});
        let rendered = render(template, &payload).unwrap();
        assert_eq!(rendered.text, "21.0 °C <b>&</b>");
        assert_eq!((rendered.title.as_str(), rendered.priority), ("Sensor attic", Priority::new(4).ok()));
        assert_eq!(
            (rendered.tags, rendered.thread.as_deref()),
            (vec!["a".to_owned(), "b".to_owned()], Some("7"))
        );
        assert_eq!((rendered.url.as_deref(), rendered.resolved), (Some("https://x.example/"), true));
    }

    #[test]
    fn a_payloads_own_title_is_not_one_that_the_template_set() {
        let rendered = render("{{ title }}", &json!({"title": "T", "priority": 9})).unwrap();
        assert_eq!((rendered.text.as_str(), rendered.title.as_str(), rendered.priority), ("T", "", None));
        assert_eq!(render("{{ payload[0] }}", &json!(["x"])).unwrap().text, "x");
    }

    #[test]
    fn what_takes_too_long_or_writes_too_much_ends() {
        let nested = "{% for a in range(1000) %}{% for b in range(1000) %}{{ b }}{% endfor %}{% endfor %}";
        assert!(failure(nested, &json!({})).contains("steps"));
        let long = json!({"text": "x".repeat(200_000)});
        assert!(
            failure("{{ text }}{{ text }}", &long).contains("bytes"),
            "{}",
            failure("{{ text }}{{ text }}", &long)
        );
    }

    #[test]
    fn a_template_reaches_no_file_and_no_other_template() {
        for template in ["{% include '/etc/passwd' %}", "{% import 'x' as x %}", "{% extends 'x' %}"] {
            let problem = check(template).unwrap_err();
            assert_eq!(problem.field.as_deref(), Some("template"), "{template}");
        }
        assert!(check("{% if %}").unwrap_err().detail.contains("line 1"));
        assert!(check(&"x".repeat(limits::TEMPLATE_BYTES + 1)).is_err());
        check("").unwrap();
    }

    #[test]
    fn a_wrong_priority_is_said() {
        assert!(failure("{% set priority = 'high' %}", &json!({})).contains("`priority`"));
    }
}
