//! Sentences about threads: "Ana, Bo and 3 others commented on Rust in 2026". Refuses to interpret what it puts in:
//! values are text, never templates again.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

/// The languages that Tidings speaks.
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

    /// From a locale's name such as `zh_CN.UTF-8` or `en-GB`; English where it is neither.
    pub fn from_locale(locale: &str) -> Self {
        if locale.to_ascii_lowercase().starts_with("zh") { Self::ZhCn } else { Self::En }
    }
}

/// A run of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Words of the template, and values.
    Words(String),
    /// Who did it.
    Actors(String),
    /// What it was done to.
    Target(String),
}

impl Piece {
    /// The text of the run.
    pub fn text(&self) -> &str {
        match self {
            Self::Words(t) | Self::Actors(t) | Self::Target(t) => t,
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

    /// The sentence without its leading actors, for a row that already names them; whole where it starts otherwise.
    pub fn without_actors(&self) -> Vec<Piece> {
        match self.0.split_first() {
            Some((Piece::Actors(_), rest)) => {
                let mut rest = rest.to_vec();
                if let Some(Piece::Words(first)) = rest.first_mut() {
                    *first = first.trim_start().to_owned();
                }
                rest
            }
            _ => self.0.clone(),
        }
    }
}

/// What a template is filled with.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    /// Names, the newest first; at most two are named.
    pub actors: &'a [&'a str],
    /// Distinct actors in all, at least as many as there are names.
    pub actor_count: usize,
    /// The target's title, or its id.
    pub target: &'a str,
    /// The notification's title.
    pub title: &'a str,
    /// The notification's data.
    pub data: &'a Map<String, Value>,
}

/// "Ana" · "Ana and Bo" · "Ana, Bo and 3 others"; in Chinese everyone is counted: "林晓、陈博等 5 人".
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

/// Where there is little room: "Ana" · "Ana, Bo" · "Ana, Bo +3"; "林晓、陈博 +3".
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

/// Fills a template. `{actors}`, `{target}` and `{title}` are known; any other name is looked up in `data` and left
/// as it stands where it is not there.
pub fn render(lang: Lang, template: &str, values: &Values<'_>) -> Sentence {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut words = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, tail)) = after.split_once('}') else { break };
        words.push_str(before);
        match name {
            "actors" => {
                flush(&mut pieces, &mut words);
                pieces.push(Piece::Actors(actors(lang, values.actors, values.actor_count)));
            }
            "target" => {
                quote_before(lang, &mut words);
                flush(&mut pieces, &mut words);
                pieces.push(Piece::Target(values.target.to_owned()));
                rest = quote_after(lang, &mut words, tail);
                continue;
            }
            "title" => words.push_str(values.title),
            other => match values.data.get(other) {
                Some(Value::String(text)) => words.push_str(text),
                Some(Value::Null) | None => words.extend(["{", other, "}"]),
                Some(value) => words.push_str(&value.to_string()),
            },
        }
        rest = tail;
    }
    words.push_str(rest);
    flush(&mut pieces, &mut words);
    Sentence(pieces)
}

/// In Chinese a title stands in “ ”, which replace the spaces that the template has around it.
fn quote_before(lang: Lang, words: &mut String) {
    if lang == Lang::ZhCn {
        words.truncate(words.trim_end_matches(' ').len());
        words.push('“');
    }
}

/// Answers what of the template follows.
fn quote_after<'a>(lang: Lang, words: &mut String, tail: &'a str) -> &'a str {
    if lang == Lang::En {
        return tail;
    }
    words.push('”');
    tail.strip_prefix(' ').unwrap_or(tail)
}

fn flush(pieces: &mut Vec<Piece>, words: &mut String) {
    if !words.is_empty() {
        pieces.push(Piece::Words(std::mem::take(words)));
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
        assert_eq!(rest, [Piece::Words("commented on ".into()), Piece::Target("X".into())]);
        let whole = render(Lang::En, "On {target}: {actors}", &values).without_actors();
        assert_eq!(whole.len(), 4, "a template that starts otherwise is shown whole");
    }

    #[test]
    fn values_are_text_and_never_templates_again() {
        assert_eq!(say(Lang::En, "{floor} {nope} {title} {", &["{target}"], 1), "3 {nope} T {");
        assert_eq!(say(Lang::En, "{actors}!", &["{target}"], 1), "{target}!");
    }
}
