//! What a child has read of a mail, on its way back: the bytes of its files, after the rest as JSON.

use axum::body::Bytes;
use serde::{Deserialize, Serialize};

use super::Unreadable;
use crate::ntfy::mail::{Mail, MailFile};

/// The bytes of the length of the JSON, before it.
const LENGTH_BYTES: usize = 8;

/// A mail without the bytes of its files.
#[derive(Serialize, Deserialize)]
struct MailWithoutFiles {
    subject: String,
    text: String,
    message_id: Option<String>,
    /// The names of its files and their bytes.
    files: Vec<(String, usize)>,
}

pub(super) fn written(read: Result<Mail, Unreadable>) -> Vec<u8> {
    let mut files = Vec::new();
    let said = read.map(|mail| {
        let Mail { subject, text, message_id, files: all } = mail;
        let named = all.iter().map(|file| (file.name.clone(), file.bytes.len())).collect();
        files = all;
        MailWithoutFiles { subject, text, message_id, files: named }
    });
    let json = serde_json::to_vec(&said).unwrap_or_default();
    let mut out = (json.len() as u64).to_le_bytes().to_vec();
    out.extend(json);
    for file in files {
        out.extend_from_slice(&file.bytes);
    }
    out
}

/// `None` for what is no answer.
pub(super) fn read(answer: &Bytes) -> Option<Result<Mail, Unreadable>> {
    let length = usize::try_from(u64::from_le_bytes(*answer.first_chunk::<LENGTH_BYTES>()?)).ok()?;
    let mut at = LENGTH_BYTES.checked_add(length)?;
    let said: Result<MailWithoutFiles, Unreadable> =
        serde_json::from_slice(answer.get(LENGTH_BYTES..at)?).ok()?;
    let said = match said {
        Ok(said) => said,
        Err(why) => return Some(Err(why)),
    };
    let mut files = Vec::with_capacity(said.files.len());
    for (name, bytes) in said.files {
        let end = at.checked_add(bytes).filter(|end| *end <= answer.len())?;
        files.push(MailFile { name, bytes: answer.slice(at..end) });
        at = end;
    }
    Some(Ok(Mail { subject: said.subject, text: said.text, message_id: said.message_id, files }))
}
