//! What the settings of a topic mean for those who publish on it and for those who read it, whichever endpoint they come by.
//!
//! Every door calls this module before it stores anything: who may publish comes first, then name, icon and floor. Who
//! may read is in a separate column, because fan-in asks by it. The readers are those in force when an inbox is brought
//! up to date, and what was passed meanwhile does not come later. A stream reads its page first and asks for the
//! readers then, so that nothing that was published after a change is sent to others. A change of the readers counts as
//! one of tokens, so that the open streams of all nodes ask again.

use std::sync::Arc;

use tidings_model::wire::Scope;
use tidings_model::{Code, Problem};
use tidings_store::domain::account::Bearer;
use tidings_store::domain::draft::Draft;
use tidings_store::domain::topic::TopicSettings;

use crate::http::response::error::ApiError;
use crate::state::AppState;

/// The settings of a topic, for a publisher; `None` is a program without a token.
///
/// # Errors
/// `forbidden` if the settings name others as those who may publish.
pub async fn settings_for(
    app: &AppState,
    publisher: Option<&Bearer>,
    topic: &str,
) -> Result<Arc<TopicSettings>, ApiError> {
    let settings = app.server.access.topic_settings(topic).await?;
    if settings.admits(publisher) {
        return Ok(settings);
    }
    let detail = format!("on the topic {topic} only those may publish whom its settings name");
    Err(Problem::new(Code::Forbidden, detail).into())
}

/// Sets how often a publication is expected on a topic, for somebody who may publish there. Most say what holds already.
///
/// # Errors
/// Those of the store.
pub async fn expect(app: &AppState, topic: &str, every_secs: Option<u32>) -> Result<(), ApiError> {
    if app.server.access.topic_settings(topic).await?.expect_secs != every_secs {
        app.store().expect(topic, every_secs).await?;
        app.server.access.forget_topic(topic);
    }
    Ok(())
}

/// Refuses a reader if the settings of one of these topics name others as its readers. Who administers the server may
/// read every topic, as every inbox.
///
/// # Errors
/// `forbidden`.
pub async fn require_reader(app: &AppState, reader: &Bearer, topics: &[String]) -> Result<(), ApiError> {
    if reader.has_scope(Scope::Admin) { Ok(()) } else { require_readable(app, &reader.id, topics).await }
}

/// Refuses to bring these topics to a user whom the settings of one of them do not name.
///
/// # Errors
/// `forbidden`.
pub async fn require_readable(app: &AppState, user: &str, topics: &[String]) -> Result<(), ApiError> {
    let Some(topic) = app.store().unreadable_topic(user, topics).await? else { return Ok(()) };
    let detail = format!("the topic {topic} is read by those alone whom its settings name as its readers");
    Err(Problem::new(Code::Forbidden, detail).into())
}

/// Applies the settings of its topic to a publication; anything else stays as it is.
///
/// # Errors
/// `forbidden` if the settings name others as those who may publish.
pub async fn admit(app: &AppState, publisher: Option<&Bearer>, draft: &mut Draft) -> Result<(), ApiError> {
    admit_all(app, publisher, std::slice::from_mut(draft)).await
}

/// [`admit`], for many publications.
///
/// # Errors
/// Those of [`admit`].
pub async fn admit_all(
    app: &AppState,
    publisher: Option<&Bearer>,
    drafts: &mut [Draft],
) -> Result<(), ApiError> {
    for draft in drafts {
        let Some(topic) = draft.topic().map(str::to_owned) else { continue };
        // By whichever door it comes: on a person's own server, each topic is theirs.
        draft.subscribe = draft.subscribe.or(app.owner);
        settings_for(app, publisher, &topic).await?.apply(&topic, draft);
    }
    Ok(())
}
