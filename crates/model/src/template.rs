//! Renders the templates of a catalog: "Ana, Bo and 3 others commented on Rust in 2026". Inserted values are text and
//! are not parsed as templates again.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

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

    /// The parts without leading actors, for a row that shows the actors separately; all parts if the sentence does
    /// not begin with them.
    pub fn without_actors(&self) -> Vec<Piece> {
        match self.0.split_first() {
            Some((Piece::Actors(_), rest)) => {
                let mut rest = rest.to_vec();
                if let Some(Piece::Text(first)) = rest.first_mut() {
                    *first = first.trim_start().to_owned();
                }
                rest
            }
            _ => self.0.clone(),
        }
    }
}

/// The values for the placeholders of a template.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    /// The actors' names, newest first; the first two are rendered.
    pub actors: &'a [&'a str],
    /// The number of distinct actors; raised to the number of names where it is smaller.
    pub actor_count: usize,
    /// The target's title, or its id.
    pub target: &'a str,
    /// The notification's title.
    pub title: &'a str,
    /// The notification's data.
    pub data: &'a Map<String, Value>,
}

/// A list of actors: "Ana", "Ana and Bo", "Ana, Bo and 3 others". In Chinese the number includes the named ones:
/// "林晓、陈博等 5 人".
///
/// ```
/// use tidings_model::{Lang, template::actors};
///
/// assert_eq!(actors(Lang::En, &["Ana", "Bo"], 5), "Ana, Bo and 3 others");
/// ```
pub fn actors(lang: Lang, names: &[&str], count: usize) -> String {
    let count = count.max(names.len());
    match (lang, names) {
        (_, []) => String::new(),
        (_, [only]) if count == 1 => (*only).to_owned(),
        (Lang::En, [only]) => format!("{only} and {}", others(count - 1)),
        (Lang::ZhCn, [only]) => format!("{only}等 {count} 人"),
        (Lang::En, [a, b, ..]) if count == 2 => format!("{a} and {b}"),
        (Lang::ZhCn, [a, b, ..]) if count == 2 => format!("{a}和{b}"),
        (Lang::En, [a, b, ..]) => format!("{a}, {b} and {}", others(count - 2)),
        (Lang::ZhCn, [a, b, ..]) => format!("{a}、{b}等 {count} 人"),
    }
}

/// The short form of a list of actors: "Ana", "Ana, Bo", "Ana, Bo +3"; "林晓、陈博 +3".
pub fn actors_short(lang: Lang, names: &[&str], count: usize) -> String {
    let comma = if lang == Lang::ZhCn { "、" } else { ", " };
    let named: Vec<&str> = names.iter().take(2).copied().collect();
    let more = count.saturating_sub(named.len());
    let named = named.join(comma);
    if more == 0 { named } else { format!("{named} +{more}") }
}

fn others(n: usize) -> String {
    if n == 1 { "1 other".to_owned() } else { format!("{n} others") }
}

/// Renders a template. `{actors}`, `{target}` and `{title}` are replaced by their values, any other placeholder by
/// the member of `data` with its name. A placeholder without a value stays as it is.
///
/// ```
/// use tidings_model::{Lang, template::{Values, render}};
///
/// let data = serde_json::Map::new();
/// let values = Values { actors: &["Ana"], actor_count: 1, target: "Rust in 2026", title: "", data: &data };
/// let sentence = render(Lang::En, "{actors} liked {target}", &values);
/// assert_eq!(sentence.text(), "Ana liked Rust in 2026");
/// ```
pub fn render(lang: Lang, template: &str, values: &Values<'_>) -> Sentence {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, tail)) = after.split_once('}') else { break };
        text.push_str(before);
        match name {
            "actors" => {
                flush(&mut pieces, &mut text);
                pieces.push(Piece::Actors(actors(lang, values.actors, values.actor_count)));
            }
            "target" => {
                quote_before(lang, &mut text);
                flush(&mut pieces, &mut text);
                pieces.push(Piece::Target(values.target.to_owned()));
                rest = quote_after(lang, &mut text, tail);
                continue;
            }
            "title" => text.push_str(values.title),
            other => match values.data.get(other) {
                Some(Value::String(value)) => text.push_str(value),
                Some(Value::Null) | None => text.extend(["{", other, "}"]),
                Some(value) => text.push_str(&value.to_string()),
            },
        }
        rest = tail;
    }
    text.push_str(rest);
    flush(&mut pieces, &mut text);
    Sentence(pieces)
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
mod tests {
    use super::*;

    fn say(lang: Lang, template: &str, names: &[&str], count: usize) -> String {
        let data = Map::from_iter([("floor".to_owned(), Value::from(3))]);
        let values =
            Values { actors: names, actor_count: count, target: "Rust in 2026", title: "T", data: &data };
        render(lang, template, &values).text()
    }

    #[test]
    fn actors_are_named_twice_and_then_counted() {
        let t = "{actors} commented on {target}";
        assert_eq!(say(Lang::En, t, &["Ana"], 1), "Ana commented on Rust in 2026");
        assert_eq!(say(Lang::En, t, &["Ana", "Bo"], 2), "Ana and Bo commented on Rust in 2026");
        assert_eq!(say(Lang::En, t, &["Ana", "Bo"], 3), "Ana, Bo and 1 other commented on Rust in 2026");
        assert_eq!(
            say(Lang::En, t, &["Ana", "Bo", "Cy"], 5),
            "Ana, Bo and 3 others commented on Rust in 2026"
        );
        assert_eq!(actors_short(Lang::En, &["Ana", "Bo", "Cy"], 5), "Ana, Bo +3");
    }

    #[test]
    fn chinese_counts_everyone_and_quotes_titles() {
        let t = "{actors} 评论了 {target}";
        assert_eq!(say(Lang::ZhCn, t, &["林晓", "陈博"], 5), "林晓、陈博等 5 人 评论了“Rust in 2026”");
        assert_eq!(say(Lang::ZhCn, t, &["林晓", "陈博"], 2), "林晓和陈博 评论了“Rust in 2026”");
        assert_eq!(
            say(Lang::ZhCn, "{actors} 在 {target} 中提到了你", &["林晓"], 1),
            "林晓 在“Rust in 2026”中提到了你"
        );
    }

    #[test]
    fn a_row_that_names_the_actors_leaves_them_out() {
        let data = Map::new();
        let values = Values { actors: &["Ana"], actor_count: 1, target: "X", title: "", data: &data };
        let rest = render(Lang::En, "{actors} commented on {target}", &values).without_actors();
        assert_eq!(rest, [Piece::Text("commented on ".into()), Piece::Target("X".into())]);
        let rendered = render(Lang::En, "On {target}: {actors}", &values).without_actors();
        assert_eq!(rendered.len(), 4, "a template that starts otherwise is shown whole");
    }

    #[test]
    fn values_are_text_and_never_templates_again() {
        assert_eq!(say(Lang::En, "{floor} {nope} {title} {", &["{target}"], 1), "3 {nope} T {");
        assert_eq!(say(Lang::En, "{actors}!", &["{target}"], 1), "{target}!");
    }
}
