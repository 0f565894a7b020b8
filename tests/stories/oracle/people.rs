//! Users and groups that come and go.

use serde_json::{Value, json};
use tidings_testkit::rules::{Position, PublicationKind};

use super::world::{GROUPS, READERS, World};

/// The bound of users; the later ones come and go.
const USERS: usize = 9;
/// The bound of groups.
const MAX_GROUPS: usize = 4;

impl World {
    /// Users who may go: all that came during the history.
    fn late_users(&self) -> Vec<String> {
        self.rules.users.keys().filter(|id| id.starts_with("late-")).cloned().collect()
    }

    /// A user with a token, who can write.
    pub(crate) fn random_writer(&mut self) -> String {
        let late: Vec<String> =
            self.late_users().into_iter().filter(|id| self.tokens.contains_key(id)).collect();
        if late.is_empty() || !self.chance(5) {
            return self.pick(&READERS).to_owned();
        }
        late[self.below(late.len())].clone()
    }

    /// Somebody who writes messages: a user, or a name that none has.
    pub(crate) fn random_sender(&mut self) -> String {
        let late = self.late_users();
        match self.below(8) {
            0 => "dana".to_owned(),
            1 if !late.is_empty() => late[self.below(late.len())].clone(),
            _ => self.random_writer(),
        }
    }

    /// A group that has not ended.
    pub(crate) fn random_group(&mut self) -> String {
        let others: Vec<String> = self.rules.groups.keys().cloned().collect();
        if self.chance(4) { others[self.below(others.len())].clone() } else { self.pick(&GROUPS).to_owned() }
    }

    /// Some of the late users have a token, for the others the admin acts.
    pub(crate) async fn add_late_user(&mut self) {
        if self.rules.users.len() == USERS {
            return;
        }
        let id = format!("late-{}", self.name());
        self.log.note(format!("{id} comes"));
        if self.chance(2) {
            let token = self.client("admin").user(&id, &["inbox"]).await.token;
            self.tokens.insert(id.clone(), token);
        } else {
            self.client("admin").post("users", json!({"id": id, "name": id})).await.success();
        }
        self.rules.add_user(&id);
    }

    /// Removes a late user, with or without what the user wrote.
    pub(crate) async fn let_a_user_go(&mut self) {
        let late = self.late_users();
        if late.is_empty() {
            return;
        }
        let who = late[self.below(late.len())].clone();
        let content = self.pick(&["keep", "delete"]);
        self.log.note(format!("{who} goes, content {content}"));
        let client = self.client(&who);
        let admin = self.client("admin");
        admin.delete(&format!("users/{who}?content={content}")).await.is(204);
        let letter = json!({"to": who, "from": "dana", "body": "too late"});
        admin.post("messages", letter).await.problem(404, "not_found", None);
        if self.tokens.remove(&who).is_some() {
            client.get("me").await.problem(401, "unauthorized", None);
        }
        admin.post("users", json!({"id": who, "name": who})).await.problem(409, "conflict", None);
        let from_gone = json!({"to": "ana", "from": who, "body": "too late"});
        admin.post("messages", from_gone).await.problem(404, "not_found", None);
        self.host.wait_for_removals().await;
        if content == "delete" {
            for nth in self.rules.written_by(&who) {
                self.rules.recall(nth);
            }
        }
        self.rules.remove_user(&who);
        self.gone.push(who);
    }

    /// Whether users have gone, so that nobody may be able to read a message any more.
    pub(crate) fn may_be_forgotten(&self, nth: Position) -> bool {
        let kind = &self.rules.history[nth].kind;
        let people: Vec<&String> = match kind {
            PublicationKind::Direct { from, to } => vec![from, to],
            PublicationKind::Group { members, .. } => members.iter().collect(),
            PublicationKind::Announcement { .. } | PublicationKind::Reminder { .. } => return false,
        };
        let has = |id: &&String| {
            let inbox = self.rules.users.get(*id).map(|user| &user.inbox);
            inbox.and_then(|inbox| inbox.get(&nth)).is_some_and(|entry| !entry.deleted)
        };
        people.iter().any(|id| self.gone.contains(id)) && !people.iter().any(has)
    }

    pub(crate) async fn found_a_group(&mut self) {
        if self.rules.groups.len() == MAX_GROUPS {
            return;
        }
        let (gid, owner) = (format!("guild-{}", self.name()), self.random_writer());
        let members: Vec<String> = (0..2).map(|_| self.random_user()).collect();
        self.log.note(format!("{owner} founds {gid} with {members:?}"));
        let group = json!({"id": gid, "name": gid, "members": members});
        self.client(&owner).post("groups", group).await.success();
        self.rules.groups.insert(gid, members.into_iter().chain([owner]).collect());
    }

    pub(crate) async fn end_a_group(&mut self) {
        let groups: Vec<String> =
            self.rules.groups.keys().filter(|gid| gid.starts_with("guild-")).cloned().collect();
        if groups.is_empty() {
            return;
        }
        let gid = groups[self.below(groups.len())].clone();
        self.log.note(format!("{gid} ends"));
        let admin = self.client("admin");
        admin.delete(&format!("groups/{gid}")).await.is(204);
        let members = self.rules.groups.remove(&gid).unwrap();
        self.ended_groups += 1;
        if let Some(writer) = members.iter().find(|id| self.tokens.contains_key(*id)) {
            let writer = self.client(writer);
            let answer = writer.post(&format!("groups/{gid}/messages"), json!({"body": "too late"})).await;
            answer.problem(404, "not_found", None);
        }
        let again: Value = json!({"id": gid, "name": gid, "members": []});
        self.client("ana").post("groups", again).await.problem(409, "conflict", None);
    }
}
