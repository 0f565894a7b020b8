//! The endpoints through which Gotify's clients publish and read, at the root of the same port. Applications, clients
//! and messages have whole numbers as ids here; a message is a notification like any other everywhere else.
//!
//! An application is a target and an actor with a random id, so that nobody else subscribes to it or follows it. Its
//! token publishes to its own user. A client is a token that reads. A client that signs in, and the tokens that it
//! makes, descend from the token that it used. A message gets its number in the transaction that publishes it, so that
//! numbers are in the order of publication. A message that is deleted there is archived here, by the code that applies
//! operations; an item that is deleted here leaves the lists there. An application that is removed leaves its
//! notifications. Tokens are stored as hashes, so that lists have an empty one.

mod applications;
mod auth;
mod clients;
mod draft;
mod error;
mod images;
mod info;
mod messages;
mod params;
mod paths;
mod publish;
mod stream;
mod users;
mod uses;

use std::ops::Deref;
use std::sync::Arc;

use axum::Router;
use axum::extract::FromRef;
use axum::routing::{MethodRouter, delete, get, post, put};
use tidings_server_core::state::AppState;

pub(crate) use self::error::GotifyError;
pub use self::paths::clean_path;
pub(crate) use self::paths::is_path;
use self::uses::ClientUses;

/// The state of the routes below.
#[derive(Clone)]
struct GotifyState {
    app: AppState,
    uses: Arc<ClientUses>,
}

impl Deref for GotifyState {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.app
    }
}

impl FromRef<GotifyState> for AppState {
    fn from_ref(state: &GotifyState) -> Self {
        state.app.clone()
    }
}

/// The routes of Gotify's clients. Their requests go through [`clean_path`] first: a layer of the router would run after a
/// path was chosen.
pub fn routes(app: &AppState) -> Router<AppState> {
    let routes: [(&str, MethodRouter<GotifyState>); 19] = [
        ("/message", get(messages::list).post(publish::publish).delete(messages::delete_all)),
        ("/message/{id}", delete(messages::delete)),
        ("/application", get(applications::list).post(applications::add)),
        ("/application/{id}", put(applications::update).delete(applications::remove)),
        ("/application/{id}/image", post(images::upload).delete(images::remove)),
        (
            "/application/{id}/message",
            get(messages::list_of_application).delete(messages::delete_of_application),
        ),
        ("/client", get(clients::list).post(clients::add)),
        ("/client/{id}", put(clients::update).delete(clients::remove)),
        ("/stream", get(stream::stream)),
        ("/current/user", get(users::current)),
        ("/current/user/password", post(users::refuse_password)),
        ("/user", get(users::list).post(users::refuse_change)),
        ("/user/{id}", get(users::get).post(users::refuse_change).delete(users::refuse_change)),
        ("/plugin", get(info::plugins)),
        ("/plugin/{id}/{*rest}", get(info::no_plugin).post(info::no_plugin)),
        ("/version", get(info::version)),
        ("/health", get(info::health)),
        ("/static/defaultapp.png", get(images::default_image)),
        ("/static/{name}", get(images::serve)),
    ];
    // As with Gotify, a known path with another method is not found.
    let router = routes.into_iter().fold(Router::new(), |router, (path, methods)| {
        router.route(path, methods.fallback(error::no_such_page))
    });
    router.with_state(GotifyState { app: app.clone(), uses: Arc::default() })
}
