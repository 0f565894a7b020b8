//! Groups of a Tidings server: their members, their changes, and the readers of their messages.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Method, StatusCode};
use serde::Deserialize;
use serde_json::json;
use tidings_model::MsgId;
use tidings_model::group::{Group, Member, Readers};
use tidings_net::{Error, Result, http};

use super::Tidings;
use super::client::optional;
use crate::service::json::parse;
use crate::source::{ChangeAnswer, GroupAnswer, GroupChange, GroupView, NewGroup};

/// The most pages of a group's members, or of a message's readers: 100,000 users.
const MAX_MEMBER_PAGES: usize = 100;
/// The most bytes of the ids and names of such a list.
const MAX_MEMBER_BYTES: usize = 16 << 20;

impl Tidings {
    /// A group with all its members, which come in pages.
    ///
    /// # Errors
    /// [`Error::AnswerTooLarge`] for more than [`MAX_MEMBER_BYTES`], else that of a request.
    pub(super) async fn group_with_members(&self, gid: &str) -> Result<GroupView> {
        let mut group: Group = match self.get(&format!("groups/{gid}")).await {
            Ok(group) => group,
            Err(Error::Refused(404)) => return Ok(GroupView::Ended),
            Err(Error::Refused(_) | Error::Forbidden) => return Ok(GroupView::Hidden),
            Err(error) => return Err(error),
        };
        let mut left = Allowance(MAX_MEMBER_BYTES);
        for _ in 0..MAX_MEMBER_PAGES {
            let known_members = u32::try_from(group.members.len()).unwrap_or(u32::MAX);
            let Some(last) = group.members.last().filter(|_| known_members < group.member_count) else {
                break;
            };
            let path = self.request(Method::GET, &format!("groups/{gid}/members"))?.query(&[("after", last)]);
            let page: Vec<Member> = self.answer(path).await?;
            if page.is_empty() {
                break;
            }
            for Member { id, name } in page {
                left.take(id.len() + name.len())?;
                if name != id {
                    group.names.insert(id.clone(), name);
                }
                group.members.push(id);
            }
        }
        Ok(GroupView::Shown(group))
    }

    /// Asks for a new group.
    pub(super) async fn created_group(&self, new: &NewGroup, key: &str) -> Result<Option<GroupAnswer>> {
        let request = self.request(Method::POST, "groups")?.header("Idempotency-Key", key).json(new);
        let answer = http::ask(request).await?;
        match answer.status() {
            status if status.is_success() => {
                parse(http::body(answer).await?).await.map(|group| Some(GroupAnswer::Created(group)))
            }
            StatusCode::NOT_FOUND => {
                let problem: Problem = parse(http::body(answer).await?).await?;
                Ok(Some(GroupAnswer::Unknown(quoted_names(&new.members, &problem.detail))))
            }
            _ => Err(http::status_error(&answer, self.clock.now())),
        }
    }

    /// Asks for a change of a group.
    pub(super) async fn changed_group(
        &self,
        gid: &str,
        change: &GroupChange,
    ) -> Result<Option<ChangeAnswer>> {
        let group = format!("groups/{gid}");
        let request = match change {
            GroupChange::Rename(name) => self.request(Method::PATCH, &group)?.json(&json!({ "name": name })),
            GroupChange::HandOver(user) => {
                self.request(Method::PATCH, &group)?.json(&json!({ "owner": user }))
            }
            GroupChange::End => self.request(Method::DELETE, &group)?,
            GroupChange::Add(user) => self.request(Method::PUT, &format!("{group}/members/{user}"))?,
            GroupChange::Remove(user) => self.request(Method::DELETE, &format!("{group}/members/{user}"))?,
        };
        let answer = http::ask(request).await?;
        match answer.status() {
            status if status.is_success() => Ok(Some(ChangeAnswer::Done)),
            StatusCode::NOT_FOUND => Ok(Some(ChangeAnswer::Unknown)),
            StatusCode::FORBIDDEN => Ok(Some(ChangeAnswer::Forbidden)),
            StatusCode::METHOD_NOT_ALLOWED => Ok(Some(ChangeAnswer::Unsupported)),
            _ => Err(http::status_error(&answer, self.clock.now())),
        }
    }

    /// Who has read a message of a group, which comes in pages.
    pub(super) async fn all_readers(&self, gid: &str, msgid: &MsgId) -> Result<Option<Readers>> {
        let msgid = utf8_percent_encode(msgid.as_str(), NON_ALPHANUMERIC);
        let path = format!("groups/{gid}/messages/{msgid}/receipts");
        let Some(mut readers): Option<Readers> = optional(self.get(&path).await)? else { return Ok(None) };
        let mut left = Allowance(MAX_MEMBER_BYTES);
        for _ in 0..MAX_MEMBER_PAGES {
            let Some(after) = readers.next.take() else { break };
            let page: Readers =
                self.answer(self.request(Method::GET, &path)?.query(&[("after", after)])).await?;
            let ids = page.read.iter().map(|reader| &reader.user).chain(&page.delivered).chain(&page.unread);
            left.take(ids.map(String::len).sum())?;
            readers.read.extend(page.read);
            readers.delivered.extend(page.delivered);
            readers.unread.extend(page.unread);
            readers.next = page.next;
        }
        readers.read.sort_by(|a, b| (a.at, &a.user).cmp(&(b.at, &b.user)));
        readers.delivered.sort();
        readers.unread.sort();
        Ok(Some(readers))
    }
}

/// How much of a list that comes in pages may still come, in bytes.
struct Allowance(usize);

impl Allowance {
    fn take(&mut self, bytes: usize) -> Result<()> {
        self.0 = self.0.checked_sub(bytes).ok_or(Error::AnswerTooLarge)?;
        Ok(())
    }
}

/// The part of a problem document that is read.
#[derive(Deserialize)]
struct Problem {
    #[serde(default)]
    detail: String,
}

/// The names among `sent` that a server's message quotes. The message itself is not passed on.
pub(super) fn quoted_names(sent: &[String], message: &str) -> Vec<String> {
    let quoted: Vec<&str> = message.split(['`', '"', '\'', '“', '”']).skip(1).step_by(2).collect();
    sent.iter().filter(|name| quoted.contains(&name.as_str())).cloned().collect()
}
