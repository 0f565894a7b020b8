//! One open subscription. It keeps its position in its topics and reads what comes after it from the store, page by
//! page, when it is woken. It misses and repeats nothing in any race with publishing, and a slow reader holds one page.
//!
//! A poll reads its first page before its head is sent. What fails later breaks the body off: a bound within which all
//! of a poll could be gathered would bound what a poll may bring.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use tidings_model::wire::Scope;
use tidings_model::{Code, Stamp};
use tidings_server_core::budgets::{Principal, Reservation};
use tidings_server_core::domain::limits;
use tidings_server_core::http::auth::is_own_local_program;
use tidings_server_core::http::input::{PathParams, Query};
use tidings_server_core::http::streams::{StreamAccess, Wake, take_slot};
use tidings_server_core::live::listeners::Listener;
use tidings_server_core::state::AppState;
use tidings_store::Error;
use tidings_store::domain::account::UserKey;

use super::pages::{self, NtfyMessage, PageContent, SharedPage, SharedPages};
use super::since::{Filters, Since};
use super::{Step, Streams};
use crate::ntfy::error::{NtfyError, TOO_MANY_STREAMS, TOPIC_INVALID};
use crate::ntfy::fields::{Field, Fields};
use crate::ntfy::{auth, check_topic, message};

/// A topic of a subscription.
struct Topic {
    name: Arc<str>,
    /// Only what happened after this is sent.
    from: Stamp,
}

/// One open subscription.
pub(super) struct Subscription {
    pub(super) app: AppState,
    /// The pages that all streams share.
    shared: Arc<SharedPages>,
    access: StreamAccess,
    topics: Vec<Topic>,
    /// Everything up to here was read from the store.
    position: Stamp,
    /// Whether there may be something after the position.
    behind: bool,
    filters: Filters,
    /// The topics of which what waits to be delivered is sent too.
    scheduled: VecDeque<Arc<str>>,
    /// Whose publications that is.
    publishers: Vec<Option<UserKey>>,
    /// Wakes a stream; `None` for a poll, which ends when everything was read.
    listener: Option<Listener>,
    opened: bool,
    ready: VecDeque<Arc<NtfyMessage>>,
    /// The page of the events that are ready.
    page: Option<Arc<SharedPage>>,
    /// The further room that the ready events take.
    reservation: Option<Reservation>,
    /// The room of its topics and filters.
    _topics_room: Reservation,
}

impl Subscription {
    pub(super) async fn open(streams: Streams, parts: &mut Parts) -> Result<Self, NtfyError> {
        let Streams { app, pages: shared } = streams;
        let params = PathParams::from_request_parts(parts, &app).await.map_err(|_| TOPIC_INVALID)?;
        let topics = topic_names(params.text("topic").map_err(|_| TOPIC_INVALID)?)?;
        let query = Query::parse(parts.uri.query().unwrap_or(""));
        // Watched before the token is checked, so that no revocation is missed between the two.
        let auth_changes = app.server.access.watch();
        let auth = auth::authorize_reader(&app, parts, &query, &topics).await?;
        let fields = Fields::new(&parts.headers, &query);
        let poll = fields.flag(Field::Poll).unwrap_or(false);
        let since = Since::read(&fields, poll, app.now())?;
        let filters = Filters::read(&fields)?;
        let bytes: usize = topics.iter().map(|name| name.len() + limits::STREAM_TOPIC_BYTES).sum();
        let user = auth.bearer.user;
        let room = app.load_limits.stream_topics.try_reserve(Principal::User(user), bytes + filters.bytes());
        let topics_room = room.ok_or(TOO_MANY_STREAMS)?;
        let lists_scheduled = fields.flag(Field::Scheduled).unwrap_or(false) && since != Since::None;
        let mut publishers = vec![Some(auth.bearer.user)];
        if lists_scheduled && is_own_local_program(parts).await? {
            // Without a token all programs of the server's user on this machine are one publisher.
            publishers.push(None);
        }
        let scheduled = if lists_scheduled { topics.iter().cloned().collect() } else { VecDeque::new() };
        // It listens before its position is read, so that nothing is published between the two.
        let (listener, slot) = if poll {
            (None, None)
        } else {
            let listener = app.server.hub.topics.listen(user, &topics).map_err(|_| TOO_MANY_STREAMS)?;
            (Some(listener), take_slot(&parts.extensions, user).map_err(|_| TOO_MANY_STREAMS)?)
        };
        let topics = positions(&app, topics, &since).await?;
        let access = StreamAccess::new(&app, auth, auth_changes, slot);
        let mut subscription = Self {
            app,
            shared,
            access,
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
            _topics_room: topics_room,
        };
        // A poll that finds nothing because the store fails is an error, as long as there is a status to say so.
        if poll && subscription.behind {
            subscription.read_page().await?;
        }
        Ok(subscription)
    }

    /// The names of its topics, as its events have them.
    pub(super) fn names(&self) -> String {
        let names: Vec<&str> = self.topics.iter().map(|topic| &*topic.name).collect();
        names.join(",")
    }

    /// What comes next; `None` ends the stream. An open stream has room for the largest wait in here for as long as it
    /// lasts, so that what only polls wait for is boxed.
    ///
    /// # Errors
    /// Those of the store, and `unavailable` if there is no room for the next page. Not everything was sent then: the
    /// response breaks off, so that it does not pass for a whole one.
    pub(super) async fn next(&mut self) -> Result<Option<Step>, Error> {
        if !std::mem::replace(&mut self.opened, true) {
            return Ok(Some(Step::Open));
        }
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Ok(Some(Step::Message(message)));
            }
            if let Some(request) = self.listener.as_ref().and_then(Listener::take_poll_request) {
                self.check_access().await?;
                return Ok(Some(Step::Message(Arc::new(NtfyMessage::new((*request).clone())))));
            }
            if self.behind {
                self.read_page().await?;
                continue;
            }
            (self.page, self.reservation) = (None, None);
            if !self.scheduled.is_empty() {
                Box::pin(self.read_scheduled()).await?;
                continue;
            }
            let Some(listener) = &self.listener else { return Ok(None) };
            match self.access.wait(&self.app, listener.news()).await {
                Some(Wake::News) => self.behind = true,
                Some(Wake::KeepAlive) => return Ok(Some(Step::KeepAlive)),
                Some(Wake::AccessChanged) => self.check_access().await?,
                None => return Ok(None),
            }
        }
    }

    /// Reads the next page, or takes one that another stream that waits here has.
    async fn read_page(&mut self) -> Result<(), Error> {
        self.page = None;
        let topics = self.topics.iter();
        let topics = topics.map(|topic| (Arc::clone(&topic.name), topic.from.max(self.position))).collect();
        let bearer = &self.access.auth.bearer;
        let page = self.shared.page(&self.app, bearer, topics).await?;
        let Some(PageContent { through, has_more, messages, is_barred, .. }) = page.content() else {
            return Ok(());
        };
        if *is_barred && !bearer.has_scope(Scope::Admin) {
            return Err(barred());
        }
        self.position = self.position.max(*through);
        self.behind = *has_more;
        self.ready
            .extend(messages.iter().filter(|message| self.filters.pass(&message.value)).map(Arc::clone));
        self.page = Some(page);
        Ok(())
    }

    /// Reads what waits to be delivered to one more topic.
    async fn read_scheduled(&mut self) -> Result<(), Error> {
        let Some(topic) = self.scheduled.pop_front() else { return Ok(()) };
        self.reservation = None;
        let mut room = pages::reserve(&self.app, self.user(), limits::TOPIC_SCHEDULED_BYTES).await?;
        let (mut messages, mut bytes) = (Vec::new(), 0);
        for (msgid, due, draft) in self.app.server.store.scheduled_on(&topic, &self.publishers).await? {
            let sequence = draft.sequence.as_deref();
            let message = message::published(msgid.as_str(), due, &topic, sequence, &draft.content);
            if self.filters.pass(&message) {
                bytes += draft.content.body.len() + limits::NAME_BYTES;
                messages.push(Arc::new(NtfyMessage::new(message)));
            }
        }
        room.shrink(bytes);
        self.reservation = Some(room);
        self.ready.extend(messages);
        Ok(())
    }

    /// Whether its topics may still be read. An error of the store does not mean that they may not.
    async fn check_access(&self) -> Result<(), Error> {
        let (access, bearer) = (&self.app.server.access, &self.access.auth.bearer);
        if !bearer.has_scope(Scope::Admin) && matches!(access.is_barred(bearer, self.names()).await, Ok(true))
        {
            return Err(barred());
        }
        Ok(())
    }

    fn user(&self) -> UserKey {
        self.access.auth.bearer.user
    }
}

/// The error of a client that may not read one of the topics any more.
fn barred() -> Error {
    Error::refused(Code::Forbidden, "forbidden")
}

/// The topics of a path segment, separated by commas, each once.
pub(in crate::ntfy) fn topic_names(names: &str) -> Result<Vec<Arc<str>>, NtfyError> {
    let mut topics: Vec<Arc<str>> = Vec::new();
    for name in names.split(',').filter(|name| !name.is_empty()) {
        check_topic(name)?;
        if !topics.iter().any(|known| **known == *name) {
            topics.push(name.into());
        }
    }
    if topics.is_empty() || topics.len() > limits::STREAM_TOPICS {
        return Err(TOPIC_INVALID);
    }
    Ok(topics)
}

/// Where a subscription begins in each topic.
async fn positions(app: &AppState, names: Vec<Arc<str>>, since: &Since) -> Result<Vec<Topic>, NtfyError> {
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

    /// The bytes of the future of a method.
    fn future_bytes<'s, F>(_: impl FnOnce(&'s mut Subscription) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn an_open_stream_has_no_room_for_the_reading_of_a_page() {
        let bytes = future_bytes(Subscription::next);
        assert!(bytes <= 800, "{bytes} bytes");
    }

    #[test]
    fn topics_are_named_once_each_and_in_bounds() {
        assert_eq!(topic_names("b,a,,b").unwrap(), ["b".into(), "a".into()] as [Arc<str>; 2]);
        for bad in ["", ",", "a,b c", "a,docs", &"a,".repeat(3)[..0]] {
            assert!(topic_names(bad).is_err(), "{bad}");
        }
        let many: Vec<String> = (0..=limits::STREAM_TOPICS).map(|n| format!("t{n}")).collect();
        assert!(topic_names(&many.join(",")).is_err());
    }
}
