//! The size of a value as JSON, counted without building the text.

use std::io;

use serde::Serialize;

/// The size of a value as JSON, in bytes.
///
/// # Errors
/// If it can't be written as JSON.
pub fn json_size(value: &impl Serialize) -> serde_json::Result<usize> {
    let mut counter = Counter(0);
    serde_json::to_writer(&mut counter, value)?;
    Ok(counter.0)
}

struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_size_is_that_of_the_text() {
        for value in [json!(null), json!({"a": [1, "é", "\n"]}), json!("x".repeat(70_000))] {
            assert_eq!(json_size(&value).unwrap(), value.to_string().len());
        }
    }
}
