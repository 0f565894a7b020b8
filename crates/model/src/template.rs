//! Renders the templates of a catalog: "Ana, Bo and 3 others commented on Rust in 2026". Inserted values are text and
//! are not parsed as templates again.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

mod words;

use words::is_chinese;
pub use words::{actors, actors_short, after_chinese, before_chinese, target_type};

/// The languages of the user interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
pub enum Lang {
    /// English.
    #[default]
    #[serde(rename = "en")]
    En,
    /// Simplified Chinese.
    #[serde(rename = "zh-CN")]
    ZhCn,
}

impl Lang {
    /// The BCP 47 tag, which is also the key in a catalog's templates.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::ZhCn => "zh-CN",
        }
    }

    /// The language of a locale name such as `zh_CN.UTF-8` or `en-GB`; English for every locale that is not Chinese.
    pub fn from_locale(locale: &str) -> Self {
        if locale.to_ascii_lowercase().starts_with("zh") { Self::ZhCn } else { Self::En }
    }
}

/// One part of a rendered sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Literal text of the template, or a value other than actors and target.
    Text(String),
    /// The rendered list of actors.
    Actors(String),
    /// The target's title or id.
    Target(String),
}

impl Piece {
    /// The text of the part.
    pub fn text(&self) -> &str {
        match self {
            Self::Text(t) | Self::Actors(t) | Self::Target(t) => t,
        }
    }
}

/// A rendered sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence(pub Vec<Piece>);

impl Sentence {
    /// The whole sentence as text.
    pub fn text(&self) -> String {
        self.0.iter().map(Piece::text).collect()
    }

    /// The text without leading actors; see [`Sentence::without_actors`].
    pub fn after_actors(&self) -> String {
        self.without_actors().iter().map(Piece::text).collect()
    }

    /// The parts without leading actors and the colon after them, for a row that shows the actors separately; all parts
    /// if the sentence does not begin with them.
    pub fn without_actors(&self) -> Vec<Piece> {
        match self.0.split_first() {
            Some((Piece::Actors(_), rest)) => {
                let mut rest = rest.to_vec();
                if let Some(Piece::Text(first)) = rest.first_mut() {
                    *first = first.trim_start_matches([' ', ':', '：']).to_owned();
                }
                rest
            }
            _ => self.0.clone(),
        }
    }
}

/// The values for the placeholders of a template. An empty one is none.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    /// The actors' names, newest first; the first two are rendered.
    pub actors: &'a [&'a str],
    /// The number of distinct actors; raised to the number of names if it is smaller.
    pub actor_count: usize,
    /// The target's title, or its id.
    pub target: &'a str,
    /// The id of the target's type, of which `{target_type}` has the word.
    pub target_type: &'a str,
    /// The notification's title.
    pub title: &'a str,
    /// The notification's data.
    pub data: &'a Map<String, Value>,
}

/// A template that is empty, or that can't be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// It is empty or blank.
    #[error("must not be empty")]
    Empty,
    /// A `{` without its `}`.
    #[error("has a `{{` that no `}}` closes")]
    Unclosed,
    /// A `{}` without a name.
    #[error("has a `{{}}` that names nothing")]
    Unnamed,
}

/// Checks that a template is not empty, and that each of its braces is closed and names something.
///
/// # Errors
/// The first fault.
pub fn check(template: &str) -> Result<(), TemplateError> {
    if template.trim().is_empty() {
        return Err(TemplateError::Empty);
    }
    let mut rest = template;
    while let Some((_, after)) = rest.split_once('{') {
        let (name, tail) = after.split_once('}').ok_or(TemplateError::Unclosed)?;
        if name.contains('{') {
            return Err(TemplateError::Unclosed);
        }
        if name.trim().is_empty() {
            return Err(TemplateError::Unnamed);
        }
        rest = tail;
    }
    Ok(())
}

/// Renders a template. `{actors}`, `{target}`, `{target_type}` and `{title}` are replaced by their values, any other
/// placeholder by the member of `data` with its name. A placeholder without a value is left out, with the white space
/// before it. `lang` is the language of the template: lists, titles and spaces are written as is usual there.
///
/// ```
/// use tidings_model::{Lang, template::{Values, render}};
///
/// let data = serde_json::Map::new();
/// let values = Values {
///     actors: &["Ana"], actor_count: 1, target: "Rust in 2026", target_type: "article", title: "", data: &data,
/// };
/// let sentence = render(Lang::En, "{actors} liked your {target_type} {target}", &values);
/// assert_eq!(sentence.text(), "Ana liked your article Rust in 2026");
/// ```
pub fn render(lang: Lang, template: &str, values: &Values<'_>) -> Sentence {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, tail)) = after.split_once('}') else { break };
        text.push_str(before);
        rest = tail;
        match name.trim() {
            "actors" if values.actors.iter().any(|name| !name.is_empty()) => {
                let named = actors(lang, values.actors, values.actor_count);
                rest = close_up(lang, &mut text, &named, tail);
                flush(&mut pieces, &mut text);
                pieces.push(Piece::Actors(named));
            }
            "target" if !values.target.is_empty() => {
                quote_before(lang, &mut text);
                flush(&mut pieces, &mut text);
                pieces.push(Piece::Target(values.target.to_owned()));
                rest = quote_after(lang, &mut text, tail);
            }
            "target_type" if !values.target_type.is_empty() => {
                let word = target_type(lang, values.target_type);
                rest = close_up(lang, &mut text, &word, tail);
                push_word(lang, &mut text, &word);
            }
            "title" if !values.title.is_empty() => {
                rest = close_up(lang, &mut text, values.title, tail);
                text.push_str(values.title);
            }
            "actors" | "target" | "target_type" | "title" => leave_out(&mut text),
            other => match values.data.get(other) {
                Some(Value::String(value)) if !value.is_empty() => {
                    rest = close_up(lang, &mut text, value, tail);
                    text.push_str(value);
                }
                Some(Value::String(_) | Value::Null) | None => leave_out(&mut text),
                Some(value) => text.push_str(&value.to_string()),
            },
        }
    }
    text.push_str(rest);
    flush(&mut pieces, &mut text);
    if let Some(Piece::Text(first)) = pieces.first_mut() {
        *first = first.trim_start().to_owned();
    }
    Sentence(pieces)
}

/// Leaves a placeholder without a value out, with the white space before it.
fn leave_out(text: &mut String) {
    text.truncate(text.trim_end().len());
}

/// Appends a word; in Chinese a Latin one stands apart from the character before it.
fn push_word(lang: Lang, text: &mut String, word: &str) {
    let is_latin = word.starts_with(|c: char| c.is_ascii_alphanumeric());
    if lang == Lang::ZhCn && is_latin && text.ends_with(|c: char| !c.is_ascii()) {
        text.push(' ');
    }
    text.push_str(word);
}

/// Takes the spaces around a value away where they stand between two Chinese characters. Returns the rest of the
/// template.
fn close_up<'a>(lang: Lang, text: &mut String, value: &str, tail: &'a str) -> &'a str {
    if lang == Lang::En {
        return tail;
    }
    if value.starts_with(is_chinese)
        && text.strip_suffix(' ').is_some_and(|before| before.ends_with(is_chinese))
    {
        text.pop();
    }
    let closed = tail.strip_prefix(' ').filter(|rest| rest.starts_with(is_chinese));
    closed.filter(|_| value.ends_with(is_chinese)).unwrap_or(tail)
}

/// Opens the quotes around a title, Chinese only: “ replaces the spaces before the placeholder.
fn quote_before(lang: Lang, text: &mut String) {
    if lang == Lang::ZhCn {
        text.truncate(text.trim_end_matches(' ').len());
        text.push('“');
    }
}

/// Closes the quotes around a title, Chinese only: ” replaces one space after the placeholder. Returns the rest of
/// the template.
fn quote_after<'a>(lang: Lang, text: &mut String, tail: &'a str) -> &'a str {
    if lang == Lang::En {
        return tail;
    }
    text.push('”');
    tail.strip_prefix(' ').unwrap_or(tail)
}

fn flush(pieces: &mut Vec<Piece>, text: &mut String) {
    if !text.is_empty() {
        pieces.push(Piece::Text(std::mem::take(text)));
    }
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;
