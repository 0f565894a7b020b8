//! Publishes what the reader writes on a topic of a source. It is sent once and nothing waits: what was typed stays in the
//! window until the service has taken it.
//!
//! The form keeps what was typed over the end of the program, too. If an answer was lost, it says that the
//! notification may be there.

use std::sync::Arc;

use tidings_ipc::{ErrorCode, NewPublication, NotPublished};
use tidings_model::topic::is_valid_name;
use tidings_model::{Priority, Stamp, text};
use tidings_net::Error as NetError;
use tidings_render::item::source_name;
use tidings_render::link::external_url;
use tidings_replica::Source;
use tidings_sources::{Publication, protocol, topics};
use tidings_strings::strings;
use tidings_sync::Error as SyncError;

use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::sources::engine::RunningEngine;

/// The most characters of a title.
const MAX_TITLE_CHARS: usize = 250;
/// The most tags, and the most characters of one.
const MAX_TAGS: (usize, usize) = (20, 64);
/// The longest address, in bytes.
const MAX_CLICK_BYTES: usize = 2_048;

/// Why a service did not take a publication, by its error.
fn reason(error: &SyncError, now: Stamp) -> NotPublished {
    let SyncError::Net(error) = error else { return NotPublished::Unanswered };
    match error {
        NetError::Waiting { until } => NotPublished::TooMany(Some(minutes(until.as_secs() - now.as_secs()))),
        NetError::Unavailable { status: 429 | 403, retry_after } => NotPublished::TooMany(
            retry_after.map(|wait| minutes(i64::try_from(wait.as_secs()).unwrap_or(i64::MAX))),
        ),
        NetError::SignIn => NotPublished::SignIn,
        NetError::Forbidden => NotPublished::Forbidden,
        NetError::Refused(413) => NotPublished::TooLong,
        NetError::Refused(status) => NotPublished::Refused(*status),
        NetError::Resync => NotPublished::Refused(410),
        NetError::Offline
        | NetError::NameNotFound
        | NetError::Certificate(_)
        | NetError::Setup(_)
        | NetError::Address(_)
        | NetError::Kind(_)
        | NetError::RedirectRefused
        | NetError::Private => NotPublished::Unreachable,
        _ => NotPublished::Unanswered,
    }
}

/// Whether the same would be refused again.
const fn is_refusal(why: NotPublished) -> bool {
    use NotPublished::{Forbidden, Refused, SignIn, TooLong};
    matches!(why, SignIn | Forbidden | TooLong | Refused(_))
}

/// A number of seconds in whole minutes, at least one.
fn minutes(seconds: i64) -> u64 {
    u64::try_from(seconds).unwrap_or(0).div_ceil(60).max(1)
}

part! {
    /// Publishes what the reader writes on a topic of a source.
    pub(crate) struct OnTopic {
        context: Arc<Context>,
        engine: Arc<RunningEngine>,
    }
}

impl OnTopic {
    /// Publishes a notification on a topic of a source. It then comes with a pull, like any other on the topic.
    ///
    /// # Errors
    /// The code is `Invalid` if the form lacks something or the service refuses it, else `Outside`. The sentence says
    /// whether it may have been published all the same.
    pub(crate) async fn publish_on_topic(&self, new: NewPublication) -> Result<()> {
        let source = self.context.disk(move |r| r.source(new.source)).await?;
        let publication = self.checked_publication(new, &source)?;
        let failed = |why: NotPublished| {
            let label = source_name(&source, self.context.lang());
            let text = strings(self.context.lang()).not_published(why, &label, &publication.topic);
            let code = if is_refusal(why) { ErrorCode::Invalid } else { ErrorCode::Outside };
            Error::Localized { code, text }
        };
        if source.paused {
            return Err(failed(NotPublished::Paused));
        }
        let engine = self.engine.get().ok_or_else(|| failed(NotPublished::Unreachable))?;
        match engine.publish(source.id, &publication).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(failed(NotPublished::Unreachable)),
            Err(error) => {
                tracing::info!(source = source.id, %error, "a notification was not published");
                Err(failed(reason(&error, self.context.now())))
            }
        }
    }

    /// The publication of a form, whose fields the page has checked for its writer's sake.
    fn checked_publication(&self, new: NewPublication, source: &Source) -> Result<Publication> {
        let table = strings(self.context.lang());
        let NewPublication { topic, key, title, text: body, markdown, priority, tags, click, .. } = new;
        if !is_valid_name(&key) || !topics(source).contains(&topic) {
            return Err(Error::invalid(table.error_invalid));
        }
        let body = body.trim();
        let most = protocol(&source.protocol).ok().and_then(|known| known.abilities.publish_bytes);
        if body.len() > most.unwrap_or_default() {
            let label = source_name(source, self.context.lang());
            return Err(Error::invalid(table.not_published(NotPublished::TooLong, &label, &topic)));
        }
        let title = text::line(title.trim()).into_owned();
        let tags: Vec<String> =
            tags.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect();
        let (most_tags, most_chars) = MAX_TAGS;
        let is_odd = body.is_empty()
            || title.chars().count() > MAX_TITLE_CHARS
            || tags.len() > most_tags
            || tags.iter().any(|tag| tag.chars().count() > most_chars || tag.contains(','));
        if is_odd {
            return Err(Error::invalid(table.error_invalid));
        }
        Ok(Publication {
            key,
            topic,
            title: Some(title).filter(|title| !title.is_empty()),
            text: body.to_owned(),
            is_markdown: markdown,
            priority: Priority::new(i64::from(priority)).map_err(|_| Error::invalid(table.error_invalid))?,
            tags,
            click: match click.trim() {
                "" => None,
                click => Some(self.checked_click(click)?),
            },
        })
    }

    fn checked_click(&self, click: &str) -> Result<String> {
        let url = external_url(click).filter(|_| click.len() <= MAX_CLICK_BYTES);
        url.map(String::from).ok_or_else(|| Error::invalid(strings(self.context.lang()).error_link))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tidings_model::Lang;

    use super::*;

    #[test]
    fn only_what_had_no_answer_may_have_been_published() {
        let now: Stamp = "2026-11-20T06:14:00Z".parse().unwrap();
        let of = |error: NetError| reason(&error.into(), now);
        let busy = |status, secs: Option<u64>| NetError::Unavailable {
            status,
            retry_after: secs.map(Duration::from_secs),
        };
        assert_eq!(of(busy(429, Some(61))), NotPublished::TooMany(Some(2)));
        assert_eq!(of(busy(429, None)), NotPublished::TooMany(None));
        assert_eq!(of(NetError::Waiting { until: now.plus_secs(5) }), NotPublished::TooMany(Some(1)));
        assert_eq!(of(NetError::Forbidden), NotPublished::Forbidden);
        assert_eq!(of(NetError::Refused(413)), NotPublished::TooLong);
        assert_eq!(of(NetError::Refused(400)), NotPublished::Refused(400));
        assert_eq!(of(NetError::Offline), NotPublished::Unreachable);
        for unclear in [NetError::Slow, NetError::Unreachable, NetError::Malformed, busy(502, None)] {
            assert_eq!(of(unclear), NotPublished::Unanswered);
        }
    }

    #[test]
    fn each_reason_names_the_source_and_says_what_is_kept() {
        for (lang, kept) in [(Lang::En, "kept here"), (Lang::ZhCn, "还在这里")] {
            for why in [
                NotPublished::Paused,
                NotPublished::Unreachable,
                NotPublished::SignIn,
                NotPublished::Forbidden,
                NotPublished::TooLong,
                NotPublished::TooMany(None),
                NotPublished::TooMany(Some(3)),
                NotPublished::Refused(400),
                NotPublished::Unanswered,
            ] {
                let said = strings(lang).not_published(why, "Home", "alerts");
                assert!(said.contains("Home") && said.contains(kept), "{said}");
            }
        }
    }
}
