//! How mail is taken.

use std::time::Duration;

/// How a server takes mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailConfig {
    /// The domain that mail may be addressed to; `None` for any.
    pub domain: Option<String>,
    /// What the topic in an address begins with, such as `ntfy-`, which is not part of its name.
    pub address_prefix: String,
    /// How long a connection may be silent between two commands.
    pub command_timeout: Duration,
    /// How long a connection may be silent in a message.
    pub data_timeout: Duration,
    /// How long a connection may last.
    pub session_timeout: Duration,
}

impl Default for MailConfig {
    fn default() -> Self {
        Self {
            domain: None,
            address_prefix: String::new(),
            command_timeout: Duration::from_secs(60),
            data_timeout: Duration::from_secs(30),
            session_timeout: Duration::from_secs(600),
        }
    }
}
