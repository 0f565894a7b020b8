//! Which sound a toast has.

use std::borrow::Cow;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tidings_replica::{Mute, is_of_origin};
use ts_rs::TS;

use crate::SourceId;

/// The most sources and topics with a sound of their own.
const MAX_CHOSEN: usize = 200;
/// The longest name in a sound theme, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// A sound: empty for silence, an absolute path for a file, else a name of the desktop's sound theme, as the freedesktop
/// sound naming specification has them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(transparent)]
#[ts(type = "string")]
pub struct Sound(Cow<'static, str>);

impl Sound {
    /// No sound.
    pub const SILENT: Self = Self(Cow::Borrowed(""));
    /// That of a new message; it also stands in for a file that cannot be played.
    pub const MESSAGE: Self = Self(Cow::Borrowed("message-new-instant"));
    /// That of a warning.
    pub const WARNING: Self = Self(Cow::Borrowed("dialog-warning"));
    /// The largest file, in bytes.
    pub const MAX_FILE_BYTES: u64 = 1 << 20;

    /// The sound of a file, or a name of the theme.
    pub const fn new(text: String) -> Self {
        Self(Cow::Owned(text))
    }

    /// The path or the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing to hear.
    pub fn is_silent(&self) -> bool {
        self.0.is_empty()
    }

    /// The path, if it is a file.
    pub fn file(&self) -> Option<&Path> {
        Some(Path::new(self.as_str())).filter(|path| path.is_absolute())
    }

    /// Takes over another sound if this one is silent.
    pub fn fill(&mut self, other: &Self) {
        if self.is_silent() {
            self.clone_from(other);
        }
    }

    /// Whether it is silence, a name that a theme can have, or one of these files.
    fn is_allowed(&self, files: &[String]) -> bool {
        let text = self.as_str();
        if self.file().is_some() {
            return files.iter().any(|file| file == text);
        }
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        text.len() <= MAX_NAME_BYTES && !text.starts_with('-') && text.bytes().all(is_plain)
    }
}

/// The sound of a source, or of a topic, an application or a repository of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ChosenSound {
    /// The source.
    pub source: SourceId,
    /// The topic, application or repository, as `ThreadRow.origin` has it; empty for the whole source.
    pub origin: String,
    /// The sound.
    pub sound: Sound,
}

/// The sounds of toasts. The topic's comes first, then the source's, then that of the priority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Sounds {
    /// Of the priorities 1 and 2.
    pub low: Sound,
    /// Of priority 3.
    pub normal: Sound,
    /// Of priority 4.
    pub high: Sound,
    /// Of priority 5.
    pub urgent: Sound,
    /// Of sources and topics.
    pub chosen: Vec<ChosenSound>,
}

impl Default for Sounds {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Sounds {
    /// Those of a new reader.
    pub const DEFAULT: Self = Self {
        low: Sound::SILENT,
        normal: Sound::MESSAGE,
        high: Sound::MESSAGE,
        urgent: Sound::WARNING,
        chosen: Vec::new(),
    };

    /// The sound of an item of this priority, in a thread with this key.
    pub fn find(&self, source: SourceId, key: &str, priority: u8) -> &Sound {
        let of_source = |one: &&ChosenSound| one.source == source;
        let of_topic = |one: &&ChosenSound| !one.origin.is_empty() && is_of_origin(key, &one.origin);
        let mut known = self.chosen.iter().filter(of_source);
        let topic = known.clone().find(of_topic);
        if let Some(chosen) = topic.or_else(|| known.find(|one| one.origin.is_empty())) {
            return &chosen.sound;
        }
        match priority {
            0..=2 => &self.low,
            3 => &self.normal,
            4 => &self.high,
            _ => &self.urgent,
        }
    }

    /// Leaves nothing but what can be stored and played. A file that is none of `files`, which the reader chose, becomes
    /// the usual sound.
    pub fn restrict(&mut self, files: &[String]) {
        // The newest stay.
        let surplus = self.chosen.len().saturating_sub(MAX_CHOSEN);
        self.chosen.drain(..surplus);
        self.chosen.retain(|one| one.origin.chars().count() <= Mute::MAX_ORIGIN_CHARS);
        let by_priority = [&mut self.low, &mut self.normal, &mut self.high, &mut self.urgent];
        for sound in by_priority.into_iter().chain(self.chosen.iter_mut().map(|one| &mut one.sound)) {
            if !sound.is_allowed(files) {
                *sound = Sound::MESSAGE;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(origin: &str, sound: &str) -> ChosenSound {
        ChosenSound { source: 1, origin: origin.to_owned(), sound: Sound::new(sound.to_owned()) }
    }

    #[test]
    fn a_topic_has_its_sound_before_its_source_and_that_before_the_priority() {
        let sounds = Sounds {
            chosen: vec![chosen("", "bell"), chosen("topic:ci", ""), chosen("topic:door", "complete")],
            ..Sounds::default()
        };
        let of = |source, key, priority| sounds.find(source, key, priority).as_str();
        assert_eq!(of(1, "topic:door#publish", 5), "complete");
        assert_eq!(of(1, "topic:ci#publish", 5), "", "it is silent whatever comes");
        assert_eq!(of(1, "topic:backups#publish", 1), "bell");
        let by_priority = [1, 2, 3, 4, 5].map(|priority| of(2, "topic:door#publish", priority));
        let usual = "message-new-instant";
        assert_eq!(by_priority, ["", "", usual, usual, "dialog-warning"]);
    }

    #[cfg(unix)]
    #[test]
    fn only_files_that_the_reader_chose_and_names_of_a_theme_are_kept() {
        let mut sounds: Sounds =
            serde_json::from_str(r#"{"low": "/a.oga", "normal": "/etc/b", "high": "-f", "urgent": "Bell!"}"#)
                .unwrap();
        sounds.chosen = vec![chosen("", "alarm-clock-elapsed"), chosen(&"x".repeat(10_000), "bell")];
        sounds.restrict(&["/a.oga".to_owned()]);
        let usual = Sound::MESSAGE;
        assert_eq!((sounds.low.as_str(), sounds.low.file()), ("/a.oga", Some(Path::new("/a.oga"))));
        assert_eq!([&sounds.normal, &sounds.high, &sounds.urgent], [&usual; 3]);
        assert_eq!(sounds.chosen, [chosen("", "alarm-clock-elapsed")]);
        assert_eq!(usual.file(), None);
    }
}
