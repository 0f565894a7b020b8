//! One open subscription. It keeps its position in its topics and reads what comes after it from the store, page by page,
//! when it is woken: it misses and repeats nothing in any race with publishing, and a slow reader holds one page.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use tidings_model::wire::Scope;
use tidings_model::{Code, Stamp};

use super::Step;
use super::pages::{self, Message, Page, SharedPage};
use super::since::{Filters, Since};
use crate::domain::account::UserKey;
use crate::domain::limits;
use crate::http::AppState;
use crate::http::auth::is_own_local_program;
use crate::http::input::{PathParams, Query};
use crate::http::limits::budgets::Reservation;
use crate::http::ntfy::error::{NtfyError, TOO_MANY_STREAMS, TOPIC_INVALID};
use crate::http::ntfy::fields::{Field, Fields};
use crate::http::ntfy::{auth, check_topic, message};
use crate::http::response::error::ApiError;
use crate::http::streams::{StreamAccess, Wake};
use crate::http::topics::require_reader;
use crate::live::topics::Listener;

/// A topic of a subscription.
struct Topic {
    name: String,
    /// Only what happened after this is sent.
    from: Stamp,
}

/// One open subscription.
pub(super) struct Subscription {
    pub(super) app: AppState,
    access: StreamAccess,
    /// The topics as the request has them.
    pub(super) names: String,
    topics: Vec<Topic>,
    /// Everything up to here was read from the store.
    position: Stamp,
    /// Whether there may be something after the position.
    behind: bool,
    filters: Filters,
    /// The topics of which what waits to be delivered is sent too.
    scheduled: VecDeque<String>,
    /// Whose publications that is.
    publishers: Vec<Option<UserKey>>,
    /// Wakes a stream; `None` for a poll, which ends when everything was read.
    listener: Option<Listener>,
    opened: bool,
    ready: VecDeque<Arc<Message>>,
    /// The page of what is ready.
    page: Option<Arc<SharedPage>>,
    /// The room that what is ready takes besides.
    reservation: Option<Reservation>,
}

impl Subscription {
    pub(super) async fn open(app: AppState, parts: &mut Parts) -> Result<Self, NtfyError> {
        let params = PathParams::from_request_parts(parts, &app).await.map_err(|_| TOPIC_INVALID)?;
        let names = params.text("topic").map_err(|_| TOPIC_INVALID)?.to_owned();
        let topics = topic_names(&names)?;
        let query = Query::parse(parts.uri.query().unwrap_or(""));
        // Watched before the token is checked, so that no revocation is missed between the two.
        let auth_changes = app.server.token_cache.watch();
        let auth = auth::authorize_reader(&app, parts, &query, &topics).await?;
        let fields = Fields { headers: &parts.headers, query: &query };
        let poll = fields.flag(Field::Poll).unwrap_or(false);
        let since = Since::read(&fields, poll, app.now())?;
        let filters = Filters::read(&fields)?;
        let lists_scheduled = fields.flag(Field::Scheduled).unwrap_or(false) && since != Since::None;
        let mut publishers = vec![Some(auth.bearer.user)];
        if lists_scheduled && is_own_local_program(parts).await? {
            // Without a token all programs of the server's user on this machine are one publisher.
            publishers.push(None);
        }
        let scheduled = if lists_scheduled { topics.iter().cloned().collect() } else { VecDeque::new() };
        // It listens before its position is read, so that nothing is published between the two.
        let listener = if poll {
            None
        } else {
            Some(app.server.hub.topics.listen(auth.bearer.user, &topics).map_err(|_| TOO_MANY_STREAMS)?)
        };
        let topics = positions(&app, topics, &since).await?;
        let access = StreamAccess::new(&app, auth, auth_changes);
        Ok(Self {
            app,
            access,
            names,
            topics,
            position: Stamp::ZERO,
            behind: since != Since::None,
            filters,
            scheduled,
            publishers,
            listener,
            opened: poll,
            ready: VecDeque::new(),
            page: None,
            reservation: None,
        })
    }

    /// What comes next; `None` ends the stream.
    pub(super) async fn next(&mut self) -> Option<Step> {
        if !std::mem::replace(&mut self.opened, true) {
            return Some(Step::Open);
        }
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(Step::Message(message));
            }
            if let Some(request) = self.listener.as_ref().and_then(Listener::take_poll_request) {
                self.check_access().await?;
                return Some(Step::Message(Arc::new(Message::new((*request).clone()))));
            }
            if self.behind {
                self.read_page().await?;
                continue;
            }
            (self.page, self.reservation) = (None, None);
            if !self.scheduled.is_empty() {
                self.read_scheduled().await?;
                continue;
            }
            let listener = self.listener.as_ref()?;
            match self.access.wait(&self.app, listener.news()).await? {
                Wake::News => self.behind = true,
                Wake::KeepAlive => return Some(Step::KeepAlive),
                Wake::AccessChanged => self.check_access().await?,
            }
        }
    }

    /// Reads the next page, or takes one that another stream at this place has. Ends the stream where the store fails or
    /// there is no room: the client comes back.
    async fn read_page(&mut self) -> Option<()> {
        self.page = None;
        let topics: Vec<_> =
            self.topics.iter().map(|topic| (topic.name.clone(), topic.from.max(self.position))).collect();
        let bearer = &self.access.auth.bearer;
        let page = self.app.topic_pages.page(&self.app, bearer, topics).await?;
        let Page { through, has_more, messages, is_barred, .. } = page.content()?;
        if *is_barred && !bearer.has_scope(Scope::Admin) {
            return None;
        }
        self.position = self.position.max(*through);
        self.behind = *has_more;
        self.ready
            .extend(messages.iter().filter(|message| self.filters.pass(&message.value)).map(Arc::clone));
        self.page = Some(page);
        Some(())
    }

    /// Reads what waits to be delivered to one more topic.
    async fn read_scheduled(&mut self) -> Option<()> {
        let Some(topic) = self.scheduled.pop_front() else { return Some(()) };
        self.reservation = None;
        let mut room = pages::reserve(&self.app, self.user(), limits::TOPIC_SCHEDULED_BYTES).await?;
        let (mut messages, mut bytes) = (Vec::new(), 0);
        for (msgid, due, draft) in self.app.server.store.scheduled_on(&topic, &self.publishers).await.ok()? {
            let sequence = draft.sequence.as_deref();
            let message = message::published(msgid.as_str(), due, &topic, sequence, &draft.content);
            if self.filters.pass(&message) {
                bytes += draft.content.body.len() + limits::NAME_BYTES;
                messages.push(Arc::new(Message::new(message)));
            }
        }
        room.shrink(bytes);
        self.reservation = Some(room);
        self.ready.extend(messages);
        Some(())
    }

    /// Ends the stream where its topics may not be read any more. An error of the store does not mean that.
    async fn check_access(&self) -> Option<()> {
        let topics: Vec<String> = self.topics.iter().map(|topic| topic.name.clone()).collect();
        match require_reader(&self.app, &self.access.auth.bearer, &topics).await {
            Err(ApiError(problem)) if problem.code == Code::Forbidden => None,
            _ => Some(()),
        }
    }

    fn user(&self) -> UserKey {
        self.access.auth.bearer.user
    }
}

/// The topics of a path segment, separated by commas, each once.
pub(in crate::http::ntfy) fn topic_names(names: &str) -> Result<Vec<String>, NtfyError> {
    let mut topics: Vec<String> = Vec::new();
    for name in names.split(',').filter(|name| !name.is_empty()) {
        check_topic(name)?;
        if !topics.iter().any(|known| known == name) {
            topics.push(name.to_owned());
        }
    }
    if topics.is_empty() || topics.len() > limits::STREAM_TOPICS {
        return Err(TOPIC_INVALID);
    }
    Ok(topics)
}

/// Where a subscription begins in each topic.
async fn positions(app: &AppState, names: Vec<String>, since: &Since) -> Result<Vec<Topic>, NtfyError> {
    let common = match since {
        Since::All => Stamp::ZERO,
        Since::None | Since::Latest => app.store().published_through().await?,
        Since::Time(at) => at.plus_micros(-1),
        // A publication that was delayed was created later than its id says.
        Since::Id(msgid, stamp) => app.store().created_at(msgid).await?.unwrap_or(*stamp),
    };
    let mut topics = Vec::with_capacity(names.len());
    for name in names {
        let latest = match since {
            Since::Latest => app.store().topic_latest(&name).await?,
            _ => None,
        };
        let from = latest.map_or(common, |at| at.plus_micros(-1).min(common));
        topics.push(Topic { name, from });
    }
    Ok(topics)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_named_once_each_and_in_bounds() {
        assert_eq!(topic_names("b,a,,b").unwrap(), ["b", "a"]);
        for bad in ["", ",", "a,b c", "a,docs", &"a,".repeat(3)[..0]] {
            assert!(topic_names(bad).is_err(), "{bad}");
        }
        let many: Vec<String> = (0..=limits::STREAM_TOPICS).map(|n| format!("t{n}")).collect();
        assert!(topic_names(&many.join(",")).is_err());
    }
}
