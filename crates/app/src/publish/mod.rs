//! How others publish to this computer's own server, and how the reader publishes on a topic of a source. The former
//! takes lines for their tools, codes that phone apps scan, applications of Gotify's API, a test notification, and the
//! settings of topics.

pub(crate) mod on_topic;
mod phones;
pub mod templates;
mod topics;

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tidings_ipc::{NewToken, PublishDoor, PublishForm, PublishLine, PublishView};
use tidings_model::topic::{InvalidTopic, check_topic};
use tidings_net::http::loopback_client;
use tidings_strings::settings::SettingsStrings;

use self::phones::phone_links;
use self::templates::{CURL, Publication, TEMPLATES, Template};
use crate::context::{Context, part};
use crate::error::{Error, Result};
use crate::sources::own_server::Server;
use crate::sources::probe::valid_name;
use crate::state::own_server::ServerState;

/// The longest wait for the own server's answer to a test notification.
const TEST_TIMEOUT: Duration = Duration::from_secs(10);

/// The topic of the line that a new token is shown with.
const EXAMPLE_TOPIC: &str = "backups";
/// The longest token in a line, in bytes.
const MAX_TOKEN_BYTES: usize = 256;

part! {
    /// How others publish to this computer's own server.
    pub(crate) struct Publishing {
        context: Arc<Context>,
        server: Arc<Server>,
        server_state: Arc<ServerState>,
    }
}

impl Publishing {
    /// The lines for what the reader chose.
    pub(crate) async fn publishing(&self, form: PublishForm) -> Result<PublishView> {
        let table = self.context.settings_strings();
        let (url, others) = (self.server_state.url(), self.server.listen_config().await.others);
        let addresses = self.server_state.server().map(|server| server.addresses()).unwrap_or_default();
        let mut view = PublishView {
            runs: url.is_some(),
            others,
            topic_error: topic_error(&form.topic, table),
            token_error: [&form.token, &form.application]
                .into_iter()
                .find_map(|token| token_error(token, table)),
            ..PublishView::default()
        };
        if view.topic_error.is_none() && view.token_error.is_none() {
            let remote =
                addresses.iter().find(|address| **address == form.address).or_else(|| addresses.first());
            let reached = if form.elsewhere { remote.cloned() } else { url };
            if let Some(url) = reached {
                view.lines = TEMPLATES.iter().map(|each| publish_line(each, &url, &form, table)).collect();
            }
            view.phones = remote.map(|url| phone_links(url, &form.topic)).unwrap_or_default();
        }
        Ok(PublishView { addresses, ..view })
    }

    /// Creates a token of the own server. Its secret is in the answer and nowhere else.
    pub(crate) async fn create_token(&self, label: String, reads: bool) -> Result<NewToken> {
        let table = self.context.settings_strings();
        let label = valid_name(&label).ok_or_else(|| Error::invalid(table.label_needed))?;
        let server = self.server.own_server()?;
        let url = self.server_state.url().ok_or_else(|| Error::invalid(table.no_server))?;
        let token = server.create_token(&label, reads).await.map_err(Error::storage)?;
        // A token is used on other devices, so the command names the address for them.
        let reachable = server.addresses().into_iter().next();
        let only_here = reachable.is_none().then(|| table.only_here.to_owned());
        let url = reachable.unwrap_or(url);
        let curl = CURL.fill(&Publication {
            url: &url,
            topic: EXAMPLE_TOPIC,
            token: Some(&token),
            message: table.example_message,
        });
        Ok(NewToken { token, curl, only_here })
    }

    /// Makes an application of Gotify's API. The answer is its token, which is nowhere else.
    pub(crate) async fn create_application(&self, name: String) -> Result<String> {
        let name =
            valid_name(&name).ok_or_else(|| Error::invalid(self.context.settings_strings().name_needed))?;
        self.server.own_server()?.create_application(&name).await.map_err(Error::storage)
    }

    /// Publishes a test notification through the door that a line takes, with the token of the form.
    pub(crate) async fn test_publishing(&self, form: PublishForm, door: PublishDoor) -> Result<()> {
        let table = self.context.settings_strings();
        let url = self.server_state.url().ok_or_else(|| Error::invalid(table.no_server))?;
        if let Some(error) = topic_error(&form.topic, table) {
            return Err(Error::invalid(error));
        }
        let client = loopback_client(TEST_TIMEOUT).map_err(|error| Error::invalid(error.to_string()))?;
        let (request, token) = match door {
            PublishDoor::Topic => {
                (client.post(format!("{url}/{}", form.topic)).body(table.test_message), &form.token)
            }
            PublishDoor::Gotify => {
                let message = json!({"message": table.test_message});
                (client.post(format!("{url}/message")).json(&message), &form.application)
            }
        };
        let request = if token.is_empty() { request } else { request.bearer_auth(token) };
        self.told(request.send().await.ok().map(|answer| answer.status().as_u16()))
    }

    /// Publishes a text on a topic, as `curl` does on this computer.
    pub(crate) async fn publish_test(
        &self,
        url: &str,
        topic: &str,
        text: &'static str,
        priority: u8,
    ) -> Result<()> {
        let client = loopback_client(TEST_TIMEOUT).map_err(|error| Error::invalid(error.to_string()))?;
        let request = client.post(format!("{url}/{topic}")).header("Priority", priority.to_string());
        self.told(request.body(text).send().await.ok().map(|answer| answer.status().as_u16()))
    }

    /// What the own server's status for a test means; `None` if it did not answer.
    fn told(&self, status: Option<u16>) -> Result<()> {
        let table = self.context.settings_strings();
        match status {
            Some(200..=299) => Ok(()),
            Some(401 | 403) => Err(Error::invalid(table.test_refused)),
            Some(status) => Err(Error::invalid((table.test_failed)(status))),
            None => Err(Error::invalid(table.test_unanswered)),
        }
    }
}

/// The line of a tool at the URL that the publisher reaches.
fn publish_line(template: &Template, url: &str, form: &PublishForm, table: &SettingsStrings) -> PublishLine {
    let token = match template.door {
        PublishDoor::Topic => &form.token,
        PublishDoor::Gotify => &form.application,
    };
    // Without a token only programs of this computer publish.
    let needs_token = template.needs_token || form.elsewhere;
    let token = Some(token.as_str()).filter(|token| !token.is_empty());
    let token = token.or(needs_token.then_some(templates::TOKEN_PLACEHOLDER));
    let publication = Publication { url, topic: &form.topic, token, message: table.example_message };
    PublishLine { tool: template.tool, door: template.door, needs_token, text: template.fill(&publication) }
}

/// What is wrong with a topic, as the server would say.
fn topic_error(topic: &str, table: &SettingsStrings) -> Option<String> {
    check_topic(topic).err().map(|why| match why {
        InvalidTopic::Malformed => table.topic_invalid.to_owned(),
        InvalidTopic::Reserved => (table.topic_reserved)(topic),
    })
}

/// What is wrong with the text of a token: other characters would change the meaning of a line.
fn token_error(token: &str, table: &SettingsStrings) -> Option<String> {
    let fits = token.len() <= MAX_TOKEN_BYTES
        && token.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    (!fits).then(|| table.token_invalid.to_owned())
}
