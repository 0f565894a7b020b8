//! Endpoints of topics' settings, and of trying a template on the last payloads of webhooks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tidings_doors::hooks::Delivery;
use tidings_model::wire::Scope;
use tidings_model::{Format, Priority, Problem, Stamp};
use tidings_server_core::budgets::Principal;
use tidings_server_core::domain::hook_template;
use tidings_server_core::http::auth::AuthContext;
use tidings_server_core::http::input::{Json, PathParams, Query, parse_value};
use tidings_server_core::http::response::error::{ApiError, ApiResult, no_content, ok};
use tidings_server_core::http::response::page::page;
use tidings_server_core::state::AppState;
use tidings_store::domain::topic::{Secret, Topic, TopicSettings, check_topic};
use tidings_store::{Error, Payload};
use utoipa::ToSchema;

use super::{ADMIN, parameters};
use crate::http::openapi::endpoint::Endpoint;

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/topics", ADMIN, self::topics)
            .about("A page of the topics with settings, by name.")
            .query(parameters::page("topic"))
            .list_response::<Topic>(200),
        Endpoint::get("/topics/{topic}", ADMIN, self::topic)
            .about("What is set for a topic; its secrets are named and not shown.")
            .response::<Topic>(200),
        Endpoint::put("/topics/{topic}", ADMIN, self::set_topic)
            .about("Sets everything for a topic. Secrets that are not named stay as they are.")
            .request_body::<self::TopicRequest>()
            .response::<Topic>(200),
        Endpoint::delete("/topics/{topic}", ADMIN, self::remove_topic)
            .about(
                "Removes what is set for a topic and the payloads that are kept for it; what was \
                 published stays.",
            )
            .no_content_response(),
        Endpoint::post("/topics/{topic}/try", ADMIN, self::try_template)
            .about("Shows how the last payloads of webhooks to a topic would arrive with a template.")
            .request_body::<self::TemplateTrial>()
            .list_response::<TriedPayload>(200),
    ]
}

/// What to set for a topic. A member that is left out is not set any more, except a secret.
#[derive(Deserialize, ToSchema)]
pub(crate) struct TopicRequest {
    /// The display name; the topic's own if it is empty.
    #[serde(default)]
    name: String,
    /// The address of the icon of publications that have none; none if it is empty.
    #[serde(default)]
    icon: Option<String>,
    /// What is published with a lower priority gets this one.
    #[serde(default)]
    priority_floor: Option<Priority>,
    /// The template for webhooks of senders that are not known.
    #[serde(default)]
    template: String,
    /// The ids of the users who may publish; everybody who may publish at all if it is left out.
    #[serde(default)]
    publishers: Option<Vec<String>>,
    /// The ids of the users who may read; all users of the server if it is left out.
    #[serde(default)]
    readers: Option<Vec<String>>,
    /// The secrets with which senders of webhooks sign, by sender. An empty one is removed.
    #[serde(default)]
    secrets: BTreeMap<String, String>,
    /// The seconds within which a publication is expected. If none comes in that time of running, one notification on the
    /// topic says so, and one when it is back. Left out, none is expected.
    #[serde(default)]
    expect_secs: Option<u32>,
}

impl From<TopicRequest> for TopicSettings {
    fn from(request: TopicRequest) -> Self {
        let TopicRequest { name, icon, priority_floor, template, publishers, readers, secrets, expect_secs } =
            request;
        let icon = icon.filter(|icon| !icon.is_empty());
        let secrets = secrets.into_iter().map(|(sender, secret)| (sender, Secret(secret))).collect();
        Self { name, icon, priority_floor, template, publishers, readers, secrets, expect_secs }
    }
}

/// A template to try.
#[derive(Deserialize, ToSchema)]
pub(crate) struct TemplateTrial {
    /// The template; an empty one shows how payloads arrive without.
    #[serde(default)]
    template: String,
}

/// How a payload would arrive.
#[derive(Serialize, ToSchema)]
struct TriedPayload {
    /// When it came.
    received_at: Stamp,
    /// Who sent it; empty if that is not known.
    sender: String,
    /// What it is about, as its sender named it; empty for none.
    event: String,
    /// What makes the notifications: `sender` if its form is known, `template`, or `json` if none fits.
    by: &'static str,
    /// What is wrong with the template, if it failed.
    error: Option<String>,
    /// The notifications.
    notices: Vec<TriedNotice>,
}

/// A notification that a payload would make.
#[derive(Serialize, ToSchema)]
struct TriedNotice {
    /// The title; empty for that of the topic.
    title: String,
    /// The body.
    body: String,
    /// The markup of `body`.
    format: Format,
    /// The urgency, before the topic's floor.
    priority: Priority,
    /// Labels.
    tags: Vec<String>,
    /// The address that a click opens.
    url: Option<String>,
    /// Whether it marks the notification about the same as read.
    resolved: bool,
}

/// The topic in the path, for a token that administers the server, or the one of the owner in standalone mode.
fn authorized<'a>(app: &AppState, auth: &AuthContext, path: &'a PathParams) -> Result<&'a str, ApiError> {
    authorize(app, auth)?;
    let topic = path.text("topic")?;
    check_topic(topic).map_err(|e| Problem::invalid("topic", e.to_string()))?;
    Ok(topic)
}

fn authorize(app: &AppState, auth: &AuthContext) -> Result<(), Problem> {
    let is_owner = app.owner == Some(auth.bearer.user) && auth.bearer.has_scope(Scope::Inbox);
    if is_owner { Ok(()) } else { auth.require_scope(Scope::Admin) }
}

pub(crate) async fn topics(app: AppState, auth: AuthContext, query: Query) -> ApiResult {
    authorize(&app, &auth)?;
    page(&app.load_limits, auth.bearer.user, app.store().topics(query.page()?).await?).await
}

pub(crate) async fn topic(app: AppState, auth: AuthContext, path: PathParams) -> ApiResult {
    let topic = authorized(&app, &auth, &path)?;
    let settings = app.store().topic_settings(topic).await?.ok_or_else(|| Error::not_found("topic"))?;
    ok(&Topic::new(topic, settings))
}

pub(crate) async fn set_topic(
    app: AppState,
    auth: AuthContext,
    path: PathParams,
    Json(request): Json<TopicRequest>,
) -> ApiResult {
    let topic = authorized(&app, &auth, &path)?;
    ok(&app.server.write_topic(topic, TopicSettings::from(request)).await?)
}

pub(crate) async fn remove_topic(app: AppState, auth: AuthContext, path: PathParams) -> ApiResult {
    app.server.delete_topic(authorized(&app, &auth, &path)?).await?;
    no_content()
}

pub(crate) async fn try_template(
    app: AppState,
    auth: AuthContext,
    path: PathParams,
    Json(trial): Json<TemplateTrial>,
) -> ApiResult {
    let topic = authorized(&app, &auth, &path)?;
    hook_template::compile(&trial.template).await?;
    let (payloads, principal) = (app.store().payloads(topic).await?, Principal::User(auth.bearer.user));
    let mut all = Vec::with_capacity(payloads.len());
    for payload in payloads {
        all.push(tried(&app, principal, topic, payload, trial.template.clone()).await?);
    }
    ok(&all)
}

async fn tried(
    app: &AppState,
    principal: Principal,
    topic: &str,
    payload: Payload,
    template: String,
) -> Result<TriedPayload, Problem> {
    let Payload { received_at, sender, event, body } = payload;
    let delivery = {
        let (sender, event) = (sender.clone(), event.clone());
        let read =
            move || Delivery::of_kept(&sender, &event, parse_value(body.as_bytes()).unwrap_or_default());
        app.load_limits.compute(principal, move || read().begin(&template)).await?
    };
    let rendered = delivery.render(topic).await;
    let reading = app.load_limits.compute(principal, move || delivery.finish(rendered)).await?;
    let notices = reading.notices.into_iter().map(|notice| TriedNotice {
        title: notice.title,
        body: notice.body,
        format: notice.format,
        priority: notice.priority,
        tags: notice.tags,
        url: notice.url,
        resolved: notice.resolved,
    });
    let (by, error, notices) = (reading.by.as_str(), reading.template_error, notices.collect());
    Ok(TriedPayload { received_at, sender, event, by, error, notices })
}
