//! Publishers edit their publications and take them back, by their msgids or by the names of sequences.

use reqwest::Method;
use serde_json::{Value, json};
use tidings_model::Stamp;
use tidings_testkit::rules::{Position, PublicationKind, Withdrawal};

use super::world::{READERS, World};

/// How far back a publisher goes.
const NEWEST: usize = 60;

/// A topic at ntfy's door, and the names under which is published there.
pub(crate) const TOPIC: &str = "builds";
const SEQUENCES: [&str; 3] = ["api", "page", "docs"];

impl World {
    /// One of the newest publications, with who may change it.
    fn changeable(&mut self) -> Option<(Position, String)> {
        let newest = (0..self.rules.now()).rev().take(NEWEST);
        let fitting: Vec<Position> = newest.filter(|nth| !self.may_be_forgotten(*nth)).collect();
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
        let Some((nth, who)) = self.changeable() else { return };
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

    /// Takes a publication back.
    pub(crate) async fn recall(&mut self) {
        let Some((nth, who)) = self.changeable() else { return };
        self.log.note(format!("{who} takes {nth} back"));
        self.change(&who, nth, Method::DELETE, Value::Null).await.success();
        self.rules.recall(nth);
    }

    /// Sends a request about a sequence at ntfy's door.
    async fn ask_ntfy(&self, method: Method, path: &str, text: &str) -> Value {
        let client = self.client("admin");
        let request = client.request(method, &format!("/{TOPIC}/{path}")).body(text.to_owned());
        client.send(request).await.is(200)
    }

    /// Publishes at ntfy's door under the name of a sequence, which revises what is there under it.
    pub(crate) async fn publish_under_a_sequence(&mut self) {
        let (name, text) = (self.pick(&SEQUENCES), format!("text {}", self.name()));
        self.log.note(format!("{name} of {TOPIC} says {text}"));
        let answer = self.ask_ntfy(Method::POST, name, &text).await;
        // An edit without a change says which notification that is, and when it came.
        let path = format!("notifications/{}", answer["id"].as_str().unwrap());
        let posted = self.client("admin").patch(&path, json!({})).await.is(200);
        let stamp: Stamp = posted["stamp"].as_str().unwrap().parse().unwrap();
        let msgid = posted["msgid"].as_str().unwrap();
        if let Some(nth) = self.of_sequence(name) {
            assert_eq!(self.rules.find(msgid), Some(nth), "{name} is one notification");
            self.rules.revise(nth, stamp);
            self.rules.history[nth].body = text;
            return;
        }
        self.sequences.insert(name, self.rules.now());
        let (actor, action, target) = (TOPIC.to_owned(), "publish".to_owned(), format!("topic:{TOPIC}"));
        self.rules.publish(msgid, stamp, &text, PublicationKind::Reminder { actor, action, target });
    }

    /// The notification that has the name of a sequence, unless it was taken back.
    fn of_sequence(&self, name: &str) -> Option<Position> {
        let nth = self.sequences.get(name).copied()?;
        (self.rules.history[nth].withdrawn != Some(Withdrawal::Delete)).then_some(nth)
    }

    /// Clears what is there under the name of a sequence, for everybody, or takes it back.
    pub(crate) async fn withdraw_a_sequence(&mut self) {
        let name = self.pick(&SEQUENCES);
        let Some(nth) = self.of_sequence(name) else { return };
        let how = if self.chance(4) { Withdrawal::Delete } else { Withdrawal::Clear };
        self.log.note(format!("{name} of {TOPIC}, which is {nth}: {how:?}"));
        match how {
            Withdrawal::Clear => self.ask_ntfy(Method::PUT, &format!("{name}/clear"), "").await,
            Withdrawal::Delete => self.ask_ntfy(Method::DELETE, name, "").await,
        };
        self.rules.withdraw(nth, how);
    }
}
