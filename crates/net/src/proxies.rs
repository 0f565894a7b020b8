//! The proxy that the reader chose: what the desktop says, none, or one of their own. It is kept in `proxy.json` in the
//! data folder, and its user and password among the secrets; neither is part of a backup or a file of settings.

use std::{fs, io};

use serde::{Deserialize, Serialize};
use url::Url;

use crate::proxy::{self, Mode};
use crate::secrets::{NamedSecrets, StoredIn};
use crate::{private_files, start_over};

/// The longest address, user or password, in bytes.
const MAX_TEXT_BYTES: usize = 1 << 10;

/// Which proxy requests to other machines use.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "proxy")]
pub enum ProxyChoice {
    /// The one that the environment names, else the one that the desktop says.
    #[default]
    Desktop,
    /// None.
    None,
    /// This one.
    This {
        /// Its address, for example `http://proxy.example:3128`; without user and password.
        address: String,
    },
}

/// The user and password of a proxy. Has no `Debug`.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProxyCredentials {
    /// The user; empty for none.
    pub user: String,
    /// The password.
    pub password: String,
}

/// Why a proxy can't be set.
#[derive(Debug, thiserror::Error)]
pub enum ProxyError {
    /// The address is not one of a proxy that is supported.
    #[error(
        "that is not the address of a proxy, such as http://proxy.example:3128 or socks5://127.0.0.1:1080"
    )]
    Address,
    /// It can't be stored.
    #[error("the proxy can't be kept: {0}")]
    Disk(#[from] io::Error),
}

/// The proxy of one data folder. All methods may block, up to 20 s if there is a password.
#[derive(Clone)]
pub struct ProxyStore(NamedSecrets);

impl ProxyStore {
    /// The proxy of the data folder of `secrets`, among which its password is.
    pub fn new(secrets: NamedSecrets) -> Self {
        Self(secrets)
    }

    /// What was chosen.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn choice(&self) -> io::Result<ProxyChoice> {
        match fs::read(self.0.folder().join("proxy.json")) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(ProxyChoice::Desktop),
            Err(error) => Err(error),
        }
    }

    /// The user and password for the chosen proxy; empty for none.
    pub fn credentials(&self) -> ProxyCredentials {
        let Ok(ProxyChoice::This { address }) = self.choice() else { return ProxyCredentials::default() };
        let text = self.0.get(&name(&address));
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Chooses a proxy, and uses it at once. `credentials` replace those of before; `None` leaves them if the address is
    /// the same. Returns where a password was stored, if there is one.
    ///
    /// # Errors
    /// Why it was not chosen; the one before stays.
    pub fn set(
        &self,
        choice: ProxyChoice,
        credentials: Option<ProxyCredentials>,
    ) -> Result<Option<StoredIn>, ProxyError> {
        let before = self.choice().unwrap_or_default();
        let choice = valid(choice)?;
        let mut stored = None;
        if let ProxyChoice::This { address } = &choice {
            match credentials {
                Some(new) if new.user.is_empty() => self.0.remove(&name(address))?,
                Some(new) if new.user.len().max(new.password.len()) > MAX_TEXT_BYTES => {
                    return Err(ProxyError::Address);
                }
                Some(new) => {
                    let text = serde_json::to_string(&new).map_err(io::Error::from)?;
                    stored = Some(self.0.set(&name(address), &text)?);
                }
                None => {}
            }
        }
        let bytes = serde_json::to_vec(&choice).map_err(io::Error::from)?;
        private_files::write(&self.0.folder().join("proxy.json"), &bytes)?;
        if let ProxyChoice::This { address } = &before
            && before != choice
        {
            self.0.remove(&name(address))?;
        }
        self.load()?;
        Ok(stored)
    }

    /// Puts the chosen proxy in force in this process.
    ///
    /// # Errors
    /// The file can't be read; what was in force stays.
    pub fn load(&self) -> io::Result<()> {
        let mode = match self.choice()? {
            ProxyChoice::Desktop => Mode::Desktop,
            ProxyChoice::None => Mode::Direct,
            ProxyChoice::This { address } => {
                let url = proxy::parse(&address)
                    .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "proxy.json names no proxy"))?;
                Mode::This(with_credentials(url, &self.credentials()))
            }
        };
        if proxy::install(mode) {
            start_over();
        }
        Ok(())
    }
}

/// The name of the secret of a proxy.
fn name(address: &str) -> String {
    format!("proxy@{address}")
}

/// A choice as it is stored: the address without user, password, path and query.
fn valid(choice: ProxyChoice) -> Result<ProxyChoice, ProxyError> {
    let ProxyChoice::This { address } = choice else { return Ok(choice) };
    let text = address.trim();
    let full = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let mut url = proxy::parse(&full).filter(|_| full.len() <= MAX_TEXT_BYTES).ok_or(ProxyError::Address)?;
    // They fail only for addresses without a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_path("");
    url.set_query(None);
    url.set_fragment(None);
    Ok(ProxyChoice::This { address: url.as_str().trim_end_matches('/').to_owned() })
}

fn with_credentials(mut url: Url, credentials: &ProxyCredentials) -> Url {
    if !credentials.user.is_empty() {
        let _ = url.set_username(&credentials.user);
        let _ = url.set_password(Some(&credentials.password));
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_kept_by_its_address_and_its_password_apart_from_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = || ProxyStore::new(NamedSecrets::new(folder.path(), None));
        let this = |address: &str| ProxyChoice::This { address: address.to_owned() };
        assert_eq!(store().choice().unwrap(), ProxyChoice::Desktop);
        let ana = ProxyCredentials { user: "ana".to_owned(), password: "p@ss:3f1c".to_owned() };
        let stored = store().set(this(" proxy.example:3128/x?y "), Some(ana.clone())).unwrap();
        assert_eq!(
            (stored, store().choice().unwrap()),
            (Some(StoredIn::File), this("http://proxy.example:3128"))
        );
        assert!(store().credentials() == ana);
        let file = || fs::read_to_string(folder.path().join("proxy.json")).unwrap();
        assert!(!file().contains("3f1c") && !file().contains("ana"));
        store().set(this("http://proxy.example:3128"), None).unwrap();
        assert!(store().credentials() == ana, "the same proxy");

        for wrong in ["", "ftp://a", "http://", "a b", "pac+http://a"] {
            assert!(matches!(store().set(this(wrong), None), Err(ProxyError::Address)), "{wrong}");
        }
        assert_eq!(store().choice().unwrap(), this("http://proxy.example:3128"));
        store().set(this("socks5://u:p@127.0.0.1:1080"), None).unwrap();
        assert_eq!(store().choice().unwrap(), this("socks5://127.0.0.1:1080"));
        assert!(store().credentials() == ProxyCredentials::default(), "a password goes to no other proxy");
        let secrets = fs::read_to_string(folder.path().join("secrets.json")).unwrap();
        assert!(!secrets.contains("3f1c"), "it goes with its proxy");
        store().set(ProxyChoice::None, None).unwrap();
        assert_eq!(store().choice().unwrap(), ProxyChoice::None);
    }
}
