//! The Fluent files of the program and of catalogs, in `i18n/` beside those of the page.

use std::fs;
use std::path::{Path, PathBuf};

use fluent_syntax::ast::{self, Entry, PatternElement};
use fluent_syntax::parser::parse;

pub(super) type Message = ast::Message<String>;
pub(super) type Pattern = ast::Pattern<String>;
pub(super) type Expression = ast::Expression<String>;
pub(super) type Inline = ast::InlineExpression<String>;
pub(super) type Variant = ast::Variant<String>;

/// A table of texts: its name in Rust, what it is about, and its files.
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) files: &'static [&'static str],
}

pub(super) const TABLES: [Table; 4] = [
    Table {
        name: "Strings",
        about: "the inbox, toasts, notices, and what does not work",
        files: &["program/inbox", "program/toasts", "program/notices", "program/troubles"],
    },
    Table {
        name: "SettingsStrings",
        about: "sources, the own server, storage and files",
        files: &["program/sources", "program/server", "program/storage"],
    },
    Table {
        name: "DesktopStrings",
        about: "test notifications, running in the background, and the key for the window",
        files: &["program/desktop"],
    },
    Table {
        name: "DoctorStrings",
        about: "what works on this computer, and what to do",
        files: &["program/doctor"],
    },
];

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../i18n")
}

/// The languages, each a folder.
pub(super) fn languages() -> Vec<String> {
    let folders = fs::read_dir(home()).unwrap();
    let mut names: Vec<_> = folders.map(|one| one.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The text of a file.
pub(super) fn source(lang: &str, file: &str) -> String {
    fs::read_to_string(home().join(lang).join(file).with_extension("ftl")).unwrap()
}

/// The messages of some files, in their order.
pub(super) fn messages(lang: &str, files: &[&str]) -> Vec<Message> {
    let entries = files.iter().flat_map(|file| parse(source(lang, file)).unwrap().body);
    let messages = entries.filter_map(|entry| match entry {
        Entry::Message(message) => Some(message),
        _ => None,
    });
    messages.collect()
}

/// The pieces of text in a pattern.
fn pieces(pattern: &Pattern) -> Vec<String> {
    let of_element = |element: &PatternElement<String>| match element {
        PatternElement::TextElement { value } => vec![value.clone()],
        PatternElement::Placeable { expression: Expression::Select { variants, .. } } => {
            variants.iter().flat_map(|one| pieces(&one.value)).collect()
        }
        PatternElement::Placeable { .. } => Vec::new(),
    };
    pattern.elements.iter().flat_map(of_element).collect()
}

/// All that the texts of the program say, in all languages.
pub(super) fn texts() -> Vec<String> {
    let languages = languages();
    let all = languages.iter().flat_map(|lang| TABLES.iter().flat_map(|table| messages(lang, table.files)));
    all.flat_map(|message| pieces(&message.value.unwrap())).collect()
}
