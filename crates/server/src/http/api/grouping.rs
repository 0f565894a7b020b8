//! The paths of groups, their messages and receipts. Refuses to say who may be in one.

use axum::routing::{delete, get, post, put};
use serde_json::json;
use tidings_model::wire::{NewMessage, Posted};

use super::parameters::{moment, page, pull_limit, user};
use super::{EITHER, INBOX};
use crate::http::groups;
use crate::http::reference::Endpoint;
use crate::store::{Group, GroupSummary, Member, Readers, ReceiptPage};

pub(super) fn endpoints() -> Vec<Endpoint> {
    let since = moment("since", "Receipts after this.");
    vec![
        Endpoint::new("POST", "/groups", "Makes a group; its creator owns it.", INBOX, post(groups::add))
            .query([user()])
            .takes::<groups::NewGroup>()
            .answers::<Group>(201)
            .idempotent(),
        Endpoint::new("GET", "/groups", "A page of the groups that one is in, by id.", INBOX, get(groups::mine))
            .query([user()])
            .query(page("id"))
            .answers_many::<GroupSummary>(200),
        Endpoint::new(
            "GET",
            "/groups/{gid}",
            "A group with the first page of its members, for its members.",
            INBOX,
            get(groups::group),
        )
        .answers::<Group>(200),
        Endpoint::new(
            "GET",
            "/groups/{gid}/members",
            "A page of a group's members, in the order in which they joined.",
            INBOX,
            get(groups::members),
        )
        .query(page("id"))
        .answers_many::<Member>(200),
        Endpoint::new(
            "PUT",
            "/groups/{gid}/members/{uid}",
            "Adds a member; for the owner.",
            INBOX,
            put(groups::join),
        )
        .answers::<Group>(200),
        Endpoint::new(
            "DELETE",
            "/groups/{gid}/members/{uid}",
            "Removes a member, or leaves.",
            INBOX,
            delete(groups::leave),
        )
        .answers_nothing(),
        Endpoint::new("POST", "/groups/{gid}/messages", "Posts to a group.", EITHER, post(groups::post))
            .takes_one_or_many::<NewMessage>()
            .answers_one_or_many::<Posted>(201)
            .idempotent(),
        Endpoint::new(
            "GET",
            "/groups/{gid}/messages/{msgid}/receipts",
            "Who has read a message: a page of the members who count. `next` is the `after` of the next page.",
            INBOX,
            get(groups::readers),
        )
        .query(page("id"))
        .answers::<Readers>(200),
        Endpoint::new(
            "GET",
            "/receipts",
            "Undelivered receipts of one's own messages.",
            INBOX,
            get(groups::receipts),
        )
        .query([since, pull_limit(), user()])
        .answers::<ReceiptPage>(200),
        Endpoint::new(
            "POST",
            "/receipts/ack",
            "Forgets delivered receipts for good.",
            INBOX,
            post(groups::ack_receipts),
        )
        .query([user()])
        .takes::<groups::Through>()
        .answers_with(200, json!({"type": "object"}))
        .idempotent(),
    ]
}
