//! The catalog of a server: the actions, their templates, and the actions that each reason subscribes to.

#[rustfmt::skip]
mod shipped;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Kind, check_id, template};

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
    /// A template for each language tag, such as `{actors} liked {target}`. The reader's language goes first, then its
    /// base language (`zh` for `zh-TW`), `en`, and the first there is; see [`sentence`](crate::sentence::sentence).
    #[serde(default)]
    pub template: BTreeMap<String, String>,
    /// Templates for the reader to whom the target belongs (`target.owner`), likewise: `{actors} followed you`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub own: BTreeMap<String, String>,
}

const fn yes() -> bool {
    true
}

/// The templates of an action, each with its language tag.
type Templates = &'static [(&'static str, &'static str)];

/// An action's id, its templates, and those for the target's owner if they read better.
pub type ActionSentences = (&'static str, Templates, Templates);

const REASONS: [(&str, &[&str]); 3] = [
    ("create_*", &["comment", "like", "reply", "vote"]),
    ("like_*", &["update", "comment"]),
    ("comment_*", &["reply", "comment", "like"]),
];

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
    /// The catalog of these actions, without reasons. Everybody gets their reminders, and marks each.
    pub fn of(actions: &[ActionSentences]) -> Self {
        let by_tag = |templates: Templates| -> BTreeMap<_, _> {
            templates.iter().map(|(tag, template)| ((*tag).to_owned(), (*template).to_owned())).collect()
        };
        let rule = |&(id, template, own): &ActionSentences| {
            let (template, own) = (by_tag(template), by_tag(own));
            (id.to_owned(), ActionRule { default: true, class: Class::Manual, template, own })
        };
        Self { actions: actions.iter().map(rule).collect(), reasons: BTreeMap::new() }
    }

    /// The catalog that a new server starts with.
    pub fn shipped() -> Self {
        let reason = |(reason, actions): &(&str, &[&str])| {
            ((*reason).to_owned(), actions.iter().map(|action| (*action).to_owned()).collect())
        };
        Self { reasons: REASONS.iter().map(reason).collect(), ..Self::of(shipped::ACTIONS) }
    }

    /// The class of an item of this kind and action. Announcements and messages are `Auto`; a reminder has the class
    /// of its action, `Manual` if the catalog has no such action.
    pub fn class(&self, kind: Kind, action: Option<&str>) -> Class {
        match kind {
            Kind::Announcement | Kind::Message => Class::Auto,
            Kind::Reminder => {
                action.and_then(|a| self.actions.get(a)).map_or(Class::Manual, |rule| rule.class)
            }
        }
    }

    /// The actions that a reason subscribes to: those of the exact reason, else of the longest one that ends in `*`.
    /// `None` if the catalog has neither.
    ///
    /// ```
    /// let catalog = tidings_model::Catalog::shipped();
    /// assert_eq!(catalog.expand("like_article").unwrap(), ["update", "comment"]);
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

    /// Checks the syntax of ids and templates, and that reasons name actions that exist.
    ///
    /// # Errors
    /// The first invalid field.
    pub fn check(&self) -> Result<(), CatalogError> {
        for (id, rule) in &self.actions {
            check_id(id)
                .map_err(|e| CatalogError { field: format!("actions.{id}"), detail: e.to_string() })?;
            for (name, templates) in [("template", &rule.template), ("own", &rule.own)] {
                for (tag, template) in templates {
                    let field = || format!("actions.{id}.{name}.{tag}");
                    template::check(template)
                        .map_err(|e| CatalogError { field: field(), detail: e.to_string() })?;
                }
            }
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
        let mut actions: Vec<&str> = catalog.actions.keys().map(String::as_str).collect();
        let mut shipped: Vec<&str> =
            "create comment reply like hate vote update mention follow share assign publish"
                .split(' ')
                .collect();
        actions.sort_unstable();
        shipped.sort_unstable();
        assert_eq!(actions, shipped);
        for rule in catalog.actions.values() {
            let of = |templates: &BTreeMap<String, String>| templates.keys().cloned().collect::<Vec<_>>();
            assert_eq!(of(&rule.template), ["en", "zh-CN"]);
            assert!(rule.own.is_empty() || of(&rule.own) == ["en", "zh-CN"]);
        }
    }

    #[test]
    fn the_shipped_reasons_are_those_of_who_created_liked_and_commented() {
        let catalog = Catalog::shipped();
        for (reason, actions) in [
            ("create_article", &["comment", "like", "reply", "vote"][..]),
            ("like_product", &["update", "comment"]),
            ("comment_article", &["reply", "comment", "like"]),
        ] {
            assert_eq!(catalog.expand(reason).unwrap(), actions);
        }
    }

    #[test]
    fn a_template_that_can_t_be_rendered_is_refused_by_its_field() {
        let refused = |own: bool, template: &str| {
            let mut catalog = Catalog::shipped();
            let rule = catalog.actions.get_mut("like").unwrap();
            let templates = if own { &mut rule.own } else { &mut rule.template };
            templates.insert("de".into(), template.into());
            catalog.check().unwrap_err().field
        };
        for bad in ["", " ", "{actors", "{}", "{actors} {", "{ }"] {
            assert_eq!(refused(false, bad), "actions.like.template.de", "{bad}");
            assert_eq!(refused(true, bad), "actions.like.own.de", "{bad}");
        }
    }

    #[test]
    fn an_exact_reason_goes_before_a_wildcard() {
        let mut catalog = Catalog::shipped();
        assert_eq!(catalog.expand("create_article").unwrap(), ["comment", "like", "reply", "vote"]);
        catalog.reasons.insert("create_article".into(), vec!["like".into()]);
        assert_eq!(catalog.expand("create_article").unwrap(), ["like"]);
        assert_eq!(catalog.expand("create_product").unwrap(), ["comment", "like", "reply", "vote"]);
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

    #[test]
    fn a_rule_that_says_nothing_reaches_everybody_and_is_read_by_hand() {
        let rule: ActionRule = serde_json::from_str("{}").unwrap();
        assert!(rule.default);
        let catalog = Catalog { actions: [("buy".to_owned(), rule)].into(), ..Catalog::default() };
        assert_eq!(catalog.class(Kind::Reminder, Some("buy")), Class::Manual);
        assert_eq!(catalog.class(Kind::Reminder, Some("sell")), Class::Manual);
    }

    #[test]
    fn the_class_of_a_reminder_is_that_of_its_action() {
        let mut catalog = Catalog::shipped();
        catalog.actions.get_mut("like").unwrap().class = Class::Auto;
        assert_eq!(catalog.class(Kind::Reminder, Some("like")), Class::Auto);
    }

    #[test]
    fn the_longest_wildcard_goes_before_the_others_and_no_id_may_be_wrong() {
        let mut catalog = Catalog::shipped();
        catalog.reasons.insert("create_art*".into(), vec!["vote".into()]);
        assert_eq!(catalog.expand("create_article").unwrap(), ["vote"]);
        catalog.reasons.insert("two words".into(), Vec::new());
        assert_eq!(catalog.check().unwrap_err().field, "reasons.two words");
        let rule = catalog.actions["like"].clone();
        catalog.actions.insert("a b".into(), rule);
        assert_eq!(catalog.check().unwrap_err().field, "actions.a b");
    }
}
