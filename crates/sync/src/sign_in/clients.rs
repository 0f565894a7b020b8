//! The ids of the reader's clients at services, by origin, in the settings of the replica. They are no secrets.

use std::collections::BTreeMap;

use tidings_replica::{Replica, Result};
use tidings_sources::{Protocol, SignIn, probe};
use url::Url;

/// The key of the ids in the replica.
const KEY: &str = "sign_in_clients";
/// The longest id, in characters.
const MAX_ID_CHARS: usize = 200;
/// The most ids.
const MAX_IDS: usize = 200;

/// The origin of the service at which a source of a protocol signs in by a code. It is `None` if it needs no client id,
/// and for what is no address.
fn origin(protocol: &Protocol, typed: &str) -> Option<String> {
    let SignIn::Device(grant) = &protocol.sign_in else { return None };
    let url: Url = probe::addresses(protocol, typed).ok()?.first()?.parse().ok()?;
    Some((grant.site)(&url).origin().ascii_serialization())
}

fn all(replica: &Replica) -> Result<BTreeMap<String, String>> {
    let value = replica.setting(KEY)?;
    Ok(value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
}

/// The id that is set for the service of a source at a typed address; empty for none. Blocks.
///
/// # Errors
/// The ids can't be read.
pub fn client_id(replica: &Replica, protocol: &Protocol, typed: &str) -> Result<String> {
    let Some(origin) = origin(protocol, typed) else { return Ok(String::new()) };
    Ok(all(replica)?.remove(&origin).unwrap_or_default())
}

/// Sets the id for the service of a source at a typed address; an empty one removes it. `false` for an id that can't be
/// one, or too many of them. Blocks.
///
/// # Errors
/// The ids can't be read or stored.
pub fn set_client_id(replica: &Replica, protocol: &Protocol, typed: &str, id: &str) -> Result<bool> {
    let (Some(origin), id) = (origin(protocol, typed), id.trim()) else { return Ok(true) };
    let mut ids = all(replica)?;
    let known = ids.remove(&origin).unwrap_or_default();
    if known == id {
        return Ok(true);
    }
    if !id.is_empty() {
        if id.chars().count() > MAX_ID_CHARS || id.chars().any(char::is_control) || ids.len() >= MAX_IDS {
            return Ok(false);
        }
        ids.insert(origin, id.to_owned());
    }
    replica.set_setting(KEY, &serde_json::json!(ids))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tidings_model::SystemClock;
    use tidings_sources::protocol;

    use super::*;

    #[test]
    fn a_client_id_is_of_one_service_whatever_address_of_it_is_typed() {
        let folder = tempfile::tempdir().unwrap();
        let replica = Replica::open(folder.path(), Arc::new(SystemClock)).unwrap();
        let (github, gitlab) = (protocol("github").unwrap(), protocol("gitlab").unwrap());
        assert_eq!(client_id(&replica, github, "").unwrap(), "", "none is part of the program");
        set_client_id(&replica, github, "", " Iv1.a ").unwrap();
        for same in ["", "https://api.github.com", "github.com", "https://www.github.com/"] {
            assert_eq!(client_id(&replica, github, same).unwrap(), "Iv1.a", "{same}");
        }
        for other in ["https://git.example/api/v3", "http://github.com", "https://api.acme.ghe.com"] {
            assert_eq!(client_id(&replica, github, other).unwrap(), "", "{other}");
        }
        set_client_id(&replica, gitlab, "gitlab.example", "b").unwrap();
        assert_eq!(client_id(&replica, gitlab, "https://gitlab.example/api/v4").unwrap(), "b");
        assert_eq!(client_id(&replica, gitlab, "").unwrap(), "");
        set_client_id(&replica, github, "", "").unwrap();
        assert_eq!(client_id(&replica, github, "").unwrap(), "");
        assert!(!set_client_id(&replica, github, "", &"x".repeat(300)).unwrap());
        assert_eq!(client_id(&replica, protocol("mastodon").unwrap(), "m.example").unwrap(), "");
    }
}
