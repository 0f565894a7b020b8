//! The address of a topic: `topic@domain`, `topic+TOKEN@domain`, and with a prefix if one is configured.

use tidings_server_core::config::MailConfig;

/// What an address says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TopicAddress<'a> {
    pub(super) topic: &'a str,
    pub(super) token: Option<&'a str>,
}

/// Reads an address; `None` if it is not one of this server's topics.
pub(super) fn parse<'a>(address: &'a str, config: &MailConfig) -> Option<TopicAddress<'a>> {
    let (local, domain) = address.rsplit_once('@')?;
    if config.domain.as_deref().is_some_and(|own| !own.eq_ignore_ascii_case(domain)) {
        return None;
    }
    let name = local.strip_prefix(config.address_prefix.as_str())?;
    Some(match name.split_once('+') {
        Some((topic, token)) => TopicAddress { topic, token: Some(token) },
        None => TopicAddress { topic: name, token: None },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_topic_and_maybe_a_token() {
        let any = MailConfig::default();
        let one = MailConfig {
            domain: Some("Mail.example".to_owned()),
            address_prefix: "ntfy-".to_owned(),
            ..MailConfig::default()
        };
        let read = |address, config| parse(address, config).map(|found| (found.topic, found.token));
        assert_eq!(read("nas@localhost", &any), Some(("nas", None)));
        assert_eq!(read("nas+tdg_a-b_c@x.example", &any), Some(("nas", Some("tdg_a-b_c"))));
        assert_eq!(read("ntfy-nas@mail.EXAMPLE", &one), Some(("nas", None)));
        for other in ["nas@mail.example", "ntfy-nas@other.example", "ntfy-nas"] {
            assert_eq!(read(other, &one), None, "{other}");
        }
    }
}
