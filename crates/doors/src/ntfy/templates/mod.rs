//! Templates of publications, as with ntfy. The body is JSON, from which title, message and priority are filled in. The
//! templates for that are in the request, or are known by name.

mod predefined;

use axum::body::Bytes;
use tidings_go_templates::{self as engine, RenderError, render, value_of};
use tidings_server_core::budgets::Principal;
use tidings_server_core::domain::limits;
use tidings_server_core::http::input::parse_value;
use tidings_server_core::state::AppState;
use tidings_store::worker_pool::STACK_BYTES;

use self::predefined::Predefined;
use super::draft::{PublishFields, value_text};
use super::error::{
    NtfyError, TEMPLATE_DISALLOWED, TEMPLATE_NOT_FOUND, TEMPLATE_SOURCE_NOT_JSON, TEMPLATE_TOO_LARGE,
    template_failed, template_invalid,
};
use super::fields::{Field, Fields};

// What `/info` says, and the threads that fill templates in, are what the engine needs.
const _: () = assert!(
    engine::limits::TEMPLATE_BYTES == limits::TEMPLATE_BYTES
        && engine::limits::TEXT_BYTES == limits::TEXT_BYTES
        && engine::limits::STACK_BYTES <= STACK_BYTES
);

/// Which templates a publication is filled in with.
#[derive(Debug, Clone, Copy)]
pub(super) enum TemplateMode {
    /// Those in its own title, message and priority.
    Inline,
    /// Those with this name.
    Predefined(&'static Predefined),
}

/// The templates of one publication, as texts.
struct Texts {
    title: String,
    message: String,
    priority: Option<String>,
}

impl TemplateMode {
    /// The mode that a request asks for; `None` if its body is not JSON for a template. A body for a program, one
    /// beside an attached address, and a file are none.
    ///
    /// # Errors
    /// ntfy's error for a name that is not known.
    pub(super) fn of(fields: &Fields<'_>) -> Result<Option<Self>, NtfyError> {
        let Some(name) = fields.get(Field::Template) else { return Ok(None) };
        let has_other_body = fields.is_for_program()
            || fields.get(Field::Attach).is_some()
            || fields.get(Field::Filename).is_some();
        match name.to_ascii_lowercase().as_str() {
            _ if has_other_body => Ok(None),
            "0" | "no" | "false" | "off" => Ok(None),
            "1" | "yes" | "true" | "on" => Ok(Some(Self::Inline)),
            name => {
                predefined::by_name(name).map(|found| Some(Self::Predefined(found))).ok_or(TEMPLATE_NOT_FOUND)
            }
        }
    }

    /// The fields of a publication, with title, message and priority filled in from JSON. `given` has the other members
    /// of JSON at the root.
    ///
    /// # Errors
    /// ntfy's errors for a source that is no JSON, and for templates that can't be filled in.
    pub(super) async fn fill_in(
        self,
        app: &AppState,
        principal: Principal,
        fields: &Fields<'_>,
        source: Bytes,
        given: PublishFields,
    ) -> Result<PublishFields, NtfyError> {
        let texts = self.texts(fields, &given);
        let filled = app.load_limits.compute(principal, move || texts.fill_in(&source)).await??;
        Ok(PublishFields {
            title: Some(filled.title),
            message: Some(filled.message),
            priority: filled.priority.map(Into::into),
            is_filled_in: true,
            ..given
        })
    }

    fn texts(self, fields: &Fields<'_>, given: &PublishFields) -> Texts {
        let priority = given.priority.as_ref().map(value_text).or_else(|| fields.get(Field::Priority));
        match self {
            Self::Inline => {
                let title = given.title.clone().or_else(|| fields.get(Field::Title)).unwrap_or_default();
                Texts { title, message: fields.get(Field::Message).unwrap_or_default(), priority }
            }
            Self::Predefined(Predefined { title, message, .. }) => {
                Texts { title: (*title).to_owned(), message: (*message).to_owned(), priority }
            }
        }
    }
}

impl Texts {
    /// The same texts, filled in from JSON.
    fn fill_in(self, source: &[u8]) -> Result<Self, NtfyError> {
        let source = parse_value(source).map_err(|_| TEMPLATE_SOURCE_NOT_JSON)?;
        let data = value_of(source);
        let filled = |text: &str| render(text, &data, read_json).map_err(NtfyError::from);
        Ok(Self {
            title: filled(&self.title)?,
            message: filled(&self.message)?,
            priority: self.priority.as_deref().map(filled).transpose()?,
        })
    }
}

impl From<RenderError> for NtfyError {
    fn from(e: RenderError) -> Self {
        match e {
            RenderError::Disallowed => TEMPLATE_DISALLOWED,
            RenderError::Invalid(why) => template_invalid(&why),
            RenderError::Failed(why) => template_failed(&why),
            RenderError::TooLarge => TEMPLATE_TOO_LARGE,
        }
    }
}

/// Reads JSON within the bounds of a body.
fn read_json(json: &[u8]) -> Option<serde_json::Value> {
    parse_value(json).ok()
}
