//! Compares what each text says with what the Fluent library makes of it.

use std::collections::BTreeMap;

use fluent_bundle::{FluentArgs, FluentBundle, FluentResource, FluentValue};
use tidings_model::Lang;
use tidings_model::template::{after_chinese, before_chinese};

use super::calls;
use super::catalogue::{Expression, Pattern, TABLES, Table, messages, source};
use super::compiler::{comment, key};
use crate::grouped;

/// Between the elements of a list, which the library knows nothing of.
const BETWEEN: &str = "\u{1f}";

/// A type of parameters.
pub(super) trait Sample: Copy {
    /// Values; of a choice also its keys.
    fn samples(keys: &[&'static str]) -> Vec<Self>;
    fn value(self) -> FluentValue<'static>;
}

impl Sample for &'static str {
    fn samples(keys: &[&'static str]) -> Vec<Self> {
        [&["Ana", "工作", ""], keys].concat()
    }

    fn value(self) -> FluentValue<'static> {
        FluentValue::try_number(self)
    }
}

impl Sample for Option<&'static str> {
    fn samples(keys: &[&'static str]) -> Vec<Self> {
        <&str>::samples(keys).into_iter().map(Some).chain([None]).collect()
    }

    fn value(self) -> FluentValue<'static> {
        self.map_or(FluentValue::None, Sample::value)
    }
}

impl Sample for &'static [String] {
    fn samples(_: &[&'static str]) -> Vec<Self> {
        let all: &'static [String] = Box::leak(Box::new(["Ana", "工作", "Bo"].map(str::to_owned)));
        vec![&[], &all[..1], all]
    }

    fn value(self) -> FluentValue<'static> {
        self.join(BETWEEN).into()
    }
}

impl Sample for u64 {
    fn samples(_: &[&'static str]) -> Vec<Self> {
        vec![0, 1, 2, 5, 1_234]
    }

    fn value(self) -> FluentValue<'static> {
        self.into()
    }
}

impl Sample for Option<u64> {
    fn samples(keys: &[&'static str]) -> Vec<Self> {
        u64::samples(keys).into_iter().map(Some).chain([None]).collect()
    }

    fn value(self) -> FluentValue<'static> {
        self.map_or(FluentValue::None, Sample::value)
    }
}

impl Sample for u16 {
    fn samples(_: &[&'static str]) -> Vec<Self> {
        vec![404, 7_878]
    }

    fn value(self) -> FluentValue<'static> {
        self.to_string().into()
    }
}

impl Sample for bool {
    fn samples(_: &[&'static str]) -> Vec<Self> {
        vec![true, false]
    }

    fn value(self) -> FluentValue<'static> {
        self.to_string().into()
    }
}

/// The keys of all choices in a pattern.
fn keys(pattern: &Pattern) -> Vec<&'static str> {
    let selects = pattern.elements.iter().filter_map(|element| match element {
        fluent_syntax::ast::PatternElement::Placeable { expression: Expression::Select { variants, .. } } => {
            Some(variants)
        }
        _ => None,
    });
    let of_variant = |one| -> Vec<&'static str> {
        let key: &'static str = key(one).leak();
        [vec![key], keys(&one.value)].concat()
    };
    selects.flatten().flat_map(of_variant).collect()
}

/// A text as it is in the value of a parameter, or of a call.
fn text(value: Option<&FluentValue<'_>>) -> String {
    match value {
        Some(FluentValue::String(text)) => text.clone().into_owned(),
        Some(FluentValue::Number(number)) => number.as_string().into_owned(),
        _ => String::new(),
    }
}

/// The texts of a table in one language, as the library has them.
pub(super) struct Check {
    bundle: FluentBundle<FluentResource>,
    /// The names of a text's parameters, and the keys of its choices.
    texts: BTreeMap<String, (Vec<String>, Vec<&'static str>)>,
    compared: usize,
}

impl Check {
    fn new(lang: &str, table: &Table) -> Self {
        let mut bundle = FluentBundle::new(vec![lang.parse().unwrap()]);
        bundle.set_use_isolating(false);
        bundle.set_formatter(Some(|value, _| match value {
            FluentValue::Number(number) => number.as_string().parse().ok().map(grouped),
            _ => None,
        }));
        let is_given = |given: &[FluentValue<'_>]| if text(given.first()).is_empty() { "no" } else { "yes" };
        bundle.add_function("GIVEN", move |given, _| is_given(given).into()).unwrap();
        bundle.add_function("AFTER", |given, _| after_chinese(&text(given.first())).into()).unwrap();
        bundle.add_function("BEFORE", |given, _| before_chinese(&text(given.first())).into()).unwrap();
        let around = |given: &[FluentValue<'_>]| after_chinese(&before_chinese(&text(given.first())));
        bundle.add_function("AROUND", move |given, _| around(given).into()).unwrap();
        let joined = |given: &[FluentValue<'_>], named: &FluentArgs<'_>| {
            text(given.first()).replace(BETWEEN, &text(named.get("between")))
        };
        bundle.add_function("LIST", move |given, named| joined(given, named).into()).unwrap();
        for file in table.files {
            let resource = FluentResource::try_new(source(lang, file)).map_err(|(_, errors)| errors).unwrap();
            bundle.add_resource(resource).unwrap();
        }
        let mut texts = BTreeMap::new();
        for (english, here) in messages("en", table.files).into_iter().zip(messages(lang, table.files)) {
            let names = comment(&english).1.into_iter().map(|one| one.name).collect();
            assert_eq!(english.id, here.id, "the order of the texts in {lang}");
            texts.insert(here.id.name, (names, keys(&here.value.unwrap())));
        }
        Self { bundle, texts, compared: 0 }
    }

    fn compare(&mut self, id: &str, given: &[FluentValue<'static>], said: &str) {
        let names = self.texts[id].0.iter().cloned();
        let given: FluentArgs<'_> = names.zip(given.iter().cloned()).collect();
        let pattern = self.bundle.get_message(id).unwrap().value().unwrap();
        let wanted = self.bundle.format_pattern(pattern, Some(&given), &mut Vec::new());
        assert_eq!(said, wanted, "{id}: {given:?}");
        self.compared += 1;
    }

    fn samples<A: Sample>(&self, id: &str) -> Vec<A> {
        A::samples(&self.texts[id].1)
    }

    pub(super) fn fixed(&mut self, id: &str, text: &str) {
        self.compare(id, &[], text);
    }

    pub(super) fn one<A: Sample>(&mut self, id: &str, text: fn(A) -> String) {
        for a in self.samples::<A>(id) {
            self.compare(id, &[a.value()], &text(a));
        }
    }

    pub(super) fn two<A: Sample, B: Sample>(&mut self, id: &str, text: fn(A, B) -> String) {
        for a in self.samples::<A>(id) {
            for b in self.samples::<B>(id) {
                self.compare(id, &[a.value(), b.value()], &text(a, b));
            }
        }
    }

    pub(super) fn three<A: Sample, B: Sample, C: Sample>(&mut self, id: &str, text: fn(A, B, C) -> String) {
        for a in self.samples::<A>(id) {
            for b in self.samples::<B>(id) {
                for c in self.samples::<C>(id) {
                    self.compare(id, &[a.value(), b.value(), c.value()], &text(a, b, c));
                }
            }
        }
    }
}

#[test]
fn a_text_says_what_fluent_says() {
    let tables = [calls::strings, calls::settings_strings, calls::desktop_strings, calls::doctor_strings];
    let mut compared = 0;
    for (folder, lang) in [("en", Lang::En), ("zh-CN", Lang::ZhCn)] {
        for (table, call) in TABLES.iter().zip(tables) {
            let mut check = Check::new(folder, table);
            call(&mut check, lang);
            compared += check.compared;
        }
    }
    assert!(compared > 1_000, "{compared} texts were compared");
}
