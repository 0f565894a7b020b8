//! Completes the view of a conversation: the composer, the outbox, the numbers of members and readers, and how far the other
//! person has read.

use tidings_ipc::{AttachedFile, Closed, Composer, GroupLine, OutgoingView, PeerReadView, ThreadView};
use tidings_model::{Kind, Stamp};
use tidings_replica::{GroupChange, GroupNews, Item, Outgoing, Replica, Result, SourceId, Thread, Withheld};
use tidings_strings::settings::bytes;
use tidings_strings::strings;

use crate::addresses::linked;
use crate::budget::Budget;
use crate::context::RenderContext;
use crate::row::name;

/// Whether messages can be written in a thread, unless its conversation is closed.
pub fn takes_messages(ctx: &RenderContext<'_>, thread: &Thread) -> bool {
    is_conversation(thread) && tidings_sources::takes_messages(&ctx.source.protocol)
}

fn is_conversation(thread: &Thread) -> bool {
    thread.kind == Kind::Message && tidings_model::view::is_conversation(&thread.key)
}

/// Whether nobody can write in a conversation any more: it was left or ended, or the other person was removed.
pub fn is_closed(replica: &Replica, thread: &Thread) -> Result<bool> {
    if let Some(gid) = thread.key.strip_prefix("group:") {
        return Ok(replica.group(thread.source, gid)?.is_some_and(|group| group.withheld.is_some()));
    }
    Ok(replica.closed_conversation(thread.source, &thread.key)?.is_some())
}

/// Completes the view of a thread if it is a conversation. `waiting` says that a message sent now would wait.
pub fn complete(
    replica: &Replica,
    ctx: &RenderContext<'_>,
    thread: &Thread,
    waiting: bool,
    items: &[Item],
    view: &mut ThreadView,
) -> Result<()> {
    if !is_conversation(thread) {
        return Ok(());
    }
    let mut closed = None;
    if let Some(gid) = thread.key.strip_prefix("group:") {
        let group = replica.group(thread.source, gid)?.unwrap_or_default();
        closed = group.withheld.map(|why| match why {
            Withheld::Left => Closed::Left,
            Withheld::Ended => Closed::Ended,
        });
        let members = group.members.len();
        if members > 0 && closed.is_none() {
            view.facts.insert(0, (strings(ctx.lang).members)(members as u64));
        }
        view.group_lines = group_lines(replica, ctx, thread.source, gid)?;
        for item in &mut view.items {
            let Some(receipt) = &mut item.receipt else { continue };
            // A receipt may arrive before the revision of the item that counts it.
            let known = replica.receipts_of(thread.source, &item.msgid.as_str().into())?.len();
            let most = receipt.members.max(receipt.read);
            receipt.read = u32::try_from(known).unwrap_or(u32::MAX).clamp(receipt.read, most);
            // What is read has arrived; an older server says nothing else of it.
            receipt.delivered = receipt.delivered.max(receipt.read);
        }
    }
    if thread.key.starts_with("user:") {
        view.peer_read = replica
            .peer_read(thread.source, &thread.key)?
            .and_then(|read| last_read(items, read.through).map(|msgid| (msgid, read.at.as_millis())))
            .map(|(msgid, at)| PeerReadView { msgid, at });
        if let Some(name) = replica.closed_conversation(thread.source, &thread.key)? {
            closed = Some(Closed::Removed);
            // If the other never wrote, only the server knew the name.
            if !name.is_empty() && thread.key.strip_prefix("user:") == Some(view.title.as_str()) {
                view.title = tidings_model::text::line(&name).into_owned();
            }
        }
    }
    if takes_messages(ctx, thread) {
        let outgoing = replica.outgoing_to(thread.source, &thread.key)?;
        let mut budget = Budget::default();
        view.composer = Some(Composer {
            draft: replica.draft(thread.source, &thread.key)?,
            outgoing: outgoing.iter().map(|message| outgoing_view(ctx, message, &mut budget)).collect(),
            files: Vec::new(),
            attachment_bytes: ctx.source.attachment_bytes,
            waiting,
            closed,
        });
    }
    Ok(())
}

/// The changes of a group in words.
fn group_lines(
    replica: &Replica,
    ctx: &RenderContext<'_>,
    source: SourceId,
    gid: &str,
) -> Result<Vec<GroupLine>> {
    let table = strings(ctx.lang);
    let line = |change: GroupChange| {
        let text = match &change.news {
            GroupNews::Joined(actor) => (table.joined)(name(actor)),
            GroupNews::Left(actor) => (table.left)(name(actor)),
            GroupNews::Renamed(name) => (table.renamed)(name),
        };
        GroupLine { time: change.at.as_millis(), text: tidings_model::text::line(&text).into_owned() }
    };
    Ok(replica.group_changes(source, gid)?.into_iter().map(line).collect())
}

/// The last of the user's own messages that the other person has read.
fn last_read(items: &[Item], through: Stamp) -> Option<String> {
    let read = |item: &&Item| item.own && item.notification.created_at <= through;
    items.iter().rfind(read).map(|item| item.notification.msgid.0.clone())
}

fn outgoing_view(ctx: &RenderContext<'_>, message: &Outgoing, budget: &mut Budget) -> OutgoingView {
    let body = message.message.content.body.clone();
    OutgoingView {
        id: message.id.clone(),
        linked: linked(&body, budget),
        body,
        file: message.file.as_ref().map(|file| AttachedFile {
            id: message.id.clone(),
            name: file.name.clone(),
            size: file.size,
        }),
        time: message.written_at.as_millis(),
        failed: message.refused.as_deref().map(|why| {
            let reason = refusal(ctx, message, why);
            tidings_model::text::line(&reason).into_owned()
        }),
        sent: message.posted.is_some(),
    }
}

/// Why a message was refused, in words; `why` is the server's status.
fn refusal(ctx: &RenderContext<'_>, message: &Outgoing, why: &str) -> String {
    let (table, limit) = (strings(ctx.lang), ctx.source.attachment_bytes);
    let of_file = message.file.as_ref().and_then(|file| {
        // A file within the limit is too large for the room that is left to its sender.
        let why = if why == "413" && limit.is_some_and(|limit| file.size <= limit) { "507" } else { why };
        table.file_refused(why, limit.map(bytes).as_deref())
    });
    let peer = message.conversation.strip_prefix("user:");
    of_file.unwrap_or_else(|| (table.message_refused)(why, peer))
}
