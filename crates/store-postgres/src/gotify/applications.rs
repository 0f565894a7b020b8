//! The table `gotify_applications`, and the pictures.

use tidings_model::Code;
use tidings_store::domain::account::{UserKey, random_name};
use tidings_store::domain::limits;
use tidings_store::{Application, ApplicationFields, Error, Image};

use crate::session::{Columns, Session, Values, rows};
use crate::tx::WriteTx;

/// A user's applications that fulfil a condition, with the names of their pictures.
fn select(condition: &str) -> String {
    format!(
        "SELECT a.id, a.target, a.name, a.description, a.default_priority, a.sort_key, a.created_at, a.last_used, p.name
         FROM gotify_applications a LEFT JOIN gotify_images p ON p.application = a.id
         WHERE a.user_key = $1 {condition}"
    )
}

async fn one(session: &Session, condition: &str, values: Values<'_>) -> Result<Option<Application>, Error> {
    session.query_opt(&select(condition), values).await?.as_ref().map(Application::from_row).transpose()
}

/// A user's application, by its number.
pub(super) async fn get(session: &Session, user: UserKey, id: i64) -> Result<Option<Application>, Error> {
    one(session, "AND a.id = $2", &[&user.0, &id]).await
}

/// A user's application, by its token; `None` while it is being removed.
pub(super) async fn of_token(
    session: &Session,
    user: UserKey,
    token: &str,
) -> Result<Option<Application>, Error> {
    one(session, "AND a.token = $2 AND NOT a.removed", &[&user.0, &token]).await
}

/// A user's applications, by their numbers.
pub(super) async fn list(session: &Session, user: UserKey) -> Result<Vec<Application>, Error> {
    session.query(&select("ORDER BY a.id"), &[&user.0]).await?.iter().map(Application::from_row).collect()
}

/// Adds an application to a user whose inbox is locked; `invalid` if there are `most` of them.
pub(super) async fn add(
    tx: &mut WriteTx<'_>,
    user: UserKey,
    token: &str,
    fields: ApplicationFields,
    most: usize,
) -> Result<Application, Error> {
    let count =
        tx.query_one("SELECT count(*) FROM gotify_applications WHERE user_key = $1", &[&user.0]).await?;
    if count.count(0)? >= most {
        let detail = format!("a user may have {most} applications: remove one");
        return Err(Error::invalid("application", detail));
    }
    let (target, created_at) = (random_name(), tx.creation_stamp().await?);
    let sql = "INSERT INTO gotify_applications (user_key, token, target, name, description, default_priority, sort_key,
            created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id";
    let created = created_at.as_micros();
    let ApplicationFields { name, description, default_priority, sort_key } = &fields;
    let values: Values<'_> =
        &[&user.0, &token, &target, name, description, default_priority, sort_key, &created];
    let id = tx.query_one(sql, values).await?.at(0)?;
    Ok(Application { id, target, fields, created_at, last_used: None, image: None })
}

/// Changes what its user may change; an empty sort key leaves the one that it has.
pub(super) async fn update(
    tx: &WriteTx<'_>,
    user: UserKey,
    id: i64,
    fields: &ApplicationFields,
) -> Result<(), Error> {
    let sql = "UPDATE gotify_applications SET name = $3, description = $4, default_priority = $5,
            sort_key = CASE $6 WHEN '' THEN sort_key ELSE $6 END WHERE id = $2 AND user_key = $1";
    let ApplicationFields { name, description, default_priority, sort_key } = fields;
    tx.execute(sql, &[&user.0, &id, name, description, default_priority, sort_key]).await?;
    Ok(())
}

/// Marks an application as being removed; gives the id of its token and of its target.
pub(super) async fn begin_removal(
    tx: &WriteTx<'_>,
    user: UserKey,
    id: i64,
) -> Result<Option<(String, String)>, Error> {
    let sql = "UPDATE gotify_applications SET removed = true WHERE id = $2 AND user_key = $1 RETURNING token, target";
    let row = tx.query_opt(sql, &[&user.0, &id]).await?;
    row.map(|row| Ok((row.at(0)?, row.at(1)?))).transpose()
}

/// Deletes an application and its picture, after its messages.
pub(super) async fn delete(tx: &WriteTx<'_>, user: UserKey, id: i64) -> Result<(), Error> {
    tx.execute("DELETE FROM gotify_applications WHERE id = $2 AND user_key = $1", &[&user.0, &id]).await?;
    Ok(())
}

/// Gives an application a picture in place of the one that it has; `too_large` if the user's pictures would have
/// more than [`limits::USER_IMAGE_BYTES`]. The user's inbox is locked.
pub(super) async fn set_image(
    tx: &WriteTx<'_>,
    user: UserKey,
    application: i64,
    image: &Image,
) -> Result<(), Error> {
    let others =
        "SELECT coalesce(sum(bytes), 0)::bigint FROM gotify_images WHERE user_key = $1 AND application <> $2";
    let others = tx.query_one(others, &[&user.0, &application]).await?.count(0)?;
    if others.saturating_add(image.content.len()) > limits::USER_IMAGE_BYTES {
        let detail = format!("the pictures of a user may have {} bytes", limits::USER_IMAGE_BYTES);
        return Err(Error::refused(Code::TooLarge, detail));
    }
    let sql =
        "INSERT INTO gotify_images (application, user_key, name, bytes, content) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (application) DO UPDATE SET name = excluded.name, bytes = excluded.bytes,
            content = excluded.content";
    tx.execute(sql, &[&application, &user.0, &image.name, &rows(image.content.len()), &image.content])
        .await?;
    Ok(())
}

/// Takes an application's picture away.
pub(super) async fn delete_image(tx: &WriteTx<'_>, application: i64) -> Result<(), Error> {
    tx.execute("DELETE FROM gotify_images WHERE application = $1", &[&application]).await?;
    Ok(())
}

/// The bytes of a picture.
pub(super) async fn image(session: &Session, name: &str) -> Result<Option<Vec<u8>>, Error> {
    let row = session.query_opt("SELECT content FROM gotify_images WHERE name = $1", &[&name]).await?;
    row.map(|row| row.at(0)).transpose()
}
