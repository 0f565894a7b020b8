//! Tests of the reading of JSON within bounds.

use serde_json::json;

use super::*;

fn field(json: &str) -> String {
    read(json.as_bytes()).unwrap_err().field.unwrap()
}

#[test]
fn a_text_beyond_its_bound_is_named_by_its_path() {
    let long = "x".repeat(limits::TEXT_BYTES + 1);
    assert_eq!(field(&format!(r#"[{{}},{{"target":{{"id":"{long}"}}}}]"#)), "[1].target.id");
    assert_eq!(field(r#"{"a":[1,{"b":"x\u0000"}]}"#), "a[1].b");
    assert_eq!(field(r#"{"a":{"b\u0000":1}}"#), "a.b");
    assert_eq!(field(&format!(r#"{{"{long}":1}}"#)).len(), MAX_FIELD_CHARS);
    assert_eq!(field(r#""\u0000""#), "body");
}

#[test]
fn what_is_within_the_bounds_is_read_as_it_is() {
    let text = r#"{"a":[1,-2,1.5,true,null,"\u00e9"],"b":{"c":{}},"b2":"x"}"#;
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(read(text.as_bytes()).unwrap(), value);
    assert_eq!(field("{} {}"), "body");
}

#[test]
fn what_a_look_accepts_is_within_the_bounds() {
    let short = r#"{"a":["x",{"b":1}]}"#.to_owned();
    let deep = format!("{}{}", "[".repeat(limits::JSON_DEPTH + 1), "]".repeat(limits::JSON_DEPTH + 1));
    let long = format!(r#"["{}"]"#, "x".repeat(limits::TEXT_BYTES + 1));
    let many = format!("[0{}]", ",0".repeat(limits::JSON_VALUES));
    assert!(is_surely_within(short.as_bytes()));
    for beyond in [r#"["\u0000"]"#.to_owned(), deep, long, many] {
        assert!(read(beyond.as_bytes()).is_err());
        assert!(!is_surely_within(beyond.as_bytes()));
    }
}

/// The bounds are checked while parsing, before anything larger is built.
#[test]
fn reading_stops_at_the_bound_whatever_follows() {
    // The text after the bound is not JSON; it is never parsed.
    let elements = format!("[{}what follows", "0,".repeat(limits::JSON_VALUES));
    assert!(read(elements.as_bytes()).unwrap_err().detail.contains("values"));
    let objects = format!("[{}what follows", r#"{"a":0},"#.repeat(limits::JSON_CONTAINERS + 1));
    assert!(read(objects.as_bytes()).unwrap_err().detail.contains("objects"));
    let deep = format!("{}what follows", "[".repeat(limits::JSON_DEPTH + 1));
    assert!(read(deep.as_bytes()).unwrap_err().detail.contains("inside each other"));
    for beyond in [elements, objects, deep] {
        assert_eq!(field(&beyond), "body");
    }
}

fn keep(member: &str) -> Keep {
    match member {
        "list" => Keep::Elements(2),
        "extras" => Keep::Within("data", 20),
        "all" => Keep::All,
        _ => Keep::Elements(0),
    }
}

fn kept(json: &str) -> Value {
    read_members(json.as_bytes(), keep).unwrap()
}

#[test]
fn no_more_is_kept_of_a_member_than_its_door_has_a_use_for() {
    let sent =
        r#"{"list":[{"a":[1]},"x",3,[4]],"text":"t","odd":{"a":{"b":1}},"odds":[[1],2],"all":[[1],{"b":2}]}"#;
    let expected = r#"{"list":[{"a":[1]},"x"],"text":"t","odd":{},"odds":[],"all":[[1],{"b":2}]}"#;
    assert_eq!(kept(sent), serde_json::from_str::<Value>(expected).unwrap());
    assert_eq!((kept(r#"{"list":{"a":1}}"#), kept(r#"[{"a":1}]"#)), (json!({"list": {}}), json!([])));
    // What is left out is within the bounds, too.
    let deep = format!("{}{}", "[".repeat(limits::JSON_DEPTH), "]".repeat(limits::JSON_DEPTH));
    for beyond in [format!(r#"{{"odd":{deep}}}"#), r#"{"list":[0,0,{"a":"\u0000"}]}"#.to_owned()] {
        let problem = read_members(beyond.as_bytes(), keep).unwrap_err();
        let whole = read(beyond.as_bytes()).unwrap_err();
        let checked = check(beyond.as_bytes()).unwrap_err();
        assert_eq!((&problem, &checked), (&whole, &whole), "{beyond}");
    }
    assert!(read_members(b"{\"odd\":[1,}", keep).is_err());
}

#[test]
fn reading_stops_in_a_member_that_has_more_bytes_than_it_may() {
    // The first has 22 bytes, of which those around texts and between values are not counted.
    let within = r#"{"extras":{"a":[1,2,3],"b":"xy"},"text":"longer than twenty bytes"}"#;
    assert_eq!(kept(within)["extras"]["b"], "xy");
    let numbers = format!(r#"{{"extras":{{"a":[{}what follows"#, "0,".repeat(20));
    let texts = r#"{"extras":{"a":{"a":{"a":"0123456789012345"}},what follows"#.to_owned();
    for beyond in [numbers, texts] {
        let problem = read_members(beyond.as_bytes(), keep).unwrap_err();
        assert_eq!(problem.field.as_deref(), Some("data"));
        assert_eq!(problem.detail, "may have 20 bytes as JSON");
    }
}

#[test]
fn whatever_a_body_has_it_is_json_within_the_bounds_or_refused_with_a_field() {
    tidings_testkit::fuzz::run("json-body", 3_000, |input| {
        let (whole, checked) = (read(input), check(input));
        match (&whole, serde_json::from_slice::<Value>(input)) {
            (Ok(read), known) => assert_eq!(read, &known.unwrap()),
            (Err(problem), _) => {
                let field = problem.field.as_deref().unwrap_or_default();
                assert!((1..=MAX_FIELD_CHARS).contains(&field.chars().count()), "{field}");
            }
        }
        assert_eq!(checked.err(), whole.as_ref().err().cloned());
        assert!(whole.is_ok() || serde_json::from_slice::<Value>(input).is_err() || !is_surely_within(input));
        drop(read_members(input, keep));
    });
}
