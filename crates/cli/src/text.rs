//! A notification as one line of text.

use tidings_model::{Language, Notification, Question, QuestionState};
use tidings_render::{context::GroupNames, emoji, heading::Headings, plain};
use tidings_replica::{Item, Replica};

use crate::{error::Result, named::ShownNames, output::clean, server::env_value};

/// The most characters of a body that a line shows.
const MAX_BODY_CHARS: usize = 100;

/// Formats items as lines, with the templates of each source's catalog.
pub(crate) struct LineFormatter<'a> {
    headings: Headings<'a>,
    names: ShownNames,
    groups: GroupNames,
}

impl<'a> LineFormatter<'a> {
    /// Loads what the lines of these items need.
    pub(crate) fn of(replica: &'a Replica, items: &[Item]) -> Result<Self> {
        Ok(Self {
            headings: Headings::new(replica, language()),
            names: ShownNames::of(replica, items)?,
            groups: replica.group_names()?,
        })
    }

    /// The name by which commands take an item.
    pub(crate) fn name(&self, item: &Item) -> String {
        self.names.name(item)
    }

    /// The name of an item's source.
    pub(crate) fn source(&self, item: &Item) -> &str {
        self.names.source(item)
    }

    /// The heading of an item, a few words of plain text.
    pub(crate) fn heading(&mut self, item: &Item) -> String {
        self.headings.heading(item)
    }

    /// The line of an item, such as `● 2026-11-20 06:14  Bob commented on “Rust in 2026”: Nice work  [msgid]`. A
    /// publication's begins with its topic, a message's with who wrote it to whom; one that is archived ends with that. The
    /// msgid has its source's name before it if other sources have the same.
    pub(crate) fn line(&mut self, item: &Item) -> String {
        let n = &item.notification;
        let dot = if item.unread { '●' } else { ' ' };
        let when = n.content_at().to_datetime().with_timezone(&chrono::Local).format("%Y-%m-%d %H:%M");
        let heading = emoji::before(&n.content.tags, &self.headings.heading(item));
        let heading = self.about(item, heading);
        let body = plain::line(&n.content.body, n.content.format, MAX_BODY_CHARS);
        let gap = if heading.is_empty() || body.is_empty() { "" } else { ": " };
        let asked = n.content.question.as_ref().map(asked).unwrap_or_default();
        let archived = if n.archived_at.is_some() { " (archived)" } else { "" };
        clean(&format!("{dot} {when}  {heading}{gap}{body}{asked}{archived}  [{}]", self.names.name(item)))
    }

    /// The heading with the topic before it, or with the recipient after it, as `tidings send --to` takes them: `user`, or
    /// `group:ID` with the name of the group. What was written to the reader alone names no recipient.
    fn about(&self, item: &Item, heading: String) -> String {
        let n = &item.notification;
        let recipient = n.conversation.as_deref().and_then(|to| {
            if let Some(user) = to.strip_prefix("user:") {
                return item.own.then(|| user.to_owned());
            }
            let group = to.strip_prefix("group:").unwrap_or(to).to_owned();
            let named = self.groups.get(&(item.source, group));
            Some(named.map_or_else(|| to.to_owned(), |name| format!("{name} ({to})")))
        });
        match (recipient, topic(n)) {
            (Some(to), _) => format!("{heading} → {to}"),
            (None, Some(topic)) if topic != heading => format!("{topic}: {heading}"),
            _ => heading,
        }
    }
}

/// The answers that an open question offers, or what became of it: ` (Approve / Deny?)`, ` (ana: Approve)`.
fn asked(question: &Question) -> String {
    let by = question.answer.as_ref().and_then(|answer| answer.by.as_deref());
    match (question.state, question.answer_text()) {
        (QuestionState::Open, _) => {
            let labels = question.answers.iter().map(|choice| choice.label.as_str());
            let offered: Vec<&str> = labels.chain(question.text.then_some("…")).collect();
            format!(" ({}?)", offered.join(" / "))
        }
        (QuestionState::Answered, Some(answer)) => format!(" ({}: {answer})", by.unwrap_or("?")),
        (QuestionState::Answered, None) => " (answered)".to_owned(),
        (QuestionState::Expired, Some(answer)) => format!(" (nobody answered: {answer})"),
        (QuestionState::Expired, None) => " (nobody answered)".to_owned(),
    }
}

/// The topic that a notification was published on.
pub(crate) fn topic(n: &Notification) -> Option<&str> {
    n.target.as_ref().filter(|target| target.kind == "topic").map(|target| target.id.as_str())
}

/// The language of the terminal's locale, in which sentences of catalogs are.
pub(crate) fn language() -> Language {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(env_value);
    Language::from_locale(&locale.unwrap_or_default())
}
