//! Arguments of `send`.

use clap::Args;
use tidings_model::topic::Expected;

#[derive(Debug, Default, Args)]
pub(crate) struct Send {
    /// The topic to publish to.
    #[arg(long, default_value = Self::USUAL_TOPIC, conflicts_with = "to")]
    pub(crate) topic: String,
    /// Publish at this source of the inbox, on one of its topics, instead of at the server: at an ntfy server, for example.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["to", "action", "attach", "delay"])]
    pub(crate) source: Option<String>,
    /// Send a message to this user instead, or to a group as group:ID.
    #[arg(long, value_name = "USER")]
    pub(crate) to: Option<String>,
    /// Edit what this token published, by its msgid, instead of sending something: what is not given stays unchanged.
    #[arg(long, value_name = "MSGID", conflicts_with_all = ["topic", "source", "to", "action", "attach", "delay"])]
    pub(crate) edit: Option<String>,
    /// The title.
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// The priority, 1 (lowest) to 5 (urgent) [default: 3].
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=5))]
    pub(crate) priority: Option<u8>,
    /// A tag; can be given several times, or as a list separated by commas.
    #[arg(long, visible_alias = "tags", value_name = "TAG", value_delimiter = ',')]
    pub(crate) tag: Vec<String>,
    /// The address to open when it is clicked.
    #[arg(long, value_name = "URL")]
    pub(crate) click: Option<String>,
    /// A button, such as `view, Open, https://example.org` or `http, Restart, https://example.org/restart, method=PUT`; up
    /// to three. Messages have none.
    #[arg(long, value_name = "BUTTON", conflicts_with = "to")]
    pub(crate) action: Vec<String>,
    /// The text is Markdown.
    #[arg(long)]
    pub(crate) markdown: bool,
    /// A file to attach; on a topic also the address of one.
    #[arg(long, value_name = "FILE|URL")]
    pub(crate) attach: Option<String>,
    /// Deliver it later, for example 30m, 'tomorrow, 10am' or a time in seconds since 1970. Messages are sent at once.
    #[arg(long, value_name = "TIME", conflicts_with = "to")]
    pub(crate) delay: Option<String>,
    /// Expect a notification on the topic at least this often from now on, such as 26h: if none comes, one says so; off for
    /// never.
    #[arg(long, value_name = "TIME", conflicts_with_all = ["to", "source", "edit"])]
    pub(crate) expect: Option<Expected>,
    /// The text; - reads it from standard input.
    #[arg(required_unless_present_any = ["attach", "edit"])]
    pub(crate) body: Vec<String>,
}

impl Send {
    /// The topic of what names none.
    pub(crate) const USUAL_TOPIC: &'static str = "tidings";

    /// A publication on a topic, of which nothing else is said yet.
    pub(crate) fn on(topic: String) -> Self {
        Self { topic, ..Self::default() }
    }
}
