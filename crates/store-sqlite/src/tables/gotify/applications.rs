//! The table `gotify_applications`.

use rusqlite::{Connection, ToSql, params};
use tidings_store::domain::account::{UserKey, random_name};
use tidings_store::domain::limits;
use tidings_store::{Application, ApplicationFields, Error};

use crate::sql;
use crate::write_tx::WriteTx;

/// A user's applications that fulfil a condition, with the names of their pictures.
fn select(condition: &str) -> String {
    format!(
        "SELECT a.id, a.target, a.name, a.description, a.default_priority, a.sort_key, a.created_at, a.last_used, p.name
         FROM gotify_applications a LEFT JOIN gotify_images p ON p.application = a.id WHERE a.user = ?1 {condition}"
    )
}

fn one(conn: &Connection, condition: &str, values: &[&dyn ToSql]) -> Result<Option<Application>, Error> {
    sql::first(conn, &select(condition), values, |r| Application::from_row(r))
}

/// A user's application, by its number.
pub(crate) fn get(conn: &Connection, user: UserKey, id: i64) -> Result<Option<Application>, Error> {
    one(conn, "AND a.id = ?2", &[&user.0, &id])
}

/// A user's application, by its token; `None` while it is being removed.
pub(crate) fn of_token(conn: &Connection, user: UserKey, token: &str) -> Result<Option<Application>, Error> {
    one(conn, "AND a.token = ?2 AND a.removed = 0", &[&user.0, &token])
}

/// A user's applications, by their numbers.
pub(crate) fn list(conn: &Connection, user: UserKey) -> Result<Vec<Application>, Error> {
    let sql = select("ORDER BY a.id");
    sql::all(conn, &sql, [user.0], |r| Application::from_row(r))
}

/// Adds an application; `invalid` if the user has `most` of them.
pub(crate) fn add(
    ctx: &mut WriteTx<'_>,
    user: UserKey,
    token: &str,
    fields: ApplicationFields,
    most: usize,
) -> Result<Application, Error> {
    let sql = "SELECT count(*) FROM gotify_applications WHERE user = ?1";
    let count: usize = sql::one(ctx.tx, sql, [user.0], |r| Ok(r.get(0)?))?;
    if count >= most {
        let detail = format!("a user may have {most} applications: remove one");
        return Err(Error::invalid("application", detail));
    }
    let (target, created_at) = (random_name(), ctx.next_stamp());
    let sql =
        "INSERT INTO gotify_applications (user, token, target, name, description, default_priority, sort_key,
                 created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    sql::run(
        ctx.tx,
        sql,
        params![
            user.0,
            token,
            target,
            fields.name,
            fields.description,
            fields.default_priority,
            fields.sort_key,
            created_at.as_micros()
        ],
    )?;
    let id = ctx.tx.last_insert_rowid();
    Ok(Application { id, target, fields, created_at, last_used: None, image: None })
}

/// Changes what its user may change; an empty sort key leaves the one that it has.
pub(crate) fn update(
    ctx: &WriteTx<'_>,
    user: UserKey,
    id: i64,
    fields: &ApplicationFields,
) -> Result<(), Error> {
    ctx.tx.execute(
        "UPDATE gotify_applications SET name = ?3, description = ?4, default_priority = ?5,
             sort_key = CASE ?6 WHEN '' THEN sort_key ELSE ?6 END
         WHERE id = ?2 AND user = ?1",
        params![user.0, id, fields.name, fields.description, fields.default_priority, fields.sort_key],
    )?;
    Ok(())
}

/// Records that an application publishes now; `not_found` if the user has no such application, or if it is being
/// removed.
pub(crate) fn used(ctx: &WriteTx<'_>, user: UserKey, id: i64) -> Result<(), Error> {
    let sql = "SELECT last_used FROM gotify_applications WHERE id = ?2 AND user = ?1 AND removed = 0";
    let last_used: i64 = sql::first(ctx.tx, sql, [user.0, id], |r| Ok(r.get(0)?))?
        .ok_or_else(|| Error::not_found("application"))?;
    if last_used < ctx.now.plus_secs(-limits::LAST_USED_SECS).as_micros() {
        let sql = "UPDATE gotify_applications SET last_used = ?2 WHERE id = ?1";
        sql::run(ctx.tx, sql, [id, ctx.now.as_micros()])?;
    }
    Ok(())
}

/// Marks an application as being removed; gives the id of its token and of its target.
pub(crate) fn begin_removal(
    ctx: &WriteTx<'_>,
    user: UserKey,
    id: i64,
) -> Result<Option<(String, String)>, Error> {
    let sql =
        "UPDATE gotify_applications SET removed = 1 WHERE id = ?2 AND user = ?1 RETURNING token, target";
    sql::first(ctx.tx, sql, [user.0, id], |r| Ok((r.get(0)?, r.get(1)?)))
}

/// Deletes an application and its picture, after its messages.
pub(crate) fn delete(ctx: &WriteTx<'_>, user: UserKey, id: i64) -> Result<(), Error> {
    ctx.tx.execute("DELETE FROM gotify_applications WHERE id = ?2 AND user = ?1", [user.0, id])?;
    Ok(())
}
