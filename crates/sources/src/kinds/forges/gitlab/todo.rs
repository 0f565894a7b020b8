//! An item of GitLab's to-do list.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Deserialize;
use serde_json::Map;
use tidings_model::{Actor, Content, Format, Stamp, Target};
use tidings_replica::ServiceItem;

use super::super::{Person, action, body, line, note_bot, tags, target_id, target_type, web_address};
use crate::kinds::sentences::GITLAB;

/// An item, with the members that are read.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Todo {
    pub(super) id: u64,
    created_at: Stamp,
    #[serde(default)]
    action_name: Option<String>,
    #[serde(default)]
    author: Option<Person>,
    #[serde(default)]
    project: Option<Namespace>,
    #[serde(default)]
    group: Option<Namespace>,
    #[serde(default)]
    target: Option<Issuable>,
    #[serde(default)]
    target_type: Option<String>,
    #[serde(default)]
    target_url: Option<String>,
    #[serde(default)]
    body: Option<String>,
}

/// A project or a group.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Namespace {
    path_with_namespace: Option<String>,
    full_path: Option<String>,
}

/// An issue, a merge request or another target.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Issuable {
    iid: Option<u64>,
    title: Option<String>,
    name: Option<String>,
    state: Option<String>,
    draft: Option<bool>,
    web_url: Option<String>,
}

impl Todo {
    /// The item of the inbox, without its state. A change of it is a correction: whatever is new has an item of its own.
    pub(super) fn item(&self) -> ServiceItem {
        let namespace = self.namespace();
        let author = self.author.as_ref();
        let itself = || Actor { id: namespace.clone(), name: namespace.clone() };
        let actor = author.and_then(Person::actor).unwrap_or_else(itself);
        let target = self.target.clone().unwrap_or_default();
        let kind = target_type(self.target_type.as_deref().unwrap_or_default());
        let sign = if kind == "merge_request" { '!' } else { '#' };
        let id = match target.iid {
            Some(iid) => format!("{namespace}{sign}{iid}"),
            None => format!("{namespace}/{}", self.id),
        };
        let id = target_id(&id);
        let title = target.title.as_deref().or(target.name.as_deref()).map(line).unwrap_or_default();
        let page = target.web_url.as_deref().and_then(web_address);
        let event = self.action_name.as_deref().unwrap_or_default();
        let url = self.target_url.as_deref().and_then(web_address).or_else(|| page.clone());
        // Without a comment the body is the title once more.
        let text = self.body.as_deref().map(body).filter(|body| *body != title);
        let mut data = Map::from_iter([("reason".to_owned(), line(event).into())]);
        note_bot(&mut data, author);
        let content = Content {
            title: title.clone(),
            body: text.unwrap_or_default(),
            format: Format::Markdown,
            tags: tags([
                Some(namespace),
                target.state_name(),
                (event == "build_failed").then(|| "ci_failed".to_owned()),
            ]),
            url: url.clone(),
            icon: author.and_then(Person::avatar),
            data,
            ..Content::default()
        };
        let thread = format!("{kind}:{id}");
        ServiceItem {
            action: Some(action(GITLAB, event).to_owned()),
            target: Some(Target {
                kind,
                id,
                title: Some(title).filter(|t| !t.is_empty()),
                url: page.or(url),
                owner: None,
            }),
            content,
            news: false,
            ..ServiceItem::new(self.id.to_string().as_str(), self.created_at, thread, actor)
        }
    }

    /// A hash of what may change.
    pub(super) fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.body, &self.action_name, &self.target_url).hash(&mut hasher);
        if let Some(target) = &self.target {
            (&target.title, &target.state, target.draft).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// The path of the project or group; the service if there is neither, as for keys.
    fn namespace(&self) -> String {
        let project = self.project.as_ref().and_then(|project| project.path_with_namespace.as_deref());
        let group = self.group.as_ref().and_then(|group| group.full_path.as_deref());
        project
            .or(group)
            .map(line)
            .filter(|namespace| !namespace.is_empty())
            .unwrap_or_else(|| "GitLab".to_owned())
    }
}

impl Issuable {
    /// The state as a label; a merge request that is not ready is a draft.
    fn state_name(&self) -> Option<String> {
        let state = match self.state.as_deref()? {
            "opened" if self.draft == Some(true) => "draft",
            "opened" => "open",
            other => other,
        };
        Some(state.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn todo(more: &Value) -> Todo {
        let mut todo = json!({"id": 102, "created_at": "2026-11-20T06:00:00.123Z", "action_name": "mentioned",
            "project": {"path_with_namespace": "acme/widgets"},
            "author": {"username": "bo", "name": "Bo", "avatar_url": "https://g.example/bo.png"},
            "target_type": "MergeRequest", "body": "Could you look, @ana?",
            "target": {"iid": 7, "title": "Fix the lid", "state": "opened", "draft": true,
                "web_url": "https://g.example/acme/widgets/-/merge_requests/7"},
            "target_url": "https://g.example/acme/widgets/-/merge_requests/7#note_5"});
        todo.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(todo).unwrap()
    }

    #[test]
    fn a_mention_names_who_where_and_the_note() {
        let item = todo(&json!({})).item();
        let target = item.target.unwrap();
        assert_eq!((target.kind.as_str(), target.id.as_str()), ("merge_request", "acme/widgets!7"));
        assert_eq!((item.actor.id.as_str(), item.actor.name.as_str()), ("bo", "Bo"));
        assert_eq!(item.action.as_deref(), Some("mentioned"));
        assert!(item.content.url.unwrap().ends_with("#note_5"));
        assert_eq!(item.content.tags, ["acme/widgets", "draft"]);
        assert_eq!(item.content.body, "Could you look, @ana?");
    }

    #[test]
    fn the_user_of_an_access_token_is_a_bot() {
        let of = |name: &str| todo(&json!({"author": {"username": name, "name": "Deployments"}})).item();
        assert_eq!(of("project_7_bot_4f1c").content.data["bot"], true);
        assert!(!of("bo").content.data.contains_key("bot"));
    }

    #[test]
    fn a_body_that_repeats_the_title_is_left_out() {
        assert_eq!(todo(&json!({"body": "Fix the lid"})).item().content.body, "");
    }

    #[test]
    fn an_item_without_project_or_target_is_read() {
        let bare =
            todo(&json!({"project": null, "target": null, "author": null, "action_name": "new_in_gitlab_42",
            "target_type": "Key", "target_url": null, "body": null}));
        let item = bare.item();
        assert_eq!(item.action.as_deref(), Some("update"));
        assert_eq!((item.actor.name.as_str(), item.target.unwrap().id.as_str()), ("GitLab", "GitLab/102"));
    }

    #[test]
    fn a_change_of_the_target_is_seen() {
        let before = todo(&json!({}));
        let merged = todo(&json!({"target": {"iid": 7, "title": "Fix the lid", "state": "merged"}}));
        assert_eq!(before.hash(), todo(&json!({})).hash());
        assert_ne!(before.hash(), merged.hash());
    }
}
