//! Builds a draft from a message in Gotify's format. Extras that a notification has a field for are put there too; all
//! of them come back to Gotify's clients as they were sent.

use tidings_model::gotify::{ACTION, APPLICATION_TARGET, Original, priority};
use tidings_model::{Actor, Kind, Priority, Target};
use tidings_server_core::http::input::check_draft;
use tidings_store::Application;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::{Audience, Draft};

use super::error::GotifyError;
use super::params::{EXTRAS, Params};

/// The draft of a message by an application, for its user.
///
/// # Errors
/// An error for a missing message, a field of another type, and a message beyond the limits.
pub(super) fn draft(
    application: &Application,
    user: UserKey,
    mut params: Params,
) -> Result<Draft, GotifyError> {
    let Application { target, fields, .. } = application;
    let actor = Actor { id: target.clone(), name: fields.name.clone() };
    let mut draft = Draft::new(Kind::Reminder, Audience::Subscribers, actor);
    ACTION.clone_into(&mut draft.action);
    draft.target = Some(Target {
        kind: APPLICATION_TARGET.to_owned(),
        id: target.clone(),
        title: Some(fields.name.clone()),
        ..Target::default()
    });
    draft.subscribe = Some(user);
    draft.content.body = params.required_text("message")?;
    draft.content.title = params.text("title")?;
    if draft.content.title.trim().is_empty() {
        draft.content.title.clone_from(&fields.name);
    }
    let sent = params.integer("priority")?;
    let original =
        Original { priority: sent.unwrap_or(fields.default_priority), extras: params.take_object(EXTRAS)? };
    let is_set = sent.is_some() || fields.default_priority != 0;
    draft.content.priority = if is_set { priority(original.priority) } else { Priority::DEFAULT };
    original.put_into(&mut draft.content);
    check_draft(&draft)?;
    Ok(draft)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use tidings_model::{Content, Stamp};

    use tidings_store::ApplicationFields;

    fn content(default_priority: i64, body: &Value) -> Content {
        let fields =
            ApplicationFields { name: "Backup".into(), default_priority, ..ApplicationFields::default() };
        let application = Application {
            id: 1,
            target: "t".into(),
            fields,
            created_at: Stamp::ZERO,
            last_used: None,
            image: None,
        };
        let params = Params::of_json(body.as_object().cloned().unwrap());
        draft(&application, UserKey(1), params).unwrap().content
    }

    #[test]
    fn what_is_not_given_is_the_applications() {
        let plain = content(0, &json!({"message": "m", "title": "  "}));
        assert_eq!((plain.title.as_str(), plain.priority.get()), ("Backup", 3));
        assert_eq!(Original::of(&plain).priority, 0);
        let with_default = content(8, &json!({"message": "m"}));
        assert_eq!((with_default.priority.get(), Original::of(&with_default).priority), (4, 8));
        let given = content(8, &json!({"message": "m", "priority": 0, "title": "T"}));
        assert_eq!((given.title.as_str(), given.priority.get()), ("T", 1));
    }
}
