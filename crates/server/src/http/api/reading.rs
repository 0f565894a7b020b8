//! The paths of an inbox: the pull, lists, numbers, marks and the live channel. Refuses to say what is unread.

use axum::routing::{get, post, put};
use serde_json::json;
use tidings_model::wire::{InboxPage, Ops, OpsAnswer, SyncPage, UnreadCounts};

use super::INBOX;
use super::parameters::{
    before, cap, count, flag, list_limit, moment, object, pull_limit, text, time, user, whole, words,
};
use crate::domain::limits;
use crate::http::reference::{Endpoint, parameter};
use crate::http::{events, inbox};
use crate::store::Conversation;

pub(super) fn endpoints() -> Vec<Endpoint> {
    let since = moment("since", "The last-pull timestamp; from the beginning without it.");
    let counted = parameter("count", "Also say how many items are left after this page.", &flag());
    let epoch = parameter("epoch", "The history that the client knows.", &json!({"type": "string"}));
    let at = parameter("kind", "Only this kind.", &words(&["announcement", "reminder", "message"]));
    let unread = parameter("unread", "Only unread ones.", &flag());
    let archived = parameter("archived", "The archived ones instead of the others.", &flag());
    let left = object(&json!({"unread": count()}));
    let looked = object(&json!({"at": time(), "unread": count()}));
    let earlier = moment("before", "Only conversations whose newest item was created before.");
    let limit = parameter(
        "limit",
        "At most so many.",
        &whole(limits::CONVERSATIONS as u64, limits::CONVERSATIONS_DEFAULT as u64),
    );
    let view = object(&json!({"at": {"type": ["string", "null"], "format": "date-time"}, "unread": count()}));
    vec![
        Endpoint::new(
            "GET",
            "/sync",
            "Pulls everything that is new or changed, in stamp order.",
            INBOX,
            get(inbox::sync),
        )
        .query([since, epoch, pull_limit(), counted, user()])
        .answers::<SyncPage>(200),
        Endpoint::new("GET", "/inbox", "The inbox, newest first.", INBOX, get(inbox::list))
            .query([before(), list_limit(), at, text("thread"), unread, archived, user()])
            .answers::<InboxPage>(200),
        Endpoint::new("GET", "/unread", "The numbers, without the notifications.", INBOX, get(inbox::unread))
            .query([cap(), user()])
            .answers::<UnreadCounts>(200),
        Endpoint::new(
            "POST",
            "/inbox/ops",
            "Applies operations in order, each id once.",
            INBOX,
            post(inbox::ops),
        )
        .query([cap(), user()])
        .takes::<Ops>()
        .answers::<OpsAnswer>(200)
        .idempotent(),
        Endpoint::new(
            "GET",
            "/conversations",
            "A page of the conversations, latest first. It ends at 4 MiB; the next one is before the last element's last item.",
            INBOX,
            get(inbox::conversations),
        )
        .query([earlier, limit, cap(), user()])
        .answers_many::<Conversation>(200),
        Endpoint::new(
            "GET",
            "/conversations/{id}/messages",
            "A conversation, newest first.",
            INBOX,
            get(inbox::messages),
        )
        .query([before(), list_limit(), user()])
        .answers::<InboxPage>(200),
        Endpoint::new(
            "PUT",
            "/conversations/{id}/read",
            "Reads a conversation up to a message.",
            INBOX,
            put(inbox::read_through),
        )
        .query([cap(), user()])
        .takes::<inbox::Through>()
        .answers_with(200, left),
        Endpoint::new(
            "GET",
            "/views/{code}/{id}",
            "A view's mark, and what is unread in it.",
            INBOX,
            get(inbox::view),
        )
        .query([cap(), user()])
        .answers_with(200, view),
        Endpoint::new(
            "PUT",
            "/views/{code}/{id}",
            "Looks at a view: what it holds up to then is read.",
            INBOX,
            put(inbox::visit),
        )
        .query([cap(), user()])
        .may_take::<inbox::At>()
        .answers_with(200, looked),
        Endpoint::new("GET", "/events", "The live channel: says when to pull.", INBOX, get(events::events))
            .query([user()])
            .answers_with(200, json!({"type": "string", "x-stream": true})),
    ]
}
