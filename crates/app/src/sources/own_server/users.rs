//! The users of the own server: added, renamed, exported, and removed for good.

use std::fs::File;

use tidings_home::StagingDir;
use tidings_home::user_file::Access;
use tidings_ipc::{FileResult, ServerView};
use tidings_model::text;
use tidings_ports::UserError;

use super::Server;
use crate::error::{Error, Result};
use crate::sources::probe::valid_name;

/// The name of the export while it is written.
const EXPORT: &str = "user.jsonl";

impl Server {
    /// Adds a user of the own server; without a name the id stands for it.
    pub(crate) async fn add_user(&self, id: String, name: String) -> Result<ServerView> {
        let id = id.trim().to_owned();
        let name = self.user_name(&id, &name)?;
        self.own_server()?.add_user(&id, &name).await.map_err(|why| self.user_refused(&id, &why))?;
        self.server().await
    }

    /// Gives a user of the own server another name, which what they publish from now on carries.
    pub(crate) async fn rename_user(&self, id: String, name: String) -> Result<ServerView> {
        let name = self.user_name(&id, &name)?;
        self.own_server()?.rename_user(&id, &name).await.map_err(|why| self.user_refused(&id, &why))?;
        self.server().await
    }

    /// Removes a user of the own server for good; what they wrote is recalled if `recalls`.
    pub(crate) async fn remove_user(&self, id: String, recalls: bool) -> Result<ServerView> {
        self.own_server()?.remove_user(&id, recalls).await.map_err(|why| self.user_refused(&id, &why))?;
        self.server().await
    }

    /// Writes all that the own server has of a user to a file, as JSON lines. `None` if the dialog was cancelled.
    pub(crate) async fn export_user(&self, id: String) -> Result<Option<FileResult>> {
        let table = self.context.settings_strings();
        self.context.require_data_folder()?;
        let server = self.own_server()?;
        let Some(path) = self.saved_files.save_dialog(table.title_user_export, "jsonl").await else {
            return Ok(None);
        };
        let staging = StagingDir::for_backup(self.context.data.home().dir())
            .map_err(|error| Error::storage((table.not_written)(&error.to_string())))?;
        let written = staging.path().join(EXPORT);
        server.export_user(&id, &written).await.map_err(|why| self.user_refused(&id, &why))?;
        self.saved_files
            .write_file(&path, Access::OwnerOnly, move |temp| {
                std::io::copy(&mut File::open(staging.path().join(EXPORT))?, temp)?;
                Ok(())
            })
            .await?;
        let text = (table.user_exported)(text::line(&id).as_ref());
        Ok(Some(FileResult { path: path.display().to_string(), text }))
    }

    fn user_name(&self, id: &str, name: &str) -> Result<String> {
        let name = if name.trim().is_empty() { id } else { name };
        valid_name(name).ok_or_else(|| Error::invalid(self.context.settings_strings().user_name_needed))
    }

    /// Why a user is not changed, in words.
    fn user_refused(&self, id: &str, why: &UserError) -> Error {
        let (table, id) = (self.context.settings_strings(), text::line(id));
        match why {
            UserError::Taken => Error::invalid((table.user_taken)(id.as_ref())),
            UserError::Invalid => Error::invalid(table.user_id_needed),
            UserError::Gone => Error::NotFound,
            UserError::Own => Error::invalid(table.user_is_own),
            UserError::Other(why) => Error::storage(why.clone()),
        }
    }
}
