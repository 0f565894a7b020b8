//! The paths of the server itself, its users, tokens and catalog. Refuses to say what they do: handlers do.

use axum::routing::{delete, get, post, put};
use serde_json::json;
use tidings_model::Catalog;
use tidings_model::wire::{Info, Me};

use super::parameters::{object, user};
use super::{ADMIN, ANY, INBOX, reference};
use crate::domain::account::{FreshToken, Token, User};
use crate::http::reference::Endpoint;
use crate::http::{accounts, system};

pub(super) fn endpoints() -> Vec<Endpoint> {
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
            INBOX,
            get(accounts::tokens),
        )
        .query([user()])
        .answers_many::<Token>(200),
        Endpoint::new("DELETE", "/tokens/{id}", "Revokes a token.", INBOX, delete(accounts::revoke))
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
