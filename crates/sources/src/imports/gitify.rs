//! The accounts of Gitify, which its window keeps as JSON: the value itself, or the file of its browser's storage in
//! which it lies.

use serde::Deserialize;
use serde_json::Value;

use super::{Imported, ImportedSource, address, token};

/// The beginnings of the values in which Gitify has kept its accounts, up to the first name.
const BEGINNINGS: [&str; 2] = [r#"{"state":{"accounts":"#, r#"{"auth":"#];
/// An account.
#[derive(Deserialize)]
struct Account {
    /// `github`, `gitea` or `bitbucket`; the first if it is not there.
    forge: Option<String>,
    hostname: String,
    #[serde(default)]
    token: String,
    user: Option<User>,
}

#[derive(Deserialize)]
struct User {
    login: Option<String>,
}

/// Reads the accounts; `None` if the file has none of Gitify's.
pub(super) fn read(file: &[u8]) -> Option<Imported> {
    let accounts = match serde_json::from_slice(file) {
        Ok(value) => accounts(&value),
        Err(_) => in_storage(file),
    }?;
    let mut imported = Imported::default();
    for account in accounts {
        match source(&account) {
            Some(source) => imported.add(source),
            None => imported.leave_out(&account.hostname),
        }
    }
    Some(imported)
}

/// The accounts in a value of any version.
fn accounts(value: &Value) -> Option<Vec<Account>> {
    let of = |path: &str| value.pointer(path).and_then(|value| Vec::<Account>::deserialize(value).ok());
    // As kept since version 7, as kept before, and the list alone.
    let listed = ["/state/accounts", "/auth/accounts", "/accounts"].iter().find_map(|path| of(path));
    listed.or_else(|| oldest(value.get("auth")?))
}

/// The accounts of versions that had one token for github.com and a list for other hosts.
fn oldest(auth: &Value) -> Option<Vec<Account>> {
    let others = auth.get("enterpriseAccounts").and_then(|all| Vec::<Account>::deserialize(all).ok());
    let token = auth.get("token").and_then(Value::as_str).filter(|token| !token.is_empty());
    let user = auth.get("user").and_then(|user| User::deserialize(user).ok());
    let main = token.map(|token| Account {
        forge: None,
        hostname: "github.com".to_owned(),
        token: token.to_owned(),
        user,
    });
    (main.is_some() || others.is_some())
        .then(|| main.into_iter().chain(others.into_iter().flatten()).collect())
}

/// The accounts of the last value in a file of a browser's storage, in which a text has one or two bytes a character.
fn in_storage(file: &[u8]) -> Option<Vec<Account>> {
    let wide_bytes = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    last_value(file, wide_bytes, |text| first_accounts(wide_text(text).as_bytes()))
        .or_else(|| last_value(file, |text| text.bytes().collect(), first_accounts))
}

/// What `read` makes of the last value of which it makes anything. A value ends before the next one begins, so that no byte
/// is read twice.
fn last_value(
    file: &[u8],
    bytes_of: impl Fn(&str) -> Vec<u8>,
    read: impl Fn(&[u8]) -> Option<Vec<Account>>,
) -> Option<Vec<Account>> {
    let (beginnings, mut end) = (BEGINNINGS.map(bytes_of), file.len());
    (0..file.len()).rev().find_map(|at| {
        let value = file.get(at..end)?;
        if !beginnings.iter().any(|beginning| value.starts_with(beginning)) {
            return None;
        }
        end = at;
        read(value)
    })
}

/// The accounts in the value with which a text begins.
fn first_accounts(text: &[u8]) -> Option<Vec<Account>> {
    accounts(&serde_json::Deserializer::from_slice(text).into_iter::<Value>().next()?.ok()?)
}

/// A text with two bytes a character, up to what is none.
fn wide_text(text: &[u8]) -> String {
    let units = text.chunks_exact(2).map(|pair| match pair {
        [low, high] => u16::from_le_bytes([*low, *high]),
        _ => 0,
    });
    char::decode_utf16(units).map_while(Result::ok).collect()
}

fn source(account: &Account) -> Option<ImportedSource> {
    let host = account.hostname.trim().to_ascii_lowercase();
    let (protocol, url) = match account.forge.as_deref().unwrap_or("github") {
        "github" if host == "github.com" => ("github", "https://api.github.com".to_owned()),
        // GitHub's cloud with data residency.
        "github" if host.ends_with(".ghe.com") => ("github", format!("https://api.{host}")),
        "github" => ("github", format!("https://{host}/api/v3")),
        "gitea" => ("forgejo", format!("https://{host}")),
        _ => return None,
    };
    let (url, _) = address(&url)?;
    let login =
        account.user.as_ref().and_then(|user| user.login.as_deref()).filter(|login| !login.is_empty());
    let name = login.map_or_else(|| host.clone(), |login| format!("{login}@{host}"));
    Some(ImportedSource { protocol, name, url, token: token(&account.token).filter(|token| is_plain(token)) })
}

/// Whether a token is one, and not what the keyring of its computer made of it, which only Gitify can read.
fn is_plain(token: &str) -> bool {
    let has_prefix =
        ["ghp_", "gho_", "ghu_", "ghs_", "github_pat_"].iter().any(|prefix| token.starts_with(prefix));
    has_prefix || (token.len() == 40 && token.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use crate::imports::{self, Imported};

    /// As version 7 keeps it; the tokens are encrypted by the keyring, except the last.
    const ACCOUNTS: &str = r#"{"state":{"accounts":[
        {"forge":"github","method":"OAuth App","platform":"GitHub Cloud","version":"latest","hostname":"github.com",
         "token":"djExabCDefGHijKLmnOPqrSTuvWXyz0123456789+/abCDefGHijKLmnOPqrSTuv==",
         "user":{"id":"1","login":"octocat","name":"Mona","avatar":"https://avatars.example/u/1"},"scopes":["notifications"]},
        {"method":"Personal Access Token","platform":"GitHub Enterprise Server","hostname":"git.corp.example","token":"djEx","user":null},
        {"forge":"github","method":"Personal Access Token","hostname":"octo.ghe.com","token":"ghp_0123456789abcdef0123456789abcdef0123"},
        {"forge":"gitea","method":"Personal Access Token","platform":"Gitea","hostname":"codeberg.org",
         "token":"0123456789abcdef0123456789abcdef01234567","user":{"id":"2","login":"mona"}},
        {"forge":"bitbucket","hostname":"bitbucket.org","token":"x"}]},"version":0}"#;

    fn check(imported: &Imported) {
        assert_eq!(
            (imported.left_out.as_slice(), imported.left_out_count),
            (&["bitbucket.org".to_owned()][..], 1)
        );
        let sources = &imported.sources;
        let all: Vec<_> = sources
            .iter()
            .map(|s| (s.protocol, s.name.as_str(), s.url.as_str(), s.token.is_some()))
            .collect();
        let expected = [
            ("github", "octocat@github.com", "https://api.github.com", false),
            ("github", "git.corp.example", "https://git.corp.example/api/v3", false),
            ("github", "octo.ghe.com", "https://api.octo.ghe.com", true),
            ("forgejo", "mona@codeberg.org", "https://codeberg.org", true),
        ];
        assert_eq!(all, expected);
    }

    #[test]
    fn accounts_become_sources_and_encrypted_tokens_are_left_out() {
        check(&imports::parse(ACCOUNTS.as_bytes()).unwrap());
    }

    #[test]
    fn accounts_are_found_in_the_file_of_the_storage_in_either_width_the_last_ones_counting() {
        let line: String = ACCOUNTS.lines().map(str::trim).collect();
        let old = br#"{"state":{"accounts":[{"hostname":"old.example"}]},"version":0}"#;
        let narrow = [
            b"\x01\x02_file://\0\x01gitify-accounts\x01",
            &old[..],
            b"\x99\xff\0",
            line.as_bytes(),
            b"\0\xfe",
        ]
        .concat();
        check(&imports::parse(&narrow).unwrap());
        let wide: Vec<u8> = line.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let wide = [b"\xab\x01gitify-accounts\0", &wide[..], b"\x00\xd8\x00\xd8"].concat();
        check(&imports::parse(&wide).unwrap());
    }

    #[test]
    fn the_last_value_is_found_behind_however_many_that_are_cut_off() {
        let line: String = ACCOUNTS.lines().map(str::trim).collect();
        let cut_off = line[..120].repeat(20_000);
        check(&imports::parse(format!("{cut_off}\0{line}\0").as_bytes()).unwrap());
        check(&imports::parse(format!("{line}\0{cut_off}").as_bytes()).unwrap());
        let wide: Vec<u8> =
            format!("\0{cut_off}\0{line}\0").encode_utf16().flat_map(u16::to_le_bytes).collect();
        check(&imports::parse(&wide).unwrap());
    }

    #[test]
    fn what_older_versions_kept_is_read_too() {
        let of = |file: &str| imports::parse(file.as_bytes()).unwrap().sources;
        let v5 = r#"{"auth":{"accounts":[{"platform":"GitHub Cloud","hostname":"github.com","token":"gho_abc","user":null}]},
            "settings":{"theme":"SYSTEM"}}"#;
        assert_eq!(of(v5)[0].token.as_deref(), Some("gho_abc"));
        let v4 = r#"{"auth":{"token":"gho_abc","enterpriseAccounts":[{"hostname":"git.corp.example",
            "token":"0123456789abcdef0123456789abcdef01234567"}],"user":{"id":1,"login":"octocat"}},"settings":{}}"#;
        let urls: Vec<_> = of(v4).into_iter().map(|source| source.url).collect();
        assert_eq!(urls, ["https://api.github.com", "https://git.corp.example/api/v3"]);
    }
}
