//! Forgejo and Gitea. Their payloads have the form of GitHub's.

use super::{Sender, github, has_no_form};
use crate::hooks::fields::Fields;
use crate::hooks::notice::Notice;
use crate::hooks::signature::Signature;

pub(super) const SENDER: Sender = Sender {
    name: "forgejo",
    title: "Forgejo",
    event_headers: &["x-forgejo-event", "x-gitea-event", "x-gogs-event"],
    delivery_headers: &["x-forgejo-delivery", "x-gitea-delivery", "x-gogs-delivery"],
    has_form: has_no_form,
    signature: Some(Signature::Hmac {
        headers: &["x-forgejo-signature", "x-gitea-signature", "x-gogs-signature"],
        prefix: "",
        times: &[],
    }),
    notices,
};

fn notices(event: &str, payload: Fields<'_>) -> Option<Vec<Notice>> {
    // Some events have a name of their own for what is an action with GitHub.
    let event = match event {
        "issue_assign" | "issue_label" | "issue_milestone" => "issues",
        "pull_request_assign"
        | "pull_request_label"
        | "pull_request_milestone"
        | "pull_request_sync"
        | "pull_request_review_request" => "pull_request",
        "pull_request_approved" | "pull_request_rejected" => "pull_request_review",
        "pull_request_comment" if payload.has("review") => "pull_request_review",
        event => event,
    };
    github::notice(event, payload).map(|notice| vec![notice])
}
