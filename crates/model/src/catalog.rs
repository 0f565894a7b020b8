//! The catalog of a server: the actions, their templates, and the actions that each reason subscribes to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Kind, check_id};

/// The class of an item: which mark makes it read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Read by a mark on the item itself.
    #[default]
    Manual,
    /// Read by the mark of its view, which a visit moves forward.
    Auto,
}

/// One action of the catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ActionRule {
    /// Reminders of the action reach users who set no preference for it; without it only those who enabled it.
    #[serde(default = "yes")]
    pub default: bool,
    /// The class of the reminders of this action.
    #[serde(default)]
    pub class: Class,
    /// A template for each language tag; see [`template::render`](crate::template::render).
    #[serde(default)]
    pub template: BTreeMap<String, String>,
}

const fn yes() -> bool {
    true
}

/// The actions and reasons of a server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Catalog {
    /// The actions, by id.
    pub actions: BTreeMap<String, ActionRule>,
    /// The actions that each reason subscribes to; a reason may end in `*` for any target type.
    #[serde(default)]
    pub reasons: BTreeMap<String, Vec<String>>,
}

/// An invalid field of a catalog.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct CatalogError {
    /// The path of the field, for example `reasons.create_article`.
    pub field: String,
    /// The reason for which the field is invalid.
    pub detail: String,
}

impl Catalog {
    /// The catalog that a new server starts with.
    pub fn shipped() -> Self {
        const ACTIONS: [(&str, &str, &str); 9] = [
            ("create", "{actors} created {target}", "{actors} 创建了 {target}"),
            ("comment", "{actors} commented on {target}", "{actors} 评论了 {target}"),
            ("reply", "{actors} replied to {target}", "{actors} 回复了 {target}"),
            ("like", "{actors} liked {target}", "{actors} 喜欢了 {target}"),
            ("mention", "{actors} mentioned you in {target}", "{actors} 在 {target} 中提到了你"),
            ("follow", "{actors} followed {target}", "{actors} 关注了 {target}"),
            ("share", "{actors} shared {target}", "{actors} 分享了 {target}"),
            ("assign", "{actors} assigned you {target}", "{actors} 把 {target} 分配给了你"),
            ("publish", "{actors} published {target}", "{actors} 发布了 {target}"),
        ];
        const REASONS: [(&str, &[&str]); 3] = [
            ("create_*", &["comment", "like", "reply"]),
            ("like_*", &["comment"]),
            ("comment_*", &["reply", "comment"]),
        ];
        let rule = |en: &str, zh: &str| ActionRule {
            default: true,
            class: Class::Manual,
            template: BTreeMap::from([("en".into(), en.into()), ("zh-CN".into(), zh.into())]),
        };
        Self {
            actions: ACTIONS.iter().map(|(id, en, zh)| ((*id).to_owned(), rule(en, zh))).collect(),
            reasons: REASONS
                .iter()
                .map(|(reason, actions)| {
                    ((*reason).to_owned(), actions.iter().map(|a| (*a).to_owned()).collect())
                })
                .collect(),
        }
    }

    /// The class of an item of this kind and action. Announcements and messages are `Auto`; a reminder has the class
    /// of its action, `Manual` where the catalog has no such action.
    pub fn class(&self, kind: Kind, action: Option<&str>) -> Class {
        match kind {
            Kind::Announcement | Kind::Message => Class::Auto,
            Kind::Reminder => {
                action.and_then(|a| self.actions.get(a)).map_or(Class::Manual, |rule| rule.class)
            }
        }
    }

    /// The actions that a reason subscribes to: those of the exact reason, else of the longest one that ends in `*`.
    /// `None` where the catalog has neither.
    ///
    /// ```
    /// let catalog = tidings_model::Catalog::shipped();
    /// assert_eq!(catalog.expand("like_article").unwrap(), ["comment"]);
    /// ```
    pub fn expand(&self, reason: &str) -> Option<&[String]> {
        if let Some(actions) = self.reasons.get(reason) {
            return Some(actions);
        }
        self.reasons
            .iter()
            .filter_map(|(pattern, actions)| Some((pattern.strip_suffix('*')?, actions)))
            .filter(|(stem, _)| reason.len() > stem.len() && reason.starts_with(stem))
            .max_by_key(|(stem, _)| stem.len())
            .map(|(_, actions)| actions.as_slice())
    }

    /// Checks the syntax of ids, and that reasons name actions that exist.
    ///
    /// # Errors
    /// The first invalid field.
    pub fn check(&self) -> Result<(), CatalogError> {
        for id in self.actions.keys() {
            check_id(id)
                .map_err(|e| CatalogError { field: format!("actions.{id}"), detail: e.to_string() })?;
        }
        for (reason, actions) in &self.reasons {
            let field = format!("reasons.{reason}");
            let stem = reason.strip_suffix('*').unwrap_or(reason);
            check_id(stem).map_err(|e| CatalogError { field: field.clone(), detail: e.to_string() })?;
            if let Some(unknown) = actions.iter().find(|a| !self.actions.contains_key(*a)) {
                let detail = format!("`{unknown}` is not among the actions");
                return Err(CatalogError { field, detail });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_catalog_holds_together() {
        let catalog = Catalog::shipped();
        catalog.check().unwrap();
        assert_eq!(catalog.actions.len(), 9);
        assert!(
            catalog
                .actions
                .values()
                .all(|a| a.template.contains_key("en") && a.template.contains_key("zh-CN"))
        );
    }

    #[test]
    fn an_exact_reason_goes_before_a_wildcard() {
        let mut catalog = Catalog::shipped();
        assert_eq!(catalog.expand("create_article").unwrap(), ["comment", "like", "reply"]);
        catalog.reasons.insert("create_article".into(), vec!["like".into()]);
        assert_eq!(catalog.expand("create_article").unwrap(), ["like"]);
        assert_eq!(catalog.expand("create_product").unwrap(), ["comment", "like", "reply"]);
        assert_eq!(catalog.expand("hate_product"), None);
        assert_eq!(catalog.expand("create_"), None);
    }

    #[test]
    fn a_reason_that_names_no_action_is_refused_by_its_field() {
        let mut catalog = Catalog::shipped();
        catalog.reasons.insert("star_*".into(), vec!["gaze".into()]);
        assert_eq!(catalog.check().unwrap_err().field, "reasons.star_*");
    }

    #[test]
    fn messages_and_announcements_are_read_by_looking() {
        let catalog = Catalog::shipped();
        assert_eq!(catalog.class(Kind::Announcement, None), Class::Auto);
        assert_eq!(catalog.class(Kind::Message, None), Class::Auto);
        assert_eq!(catalog.class(Kind::Reminder, Some("comment")), Class::Manual);
    }
}
