//! Certificates by origin in the settings: authorities, and client certificates with their keys, which are chosen in the
//! desktop's dialog. No key goes to the page.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tidings_home::user_file;
use tidings_ipc::{CertificateRow, CertificatesView};
use tidings_net::certificates::{
    CertificateError, CertificateStore, CertificateUse, KnownCertificate, MAX_FILE_BYTES,
};
use tidings_net::secrets::StoredIn;

use super::engine::RunningEngine;
use super::tokens::Tokens;
use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::sources::probe::display_name;
use crate::state::notices::Degradation;

type Added<T> = std::result::Result<T, CertificateError>;

part! {
    /// The certificates by origin, and the sources that connect with them.
    pub(crate) struct Certificates {
        context: Arc<Context>,
        engine: Arc<RunningEngine>,
        tokens: Arc<Tokens>,
    }
}

impl Certificates {
    /// All certificates.
    pub(crate) async fn certificates(&self) -> Result<Vec<CertificateRow>> {
        let listed = self.in_store(|store| store.list().map_err(CertificateError::Disk)).await?;
        let listed = listed.map_err(|error| self.certificate_refused(Path::new(""), &error))?;
        Ok(listed.iter().map(|one| self.certificate_row(one)).collect())
    }

    /// Lets the reader choose a file of authorities, and trusts them at the origin of an address. `None` if the dialog
    /// was cancelled.
    pub(crate) async fn add_authorities(&self, address: String) -> Result<Option<CertificatesView>> {
        let table = self.context.settings_strings();
        let Some(path) = self.context.ports.files.choose_dialog(table.title_authorities).await else {
            return Ok(None);
        };
        let from = path.clone();
        let added = self.in_store(move |store| store.add_authorities(&address, &read(&from)?)).await?;
        let added = added.map_err(|error| self.certificate_refused(&path, &error))?;
        let origin = added.first().map_or("", |one| one.origin.as_str());
        self.certificates_changed(origin, (table.authorities_added)(added.len() as u64, origin))
            .await
            .map(Some)
    }

    /// Lets the reader choose a client certificate, and the file of its key if that is another one, and shows it to the
    /// origin of an address. `None` if a dialog was cancelled.
    pub(crate) async fn add_client_certificate(&self, address: String) -> Result<Option<CertificatesView>> {
        let table = self.context.settings_strings();
        let dialogs = &self.context.ports.files;
        let Some(path) = dialogs.choose_dialog(table.title_client).await else { return Ok(None) };
        let mut key: Option<PathBuf> = None;
        let (added, stored) = loop {
            let (address, from, key_from) = (address.clone(), path.clone(), key.clone());
            let added = self.in_store(move |store| {
                let key = key_from.as_deref().map(read).transpose()?;
                store.add_client(&address, &read(&from)?, key.as_deref())
            });
            match added.await? {
                Ok(added) => break added,
                Err(CertificateError::NoKey) if key.is_none() => {
                    key = dialogs.choose_dialog(table.title_client_key).await;
                    if key.is_none() {
                        return Ok(None);
                    }
                }
                Err(error) => {
                    return Err(self.certificate_refused(key.as_deref().unwrap_or(&path), &error));
                }
            }
        };
        if stored == StoredIn::File {
            self.context.raise(&Degradation::Keyring);
        }
        let text = (table.client_added)(&added.subject, &added.origin);
        self.certificates_changed(&added.origin, text).await.map(Some)
    }

    /// Removes a certificate of an origin; a client certificate with its key.
    pub(crate) async fn remove_certificate(
        &self,
        origin: String,
        fingerprint: String,
    ) -> Result<CertificatesView> {
        let at = origin.clone();
        let removed = self.in_store(move |store| store.remove(&at, Some(&fingerprint))).await?;
        let removed = removed.map_err(|error| self.certificate_refused(Path::new(""), &error))?;
        if !removed {
            return Err(Error::NotFound);
        }
        self.certificates_changed(&origin, String::new()).await
    }

    /// Takes over what another process changed.
    pub(crate) async fn reload_certificates(&self) {
        let loaded = self.in_store(|store| store.load().map_err(CertificateError::Disk)).await;
        match loaded {
            Ok(Ok(origins)) => self.restart_sources_at(&origins).await,
            Ok(Err(error)) => tracing::warn!(%error, "the certificates could not be read"),
            Err(_) => {}
        }
    }

    /// Runs work on the certificates, which may ask the keyring.
    async fn in_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&CertificateStore) -> Added<T> + Send + 'static,
    ) -> Result<Added<T>> {
        let store = self.tokens.store().certificates();
        tokio::task::spawn_blocking(move || work(&store)).await.map_err(|_| Error::Ending)
    }

    /// Has the sources at an origin connect anew.
    async fn certificates_changed(&self, origin: &str, text: String) -> Result<CertificatesView> {
        self.restart_sources_at(&[origin.to_owned()]).await;
        Ok(CertificatesView { rows: self.certificates().await?, text })
    }

    async fn restart_sources_at(&self, origins: &[String]) {
        if let Some(engine) = self.engine.get()
            && let Err(error) = engine.certificates_changed(origins).await
        {
            tracing::warn!(%error, "the sources could not be connected anew");
        }
    }

    fn certificate_row(&self, one: &KnownCertificate) -> CertificateRow {
        CertificateRow {
            origin: one.origin.clone(),
            client: one.used_as == CertificateUse::Client,
            fingerprint: one.fingerprint.clone(),
            subject: one.subject.clone(),
            issuer: (one.issuer != one.subject).then(|| one.issuer.clone()),
            until: one.not_after.as_millis(),
            valid: one.is_valid_at(self.context.now()),
        }
    }

    fn certificate_refused(&self, file: &Path, error: &CertificateError) -> Error {
        let file = file.file_name().unwrap_or_default().to_string_lossy();
        let text = self.context.settings_strings().certificate_refused(&display_name(&file), error);
        match error {
            CertificateError::Disk(_) => Error::storage(text),
            _ => Error::invalid(text),
        }
    }
}

fn read(path: &Path) -> Added<Vec<u8>> {
    match user_file::read(path, MAX_FILE_BYTES) {
        Ok(bytes) => Ok(bytes.ok_or(CertificateError::NoCertificate)?),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Err(CertificateError::TooLarge),
        Err(error) => Err(CertificateError::Disk(error)),
    }
}
