//! Avatars: initials on a tint for people, an icon for topics and announcements.

use tidings_ipc::{Avatar, Face};
use tidings_model::Actor;

/// The tint of an id, 0 to 7, the same on every computer (a folded FNV-1a hash, modulo 8).
pub fn tint(id: &str) -> u8 {
    let hash =
        id.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    u8::try_from((hash ^ (hash >> 16)) % 8).unwrap_or_default()
}

/// One or two initials of a name: of its first and last word, or one ideograph; `?` for a name without letters.
///
/// ```
/// use tidings_render::avatar::initials;
///
/// assert_eq!([initials("Ana Ruiz"), initials("Ana"), initials("林晓")], ["AR", "A", "林"]);
/// ```
pub fn initials(name: &str) -> String {
    let mut words = name.split_whitespace().filter_map(|word| word.chars().find(|c| c.is_alphanumeric()));
    let Some(first) = words.next() else { return "?".to_owned() };
    if is_ideograph(first) {
        return first.to_string();
    }
    let last = words.next_back().filter(|c| !is_ideograph(*c));
    first.to_uppercase().chain(last.into_iter().flat_map(char::to_uppercase)).collect()
}

/// The initials and tint of a user.
pub fn face(actor: &Actor) -> Face {
    let name = if actor.name.is_empty() { &actor.id } else { &actor.name };
    Face { initials: initials(name), tint: tint(&actor.id) }
}

fn small_face(actor: &Actor) -> Face {
    let mut face = face(actor);
    face.initials = face.initials.chars().take(1).collect();
    face
}

/// The avatar of one actor, or of the newest two of several.
pub fn people(newest_first: &[Actor]) -> Avatar {
    match newest_first {
        [front, back, ..] => Avatar::Stack { front: small_face(front), back: small_face(back) },
        [only] => Avatar::Person { face: face(only) },
        [] => icon_avatar("bell"),
    }
}

/// An avatar that is a Lucide icon.
pub fn icon_avatar(icon: &str) -> Avatar {
    Avatar::Thing { icon: icon.to_owned() }
}

/// The icon of a topic, by the words in its name.
pub fn topic_icon(topic: &str) -> &'static str {
    const TOPIC_ICONS: [(&[&str], &str); 6] = [
        (&["backup", "disk", "nas", "raid", "storage"], "hard-drive"),
        (&["ci", "build", "deploy", "pipeline", "release"], "workflow"),
        (&["door", "doorbell", "gate"], "door-open"),
        (&["cert", "certificate", "tls", "security"], "shield-check"),
        (&["home", "house"], "house"),
        (&["pr", "pull", "merge", "git"], "git-pull-request"),
    ];
    let name = topic.to_ascii_lowercase();
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let matches = |word: &str, known: &str| word == known || word.strip_suffix('s') == Some(known);
    words
        .find_map(|word| {
            TOPIC_ICONS
                .iter()
                .find(|(names, _)| names.iter().any(|known| matches(word, known)))
                .map(|(_, icon)| *icon)
        })
        .unwrap_or("radio")
}

const fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_say_who() {
        for (name, letters) in [
            ("Ana Ruiz", "AR"),
            ("Ana", "A"),
            ("林晓", "林"),
            ("bo von Kessler", "BK"),
            ("", "?"),
            ("(x)", "X"),
        ] {
            assert_eq!(initials(name), letters, "{name}");
        }
    }

    #[test]
    fn a_person_keeps_its_tint() {
        assert_eq!(tint("ana"), tint("ana"));
        let tints: std::collections::BTreeSet<u8> = (0..200).map(|i| tint(&format!("user-{i}"))).collect();
        assert_eq!(tints, (0..8).collect());
    }

    #[test]
    fn a_topic_is_recognised_by_its_words() {
        assert_eq!(topic_icon("backups"), "hard-drive");
        assert_eq!(topic_icon("nas-01"), "hard-drive");
        assert_eq!(topic_icon("ci"), "workflow");
        assert_eq!(topic_icon("city"), "radio");
    }
}
