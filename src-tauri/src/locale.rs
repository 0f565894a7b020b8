//! The language and the time locale of the desktop, from the variables of POSIX locales (POSIX.1-2017, 8.2). The C
//! library is not used, because it knows only the installed locales.

use tidings_model::{Lang, Language};

/// The language of the desktop; English by default.
pub(crate) fn language() -> Language {
    let locale = first_set(&["LC_ALL", "LC_MESSAGES", "LANG"]);
    locale.map_or_else(|| Lang::En.into(), |locale| Language::from_locale(&locale))
}

/// The BCP 47 tag of the locale in which the desktop writes times; `None` if no variable names one.
pub(crate) fn time_locale() -> Option<String> {
    tag(&first_set(&["LC_ALL", "LC_TIME", "LANG"])?)
}

/// The value of the first of these variables that is set and not empty.
fn first_set(variables: &[&str]) -> Option<String> {
    variables.iter().filter_map(|name| std::env::var(name).ok()).find(|locale| !locale.is_empty())
}

/// The BCP 47 tag of a POSIX locale: `zh_CN.UTF-8` gives `zh-CN`; `None` if it is not a language's name.
fn tag(locale: &str) -> Option<String> {
    let name = locale.split(['.', '@']).next()?;
    if matches!(name, "C" | "POSIX") {
        // The C locale has a 24-hour clock, as British English has.
        return Some("en-GB".to_owned());
    }
    let (language, region) = name.split_once('_').unwrap_or((name, ""));
    let letters = |part: &str, least: usize| {
        (least..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphabetic())
    };
    match region {
        "" => letters(language, 2).then(|| language.to_owned()),
        _ => (letters(language, 2) && region.len() == 2 && letters(region, 2))
            .then(|| format!("{language}-{region}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_s_name_becomes_a_tag_and_nothing_else_does() {
        for (locale, expected) in [
            ("zh_CN.UTF-8", Some("zh-CN")),
            ("de_DE@euro", Some("de-DE")),
            ("eo", Some("eo")),
            ("C.UTF-8", Some("en-GB")),
            ("POSIX", Some("en-GB")),
            ("/usr/share/locale", None),
            ("en_150", None),
            ("_", None),
            ("", None),
        ] {
            assert_eq!(tag(locale).as_deref(), expected, "{locale}");
        }
    }
}
