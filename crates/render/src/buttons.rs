//! The buttons under an item: those that a desktop can run.

use tidings_ipc::ActionView;
use tidings_model::{Action, ActionKind, Format, Notification};

use crate::link::{external_url, host, web_url};
use crate::plain;

/// The buttons that can be shown, each with its action; those that copy a text come last, since toasts leave them out. Their
/// position is the `index` of `run_action`.
pub fn offered(n: &Notification) -> impl Iterator<Item = (ActionView, &Action)> {
    let copies = n.content.actions.iter().filter_map(|action| {
        let text = copied(&action.value);
        let is_one = action.action == ActionKind::Copy && !text.is_empty();
        is_one.then(|| {
            let label = plain::line(&action.label, Format::Plain, 80);
            let (host, method) = (String::new(), String::new());
            (ActionView { label, opens: false, host, method, copies: Some(text) }, action)
        })
    });
    let others = n.content.actions.iter().filter_map(|action| {
        let (opens, host) = match action.action {
            ActionKind::View => {
                let url = external_url(&action.url)?;
                (true, host(&url).unwrap_or_else(|| url.path().to_owned()))
            }
            ActionKind::Http => (false, web_url(&action.url)?.1),
            ActionKind::Broadcast | ActionKind::Copy => return None,
        };
        let method = if opens { String::new() } else { method(action)?.to_owned() };
        Some((
            ActionView {
                label: plain::line(&action.label, Format::Plain, 80),
                opens,
                host,
                method,
                copies: None,
            },
            action,
        ))
    });
    others.chain(copies)
}

/// A text as it is copied: without control characters that nobody sees, such as those that a terminal obeys.
fn copied(text: &str) -> String {
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control()).collect()
}

/// The HTTP method of a button, POST by default; `None` for any other than the common six.
pub fn method(action: &Action) -> Option<&'static str> {
    let requested = action.method.as_deref().unwrap_or("POST");
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
        .into_iter()
        .find(|known| known.eq_ignore_ascii_case(requested))
}
