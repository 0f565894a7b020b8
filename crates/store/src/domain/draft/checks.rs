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
