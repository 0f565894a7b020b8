//! `certificate`: authorities and client certificates by origin.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use serde_json::{Value, json};
use tidings_home::Home;
use tidings_model::{Clock, Stamp, SystemClock};
use tidings_net::CertificateFault;
use tidings_net::certificates::{CertificateError, CertificateUse, KnownCertificate, MAX_FILE_BYTES};
use tidings_net::secrets::StoredIn;

use crate::{
    args::Certificate,
    error::{Error, Result},
    inbox,
    output::{Output, clean, warn},
};

/// Runs `tidings certificate …`.
pub(crate) async fn run(args: Certificate, home: &Home, out: Output) -> Result<()> {
    let store = inbox::certificates(home)?;
    let now = SystemClock.now();
    match args {
        Certificate::List => {
            let all = store.list()?;
            let document: Vec<Value> = all.iter().map(|one| document(one, now)).collect();
            return out.print(&document, |to| all.iter().try_for_each(|one| write_line(to, one, now)));
        }
        Certificate::Add { address, file, client, key } => {
            let content = read(&file)?;
            let added = if client {
                let key = key.as_deref().map(read).transpose()?;
                let added = store.add_client(&address, &content, key.as_deref());
                let (added, stored) = added.map_err(|error| refusal(&error, &file))?;
                if stored == StoredIn::File {
                    warn("there is no keyring: the key is in secrets.json in the data folder, for you alone");
                }
                vec![added]
            } else {
                store.add_authorities(&address, &content).map_err(|error| refusal(&error, &file))?
            };
            let document: Vec<Value> = added.iter().map(|one| document(one, now)).collect();
            out.print(&json!({ "added": document }), |to| {
                added.iter().try_for_each(|one| write_line(to, one, now))
            })?;
        }
        Certificate::Remove { address, fingerprint } => {
            let fingerprint = fingerprint.map(|typed| typed.replace(':', "").to_lowercase());
            let removed = store.remove(&address, fingerprint.as_deref());
            if !removed.map_err(|error| Error::failed(error.to_string()))? {
                return Err(Error::failed(format!("there is no such certificate for {address}")));
            }
            out.print(&json!({ "removed": address }), |to| writeln!(to, "removed, for {}", clean(&address)))?;
        }
    }
    inbox::notify_app(home).await;
    Ok(())
}

/// The bytes of a file. One byte more than is taken is enough to refuse it.
fn read(file: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let opened = File::open(file);
    let read = opened.and_then(|opened| opened.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| Error::failed(format!("{}: {error}", file.display())))?;
    Ok(bytes)
}

/// Why a certificate was not added.
fn refusal(error: &CertificateError, file: &Path) -> Error {
    Error::failed(match error {
        CertificateError::NoKey => {
            format!("{}: {error}: name the file of its key with --key; nothing was added", file.display())
        }
        CertificateError::Address(_) => error.to_string(),
        _ => format!("{}: {error}; nothing was added", file.display()),
    })
}

const fn kind(one: &KnownCertificate) -> &'static str {
    match one.used_as {
        CertificateUse::Authority => "authority",
        CertificateUse::Client => "client",
    }
}

fn document(one: &KnownCertificate, now: Stamp) -> Value {
    json!({
        "origin": one.origin, "kind": kind(one), "subject": one.subject, "issuer": one.issuer,
        "not_before": one.not_before, "not_after": one.not_after, "valid": one.is_valid_at(now),
        "fingerprint": one.fingerprint,
    })
}

fn write_line(to: &mut dyn Write, one: &KnownCertificate, now: Stamp) -> io::Result<()> {
    let day = |at: Stamp| at.to_datetime().format("%Y-%m-%d").to_string();
    let valid = match one {
        one if one.is_valid_at(now) => format!("valid until {}", day(one.not_after)),
        one if now < one.not_before => format!("NOT VALID before {}", day(one.not_before)),
        one => format!("EXPIRED on {}", day(one.not_after)),
    };
    let (subject, issuer) = (clean(&one.subject), clean(&one.issuer));
    let by = if one.subject == one.issuer { String::new() } else { format!(", signed by {issuer}") };
    writeln!(to, "{}  {}  {subject}{by}  {valid}  {}", clean(&one.origin), kind(one), one.fingerprint)
}

/// What to do if a certificate is in the way, as the end of a sentence.
pub(super) fn certificate_hint(fault: CertificateFault, at: &str) -> String {
    let add = format!("tidings certificate add {} FILE", at.split(' ').next().unwrap_or(at));
    match fault {
        CertificateFault::UnknownAuthority => {
            format!("; if it is your company's or your own, add its certificate: {add}")
        }
        CertificateFault::ClientWanted => format!("; add yours, or another one: {add} --client --key FILE"),
        CertificateFault::ClientKey => {
            format!("; unlock it, or add the certificate again: {add} --client --key FILE")
        }
        CertificateFault::NotValidNow | CertificateFault::OtherName | CertificateFault::Untrusted => {
            String::new()
        }
    }
}
