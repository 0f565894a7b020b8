//! What the settings of a topic mean for those who read it, whichever endpoint they come by.
//!
//! Who may read is in a separate column, because fan-in asks by it. The readers are those in force when an inbox is
//! brought up to date, and what was passed meanwhile does not come later. A stream reads its page first and asks for the
//! readers then, so that nothing that was published after a change is sent to others. A change of the readers counts as
//! one of tokens, so that the open streams of all nodes ask again.

use tidings_model::wire::Scope;
use tidings_model::{Code, Problem};
use tidings_store::domain::account::Bearer;

use crate::http::response::error::ApiError;
use crate::state::AppState;

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
