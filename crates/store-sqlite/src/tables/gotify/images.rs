//! The table `gotify_images`: pictures of applications.

use rusqlite::{Connection, params};
use tidings_model::Code;
use tidings_store::domain::account::UserKey;
use tidings_store::domain::limits;
use tidings_store::{Error, Image};

use crate::sql;
use crate::write_tx::WriteTx;

/// Gives an application a picture in place of the one that it has; `too_large` if the user's pictures would have
/// more than [`limits::USER_IMAGE_BYTES`].
pub(crate) fn set(ctx: &WriteTx<'_>, user: UserKey, application: i64, image: &Image) -> Result<(), Error> {
    let sql = "SELECT coalesce(sum(bytes), 0) FROM gotify_images WHERE user = ?1 AND application <> ?2";
    let others: usize = sql::one(ctx.tx, sql, [user.0, application], |r| Ok(r.get(0)?))?;
    if others.saturating_add(image.content.len()) > limits::USER_IMAGE_BYTES {
        let detail = format!("the pictures of a user may have {} bytes", limits::USER_IMAGE_BYTES);
        return Err(Error::refused(Code::TooLarge, detail));
    }
    ctx.tx.execute(
        "INSERT OR REPLACE INTO gotify_images (application, user, name, bytes, content) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![application, user.0, image.name, image.content.len(), image.content],
    )?;
    Ok(())
}

/// Takes an application's picture away.
pub(crate) fn delete(ctx: &WriteTx<'_>, application: i64) -> Result<(), Error> {
    ctx.tx.execute("DELETE FROM gotify_images WHERE application = ?1", [application])?;
    Ok(())
}

/// The bytes of a picture.
pub(crate) fn content(conn: &Connection, name: &str) -> Result<Option<Vec<u8>>, Error> {
    sql::first(conn, "SELECT content FROM gotify_images WHERE name = ?1", [name], |r| Ok(r.get(0)?))
}
