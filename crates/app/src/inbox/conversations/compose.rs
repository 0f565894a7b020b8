//! Starts conversations, with one person or as a group, and lists the people who can be written to. If the server
//! refuses the first message, the writer gets it back with the reason.

use std::pin::pin;
use std::time::Duration;

use tidings_ipc::{ErrorCode, NewConversation, Person, ThreadId};
use tidings_model::{Actor, check_id};
use tidings_net::Error as NetError;
use tidings_render::avatar;
use tidings_render::item::source_name;
use tidings_replica::{Source, SourceId};
use tidings_sources::{GroupAnswer, NewGroup, has_groups, takes_messages};
use tidings_sync::Error as SyncError;
use tokio::time::sleep;

use super::Conversations;
use crate::error::{Error, Result};
use crate::inbox::conversation::{invalid, message, not_found, text};

/// The most people that are offered.
const MAX_PEOPLE: usize = 500;
/// The most people of a server that are offered for a name that is being typed.
const MAX_FOUND: usize = 20;
/// The most characters of such a name.
const MAX_TYPED: usize = 100;
/// The longest wait for the server's refusal of a first message; after it the outbox goes on with the message.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(4);

impl Conversations {
    /// The people who can be written to at a source, as far as the replica knows them; those of conversations first.
    pub(crate) async fn people(&self, source: SourceId) -> Result<Vec<Person>> {
        let known = self.context.disk(move |r| r.contacts(source, MAX_PEOPLE)).await?;
        Ok(known.into_iter().map(person).collect())
    }

    /// The people at a source's server whose id or name begins like this. Nobody if it is not connected, or is of a version
    /// that does not say it.
    pub(crate) async fn find_people(&self, source: SourceId, typed: &str) -> Result<Vec<Person>> {
        let user = self.context.disk(move |r| r.source(source)).await?.user;
        let found = self.people_at_server(source, typed.trim()).await;
        let is_other = |actor: &Actor| check_id(&actor.id).is_ok() && user.as_ref() != Some(&actor.id);
        Ok(found.into_iter().filter(is_other).take(MAX_FOUND).map(person).collect())
    }

    async fn people_at_server(&self, source: SourceId, typed: &str) -> Vec<Actor> {
        let Some(engine) = self.engine.get().filter(|_| typed.chars().count() <= MAX_TYPED) else {
            return Vec::new();
        };
        let found = engine.people(source, typed).await.unwrap_or_else(|error| {
            tracing::debug!(%error, "the people of a server are not known");
            None
        });
        found.unwrap_or_default()
    }

    /// Stores the name of somebody of whom nothing is here, if their server says it. Without it the conversation has their id.
    async fn learn_name(&self, source: SourceId, peer: &str) {
        let found = self.people_at_server(source, peer).await;
        if let Some(actor) = found.into_iter().find(|actor| actor.id == peer && !actor.name.is_empty())
            && let Err(error) = self.context.disk(move |r| r.name_person(source, actor)).await
        {
            tracing::debug!(%error, "the name of a peer is not stored");
        }
    }

    /// Starts a conversation with its first message and returns its thread. A message to one person goes into the
    /// outbox, also offline; a group is created by its server first.
    ///
    /// # Errors
    /// The code is `NotFound` if the server does not know a recipient, `Invalid` if it refuses the conversation,
    /// `Outside` if it cannot be reached to create a group. The message was not sent then.
    pub(crate) async fn start_conversation(&self, new: NewConversation) -> Result<ThreadId> {
        let body = text(new.body.trim().to_owned())?;
        if body.is_empty() {
            return Err(invalid("there is nothing to send"));
        }
        let source = self.context.disk(move |r| r.source(new.source)).await?;
        if !takes_messages(&source.protocol) {
            return Err(invalid("nobody can be written to there"));
        }
        let to = self.recipients(new.to, &source)?;
        let only_peer = <[String; 1]>::try_from(to.clone()).ok().map(|[peer]| peer).filter(|_| !new.group);
        if only_peer.is_none() && !has_groups(&source.protocol) {
            return Err(Error::invalid((self.context.strings().compose_no_groups)(&source_name(
                &source,
                self.context.lang(),
            ))));
        }
        let key = match &only_peer {
            Some(peer) => format!("user:{peer}"),
            None => format!("group:{}", self.new_group(&source, new.name.trim(), to).await?),
        };
        let conversation = key.clone();
        let id = self.context.disk(move |r| r.write_message(source.id, &conversation, message(body))).await?;
        self.pending_group.clear();
        if let Some(peer) = &only_peer
            && let Some(why) = self.wait_for_refusal(source.id, &key, &id).await?
        {
            self.context.disk(move |r| r.message_done(&id)).await?;
            return Err(self.delivery_error(&source, peer, &why));
        }
        let thread = self.context.disk(move |r| r.thread_by_key(source.id, &key)).await?;
        let thread = thread.ok_or(Error::NotFound)?;
        if let Some(peer) = only_peer.filter(|_| thread.actors.is_empty()) {
            self.learn_name(source.id, &peer).await;
        }
        Ok(thread.id)
    }

    /// The recipients without duplicates; of a group also without the user itself, who is a member in any case.
    fn recipients(&self, ids: Vec<String>, source: &Source) -> Result<Vec<String>> {
        let mut to: Vec<String> = Vec::new();
        for id in ids {
            if check_id(&id).is_err() {
                return Err(not_found((self.context.strings().compose_bad_name)(&id)));
            }
            if !to.contains(&id) {
                to.push(id);
            }
        }
        if to.len() > 1 {
            to.retain(|id| source.user.as_ref() != Some(id));
        }
        if to.is_empty() { Err(invalid("nobody is written to")) } else { Ok(to) }
    }

    /// Creates a group on its server and returns its id.
    async fn new_group(&self, source: &Source, name: &str, members: Vec<String>) -> Result<String> {
        if name.is_empty() {
            return Err(invalid("a group needs a name"));
        }
        let (table, source_label) = (self.context.strings(), source_name(source, self.context.lang()));
        let why = if source.paused { table.compose_group_paused } else { table.compose_group_offline };
        let unreachable = || Error::Localized { code: ErrorCode::Outside, text: why(&source_label) };
        let engine = self.engine.get().ok_or_else(unreachable)?;
        let group = NewGroup { name: text(name.to_owned())?, members };
        let key = self.pending_group.key(source.id, &group, self.context.now());
        match engine.make_group(source.id, &group, &key).await {
            Ok(Some(GroupAnswer::Created(group))) => Ok(group.id),
            Ok(Some(GroupAnswer::Unknown(names))) => {
                self.pending_group.clear();
                Err(not_found((table.compose_unknown)(&source_label, &names)))
            }
            Err(SyncError::Net(NetError::Refused(status))) => {
                self.pending_group.clear();
                Err(Error::invalid((table.compose_refused)(&source_label, &status.to_string())))
            }
            Err(SyncError::Net(NetError::Forbidden | NetError::SignIn)) => {
                Err(Error::invalid((table.compose_refused)(&source_label, "403")))
            }
            // The server may have created it: a retry sends the same key.
            Ok(None) | Err(_) => Err(unreachable()),
        }
    }

    /// The HTTP status with which the server refused a message that was just written. `None` if it accepted the
    /// message, cannot be reached, or did not answer in time.
    async fn wait_for_refusal(
        &self,
        source: SourceId,
        conversation: &str,
        id: &str,
    ) -> Result<Option<String>> {
        let Some(engine) = self.engine.get() else { return Ok(None) };
        let (mut statuses, mut changes) = (engine.statuses(), self.context.replica.subscribe());
        let mut timeout = pin!(sleep(REFUSAL_TIMEOUT));
        loop {
            let key = conversation.to_owned();
            let outgoing = self.context.disk(move |r| r.outgoing_to(source, &key)).await?;
            match outgoing.into_iter().find(|entry| entry.id == id) {
                Some(entry) if entry.refused.is_some() => return Ok(entry.refused),
                Some(entry) if entry.posted.is_none() && !self.engine.would_wait(source) => {}
                _ => return Ok(None),
            }
            tokio::select! {
                () = &mut timeout => return Ok(None),
                changed = statuses.changed() => if changed.is_err() { return Ok(None) },
                // A change that was missed is visible in the outbox.
                _ = changes.recv() => {}
            }
        }
    }

    /// The error for a first message that the server refused.
    fn delivery_error(&self, source: &Source, peer: &str, status: &str) -> Error {
        let (table, source_label) = (self.context.strings(), source_name(source, self.context.lang()));
        match status {
            "404" => not_found((table.compose_unknown)(&source_label, &[peer.to_owned()])),
            status => Error::invalid((table.compose_refused)(&source_label, status)),
        }
    }
}

fn person(actor: Actor) -> Person {
    let name = tidings_model::text::line(&actor.name).into_owned();
    Person { face: avatar::face(&actor), id: actor.id, name }
}
