//! Users who publish: messages to each other and to groups, announcements, reminders, and what is to be delivered later.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rand::RngExt;
use rand::rngs::StdRng;
use reqwest::Method;
use serde_json::{Value, json};
use support::client::Client;

use super::USERS;
use super::record::{Audience, Posted};
use super::work::{Done, Work};

/// The topic of publications that are delivered later.
pub(super) const TOPIC: &str = "later";
/// Articles that users comment on and subscribe to.
const ARTICLES: usize = 40;
/// How late, seconds: as little as a server takes.
const DELAY: &str = "10s";

impl Work {
    /// Publishes one after the other until the work ends.
    pub(super) async fn write(self: Arc<Self>, writer: usize, user: Client) {
        let mut rng = self.rng(writer as u64);
        let mut n = 0;
        while !self.ended.load(Ordering::SeqCst) {
            n += 1;
            let name = format!("{}-{n}", USERS[writer]);
            match rng.random_range(0..20) {
                0..6 => self.message(writer, &user, &name, &mut rng).await,
                6..10 => self.group_message(writer, &user, &name, &mut rng).await,
                10..12 => self.announcement(&name, &mut rng).await,
                12..16 => self.reminder(writer, &user, &name, &mut rng).await,
                16 if self.has_time_for_delays() => self.delayed(&name, &mut rng).await,
                17 => self.make_group(writer, &user, &name, &mut rng).await,
                _ => self.subscribe(&user, &mut rng).await,
            }
            self.rest(&mut rng).await;
        }
    }

    /// Posts a JSON body under a key, at either server first.
    async fn post(&self, user: &Client, path: &str, body: &Value, key: &str, rng: &mut StdRng) -> Done {
        let first = rng.random_range(0..2);
        self.ask(user, first, |at| at.request(Method::POST, path).header("Idempotency-Key", key).json(body))
            .await
    }

    fn note(&self, done: &Done, body: &str, audience: Audience) {
        let text = |name: &str| done.body[name].as_str().expect("a text").to_owned();
        let (msgid, stamp) = match audience {
            Audience::Later(_) => (text("id"), String::new()),
            _ => (text("msgid"), text("stamp")),
        };
        let (sent, acknowledged) = (done.sent, done.acknowledged);
        self.acknowledged(Posted { msgid, stamp, body: body.to_owned(), audience, sent, acknowledged });
    }

    async fn message(&self, writer: usize, user: &Client, name: &str, rng: &mut StdRng) {
        let to = USERS[rng.random_range(0..USERS.len())];
        let done = self.post(user, "messages", &json!({"to": to, "body": name}), name, rng).await;
        self.note(&done, name, Audience::Users(vec![USERS[writer].to_owned(), to.to_owned()]));
    }

    async fn group_message(&self, writer: usize, user: &Client, name: &str, rng: &mut StdRng) {
        let (group, members) = self.group_of(USERS[writer], rng);
        let done =
            self.post(user, &format!("groups/{group}/messages"), &json!({"body": name}), name, rng).await;
        self.note(&done, name, Audience::Group(members));
    }

    async fn announcement(&self, name: &str, rng: &mut StdRng) {
        let body = json!({"title": "News", "body": name});
        let done = self.post(&self.publisher, "announcements", &body, name, rng).await;
        self.note(&done, name, Audience::Everyone);
    }

    async fn reminder(&self, writer: usize, user: &Client, name: &str, rng: &mut StdRng) {
        let (actor, article) = (USERS[writer], rng.random_range(0..ARTICLES).to_string());
        let target = json!({"type": "article", "id": article});
        let body = json!({"actor": actor, "action": "comment", "target": target, "body": name});
        let done = self.post(user, "reminders", &body, name, rng).await;
        let (target, actor) = (format!("article:{article}"), actor.to_owned());
        self.note(&done, name, Audience::Subscribers { target, actor });
    }

    /// By the door of ntfy, which takes delays.
    async fn delayed(&self, name: &str, rng: &mut StdRng) {
        let first = rng.random_range(0..2);
        let done = self
            .ask(&self.publisher, first, |at| {
                let request = at.request(Method::POST, &format!("/{TOPIC}")).body(name.to_owned());
                request.header("Idempotency-Key", name).header("Delay", DELAY)
            })
            .await;
        self.note(&done, name, Audience::Later(format!("topic:{TOPIC}")));
    }

    async fn make_group(&self, writer: usize, user: &Client, name: &str, rng: &mut StdRng) {
        let mut members: Vec<String> =
            USERS.iter().filter(|_| rng.random_range(0..2) == 0).map(|id| (*id).to_owned()).collect();
        let body = json!({"id": name, "name": name, "members": members});
        self.post(user, "groups", &body, name, rng).await;
        if !members.iter().any(|id| id == USERS[writer]) {
            members.push(USERS[writer].to_owned());
        }
        self.group_made(name, members);
    }

    async fn subscribe(&self, user: &Client, rng: &mut StdRng) {
        let target = json!({"type": "article", "id": rng.random_range(0..ARTICLES).to_string()});
        let body = json!({"target": target, "actions": ["comment"]});
        self.ask(user, rng.random_range(0..2), |at| at.request(Method::PUT, "subscriptions").json(&body))
            .await;
    }
}
