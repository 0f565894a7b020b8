//! The requests to a Tidings server, and its answers.

use reqwest::{Method, RequestBuilder};
use serde::de::DeserializeOwned;
use tidings_model::wire;
use tidings_net::{Error, Result, http};
use tidings_replica::Outgoing;

use super::Tidings;
use crate::service::json::parse;
use crate::source::Since;

impl Tidings {
    pub(super) fn request(&self, method: Method, path: &str) -> Result<RequestBuilder> {
        let url = self.base.join(path).map_err(|_| Error::Address(path.to_owned()))?;
        let client = http::client_for(&url)?;
        Ok(client.request(method, url).bearer_auth(&self.token))
    }

    pub(super) fn sync(&self, since: Since, limit: usize) -> Result<RequestBuilder> {
        let mut query = vec![("limit", limit.to_string())];
        query.extend(since.cursor.map(|cursor| ("since", cursor)));
        query.extend(since.epoch.map(|epoch| ("epoch", epoch)));
        Ok(self.request(Method::GET, "sync")?.query(&query))
    }

    pub(super) async fn answer<T: DeserializeOwned + Send + 'static>(
        &self,
        request: RequestBuilder,
    ) -> Result<T> {
        parse(http::body(http::send(request, self.clock.now()).await?).await?).await
    }

    /// The request that posts a message, and its body.
    pub(super) fn message_request(&self, outgoing: &Outgoing) -> Result<(RequestBuilder, wire::NewMessage)> {
        let mut message = outgoing.message.clone();
        let request = match outgoing.conversation.split_once(':') {
            Some(("group", group)) => {
                message.to = None;
                self.request(Method::POST, &format!("groups/{group}/messages"))?
            }
            Some(("user", peer)) => {
                message.to = Some(peer.to_owned());
                self.request(Method::POST, "messages")?
            }
            _ => return Err(Error::Refused(400)),
        };
        Ok((request.header("Idempotency-Key", &outgoing.id), message))
    }

    /// The server's description, and its clock minus this machine's in microseconds. The server read its clock while
    /// the request was on its way, so a difference up to the time of the request counts as none.
    pub(super) async fn info(&self) -> Result<(wire::Info, i64)> {
        let asked = self.clock.now().as_micros();
        let info = self.get::<wire::Info>("info").await?;
        let took = self.clock.now().as_micros().saturating_sub(asked);
        let offset = info.now.as_micros().saturating_sub(asked.saturating_add(took / 2));
        Ok((info, if offset.abs() <= took { 0 } else { offset }))
    }

    pub(super) async fn get<T: DeserializeOwned + Send + 'static>(&self, path: &str) -> Result<T> {
        self.answer(self.request(Method::GET, path)?).await
    }
}

/// Turns a refusal into `None`, for resources that a server does not have or does not show to this user.
pub(super) fn optional<T>(answer: Result<T>) -> Result<Option<T>> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(Error::Refused(_) | Error::Forbidden) => Ok(None),
        Err(error) => Err(error),
    }
}
