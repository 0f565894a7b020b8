//! Templates that try to take all memory, all time or the stack of the server.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use gotmpl::Value;

use crate::allowance::Allowance;
use crate::engine::{RenderError, render};
use crate::json::{read, value_of};
use crate::{functions, limits};

/// What one template may take beside the JSON that it is filled in from.
const MEMORY_BYTES: u64 = 128 * 1024 * 1024;

/// Objects of a JSON text, about as many as a server reads.
const JSON_CONTAINERS: usize = 32_000;

/// Runs work on a thread as the server's; gives its result and its time. If each test is a process of its own, its
/// memory is checked, too.
fn within_bounds<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> (T, Duration) {
    let (before, begun) = (peak_bytes(), Instant::now());
    let result = thread::Builder::new().stack_size(limits::STACK_BYTES).spawn(work).unwrap().join().unwrap();
    if std::env::var_os("NEXTEST").is_some() {
        let taken = peak_bytes().saturating_sub(before);
        assert!(taken < MEMORY_BYTES, "{} MiB", taken >> 20);
    }
    (result, begun.elapsed())
}

/// The most memory that this process had so far.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) * 1024
}

/// The template of 107 bytes, with each of the functions that made a text of the list.
#[test]
fn a_list_of_references_to_one_text_is_never_printed_beyond_the_bound() {
    let json = serde_json::json!({"t": "x".repeat(limits::TEXT_BYTES)});
    for function in ["toJson", "print", "sortAlpha", "cat", "printf \"%v\"", "println", "join \"\"", "html"] {
        let text = format!(
            "{{{{$l := list .t}}}}{{{{range 20}}}}{{{{$l = concat $l $l}}}}{{{{end}}}}{{{{{function} $l}}}}"
        );
        let data = value_of(json.clone());
        let (refused, _) = within_bounds(move || render(&text, &data, read));
        assert!(matches!(refused, Err(RenderError::Failed(_))), "{function}: {refused:?}");
    }
}

/// Every function, on values that are small in memory and large once they are printed, compared or copied.
#[test]
fn every_function_is_bounded_on_values_that_share_a_text() {
    let text = Value::from("x".repeat(limits::TEMPLATE_VALUE_BYTES - 1));
    let lines = Value::from("\n".repeat(limits::TEMPLATE_VALUE_BYTES / 4));
    let list = Value::from(vec![text.clone(); 1_000]);
    let map = Value::from(std::collections::BTreeMap::from([("a".to_owned(), list.clone())]));
    let many = Value::from(vec![Value::Nil; 50_000]);
    let format = Value::from("%s%[1]q%[1]x%65000d%*d".repeat(200));
    let number = Value::Int(100_000_000);
    let values = [text, lines, list.clone(), map, many, format, number, Value::from("a")];
    let mut calls: Vec<Vec<Value>> = values.iter().map(|value| vec![value.clone()]).collect();
    for value in &values {
        calls.push(vec![value.clone(), list.clone()]);
        calls.push(vec![list.clone(), value.clone()]);
        calls.push(vec![Value::Int(100_000_000), value.clone()]);
        calls.push(vec![Value::from("a"), list.clone(), value.clone()]);
    }
    calls.push(vec![list; 1_000]);
    let names: Vec<String> = functions::within(&Arc::new(Allowance::new()), read).into_keys().collect();
    assert!(names.len() > 100, "{}", names.len());
    let (slowest, _) = within_bounds(move || {
        let mut slowest = (Duration::ZERO, String::new());
        for (name, call) in names.iter().flat_map(|name| calls.iter().map(move |call| (name, call))) {
            let allowance = Arc::new(Allowance::new());
            let function = functions::within(&allowance, read).remove(name.as_str()).unwrap();
            let begun = Instant::now();
            let made = function(call);
            let bytes = made.as_ref().ok().and_then(Value::as_str).map_or(0, str::len);
            assert!(bytes <= limits::TEMPLATE_VALUE_BYTES, "{name} made {bytes} bytes");
            slowest = slowest.max((begun.elapsed(), name.clone()));
        }
        slowest
    });
    println!("the slowest call: {slowest:?}");
    assert!(slowest.0 < Duration::from_secs(20), "{slowest:?}");
}

#[test]
fn json_in_json_is_weighed_by_what_it_takes_once_it_is_read() {
    let objects = format!("[{}]", vec!["{}"; JSON_CONTAINERS].join(","));
    let data = value_of(serde_json::json!({"t": objects}));
    let text = (0..500).map(|n| format!("{{{{$a{n} := fromJson .t}}}}")).collect::<Vec<_>>().concat();
    let (refused, _) = within_bounds(move || render(&text, &data, read));
    assert!(matches!(refused, Err(RenderError::Failed(_))), "{refused:?}");
}

/// The library takes each `else if` for a block in the one before it.
#[test]
fn a_chain_of_else_if_is_as_long_as_it_may_be_and_no_longer() {
    let chain = |count: usize| {
        let branches =
            (0..count).map(|n| format!("{{{{else if eq . {n}}}}}{n}")).collect::<Vec<_>>().concat();
        format!("{{{{if eq . -1}}}}no{branches}{{{{else}}}}none{{{{end}}}}")
    };
    let (filled, _) =
        within_bounds(move || [chain(100), chain(99)].map(|text| render(&text, &Value::Int(98), read)));
    assert_eq!(filled.map(Result::unwrap), ["98", "98"]);
    for chain in [
        "{{if .}}".to_owned() + &"{{else if .}}".repeat(101) + "{{end}}",
        "{{with .}}".to_owned() + &"{{- else\n with . -}}".repeat(500) + "{{end}}",
        "{{if .}}".to_owned() + &"{{else if .}}{{/*{{end}}*/}}".repeat(300) + "{{end}}",
    ] {
        let (refused, _) = within_bounds(move || render(&chain, &Value::Nil, read));
        let Err(RenderError::Invalid(why)) = refused else { panic!("{refused:?}") };
        assert!(why.contains("else if"), "{why}");
    }
}

/// The deepest that the bounds allow: blocks in blocks, each at the end of a chain.
#[test]
fn the_deepest_template_has_room_on_the_stack_of_a_thread() {
    let nested = "{{if .}}".repeat(88) + &"{{if not .}}{{else if .}}".repeat(5) + "{{(((((1)))))}}";
    let chain = "{{if not .}}".to_owned() + &"{{else if not .}}".repeat(94) + "{{else}}x{{end}}";
    let ends = "{{end}}".repeat(93);
    let data = Value::Bool(true);
    let (filled, _) = within_bounds(move || {
        [nested.clone() + &ends, nested + &chain + &ends].map(|text| render(&text, &data, read))
    });
    assert_eq!(filled, [Ok("1".to_owned()), Ok("1x".to_owned())]);
}

/// An input has a template, and the JSON that it is filled in from after a NUL.
#[test]
fn whatever_a_template_of_a_publication_says_it_is_filled_in_within_bounds_or_refused() {
    let work = || {
        tidings_testkit::fuzz::run("ntfy-template", 500, |input| {
            let mut parts = input.splitn(2, |byte| *byte == 0).map(String::from_utf8_lossy);
            let (text, json) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            let data = value_of(serde_json::from_str(&json).unwrap_or_default());
            if let Ok(filled) = render(&text, &data, read) {
                assert!(filled.len() <= limits::TEXT_BYTES);
            }
        });
    };
    thread::Builder::new().stack_size(limits::STACK_BYTES).spawn(work).unwrap().join().unwrap();
}
