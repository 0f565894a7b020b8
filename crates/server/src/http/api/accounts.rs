//! The paths of the server itself, its users, tokens and catalog. Refuses to say what they do: handlers do.

use axum::routing::{delete, get, post, put};
use serde_json::json;
use tidings_model::Catalog;
use tidings_model::wire::{Info, Me};

use super::parameters::{object, page, user};
use super::{ADMIN, ANY, INBOX, reference};
use crate::domain::account::{FreshToken, Token, User};
use crate::endpoint::LONGEST_CHALLENGE;
use crate::http::reference::{Endpoint, parameter};
use crate::http::{accounts, system};

pub(super) fn endpoints() -> Vec<Endpoint> {
    let mut healthy = object(&json!({"healthy": {"type": "boolean"}}));
    if let Some(members) = healthy.pointer_mut("/properties").and_then(|members| members.as_object_mut()) {
        let about = "HMAC-SHA256, in base64url without padding: the key is the text of the token in `endpoint.json`, \
            the message `tidings endpoint`, a line feed and the challenge. Missing where the server has no such file.";
        members.insert("proof".to_owned(), json!({"type": "string", "description": about}));
    }
    let challenge = parameter(
        "challenge",
        "Asks for a proof that this server wrote `endpoint.json`, before its token is sent.",
        &json!({"type": "string", "pattern": format!("^[!-~]{{1,{LONGEST_CHALLENGE}}}$")}),
    );
    vec![
        Endpoint::new("GET", "/health", "Whether the server is up.", &[], get(system::health))
            .query([challenge])
            .answers_with(200, healthy),
        Endpoint::new("GET", "/info", "What this server is, can and takes.", &[], get(system::info))
            .answers::<Info>(200),
        Endpoint::new("GET", "/openapi.json", "This reference.", &[], get(reference))
            .answers_with(200, json!({"type": "object"})),
        Endpoint::new("GET", "/me", "The token's user.", ANY, get(accounts::me)).answers::<Me>(200),
        Endpoint::new("GET", "/users", "A page of the users, by id.", ADMIN, get(accounts::users))
            .query(page("id"))
            .answers_many::<User>(200),
        Endpoint::new("POST", "/users", "Adds a user.", ADMIN, post(accounts::add_user))
            .takes::<accounts::NewUser>()
            .answers::<User>(201)
            .idempotent(),
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
        .takes::<accounts::TokenRequest>()
        .answers::<FreshToken>(201)
        .idempotent(),
        Endpoint::new(
            "GET",
            "/tokens",
            "A page of one's own tokens, the oldest first; with admin everybody's.",
            INBOX,
            get(accounts::tokens),
        )
        .query(page("id"))
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
