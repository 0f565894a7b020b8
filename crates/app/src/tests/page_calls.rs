//! Holds the page's scripted platform to the app: `ui/tests/app-calls/calls.json` has calls over one small inbox. They are
//! made here at the app, and its answers are committed; a test of the page makes them at the scripted platform.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tidings_replica::Group;
use tidings_sync::PullReason;

use super::harness::{TestApp, notification, open};
use crate::Command;

/// The table of calls.
#[derive(Deserialize)]
struct Table {
    inbox: Vec<SourceOf>,
    /// The ends of the paths of values of which only the type is compared, each with the reason.
    free: BTreeMap<String, String>,
    calls: Vec<Call>,
}

/// A source with its items, oldest first.
#[derive(Deserialize)]
struct SourceOf {
    name: String,
    items: Vec<Value>,
    group: Option<GroupOf>,
}

#[derive(Deserialize)]
struct GroupOf {
    id: String,
    name: String,
    owner: String,
    /// The id and the name of each member.
    members: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct Call {
    name: String,
    command: String,
    /// A text such as `$read/undo` stands for that part of the answer to the call `read`.
    args: Value,
    /// The part of the answer that is compared; else all of it is.
    part: Option<String>,
    /// What is free in this answer alone.
    #[serde(default)]
    free: Vec<String>,
}

/// Fills the app with the inbox of the table, an item a minute.
async fn fill(test: &TestApp, inbox: &[SourceOf]) {
    let mut minutes_ago: i64 = inbox.iter().map(|source| i64::try_from(source.items.len()).unwrap()).sum();
    for SourceOf { name, items, group } in inbox {
        let source = test.source(name);
        let mut page = Vec::new();
        for item in items {
            page.push(notification(&test.clock, -60_000_000 * minutes_ago, item));
            minutes_ago -= 1;
        }
        test.pulled(source, PullReason::Live, page).await;
        if let Some(GroupOf { id, name, owner, members }) = group {
            let group = Group {
                id: id.clone(),
                name: name.clone(),
                owner: owner.clone(),
                members: members.iter().map(|(id, _)| id.clone()).collect(),
                names: members.iter().cloned().collect(),
                ..Group::default()
            };
            test.app.context.replica.save_group(source, &group).unwrap();
        }
    }
}

/// The arguments of a call, with the parts of earlier answers that they name.
fn resolved(args: &Value, answers: &BTreeMap<String, Value>) -> Value {
    match args {
        Value::String(text) => match text.strip_prefix('$').and_then(|named| named.split_once('/')) {
            Some((name, path)) => answers[name].pointer(&format!("/{path}")).unwrap().clone(),
            None => args.clone(),
        },
        Value::Array(all) => all.iter().map(|one| resolved(one, answers)).collect(),
        Value::Object(all) => {
            all.iter().map(|(name, one)| (name.clone(), resolved(one, answers))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// Replaces the values whose path ends like one of `free` by the names of their types.
fn release(value: &mut Value, path: &str, free: &[&str]) {
    let is_free = free.iter().any(|end| path.ends_with(&format!("/{end}")));
    match value {
        Value::Array(all) => {
            let path = if is_free { path.to_owned() } else { format!("{path}/*") };
            for one in &mut *all {
                release(one, &path, free);
            }
        }
        Value::Object(all) => {
            all.iter_mut().for_each(|(name, one)| release(one, &format!("{path}/{name}"), free));
        }
        Value::Null if is_free => *value = json!("null"),
        Value::Bool(_) if is_free => *value = json!("boolean"),
        Value::Number(_) if is_free => *value = json!("number"),
        Value::String(_) if is_free => *value = json!("string"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Makes the calls in turn and returns what is compared of their answers, by the names of the calls.
async fn answers_of(test: &TestApp, table: &Table) -> BTreeMap<String, Value> {
    let (mut answers, mut compared) = (BTreeMap::new(), BTreeMap::new());
    for Call { name, command, args, part, free } in &table.calls {
        let call = json!({"command": command, "args": resolved(args, &answers)});
        let call: Command = serde_json::from_value(call).unwrap_or_else(|error| panic!("{name}: {error}"));
        let answer: Value = match test.app.call(call).await {
            Ok(answer) => serde_json::from_str(&answer).unwrap(),
            Err(refused) => json!({ "refused": refused }),
        };
        let mut part = part.as_ref().map_or(&answer, |part| answer.pointer(part).unwrap()).clone();
        let free: Vec<&str> = table.free.keys().chain(free).map(String::as_str).collect();
        release(&mut part, "", &free);
        compared.insert(name.clone(), part);
        answers.insert(name.clone(), answer);
    }
    compared
}

/// The paths at which two values differ, each with both values.
fn differences(path: &str, was: Option<&Value>, is: Option<&Value>) -> Vec<String> {
    match (was, is) {
        (Some(Value::Object(was)), Some(Value::Object(is))) => {
            let names: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
            let of = |name: &String| differences(&format!("{path}/{name}"), was.get(name), is.get(name));
            names.into_iter().flat_map(of).collect()
        }
        (Some(Value::Array(was)), Some(Value::Array(is))) => {
            let of = |at: usize| differences(&format!("{path}/{at}"), was.get(at), is.get(at));
            (0..was.len().max(is.len())).flat_map(of).collect()
        }
        _ if was == is => Vec::new(),
        _ => {
            let text = |value: Option<&Value>| value.map_or("nothing".to_owned(), Value::to_string);
            vec![format!("{path}: {} was {}", text(is), text(was))]
        }
    }
}

/// Writes the answers anew if they differ and then fails, so that a change of an answer is committed with them.
#[tokio::test]
async fn export_keeps_the_answers_that_the_scripted_platform_gives_too() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/tests/app-calls");
    let table = std::fs::read_to_string(folder.join("calls.json")).unwrap();
    let table: Table = serde_json::from_str(&table).unwrap();
    let test = open();
    fill(&test, &table.inbox).await;
    let answers = answers_of(&test, &table).await;

    let path = folder.join("answers.json");
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let known: Value = serde_json::from_str(&known).unwrap_or_default();
    let fresh = serde_json::to_value(&answers).unwrap();
    let stale = differences("", Some(&known), Some(&fresh));
    if !stale.is_empty() {
        let line = |(name, answer): (&String, &Value)| format!("  {}: {answer}", json!(name));
        let lines: Vec<String> = answers.iter().map(line).collect();
        std::fs::write(&path, format!("{{\n{}\n}}\n", lines.join(",\n"))).unwrap();
    }
    assert!(stale.is_empty(), "written anew, run again:\n{}", stale.join("\n"));
}
