//! The rows of one publication.

use tidings_model::wire::Posted;
use tidings_model::{MsgId, Stamp};
use tidings_store::Error;
use tidings_store::domain::draft::{Audience, Draft, Post, Recipients};
use tidings_store::domain::msgid;

use crate::publishing::facts::Facts;
use crate::publishing::request::name_of;
use crate::publishing::rows::Rows;

/// The newest stamps of the inboxes that a draft goes into at once.
pub(super) fn inboxes_of<'f>(facts: &'f Facts, draft: &'f Draft) -> impl Iterator<Item = Stamp> + 'f {
    let ids = match &draft.audience {
        Audience::User(to) => [Some(to), Some(&draft.actor)],
        Audience::Group(_) => [None, Some(&draft.actor)],
        Audience::Everyone | Audience::Subscribers => [None, None],
    };
    ids.into_iter().flatten().filter_map(move |id| facts.inboxes.get(&facts.inbox_of(id)?.0).copied())
}

/// The rows of one publication, or of its revision.
pub(super) fn one(rows: &mut Rows, facts: &Facts, draft: &Draft, stamp: Stamp) -> Result<Post, Error> {
    let name = name_of(draft);
    if let (Some((topic, name)), Some(found)) = (name, facts.named(draft)) {
        rows.cancel(topic, name, found.publisher);
        if let Some((created_at, msgid)) = &found.item {
            rows.revision(*created_at, &draft.content, stamp, msgid)?;
            rows.file(draft, msgid, stamp);
            let recipients = Recipients::of_topic(topic).revised(*created_at);
            return Ok(Post { posted: Posted { msgid: msgid.clone(), stamp }, recipients });
        }
    }
    let msgid: MsgId = draft.msgid.clone().unwrap_or_else(|| msgid::mint(stamp));
    let actor_name = match &draft.actor_name {
        Some(name) => name.as_str(),
        None => facts.users.get(&draft.actor).map_or(draft.actor.as_str(), |user| user.name.as_str()),
    };
    rows.notification(draft, actor_name, &msgid, stamp)?;
    if let Some((topic, name)) = name {
        rows.sequence(topic, name, draft.posted_by.key(), stamp);
    }
    rows.file(draft, &msgid, stamp);
    let recipients = deliver(rows, facts, draft, stamp);
    Ok(Post { posted: Posted { msgid, stamp }, recipients })
}

/// The rows of a message in the inboxes of its sender and recipient; gives the users who get a hint.
fn deliver(rows: &mut Rows, facts: &Facts, draft: &Draft, stamp: Stamp) -> Recipients {
    match &draft.audience {
        Audience::Everyone => Recipients::Everyone,
        Audience::Subscribers => {
            let (kind, id) =
                draft.target.as_ref().map(|t| (t.kind.clone(), t.id.clone())).unwrap_or_default();
            Recipients::Subscribers { kind, id, action: draft.action.clone(), actor: draft.actor.clone() }
        }
        Audience::User(to) => {
            let (from, sender) = (&draft.actor, facts.inbox_of(&draft.actor));
            let mut recipients = Vec::new();
            if let Some(recipient) = facts.inbox_of(to) {
                rows.item(recipient, stamp, format!("user:{from}"), sender == Some(recipient));
                recipients.push(recipient);
            }
            if let Some(sender) = sender.filter(|sender| !recipients.contains(sender)) {
                rows.item(sender, stamp, format!("user:{to}"), true);
                recipients.push(sender);
            }
            Recipients::Users(recipients)
        }
        Audience::Group(id) => {
            if let (Some(group), Some(sender)) = (facts.groups.get(id), facts.inbox_of(&draft.actor)) {
                rows.group_message(group, sender, stamp);
                rows.item(sender, stamp, format!("group:{id}"), true);
            }
            Recipients::Group(id.clone())
        }
    }
}
