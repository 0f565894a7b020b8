//! Publishers edit their publications and take them back.

use reqwest::Method;
use serde_json::{Value, json};
use tidings_testkit::rules::{Position, PublicationKind, Withdrawal};

use super::world::{READERS, World};

/// How far back a publisher goes.
const NEWEST: usize = 60;

impl World {
    /// A publication of the newest that fits, with who may change it.
    fn changeable(&mut self, fits: fn(&PublicationKind) -> bool) -> Option<(Position, String)> {
        let newest = self.rules.history.iter().enumerate().rev().take(NEWEST);
        let fitting: Vec<Position> = newest
            .filter(|(nth, it)| fits(&it.kind) && !self.may_be_forgotten(*nth))
            .map(|(nth, _)| nth)
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let nth = fitting[self.below(fitting.len())];
        let by = match &self.rules.history[nth].kind {
            PublicationKind::Direct { from, .. } | PublicationKind::Group { from, .. } => from.clone(),
            PublicationKind::Announcement { .. } | PublicationKind::Reminder { .. } => "admin".to_owned(),
        };
        let is_by_sender = READERS.contains(&by.as_str()) && self.chance(2);
        Some((nth, if is_by_sender { by } else { "admin".to_owned() }))
    }

    async fn change(&self, who: &str, nth: Position, method: Method, body: Value) -> support::client::Answer {
        let path = format!("notifications/{}", self.rules.history[nth].msgid);
        self.client(who).ask(method, &path, body).await
    }

    /// Edits a publication. A message keeps its place and its read state, anything else is news.
    pub(crate) async fn edit(&mut self) {
        let Some((nth, who)) = self.changeable(|_| true) else { return };
        let text = format!("text {}, edited", self.name());
        self.log.note(format!("{who} edits {nth}"));
        let answer = self.change(&who, nth, Method::PATCH, json!({"body": text})).await;
        if self.rules.history[nth].withdrawn == Some(Withdrawal::Delete) {
            answer.problem(404, "not_found", None);
            return;
        }
        let revised_at = answer.is(200)["revised_at"].as_str().unwrap().parse().unwrap();
        self.rules.revise(nth, revised_at);
        self.rules.history[nth].body = text;
    }

    /// Takes back anything but a group message, whose receipts go their own way.
    pub(crate) async fn recall(&mut self) {
        let goes = |kind: &PublicationKind| !matches!(kind, PublicationKind::Group { .. });
        let Some((nth, who)) = self.changeable(goes) else { return };
        self.log.note(format!("{who} takes {nth} back"));
        self.change(&who, nth, Method::DELETE, Value::Null).await.success();
        self.rules.recall(nth);
    }
}
