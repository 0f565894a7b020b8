//! Writes the texts of the catalogue as Rust; fails if a file there was not up to date.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::catalogue::{Message, Pattern, TABLES, Table, languages, messages};
use super::compiler::{Compiler, Parameter, comment, snake, template};

const GENERATED: &str = "// Generated from `i18n/` by `cargo test -p tidings-strings export`.\n";

/// `zh-CN` as the name of a module, and as that of a variant of `Lang`.
fn lang_names(lang: &str) -> (String, String) {
    let lower = lang.replace('-', "_").to_lowercase();
    let words = lower.split('_').map(|word| word[..1].to_uppercase() + &word[1..]);
    (lower.clone(), words.collect())
}

/// A name of a type as that of a static or of a function.
fn renamed(table: &Table, constant: bool) -> String {
    let name = snake(table.name).trim_start_matches('_').to_owned();
    if constant { name.to_uppercase() } else { name }
}

/// The tables, with what chooses one by the language.
fn tables(english: &[Vec<Message>]) -> String {
    let langs: Vec<_> = languages().iter().map(|lang| lang_names(lang)).collect();
    let mut out = format!(
        "{GENERATED}//! Every text that Rust shows, as `i18n/` has it. Tables of all languages have one type.\n\n"
    );
    for (module, _) in &langs {
        writeln!(out, "mod {module};").unwrap();
    }
    out += "\nuse tidings_model::Lang;\n";
    for (table, messages) in TABLES.iter().zip(english) {
        writeln!(
            out,
            "\n/// The texts of one language about {}.\n#[derive(Debug)]\npub struct {} {{",
            table.about, table.name
        )
        .unwrap();
        for message in messages {
            let (about, parameters) = comment(message);
            let given = |one: &Parameter| format!("{}: {}", snake(&one.name), one.rust_type());
            let given: Vec<_> = parameters.iter().map(given).collect();
            let of = if given.is_empty() {
                "&'static str".to_owned()
            } else {
                format!("fn({}) -> String", given.join(", "))
            };
            assert!(about.ends_with('.'), "{} says not what it is for", message.id.name);
            writeln!(out, "    /// {about}\n    pub {}: {of},", snake(&message.id.name)).unwrap();
        }
        let (name, constant) = (renamed(table, false), renamed(table, true));
        writeln!(out, "}}\n\n/// The texts of a language about {}.", table.about).unwrap();
        writeln!(out, "pub const fn {name}(lang: Lang) -> &'static {} {{\n    match lang {{", table.name)
            .unwrap();
        for (module, variant) in &langs {
            writeln!(out, "        Lang::{variant} => &{module}::{constant},").unwrap();
        }
        out += "    }\n}\n";
    }
    out
}

/// The texts of one language.
fn texts(lang: &str, english: &[Vec<Message>]) -> String {
    let mut body = String::new();
    for (table, english) in TABLES.iter().zip(english) {
        let mut here: BTreeMap<_, _> =
            messages(lang, table.files).into_iter().map(|one| (one.id.name, one.value)).collect();
        writeln!(body, "\npub(super) static {}: {} = {} {{", renamed(table, true), table.name, table.name)
            .unwrap();
        for message in english {
            let (name, (_, parameters)) = (&message.id.name, comment(message));
            let text = here.remove(name).flatten().unwrap_or_else(|| panic!("{lang} has no {name}"));
            writeln!(body, "    {}: {},", snake(name), Compiler::new(lang, &parameters).text(&text)).unwrap();
        }
        assert!(here.is_empty(), "{lang} alone has {:?}", here.keys());
        body += "};\n";
    }
    let names: Vec<_> = TABLES.iter().map(|table| table.name).collect();
    let mut out =
        format!("{GENERATED}\nuse super::{{{}}};\nuse crate::grouped as number;\n", names.join(", "));
    for (function, path) in [("after", "after_chinese"), ("before", "before_chinese")] {
        if body.contains(&format!("{function}(")) {
            writeln!(out, "use tidings_model::template::{path} as {function};").unwrap();
        }
    }
    out + &body
}

/// What compares every text with the Fluent library.
fn calls(english: &[Vec<Message>]) -> String {
    let mut out = format!("{GENERATED}//! Names every text for the comparison with the Fluent library.\n\n");
    out += "use tidings_model::Lang;\n\nuse super::fluent::Check;\n";
    for (table, messages) in TABLES.iter().zip(english) {
        let name = renamed(table, false);
        writeln!(out, "\npub(super) fn {name}(check: &mut Check, lang: Lang) {{\n    let t = crate::generated::{name}(lang);").unwrap();
        for message in messages {
            let (name, (_, parameters)) = (&message.id.name, comment(message));
            let method = ["fixed", "one", "two", "three"][parameters.len()];
            writeln!(out, "    check.{method}({name:?}, t.{});", snake(name)).unwrap();
        }
        out += "}\n";
    }
    out
}

/// The sentences of a service's actions, in all languages.
fn sentences(constant: &str, file: &str) -> String {
    let mut out = format!("\npub(super) const {constant}: &[ActionSentences] = &[\n");
    let by_language: Vec<_> = languages().into_iter().map(|lang| (messages(&lang, &[file]), lang)).collect();
    for Message { id, .. } in messages("en", &[file]) {
        let in_all = |sentence: fn(&Message) -> Option<&Pattern>| {
            let one = |(all, lang): &(Vec<Message>, String)| {
                let found =
                    all.iter().find(|one| one.id == id).unwrap_or_else(|| panic!("{lang} has no {id:?}"));
                sentence(found).map(|sentence| format!("({lang:?}, {:?})", template(sentence)))
            };
            by_language.iter().filter_map(one).collect::<Vec<_>>().join(", ")
        };
        let all = in_all(|message| message.value.as_ref());
        let own = in_all(|message| message.attributes.first().map(|own| &own.value));
        // A name in Fluent has no full stop.
        writeln!(out, "    ({:?}, &[{all}], &[{own}]),", id.name.replace('-', ".")).unwrap();
    }
    out + "];\n"
}

/// The catalog that a new server starts with.
fn shipped() -> String {
    let sentences = sentences("ACTIONS", "sentences/tidings");
    format!("{GENERATED}//! The actions of a new server.\n\nuse super::ActionSentences;\n{sentences}")
}

/// The catalogs of services that have none of their own.
fn services() -> String {
    let about = "//! How the notifications of services read that have no catalog of their own.";
    let services = ["desktop", "forgejo", "github", "gitlab", "mastodon"];
    let of = |service: &str| sentences(&service.to_uppercase(), &format!("sentences/{service}"));
    let sentences: String = services.into_iter().map(of).collect();
    format!("{GENERATED}{about}\n\nuse tidings_model::ActionSentences;\n{sentences}")
}

/// Writes the files that differ and then fails, so that a change of a text is committed with its generated files.
#[test]
fn export_keeps_the_texts_as_the_catalogue_has_them() {
    let english: Vec<_> = TABLES.iter().map(|table| messages("en", table.files)).collect();
    let mut files = vec![
        ("strings/src/generated/mod.rs".to_owned(), tables(&english)),
        ("strings/src/tests/calls.rs".to_owned(), calls(&english)),
        ("model/src/catalog/shipped.rs".to_owned(), shipped()),
        ("sources/src/kinds/sentences.rs".to_owned(), services()),
    ];
    for lang in languages() {
        files.push((format!("strings/src/generated/{}.rs", lang_names(&lang).0), texts(&lang, &english)));
    }
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    files.retain(|(name, text)| fs::read_to_string(home.join(name)).ok().as_ref() != Some(text));
    for (name, text) in &files {
        fs::write(home.join(name), text).unwrap();
    }
    let names: Vec<_> = files.iter().map(|(name, _)| name).collect();
    assert!(names.is_empty(), "written anew, run again: {names:?}");
}
