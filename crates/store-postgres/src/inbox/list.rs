//! Reads a page of an inbox, newest content first.

use tidings_model::{Kind, Stamp};
use tidings_store::domain::account::UserKey;
use tidings_store::domain::thread::ThreadKey;
use tidings_store::page::{ItemsPage, PageBuilder};
use tidings_store::{Error, InboxQuery, item_row};

use super::row;
use crate::session::{Session, Value, rows};

/// A page of an inbox, newest first.
pub(super) async fn inbox(
    db: &Session,
    user: UserKey,
    query: &InboxQuery,
    now: Stamp,
) -> Result<ItemsPage, Error> {
    let Some(selection) = selection(query) else { return Ok(ItemsPage { items: Vec::new(), next: None }) };
    let before = query.before.map_or(i64::MAX, Stamp::as_micros);
    let limit = rows(query.limit + 1);
    let now = now.as_micros();
    let mut params: Vec<&dyn Value> = vec![&user.0, &before, &limit];
    params.extend(selection.texts.iter().map(|text| text as &dyn Value));
    if query.unread == Some(true) && query.conversation.is_none() {
        params.push(&now);
    }
    let mut page = PageBuilder::new(query.limit);
    let mut last = None;
    for row in &db.query_in_order(&selection.sql(), &params).await? {
        let item = item_row::notification(row)?;
        if !page.push(&item)? {
            break;
        }
        last = Some(item.content_at());
    }
    let next = if page.is_full() { last } else { None };
    Ok(ItemsPage { items: page.into_elements(), next })
}

/// The items of a list. `$1` is the user, `$2` the time before which their content is, `$3` the most rows; from `$4` on
/// come the texts, and then the time.
struct Selection {
    /// A condition for each kind, each with an index in the order of the content.
    conditions: Vec<String>,
    texts: Vec<String>,
    /// Messages alone, whose time of content is that of their creation, as their index has it.
    by_creation: bool,
}

impl Selection {
    /// Merges the newest items of each condition, because the indexes are ordered within one kind.
    fn sql(&self) -> String {
        let at = if self.by_creation { "created_at" } else { "content_at" };
        let keys = self.conditions.iter().map(|condition| {
            format!(
                "(SELECT i.{at} AS at, i.created_at FROM items i WHERE i.user_key = $1 AND i.{at} < $2 AND {condition}
                  ORDER BY i.{at} DESC LIMIT $3)"
            )
        });
        let keys = keys.collect::<Vec<_>>().join(" UNION ALL ");
        let rows = format!(
            "SELECT {}, k.at FROM (SELECT u.at, u.created_at FROM ({keys}) u ORDER BY u.at DESC LIMIT $3) k
             CROSS JOIN LATERAL (SELECT * FROM items WHERE user_key = $1 AND created_at = k.created_at LIMIT 1) i {}",
            row::COLUMNS,
            row::JOINS
        );
        row::page_of(&rows, "at DESC")
    }
}

/// What a query selects; `None` if nothing can match.
fn selection(query: &InboxQuery) -> Option<Selection> {
    if let Some(id) = &query.conversation {
        let condition = "i.kind = 3 AND NOT i.deleted AND i.view = $4".to_owned();
        return Some(Selection { conditions: vec![condition], texts: vec![id.clone()], by_creation: true });
    }
    if query.archived && query.unread == Some(true) {
        // An archived item does not count as unread.
        return None;
    }
    let of_kind = |kind: Kind| query.kind.is_none_or(|wanted| wanted == kind);
    let kinds: Vec<Kind> = match query.thread.as_deref().map(ThreadKey::parse) {
        Some(None) => return None,
        Some(Some(ThreadKey::Reminders { view, action })) => {
            let condition = format!("i.kind = 2 AND i.view = $4 AND i.action = $5 AND {}", state(query, 6));
            let texts = vec![view, action];
            let selection = Selection { conditions: vec![condition], texts, by_creation: false };
            return of_kind(Kind::Reminder).then_some(selection);
        }
        Some(Some(ThreadKey::Conversation(id))) => {
            let condition = format!("i.kind = 3 AND i.view = $4 AND {}", state(query, 5));
            let selection = Selection { conditions: vec![condition], texts: vec![id], by_creation: true };
            return of_kind(Kind::Message).then_some(selection);
        }
        Some(Some(ThreadKey::Announcements)) => vec![Kind::Announcement],
        None => Kind::ALL.to_vec(),
    };
    let mut state = state(query, 4);
    if query.unread == Some(true) {
        // Asks for the index of all that is unread in this order, which would be the wrong one for a thread.
        state.push_str(" AND i.content_at > 0");
    }
    let kinds = kinds.into_iter().filter(|kind| of_kind(*kind));
    let conditions: Vec<_> = kinds.map(|kind| format!("i.kind = {} AND {state}", kind.as_row())).collect();
    (!conditions.is_empty()).then_some(Selection { conditions, texts: Vec::new(), by_creation: false })
}

/// The SQL condition on an item's state; the time is the parameter of this number.
fn state(query: &InboxQuery, now: usize) -> String {
    let archived = if query.archived { "NOT NULL" } else { "NULL" };
    let unread = if query.unread == Some(true) {
        format!(
            " AND i.unread > 0 AND i.unread = 1 AND (i.snoozed_until IS NULL OR i.snoozed_until <= ${now})"
        )
    } else {
        String::new()
    };
    format!("NOT i.deleted AND i.archived_at IS {archived}{unread}")
}
