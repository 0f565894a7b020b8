//! Templates in the settings of topics: a payload of a webhook goes in, and the text and the fields of a notification
//! come out. What a template costs is not known before. An operator may double a text, and a filter may ask for any
//! number of blanks, of which the steps of its engine know nothing. So templates are read and rendered apart, in a
//! child process with bounds of memory and time.

mod engine;
mod guard;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tidings_model::{Code, Priority, Problem};
use tidings_sandbox::{Failure, Limits, Parser};

use super::limits;

/// Reads a template and renders a payload by it. Its input is a [`job`].
pub static PARSER: Parser = Parser {
    name: "template of a topic",
    limits: Limits {
        input: limits::BODY_BYTES + limits::TEMPLATE_BYTES + LENGTH_BYTES,
        output: 16 * 1024 * 1024,
        memory: limits::TOPIC_TEMPLATE_MEMORY_BYTES,
        time: limits::TOPIC_TEMPLATE_TIME,
    },
    run: |input| answer(&input),
};

/// The bytes of the length of a template, before it.
const LENGTH_BYTES: usize = 4;

/// What a template made of a payload. The fields are the variables that it sets.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// `title`; empty if it is not set.
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

/// Checks as much of a template as is possible before it is read; an empty one is none.
///
/// # Errors
/// `invalid` for the field `template`, with the bound that it exceeds.
pub fn check(template: &str) -> Result<(), Problem> {
    if template.len() > limits::TEMPLATE_BYTES {
        return Err(Problem::invalid("template", format!("may have {} bytes", limits::TEMPLATE_BYTES)));
    }
    guard::check(template).map_err(|why| Problem::invalid("template", why))
}

/// Checks that a template can be read, in a child process; an empty one is none.
///
/// # Errors
/// `invalid` for the field `template`, with the place of the error, and `unavailable` if it could not be tried.
pub async fn compile(template: &str) -> Result<(), Problem> {
    check(template)?;
    if template.is_empty() {
        return Ok(());
    }
    match tidings_sandbox::run(&PARSER, "", job(template, Bytes::new())).await {
        Ok(answer) => read(&answer).map(drop).map_err(|why| Problem::invalid("template", why)),
        Err(failure @ (Failure::Busy | Failure::NoChild)) => {
            Err(Problem::new(Code::Unavailable, sentence(failure)))
        }
        Err(failure) => Err(Problem::invalid("template", sentence(failure))),
    }
}

/// Renders a payload, which is JSON, in a child process. The templates of one topic take their turns.
///
/// # Errors
/// A sentence that says what is wrong with the template, if it fails or exceeds its limits.
pub async fn render(topic: &str, template: &str, payload: Bytes) -> Result<Rendered, String> {
    check(template).map_err(|problem| problem.detail)?;
    match tidings_sandbox::run(&PARSER, topic, job(template, payload)).await {
        Ok(answer) => read(&answer).map(Option::unwrap_or_default),
        Err(failure) => Err(sentence(failure)),
    }
}

/// The parts of an input: the length of the template, the template, and the payload; none to read only the template.
fn job(template: &str, payload: Bytes) -> Vec<Bytes> {
    let length = u32::try_from(template.len()).unwrap_or(u32::MAX).to_le_bytes();
    vec![length.to_vec().into(), template.to_owned().into(), payload]
}

/// The result, as JSON.
type TemplateAnswer = Result<Option<Rendered>, String>;

fn answer(input: &[u8]) -> Vec<u8> {
    let answer: TemplateAnswer =
        parts(input).ok_or_else(|| "this is no template".to_owned()).and_then(|(template, payload)| {
            match payload {
                b"" => engine::compile(template).map(|()| None),
                payload => {
                    let payload =
                        serde_json::from_slice(payload).map_err(|e| format!("the payload is no JSON: {e}"));
                    engine::render(template, payload?).map(Some)
                }
            }
        });
    serde_json::to_vec(&answer).unwrap_or_default()
}

fn parts(input: &[u8]) -> Option<(&str, &[u8])> {
    let (length, rest) = input.split_first_chunk::<LENGTH_BYTES>()?;
    let (template, payload) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    Some((std::str::from_utf8(template).ok()?, payload))
}

fn read(answer: &[u8]) -> TemplateAnswer {
    serde_json::from_slice(answer).unwrap_or_else(|_| Err(sentence(Failure::Crashed)))
}

/// Why a template was not rendered.
fn sentence(failure: Failure) -> String {
    match failure {
        Failure::Memory => {
            format!(
                "it takes more than {} MiB of memory",
                limits::TOPIC_TEMPLATE_MEMORY_BYTES / (1024 * 1024)
            )
        }
        Failure::Time => {
            format!("it takes more than {} s of processor time", limits::TOPIC_TEMPLATE_TIME.as_secs())
        }
        Failure::Crashed => "its engine failed: it nests too deep, or takes too much".to_owned(),
        Failure::TooLarge => "the payload is too large for a template".to_owned(),
        Failure::Output => "what it makes is too large".to_owned(),
        Failure::Busy => "too many templates are being rendered; it could not be tried".to_owned(),
        Failure::NoChild => "no process could be started for it".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// As a child does it, on this thread.
    fn render(template: &str, payload: &Value) -> Result<Rendered, String> {
        check(template).map_err(|problem| problem.detail)?;
        let job = job(template, payload.to_string().into()).concat();
        read(&answer(&job)).map(Option::unwrap)
    }

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

    #[tokio::test]
    async fn a_template_reaches_no_file_and_no_other_template() {
        for template in ["{% include '/etc/passwd' %}", "{% import 'x' as x %}", "{% extends 'x' %}"] {
            let problem = compile(template).await.unwrap_err();
            assert_eq!(problem.field.as_deref(), Some("template"), "{template}");
        }
        assert!(compile("{% if %}").await.unwrap_err().detail.contains("line 1"));
        assert!(check(&"x".repeat(limits::TEMPLATE_BYTES + 1)).is_err());
        compile("").await.unwrap();
    }

    #[test]
    fn a_wrong_priority_is_said() {
        assert!(failure("{% set priority = 'high' %}", &json!({})).contains("`priority`"));
    }

    /// 16 KB of one operator, each of which ended the server.
    #[tokio::test]
    async fn sixteen_kilobytes_of_one_operator_are_refused_in_words() {
        for (begins, repeated, ends) in [
            ("{{ ", "-", "1 }}"),
            ("{{ 1", "+1", " }}"),
            ("{{ a", "~a", " }}"),
            ("{{ a", ".a", " }}"),
            ("{{ a", "|e", " }}"),
            ("{{ a", "()", " }}"),
            ("{{ a", "[0]", " }}"),
            ("{{ a", " is odd", " }}"),
            ("{{ ", "not ", "a }}"),
            ("{{ 1", " if a else 1", " }}"),
            ("{{ a", " and a", " }}"),
            ("{{ a", " in a", " }}"),
            ("{{ ", "(", "1 }}"),
            ("{{ ", "[", "1 }}"),
            ("{% filter e", "|e", " %}x{% endfilter %}"),
            ("{% set a = b", "**b", " %}"),
            ("{% if a %}", "{%elif a%}", "{% endif %}"),
        ] {
            let count = (limits::TEMPLATE_BYTES - begins.len() - ends.len()) / repeated.len();
            let template = format!("{begins}{}{ends}", repeated.repeat(count));
            let problem = compile(&template).await.unwrap_err();
            assert_eq!(problem.field.as_deref(), Some("template"), "{repeated}");
            assert!(problem.detail.starts_with("line 1: "), "{repeated}: {}", problem.detail);
            // As many as the bounds allow are read, or refused by the engine, in words.
            let allowed = limits::TOPIC_TEMPLATE_OPERATORS / repeated.len();
            let template =
                format!("{begins}{}{ends}", repeated.repeat(allowed.min(limits::TOPIC_TEMPLATE_BRANCHES)));
            drop(compile(&template).await);
        }
        let nested = "{% if a %}".repeat(800) + &"{% endif %}".repeat(800);
        assert!(compile(&nested[..limits::TEMPLATE_BYTES - 4]).await.is_err());
    }

    #[test]
    fn a_payload_with_too_many_tags_is_not_refused_for_them() {
        assert!(failure("{% set tags = range(101) %}", &json!({})).contains("100 tags"));
    }

    /// Whether only the memory of a child bounds a template: texts that are repeated or grow in a loop, and large numbers
    /// of blanks.
    fn is_for_a_child(template: &str) -> bool {
        let has = |words: &[&str]| words.iter().any(|word| template.contains(word));
        let digits = template.split(|c: char| !c.is_ascii_digit() && c != '_').map(str::len).max();
        digits.is_some_and(|digits| digits > 4)
            || template.contains('*')
            || (template.contains("for") && has(&["~", "+", "set", "join"]))
    }

    /// An input has a template, and the payload after a NUL.
    #[test]
    fn whatever_a_topics_template_says_it_is_rendered_within_bounds_or_refused_in_one_line() {
        tidings_testkit::fuzz::run("topic-template", 500, |input| {
            let mut parts = input.splitn(2, |byte| *byte == 0).map(String::from_utf8_lossy);
            let (template, payload) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            if is_for_a_child(&template) {
                return;
            }
            match render(&template, &serde_json::from_str(&payload).unwrap_or_default()) {
                Ok(rendered) => {
                    assert!(rendered.text.len().max(rendered.title.len()) <= limits::TEXT_BYTES);
                    assert!(rendered.tags.len() <= limits::TAG_COUNT);
                }
                Err(why) => assert!(!why.is_empty() && !why.contains('\n'), "{why}"),
            }
        });
    }

    #[test]
    fn what_is_as_long_as_it_may_be_is_taken() {
        assert!(check(&"x".repeat(limits::TEMPLATE_BYTES)).is_ok());
        let long = |more: usize| json!({"text": "x".repeat(limits::TEXT_BYTES + more)});
        assert_eq!(render("{{ text }}", &long(0)).unwrap().text.len(), limits::TEXT_BYTES);
        assert!(failure("{{ text }}", &long(1)).contains("bytes"));
        let sets = "{% set title = text %}";
        assert_eq!(render(sets, &long(0)).unwrap().title.len(), limits::TEXT_BYTES);
        assert_eq!(failure(sets, &long(1)), "`title` is too long");
        assert_eq!(render("{% set tags = range(100) %}", &json!({})).unwrap().tags.len(), 100);
    }

    #[test]
    fn tags_may_be_a_text_with_commas_and_what_is_empty_is_not_set() {
        let rendered = render("{% set tags = ' a,b c,, ' %}{% set url = '' %}", &json!({})).unwrap();
        assert_eq!((rendered.tags, rendered.url), (vec!["a".to_owned(), "b c".to_owned()], None));
    }

    #[test]
    fn a_bound_that_a_template_exceeds_is_named() {
        assert_eq!(sentence(Failure::Memory), "it takes more than 192 MiB of memory");
        assert_eq!(sentence(Failure::Time), "it takes more than 1 s of processor time");
    }
}
