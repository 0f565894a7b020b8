//! The `client.yml` of ntfy's command line, with the topics that it subscribes to.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::{Imported, ImportedSource, address, token};

/// The server that is meant if none is named.
const DEFAULT_HOST: &str = "https://ntfy.sh";

/// The fields that are read. Commands and filters are not imported.
#[derive(Deserialize)]
struct Client {
    #[serde(rename = "default-host")]
    default_host: Option<String>,
    #[serde(rename = "default-user")]
    default_user: Option<String>,
    #[serde(rename = "default-password")]
    default_password: Option<String>,
    #[serde(rename = "default-token")]
    default_token: Option<String>,
    subscribe: Option<Vec<Subscription>>,
}

#[derive(Deserialize)]
struct Subscription {
    topic: String,
    user: Option<String>,
    password: Option<String>,
    token: Option<String>,
}

/// One source for each server and credential, with all its topics; `None` if the file is no `client.yml`.
pub(super) fn read(file: &[u8]) -> Option<Imported> {
    let text = std::str::from_utf8(file).ok()?;
    if is_untouched(text) {
        return Some(Imported::default());
    }
    let client: Client = serde_saphyr::from_str(text).ok()?;
    let is_empty = client.default_host.is_none() && client.subscribe.is_none();
    if is_empty {
        return None;
    }
    // The place of a source in the list, and its topics, by its server and credential.
    let mut known: HashMap<(String, Option<String>), (usize, HashSet<String>)> = HashMap::new();
    let mut imported = Imported::default();
    for subscription in client.subscribe.iter().flatten() {
        let Some((server, host, topic)) = place(&subscription.topic, client.default_host.as_deref()) else {
            imported.leave_out(&subscription.topic);
            continue;
        };
        let token = client.credential(subscription);
        let key = (server, token.clone());
        if let Some((at, topics)) = known.get_mut(&key) {
            if topics.insert(topic.clone())
                && let Some(source) = imported.sources.get_mut(*at)
            {
                source.url.extend([",", &topic]);
            }
            continue;
        }
        let (at, url) = (imported.sources.len(), format!("{}/{topic}", key.0));
        imported.add(ImportedSource { protocol: "ntfy", name: host, url, token });
        if imported.sources.len() > at {
            known.insert(key, (at, HashSet::from([topic])));
        }
    }
    Some(imported)
}

/// Whether the file is as it was installed: nothing but comments.
fn is_untouched(text: &str) -> bool {
    let is_comment = |line: &str| line.is_empty() || line.starts_with('#');
    text.contains("ntfy client config") && text.lines().map(str::trim).all(is_comment)
}

/// The server, its host and the topic of a subscription: `topic`, `host/topic` or a whole address.
fn place(topic: &str, default_host: Option<&str>) -> Option<(String, String, String)> {
    let default_host = default_host.filter(|host| !host.trim().is_empty()).unwrap_or(DEFAULT_HOST);
    let whole = if topic.starts_with("http://") || topic.starts_with("https://") {
        topic.to_owned()
    } else if topic.contains('/') {
        format!("https://{topic}")
    } else {
        format!("{}/{topic}", default_host.trim_end_matches('/'))
    };
    let (url, host) = address(&whole)?;
    let (server, topic) = url.rsplit_once('/')?;
    let is_topic =
        !topic.is_empty() && topic.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    (is_topic && server.contains("://") && !server.ends_with('/'))
        .then(|| (server.to_owned(), host, topic.to_owned()))
}

impl Client {
    /// The credential of a subscription, by ntfy's rules: its own token, user and password, else those of all. Empty
    /// ones stand for none at all.
    fn credential(&self, of: &Subscription) -> Option<String> {
        let is_none = of.token.as_deref() == Some("")
            || (of.user.as_deref() == Some("") && of.password.as_deref() == Some(""));
        if is_none {
            return None;
        }
        let pair = |user: Option<&String>, password: Option<&String>| {
            let (user, password) = user.filter(|user| !user.is_empty()).zip(password)?;
            token(&format!("{user}:{password}"))
        };
        of.token
            .as_deref()
            .and_then(token)
            .or_else(|| pair(of.user.as_ref(), of.password.as_ref()))
            .or_else(|| self.default_token.as_deref().and_then(token))
            .or_else(|| pair(self.default_user.as_ref(), self.default_password.as_ref()))
    }
}

#[cfg(test)]
mod tests {
    use crate::imports;

    fn imported(file: &str) -> Vec<(String, Option<String>)> {
        let sources = imports::parse(file.as_bytes()).unwrap().sources;
        assert!(sources.iter().all(|source| source.protocol == "ntfy"));
        sources.into_iter().map(|source| (source.url, source.token)).collect()
    }

    #[test]
    fn topics_of_one_server_and_credential_are_one_source() {
        let file = r#"
# ntfy client config file
default-host: http://localhost:2586
default-user: philipp
default-password: mypass
default-command: 'echo "Got the message: $message"'
subscribe:
  - topic: no-command-with-auth
    user: phil
    password: "other:pass"
  - topic: echo-this
    command: 'echo "Message received: $message"'
  - topic: alerts
    command: notify-send -i /usr/share/ntfy/logo.png "Important" "$m"
    if:
            priority: high,urgent
  - topic: alerts
  - topic: token_topic
    token: tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2
  - topic: myserver.example/anothertopic
    token: ""
  - topic: "12345"
    user: ""
    password: ""
  - topic: not a topic
"#;
        let of = |url: &str, token: Option<&str>| (url.to_owned(), token.map(str::to_owned));
        let expected = [
            of("http://localhost:2586/no-command-with-auth", Some("phil:other:pass")),
            of("http://localhost:2586/echo-this,alerts", Some("philipp:mypass")),
            of("http://localhost:2586/token_topic", Some("tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2")),
            of("https://myserver.example/anothertopic", None),
            of("http://localhost:2586/12345", None),
        ];
        assert_eq!(imported(file), expected);
        let left_out = imports::parse(file.as_bytes()).unwrap().left_out;
        assert_eq!(left_out, ["not a topic"], "it is told");
    }

    #[test]
    fn many_topics_of_one_server_are_one_source_each_of_them_once() {
        let lines: Vec<String> = (0..8_000).map(|n| format!("  - topic: t{}\n", n % 4_000)).collect();
        let [(url, _)] = imported(&format!("subscribe:\n{}", lines.concat())).try_into().unwrap();
        let topics: Vec<&str> = url.strip_prefix("https://ntfy.sh/").unwrap().split(',').collect();
        assert_eq!((topics.len(), topics[3_999]), (4_000, "t3999"));
    }

    #[test]
    fn a_password_that_is_not_there_is_not_empty() {
        let of = |password: &str| {
            imported(&format!("default-user: phil\n{password}subscribe:\n  - topic: t\n")).remove(0).1
        };
        assert_eq!(of("default-password: \"\"\n").as_deref(), Some("phil:"));
        assert_eq!(of("default-password: ~\n"), None);
        assert_eq!(of(""), None);
        assert_eq!(imported("subscribe:\n  - topic: t\n"), [("https://ntfy.sh/t".to_owned(), None)]);
        assert_eq!(imported("default-host: https://ntfy.sh\n"), []);
        assert_eq!(imported("# ntfy client config file\n\n# subscribe:\n"), [], "as it was installed");
    }
}
