//! Stores a draft now, or for later delivery.

use serde_json::Value;
use tidings_model::{MsgId, Stamp};
use tidings_server_core::files::Upload;
use tidings_server_core::http::response::idempotency::AnonymousKey;
use tidings_server_core::state::AppState;
use tidings_store::{Draft, Outcome, Post};

use super::super::error::{NtfyError, bad_request, not_stored};
use super::super::message;

/// Stores a draft for later delivery; gives its id and when it is due.
pub(super) async fn schedule(
    app: &AppState,
    draft: Draft,
    due: Stamp,
    upload: Option<Upload>,
    key: Option<(AnonymousKey, impl Fn(&str, Stamp) -> Value + Send + Sync + 'static)>,
) -> Result<Outcome<(String, Stamp)>, NtfyError> {
    let idempotency =
        key.map(|(key, to_body)| key.idempotency(move |msgid: &MsgId| to_body(msgid.as_str(), due)));
    let outcome = app.server.publish_later(draft, due, upload, idempotency).await;
    Ok(match outcome.map_err(not_stored)? {
        Outcome::Done(msgid) => Outcome::Done((msgid.0, due)),
        Outcome::Replayed(answer) => Outcome::Replayed(answer),
    })
}

/// Stores a draft now; gives its id and stamp.
pub(super) async fn post(
    app: &AppState,
    draft: Draft,
    upload: Option<Upload>,
    key: Option<(AnonymousKey, impl Fn(&str, Stamp) -> Value + Send + Sync + 'static)>,
) -> Result<Outcome<(String, Stamp)>, NtfyError> {
    let id_of = |posts: &Vec<Post>| {
        let posted = &posts.first()?.posted;
        Some((message::id_of(&posted.msgid, posted.stamp), posted.stamp))
    };
    let idempotency = key.map(|(key, to_body)| {
        key.idempotency(move |posts: &Vec<Post>| id_of(posts).map(|(id, at)| to_body(&id, at)))
    });
    let outcome = app.server.publish(vec![draft], upload, idempotency).await;
    Ok(match outcome.map_err(not_stored)? {
        Outcome::Done(posts) => {
            Outcome::Done(id_of(&posts).ok_or_else(|| bad_request("nothing was published"))?)
        }
        Outcome::Replayed(answer) => Outcome::Replayed(answer),
    })
}
