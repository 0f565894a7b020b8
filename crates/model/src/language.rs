//! The language of a reader: that of the interface, and the tag by which the sentences of a catalog are chosen.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Lang;

/// The language of a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Language {
    interface: Lang,
    tag: Arc<str>,
}

impl From<Lang> for Language {
    fn from(lang: Lang) -> Self {
        Self { interface: lang, tag: lang.tag().into() }
    }
}

impl Language {
    /// The language of a POSIX locale's name: `zh_TW.UTF-8` gives the tag `zh-TW`, what names no language English.
    pub fn from_locale(locale: &str) -> Self {
        let interface = Lang::from_locale(locale);
        let name = locale.split(['.', '@']).next().unwrap_or_default().replace('_', "-");
        let part = |part: &str| {
            (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        let primary = name.split('-').next().unwrap_or_default();
        let names_language = (2..=3).contains(&primary.len())
            && primary.bytes().all(|byte| byte.is_ascii_alphabetic())
            && name.split('-').all(part);
        if names_language { Self { interface, tag: name.into() } } else { interface.into() }
    }

    /// The language of the interface.
    pub const fn interface(&self) -> Lang {
        self.interface
    }

    /// The text for this reader, with its tag, of texts by language tag. It is in the reader's language, else in its
    /// base language (`zh` for `zh-TW`), English, or the first there is. An empty text is none.
    pub fn choose<'t>(&self, texts: &'t BTreeMap<String, String>) -> Option<(&'t str, &'t str)> {
        let there =
            || texts.iter().map(|(tag, text)| (&**tag, &**text)).filter(|(_, text)| !text.trim().is_empty());
        let by_tag = |wanted: &str| there().find(|(tag, _)| tag.eq_ignore_ascii_case(wanted));
        let with_bases =
            std::iter::successors(Some(&*self.tag), |tag| tag.rsplit_once('-').map(|(base, _)| base));
        with_bases.chain([Lang::En.tag()]).find_map(by_tag).or_else(|| there().next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(locale: &str, tags: &[&str]) -> Option<String> {
        let texts = tags.iter().map(|tag| ((*tag).to_owned(), "x".to_owned())).collect();
        Language::from_locale(locale).choose(&texts).map(|(tag, _)| tag.to_owned())
    }

    #[test]
    fn a_sentence_is_in_the_reader_s_language_its_base_english_or_the_first_there_is() {
        for (locale, tags, expected) in [
            ("zh_TW.UTF-8", &["en", "zh", "zh-CN", "zh-TW"][..], "zh-TW"),
            ("zh_TW.UTF-8", &["en", "zh", "zh-CN"], "zh"),
            ("zh_TW.UTF-8", &["de", "en", "zh-CN"], "en"),
            ("zh_TW.UTF-8", &["de", "zh-CN"], "de"),
            ("zh_CN.UTF-8", &["en", "zh"], "zh"),
            ("zh_CN.UTF-8", &["de", "en"], "en"),
            ("de_AT@euro", &["de", "en"], "de"),
            ("de_DE", &["DE-de", "en"], "DE-de"),
            ("de_DE", &["en", "fr"], "en"),
            ("de_DE", &["fr", "ja"], "fr"),
            ("C.UTF-8", &["de", "en"], "en"),
            ("", &["fr", "ja"], "fr"),
            ("en_GB", &["de", "en"], "en"),
        ] {
            assert_eq!(chosen(locale, tags).as_deref(), Some(expected), "{locale} of {tags:?}");
        }
        assert_eq!(chosen("de_DE", &[]), None);
        let blank = BTreeMap::from([("de".to_owned(), " ".to_owned()), ("en".to_owned(), "x".to_owned())]);
        assert_eq!(Language::from_locale("de_DE").choose(&blank), Some(("en", "x")));
    }

    #[test]
    fn what_names_no_language_is_english() {
        for locale in ["C.UTF-8", "POSIX", "", "1a_DE", "d1_DE", "de_D!", "de_ninechars", "de_"] {
            assert_eq!(Language::from_locale(locale), Language::from(Lang::En), "{locale}");
        }
        let odd = Language::from_locale("zh_!");
        assert_eq!((odd.interface(), odd), (Lang::ZhCn, Language::from(Lang::ZhCn)));
        let german = Language::from_locale("de_eightcha");
        assert_eq!((german.interface(), &*german.tag), (Lang::En, "de-eightcha"));
    }
}
