//! The templates that are known by name. Their texts are in the files beside this one.

/// A template for what one service sends.
#[derive(Debug)]
pub(in crate::ntfy) struct Predefined {
    /// The name by which a request asks for it.
    name: &'static str,
    /// The template of the title.
    pub(super) title: &'static str,
    /// The template of the message.
    pub(super) message: &'static str,
}

static ALL: [Predefined; 3] = [
    Predefined {
        name: "github",
        title: include_str!("github.title.tmpl"),
        message: include_str!("github.message.tmpl"),
    },
    Predefined {
        name: "grafana",
        title: include_str!("grafana.title.tmpl"),
        message: include_str!("grafana.message.tmpl"),
    },
    Predefined {
        name: "alertmanager",
        title: include_str!("alertmanager.title.tmpl"),
        message: include_str!("alertmanager.message.tmpl"),
    },
];

/// The template with a name.
pub(super) fn by_name(name: &str) -> Option<&'static Predefined> {
    ALL.iter().find(|known| known.name == name)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tidings_go_templates::{render, value_of};

    use super::super::read_json;
    use super::*;

    fn filled(name: &str, payload: Value) -> (String, String) {
        let known = by_name(name).unwrap();
        let data = value_of(payload);
        let fill_in = |text| render(text, &data, read_json).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        (fill_in(known.title), fill_in(known.message))
    }

    fn github(event: &Value) -> (String, String) {
        let mut payload = json!({"repository": {"full_name": "ana/garden"}, "sender": {"login": "bob"}});
        payload.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
        filled("github", payload)
    }

    #[test]
    fn events_of_github_say_what_happened_where() {
        let issue = json!({"number": 7, "title": "It rains", "html_url": "https://github.com/ana/garden/issues/7", "body": "In."});
        let pull = json!({"number": 8, "title": "A roof", "html_url": "https://github.com/ana/garden/pull/8", "merged": true,
            "base": {"ref": "main"}, "head": {"ref": "roof"}});
        let comment = json!({"body": "Indeed", "html_url": "https://github.com/ana/garden/issues/7#c"});
        for (event, title, message) in [
            (
                json!({"action": "opened", "issue": issue}),
                "ana/garden: issue #7 opened",
                "It rains\nBy bob\n\nIn.\n\nhttps://github.com/ana/garden/issues/7",
            ),
            (
                json!({"action": "created", "issue": issue, "comment": comment}),
                "ana/garden: comment on #7",
                "It rains\nBy bob\n\nIndeed\n\nhttps://github.com/ana/garden/issues/7#c",
            ),
            (
                json!({"action": "closed", "pull_request": pull}),
                "ana/garden: pull request #8 merged",
                "A roof\nBy bob\nroof to main\n\nhttps://github.com/ana/garden/pull/8",
            ),
            (
                json!({"action": "submitted", "pull_request": pull, "review": {"state": "approved", "html_url": "https://r"}}),
                "ana/garden: review of #8",
                "A roof\nBy bob: approved\n\nhttps://r",
            ),
            (
                json!({"ref": "refs/heads/main", "compare": "https://c", "commits": [{"id": "0123456789", "message": "Sow\n\nDeep"}, {"id": "abcdefghij", "message": "Water"}]}),
                "ana/garden: 2 commits to main",
                "0123456 Sow\nabcdefg Water\nBy bob\n\nhttps://c",
            ),
            (
                json!({"action": "published", "release": {"tag_name": "v1", "name": "First", "html_url": "https://rel"}}),
                "ana/garden: release v1 published",
                "First\nBy bob\n\nhttps://rel",
            ),
            (
                json!({"action": "created", "starred_at": "2026-01-01T00:00:00Z"}),
                "ana/garden: starred",
                "By bob",
            ),
            (
                json!({"action": "completed", "workflow_run": {"name": "CI", "conclusion": "failure", "head_branch": "main", "html_url": "https://w"}}),
                "ana/garden: CI ended with failure",
                "On main\nBy bob\n\nhttps://w",
            ),
            (
                json!({"zen": "Keep it simple.", "hook_id": 1}),
                "ana/garden: webhook works",
                "Keep it simple.\nBy bob",
            ),
            (json!({"ref": "v2", "ref_type": "tag"}), "ana/garden: tag v2", "By bob"),
            (json!({"action": "renamed"}), "ana/garden: renamed", "By bob"),
        ] {
            assert_eq!(github(&event), (title.to_owned(), message.to_owned()), "{event}");
        }
    }

    #[test]
    fn alerts_say_what_is_wrong_and_where() {
        let alert = json!({"status": "firing", "labels": {"alertname": "DiskFull", "instance": "nas:9100", "severity": "page"},
            "annotations": {"summary": "The disk is full", "description": "1 % left"}, "generatorURL": "http://prom/graph"});
        let payload = json!({"version": "4", "status": "firing", "alerts": [alert], "commonLabels": {"alertname": "DiskFull"},
            "groupLabels": {"alertname": "DiskFull"}, "externalURL": "http://am"});
        let (title, message) = filled("alertmanager", payload);
        assert_eq!(title, "Firing: DiskFull");
        assert_eq!(
            message,
            "DiskFull on nas:9100 (page): firing\nThe disk is full\n1 % left\nhttp://prom/graph"
        );
        let grafana = json!({"status": "resolved", "title": "[RESOLVED] Load too high", "alerts": [{"status": "resolved",
            "labels": {"alertname": "Load too high", "instance": "10.0.0.2"}, "annotations": {"summary": "Load over 15"},
            "values": {"B": 18.98, "C": 0}, "panelURL": "", "dashboardURL": "http://g/d/1"}]});
        let (title, message) = filled("grafana", grafana);
        assert_eq!(title, "[RESOLVED] Load too high");
        assert_eq!(
            message,
            "Load too high on 10.0.0.2: resolved\nLoad over 15\nB = 18.98, C = 0\nhttp://g/d/1"
        );
        let old = json!({"title": "[Alerting] Load", "ruleName": "Load", "state": "alerting", "message": "Too high",
            "ruleUrl": "http://g/r", "evalMatches": [{"metric": "load", "value": 20}]});
        let (title, message) = filled("grafana", old);
        assert_eq!(
            (title.as_str(), message.as_str()),
            ("[Alerting] Load", "Too high\nload = 20\nhttp://g/r")
        );
    }

    #[test]
    fn a_payload_that_is_not_as_expected_is_filled_in_too() {
        for known in &ALL {
            for odd in [
                json!({}),
                json!([]),
                json!({"alerts": [{}]}),
                json!({"issue": {}, "action": null}),
                json!({"ref": "x"}),
            ] {
                let data = value_of(odd);
                for text in [known.title, known.message] {
                    drop(render(text, &data, read_json));
                }
            }
        }
    }
}
