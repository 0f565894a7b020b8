//! The lines that publish, one for each tool. This is their only place: the settings show them, docs/publish.md holds the
//! same, and tests run each.

use tidings_ipc::{PublishDoor, PublishTool};

/// What stands for a token that the reader does not have yet.
pub const TOKEN_PLACEHOLDER: &str = "TOKEN";

/// The line of a tool, with gaps for what the reader chose.
#[derive(Debug)]
pub struct Template {
    /// The tool.
    pub tool: PublishTool,
    /// The way into the server that it takes.
    pub door: PublishDoor,
    /// The language of the text, by its name in Markdown.
    pub language: &'static str,
    /// Whether there is no line without a token.
    pub needs_token: bool,
    /// The text. Its gaps are `{url}`, `{address}` (the URL without its scheme), `{topic}`, `{token}` and `{message}`;
    /// what is between `[?` and `?]` is there only with a token.
    text: &'static str,
}

/// What a line publishes, and where.
#[derive(Debug, Clone, Copy)]
pub struct Publication<'a> {
    /// The server's URL, without a slash at its end.
    pub url: &'a str,
    /// The topic, which must be valid.
    pub topic: &'a str,
    /// The token, of characters that no shell or format treats specially; `None` for a line without one.
    pub token: Option<&'a str>,
    /// The text of the message, without quotation marks, backslashes and dollar signs.
    pub message: &'a str,
}

impl Template {
    /// The text to copy. A line that needs a token has [`TOKEN_PLACEHOLDER`] if there is none.
    pub fn fill(&self, publication: &Publication<'_>) -> String {
        let Publication { url, topic, token, message } = publication;
        let address = url.split_once("://").map_or(*url, |(_, address)| address);
        optional_parts(self.text, self.needs_token || token.is_some())
            .replace("{url}", url)
            .replace("{address}", address)
            .replace("{topic}", topic)
            .replace("{token}", token.unwrap_or(TOKEN_PLACEHOLDER))
            .replace("{message}", message)
    }

    /// Whether the text has the message of the publication; else its message is what happened on the machine that runs
    /// it.
    pub fn says_message(&self) -> bool {
        self.text.contains("{message}")
    }
}

/// A text with or without its optional parts.
fn optional_parts(text: &str, keep: bool) -> String {
    let mut parts = text.split("[?");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        let (inside, after) = part.split_once("?]").unwrap_or((part, ""));
        if keep { all + inside + after } else { all + after }
    })
}

/// The template of `curl`, also for the line that a new token is shown with.
pub const CURL: Template = Template {
    tool: PublishTool::Curl,
    door: PublishDoor::Topic,
    language: "sh",
    needs_token: false,
    text: r#"curl [?-H "Authorization: Bearer {token}" ?]-d "{message}" {url}/{topic}"#,
};

/// The template of the line that sends a payload without a known form to a topic, to try the topic's template on.
pub const WEBHOOK: Template = Template {
    tool: PublishTool::Curl,
    door: PublishDoor::Topic,
    language: "sh",
    needs_token: false,
    text: r#"curl [?-H "Authorization: Bearer {token}" ?]{url}/hooks/{topic} -d '{"job": "nas", "state": "{message}"}'"#,
};

/// All templates, in the order of the settings.
pub const TEMPLATES: &[Template] = &[
    CURL,
    Template {
        tool: PublishTool::Apprise,
        door: PublishDoor::Topic,
        language: "sh",
        needs_token: false,
        text: r#"apprise -b "{message}" "ntfy://[?{token}@?]{address}/{topic}""#,
    },
    Template {
        tool: PublishTool::Ntfy,
        door: PublishDoor::Topic,
        language: "sh",
        needs_token: false,
        text: r#"ntfy publish [?--token {token} ?]{url}/{topic} "{message}""#,
    },
    Template {
        tool: PublishTool::Gotify,
        door: PublishDoor::Gotify,
        language: "sh",
        needs_token: true,
        text: r#"gotify push --url {url} --token {token} "{message}""#,
    },
    Template {
        tool: PublishTool::Systemd,
        door: PublishDoor::Topic,
        language: "ini",
        needs_token: false,
        // The path is the whole one: older versions of systemd look for no program.
        text: r#"# /etc/systemd/system/tell@.service
# In each unit to watch, under [Unit]: OnFailure=tell@%n.service
[Unit]
Description=Tell that %i failed

[Service]
Type=oneshot
ExecStart=/usr/bin/curl -fsS [?-H "Authorization: Bearer {token}" ?]-H "Title: %i failed" -d "journalctl -u %i says why" {url}/{topic}"#,
    },
    Template {
        tool: PublishTool::Cron,
        door: PublishDoor::Topic,
        language: "crontab",
        needs_token: false,
        // A crontab has no lines that go on, and no percent signs.
        text: r#"30 2 * * * backup || curl -fsS [?-H "Authorization: Bearer {token}" ?]-d "The backup failed" {url}/{topic}"#,
    },
    Template {
        tool: PublishTool::Shell,
        door: PublishDoor::Topic,
        language: "sh",
        needs_token: false,
        text: r#"tell() {
  "$@"
  local code=$?
  curl -sS [?-H "Authorization: Bearer {token}" ?]-H "Title: $1 ended with $code" -d "$*" {url}/{topic}
  return "$code"
}
tell sleep 1"#,
    },
    Template {
        tool: PublishTool::Powershell,
        door: PublishDoor::Topic,
        language: "powershell",
        needs_token: false,
        // Windows PowerShell 5 sends Latin-1 unless the line names another encoding.
        text: r#"Invoke-RestMethod -Method Post -Uri "{url}/{topic}" [?-Headers @{ Authorization = "Bearer {token}" } ?]-ContentType "text/plain; charset=utf-8" -Body "{message}""#,
    },
    Template {
        tool: PublishTool::GithubActions,
        door: PublishDoor::Topic,
        language: "yaml",
        // GitHub's machines are other devices; the token is a secret of the repository.
        needs_token: true,
        text: r#"- name: Tell how it ended
  if: always()
  env:
    STATUS: ${{ job.status }}
    TIDINGS: ${{ secrets.TIDINGS }}
  run: |
    curl -fsS -H "Authorization: Bearer $TIDINGS" -H "Title: $GITHUB_REPOSITORY" \
      -d "$GITHUB_WORKFLOW ended: $STATUS" {url}/{topic}"#,
    },
    Template {
        tool: PublishTool::HomeAssistant,
        door: PublishDoor::Topic,
        language: "yaml",
        needs_token: false,
        text: r#"notify:
  - name: tidings
    platform: rest
    resource: {url}
    method: POST_JSON[?
    headers:
      Authorization: Bearer {token}?]
    title_param_name: title
    message_param_name: message
    data:
      topic: "{topic}""#,
    },
    Template {
        tool: PublishTool::NodeRed,
        door: PublishDoor::Topic,
        language: "json",
        needs_token: false,
        text: r#"[
  {
    "id": "tidings-try", "type": "inject", "name": "Try it", "x": 120, "y": 80,
    "props": [{ "p": "payload" }], "payload": "{message}", "payloadType": "str",
    "wires": [["tidings-publish"]]
  },
  {
    "id": "tidings-publish", "type": "http request", "name": "Tidings", "x": 300, "y": 80,
    "method": "POST", "url": "{url}/{topic}", "ret": "txt", "paytoqs": "ignore",
    "headers": [[?{ "keyType": "other", "keyValue": "Authorization", "valueType": "other", "valueValue": "Bearer {token}" }?]],
    "wires": [[]]
  }
]"#,
    },
    Template {
        tool: PublishTool::Alertmanager,
        door: PublishDoor::Topic,
        language: "yaml",
        needs_token: true,
        text: "receivers:
  - name: tidings
    webhook_configs:
      - url: {url}/hooks/{topic}?token={token}",
    },
    Template {
        tool: PublishTool::Grafana,
        door: PublishDoor::Topic,
        language: "yaml",
        needs_token: true,
        text: "apiVersion: 1
contactPoints:
  - orgId: 1
    name: Tidings
    receivers:
      - uid: tidings
        type: webhook
        settings:
          url: {url}/hooks/{topic}?token={token}",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The publication that the lines of docs/publish.md make.
    fn documented(token: Option<&str>) -> Publication<'_> {
        Publication { url: "http://127.0.0.1:7878", topic: "backups", token, message: "Backup done" }
    }

    #[test]
    fn the_guide_for_publishers_has_these_lines() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/publish.md");
        let guide = std::fs::read_to_string(path).unwrap();
        for template in TEMPLATES {
            let line = template.fill(&documented(None));
            let block = format!("\n```{}\n{line}\n```", template.language);
            assert!(guide.contains(&block), "docs/publish.md lacks this block:{block}");
        }
    }

    #[test]
    fn a_line_has_the_token_only_where_there_is_one() {
        let line = |token| CURL.fill(&documented(token));
        assert_eq!(line(None), "curl -d \"Backup done\" http://127.0.0.1:7878/backups");
        assert_eq!(
            line(Some("tdg_a")),
            "curl -H \"Authorization: Bearer tdg_a\" -d \"Backup done\" http://127.0.0.1:7878/backups"
        );
    }

    #[test]
    fn no_gap_stays_open_and_each_tool_has_one_line() {
        for token in [None, Some("tdg_a")] {
            for (at, template) in TEMPLATES.iter().enumerate() {
                let line = template.fill(&documented(token));
                for gap in ["[?", "?]", "{url}", "{address}", "{topic}", "{token}", "{message}"] {
                    assert!(!line.contains(gap), "{line}");
                }
                let secret = template.tool == PublishTool::GithubActions;
                assert_eq!(line.contains("tdg_a"), token.is_some() && !secret, "{line}");
                let placeholder = template.needs_token && token.is_none() && !secret;
                assert_eq!(line.contains(TOKEN_PLACEHOLDER), placeholder, "{line}");
                assert!(TEMPLATES.iter().skip(at + 1).all(|other| other.tool != template.tool));
            }
        }
    }
}
