//! Parses JSON into a [`Value`], within bounds on its depth, the number of its values, and its texts. Parsing stops at
//! the first exceeded bound, so that nothing beyond it is built; the work is linear in the bytes.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use tidings_model::Problem;

use crate::domain::limits;

/// The longest path of a field in an error, in characters.
const MAX_FIELD_CHARS: usize = 200;
/// NUL in a JSON text.
const NUL: &[u8] = br"\u0000";

/// Parses a whole JSON text.
pub(super) fn read(bytes: &[u8]) -> Result<Value, Problem> {
    let mut reader = BoundedReader::default();
    let mut from = serde_json::Deserializer::from_slice(bytes);
    let read =
        Seed { reader: &mut reader, depth: 0 }.deserialize(&mut from).and_then(|v| from.end().map(|()| v));
    read.map_err(|e| match reader.fault {
        Some(fault) => Problem::invalid(fault.field(), fault.detail),
        None => Problem::invalid("body", format!("is not JSON: {e}")),
    })
}

/// Whether a valid JSON text is within all bounds, by a look at its bytes. `false` may also mean that it has to be read.
pub(super) fn is_surely_within(json: &[u8]) -> bool {
    let opened = json.iter().filter(|byte| matches!(byte, b'[' | b'{')).count();
    // A text and the number of values have no more bytes than the whole.
    json.len() <= limits::TEXT_BYTES.min(limits::JSON_VALUES)
        && opened <= limits::JSON_DEPTH.min(limits::JSON_CONTAINERS)
        && !has_nul(json)
}

/// Whether a text has the characters of an escaped NUL. Few texts have a backslash, for which a look is cheap.
fn has_nul(json: &[u8]) -> bool {
    json.contains(&b'\\') && json.windows(NUL.len()).any(|part| part == NUL)
}

/// The counts so far, and the bound that was exceeded.
#[derive(Default)]
struct BoundedReader {
    values: usize,
    containers: usize,
    fault: Option<Fault>,
}

/// An exceeded bound and its position.
struct Fault {
    detail: String,
    /// The steps from the innermost value outwards; `None` if the bound is on the body as a whole.
    path: Option<Vec<Step>>,
}

enum Step {
    Member(String),
    Index(usize),
}

impl Fault {
    fn field(&self) -> String {
        let mut field = String::new();
        for step in self.path.iter().flatten().rev() {
            match step {
                Step::Index(i) => field.extend(["[", &i.to_string(), "]"]),
                Step::Member(key) if field.is_empty() => field.push_str(key),
                Step::Member(key) => field.extend([".", key]),
            }
            if field.len() > MAX_FIELD_CHARS {
                break;
            }
        }
        let short: String = field.chars().filter(|c| *c != '\0').take(MAX_FIELD_CHARS).collect();
        if short.is_empty() { "body".to_owned() } else { short }
    }
}

impl BoundedReader {
    fn refuse<E: de::Error>(&mut self, path: Option<Vec<Step>>, detail: String) -> E {
        self.fault.get_or_insert(Fault { detail, path });
        E::custom("a bound was passed")
    }

    /// Adds a step to the path of a failure on its way outwards.
    fn add_step(&mut self, step: impl FnOnce() -> Step) {
        if let Some(path) = self.fault.as_mut().and_then(|fault| fault.path.as_mut()) {
            path.push(step());
        }
    }

    fn count_value<E: de::Error>(&mut self) -> Result<(), E> {
        self.values += 1;
        if self.values > limits::JSON_VALUES {
            return Err(self.refuse(None, format!("may have {} values", limits::JSON_VALUES)));
        }
        Ok(())
    }

    fn check_text<E: de::Error>(&mut self, text: &str) -> Result<(), E> {
        if text.len() > limits::TEXT_BYTES {
            return Err(self.refuse(Some(Vec::new()), format!("may have {} bytes", limits::TEXT_BYTES)));
        }
        if text.contains('\0') {
            return Err(self.refuse(Some(Vec::new()), "must not contain NUL".to_owned()));
        }
        Ok(())
    }
}

struct Seed<'a> {
    reader: &'a mut BoundedReader,
    /// Number of arrays and objects around the value.
    depth: usize,
}

impl Seed<'_> {
    /// Enters an array or an object; gives the new depth.
    fn enter_container<E: de::Error>(&mut self) -> Result<usize, E> {
        if self.depth >= limits::JSON_DEPTH {
            let detail = format!("may have {} arrays and objects inside each other", limits::JSON_DEPTH);
            return Err(self.reader.refuse(None, detail));
        }
        self.reader.containers += 1;
        if self.reader.containers > limits::JSON_CONTAINERS {
            let detail = format!("may have {} arrays and objects", limits::JSON_CONTAINERS);
            return Err(self.reader.refuse(None, detail));
        }
        Ok(self.depth + 1)
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        self.reader.count_value()?;
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        self.reader.check_text(text)?;
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<Value, A::Error> {
        let depth = self.enter_container()?;
        let mut values = Vec::new();
        loop {
            match seq.next_element_seed(Seed { reader: &mut *self.reader, depth }) {
                Ok(Some(value)) => values.push(value),
                Ok(None) => return Ok(Value::Array(values)),
                Err(e) => {
                    self.reader.add_step(|| Step::Index(values.len()));
                    return Err(e);
                }
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Value, A::Error> {
        let depth = self.enter_container()?;
        let mut members = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = match self.reader.check_text(&key) {
                Ok(()) => map.next_value_seed(Seed { reader: &mut *self.reader, depth }),
                Err(e) => Err(e),
            };
            match value {
                Ok(value) => members.insert(key, value),
                Err(e) => {
                    self.reader.add_step(|| Step::Member(key));
                    return Err(e);
                }
            };
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
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
}
