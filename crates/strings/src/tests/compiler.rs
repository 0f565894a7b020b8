//! Makes Rust of a text in Fluent.

use std::cell::RefCell;
use std::collections::BTreeSet;

use fluent_syntax::ast::{CallArguments, PatternElement, VariantKey};
use fluent_syntax::unicode::unescape_unicode_to_string;

use super::catalogue::{Expression, Inline, Message, Pattern, Variant};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Text,
    MaybeText,
    List,
    Number,
    MaybeNumber,
    Code,
    Flag,
}

/// A parameter of a text, as the comment above the English one names it: `# $count (number), $user (string or null)`.
#[derive(Debug, Clone)]
pub(super) struct Parameter {
    /// The name in the catalogue.
    pub(super) name: String,
    of: Type,
}

impl Parameter {
    fn of(part: &str) -> Self {
        let (name, rest) = part.split_once(" (").unwrap();
        let of = match rest.split(')').next().unwrap() {
            "string" => Type::Text,
            "string or null" => Type::MaybeText,
            "list" => Type::List,
            "number" => Type::Number,
            "number or null" => Type::MaybeNumber,
            "code" => Type::Code,
            "boolean" => Type::Flag,
            other => panic!("no type {other}"),
        };
        Self { name: name.to_owned(), of }
    }

    pub(super) const fn rust_type(&self) -> &'static str {
        match self.of {
            Type::Text => "&str",
            Type::MaybeText => "Option<&str>",
            Type::List => "&[String]",
            Type::Number => "u64",
            Type::MaybeNumber => "Option<u64>",
            Type::Code => "u16",
            Type::Flag => "bool",
        }
    }
}

/// The lines of a message's comment that say what it is for, and its parameters.
pub(super) fn comment(message: &Message) -> (String, Vec<Parameter>) {
    let lines = message.comment.iter().flat_map(|comment| &comment.content);
    let (parameters, about): (Vec<_>, Vec<_>) =
        lines.map(String::as_str).partition(|line| line.starts_with('$'));
    let parameters = parameters.iter().flat_map(|line| line.split('$').skip(1)).map(Parameter::of).collect();
    (about.join(" "), parameters)
}

/// `toastSeveralFrom` as Rust writes it.
pub(super) fn snake(name: &str) -> String {
    let letter =
        |c: char| if c.is_ascii_uppercase() { format!("_{}", c.to_ascii_lowercase()) } else { c.into() };
    name.chars().map(letter).collect()
}

/// A part of a text in Rust.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Code {
    Literal(String),
    /// An expression of type `&str`.
    Borrowed(String),
    /// An expression of type `String`.
    Owned(String),
}

/// An expression of which a method is called.
fn receiver(code: &str) -> String {
    if code.starts_with("match ") || code.starts_with("if ") { format!("({code})") } else { code.to_owned() }
}

impl Code {
    fn borrowed(&self) -> String {
        match self {
            Self::Literal(text) => format!("{text:?}"),
            Self::Borrowed(code) => code.clone(),
            Self::Owned(code) => receiver(code) + ".as_str()",
        }
    }

    fn owned(&self) -> String {
        match self {
            Self::Literal(text) if text.is_empty() => "String::new()".to_owned(),
            Self::Literal(text) => format!("{text:?}.to_owned()"),
            Self::Borrowed(code) => receiver(code) + ".to_owned()",
            Self::Owned(code) => code.clone(),
        }
    }

    /// The code for a function that takes `&str`.
    fn argument(&self) -> String {
        if let Self::Owned(code) = self { format!("&{code}") } else { self.borrowed() }
    }
}

/// The code of one text.
pub(super) struct Compiler<'c> {
    lang: &'c str,
    parameters: &'c [Parameter],
    used: RefCell<BTreeSet<String>>,
}

impl<'c> Compiler<'c> {
    pub(super) fn new(lang: &'c str, parameters: &'c [Parameter]) -> Self {
        Self { lang, parameters, used: RefCell::default() }
    }

    /// What stands for the text in the table.
    pub(super) fn text(&self, text: &Pattern) -> String {
        let code = self.pattern(text);
        if self.parameters.is_empty() {
            assert!(matches!(code, Code::Literal(_)), "{code:?} needs parameters");
            return code.borrowed();
        }
        let used = self.used.borrow();
        let name = |one: &Parameter| if used.contains(&one.name) { snake(&one.name) } else { "_".to_owned() };
        let names: Vec<_> = self.parameters.iter().map(name).collect();
        format!("|{}| {}", names.join(", "), code.owned())
    }

    fn pattern(&self, pattern: &Pattern) -> Code {
        let mut parts: Vec<Code> = Vec::new();
        for element in &pattern.elements {
            let next = match element {
                PatternElement::TextElement { value } => Code::Literal(value.clone()),
                PatternElement::Placeable { expression } => self.expression(expression),
            };
            match (parts.last_mut(), next) {
                (Some(Code::Literal(before)), Code::Literal(text)) => before.push_str(&text),
                (_, next) => parts.push(next),
            }
        }
        if let [part] = &parts[..] {
            return part.clone();
        }
        let parts: Vec<_> = parts.iter().map(Code::borrowed).collect();
        Code::Owned(format!("[{}].concat()", parts.join(", ")))
    }

    fn expression(&self, expression: &Expression) -> Code {
        match expression {
            Expression::Select { selector, variants } => self.select(selector, variants),
            Expression::Inline(inline) => self.inline(inline),
        }
    }

    fn inline(&self, inline: &Inline) -> Code {
        match inline {
            Inline::StringLiteral { value } => Code::Literal(unescape_unicode_to_string(value).into_owned()),
            Inline::FunctionReference { id, arguments } => self.call(&id.name, arguments),
            Inline::VariableReference { id } => self.variable(&id.name),
            other => panic!("no {other:?} here"),
        }
    }

    fn parameter(&self, name: &str) -> (String, Type) {
        let found = self.parameters.iter().find(|one| one.name == name);
        let Some(Parameter { of, .. }) = found else { panic!("the comment does not name ${name}") };
        self.used.borrow_mut().insert(name.to_owned());
        (snake(name), *of)
    }

    fn variable(&self, name: &str) -> Code {
        let (name, of) = self.parameter(name);
        match of {
            Type::Text => Code::Borrowed(name),
            Type::MaybeText => Code::Borrowed(name + ".unwrap_or_default()"),
            Type::Number => Code::Owned(format!("number({name})")),
            Type::MaybeNumber => Code::Owned(format!("number({name}.unwrap_or_default())")),
            Type::Code => Code::Owned(name + ".to_string()"),
            Type::List | Type::Flag => panic!("${name} is no text"),
        }
    }

    fn call(&self, function: &str, CallArguments { positional, named }: &CallArguments<String>) -> Code {
        let [given] = &positional[..] else { panic!("{function} takes one value") };
        Code::Owned(match (function, given, &named[..]) {
            ("AFTER", text, []) => format!("after({})", self.inline(text).argument()),
            ("BEFORE", text, []) => format!("before({})", self.inline(text).argument()),
            ("AROUND", text, []) => format!("after(&before({}))", self.inline(text).argument()),
            ("LIST", Inline::VariableReference { id }, [between]) if between.name.name == "between" => {
                format!("{}.join({})", self.parameter(&id.name).0, self.inline(&between.value).borrowed())
            }
            _ => panic!("no {function} with these arguments"),
        })
    }

    fn select(&self, selector: &Inline, variants: &[Variant]) -> Code {
        let named: Vec<_> = variants.iter().map(|one| (key(one), self.pattern(&one.value))).collect();
        let is_borrowed = !named.iter().any(|(_, code)| matches!(code, Code::Owned(_)));
        let body = |code: &Code| if is_borrowed { code.borrowed() } else { code.owned() };
        let of = |key: &str| body(&named.iter().find(|(name, _)| name == key).unwrap().1);
        let otherwise = body(&self.pattern(&variants.iter().find(|one| one.default).unwrap().value));
        let code = match self.selector(selector) {
            (none, None) => format!("if {none} {{ {} }} else {{ {} }}", of("no"), of("yes")),
            (name, Some(Type::Flag)) => {
                format!("if {name} {{ {} }} else {{ {} }}", of("true"), of("false"))
            }
            (name, Some(of)) => {
                let mut arms: Vec<(Vec<String>, String)> = Vec::new();
                for (key, code) in &named {
                    let (key, body) = (self.key(key, of), body(code));
                    match arms.iter_mut().find(|(_, known)| *known == body) {
                        _ if body == otherwise => {}
                        Some((keys, _)) => keys.push(key),
                        None => arms.push((vec![key], body)),
                    }
                }
                let pattern = |keys: &[String]| match of {
                    Type::MaybeText => format!("Some({})", keys.join(" | ")),
                    _ => keys.join(" | "),
                };
                let arms = arms.iter().map(|(keys, body)| format!("{} => {body}", pattern(keys)));
                let arms: Vec<_> = arms.chain([format!("_ => {otherwise}")]).collect();
                format!("match {name} {{ {} }}", arms.join(", "))
            }
        };
        if is_borrowed { Code::Borrowed(code) } else { Code::Owned(code) }
    }

    /// What chooses, with its type. A condition under which nothing is given has none.
    fn selector(&self, selector: &Inline) -> (String, Option<Type>) {
        match selector {
            Inline::VariableReference { id } => {
                let (name, of) = self.parameter(&id.name);
                (name, Some(of))
            }
            Inline::FunctionReference { id, arguments: CallArguments { positional, .. } }
                if id.name == "GIVEN" =>
            {
                let [Inline::VariableReference { id }] = &positional[..] else { panic!("GIVEN takes one") };
                let none = match self.parameter(&id.name) {
                    (name, Type::Text | Type::List) => name + ".is_empty()",
                    (name, Type::MaybeText) => name + ".is_none_or(str::is_empty)",
                    (name, Type::MaybeNumber) => name + ".is_none()",
                    (name, _) => panic!("${name} is always given"),
                };
                (none, None)
            }
            other => panic!("no {other:?} selects"),
        }
    }

    /// A key as a pattern of Rust.
    fn key(&self, key: &str, of: Type) -> String {
        match (of, key) {
            (Type::Text | Type::MaybeText, key) => format!("{key:?}"),
            // In English `one` is 1, and in Chinese there is no such form.
            (Type::Number, "one") if self.lang == "en" => "1".to_owned(),
            (Type::Number, key) if key == "other" || key.parse::<u64>().is_ok() => key.to_owned(),
            (of, key) => panic!("no key {key} of {of:?} in {}", self.lang),
        }
    }
}

/// The key of a variant.
pub(super) fn key(variant: &Variant) -> String {
    match &variant.key {
        VariantKey::Identifier { name } => name.clone(),
        VariantKey::NumberLiteral { value } => value.clone(),
    }
}

/// A sentence as catalogs have it, with its parameters in braces.
pub(super) fn template(sentence: &Pattern) -> String {
    let part = |element: &PatternElement<String>| match element {
        PatternElement::TextElement { value } => value.clone(),
        PatternElement::Placeable { expression: Expression::Inline(Inline::VariableReference { id }) } => {
            format!("{{{}}}", id.name)
        }
        PatternElement::Placeable { expression } => panic!("no {expression:?} in a sentence"),
    };
    sentence.elements.iter().map(part).collect()
}
