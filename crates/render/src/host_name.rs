//! The names of hosts as they are shown to people. A name that could be taken for another one is shown in the form that
//! is resolved (`xn--…`), in which it looks like nothing else.

use unicode_security::{RestrictionLevel, RestrictionLevelDetection, skeleton};

/// A host as in an address. Labels that can be trusted to look like no other are in their own letters.
///
/// ```
/// use tidings_render::host_name::shown;
///
/// assert_eq!(shown("xn--bcher-kva.example"), "bücher.example");
/// assert_eq!(shown("xn--pple-43d.example"), "xn--pple-43d.example", "the first letter is Cyrillic");
/// ```
pub fn shown(host: &str) -> String {
    let labels: Vec<String> = host.split('.').map(shown_label).collect();
    labels.join(".")
}

fn shown_label(label: &str) -> String {
    if !label.starts_with("xn--") {
        return label.to_owned();
    }
    match idna::domain_to_unicode(label) {
        (letters, Ok(())) if is_trusted(&letters) => letters,
        _ => label.to_owned(),
    }
}

/// Whether the letters of a label are of one script and do not all look like Latin ones. They must also be written from
/// left to right, so that they stand at their place in the address.
fn is_trusted(letters: &str) -> bool {
    letters.check_restriction_level(RestrictionLevel::SingleScript)
        && !letters.chars().any(is_right_to_left)
        && !skeleton(letters).all(|c| c.is_ascii())
}

/// Hebrew, Arabic, Syriac, Thaana and their neighbours. Their other forms elsewhere are in no host.
const fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(host: &str) -> String {
        shown(&idna::domain_to_ascii(host).unwrap())
    }

    #[test]
    fn a_host_of_one_script_is_shown_in_its_letters() {
        for host in [
            "example.org",
            "bücher.example",
            "例子.中国",
            "пример.рф",
            "ひらがなカタカナ漢字.jp",
            "παράδειγμα.gr",
            "bücher.пример",
            "127.0.0.1",
        ] {
            assert_eq!(seen(host), host);
        }
    }

    #[test]
    fn a_label_that_could_be_taken_for_another_is_shown_as_it_is_resolved() {
        for host in [
            // Latin with a Cyrillic а; Latin with a Greek ο; Han beside Latin.
            "аpple.example",
            "gοogle.example",
            "qq邮箱.example",
            // All Cyrillic, and all of it looks Latin.
            "аррӏе.example",
            "соре.example",
            // A name from right to left.
            "שלום.example",
            "مثال.example",
        ] {
            let shown = seen(host);
            assert!(shown.starts_with("xn--") && shown.ends_with(".example"), "{host} is shown as {shown}");
        }
        // Only the label itself.
        assert!(seen("аpple.bücher.example").ends_with(".bücher.example"));
    }

    #[test]
    fn what_is_no_host_name_stays_as_it_is() {
        for host in ["xn--", "xn--a", "xn--99999999999", "[::1]", "", "."] {
            assert_eq!(shown(host), host);
        }
    }
}
