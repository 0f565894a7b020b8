//! Operations of readers directly at the server, as from a page or a script; every answer must agree with the rules.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};
use tidings_model::{Kind, Stamp};
use tidings_testkit::rules::{Position, ReaderOp};

use super::{
    catalog::{ACTIONS, expand},
    publishers::TOPIC,
    world::{READERS, World},
};

const REASONS: [&str; 5] =
    ["create_article", "create_product", "like_article", "comment_product", "comment_article"];

impl World {
    async fn ask(&self, who: &str, method: Method, path: &str, body: Value) -> Value {
        self.client(who).ask(method, &self.own(who, path), body).await.success()
    }

    /// A random user, more often one with devices.
    pub(crate) fn random_user(&mut self) -> String {
        if self.chance(8) {
            let all: Vec<String> = self.rules.users.keys().cloned().collect();
            return all[self.below(all.len())].clone();
        }
        self.pick(&READERS).to_owned()
    }

    pub(crate) async fn subscribe(&mut self) {
        let (who, on_topic) = (self.random_user(), self.chance(5));
        let (kind, id) = if on_topic { ("topic", TOPIC) } else { self.random_target() };
        let mut request = json!({"target": {"type": kind, "id": id}});
        let mut actions: Vec<&str> = Vec::new();
        if on_topic {
            actions.push("publish");
            request["actions"] = json!(actions);
        } else if self.chance(2) {
            let reason = self.pick(&REASONS);
            request["reason"] = json!(reason);
            actions.extend(expand(reason));
        } else {
            actions.push(self.pick(&ACTIONS));
            actions.push(self.pick(&ACTIONS));
            request["actions"] = json!(actions);
        }
        self.log.note(format!("{who} subscribes to {request}"));
        let answer = self.ask(&who, Method::PUT, "subscriptions", request).await;
        let target = format!("{kind}:{id}");
        self.rules.subscribe(&who, &target, &actions);
        let existing = self.rules.user(&who).subscriptions.keys().filter(|key| key.0 == target);
        let existing: Vec<&str> = existing.map(|key| key.1.as_str()).collect();
        assert_eq!(answer["actions"], json!(existing), "actions add up");
    }

    pub(crate) async fn unsubscribe(&mut self) {
        let who = self.random_user();
        let existing: Vec<(String, String)> = self.rules.user(&who).subscriptions.keys().cloned().collect();
        if existing.is_empty() {
            return;
        }
        let (target, action) = existing[self.below(existing.len())].clone();
        let action = self.chance(2).then_some(action);
        let (kind, id) = target.split_once(':').unwrap();
        let id = id.replace('/', "%2F").replace(' ', "%20");
        let only = action.as_ref().map_or(String::new(), |action| format!("&action={action}"));
        let path = format!("subscriptions?type={kind}&id={id}{only}");
        self.log.note(format!("{who} cancels {target} {action:?}"));
        self.ask(&who, Method::DELETE, &path, Value::Null).await;
        self.rules.unsubscribe(&who, &target, action.as_deref());
    }

    pub(crate) async fn follow(&mut self) {
        let (who, actor) = (self.random_user(), self.random_actor());
        let path = format!("follows/{actor}");
        if self.chance(2) {
            self.log.note(format!("{who} follows {actor}"));
            self.ask(&who, Method::PUT, &path, Value::Null).await;
            self.rules.follow(&who, &actor);
        } else {
            self.log.note(format!("{who} does not follow {actor} any more"));
            self.ask(&who, Method::DELETE, &path, Value::Null).await;
            self.rules.user(&who).follows.remove(&actor);
        }
    }

    pub(crate) async fn prefer(&mut self) {
        let (who, action) = (self.random_user(), self.pick(&ACTIONS));
        let preference = self.pick(&[Some(true), Some(true), Some(false), None]);
        self.log.note(format!("{who} prefers {action}: {preference:?}"));
        let answer =
            self.ask(&who, Method::PATCH, "preferences", json!({"actions": {action: preference}})).await;
        let user = self.rules.user(&who);
        match preference {
            Some(wanted) => drop(user.preferences.insert(action.to_owned(), wanted)),
            None => drop(user.preferences.remove(action)),
        }
        for action in ACTIONS {
            assert_eq!(answer["actions"][action], self.rules.receives(&who, action), "{who} on {action}");
        }
    }

    pub(crate) async fn join_or_leave(&mut self) {
        let (who, gid) = (self.random_user(), self.random_group());
        let gid = gid.as_str();
        let path = format!("groups/{gid}/members/{who}");
        let inside = self.rules.members(gid).contains(&who);
        let members = self.rules.groups.get_mut(gid).unwrap();
        if inside {
            self.log.note(format!("{who} leaves {gid}"));
            members.remove(&who);
            // The member leaves, or the admin removes the member.
            let by = if self.chance(2) && READERS.contains(&who.as_str()) { &who } else { "admin" };
            self.client(by).delete(&path).await;
        } else {
            self.log.note(format!("{who} joins {gid}"));
            members.insert(who);
            self.client("admin").put(&path, Value::Null).await;
        }
        let group = self.client("admin").get(&format!("groups/{gid}")).await.is(200);
        let mut members_at_server: Vec<&str> =
            group["members"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        members_at_server.sort_unstable();
        assert_eq!(json!(members_at_server), json!(self.rules.members(gid)), "members of {gid}");
    }

    /// A random publication from an inbox, sometimes from the whole history.
    fn random_publication(&mut self, who: &str) -> Option<Position> {
        let existing: Vec<Position> = self.rules.users[who].inbox.keys().copied().collect();
        let all = self.rules.now();
        if existing.is_empty() || self.chance(20) {
            return (all > 0).then(|| self.below(all));
        }
        let range = if self.chance(4) { existing.len() } else { existing.len().min(40) };
        Some(existing[existing.len() - 1 - self.below(range)])
    }

    /// Sends operations that name items, some of which the inbox does not have.
    pub(crate) async fn operate_at_server(&mut self) {
        let who = self.random_user();
        let mut ops = Vec::new();
        let mut reader_ops = Vec::new();
        for _ in 0..=self.below(3) {
            let n = self.name();
            if self.chance(12) {
                let (kind, upto) = (self.random_kind(), self.below(self.rules.now() + 1));
                let through = upto.checked_sub(1).map_or(Stamp::ZERO, |nth| self.rules.history[nth].stamp);
                ops.push(
                    json!({"id": format!("op-{n}"), "op": "read_all", "kind": kind, "through": through}),
                );
                reader_ops.push(ReaderOp::ReadAll { kind, through });
                continue;
            }
            let Some(nth) = self.random_publication(&who) else { return };
            let all =
                ["read", "read", "unread", "seen", "archive", "unarchive", "snooze", "unsnooze", "delete"];
            let op = self.pick(&all);
            let until = (op == "snooze").then(|| self.now().plus_secs(self.until()));
            let msgids = ["nothing-of-this-name", &self.rules.history[nth].msgid];
            ops.push(json!({"id": format!("op-{n}"), "op": op, "msgids": msgids, "until": until}));
            let mark = serde_json::from_value(json!({"op": op, "until": until})).unwrap();
            reader_ops.push(ReaderOp::mark(mark, vec![nth]));
        }
        if self.chance(10) {
            // An invalid operation does not hold up the others.
            ops.push(json!({"id": "x", "op": "shred", "msgids": []}));
        }
        // A repeated operation, at once or much later, changes nothing.
        self.old_ops.extend(ops.iter().map(|op| (who.clone(), op.clone())));
        let old: Vec<Value> =
            self.old_ops.iter().filter(|(by, _)| *by == who).map(|(_, op)| op.clone()).collect();
        ops.push(old[self.below(old.len())].clone());
        self.log.note(format!("{who} at the server: {reader_ops:?}"));
        self.tell_time().await;
        let answer = self.ask(&who, Method::POST, "inbox/ops", json!({ "ops": ops })).await;
        for (result, op) in answer["results"].as_array().unwrap().iter().zip(&ops) {
            assert_eq!((&result["id"], &result["ok"]), (&op["id"], &json!(op["op"] != "shred")));
        }
        self.rules.pull(&who);
        for reader_op in &reader_ops {
            self.rules.apply(&who, reader_op);
        }
        self.check_counts(&who, &answer["unread"], 99);
    }

    /// Visits a view in one of the ways that the API has.
    pub(crate) async fn visit_at_server(&mut self) {
        let who = self.random_user();
        let Some(nth) = self.random_publication(&who) else { return };
        let Some(entry) = self.rules.users[&who].inbox.get(&nth) else { return };
        let (deleted, view) = (entry.deleted, self.rules.view(&who, nth));
        let conversation = self.rules.conversation(&who, nth);
        let published = &self.rules.history[nth];
        let (msgid, stamp) = (published.msgid.clone(), published.stamp);
        let mut through = stamp;
        let (code, id) = view.split_once('/').unwrap();
        let path = format!("views/{code}/{}", id.replace('/', "%2F").replace(' ', "%20"));
        let answer = match (self.below(4), conversation) {
            (0 | 1, Some(conversation)) if !deleted => {
                let path = format!("conversations/{conversation}/read");
                self.ask(&who, Method::PUT, &path, json!({ "through": msgid })).await
            }
            (0 | 1, _) => self.ask(&who, Method::PUT, &path, json!({ "at": stamp })).await,
            (2, _) => {
                let contents =
                    self.rules.history.iter().map(|published| published.revised.max(Some(published.stamp)));
                through = contents.flatten().max().unwrap();
                self.ask(&who, Method::PUT, &path, Value::Null).await
            }
            _ => {
                let op =
                    json!({"id": format!("op-{}", self.name()), "op": "visit", "view": view, "at": stamp});
                self.ask(&who, Method::POST, "inbox/ops", json!({ "ops": [op] })).await;
                Value::Null
            }
        };
        self.log.note(format!("{who} visits {view} up to {through} at the server"));
        self.rules.pull(&who);
        self.rules.apply(&who, &ReaderOp::Visit { view: view.clone(), through });
        if !answer.is_null() {
            let now = self.now();
            let user = &self.rules.users[&who];
            // The count of a target's view includes all its items, of either class.
            let unread = user.inbox.keys().filter(|nth| self.rules.view(&who, **nth) == view);
            let unread = unread.filter(|nth| self.rules.is_unread(&who, **nth, now)).count();
            let count = json!({"count": unread.min(99), "capped": unread > 99});
            assert_eq!(answer["unread"], count, "{who} in {view}");
        }
    }

    /// Acknowledges a few receipts for Cy, who has no device.
    pub(crate) async fn acknowledge_receipts(&mut self) {
        let limit = 1 + self.below(20);
        let page = self.client("cy").get(&format!("receipts?limit={limit}")).await.is(200);
        let waiting: BTreeSet<(Position, String)> =
            self.rules.unacknowledged_receipts("cy").into_iter().collect();
        let name = |value: &Value| value.as_str().unwrap().to_owned();
        let lines = page["receipts"].as_array().unwrap().iter();
        let lines: Vec<(Position, String)> = lines
            .map(|receipt| (self.rules.find(&name(&receipt["msgid"])).unwrap(), name(&receipt["reader"])))
            .collect();
        let received: BTreeSet<(Position, String)> = lines.iter().cloned().collect();
        assert_eq!((lines.len(), received.len()), (waiting.len().min(limit), waiting.len().min(limit)));
        assert!(received.is_subset(&waiting), "receipts for cy: {received:?}");
        assert_eq!(page["more"], waiting.len() > limit);
        if self.chance(2) {
            self.log.note(format!("cy keeps {} receipts", received.len()));
            self.client("cy").post("receipts/ack", json!({"through": page["next"]})).await.success();
            self.rules.acknowledge(&received);
        }
    }

    /// Reads an inbox in one of the ways that the API has.
    pub(crate) async fn read_at_random(&mut self) {
        let who = self.random_user();
        self.log.note(format!("{who} asks"));
        match self.below(3) {
            0 => {
                let cap = 1 + self.below(200) as u64;
                let answer = self.read(&who, &format!("unread?cap={cap}")).await;
                self.check_counts(&who, &answer, cap);
            }
            1 => self.check_conversations(&who).await,
            _ => {
                let kind = self.random_kind();
                let (archived, unread, limit) = (self.chance(3), self.chance(3), 1 + self.below(60));
                self.check_inbox(&who, kind, archived, unread, limit, 3).await;
            }
        }
    }

    /// Asserts that the counts of an answer equal a recount by the rules.
    pub(crate) fn check_counts(&self, who: &str, answer: &Value, cap: u64) {
        let counts = self.rules.unread(who, self.now());
        let capped = |n: u64| json!({"count": n.min(cap), "capped": n > cap});
        let conversations: serde_json::Map<_, _> =
            counts.conversations.iter().map(|(id, n)| (id.clone(), capped(*n))).collect();
        let rules = json!({
            "total": capped(counts.total()),
            "announcement": capped(counts.announcement),
            "reminder": capped(counts.reminder),
            "message": capped(counts.message),
            "conversations": conversations,
        });
        assert_eq!(*answer, rules, "what is unread for {who}");
    }

    /// The items that a filter lets through by the rules, newest first.
    pub(crate) fn listed(
        &self,
        who: &str,
        kind: Option<Kind>,
        archived: bool,
        unread: bool,
    ) -> Vec<Position> {
        let now = self.now();
        let inbox = self.rules.users[who].inbox.iter().rev();
        let fits = inbox.filter(|(nth, entry)| {
            let kind = kind.is_none_or(|kind| self.rules.kind(**nth) == kind);
            let state = entry.archived == archived && !entry.deleted;
            kind && state && (!unread || self.rules.is_unread(who, **nth, now))
        });
        let mut fitting: Vec<Position> = fits.map(|(nth, _)| *nth).collect();
        fitting.sort_by_key(|nth| std::cmp::Reverse(self.rules.content_at(who, *nth)));
        fitting
    }
}
