//! Fills in one template, in the syntax of Go's `text/template`, within bounds. The bounds are on its text, the depth
//! of its blocks, the rounds of its loops, the input and output of its functions, its output and its time.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use gotmpl::{Template, TemplateError, Value};
use tidings_model::text;

use crate::allowance::Allowance;
use crate::json::ReadJson;
use crate::{functions, limits};

/// Bytes of an error's reason that are passed on.
const REASON_BYTES: usize = 200;
/// Actions with which a template could go on forever, or hide what it does.
const DISALLOWED_ACTIONS: [&str; 4] = ["call", "template", "define", "block"];
/// Actions `else if` and `else with` of a template. The library takes each for a block inside the one before it, without a
/// bound of its own.
const MAX_ELSE_BRANCHES: usize = 100;

/// Why a template was not filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RenderError {
    /// It has an action that is not allowed.
    Disallowed,
    /// It can't be parsed.
    Invalid(String),
    /// It can't be filled in from this JSON, or needs too much work.
    Failed(String),
    /// Its output is larger than a text may be.
    TooLarge,
}

/// The output of a template, which takes no more than a text may have.
struct Output {
    text: String,
    is_full: bool,
    ends_at: Instant,
}

impl fmt::Write for Output {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.is_full |= self.text.len() + part.len() > limits::TEXT_BYTES;
        if self.is_full || Instant::now() > self.ends_at {
            return Err(fmt::Error);
        }
        self.text.push_str(part);
        Ok(())
    }
}

/// Fills in a template. As with ntfy, white space around the result is dropped, and `\n` stands for a new line.
///
/// # Errors
/// [`RenderError`]; a text without `{{` has none.
pub fn render(text: &str, data: &Value, read_json: ReadJson) -> Result<String, RenderError> {
    if !text.contains("{{") {
        return Ok(finish(text));
    }
    if text.len() > limits::TEMPLATE_BYTES {
        return Err(RenderError::Invalid(format!("a template may have {} bytes", limits::TEMPLATE_BYTES)));
    }
    if action_words(text).any(|word| DISALLOWED_ACTIONS.contains(&word)) {
        return Err(RenderError::Disallowed);
    }
    if else_branches(text) > MAX_ELSE_BRANCHES {
        let why = format!("a template may have {MAX_ELSE_BRANCHES} `else if` and `else with`");
        return Err(RenderError::Invalid(why));
    }
    if has_stray_end(text) {
        return Err(RenderError::Invalid("unexpected {{end}}".to_owned()));
    }
    let allowance = Arc::new(Allowance::new());
    let template = Template::new("")
        .max_range_iters(rounds(text))
        .funcs(functions::within(&allowance, read_json))
        .parse(text)
        .map_err(|e| RenderError::Invalid(reason(&e)))?;
    let mut output = Output { text: String::new(), is_full: false, ends_at: allowance.ends_at };
    match template.execute_fmt(&mut output, data) {
        Ok(()) => Ok(finish(&output.text)),
        Err(_) if output.is_full => Err(RenderError::TooLarge),
        Err(e @ TemplateError::UndefinedFunction(_)) => Err(RenderError::Invalid(reason(&e))),
        Err(e) => Err(RenderError::Failed(reason(&e))),
    }
}

fn finish(text: &str) -> String {
    text.replace("\\n", "\n").trim().to_owned()
}

/// The rounds that the loops of a template may have: the longer it is, the fewer.
fn rounds(text: &str) -> u64 {
    (limits::TEMPLATE_STEPS / text.len().max(1)).clamp(1, limits::TEMPLATE_ROUNDS) as u64
}

/// The first word of each action.
fn action_words(text: &str) -> impl Iterator<Item = &str> {
    actions(text).map(|(word, _)| word)
}

/// The first word of each action, and what follows it. What looks like an action in a comment or in a text is one here,
/// too, so that no action is missed.
fn actions(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("{{").skip(1).map(|action| {
        let action = action.strip_prefix('-').unwrap_or(action).trim_start();
        let end = action.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(action.len());
        action.split_at_checked(end).unwrap_or_default()
    })
}

/// The number of actions `else if` and `else with`.
fn else_branches(text: &str) -> usize {
    let has_block = |rest: &str| ["if", "with"].iter().any(|block| rest.trim_start().starts_with(block));
    actions(text).filter(|(word, rest)| *word == "else" && has_block(rest)).count()
}

/// Whether an `end` ends nothing, which the library takes for the end of the template.
fn has_stray_end(text: &str) -> bool {
    let mut open = 0_usize;
    action_words(text).any(|word| match word {
        "if" | "range" | "with" => {
            open += 1;
            false
        }
        "end" if open == 0 => true,
        "end" => {
            open -= 1;
            false
        }
        _ => false,
    })
}

/// The reason of an error, short enough to be passed on.
fn reason(error: &TemplateError) -> String {
    text::cut(&error.to_string(), REASON_BYTES).to_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::json::{read, value_of};

    fn filled(text: &str, json: &str) -> Result<String, RenderError> {
        render(text, &value_of(serde_json::from_str(json).unwrap()), read)
    }

    #[test]
    fn a_template_is_filled_in_as_go_fills_it_in() {
        let json =
            r#"{"a": {"b": "deep"}, "n": 20, "x": 1.5, "id": 1783420972, "list": ["p", "q"], "none": null}"#;
        for (text, expected) in [
            ("no template", "no template"),
            (" {{.a.b}} ", "deep"),
            ("{{.missing}}/{{.missing.too}}", "<no value>/<no value>"),
            ("{{.n}} {{.x}} {{.id}}", "20 1.5 1783420972"),
            ("{{if eq .a.b \"deep\"}}yes{{else}}no{{end}}", "yes"),
            ("{{if gt .n 19}}{{if lt .n 20.5}}between{{end}}{{end}}", "between"),
            ("{{range $i, $v := .list}}{{$i}}={{$v}} {{end}}", "0=p 1=q"),
            ("{{range .none}}x{{else}}nothing{{end}}", "nothing"),
            ("{{with .a}}{{.b}}{{end}}{{- /* a comment */ -}}", "deep"),
            ("{{$t := 0}}{{range .list}}{{$t = add1 $t}}{{end}}{{$t}}", "2"),
            ("{{printf \"%s-%03d-%.1f\" .a.b (int .n) .x}}", "deep-020-1.5"),
            ("one\\ntwo {{.n}}", "one\ntwo 20"),
            ("{{.a.b | upper | trunc 2}}", "DE"),
            ("{{ index .list 1 }}{{ len .list }}", "q2"),
        ] {
            assert_eq!(filled(text, json).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_apart() {
        assert_eq!(filled("{{ template \"x\" }}", "{}"), Err(RenderError::Disallowed));
        assert_eq!(filled("{{- define \"x\"}}{{end}}", "{}"), Err(RenderError::Disallowed));
        assert_eq!(filled("{{call .x}}", "{}"), Err(RenderError::Disallowed));
        assert_eq!(filled("{{block \"x\" .}}{{end}}", "{}"), Err(RenderError::Disallowed));
        assert!(filled("{{.template}} {{.definer}}", "{}").is_ok(), "a field may have such a name");
        for invalid in ["{{.x", "{{if}}", "{{nosuchfunction .x}}", "{{end}}"] {
            assert!(matches!(filled(invalid, "{}"), Err(RenderError::Invalid(_))), "{invalid}");
        }
        for failed in ["{{.x.y}}", "{{fail \"no\"}}", "{{index .x 5}}", "{{lt .x 1}}"] {
            assert!(matches!(filled(failed, r#"{"x": "text"}"#), Err(RenderError::Failed(_))), "{failed}");
        }
        let long = "{{.x}}".repeat(limits::TEMPLATE_BYTES);
        assert!(matches!(filled(&long, "{}"), Err(RenderError::Invalid(_))));
    }

    #[test]
    fn no_template_takes_long_or_grows_without_end() {
        let begun = Instant::now();
        let many = format!("[{}]", vec!["1"; 3_000].join(","));
        for endless in [
            "{{range .}}{{range $}}{{range $}}{{end}}{{end}}{{end}}",
            "{{range 1000000000}}{{end}}",
            "{{$x := \"ab\"}}{{range 60}}{{$x = print $x $x}}{{end}}",
            "{{$x := \"ab\"}}{{range 60}}{{$x = printf \"%s%s\" $x $x}}{{end}}",
            "{{$x := \"ab\"}}{{range 60}}{{$x = cat $x $x}}{{end}}",
            "{{$x := \"\\\"\"}}{{range 60}}{{$x = js $x}}{{end}}",
            "{{$x := \"ab\"}}{{range 60}}{{$x = replace \"a\" \"aaaaaaaaaaaaaaaa\" $x}}{{end}}",
            "{{repeat 100000000 \"ab\"}}",
            "{{printf \"%060000d%060000d%060000d%060000d%060000d%060000d\" 1 1 1 1 1 1 | repeat 100}}",
            "{{range .}}{{$x := toJson $}}{{end}}",
            "{{range .}}{{$x := slice $ 1}}{{end}}",
            "{{$x := list 1}}{{range 100000}}{{$x = list $x}}{{end}}",
            "{{$l := list 1}}{{range 60}}{{$l = concat $l $l}}{{end}}",
        ] {
            let refused = filled(endless, &many);
            assert!(matches!(refused, Err(RenderError::Failed(_))), "{endless}: {refused:?}");
        }
        let large = "{{range .}}0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789{{end}}";
        assert_eq!(filled(large, &many), Err(RenderError::TooLarge));
        assert!(filled(&format!("{}1{}", "{{(".repeat(3_000), ")}}".repeat(3_000)), "1").is_err());
        assert!(filled(&format!("{{{{{}1{}}}}}", "(".repeat(5_000), ")".repeat(5_000)), "1").is_err());
        assert!(begun.elapsed() < Duration::from_secs(60), "all of them together");
    }
}
