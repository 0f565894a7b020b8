//! Groups.

use async_trait::async_trait;
use tidings_store::domain::account::random_name;
use tidings_store::{Error, Group, GroupStore, Idempotency, ListPage, ListQuery, Outcome, UserKey};

use crate::groups::{self, pending};
use crate::tables::memberships;
use crate::{SHARED_QUEUE, SqliteStore};

#[async_trait]
impl GroupStore for SqliteStore {
    async fn add_group(
        &self,
        owner: UserKey,
        id: Option<String>,
        name: String,
        members: Vec<String>,
        idempotency: Option<Idempotency<Group>>,
    ) -> Result<Outcome<Group>, Error> {
        if let Some(answer) = self.stored_response_of(idempotency.as_ref().map(Idempotency::name)).await? {
            return Ok(Outcome::Replayed(answer));
        }
        let id = id.unwrap_or_else(random_name);
        let members = self.read_long(owner, move |c| pending::members(c, owner, &members)).await?;
        if members.len() <= self.bounds.short_write_rows {
            return self
                .write(move |w| {
                    w.idempotent(idempotency, |w| {
                        let group = pending::begin(w, owner, &id, &name)?;
                        pending::add(w, &group, &members)?;
                        pending::reveal(w, &group)
                    })
                })
                .await;
        }
        let group = self.write(move |w| pending::begin(w, owner, &id, &name)).await?;
        let group = self.in_portions(pending::AddMembers::new(group, members)).await?.group;
        self.write(move |w| w.idempotent(idempotency, |w| pending::reveal(w, &group))).await
    }

    async fn group(&self, id: &str) -> Result<Option<Group>, Error> {
        let id = id.to_owned();
        self.read_long(SHARED_QUEUE, move |c| groups::group(c, &id)).await
    }

    async fn group_owner(&self, group: &str) -> Result<Option<UserKey>, Error> {
        let group = group.to_owned();
        self.read(move |c| groups::group_owner(c, &group)).await
    }

    async fn members(&self, group: &str, page: ListQuery) -> Result<ListPage, Error> {
        let group = group.to_owned();
        self.read_long(SHARED_QUEUE, move |c| groups::members(c, &group, &page)).await
    }

    async fn groups_of(&self, user: UserKey, page: ListQuery) -> Result<ListPage, Error> {
        self.read_long(user, move |c| memberships::groups_of(c, user, &page)).await
    }

    async fn is_member(&self, group: &str, user: UserKey) -> Result<bool, Error> {
        let group = group.to_owned();
        self.read(move |c| groups::is_member(c, &group, user)).await
    }

    async fn join(&self, group: &str, user: &str) -> Result<Group, Error> {
        let (id, user) = (group.to_owned(), user.to_owned());
        self.write(move |w| groups::join(w, &id, &user)).await?;
        self.group(group).await?.ok_or_else(|| Error::not_found("group"))
    }

    async fn change_group(
        &self,
        group: &str,
        name: Option<String>,
        owner: Option<String>,
    ) -> Result<Group, Error> {
        let id = group.to_owned();
        self.write(move |w| groups::change(w, &id, name.as_deref(), owner.as_deref())).await?;
        self.group(group).await?.ok_or_else(|| Error::not_found("group"))
    }

    async fn end_group(&self, group: &str) -> Result<(), Error> {
        let group = group.to_owned();
        self.write(move |w| groups::end(w, &group)).await
    }

    async fn leave(&self, group: &str, user: &str) -> Result<(), Error> {
        let (group, user) = (group.to_owned(), user.to_owned());
        self.write(move |w| groups::leave(w, &group, &user)).await
    }
}
