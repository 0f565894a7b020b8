//! Changes of groups: by their servers alone, so that nothing waits. A sentence says what went wrong.

use tidings_ipc::{ErrorCode, GroupChange, Member, ThreadId};
use tidings_model::check_id;
use tidings_net::Error as NetError;
use tidings_render::item::source_name;
use tidings_replica::{Source, SourceId};
use tidings_sources::{ChangeAnswer, GroupChange as Change};
use tidings_sync::Error as SyncError;

use super::Conversations;
use crate::error::{Error, Result};
use crate::inbox::conversation::{conversation_of, invalid, not_found, text};

impl Conversations {
    /// Changes a group and returns its members then.
    ///
    /// # Errors
    /// The code is `NotFound` if there is no such user, `Invalid` if the server refuses the change, `Outside` if it
    /// cannot be reached. The group is as it was then.
    pub(crate) async fn change_group(&self, thread: ThreadId, change: GroupChange) -> Result<Vec<Member>> {
        let conversation = conversation_of(&self.context, thread).await?;
        let gid = conversation.key.strip_prefix("group:").ok_or(Error::NotFound)?.to_owned();
        let source = self.context.disk(move |r| r.source(conversation.source)).await?;
        let change = self.checked(change, &source)?;
        self.ask_for_change(&source, &gid, &change).await?;
        self.known_members(thread).await
    }

    /// The change as the server takes it.
    fn checked(&self, change: GroupChange, source: &Source) -> Result<Change> {
        let user = |id: String| {
            if check_id(&id).is_err() {
                return Err(not_found((self.context.strings().compose_bad_name)(&id)));
            }
            Ok(id)
        };
        Ok(match change {
            GroupChange::Rename { name } => {
                let name = text(name.trim().to_owned())?;
                if name.is_empty() {
                    return Err(invalid("a group needs a name"));
                }
                Change::Rename(name)
            }
            GroupChange::Add { user: id } => Change::Add(user(id)?),
            GroupChange::Remove { user: id } => Change::Remove(user(id)?),
            GroupChange::HandOver { user: id } => Change::HandOver(user(id)?),
            GroupChange::End => Change::End,
            GroupChange::Leave => Change::Remove(source.user.clone().ok_or(Error::NotFound)?),
        })
    }

    async fn ask_for_change(&self, source: &Source, gid: &str, change: &Change) -> Result<()> {
        let (table, label) = (self.context.strings(), source_name(source, self.context.lang()));
        let why = if source.paused { table.group_paused } else { table.group_offline };
        let unreachable = || Error::Localized { code: ErrorCode::Outside, text: why(&label) };
        let engine = self.engine.get().ok_or_else(unreachable)?;
        match engine.change_group(source.id, gid, change).await {
            Ok(Some(ChangeAnswer::Done)) => Ok(()),
            Ok(Some(ChangeAnswer::Unknown)) => {
                let user = match change {
                    Change::Add(user) | Change::Remove(user) | Change::HandOver(user) => user,
                    Change::Rename(_) | Change::End => "",
                };
                Err(not_found((table.group_unknown)(&label, user)))
            }
            Ok(Some(ChangeAnswer::Forbidden)) | Err(SyncError::Net(NetError::Forbidden)) => {
                // What the window showed may be out of date.
                self.refresh_group(source.id, gid).await;
                Err(Error::invalid(table.group_not_owner))
            }
            Ok(Some(ChangeAnswer::Unsupported)) => Err(Error::invalid((table.group_unsupported)(&label))),
            Err(SyncError::Net(NetError::Refused(status))) => {
                Err(Error::invalid((table.group_refused)(&label, &status.to_string())))
            }
            Ok(None) | Err(_) => Err(unreachable()),
        }
    }

    /// Asks the server for a group; if it cannot be asked, the stored group stays.
    pub(super) async fn refresh_group(&self, source: SourceId, gid: &str) {
        if let Some(engine) = self.engine.get()
            && let Err(error) = engine.refresh_members(source, gid).await
        {
            tracing::debug!(%error, "the members of a group are taken from the replica");
        }
    }
}
