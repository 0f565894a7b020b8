//! The keys that the reader gave to commands in place of the page's own.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use ts_rs::TS;

/// The commands whose keys can be changed, as the page's table of shortcuts (`ui/src/shortcuts.ts`) calls them.
const COMMANDS: &[&str] = &[
    "next",
    "previous",
    "next-unread",
    "previous-unread",
    "fresh",
    "space",
    "first",
    "last",
    "page-down",
    "page-up",
    "select",
    "extend",
    "extend-up",
    "select-all",
    "undo",
    "all-read",
    "unread",
    "archive",
    "snooze",
    "pin",
    "mute",
    "subscription",
    "mute-there",
    "answer",
    "open",
    "next-item",
    "previous-item",
    "open-link",
    "open-link-behind",
    "go-inbox",
    "go-unread",
    "go-pinned",
    "go-snoozed",
    "go-done",
    "go-announcements",
    "go-conversations",
    "digest",
    "rename-search",
    "remove-search",
    "move-search",
    "move-search-up",
    "search",
    "palette",
    "new-conversation",
    "attach",
    "pull",
    "keys",
    "pane",
    "settings",
    "zoom-in",
    "zoom-out",
    "zoom-reset",
    "menu",
];
/// The most ways to press one command.
const MAX_WAYS: usize = 4;
/// The longest name of one way to press a command, in bytes: two keys with modifiers in sequence.
const MAX_KEY_BYTES: usize = 64;
/// The keys that no command can be given: dialogs, menus, fields and the composer need them.
const RESERVED: &[&str] =
    &["Escape", "Shift+Escape", "Tab", "Shift+Tab", "Shift+Enter", "Mod+c", "Mod+v", "Mod+x"];
/// The keys that stay with the command that has them.
const KEPT: &[(&str, &str)] = &[("Enter", "open"), (" ", "space")];

/// The keys of the commands whose keys were changed, by command; each way as the page writes it, such as `Mod+Shift+k` or
/// `g i`. Commands that are not here have the page's own keys.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, TS)]
#[serde(transparent)]
#[ts(type = "Record<string, Array<string>>")]
pub struct Keys(BTreeMap<String, Vec<String>>);

impl<'de> Deserialize<'de> for Keys {
    /// Leaves out commands that do not exist, and ways that cannot be pressed or may not be used.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let all = BTreeMap::<String, Vec<String>>::deserialize(deserializer)?;
        Ok(Self(all.into_iter().filter_map(|(command, ways)| checked(command, ways)).collect()))
    }
}

fn checked(command: String, ways: Vec<String>) -> Option<(String, Vec<String>)> {
    if !COMMANDS.contains(&command.as_str()) {
        return None;
    }
    let mut kept: Vec<String> = Vec::new();
    for way in ways {
        if kept.len() < MAX_WAYS && !kept.contains(&way) && may_have(&command, &way) {
            kept.push(way);
        }
    }
    Some((command, kept))
}

fn may_have(command: &str, way: &str) -> bool {
    let kept_elsewhere = KEPT.iter().any(|(key, owner)| *key == way && *owner != command);
    can_be_pressed(way) && !RESERVED.contains(&way) && !kept_elsewhere
}

/// Whether this is one key, with its modifiers, or two in sequence.
fn can_be_pressed(way: &str) -> bool {
    if way == " " {
        return true;
    }
    let chords: Vec<&str> = way.split(' ').collect();
    way.len() <= MAX_KEY_BYTES && chords.len() <= 2 && chords.into_iter().all(is_chord)
}

fn is_chord(chord: &str) -> bool {
    let without = |text: &'_ str, modifier: &str| text.strip_prefix(modifier).map_or(text.len(), str::len);
    let mut key = chord;
    for modifier in ["Mod+", "Alt+", "Shift+"] {
        let left = without(key, modifier);
        key = key.get(key.len() - left..).unwrap_or_default();
    }
    let mut chars = key.chars();
    match (chars.next(), chars.next()) {
        (Some(one), None) => !one.is_control() && !one.is_whitespace(),
        (Some(first), Some(_)) => {
            first.is_ascii_uppercase() && key.len() <= 20 && key.bytes().all(|b| b.is_ascii_alphanumeric())
        }
        (None, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> BTreeMap<String, Vec<String>> {
        serde_json::from_str::<Keys>(json).unwrap().0
    }

    /// Every command of the page's table whose keys can be changed is known, and no other.
    #[test]
    fn the_commands_are_those_of_the_pages_table() {
        let table = include_str!("../../../ui/src/shortcuts.ts");
        let (_, table) = table.split_once("export const shortcuts = {").unwrap();
        let (table, _) = table.split_once("} as const").unwrap();
        let commands: Vec<&str> = table
            .lines()
            .filter_map(|line| line.trim().split_once(": ["))
            .map(|(id, _)| id.trim_matches('\''))
            // Esc and the Enter of the composer stay what they are.
            .filter(|id| !matches!(*id, "back" | "send"))
            .collect();
        assert_eq!(commands, COMMANDS);
    }

    #[test]
    fn keys_that_can_be_pressed_are_kept() {
        let keys = read(
            r#"{"archive": ["y", "Mod+Shift+k", "Alt+ArrowUp", "g x"], "zoom-in": ["Mod++"], "mute": []}"#,
        );
        assert_eq!(keys["archive"], ["y", "Mod+Shift+k", "Alt+ArrowUp", "g x"]);
        assert_eq!(keys["zoom-in"], ["Mod++"]);
        assert!(keys["mute"].is_empty(), "a command may have none");
        assert_eq!(read(r#"{"open": ["Enter", "é"], "space": [" "]}"#)["open"], ["Enter", "é"]);
    }

    #[test]
    fn what_makes_no_sense_is_left_out() {
        let keys = read(
            r#"{"format-disk": ["f"], "back": ["q"], "pin": ["", "Mod+", "a b c", "rm -rf", "\u0007", "Enter", " ",
                "Escape", "Tab", "Mod+c", "1", "1", "2", "3", "4", "5", "Looooooooooooooooooooooong"]}"#,
        );
        assert_eq!(keys.keys().collect::<Vec<_>>(), ["pin"]);
        assert_eq!(keys["pin"], ["1", "2", "3", "4"]);
    }
}
