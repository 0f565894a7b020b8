//! One JSON array of all notifications. Refuses to hold it in memory.

use std::io::{StdoutLock, Write};

use serde::Serialize;
use tidings_model::Notification;

use super::{Entry, Form, Out};
use crate::error::Result;

pub(super) struct Json<'a> {
    out: Out<StdoutLock<'a>>,
    before: &'static str,
}

impl<'a> Json<'a> {
    pub(super) const fn new(out: Out<StdoutLock<'a>>) -> Self {
        Self { out, before: "[\n" }
    }
}

/// An item as it is written: what is in it, and where it was.
#[derive(Serialize)]
struct Written<'a> {
    #[serde(flatten)]
    notification: &'a Notification,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
}

impl Form for Json<'_> {
    fn write(&mut self, entry: &Entry<'_>) -> Result<()> {
        self.out.write_all(self.before.as_bytes())?;
        self.before = ",\n";
        let Entry { notification, source, user, .. } = *entry;
        serde_json::to_writer(&mut self.out, &Written { notification, source, user })?;
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        if self.before == "[\n" {
            self.out.write_all(b"[")?;
        }
        self.out.write_all(b"\n]\n")?;
        Ok(self.out.flush()?)
    }
}
