//! The functions of templates: those of Go that read or write texts, and those of the library sprig that ntfy's users
//! know. Every call counts its input and its output. All texts are written by one bounded [`Writer`], and no value gets
//! deeper than the JSON that it comes from.
//!
//! The language is Go's, by a library; the functions are written here, because each has to be bounded. They run on
//! threads and not in a child process, because they come as often as publications.

#![allow(
    clippy::unnecessary_wraps,
    reason = "all functions have the one type that the template library calls"
)]

mod compare;
mod dates;
mod defaults;
mod encode;
mod format;
mod lists;
mod maps;
mod numbers;
mod paths;
mod patterns;
mod text;

use std::fmt::{self, Write};
use std::sync::Arc;
use std::{io, str};

use gotmpl::{FuncMap, Result, TemplateError, Value, ValueFunc};

use super::allowance::Allowance;
use crate::domain::limits;

/// A function of templates; the value that is piped to it is its last argument.
type Function = fn(&[Value]) -> Result<Value>;

/// Bytes that an element of a list or a member of a map counts for, beside its text.
const ELEMENT_BYTES: usize = 48;
/// Bytes that a map counts for, which are those of the smallest node of its tree.
const MAP_BYTES: usize = 512;

/// How the bytes of a call are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counting {
    /// It makes a value, which counts with all that is in it.
    Makes,
    /// It hands on one of its arguments or what is in them, and makes nothing.
    HandsOn,
    /// It compares what is in its arguments, which counts as often as it is read.
    Compares,
}

/// All functions, each call of which counts against an allowance.
pub(super) fn within(allowance: &Arc<Allowance>) -> FuncMap {
    let making = [
        compare::FUNCTIONS,
        dates::FUNCTIONS,
        defaults::FUNCTIONS,
        encode::FUNCTIONS,
        format::FUNCTIONS,
        lists::FUNCTIONS,
        maps::FUNCTIONS,
        numbers::FUNCTIONS,
        paths::FUNCTIONS,
        patterns::FUNCTIONS,
        text::FUNCTIONS,
    ];
    let handing_on = [defaults::HANDING_ON, lists::HANDING_ON, maps::HANDING_ON, text::HANDING_ON];
    let comparing = [compare::COMPARING, lists::COMPARING];
    let groups = making.map(|group| (Counting::Makes, group)).into_iter();
    let groups = groups
        .chain(handing_on.map(|group| (Counting::HandsOn, group)))
        .chain(comparing.map(|group| (Counting::Compares, group)));
    let all = groups.flat_map(|(counting, group)| group.iter().map(move |function| (counting, function)));
    all.map(|(counting, (name, function))| {
        ((*name).to_owned(), counted(Arc::clone(allowance), counting, *function))
    })
    .collect()
}

fn counted(allowance: Arc<Allowance>, counting: Counting, function: Function) -> ValueFunc {
    Arc::new(move |arguments| {
        match counting {
            Counting::Makes | Counting::HandsOn => allowance.take(arguments.iter().map(weight).sum())?,
            Counting::Compares => allowance.take(held_by_all(arguments, allowance.left()))?,
        }
        let value = function(arguments)?;
        allowance.take(match counting {
            Counting::Makes | Counting::Compares => held(&value, allowance.left()),
            Counting::HandsOn => ELEMENT_BYTES,
        })?;
        Ok(value)
    })
}

/// The bytes that a value counts for, without looking into its elements.
fn weight(value: &Value) -> usize {
    ELEMENT_BYTES
        + match value {
            Value::String(text) => text.len(),
            Value::List(elements) => elements.len() * ELEMENT_BYTES,
            Value::Map(members) => members.len() * ELEMENT_BYTES,
            _ => 0,
        }
}

/// The bytes that a value counts for with all that is in it; a part that is there twice counts twice. It stops counting
/// beyond `limit`.
fn held(value: &Value, limit: usize) -> usize {
    match value {
        Value::List(elements) => ELEMENT_BYTES + held_by_all(elements.iter(), limit),
        Value::Map(members) => {
            let names: usize = members.keys().map(|name| name.len()).sum();
            MAP_BYTES.saturating_add(names).saturating_add(held_by_all(members.values(), limit))
        }
        simple => weight(simple),
    }
}

fn held_by_all<'a>(values: impl IntoIterator<Item = &'a Value>, limit: usize) -> usize {
    let mut bytes = 0_usize;
    for value in values {
        bytes = bytes.saturating_add(held(value, limit.saturating_sub(bytes)));
        if bytes > limit {
            break;
        }
    }
    bytes
}

/// The error of a function that can't do what it is asked.
fn failed<T>(why: &str) -> Result<T> {
    Err(TemplateError::Exec(why.to_owned()))
}

/// An argument, counted from 0; nothing if it is missing.
fn argument(arguments: &[Value], index: usize) -> &Value {
    arguments.get(index).unwrap_or(&Value::Nil)
}

/// A text that a function writes. It takes no more than [`limits::TEMPLATE_VALUE_BYTES`], so that no function makes more,
/// however often a value is in what it prints.
#[derive(Default)]
struct Writer(String);

impl Writer {
    /// # Errors
    /// An error for what would make the text too long, of which nothing is written.
    fn text(&mut self, text: &str) -> Result<()> {
        self.write_str(text).or_else(|_| too_long())
    }

    /// Writes a value as Go prints it: nothing is `<nil>`.
    fn shown(&mut self, value: &Value) -> Result<()> {
        write!(self, "{value}").or_else(|_| too_long())
    }

    /// Writes a value; nothing is an empty text.
    fn value(&mut self, value: &Value) -> Result<()> {
        match value {
            Value::Nil => Ok(()),
            Value::String(text) => self.text(text),
            other => self.shown(other),
        }
    }

    /// Bytes that were written.
    fn len(&self) -> usize {
        self.0.len()
    }

    fn finish(self) -> Value {
        self.0.into()
    }
}

impl Write for Writer {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.0.len().saturating_add(part.len()) > limits::TEMPLATE_VALUE_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(part);
        Ok(())
    }
}

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let part = str::from_utf8(bytes).map_err(io::Error::other)?;
        self.write_str(part).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An argument as a text: nothing is an empty one.
///
/// # Errors
/// An error if it is longer than [`limits::TEMPLATE_VALUE_BYTES`].
fn text_of(value: &Value) -> Result<String> {
    let mut out = Writer::default();
    out.value(value)?;
    Ok(out.0)
}

/// Values as texts, each by itself.
///
/// # Errors
/// An error if they are longer than [`limits::TEMPLATE_VALUE_BYTES`] together.
fn texts_of<'a>(values: impl IntoIterator<Item = &'a Value>) -> Result<Vec<String>> {
    let (mut texts, mut bytes) = (Vec::new(), 0_usize);
    for value in values {
        let text = text_of(value)?;
        bytes += text.len();
        check_bytes(bytes)?;
        texts.push(text);
    }
    Ok(texts)
}

/// A text as a value.
///
/// # Errors
/// An error if it is longer than [`limits::TEMPLATE_VALUE_BYTES`].
fn text_value(text: String) -> Result<Value> {
    check_bytes(text.len())?;
    Ok(text.into())
}

/// # Errors
/// An error for more than [`limits::TEMPLATE_VALUE_BYTES`], before they are written.
fn check_bytes(bytes: usize) -> Result<()> {
    if bytes > limits::TEMPLATE_VALUE_BYTES { too_long() } else { Ok(()) }
}

fn too_long<T>() -> Result<T> {
    failed("a text in the template gets too long")
}

#[cfg(test)]
mod tests {
    use super::super::engine::render;
    use super::super::value_of;

    #[test]
    fn every_function_does_what_sprig_says() {
        let json = serde_json::json!({
            "s": "Hello World", "l": ["b", "a", "b"], "n": [3, 1, 2], "m": {"k": "v", "j": 1}, "e": "", "f": 7.6
        });
        let data = value_of(json);
        for (text, expected) in [
            (r#"{{trim " x "}}{{trimAll "-" "--y-"}}{{trimPrefix "a" "ab"}}{{trimSuffix "b" "ab"}}"#, "xyba"),
            (r#"{{upper .s}} {{lower .s}} {{title "a bc"}}"#, "HELLO WORLD hello world A Bc"),
            (r#"{{repeat 3 "ab"}} {{substr 0 5 .s}} {{trunc 3 .s}} {{trunc -3 .s}}"#, "ababab Hello Hel rld"),
            (r#"{{contains "World" .s}} {{hasPrefix "He" .s}} {{hasSuffix "x" .s}}"#, "true true false"),
            (
                r#"{{quote "a" 1}} {{squote "b"}} {{cat "a" 1 "b"}} {{nospace "a b"}}"#,
                r#""a" "1" 'b' a 1 b ab"#,
            ),
            (r#"{{indent 2 "a\nb"}}|{{nindent 1 "c"}}"#, "a\n  b|\n c"),
            (
                r#"{{replace " " "_" .s}} {{abbrev 8 .s}} {{plural "one" "many" 1}}"#,
                "Hello_World Hello... one",
            ),
            (r#"{{join "," .l}} {{splitList "o" "foo" | join "|"}} {{(split "$" "a$b")._1}}"#, "b,a,b f|| b"),
            (r#"{{sortAlpha .l | join ""}} {{uniq .l | join ""}} {{reverse .l | join ""}}"#, "abb ba bab"),
            (r#"{{first .l}}{{last .n}} {{rest .l | join ""}} {{initial .n | join ""}}"#, "b2 ab 31"),
            (
                r#"{{has "a" .l}} {{without .l "b" | join ""}} {{compact (list "a" "" "c") | join ""}}"#,
                "true a ac",
            ),
            (
                r#"{{get .m "k"}} {{hasKey .m "x"}} {{keys .m | join ","}} {{values .m | join ","}}"#,
                "v false j,k 1,v",
            ),
            (
                r#"{{$d := dict "a" 1 "b" "two"}}{{$d.b}}{{slice .l 1 2 | join ""}}{{slice .s 0 4}}"#,
                "twoaHell",
            ),
            (
                r#"{{default "d" .e}} {{default "d" .s}} {{coalesce .e nil "c"}} {{empty .e}}"#,
                "d Hello World c true",
            ),
            (r#"{{ternary "y" "n" true}} {{all .s .e}} {{any .s .e}}"#, "y false true"),
            ("{{add 1 2 3}} {{sub 5 2}} {{mul 2 3}} {{div 7 2}} {{mod 7 2}} {{add1 4}}", "6 3 6 3 1 5"),
            (
                "{{max 1 9 3}} {{min 4 2}} {{int .f}} {{round 3.14159 2}} {{floor .f}} {{ceil .f}}",
                "9 2 7 3.14 7 8",
            ),
            (r#"{{atoi "12"}} {{float64 "1.5"}} {{int64 "8"}} {{toString 5}}"#, "12 1.5 8 5"),
            (r#"{{b64enc "hi"}} {{b64dec "aGk="}} {{toJson .m}}"#, r#"aGk= hi {"j":1,"k":"v"}"#),
            (r#"{{(fromJson "{\"a\": [1, 2]}").a | join "+"}} {{sha256sum "" | trunc 8}}"#, "1+2 e3b0c442"),
            (r#"{{html "<b>"}} {{urlquery "a b&c"}} {{js "it's"}}"#, "&lt;b&gt; a+b%26c it\\'s"),
            (
                r#"{{eq .s "x" "Hello World"}} {{ne 1 2}} {{le 1 1.0}} {{ge "b" "a"}} {{and 1 0}}"#,
                "true true true true 0",
            ),
            (r#"{{print "a" 1 2 "b"}}{{println "c"}}."#, "a1 2bc\n."),
            (
                r#"{{(splitn "$" 2 "a$b$c")._1}} {{toStrings .n | join "+"}} {{toStrings "a" | len}}"#,
                "b$c 3+1+2 1",
            ),
            ("{{seq 3}}, {{seq 3 1}}, {{seq 1 2 6}}, {{seq 2 2 1}}, {{seq}}", "1 2 3, 3 2 1, 1 3 5, ,"),
            (
                r#"{{until 3 | join ","}} {{until -2 | join ","}} {{untilStep 5 0 -2 | join ","}}{{untilStep 1 9 0 | len}}"#,
                "0,1,2 0,-1 5,3,10",
            ),
            (
                "{{biggest 1 3 2}} {{maxf 1.5 \"2.5\"}} {{minf 1.5 2}} {{toDecimal 777}} {{toDecimal 9}}",
                "3 2.5 1.5 511 0",
            ),
            (
                r#"{{sha1sum "a" | trunc 8}} {{sha512sum "a" | trunc 8}} {{adler32sum "a"}}"#,
                "86f7e437 1f40fc92 6422626",
            ),
            (
                r#"{{b32enc "hi"}} {{b32dec "NBUQ===="}} {{toRawJSON .l}} {{mustToJSON 1}} {{fromJSON "["}}"#,
                r#"NBUQ==== hi ["b","a","b"] 1 <no value>"#,
            ),
            (
                "{{append .n 4 | join \"\"}} {{push .n 4 | len}} {{prepend .n 0 | join \"\"}} {{concat .n .l | join \"\"}}",
                "3124 4 0312 312bab",
            ),
            (
                r#"{{range chunk 2 .n}}[{{join "," .}}]{{end}} {{tuple 1 2 | len}} {{mustFirst .n}}"#,
                "[3,1][2] 2 3",
            ),
            (
                r#"{{pluck "k" .m (dict "k" 2) (dict) | join ","}} {{pick .m "k" "x" | toJson}} {{omit .m "k" | toJson}}"#,
                r#"v,2 {"k":"v"} {"j":1}"#,
            ),
            (
                r#"{{dig "m" "k" "d" .}} {{dig "m" "x" "d" .}} {{dig "x" "y" "d" .}} {{keys .m (dict "z" 1) | join ","}}"#,
                "v d d j,k,z",
            ),
            (
                r#"{{typeOf .s}} {{kindOf .l}} {{kindIs "map" .m}} {{typeIs "float64" .f}} {{deepEqual .l (list "b" "a" "b")}} {{deepEqual .l .m}}"#,
                "string slice true true true false",
            ),
            (
                r#"{{base "/a/b.txt"}} {{dir "/a/b.txt"}} {{clean "a//b/../c/."}} {{ext "a.tar.gz"}} {{isAbs "a"}} {{base ""}}{{base "/"}}{{dir "a"}}{{clean "/../.."}}"#,
                "b.txt /a a/c .gz false ././",
            ),
            (
                r#"{{$u := urlParse "https://u:p@h.org:81/a?b=c#d"}}{{$u.scheme}} {{$u.host}} {{$u.hostname}} {{$u.path}} {{$u.query}} {{$u.fragment}} {{$u.userinfo}} {{urlJoin $u}}"#,
                "https h.org:81 h.org /a b=c d u:p https://u:p@h.org:81/a?b=c#d",
            ),
            (
                r#"{{(urlParse "mailto:a@b.c").opaque}} {{urlJoin (dict "scheme" "http" "host" "h" "path" "p")}}"#,
                "a@b.c http://h/p",
            ),
        ] {
            let filled = render(text, &data).unwrap_or_else(|e| panic!("{text}: {e:?}"));
            assert_eq!(filled, expected, "{text}");
        }
    }
}
