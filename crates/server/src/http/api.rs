//! Every path of API v1, once: what serves it and how it is described. Refuses a path that is in one of the two only.

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::routing::{delete, get, patch, post, put};
use serde_json::{Value, json};
use tidings_model::Catalog;
use tidings_model::wire::{
    InboxPage, Info, Me, NewAnnouncement, NewMessage, NewReminder, Ops, OpsAnswer, Posted, SyncPage,
    UnreadCounts,
};

use super::reference::{Endpoint, needed, openapi, parameter};
use super::schemas::{ID, TARGET_ID};
use super::{App, accounts, events, groups, inbox, publish, subscriptions, system};
use crate::domain::account::{FreshToken, Token, User};
use crate::domain::limits;
use crate::store::{Conversation, Follow, Group, GroupLine, Readers, ReceiptPage, Subscription};

const INBOX: &[&str] = &["inbox", "admin"];
const PUBLISH: &[&str] = &["publish", "admin"];
const EITHER: &[&str] = &["inbox", "publish", "admin"];
const ADMIN: &[&str] = &["admin"];
const ANY: &[&str] = &["any scope"];

fn time() -> Value {
    json!({"type": "string", "format": "date-time"})
}

fn whole(max: u64, default: u64) -> Value {
    json!({"type": "integer", "minimum": 1, "maximum": max, "default": default})
}

fn flag() -> Value {
    json!({"anyOf": [{"type": "boolean"}, {"type": "string", "enum": ["1", "0", ""]}]})
}

fn words(words: &[&str]) -> Value {
    json!({"type": "string", "enum": words})
}

fn user() -> Value {
    let id_or_none = json!({"type": "string", "pattern": "^([A-Za-z0-9._-]{1,64})?$"});
    parameter("user", "Another user, where the token reaches that far.", &id_or_none)
}

fn cap() -> Value {
    parameter("cap", "Counting stops there.", &whole(limits::CAP, limits::CAP_DEFAULT))
}

fn list_limit() -> Value {
    parameter("limit", "At most so many.", &whole(limits::LIST as u64, limits::LIST_DEFAULT as u64))
}

fn pull_limit() -> Value {
    parameter("limit", "At most so many.", &whole(limits::SYNC as u64, limits::SYNC_DEFAULT as u64))
}

/// A time in the query; an empty one counts as none.
fn moment(name: &str, about: &str) -> Value {
    parameter(name, about, &json!({"type": "string", "anyOf": [{"format": "date-time"}, {"maxLength": 0}]}))
}

fn before() -> Value {
    moment("before", "Only what was created before.")
}

fn count() -> Value {
    json!({"$ref": "#/components/schemas/Count"})
}

/// An object with these members, all of them required.
fn object(members: &Value) -> Value {
    let names: Vec<&String> = members.as_object().map(|m| m.keys().collect()).unwrap_or_default();
    json!({"type": "object", "properties": members, "required": names})
}

fn text(name: &str) -> Value {
    parameter(name, "Only this one.", &json!({"type": "string"}))
}

fn endpoints() -> Vec<Endpoint> {
    let mut all = system_and_accounts();
    all.extend(publishing());
    all.extend(subscribing());
    all.extend(reading());
    all.extend(grouping());
    all
}

fn system_and_accounts() -> Vec<Endpoint> {
    let healthy = object(&json!({"healthy": {"type": "boolean"}}));
    vec![
        Endpoint::new("GET", "/health", "Whether the server is up.", &[], get(system::health))
            .answers_with(200, healthy),
        Endpoint::new("GET", "/info", "What this server is, can and takes.", &[], get(system::info))
            .answers::<Info>(200),
        Endpoint::new("GET", "/openapi.json", "This reference.", &[], get(reference))
            .answers_with(200, json!({"type": "object"})),
        Endpoint::new("GET", "/me", "The token's user.", ANY, get(accounts::me)).answers::<Me>(200),
        Endpoint::new("GET", "/users", "All users.", ADMIN, get(accounts::users)).answers_many::<User>(200),
        Endpoint::new("POST", "/users", "Adds a user.", ADMIN, post(accounts::add_user))
            .takes::<accounts::NewUser>()
            .answers::<User>(201)
            .once(),
        Endpoint::new(
            "DELETE",
            "/users/{id}",
            "Removes a user and its tokens.",
            ADMIN,
            delete(accounts::remove_user),
        )
        .answers_nothing(),
        Endpoint::new(
            "POST",
            "/users/{id}/tokens",
            "Makes a token; its text is shown this once.",
            ADMIN,
            post(accounts::add_token),
        )
        .takes::<accounts::TokenWish>()
        .answers::<FreshToken>(201)
        .once(),
        Endpoint::new(
            "GET",
            "/tokens",
            "One's own tokens; with admin everybody's.",
            ANY,
            get(accounts::tokens),
        )
        .query([user()])
        .answers_many::<Token>(200),
        Endpoint::new("DELETE", "/tokens/{id}", "Revokes a token.", ANY, delete(accounts::revoke))
            .answers_nothing(),
        Endpoint::new(
            "GET",
            "/catalog",
            "Which actions there are, how they read, and which reason subscribes to which.",
            ANY,
            get(system::catalog),
        )
        .answers::<Catalog>(200),
        Endpoint::new("PUT", "/catalog", "Replaces the catalog.", ADMIN, put(system::set_catalog))
            .takes::<Catalog>()
            .answers::<Catalog>(200),
    ]
}

fn publishing() -> Vec<Endpoint> {
    vec![
        Endpoint::new(
            "POST",
            "/announcements",
            "Tells every user who exists by then.",
            PUBLISH,
            post(publish::announcements),
        )
        .takes_one_or_many::<NewAnnouncement>()
        .answers_one_or_many::<Posted>(201)
        .once(),
        Endpoint::new(
            "POST",
            "/reminders",
            "Says that somebody did something to something.",
            EITHER,
            post(publish::reminders),
        )
        .takes_one_or_many::<NewReminder>()
        .answers_one_or_many::<Posted>(201)
        .once(),
        Endpoint::new("POST", "/messages", "Sends a message to a user.", EITHER, post(publish::messages))
            .takes_one_or_many_with::<NewMessage>("to")
            .answers_one_or_many::<Posted>(201)
            .once(),
    ]
}

fn subscribing() -> Vec<Endpoint> {
    let in_force =
        object(&json!({"actions": {"type": "object", "additionalProperties": {"type": "boolean"}}}));
    vec![
        Endpoint::new(
            "GET",
            "/subscriptions",
            "What one is subscribed to.",
            EITHER,
            get(subscriptions::list),
        )
        .query([text("type"), text("id"), user()])
        .answers_many::<Subscription>(200),
        Endpoint::new(
            "PUT",
            "/subscriptions",
            "Subscribes; actions add up, each from when it was added.",
            EITHER,
            put(subscriptions::subscribe),
        )
        .query([user()])
        .takes::<subscriptions::Wish>()
        .answers::<Subscription>(200),
        Endpoint::new(
            "DELETE",
            "/subscriptions",
            "Ends a subscription, or one action of it.",
            EITHER,
            delete(subscriptions::unsubscribe),
        )
        .query([
            needed(parameter("type", "The target's type.", &json!({"type": "string", "pattern": ID}))),
            needed(parameter("id", "The target's id.", &json!({"type": "string", "pattern": TARGET_ID}))),
            text("action"),
            user(),
        ])
        .answers_nothing(),
        Endpoint::new("GET", "/follows", "Whom one follows.", EITHER, get(subscriptions::follows))
            .query([user()])
            .answers_many::<Follow>(200),
        Endpoint::new(
            "GET",
            "/follows/{user}",
            "Since when one follows somebody.",
            EITHER,
            get(subscriptions::followed),
        )
        .answers::<Follow>(200),
        Endpoint::new(
            "PUT",
            "/follows/{user}",
            "Follows: reminders whose actor that is.",
            EITHER,
            put(subscriptions::follow),
        )
        .answers::<Follow>(200),
        Endpoint::new(
            "DELETE",
            "/follows/{user}",
            "Follows no longer.",
            EITHER,
            delete(subscriptions::unfollow),
        )
        .answers_nothing(),
        Endpoint::new(
            "GET",
            "/preferences",
            "Which actions are wanted, for every action.",
            EITHER,
            get(subscriptions::preferences),
        )
        .query([user()])
        .answers_with(200, in_force.clone()),
        Endpoint::new(
            "PATCH",
            "/preferences",
            "Switches actions on or off.",
            EITHER,
            patch(subscriptions::set_preferences),
        )
        .query([user()])
        .takes::<subscriptions::Preferences>()
        .answers_with(200, in_force),
    ]
}

fn reading() -> Vec<Endpoint> {
    let since = moment("since", "The last-pull timestamp; from the beginning without it.");
    let counted = parameter("count", "Also say how many items are left after this page.", &flag());
    let epoch = parameter("epoch", "The history that the client knows.", &json!({"type": "string"}));
    let at = parameter("kind", "Only this kind.", &words(&["announcement", "reminder", "message"]));
    let unread = parameter("unread", "Only unread ones.", &flag());
    let archived = parameter("archived", "The archived ones instead of the others.", &flag());
    let left = object(&json!({"unread": count()}));
    let looked = object(&json!({"at": time(), "unread": count()}));
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
        .once(),
        Endpoint::new(
            "GET",
            "/conversations",
            "The conversations, latest first.",
            INBOX,
            get(inbox::conversations),
        )
        .query([cap(), user()])
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

fn grouping() -> Vec<Endpoint> {
    let since = moment("since", "Receipts after this.");
    vec![
        Endpoint::new("POST", "/groups", "Makes a group; its creator owns it.", INBOX, post(groups::add))
            .query([user()])
            .takes::<groups::NewGroup>()
            .answers::<Group>(201)
            .once(),
        Endpoint::new("GET", "/groups", "The groups that one is in.", INBOX, get(groups::mine))
            .query([user()])
            .answers_many::<GroupLine>(200),
        Endpoint::new("GET", "/groups/{gid}", "A group, for its members.", INBOX, get(groups::group))
            .answers::<Group>(200),
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
            .once(),
        Endpoint::new(
            "GET",
            "/groups/{gid}/messages/{msgid}/receipts",
            "Who has read a message.",
            INBOX,
            get(groups::readers),
        )
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
        .once(),
    ]
}

/// Serves every path.
pub(crate) fn router() -> Router<App> {
    let routes = endpoints().into_iter().fold(Router::new(), |router, e| router.route(e.path, e.route));
    Router::new().nest("/api/v1", routes)
}

/// The reference, made once.
pub(crate) fn document() -> Arc<Value> {
    static DOCUMENT: OnceLock<Arc<Value>> = OnceLock::new();
    Arc::clone(DOCUMENT.get_or_init(|| Arc::new(openapi(&endpoints()))))
}

async fn reference() -> super::problem::Answer {
    super::problem::ok(&*document())
}
