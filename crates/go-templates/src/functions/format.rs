//! `print`, `println` and `printf`, which refuse before they write what would be too long.

use gotmpl::{Result, Template, Value};

use super::{Function, Writer, argument, check_bytes, failed, text_of, text_value};

/// Arguments of one `printf`, at most.
const MAX_ARGUMENTS: usize = 32;
/// The longest width or precision that the template library writes.
const MAX_WIDTH: usize = 65_535;

pub(super) const FUNCTIONS: &[(&str, Function)] =
    &[("print", print), ("println", println), ("printf", printf)];

/// As Go's: a space between two values of which neither is a text.
fn print(arguments: &[Value]) -> Result<Value> {
    let mut out = Writer::default();
    let mut last_is_text = true;
    for (index, value) in arguments.iter().enumerate() {
        let is_text = matches!(value, Value::String(_));
        if index > 0 && !is_text && !last_is_text {
            out.text(" ")?;
        }
        out.shown(value)?;
        last_is_text = is_text;
    }
    Ok(out.finish())
}

fn println(arguments: &[Value]) -> Result<Value> {
    let mut out = Writer::default();
    for (index, value) in arguments.iter().enumerate() {
        if index > 0 {
            out.text(" ")?;
        }
        out.shown(value)?;
    }
    out.text("\n")?;
    Ok(out.finish())
}

/// The bytes of a value as Go prints it; nothing is `<nil>`.
fn shown_bytes(value: &Value) -> Result<usize> {
    let mut out = Writer::default();
    out.shown(value)?;
    Ok(out.len())
}

/// Leaves the formatting to the template library, by a template of its own with nothing but this call.
fn printf(arguments: &[Value]) -> Result<Value> {
    if arguments.len() > MAX_ARGUMENTS {
        return failed("printf has too many arguments");
    }
    let format = text_of(argument(arguments, 0))?;
    let lengths = arguments.iter().skip(1).map(shown_bytes).collect::<Result<Vec<_>>>()?;
    let longest = lengths.iter().copied().max().unwrap_or(0);
    // An argument without a verb is written, too, and a verb without an argument says so.
    let written = format.matches('%').count().max(lengths.len());
    // Quoted, and as hexadecimal digits, a text gets longer than it is.
    check_bytes(format.len() + written.saturating_mul(longest.saturating_mul(4)) + widths(&format))?;
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
