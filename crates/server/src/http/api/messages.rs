//! Endpoints that send messages to a user and to a group, as JSON, or as a form with one message and its file. What is
//! refused for another reason is refused before the file is read.

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::request::Parts;
use tidings_model::wire::{ActorRef, NewMessage, Posted, Scope};
use tidings_model::{Code, Problem, check_id};
use tidings_server_core::budgets::Principal;
use tidings_server_core::domain::limits;
use tidings_server_core::http::auth::AuthContext;
use tidings_server_core::http::files::{IncomingFile, ReceivedFile};
use tidings_server_core::http::input::{
    Form, FormPart, OneOrMany, PathParams, content_length, from_value, is_form, parse_body, parse_value, read,
};
use tidings_server_core::http::response::error::{ApiError, ApiResult};
use tidings_server_core::http::response::idempotency::IdempotencyKey;
use tidings_server_core::state::AppState;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::draft::{Audience, Draft};

use super::INBOX_OR_PUBLISH;
use super::publish::{build_drafts, post_and_respond};
use crate::http::openapi::endpoint::Endpoint;

/// The first part of a form, and the second.
const MESSAGE_PART: &str = "message";
const FILE_PART: &str = "file";

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::post("/messages", INBOX_OR_PUBLISH, self::to_user)
            .about("Sends a message to a user, or as a form one message with a file.")
            .one_or_many_request_body_with::<NewMessage>("to")
            .or_form_with_file(MESSAGE_PART, FILE_PART)
            .one_or_many_response::<Posted>(201)
            .idempotent(),
        Endpoint::post("/groups/{gid}/messages", INBOX_OR_PUBLISH, self::to_group)
            .about("Posts to a group, or as a form one message with a file.")
            .one_or_many_request_body::<NewMessage>()
            .or_form_with_file(MESSAGE_PART, FILE_PART)
            .one_or_many_response::<Posted>(201)
            .idempotent(),
    ]
}

pub(crate) async fn to_user(
    app: AppState,
    auth: AuthContext,
    key: IdempotencyKey,
    request: Request,
) -> ApiResult {
    send(&app, Sender { auth, group: None }, &key, request).await
}

pub(crate) async fn to_group(
    app: AppState,
    auth: AuthContext,
    key: IdempotencyKey,
    path: PathParams,
    request: Request,
) -> ApiResult {
    let group = Some(path.id("gid")?.to_owned());
    send(&app, Sender { auth, group }, &key, request).await
}

/// Who sends messages, and to which group; `None` if each names the user whom it is for.
struct Sender {
    auth: AuthContext,
    group: Option<String>,
}

impl Sender {
    /// The draft of a message.
    fn draft(&self, new: NewMessage) -> Result<Draft, Problem> {
        let audience = match &self.group {
            Some(group) => Audience::Group(group.clone()),
            None => Audience::User(recipient(&new)?),
        };
        let (from, name) = self.named(&new)?;
        Draft::message(new, audience, from, name)
    }

    /// The id and the name of the sender: the token's user, or the user that a token with `publish` names.
    fn named(&self, new: &NewMessage) -> Result<(String, Option<String>), Problem> {
        let bearer = &self.auth.bearer;
        let Some(from) = &new.from else { return Ok((bearer.id.clone(), Some(bearer.name.clone()))) };
        if from.id() != self.auth.id() && !bearer.has_scope(Scope::Publish) {
            let detail = "with this token only its own user can be the sender";
            return Err(Problem::new(Code::Forbidden, detail));
        }
        let name = match from {
            ActorRef::Full { name, .. } => name.clone(),
            ActorRef::Id(_) => None,
        };
        Ok((from.id().to_owned(), name))
    }
}

/// The id of the user whom a message is for.
fn recipient(new: &NewMessage) -> Result<String, Problem> {
    let to = new.to.clone().ok_or_else(|| Problem::invalid("to", "missing field `to`"))?;
    check_id(&to).map_err(|e| Problem::invalid("to", e.to_string()))?;
    Ok(to)
}

/// Sends the messages of a request.
async fn send(app: &AppState, sender: Sender, key: &IdempotencyKey, request: Request) -> ApiResult {
    sender.auth.require_any_scope(&[Scope::Inbox, Scope::Publish])?;
    if is_form(request.headers()) {
        return send_with_file(app, sender, key, request).await;
    }
    let input = OneOrMany::<NewMessage>::from_request(request, app).await?;
    let many = input.many;
    let by = sender.auth.bearer.clone();
    let drafts = build_drafts(app, by.user, input, move |new| sender.draft(new)).await?;
    post_and_respond(app, &by, key, drafts, many, None).await
}

/// Sends the message of a form, with its file.
async fn send_with_file(app: &AppState, sender: Sender, key: &IdempotencyKey, request: Request) -> ApiResult {
    let (parts, body) = request.into_parts();
    let mut form = FileForm::open(app, &parts, sender.auth.bearer.user, body)?;
    let mut draft = sender.draft(form.message().await?)?;
    app.store().require_deliverable(&draft).await?;
    let ReceivedFile { upload, attachment, file } = form.file().await?;
    draft.content.attachment = Some(attachment);
    draft.check()?;
    draft.file = Some(file);
    post_and_respond(app, &sender.auth.bearer, key, vec![draft], false, Some(upload)).await
}

/// A form of a message and a file, in this order, that is being read.
struct FileForm<'a> {
    app: &'a AppState,
    parts: &'a Parts,
    user: UserKey,
    form: Form,
    /// Bytes of the message, as far as it was read.
    message_bytes: usize,
}

impl<'a> FileForm<'a> {
    /// A form that comes from a user.
    ///
    /// # Errors
    /// `too_large` if this server does not accept files, or if the form says that its file is too large.
    fn open(app: &'a AppState, parts: &'a Parts, user: UserKey, body: Body) -> Result<Self, Problem> {
        let file_bytes = usize::try_from(app.server.config.files.file_bytes).unwrap_or(usize::MAX);
        if file_bytes == 0 {
            return Err(Problem::new(Code::TooLarge, "this server does not accept files"));
        }
        let max_bytes = file_bytes.saturating_add(limits::BODY_BYTES + limits::FORM_BYTES);
        let form = Form::new(app, &parts.headers, body, max_bytes)?;
        Ok(Self { app, parts, user, form, message_bytes: 0 })
    }

    /// The next part, which must have this name.
    async fn part(&mut self, name: &str) -> Result<FormPart, Problem> {
        let part = self.form.next().await?.filter(|part| part.name() == name);
        part.ok_or_else(|| Problem::invalid(name, "is required: a form has `message` and then `file`"))
    }

    /// The message.
    async fn message(&mut self) -> Result<NewMessage, Problem> {
        let principal = Principal::User(self.user);
        let mut part = self.part(MESSAGE_PART).await?;
        let bytes = read(self.app, self.parts, principal, &mut part, limits::BODY_BYTES).await?;
        self.message_bytes = bytes.len();
        parse_body(self.app, principal, bytes, |bytes| from_value(parse_value(bytes)?, "")).await
    }

    /// Stores the file, as the last part.
    async fn file(mut self) -> Result<ReceivedFile, ApiError> {
        let mut part = self.part(FILE_PART).await?;
        let name = part.file_name().unwrap_or_default().to_owned();
        if name.is_empty() {
            return Err(ApiError::invalid(FILE_PART, "must have a `filename`"));
        }
        let (app, parts) = (self.app, self.parts);
        let least_bytes = self.least_file_bytes();
        let file = IncomingFile { app, parts, uploader: Some(self.user), name: &name, least_bytes };
        let received = file.receive(&mut part).await?;
        drop(part);
        match self.form.next().await? {
            None => Ok(received),
            Some(_) => Err(ApiError::invalid("body", "must have two parts, `message` and `file`")),
        }
    }

    /// The bytes that the file has at least, if the head of the request says how many the form has.
    fn least_file_bytes(&self) -> u64 {
        let form_bytes = content_length(&self.parts.headers).unwrap_or(0);
        form_bytes.saturating_sub(self.message_bytes.saturating_add(limits::FORM_BYTES)) as u64
    }
}
