//! The settings of gotify-tray: the file that Qt keeps, or the one that the program exports.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Imported, ImportedSource, address, token};

/// The names of the settings that are read.
const URL: &str = "Server/url";
const TOKEN: &str = "Server/client_token";
/// The longest name of a section.
const MAX_SECTION_BYTES: usize = 64;

/// Reads the file that Qt keeps, `gotify-tray.conf`; `None` if the file is another one.
pub(super) fn read_settings(file: &[u8]) -> Option<Imported> {
    let text = std::str::from_utf8(file).ok()?;
    let (mut section, mut settings) = (String::new(), BTreeMap::new());
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            // Each setting is named by its section.
            let name = if name.len() <= MAX_SECTION_BYTES { name } else { "" };
            name.clone_into(&mut section);
        } else if let Some((name, value)) = line.split_once('=') {
            // Qt writes the names of groups within a section with a backslash.
            let name = format!("{section}/{}", name.trim().replace('\\', "/"));
            settings.insert(name.into(), unquoted(value.trim()).into());
        }
    }
    source(&settings)
}

/// A value as Qt quotes it.
fn unquoted(value: &str) -> String {
    let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    let (mut out, mut letters) = (String::new(), quoted.unwrap_or(value).chars());
    while let Some(letter) = letters.next() {
        out.extend(if letter == '\\' { letters.next() } else { Some(letter) });
    }
    out
}

/// Reads the file that the program exports, a dictionary pickled by Python; `None` if the file is another one. Only
/// texts, numbers and lists are read; nothing in it is executed.
pub(super) fn read_export(file: &[u8]) -> Option<Imported> {
    source(&Pickle::read(file)?)
}

fn source(settings: &BTreeMap<Rc<str>, Rc<str>>) -> Option<Imported> {
    let (url, host) = address(settings.get(URL)?)?;
    let token = settings.get(TOKEN).and_then(|text| token(text));
    let source = ImportedSource { protocol: "gotify", name: host, url, token };
    Some(Imported { sources: vec![source], ..Imported::default() })
}

/// The machine of Python's pickle, as far as a dictionary of plain values needs it.
#[derive(Default)]
struct Pickle {
    /// The values, which are shared; `None` for all but texts.
    stack: Vec<Option<Rc<str>>>,
    /// The heights of the stack at the marks.
    marks: Vec<usize>,
    memo: BTreeMap<usize, Option<Rc<str>>>,
    items: BTreeMap<Rc<str>, Rc<str>>,
}

impl Pickle {
    /// The texts of the dictionary that are named by texts.
    fn read(file: &[u8]) -> Option<BTreeMap<Rc<str>, Rc<str>>> {
        let mut rest = file;
        // Protocol 2 to 5.
        let [0x80, 2..=5] = *take(&mut rest, 2)? else { return None };
        let mut pickle = Self::default();
        loop {
            match *take(&mut rest, 1)?.first()? {
                b'.' => return Some(pickle.items),
                operation => pickle.step(operation, &mut rest)?,
            }
        }
    }

    fn step(&mut self, operation: u8, rest: &mut &[u8]) -> Option<()> {
        match operation {
            // Texts, with lengths of 1, 4 and 8 bytes.
            0x8c => self.text(rest, 1)?,
            b'X' => self.text(rest, 4)?,
            0x8d => self.text(rest, 8)?,
            // None, true, false, an empty dictionary, list and tuple.
            b'N' | 0x88 | 0x89 | b'}' | b']' | b')' => self.stack.push(None),
            // Numbers.
            b'K' => self.number(rest, 1)?,
            b'M' => self.number(rest, 2)?,
            b'J' => self.number(rest, 4)?,
            b'G' => self.number(rest, 8)?,
            0x8a => {
                let length = length(rest, 1)?;
                self.number(rest, length)?;
            }
            // A frame and its length.
            0x95 => drop(take(rest, 8)?),
            b'(' => self.marks.push(self.stack.len()),
            // The memo: the top of the stack, numbered in turn or by name, and what was put there.
            0x94 => {
                let top = self.stack.last()?.clone();
                self.memo.insert(self.memo.len(), top);
            }
            b'q' => self.put(rest, 1)?,
            b'r' => self.put(rest, 4)?,
            b'h' => self.get(rest, 1)?,
            b'j' => self.get(rest, 4)?,
            // Items of a list.
            b'a' => drop(self.stack.pop()?),
            b'e' => drop(self.above_mark()?),
            // Items of a dictionary.
            b's' => {
                let value = self.stack.pop()?;
                let name = self.stack.pop()?;
                self.items.extend(name.zip(value));
            }
            b'u' => {
                let mut items = self.above_mark()?.into_iter();
                while let (Some(name), Some(value)) = (items.next(), items.next()) {
                    self.items.extend(name.zip(value));
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn text(&mut self, rest: &mut &[u8], bytes: usize) -> Option<()> {
        let length = length(rest, bytes)?;
        self.stack.push(Some(std::str::from_utf8(take(rest, length)?).ok()?.into()));
        Some(())
    }

    fn number(&mut self, rest: &mut &[u8], bytes: usize) -> Option<()> {
        take(rest, bytes)?;
        self.stack.push(None);
        Some(())
    }

    fn put(&mut self, rest: &mut &[u8], bytes: usize) -> Option<()> {
        let at = length(rest, bytes)?;
        self.memo.insert(at, self.stack.last()?.clone());
        Some(())
    }

    fn get(&mut self, rest: &mut &[u8], bytes: usize) -> Option<()> {
        let at = length(rest, bytes)?;
        self.stack.push(self.memo.get(&at)?.clone());
        Some(())
    }

    /// Takes the values above the last mark.
    fn above_mark(&mut self) -> Option<Vec<Option<Rc<str>>>> {
        let mark = self.marks.pop()?;
        (mark <= self.stack.len()).then(|| self.stack.split_off(mark))
    }
}

/// Takes bytes from the front.
fn take<'f>(rest: &mut &'f [u8], bytes: usize) -> Option<&'f [u8]> {
    let (taken, left) = rest.split_at_checked(bytes)?;
    *rest = left;
    Some(taken)
}

/// Takes a number of 1 to 8 bytes, the least first.
fn length(rest: &mut &[u8], bytes: usize) -> Option<usize> {
    let number = take(rest, bytes)?.iter().rev().fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
    usize::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use crate::imports;

    const CONF: &str = "[General]\nlocale=false\nexport\\path=/home/al/gotify-tray-settings.bytes\n\n[MainWindow]\n\
        geometry=\"@ByteArray(\\x1\\xd9\\xd0\\xcb)\"\ntheme=system\n\n[Server]\nclient_token=CFtMGvmbpjV5v3y\n\
        url=https://gotify.example\n\n[tray]\nnotifications\\priority=5\n";

    #[test]
    fn the_file_that_qt_keeps_names_the_server_and_its_token() {
        let [source] = imports::parse(CONF.as_bytes()).unwrap().sources.try_into().unwrap();
        assert_eq!((source.protocol, source.url.as_str()), ("gotify", "https://gotify.example"));
        assert_eq!(source.token.as_deref(), Some("CFtMGvmbpjV5v3y"));
        let quoted = CONF.replace("url=https://gotify.example", "url=\"https://nas.example:8080/gotify/\"");
        let [source] = imports::parse(quoted.as_bytes()).unwrap().sources.try_into().unwrap();
        assert_eq!(
            (source.name.as_str(), source.url.as_str()),
            ("nas.example", "https://nas.example:8080/gotify")
        );
        assert!(imports::parse(CONF.replace("url=", "other=").as_bytes()).is_err());
    }

    /// A text as Python pickles it.
    fn text(text: &str) -> Vec<u8> {
        [&[0x8c, u8::try_from(text.len()).unwrap()], text.as_bytes(), &[0x94]].concat()
    }

    #[test]
    fn an_export_is_read_and_never_run() {
        // As pickle.dumps writes a dictionary with texts, a number, a list, a truth value and a fraction.
        let head = [&[0x80, 4, 0x95][..], &[0; 8], b"}", &[0x94], b"("].concat();
        let list = [&b"]"[..], &[0x94], b"(", &text(".jpg"), &text(".png"), b"e"].concat();
        let file = [
            head.clone(),
            text("Server/url"),
            text("https://gotify.example"),
            text("w"),
            vec![b'M', 0x90, 1],
            text("ext"),
            list,
            text("on"),
            vec![0x88],
            text("f"),
            [&b"G"[..], &0.5_f64.to_be_bytes()].concat(),
            text("Server/client_token"),
            text("CFtMGvmbpjV5v3y"),
            b"u.".to_vec(),
        ]
        .concat();
        let [source] = imports::parse(&file).unwrap().sources.try_into().unwrap();
        assert_eq!(
            (source.url.as_str(), source.token.as_deref()),
            ("https://gotify.example", Some("CFtMGvmbpjV5v3y"))
        );
        // os.system, called with a text.
        let attack = [head, b"cos\nsystem\n".to_vec(), text("true"), b"\x85Ru.".to_vec()].concat();
        assert!(imports::parse(&attack).is_err());
        for end in 0..file.len() {
            assert!(imports::parse(&file[..end]).is_err(), "cut at {end}");
        }
    }
}
