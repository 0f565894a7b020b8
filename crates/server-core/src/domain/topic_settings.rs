//! What may be set for a topic, whichever program sets it.

use tidings_model::topic::{EXPECT_MAX_SECS, EXPECT_MIN_SECS, is_expectable};
use tidings_model::web_url::web_url;
use tidings_model::{Problem, check_id};
use tidings_store::domain::draft::check_name;
use tidings_store::domain::topic::TopicSettings;

use super::{hook_template, limits};

/// The senders of webhooks that can sign what they send, as secrets are named in settings.
pub const SIGNING_SENDERS: &[&str] = &["forgejo", "github", "gitlab", "grafana", "sentry"];

/// Checks the limits and that the template can be read.
///
/// # Errors
/// `invalid`, naming the field.
pub fn check(settings: &TopicSettings) -> Result<(), Problem> {
    check_name("name", &settings.name)?;
    if let Some(icon) = &settings.icon
        && (icon.len() > limits::ICON_URL_BYTES || web_url(icon).is_none())
    {
        let detail =
            format!("must be an address that begins with http, of at most {} bytes", limits::ICON_URL_BYTES);
        return Err(Problem::invalid("icon", detail));
    }
    hook_template::check(&settings.template)?;
    check_users("publishers", settings.publishers.as_deref(), limits::TOPIC_PUBLISHERS)?;
    check_users("readers", settings.readers.as_deref(), limits::TOPIC_READERS)?;
    if !settings.expect_secs.is_none_or(is_expectable) {
        let detail = format!("must be from {EXPECT_MIN_SECS} to {EXPECT_MAX_SECS} seconds");
        return Err(Problem::invalid("expect_secs", detail));
    }
    check_secrets(settings)
}

fn check_secrets(settings: &TopicSettings) -> Result<(), Problem> {
    for (sender, secret) in &settings.secrets {
        let field = format!("secrets.{sender}");
        if !SIGNING_SENDERS.contains(&sender.as_str()) {
            let known = SIGNING_SENDERS.join(", ");
            return Err(Problem::invalid("secrets", format!("these senders sign: {known}")));
        }
        if secret.0.len() > limits::SECRET_BYTES {
            let detail = format!("may have {} bytes", limits::SECRET_BYTES);
            return Err(Problem::invalid(field, detail));
        }
    }
    Ok(())
}

/// Checks the ids of a list of users, and that there are at most `most` of them.
fn check_users(field: &str, users: Option<&[String]>, most: usize) -> Result<(), Problem> {
    let users = users.unwrap_or_default();
    if users.len() > most {
        return Err(Problem::invalid(field, format!("at most {most} users")));
    }
    let check = |(i, id): (usize, &String)| {
        check_id(id).map_err(|e| Problem::invalid(format!("{field}[{i}]"), e.to_string()))
    };
    users.iter().enumerate().try_for_each(check)
}

#[cfg(test)]
mod tests {
    use tidings_store::domain::topic::Secret;

    use super::*;

    #[test]
    fn what_is_expected_is_at_least_once_a_minute() {
        let every = |expect_secs| check(&TopicSettings { expect_secs, ..TopicSettings::default() });
        assert!(every(Some(59)).is_err() && every(Some(60)).is_ok() && every(None).is_ok());
    }

    #[test]
    fn what_is_one_past_its_limit_is_refused_by_its_field() {
        let wrong = |settings: TopicSettings| check(&settings).err().and_then(|problem| problem.field);
        let none = TopicSettings::default;
        let icon = |more| {
            let start = "https://e.org/";
            let icon = Some(format!("{start}{}", "x".repeat(limits::ICON_URL_BYTES - start.len() + more)));
            wrong(TopicSettings { icon, ..none() })
        };
        assert_eq!((icon(0), icon(1).as_deref()), (None, Some("icon")));
        let odd = TopicSettings { icon: Some("file:///icon".into()), ..none() };
        assert_eq!(wrong(odd).as_deref(), Some("icon"));
        let users = |count: usize| Some((0..count).map(|n| format!("u{n}")).collect::<Vec<_>>());
        let publishers = |count| wrong(TopicSettings { publishers: users(count), ..none() });
        let readers = |count| wrong(TopicSettings { readers: users(count), ..none() });
        assert_eq!((publishers(1_000), publishers(1_001).as_deref()), (None, Some("publishers")));
        assert_eq!((readers(1_000), readers(1_001).as_deref()), (None, Some("readers")));
        let odd = TopicSettings { readers: Some(vec!["ann".into(), "a b".into()]), ..none() };
        assert_eq!(wrong(odd).as_deref(), Some("readers[1]"));
        let secret = |sender: &str, bytes: usize| {
            let secrets = [(sender.to_owned(), Secret("x".repeat(bytes)))].into();
            wrong(TopicSettings { secrets, ..none() })
        };
        assert_eq!(
            (secret("github", 1_024), secret("github", 1_025).as_deref()),
            (None, Some("secrets.github"))
        );
        assert_eq!(secret("elsewhere", 1).as_deref(), Some("secrets"));
        let named = TopicSettings { name: "x".repeat(1_025), ..none() };
        assert_eq!(wrong(named).as_deref(), Some("name"));
    }
}
