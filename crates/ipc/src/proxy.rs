//! The proxy of requests to other machines.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Which proxy is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ProxyUse {
    /// What the desktop says, or the environment of the program.
    #[default]
    Desktop,
    /// None.
    None,
    /// The one at an address.
    This,
}

/// The proxy as it is set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProxyView {
    /// Which one is used.
    pub choice: ProxyUse,
    /// Its address; empty unless one was chosen.
    pub address: String,
    /// Its user; empty for none.
    pub user: String,
    /// Whether it has a password, which does not leave the program.
    pub has_password: bool,
}

/// The proxy as it is to be. `Debug` prints no password.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProxyForm {
    /// Which one is to be used.
    pub choice: ProxyUse,
    /// Its address, if one is chosen.
    pub address: String,
    /// Its user; empty for none.
    pub user: String,
    /// Its password; an empty one keeps that of before, for the same user at the same address.
    pub password: String,
}

impl std::fmt::Debug for ProxyForm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProxyForm").field("choice", &self.choice).finish_non_exhaustive()
    }
}
