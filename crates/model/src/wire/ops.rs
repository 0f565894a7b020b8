//! Operations on an inbox, and their results.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::UnreadCounts;
use crate::{Kind, Mark, MsgId, Stamp, View};

/// An operation on the inbox, with the client's own id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Op {
    /// An id that the client chose; the server applies operations with the same id once.
    pub id: String,
    /// The change.
    #[serde(flatten)]
    pub change: Change,
}

/// The change of an operation. In JSON the member `op` names it: a mark, `visit` or `read_all`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Change {
    /// Visits a view: moves its mark forward.
    Visit {
        /// The view.
        view: View,
        /// `created_at` of the newest item that was shown; the server's time if it is missing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Stamp>,
    },
    /// Marks every item created at or before `through` as read.
    ReadAll {
        /// Only items of this kind.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<Kind>,
        /// The time up to which items are read.
        through: Stamp,
    },
    /// Answers a question: the first answer counts, for everybody who has the item.
    Answer {
        /// The item that asks.
        msgids: [MsgId; 1],
        /// The id of the chosen answer; `None` for a text alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<String>,
        /// A text of one's own, if the question takes one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// When the reader gave it, by the server's clock; the time of its arrival if it is missing. A question that was
        /// asked later is not answered by it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Stamp>,
    },
    /// Puts a mark on items.
    #[serde(untagged)]
    Mark {
        /// A mark of items. Marks of threads are refused: they are not operations.
        #[serde(flatten, deserialize_with = "of_items")]
        mark: Mark,
        /// The items.
        msgids: Vec<MsgId>,
        /// When the reader put it, by the server's clock; the time of its arrival if it is missing. Of two marks that
        /// say the opposite about one item, the later one holds, in whatever order they arrive.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Stamp>,
    },
}

fn of_items<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Mark, D::Error> {
    let mark = Mark::deserialize(deserializer)?;
    if mark.is_of_items() {
        Ok(mark)
    } else {
        Err(D::Error::custom(format_args!("`{}` is kept by each device for itself", mark.name())))
    }
}

impl Change {
    /// The items that the operation names; `None` for `Visit` and `ReadAll`.
    pub fn msgids(&self) -> Option<&[MsgId]> {
        match self {
            Self::Mark { msgids, .. } => Some(msgids),
            Self::Answer { msgids, .. } => Some(msgids),
            Self::Visit { .. } | Self::ReadAll { .. } => None,
        }
    }
}

#[cfg(feature = "openapi")]
impl utoipa::PartialSchema for Change {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        use utoipa::openapi::schema::{ArrayBuilder, OneOfBuilder};
        use utoipa::openapi::{ObjectBuilder, Ref, RefOr, Schema, Type};

        const AT: &str = " `at` is when the reader put it, by the server's clock: of two that say the opposite about \
                          one item, the later one holds.";
        // Operations with the same members share one schema.
        let object = |names: &[&str]| {
            let op = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names.iter().copied()));
            ObjectBuilder::new().schema_type(Type::Object).property("op", op).required("op")
        };
        let reference = |name: &str| RefOr::<Schema>::Ref(Ref::from_schema_name(name));
        let msgids = || ArrayBuilder::new().items(reference("MsgId"));
        let (timed, plain): (Vec<_>, Vec<_>) =
            Mark::of_items(Stamp::MAX).into_iter().partition(|mark| mark.until().is_some());
        let [timed, plain] =
            [timed, plain].map(|marks| marks.into_iter().map(Mark::name).collect::<Vec<_>>());
        let plain = object(&plain)
            .description(Some(format!("Puts a mark on items.{AT}")))
            .property("msgids", msgids())
            .required("msgids")
            .property("at", reference("Stamp"));
        let timed = object(&timed)
            .description(Some(format!("Puts a mark on items until a time.{AT}")))
            .property("msgids", msgids())
            .required("msgids")
            .property("at", reference("Stamp"))
            .property("until", reference("Stamp"))
            .required("until");
        let visit = object(&["visit"])
            .description(Some("Visits a view: moves its mark forward to `at`, which is now by default."))
            .property("view", reference("View"))
            .required("view")
            .property("at", reference("Stamp"));
        let read_all = object(&["read_all"])
            .description(Some("Marks everything created at or before a time as read, of one kind or of all."))
            .property("kind", reference("Kind"))
            .property("through", reference("Stamp"))
            .required("through");
        let answer = object(&["answer"])
            .description(Some(
                "Answers a question; the first answer counts. `at` is when the reader gave it, by the server's \
                 clock: what was asked again later is not answered by it.",
            ))
            .property("msgids", msgids().min_items(Some(1)).max_items(Some(1)))
            .required("msgids")
            .property("answer", ObjectBuilder::new().schema_type(Type::String))
            .property("text", ObjectBuilder::new().schema_type(Type::String))
            .property("at", reference("Stamp"));
        OneOfBuilder::new().item(answer).item(plain).item(timed).item(visit).item(read_all).into()
    }
}

#[cfg(feature = "openapi")]
impl utoipa::ToSchema for Change {}

/// The body of `POST /inbox/ops`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Ops {
    /// The operations, at most 1,000, applied in order.
    pub ops: Vec<Op>,
}

/// The result of one operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OpResult {
    /// The id of the operation.
    pub id: String,
    /// Whether the operation is applied, by this request or an earlier one.
    pub ok: bool,
    /// The reason for which it was not applied; `None` with `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<crate::Code>,
}

/// The answer to `POST /inbox/ops`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OpsAnswer {
    /// One result for each operation, in their order.
    pub results: Vec<OpResult>,
    /// The unread counts after the operations.
    pub unread: UnreadCounts,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn operations_read_as_the_protocol_writes_them() {
        let op: Op =
            serde_json::from_str(r#"{"id":"1","op":"snooze","msgids":["a"],"until":"2026-11-21T08:00:00Z"}"#)
                .unwrap();
        assert!(matches!(op.change, Change::Mark { mark: Mark::Snooze { .. }, .. }));
        assert_eq!(op.change.msgids(), Some(&["a".into()][..]));
        let op: Op = serde_json::from_str(r#"{"id":"2","op":"visit","view":"announcements/all"}"#).unwrap();
        assert_eq!(
            serde_json::to_value(&op).unwrap(),
            json!({"id":"2","op":"visit","view":"announcements/all"})
        );
        let given = "2026-11-20T06:14:00.123456Z";
        let answer = json!({"id":"4","op":"answer","msgids":["a"],"answer":"yes","at":given});
        let op: Op = serde_json::from_value(answer.clone()).unwrap();
        assert_eq!(op.change.msgids(), Some(&["a".into()][..]));
        assert_eq!(serde_json::to_value(&op).unwrap(), answer);
        assert!(serde_json::from_value::<Op>(json!({"id":"5","op":"answer","msgids":["a","b"]})).is_err());
        for other in ["shred", "pin", "unsubscribe", "snooze"] {
            assert!(
                serde_json::from_value::<Op>(json!({"id": "3", "op": other, "msgids": []})).is_err(),
                "{other}"
            );
        }
    }
}
