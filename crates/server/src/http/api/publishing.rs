//! The paths on which something is published. Refuses groups' messages: those stand with their groups.

use axum::routing::post;
use tidings_model::wire::{NewAnnouncement, NewMessage, NewReminder, Posted};

use super::{EITHER, PUBLISH};
use crate::http::publish;
use crate::http::reference::Endpoint;

pub(super) fn endpoints() -> Vec<Endpoint> {
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
        .idempotent(),
        Endpoint::new(
            "POST",
            "/reminders",
            "Says that somebody did something to something.",
            EITHER,
            post(publish::reminders),
        )
        .takes_one_or_many::<NewReminder>()
        .answers_one_or_many::<Posted>(201)
        .idempotent(),
        Endpoint::new("POST", "/messages", "Sends a message to a user.", EITHER, post(publish::messages))
            .takes_one_or_many_with::<NewMessage>("to")
            .answers_one_or_many::<Posted>(201)
            .idempotent(),
    ]
}
