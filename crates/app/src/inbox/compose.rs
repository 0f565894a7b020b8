//! New conversations, with one person or as a group, and whom one may write to. A first message that cannot be
//! delivered goes back to its writer with the reason.

use std::pin::pin;
use std::sync::Mutex;
use std::time::Duration;

use tidings_model::{Actor, Stamp, check_id};
use tidings_replica::{Source, SourceId};
use tidings_sync::{Error as Sync, GroupAnswer, NewGroup};
use tokio::time::sleep;

use super::conversations::{invalid, message, text};
use crate::app::{App, lock};
use crate::error::{Error, Result};
use crate::ipc::{ErrorCode, NewConversation, Person, ThreadId};
use crate::render::avatar;
use crate::render::item::source_name;
use crate::strings::{Strings, strings};

/// People that are offered.
const MAX_PEOPLE: usize = 500;
/// How long a first message is waited for: after that it is on its way like any other.
const PATIENCE: Duration = Duration::from_secs(4);

/// The group that was asked for last and may not be there yet.
#[derive(Default)]
pub(crate) struct PendingGroup(Mutex<Option<Asked>>);

struct Asked {
    source: SourceId,
    group: NewGroup,
    /// The idempotency key of the request.
    key: String,
}

impl PendingGroup {
    /// The idempotency key of a request: the same for the same group, so that a second try makes no second one.
    fn key(&self, source: SourceId, group: &NewGroup, now: Stamp) -> String {
        let mut asked = lock(&self.0);
        if let Some(known) = asked.as_ref().filter(|known| known.source == source && known.group == *group) {
            return known.key.clone();
        }
        let key = format!("group made {now}");
        *asked = Some(Asked { source, group: group.clone(), key: key.clone() });
        key
    }

    /// The server has answered: the next request is a new one.
    fn clear(&self) {
        *lock(&self.0) = None;
    }
}

impl App {
    /// Whom one may write to at a source, as far as is known here; those with whom there is a conversation first.
    pub async fn people(&self, source: SourceId) -> Result<Vec<Person>> {
        let known = self.disk(move |r| r.contacts(source, MAX_PEOPLE)).await?;
        let person = |one: Actor| Person {
            face: avatar::face(&one),
            id: one.id,
            name: tidings_model::text::line(&one.name).into_owned(),
        };
        Ok(known.into_iter().map(person).collect())
    }

    /// Starts a conversation with its first message and answers its thread. With one person the message goes into the
    /// outbox, also offline; a group is made by its server first. A name that the server does not know is an error.
    pub async fn start_conversation(&self, new: NewConversation) -> Result<ThreadId> {
        let body = text(new.body.trim().to_owned())?;
        if body.is_empty() {
            return Err(invalid("there is nothing to send"));
        }
        let source = self.disk(move |r| r.source(new.source)).await?;
        if source.protocol != "tidings" {
            return Err(invalid("nobody can be written to there"));
        }
        let to = self.recipients(new.to, &source)?;
        let alone = <[String; 1]>::try_from(to.clone()).ok().map(|[peer]| peer);
        let key = match &alone {
            Some(peer) => format!("user:{peer}"),
            None => format!("group:{}", self.new_group(&source, new.name.trim(), to).await?),
        };
        let conversation = key.clone();
        let id = self.disk(move |r| r.write_message(source.id, &conversation, message(body))).await?;
        self.inner.pending_group.clear();
        if let Some(peer) = alone
            && let Some(why) = self.wait_for_refusal(source.id, &key, &id).await?
        {
            self.disk(move |r| r.message_done(&id)).await?;
            return Err(self.delivery_error(&source, &peer, &why));
        }
        let thread = self.disk(move |r| r.thread_by_key(source.id, &key)).await?;
        thread.map(|thread| thread.id).ok_or(Error::NotFound)
    }

    /// Each once; in a group one is without being named.
    fn recipients(&self, named: Vec<String>, source: &Source) -> Result<Vec<String>> {
        let mut to: Vec<String> = Vec::new();
        for name in named {
            if check_id(&name).is_err() {
                return Err(not_found((self.strings().compose_bad_name)(&name)));
            }
            if !to.contains(&name) {
                to.push(name);
            }
        }
        if to.len() > 1 {
            to.retain(|name| source.user.as_ref() != Some(name));
        }
        if to.is_empty() { Err(invalid("nobody is written to")) } else { Ok(to) }
    }

    /// Makes a group; its id.
    async fn new_group(&self, source: &Source, name: &str, members: Vec<String>) -> Result<String> {
        if name.is_empty() {
            return Err(invalid("a group needs a name"));
        }
        let (table, called) = (self.strings(), source_name(source, self.lang()));
        let why = if source.paused { table.compose_group_paused } else { table.compose_group_offline };
        let away = || Error::Localized { code: ErrorCode::Outside, text: why(&called) };
        let engine = self.engine().ok_or_else(away)?;
        let group = NewGroup { name: text(name.to_owned())?, members };
        let key = self.inner.pending_group.key(source.id, &group, self.now());
        match engine.make_group(source.id, &group, &key).await {
            Ok(Some(GroupAnswer::Made(made))) => Ok(made.id),
            Ok(Some(GroupAnswer::Unknown(names))) => {
                self.inner.pending_group.clear();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                Err(not_found((table.compose_unknown)(&called, &names)))
            }
            Err(Sync::Refused(status)) => {
                self.inner.pending_group.clear();
                Err(Error::invalid((table.compose_refused)(&called, &status.to_string())))
            }
            Err(Sync::Forbidden | Sync::SignIn) => {
                Err(Error::invalid((table.compose_refused)(&called, "403")))
            }
            // Whether it was made is not known: the next try asks for the same.
            Ok(None) | Err(_) => Err(away()),
        }
    }

    /// Why the server refuses a message that was just written; none where it took it, or may take a while.
    async fn wait_for_refusal(
        &self,
        source: SourceId,
        conversation: &str,
        id: &str,
    ) -> Result<Option<String>> {
        let Some(engine) = self.engine() else { return Ok(None) };
        let (mut states, mut changes) = (engine.statuses(), self.inner.replica.subscribe());
        let mut patience = pin!(sleep(PATIENCE));
        loop {
            let at = conversation.to_owned();
            let outgoing = self.disk(move |r| r.outgoing_to(source, &at)).await?;
            match outgoing.into_iter().find(|one| one.id == id) {
                Some(one) if one.refused.is_some() => return Ok(one.refused),
                Some(one) if one.posted.is_none() && !self.waits(source) => {}
                _ => return Ok(None),
            }
            tokio::select! {
                () = &mut patience => return Ok(None),
                changed = states.changed() => if changed.is_err() { return Ok(None) },
                // One that was missed has left its trace in the outbox.
                _ = changes.recv() => {}
            }
        }
    }

    /// The error for a first message that the server refused.
    fn delivery_error(&self, source: &Source, peer: &str, status: &str) -> Error {
        let (table, called) = (self.strings(), source_name(source, self.lang()));
        match status {
            "404" => not_found((table.compose_unknown)(&called, &[peer])),
            status => Error::invalid((table.compose_refused)(&called, status)),
        }
    }

    fn strings(&self) -> &'static Strings {
        strings(self.lang())
    }
}

/// It is about the people that were named.
fn not_found(text: String) -> Error {
    Error::Localized { code: ErrorCode::NotFound, text }
}
