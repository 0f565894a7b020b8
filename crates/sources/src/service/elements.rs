//! Lists in answers. An element that can't be read is left out and named, so that the others are taken.
//!
//! A list is parsed element by element as raw text, so that depth, types and escapes of one element cost that
//! element only. What can't be read is recorded in the table `skipped`, beside what is too large.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;
use tidings_model::MsgId;
use tidings_replica::Skipped;

/// The longest name of an element, in characters: that of a msgid, by the protocol.
const MAX_NAME_CHARS: usize = 64;

/// The elements of a list.
#[derive(Debug)]
pub(crate) struct Elements<T> {
    /// Those that can be read, in their order.
    pub(crate) read: Vec<T>,
    /// Those that can't, in their order; the first ones, if they are more than are recorded.
    pub(crate) malformed: Vec<Skipped>,
    /// How many more can't be read.
    unnamed: usize,
}

impl<T> Default for Elements<T> {
    fn default() -> Self {
        Self { read: Vec::new(), malformed: Vec::new(), unnamed: 0 }
    }
}

impl<T> Elements<T> {
    /// The number of all elements.
    pub(crate) fn len(&self) -> usize {
        self.read.len() + self.malformed.len() + self.unnamed
    }

    /// Whether there are elements, and none of them can be read.
    pub(crate) fn is_foreign(&self) -> bool {
        self.read.is_empty() && !self.malformed.is_empty()
    }
}

/// What names an element, whatever its other members are.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Name {
    msgid: Option<Box<RawValue>>,
    id: Option<Box<RawValue>>,
}

/// An element that can't be read, as it stands in the answer.
pub(crate) fn malformed(element: &str) -> Skipped {
    let Name { msgid, id } = serde_json::from_str(element).unwrap_or_default();
    let text = |name: Box<RawValue>| {
        let text = name.get();
        let text = serde_json::from_str::<String>(text).unwrap_or_else(|_| text.to_owned());
        text.chars().filter(|c| !c.is_control()).take(MAX_NAME_CHARS).collect::<String>()
    };
    let name = msgid.or(id).map(text).unwrap_or_default();
    let position = if name.is_empty() {
        let mut hasher = DefaultHasher::new();
        element.hash(&mut hasher);
        format!("malformed#{:016x}", hasher.finish())
    } else {
        format!("malformed/{name}")
    };
    Skipped { position, msgid: MsgId(name), malformed: true }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Elements<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ElementsVisitor<T>(PhantomData<T>);
        impl<'de, T: DeserializeOwned> Visitor<'de> for ElementsVisitor<T> {
            type Value = Elements<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
                let mut all = Elements::default();
                // An element as text has no depth: what is nested deeper than can be read is malformed, too.
                while let Some(element) = elements.next_element::<Box<RawValue>>()? {
                    match serde_json::from_str(element.get()) {
                        Ok(read) => all.read.push(read),
                        Err(_) if all.malformed.len() >= Skipped::MAX_RECORDED => all.unnamed += 1,
                        Err(error) => {
                            tracing::warn!(column = error.column(), "an element of an answer can't be read");
                            all.malformed.push(malformed(element.get()));
                        }
                    }
                }
                Ok(all)
            }
        }
        deserializer.deserialize_seq(ElementsVisitor(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Entry {
        id: u64,
    }

    #[test]
    fn what_cannot_be_read_is_named_and_the_others_are_taken() {
        let deep = format!("{{\"id\": 7, \"data\": {}{}}}", "[".repeat(5_000), "]".repeat(5_000));
        let long = format!("{{\"msgid\": \"{}\"}}", "é".repeat(500));
        let list = format!(
            r#"[{{"id": 1}}, {{"id": "x\u0007y"}}, {{"id": 2}}, 5, null, {deep}, {long}, {{"id": "\ud800"}}, {{"id": 3}}]"#
        );
        let Elements { read, malformed, .. } = serde_json::from_str::<Elements<Entry>>(&list).unwrap();
        assert_eq!(read.iter().map(|entry| entry.id).collect::<Vec<_>>(), [1, 2, 7, 3]);
        let names: Vec<&str> = malformed.iter().map(|one| one.msgid.as_str()).collect();
        assert_eq!(names, ["xy", "", "", &"é".repeat(64), r#""\ud800""#]);
        assert_ne!(malformed[1].position, malformed[2].position, "what has no name is told by its text");
    }

    #[test]
    fn of_many_that_cannot_be_read_no_more_are_named_than_are_recorded() {
        let list = format!("[{}7]", "7,".repeat(100_000));
        let elements = serde_json::from_str::<Elements<Entry>>(&list).unwrap();
        assert_eq!((elements.malformed.len(), elements.len()), (Skipped::MAX_RECORDED, 100_001));
        assert!(elements.is_foreign());
    }

    #[test]
    fn what_is_no_list_is_no_list() {
        for odd in ["{}", "5", "[1, 2", r#"[{"id": 1}] x"#] {
            assert!(serde_json::from_str::<Elements<Entry>>(odd).is_err(), "{odd}");
        }
    }
}
