//! The export of one user: all that is stored of them, as JSON lines, in parts of bounded size.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tidings_model::Stamp;
use tidings_store::domain::account::User;
use tidings_store::{Error, JsonElements, ListPage, ListQuery, Store};

use crate::domain::limits;

/// Publications that are read at a time.
const WRITTEN_PAGE: usize = 500;
/// Publications that wait to be delivered and are read at a time.
const SCHEDULED_PAGE: usize = 50;

/// What comes next.
enum Next {
    Profile,
    Tokens(ListQuery),
    Subscriptions(ListQuery),
    Follows(ListQuery),
    Preferences,
    Items(Stamp),
    Written(Stamp),
    Scheduled(ListQuery),
    End,
}

/// An export in progress. Each line is a JSON object with one member, whose name says what it is. The names are
/// `profile`, `token` (without its secret), `subscription`, `follow`, `preference` and `item` (with its state in the
/// inbox). There are also `written` (a publication of the user) and `scheduled` (one that waits to be delivered).
pub struct UserExport {
    store: Arc<dyn Store>,
    user: User,
    next: Next,
}

/// What is read of an item.
#[derive(Deserialize)]
struct Deleted {
    #[serde(default)]
    deleted: bool,
}

impl UserExport {
    /// An export that begins.
    ///
    /// # Errors
    /// `not_found` if there is no such user.
    pub async fn begin(store: Arc<dyn Store>, id: &str) -> Result<Self, Error> {
        let user = store.user(id).await?.ok_or_else(|| Error::not_found("user"))?;
        Ok(Self { store, user, next: Next::Profile })
    }

    /// The next lines, at most a page; `None` at the end.
    ///
    /// # Errors
    /// [`Error::Store`] if the database can't be read, `not_found` if the user was removed meanwhile.
    pub async fn lines(&mut self) -> Result<Option<String>, Error> {
        let (store, key) = (Arc::clone(&self.store), self.user.key);
        let mut lines = String::new();
        self.next = match std::mem::replace(&mut self.next, Next::End) {
            Next::Profile => {
                push(&mut lines, "profile", &self.user)?;
                Next::Tokens(first())
            }
            Next::Tokens(page) => match listed(&mut lines, "token", &store.tokens(Some(key), page).await?)? {
                Some(last) => Next::Tokens(first().after(text(&last, "/id"))),
                None => Next::Subscriptions(first()),
            },
            Next::Subscriptions(page) => {
                let page = store.subscriptions(key, None, None, page).await?;
                match listed(&mut lines, "subscription", &page)? {
                    Some(last) => {
                        let target = format!("{}:{}", text(&last, "/target/type"), text(&last, "/target/id"));
                        Next::Subscriptions(first().after(&target))
                    }
                    None => Next::Follows(first()),
                }
            }
            Next::Follows(page) => match listed(&mut lines, "follow", &store.follows(key, page).await?)? {
                Some(last) => Next::Follows(first().after(text(&last, "/user"))),
                None => Next::Preferences,
            },
            Next::Preferences => {
                for (action, wanted) in store.preferences(key).await? {
                    push(&mut lines, "preference", &json!({ "action": action, "wanted": wanted }))?;
                }
                while store.fan_in(key).await? {}
                Next::Items(Stamp::ZERO)
            }
            Next::Items(since) => {
                let page = store.sync(key, since, limits::DEFAULT_SYNC_LIMIT).await?;
                for item in &page.items {
                    if !serde_json::from_str::<Deleted>(item.get())?.deleted {
                        push_written(&mut lines, "item", item.get());
                    }
                }
                if page.more { Next::Items(page.next) } else { Next::Written(Stamp::ZERO) }
            }
            Next::Written(after) => {
                let page = store.written(key, &self.user.id, after, WRITTEN_PAGE).await?;
                push_all(&mut lines, "written", &page.publications);
                if page.more { Next::Written(page.through) } else { Next::Scheduled(first_scheduled()) }
            }
            Next::Scheduled(page) => {
                match listed(&mut lines, "scheduled", &store.scheduled_by(key, page).await?)? {
                    Some(last) => Next::Scheduled(first_scheduled().after(text(&last, "/msgid"))),
                    None => Next::End,
                }
            }
            Next::End => return Ok(None),
        };
        Ok(Some(lines))
    }
}

fn first() -> ListQuery {
    ListQuery::first(limits::PAGE_ELEMENTS)
}

fn first_scheduled() -> ListQuery {
    ListQuery::first(SCHEDULED_PAGE)
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Adds the elements of a page; gives the last one, `None` if the list ended before.
fn listed(lines: &mut String, what: &str, page: &ListPage) -> Result<Option<Value>, Error> {
    push_all(lines, what, &page.0);
    page.0.last().map(|last| Ok(serde_json::from_str(last.get())?)).transpose()
}

fn push_all(lines: &mut String, what: &str, elements: &JsonElements) {
    for element in elements {
        push_written(lines, what, element.get());
    }
}

fn push(lines: &mut String, what: &str, value: &impl Serialize) -> Result<(), Error> {
    push_written(lines, what, &serde_json::to_string(value)?);
    Ok(())
}

fn push_written(lines: &mut String, what: &str, json: &str) {
    for part in ["{\"", what, "\":", json, "}\n"] {
        lines.push_str(part);
    }
}
