//! `print`, `println` and `printf`, which refuse before they write what would be too long.

use gotmpl::{Result, Template, Value};

use super::{Function, argument, check_bytes, failed, text_of, text_value};

/// Arguments of one `printf`, at most.
const MAX_ARGUMENTS: usize = 32;
/// The longest width or precision that the template library writes.
const MAX_WIDTH: usize = 65_535;

pub(super) const FUNCTIONS: &[(&str, Function)] =
    &[("print", print), ("println", println), ("printf", printf)];

/// As Go's: a space between two values of which neither is a text.
fn print(arguments: &[Value]) -> Result<Value> {
    let mut out = String::new();
    let mut last_is_text = true;
    for (index, value) in arguments.iter().enumerate() {
        let is_text = matches!(value, Value::String(_));
        if index > 0 && !is_text && !last_is_text {
            out.push(' ');
        }
        out.push_str(&shown(value));
        check_bytes(out.len())?;
        last_is_text = is_text;
    }
    text_value(out)
}

fn println(arguments: &[Value]) -> Result<Value> {
    let texts: Vec<String> = arguments.iter().map(shown).collect();
    check_bytes(texts.iter().map(|text| text.len() + 1).sum())?;
    text_value(texts.join(" ") + "\n")
}

/// A value as Go prints it; nothing is `<nil>`.
fn shown(value: &Value) -> String {
    value.to_string()
}

/// Leaves the formatting to the template library, by a template of its own with nothing but this call.
fn printf(arguments: &[Value]) -> Result<Value> {
    if arguments.len() > MAX_ARGUMENTS {
        return failed("printf has too many arguments");
    }
    let format = text_of(argument(arguments, 0));
    let longest = arguments.iter().skip(1).map(|value| shown(value).len()).max().unwrap_or(0);
    let verbs = format.matches('%').count();
    // Quoted, and as hexadecimal digits, a text gets longer than it is.
    check_bytes(format.len() + verbs.saturating_mul(longest.saturating_mul(4)) + widths(&format))?;
    let places: Vec<String> = (0..arguments.len()).map(|index| format!("(index . {index})")).collect();
    let call = Template::new("").parse(&format!("{{{{printf {}}}}}", places.join(" ")))?;
    text_value(call.execute_to_string(&Value::List(arguments.to_vec().into()))?)
}

/// The sum of all widths and precisions in a format; one that is an argument counts as the longest.
fn widths(format: &str) -> usize {
    let numbers = format.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let written: usize = numbers.map(|digits| digits.parse().unwrap_or(MAX_WIDTH).min(MAX_WIDTH)).sum();
    written + format.matches('*').count() * MAX_WIDTH
}
