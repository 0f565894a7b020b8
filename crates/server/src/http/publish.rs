//! Announcements, reminders and messages over the wire. Refuses to answer before they are durable.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::Value;
use tidings_model::wire::{NewAnnouncement, NewMessage, NewReminder, Scope};
use tidings_model::{Actor, Code, Problem, check_id};

use super::App;
use super::auth::Who;
use super::input::OneOrMany;
use super::load::Principal;
use super::once::Key;
use super::problem::{Answer, Refusal};
use crate::domain::account::UserKey;
use crate::domain::draft::{Audience, Draft, Post};
use crate::store::Did;

/// Stores drafts and answers as they were asked for: one, or an array.
pub(crate) async fn post(app: &App, key: &Key, drafts: Vec<Draft>, many: bool) -> Result<Response, Refusal> {
    let view = move |posts: &Vec<Post>| -> Value {
        let posted = posts.iter().map(|p| &p.posted);
        if many {
            serde_json::to_value(posted.collect::<Vec<_>>()).unwrap_or_default()
        } else {
            posted.map(|p| serde_json::to_value(p).unwrap_or_default()).next().unwrap_or_default()
        }
    };
    let did = app.store().post(drafts, key.once(StatusCode::CREATED, view)).await;
    if let Ok(Did::Now(posts)) = &did {
        app.server.hub.published(posts);
    }
    key.answer(did, StatusCode::CREATED, view)
}

/// Makes drafts, large ones away from the threads that serve connections; in an array, an error names the element.
pub(crate) async fn drafts<T: Send + 'static>(
    app: &App,
    by: UserKey,
    asked: OneOrMany<T>,
    make: impl Fn(T) -> Result<Draft, Problem> + Send + 'static,
) -> Result<Vec<Draft>, Problem> {
    let OneOrMany { many, large, things } = asked;
    let all = move || {
        things.into_iter().enumerate().map(|(i, t)| make(t).map_err(|e| of_element(many, i, e))).collect()
    };
    if large { app.load.compute(Principal::User(by), all).await? } else { all() }
}

fn of_element(many: bool, i: usize, mut problem: Problem) -> Problem {
    if many {
        match &mut problem.field {
            Some(field) => *field = format!("[{i}].{field}"),
            None => problem.detail = format!("[{i}]: {}", problem.detail),
        }
    }
    problem
}

pub(crate) async fn announcements(
    State(app): State<App>,
    who: Who,
    key: Key,
    asked: OneOrMany<NewAnnouncement>,
) -> Answer {
    who.must(Scope::Publish)?;
    let many = asked.many;
    let by = Actor { id: who.bearer.id, name: who.bearer.name };
    let drafts =
        drafts(&app, who.bearer.user, asked, move |new| Draft::announcement(new, by.clone())).await?;
    post(&app, &key, drafts, many).await
}

pub(crate) async fn reminders(
    State(app): State<App>,
    who: Who,
    key: Key,
    asked: OneOrMany<NewReminder>,
) -> Answer {
    who.must_any(&[Scope::Publish, Scope::Inbox])?;
    let many = asked.many;
    let catalog = app.catalog().await?;
    let drafts = drafts(&app, who.bearer.user, asked, move |new: NewReminder| {
        if new.actor.id() != who.id() && !who.bearer.may(Scope::Publish) {
            return Err(Problem::new(Code::Forbidden, "with this token only its own user can be the actor"));
        }
        Draft::reminder(new, &catalog)
    })
    .await?;
    post(&app, &key, drafts, many).await
}

/// Who a message is from: the token's user, or whom a publisher names.
pub(crate) fn sender(who: &Who, new: &NewMessage) -> Result<(String, Option<String>), Problem> {
    let Some(from) = &new.from else { return Ok((who.bearer.id.clone(), Some(who.bearer.name.clone()))) };
    if from.id() != who.id() && !who.bearer.may(Scope::Publish) {
        return Err(Problem::new(Code::Forbidden, "with this token only its own user can be the sender"));
    }
    let name = match from {
        tidings_model::wire::ActorRef::Full { name, .. } => name.clone(),
        tidings_model::wire::ActorRef::Id(_) => None,
    };
    Ok((from.id().to_owned(), name))
}

pub(crate) async fn messages(
    State(app): State<App>,
    who: Who,
    key: Key,
    asked: OneOrMany<NewMessage>,
) -> Answer {
    who.must_any(&[Scope::Inbox, Scope::Publish])?;
    let many = asked.many;
    let drafts = drafts(&app, who.bearer.user, asked, move |new: NewMessage| {
        let to = new.to.clone().ok_or_else(|| Problem::invalid("to", "missing field `to`"))?;
        check_id(&to).map_err(|e| Problem::invalid("to", e.to_string()))?;
        let (from, name) = sender(&who, &new)?;
        Draft::message(new, Audience::User(to), from, name)
    })
    .await?;
    post(&app, &key, drafts, many).await
}
