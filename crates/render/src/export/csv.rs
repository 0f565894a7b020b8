//! CSV with one row a notification, and columns for the fields that people sort by. JSON has all fields.

use std::borrow::Cow;
use std::io::{self, Write};

use tidings_model::{Content, Stamp, text};

use super::{Entry, Exporter, QUESTION_FIELDS, question_texts};

const USER_COLUMN: &str = "user";
/// The columns before those of the content.
const ENVELOPE_COLUMNS: [&str; 10] =
    ["msgid", "source", USER_COLUMN, "kind", "created_at", "thread", "actor", "action", "target", "sentence"];
const STATE_COLUMNS: [&str; 3] = ["unread", "read_at", "archived_at"];
/// The fields of the content without a column of their name.
const FIELDS_WITHOUT_COLUMN: [&str; 6] = ["format", "icon", "actions", "attachment", "data", "question"];

/// The fields of the content with a column.
fn content_fields() -> impl Iterator<Item = &'static str> {
    Content::FIELDS.iter().copied().filter(|field| !FIELDS_WITHOUT_COLUMN.contains(field))
}

fn columns() -> impl Iterator<Item = &'static str> {
    ENVELOPE_COLUMNS.into_iter().chain(content_fields()).chain(QUESTION_FIELDS).chain(STATE_COLUMNS)
}

pub(super) struct Csv<W: Write> {
    out: ::csv::Writer<W>,
    has_users: bool,
}

impl<W: Write> Csv<W> {
    pub(super) fn begin(out: W, has_users: bool) -> io::Result<Self> {
        let mut csv = Self { out: ::csv::Writer::from_writer(out), has_users };
        csv.row(columns())?;
        Ok(csv)
    }

    /// Writes a row; `fields` has one value for each column.
    fn row<'f>(&mut self, fields: impl Iterator<Item = &'f str>) -> io::Result<()> {
        let cells = columns().zip(fields).filter(|(column, _)| self.has_users || *column != USER_COLUMN);
        self.out.write_record(cells.map(|(_, field)| cell(field).into_owned())).map_err(io_error)
    }
}

/// A cell that a spreadsheet reads as text. One that would be a formula gets an apostrophe in front; as spreadsheets
/// do, spaces and quotes before the sign are skipped. Fullwidth signs begin formulas in East Asian locales.
fn cell(field: &str) -> Cow<'_, str> {
    let field = match text::block(field) {
        // Line breaks of either kind are kept.
        Cow::Owned(_) if field.contains('\r') => {
            Cow::Owned(text::block(&field.replace("\r\n", "\n").replace('\r', "\n")).into_owned())
        }
        field => field,
    };
    let begins_with_control = field.starts_with(['\t', '\n']);
    let sign = field.trim_start_matches(|c: char| c.is_whitespace() || is_quote(c));
    let is_formula = begins_with_control || sign.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    if is_formula { Cow::Owned(format!("'{field}")) } else { field }
}

const fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '\u{2018}'..='\u{201f}')
}

fn io_error(error: ::csv::Error) -> io::Error {
    match error.into_kind() {
        ::csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("a row could not be written: {other:?}")),
    }
}

impl<W: Write> Exporter for Csv<W> {
    fn write(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        let n = entry.notification;
        let target = n.target.as_ref().map(|t| format!("{}:{}", t.kind, t.id)).unwrap_or_default();
        let time = |at: Option<Stamp>| at.map(|at| at.to_string()).unwrap_or_default();
        let envelope = [
            n.msgid.as_str(),
            entry.source.unwrap_or_default(),
            entry.user.unwrap_or_default(),
            n.kind.as_str(),
            &n.created_at.to_string(),
            &n.thread,
            &n.actor.name,
            n.action.as_deref().unwrap_or_default(),
            &target,
            &entry.sentence,
        ];
        let question = question_texts(&n.content);
        let content: Vec<String> =
            content_fields().map(|field| n.content.text(field)).chain(question).collect();
        let unread = if entry.unread { "yes" } else { "no" };
        let state = [unread, &time(n.read_at), &time(n.archived_at)];
        self.row(envelope.into_iter().chain(content.iter().map(String::as_str)).chain(state))
    }

    fn end(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_that_a_spreadsheet_would_run_is_quoted_and_the_rest_stays() {
        for formula in [
            "=1+1",
            "+1",
            "-2",
            "@SUM(A1)",
            "\tx",
            "\r=1",
            " =1",
            "  \"=1",
            "'=1",
            "\n@x",
            "＝1",
            "\u{202e}=1",
            "\u{201c}+1",
        ] {
            let cell = cell(formula);
            assert!(cell.starts_with('\''), "{formula:?} gave {cell:?}");
            assert!(
                cell.ends_with(formula.trim_start_matches(['\u{202e}', '\r'])),
                "{formula:?} gave {cell:?}"
            );
        }
        for plain in ["", "a=b", "1-2", "\"quoted\"", "2026-11-20T06:14:00.000000Z", "备份", "a\nb\tc"] {
            assert_eq!(cell(plain), plain);
        }
        assert_eq!(cell("a\r\nb\rc\u{1b}[0m"), "a\nb\nc[0m");
    }
}
