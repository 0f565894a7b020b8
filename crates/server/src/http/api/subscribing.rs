//! The paths of subscriptions, follows and preferences. Refuses to say who gets what for them.

use axum::routing::{delete, get, patch, put};
use serde_json::json;

use super::EITHER;
use super::parameters::{object, page, text, user};
use crate::http::reference::{Endpoint, needed, parameter};
use crate::http::schemas::{ID, TARGET_ID};
use crate::http::subscriptions;
use crate::store::{Follow, Subscription};

pub(super) fn endpoints() -> Vec<Endpoint> {
    let in_force =
        object(&json!({"actions": {"type": "object", "additionalProperties": {"type": "boolean"}}}));
    vec![
        Endpoint::new(
            "GET",
            "/subscriptions",
            "A page of what one is subscribed to, by type and id.",
            EITHER,
            get(subscriptions::list),
        )
        .query([text("type"), text("id"), user()])
        .query(page("target, as `<type>:<id>`,"))
        .answers_many::<Subscription>(200),
        Endpoint::new(
            "PUT",
            "/subscriptions",
            "Subscribes; actions add up, each from when it was added.",
            EITHER,
            put(subscriptions::subscribe),
        )
        .query([user()])
        .takes::<subscriptions::SubscriptionRequest>()
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
        Endpoint::new(
            "GET",
            "/follows",
            "A page of those whom one follows, by id.",
            EITHER,
            get(subscriptions::follows),
        )
        .query([user()])
        .query(page("id"))
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
