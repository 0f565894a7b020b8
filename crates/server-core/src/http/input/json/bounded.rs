//! Parses JSON into a [`Value`], within bounds on its depth, the number of its values, and its texts. Parsing stops at
//! the first exceeded bound, so that nothing beyond it is built; the work is linear in the bytes. What a door has no use
//! for is not built either.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use tidings_model::Problem;

use super::keep::Keep;
use crate::domain::limits;

/// The longest path of a field in an error, in characters.
const MAX_FIELD_CHARS: usize = 200;
/// NUL in a JSON text.
const NUL: &[u8] = br"\u0000";

/// Parses a whole JSON text.
pub(super) fn read(bytes: &[u8]) -> Result<Value, Problem> {
    read_with(bytes, BoundedReader::default(), Keep::All)
}

/// Parses a whole JSON text that has to be an object. `keep` says what is kept of a member.
pub(super) fn read_members(bytes: &[u8], keep: fn(&str) -> Keep) -> Result<Value, Problem> {
    let reader = BoundedReader { keep_of: Some(keep), ..BoundedReader::default() };
    read_with(bytes, reader, Keep::Elements(0))
}

/// Checks the bounds on a whole JSON text.
pub(super) fn check(bytes: &[u8]) -> Result<(), Problem> {
    read_with(bytes, BoundedReader::default(), Keep::Nothing).map(drop)
}

fn read_with(bytes: &[u8], mut reader: BoundedReader, keep: Keep) -> Result<Value, Problem> {
    let mut from = serde_json::Deserializer::from_slice(bytes);
    let seed = Seed { reader: &mut reader, depth: 0, keep };
    let read = seed.deserialize(&mut from).and_then(|v| from.end().map(|()| v));
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
    /// What is kept of the members of the outermost object.
    keep_of: Option<fn(&str) -> Keep>,
    /// Set while a member is read that has a bound on its bytes.
    room: Option<Room>,
    fault: Option<Fault>,
}

/// The bytes that a member may have as JSON, because it goes into a field that may have as many.
struct Room {
    field: &'static str,
    most: usize,
    /// Those that are left. No more are counted than names and values have at least.
    left: usize,
}

/// An exceeded bound and its position.
struct Fault {
    detail: String,
    /// What it is about if its position is not said.
    field: &'static str,
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
        if short.is_empty() { self.field.to_owned() } else { short }
    }
}

impl BoundedReader {
    fn refuse<E: de::Error>(&mut self, path: Option<Vec<Step>>, detail: String) -> E {
        self.fault.get_or_insert(Fault { detail, field: "body", path });
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
        self.take_room(1)
    }

    /// Counts bytes of the member that is being read.
    fn take_room<E: de::Error>(&mut self, bytes: usize) -> Result<(), E> {
        let Some(room) = &mut self.room else { return Ok(()) };
        if let Some(left) = room.left.checked_sub(bytes) {
            room.left = left;
            return Ok(());
        }
        let detail = format!("may have {} bytes as JSON", room.most);
        self.fault.get_or_insert(Fault { detail, field: room.field, path: None });
        Err(E::custom("a member has no room"))
    }

    /// What is kept of a member of an object with so many containers around its values.
    fn keep_of_member(&mut self, depth: usize, name: &str, otherwise: Keep) -> Keep {
        let Some(keep_of) = self.keep_of.filter(|_| depth == 1) else { return otherwise };
        let keep = keep_of(name);
        self.room = match keep {
            // Its name will be counted, too.
            Keep::Within(field, most) => Some(Room { field, most, left: most + name.len() }),
            _ => None,
        };
        keep
    }

    fn check_text<E: de::Error>(&mut self, text: &str) -> Result<(), E> {
        if text.len() > limits::TEXT_BYTES {
            return Err(self.refuse(Some(Vec::new()), format!("may have {} bytes", limits::TEXT_BYTES)));
        }
        if text.contains('\0') {
            return Err(self.refuse(Some(Vec::new()), "must not contain NUL".to_owned()));
        }
        self.take_room(text.len())
    }
}

struct Seed<'a> {
    reader: &'a mut BoundedReader,
    /// Number of arrays and objects around the value.
    depth: usize,
    keep: Keep,
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
        Ok(if self.keep == Keep::Nothing { Value::Null } else { text.into() })
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<Value, A::Error> {
        let depth = self.enter_container()?;
        let (mut values, mut index) = (Vec::new(), 0);
        loop {
            let keep = self.keep.of_element(index);
            match seq.next_element_seed(Seed { reader: &mut *self.reader, depth, keep }) {
                Ok(Some(_)) if keep == Keep::Nothing => {}
                Ok(Some(value)) => values.push(value),
                Ok(None) => return Ok(Value::Array(values)),
                Err(e) => {
                    self.reader.add_step(|| Step::Index(index));
                    return Err(e);
                }
            }
            index += 1;
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Value, A::Error> {
        let depth = self.enter_container()?;
        let mut members = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let keep = self.reader.keep_of_member(depth, &key, self.keep.of_member());
            let value = match self.reader.check_text(&key) {
                Ok(()) => map.next_value_seed(Seed { reader: &mut *self.reader, depth, keep }),
                Err(e) => Err(e),
            };
            match value {
                Ok(_) if keep == Keep::Nothing => {}
                Ok(value) => drop(members.insert(key, value)),
                Err(e) => {
                    self.reader.add_step(|| Step::Member(key));
                    return Err(e);
                }
            }
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
#[path = "bounded_tests.rs"]
mod tests;
