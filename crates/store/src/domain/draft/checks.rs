//! The limits on every publication, whichever endpoint it comes from.

use serde::Serialize;
use tidings_model::{Code, Problem, Target, check_id, check_target_id};

use super::super::json_size::json_size;
use super::super::limits;
use super::Draft;

impl Draft {
    /// Its size in bytes, as JSON.
    pub fn size(&self) -> usize {
        // A value that can't be written as JSON gets a size above every limit.
        json_size(self).unwrap_or(usize::MAX)
    }

    /// Checks the limits on every publication, whichever endpoint it comes from.
    ///
    /// # Errors
    /// `invalid` for a field that is too long, `too_large` if the whole notification is too large.
    pub fn check(&self) -> Result<(), Problem> {
        self.check_with_size(self.size())
    }

    /// The same for a draft whose size as JSON is known, in bytes.
    ///
    /// # Errors
    /// Those of [`Draft::check`].
    pub fn check_with_size(&self, size: usize) -> Result<(), Problem> {
        check_tags(&self.content.tags)?;
        check_name("actor.name", self.actor_name.as_deref().unwrap_or_default())?;
        check_name("attachment.name", self.content.attachment.as_ref().map_or("", |a| &a.name))?;
        check_part("data", &self.content.data)?;
        check_part("actions", &self.content.actions)?;
        let answer = if self.content.question.is_some() { limits::ANSWER_TEXT_BYTES } else { 0 };
        let reserved = limits::NOTIFICATION_OVERHEAD_BYTES + answer;
        if size.saturating_add(reserved) > limits::NOTIFICATION_BYTES {
            let detail = format!("a notification may have {} bytes as JSON", limits::NOTIFICATION_BYTES);
            return Err(Problem::new(Code::TooLarge, detail));
        }
        Ok(())
    }
}

/// Checks a target in a request.
///
/// # Errors
/// `invalid`, naming the field, if the type, the id or the owner is not valid.
pub fn check_target(target: &Target) -> Result<(), Problem> {
    check_id(&target.kind).map_err(|e| Problem::invalid("target.type", e.to_string()))?;
    check_target_id(&target.id).map_err(|e| Problem::invalid("target.id", e.to_string()))?;
    if let Some(owner) = &target.owner {
        check_id(owner).map_err(|e| Problem::invalid("target.owner", e.to_string()))?;
    }
    Ok(())
}

/// Checks the length of a display name.
///
/// # Errors
/// `invalid` for `field` if the name has more than [`limits::NAME_BYTES`] bytes.
pub fn check_name(field: &str, name: &str) -> Result<(), Problem> {
    if name.len() > limits::NAME_BYTES {
        return Err(Problem::invalid(field, format!("may have {} bytes", limits::NAME_BYTES)));
    }
    Ok(())
}

fn check_tags(tags: &[String]) -> Result<(), Problem> {
    if tags.len() > limits::TAG_COUNT {
        return Err(Problem::invalid("tags", format!("at most {} tags", limits::TAG_COUNT)));
    }
    match tags.iter().position(|tag| tag.len() > limits::TAG_BYTES) {
        Some(i) => {
            Err(Problem::invalid(format!("tags[{i}]"), format!("may have {} bytes", limits::TAG_BYTES)))
        }
        None => Ok(()),
    }
}

/// Checks the size of a part of a notification, serialized as JSON.
fn check_part<T: Serialize>(field: &str, part: &T) -> Result<(), Problem> {
    if json_size(part).unwrap_or(usize::MAX) > limits::DATA_BYTES {
        return Err(Problem::invalid(field, format!("may have {} bytes as JSON", limits::DATA_BYTES)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};
    use tidings_model::{Actor, Attachment, Kind, Question};

    use super::super::Audience;
    use super::*;

    fn draft() -> Draft {
        Draft::new(Kind::Announcement, Audience::Everyone, Actor { id: "al".into(), name: "Al".into() })
    }

    /// The field that is refused in a draft.
    fn wrong(change: impl FnOnce(&mut Draft)) -> Option<String> {
        let mut draft = draft();
        change(&mut draft);
        draft.check().err().map(|problem| problem.field.unwrap_or_else(|| problem.code.as_str().to_owned()))
    }

    #[test]
    fn each_part_may_have_what_its_limit_says_and_no_byte_more() {
        let texts = |count: usize, bytes: usize| vec!["x".repeat(bytes); count];
        let field = |name: &str| Some(name.to_owned());
        assert_eq!(wrong(|d| d.content.tags = texts(limits::TAG_COUNT, limits::TAG_BYTES)), None);
        assert_eq!(wrong(|d| d.content.tags = texts(limits::TAG_COUNT + 1, 1)), field("tags"));
        let tags = ["a".to_owned(), "x".repeat(limits::TAG_BYTES + 1)];
        assert_eq!(wrong(|d| d.content.tags = tags.to_vec()), field("tags[1]"));
        let name = |more| "x".repeat(limits::NAME_BYTES + more);
        assert_eq!(wrong(|d| d.actor_name = Some(name(0))), None);
        assert_eq!(wrong(|d| d.actor_name = Some(name(1))), field("actor.name"));
        let file = |more| {
            serde_json::from_value::<Attachment>(json!({"name": name(more), "url": "https://e.org/f"})).ok()
        };
        assert_eq!(wrong(|d| d.content.attachment = file(0)), None);
        assert_eq!(wrong(|d| d.content.attachment = file(1)), field("attachment.name"));
        // The braces, the name and the quotation marks are eight bytes.
        let data =
            |more| Map::from_iter([("k".to_owned(), json!("x".repeat(limits::DATA_BYTES - 8 + more)))]);
        assert_eq!(wrong(|d| d.content.data = data(0)), None);
        assert_eq!(wrong(|d| d.content.data = data(1)), field("data"));
        let button = json!([{"action": "view", "label": "x".repeat(limits::DATA_BYTES)}]);
        let actions = serde_json::from_value(button).unwrap();
        assert_eq!(wrong(|d| d.content.actions = actions), field("actions"));
        assert_eq!(wrong(|d| d.content.body = "x".repeat(limits::NOTIFICATION_BYTES)), field("too_large"));
    }

    #[test]
    fn room_is_left_for_what_the_server_adds_and_for_the_answer_to_a_question() {
        let most = limits::NOTIFICATION_BYTES - limits::NOTIFICATION_OVERHEAD_BYTES;
        let plain = draft();
        assert!(plain.check_with_size(most).is_ok() && plain.check_with_size(usize::MAX).is_err());
        assert_eq!(plain.check_with_size(most + 1).unwrap_err().code, Code::TooLarge);
        let mut asks = draft();
        asks.content.question = Some(Question { text: true, ..Question::default() });
        let most = most - limits::ANSWER_TEXT_BYTES;
        assert!(asks.check_with_size(most).is_ok() && asks.check_with_size(most + 1).is_err());
        assert_eq!(plain.size(), serde_json::to_string(&plain).unwrap().len());
    }

    #[test]
    fn the_part_of_a_target_that_is_wrong_is_named() {
        let target = |kind: &str, id: &str, owner: Option<&str>| {
            let target = Target {
                kind: kind.into(),
                id: id.into(),
                owner: owner.map(Into::into),
                ..Target::default()
            };
            check_target(&target).err().and_then(|problem| problem.field)
        };
        assert_eq!(target("article", "a b/c", Some("al")), None);
        assert_eq!(target("two words", "7", None).as_deref(), Some("target.type"));
        assert_eq!(target("article", "", None).as_deref(), Some("target.id"));
        assert_eq!(target("article", "7", Some("a b")).as_deref(), Some("target.owner"));
    }
}
