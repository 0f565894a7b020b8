//! What the settings of a topic mean for a publication on it, whichever endpoint it comes by.

use std::collections::HashMap;

use tidings_model::{Code, Problem};

use crate::domain::account::Bearer;
use crate::domain::draft::Draft;
use crate::domain::topic::TopicSettings;
use crate::http::AppState;
use crate::http::response::error::ApiError;

/// The settings of a topic, for a publisher; `None` is a program without a token.
///
/// # Errors
/// `forbidden` where the settings name others as those who may publish.
pub(super) async fn settings_for(
    app: &AppState,
    publisher: Option<&Bearer>,
    topic: &str,
) -> Result<TopicSettings, ApiError> {
    let settings = app.store().topic_settings(topic).await?.unwrap_or_default();
    if settings.admits(publisher) {
        return Ok(settings);
    }
    let detail = format!("on the topic {topic} only those may publish whom its settings name");
    Err(Problem::new(Code::Forbidden, detail).into())
}

/// Applies the settings of its topic to a publication; anything else stays as it is.
///
/// # Errors
/// `forbidden` where the settings name others as those who may publish.
pub(super) async fn admit(
    app: &AppState,
    publisher: Option<&Bearer>,
    draft: &mut Draft,
) -> Result<(), ApiError> {
    admit_all(app, publisher, std::slice::from_mut(draft)).await
}

/// [`admit`], for many publications; the settings of each topic are looked up once.
///
/// # Errors
/// Those of [`admit`].
pub(super) async fn admit_all(
    app: &AppState,
    publisher: Option<&Bearer>,
    drafts: &mut [Draft],
) -> Result<(), ApiError> {
    let mut known: HashMap<String, TopicSettings> = HashMap::new();
    for draft in drafts {
        let Some(topic) = draft.topic().map(str::to_owned) else { continue };
        if let Some(settings) = known.get(&topic) {
            settings.apply(&topic, draft);
            continue;
        }
        let settings = settings_for(app, publisher, &topic).await?;
        settings.apply(&topic, draft);
        known.insert(topic, settings);
    }
    Ok(())
}
