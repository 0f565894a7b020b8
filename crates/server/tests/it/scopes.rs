//! Tests which tokens may use which route: every route of the reference, asked with every kind of token.

use reqwest::Method;
use serde_json::{Value, json};
use tidings_model::wire::Scope;

use crate::support::{Client, Running, start, start_with};

/// The access to a route. Each list names the kinds of token that pass: `p` publish, `i` inbox, `a` admin.
struct Rule {
    method: &'static str,
    path: &'static str,
    /// Whether the route answers without a token.
    public: bool,
    /// The tokens that pass for their own user.
    allowed_scopes: &'static str,
    /// The tokens that pass for another user, named by `?user=alice` or by Alice's objects in the path; `None` if
    /// the route names no user.
    allowed_for_others: Option<&'static str>,
    /// The path with values for the names in braces, and the query.
    example_path: &'static str,
    body: Value,
}

fn rule(
    method: &'static str,
    path: &'static str,
    allowed_scopes: &'static str,
    allowed_for_others: Option<&'static str>,
) -> Rule {
    Rule {
        method,
        path,
        public: false,
        allowed_scopes,
        allowed_for_others,
        example_path: path,
        body: Value::Null,
    }
}

impl Rule {
    fn public(self) -> Self {
        Self { public: true, ..self }
    }

    fn example_path(self, example_path: &'static str) -> Self {
        Self { example_path, ..self }
    }

    fn body(self, body: Value) -> Self {
        Self { body, ..self }
    }

    fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// The response's status with a token; `user` goes into the query.
    async fn ask(&self, client: &Client, resources: &Resources, user: Option<&str>) -> u16 {
        let mut path = self
            .example_path
            .replace("{token}", &resources.token)
            .replace("{msgid}", &resources.msgid)
            .replace("{group}", &resources.group)
            .replacen('/', "", 1);
        if let Some(user) = user {
            let separator = if path.contains('?') { '&' } else { '?' };
            path = format!("{path}{separator}user={user}");
        }
        let request = client.request(Method::from_bytes(self.method.as_bytes()).unwrap(), &path);
        let request = if self.body.is_null() { request } else { request.json(&self.body) };
        // The body of a live channel never ends, so only the response's head is awaited.
        request.send().await.unwrap().status().as_u16()
    }
}

/// Every route of API v1 with its access. Each line is a decision about access.
fn rules() -> Vec<Rule> {
    let target = json!({"type": "article", "id": "1"});
    let later = json!({"through": "2026-11-20T06:14:00Z"});
    vec![
        rule("GET", "/health", "pia", None).public(),
        rule("GET", "/health/ready", "pia", None).public(),
        rule("GET", "/info", "pia", None).public(),
        rule("GET", "/openapi.json", "pia", None).public(),
        rule("GET", "/me", "pia", None),
        rule("GET", "/people", "ia", None),
        rule("GET", "/users", "a", None),
        rule("POST", "/users", "a", None).body(json!({"id": "made", "name": "Made"})),
        rule("PATCH", "/users/{id}", "a", None).example_path("/users/alice").body(json!({"name": "Alice"})),
        rule("DELETE", "/users/{id}", "a", None).example_path("/users/made"),
        rule("GET", "/users/{id}/export", "ia", None).example_path("/users/alice/export"),
        rule("POST", "/users/{id}/tokens", "a", None)
            .example_path("/users/alice/tokens")
            .body(json!({"label": "x", "scopes": ["inbox"]})),
        rule("GET", "/tokens", "ia", Some("a")),
        // The token in the path is Alice's; for Mallory it does not exist.
        rule("DELETE", "/tokens/{id}", "ia", None).example_path("/tokens/{token}"),
        rule("GET", "/catalog", "pia", None),
        rule("PUT", "/catalog", "a", None).body(json!({"actions": {}, "reasons": {}})),
        rule("POST", "/announcements", "pa", None).body(json!({"title": "x"})),
        // The actor and the sender are Alice.
        rule("POST", "/reminders", "pia", None)
            .body(json!({"actor": "alice", "action": "like", "target": target})),
        rule("POST", "/messages", "pia", None).body(json!({"to": "bob", "from": "alice", "body": "x"})),
        // The message is Alice's; for a publisher that did not post it, it does not exist.
        rule("DELETE", "/notifications/{msgid}", "pia", None),
        rule("PATCH", "/notifications/{msgid}", "pia", None).body(json!({"body": "x"})),
        rule("GET", "/notifications/{msgid}/answer", "pia", None),
        rule("GET", "/announcements/{msgid}/readers", "pia", None),
        rule("GET", "/subscriptions", "pia", Some("pa")),
        rule("PUT", "/subscriptions", "pia", Some("pa")).body(json!({"target": target, "actions": ["like"]})),
        rule("DELETE", "/subscriptions", "pia", Some("pa")).example_path("/subscriptions?type=article&id=1"),
        rule("GET", "/follows", "pia", Some("pa")),
        rule("GET", "/follows/{user}", "pia", Some("pa")).example_path("/follows/bob"),
        rule("PUT", "/follows/{user}", "pia", Some("pa")).example_path("/follows/bob"),
        rule("DELETE", "/follows/{user}", "pia", Some("pa")).example_path("/follows/bob"),
        rule("GET", "/preferences", "pia", Some("pa")),
        rule("PATCH", "/preferences", "pia", Some("pa")).body(json!({"actions": {}})),
        rule("GET", "/sync", "ia", Some("a")),
        rule("GET", "/inbox", "ia", Some("a")),
        rule("GET", "/unread", "ia", Some("a")),
        rule("POST", "/inbox/ops", "ia", Some("a")).body(json!({"ops": []})),
        rule("GET", "/conversations", "ia", Some("a")),
        rule("GET", "/conversations/{id}/messages", "ia", Some("a"))
            .example_path("/conversations/user:bob/messages"),
        rule("PUT", "/conversations/{id}/read", "ia", Some("a"))
            .example_path("/conversations/user:bob/read")
            .body(json!({"through": "none"})),
        rule("GET", "/views/{code}/{id}", "ia", Some("a")).example_path("/views/announcements/all"),
        rule("PUT", "/views/{code}/{id}", "ia", Some("a")).example_path("/views/announcements/all"),
        rule("GET", "/events", "ia", Some("a")),
        rule("POST", "/groups", "ia", Some("a")).body(json!({"name": "x"})),
        rule("GET", "/groups", "ia", Some("a")),
        // The group is Alice's; Mallory is no member.
        rule("GET", "/groups/{gid}", "ia", None).example_path("/groups/team"),
        rule("PATCH", "/groups/{gid}", "ia", None).example_path("/groups/team").body(json!({"name": "Team"})),
        rule("DELETE", "/groups/{gid}", "ia", None).example_path("/groups/{group}"),
        rule("GET", "/groups/{gid}/members", "ia", None).example_path("/groups/team/members"),
        rule("PUT", "/groups/{gid}/members/{uid}", "ia", None).example_path("/groups/team/members/bob"),
        rule("DELETE", "/groups/{gid}/members/{uid}", "ia", None).example_path("/groups/team/members/bob"),
        rule("POST", "/groups/{gid}/messages", "pia", None)
            .example_path("/groups/team/messages")
            .body(json!({"from": "alice", "body": "x"})),
        rule("GET", "/groups/{gid}/messages/{msgid}/receipts", "ia", None)
            .example_path("/groups/team/messages/{msgid}/receipts"),
        rule("GET", "/receipts", "ia", Some("a")),
        rule("POST", "/receipts/ack", "ia", Some("a")).body(later),
        rule("GET", "/topics", "a", None),
        rule("PUT", "/topics/{topic}", "a", None).example_path("/topics/nas").body(json!({"name": "NAS"})),
        rule("GET", "/topics/{topic}", "a", None).example_path("/topics/nas"),
        rule("POST", "/topics/{topic}/try", "a", None).example_path("/topics/nas/try").body(json!({})),
        rule("DELETE", "/topics/{topic}", "a", None).example_path("/topics/nas"),
    ]
}

/// A token and a message of Alice's, which routes name in their paths.
struct Resources {
    token: String,
    msgid: String,
    /// The id of a group of hers.
    group: String,
}

/// The kinds of token, each with the letter by which a rule names it.
struct Tokens {
    alice: Client,
    mallory: Client,
    publisher: Client,
    admin: Client,
    revoked: Client,
    /// Of a user who was removed.
    removed: Client,
    /// One that reads like a token, and that was never made.
    invented: Client,
    /// That of one of Alice's applications at Gotify's door, which only publishes there.
    application: Client,
    /// That of one of Alice's clients at Gotify's door.
    gotify_client: Client,
    nobody: Client,
}

async fn tokens(s: &Running) -> Tokens {
    let alice = s.user("alice").await;
    s.user("bob").await;
    let mallory = s.user("mallory").await;
    let revoked = s.server.create_token("alice", "old", &[Scope::Admin]).await.unwrap();
    s.server.revoke_token(&revoked.about.id).await.unwrap();
    s.user("carol").await;
    let removed = s.server.create_token("carol", "hers", &[Scope::Admin]).await.unwrap();
    s.admin.delete("users/carol").await.success();
    alice.post("groups", json!({"id": "team", "name": "Team", "members": ["bob"]})).await.is(201);
    let door = |path: &'static str| {
        let alice = alice.clone();
        async move {
            let url = alice.url.trim_end_matches("/api/v1").to_owned();
            let made = reqwest::Client::new().post(format!("{url}{path}")).bearer_auth(&alice.token);
            let made: Value =
                made.json(&json!({"name": "phone"})).send().await.unwrap().json().await.unwrap();
            Client::new(&url, made["token"].as_str().unwrap())
        }
    };
    let (application, gotify_client) = (door("/application").await, door("/client").await);
    let invented: String = revoked.token.chars().map(|c| if c == 'a' { 'b' } else { c }).rev().collect();
    Tokens {
        alice,
        mallory,
        publisher: s.publisher().await,
        admin: s.admin.clone(),
        revoked: Client::new(&s.url, &revoked.token),
        removed: Client::new(&s.url, &removed.token),
        invented: Client::new(&s.url, &format!("tdg_{}", &invented[..invented.len() - 4])),
        application,
        gotify_client,
        nobody: Client::without_token(&s.url),
    }
}

/// Creates Alice's objects anew, as a route that let the request pass may have removed them.
async fn create_resources(s: &Running, alice: &Client) -> Resources {
    let token = s.server.create_token("alice", "spare", &[Scope::Inbox]).await.unwrap().about.id;
    let posted = alice.post("groups/team/messages", json!({"body": "Lunch?"})).await.is(201);
    let group = alice.post("groups", json!({"name": "Spare", "members": []})).await.is(201);
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    Resources { token, msgid: text(&posted["msgid"]), group: text(&group["id"]) }
}

fn is_authorized(status: u16) -> bool {
    !matches!(status, 401 | 403)
}

#[tokio::test]
async fn every_route_of_the_reference_lets_in_whom_it_names_and_nobody_else() {
    let s = start().await;
    let t = tokens(&s).await;
    let mut wrong = Vec::new();
    let mut check = |rule: &Rule, who: &str, status: u16, may: bool, refusal: u16| {
        if is_authorized(status) != may || (!may && status != refusal) {
            wrong.push(format!("{} {who}: {status}, may: {may}", rule.name()));
        }
        assert_ne!(status / 100, 5, "{} {who}: {status}", rule.name());
    };
    for rule in rules() {
        let refused = [
            ("no token", &t.nobody),
            ("a revoked token", &t.revoked),
            ("a removed user's token", &t.removed),
            ("an invented token", &t.invented),
        ];
        for (who, client) in refused {
            let resources = create_resources(&s, &t.alice).await;
            check(&rule, who, rule.ask(client, &resources, None).await, rule.public, 401);
        }
        let allowed = [('p', &t.publisher), ('i', &t.alice), ('i', &t.gotify_client), ('a', &t.admin)];
        for (scope, client) in allowed {
            let resources = create_resources(&s, &t.alice).await;
            let may = rule.allowed_scopes.contains(scope);
            let status = rule.ask(client, &resources, None).await;
            check(&rule, &scope.to_string(), status, may, 403);
        }
        // It has no scope. Like any token it may ask for its user and the catalog, and name the publications of its
        // user.
        let resources = create_resources(&s, &t.alice).await;
        let names_own =
            ["/notifications/", "/announcements/{msgid}/"].iter().any(|of| rule.path.starts_with(of));
        let may = rule.public || names_own || matches!((rule.method, rule.path), ("GET", "/me" | "/catalog"));
        let status = rule.ask(&t.application, &resources, None).await;
        check(&rule, "an application's token", status, may, 403);
        let Some(allowed_for_others) = rule.allowed_for_others else { continue };
        for (scope, client) in [('p', &t.publisher), ('i', &t.mallory), ('a', &t.admin)] {
            let resources = create_resources(&s, &t.alice).await;
            let status = rule.ask(client, &resources, Some("alice")).await;
            check(&rule, &format!("{scope} for alice"), status, allowed_for_others.contains(scope), 403);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn what_is_somebody_elses_stays_out_of_reach_by_its_name_too() {
    let s = start().await;
    let t = tokens(&s).await;
    let resources = create_resources(&s, &t.alice).await;
    let stays = |path: &str| {
        let parts = ["/groups/", "/tokens/", "/notifications/", "/announcements/", "/export"];
        parts.iter().any(|part| path.contains(part))
    };
    let named: Vec<Rule> =
        rules().into_iter().filter(|rule| stays(rule.path) && !rule.allowed_scopes.eq("a")).collect();
    assert!(named.len() >= 6, "groups and tokens are named in paths");
    for rule in named {
        let status = rule.ask(&t.mallory, &resources, None).await;
        assert!(matches!(status, 403 | 404), "{}: {status}", rule.name());
    }
    for rule in rules().into_iter().filter(|rule| matches!(rule.path, "/reminders" | "/messages")) {
        assert_eq!(rule.ask(&t.mallory, &resources, None).await, 403, "{} in alice's name", rule.name());
    }
    let left = s.server.tokens(Some("alice")).await.unwrap();
    assert!(left.iter().any(|token| token.id == resources.token), "alice's token was revoked by another");
    assert_eq!(t.alice.get("groups/team").await.is(200)["members"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_route_without_a_line_in_the_table_is_found() {
    let s = start().await;
    let reference = s.admin.get("openapi.json").await.is(200);
    let mut served: Vec<String> = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut for_others: Vec<String> = Vec::new();
    for (path, methods) in reference["paths"].as_object().unwrap() {
        let path = path.strip_prefix("/api/v1").unwrap();
        for (method, about) in methods.as_object().unwrap() {
            let name = format!("{} {path}", method.to_uppercase());
            if about["security"] == json!([]) {
                open.push(name.clone());
            }
            let parameters = about["parameters"].as_array().unwrap();
            if parameters.iter().any(|p| p["in"] == "query" && p["name"] == "user") {
                for_others.push(name.clone());
            }
            served.push(name);
        }
    }
    let table = rules();
    let mut listed: Vec<String> = table.iter().map(Rule::name).collect();
    served.sort();
    listed.sort();
    assert_eq!(listed, served, "each route of the reference has one line in the table");
    for rule in &table {
        assert_eq!(rule.public, open.contains(&rule.name()), "{}: needs a token, or not", rule.name());
        let named = for_others.contains(&rule.name());
        assert!(
            !named || rule.allowed_for_others.is_some(),
            "{}: takes ?user= without saying for whom",
            rule.name()
        );
    }
}

#[tokio::test]
async fn a_token_that_only_publishes_neither_lists_nor_revokes_tokens() {
    let s = start().await;
    let publisher = s.publisher().await;
    let alice = s.user("alice").await;
    let spare = s.server.create_token("press", "spare", &[Scope::Publish]).await.unwrap().about.id;
    publisher.get("tokens").await.problem(403, "forbidden", None);
    publisher.get("tokens?user=press").await.problem(403, "forbidden", None);
    publisher.delete(&format!("tokens/{spare}")).await.problem(403, "forbidden", None);
    alice.get("tokens?user=press").await.problem(403, "forbidden", None);
    alice.delete(&format!("tokens/{spare}")).await.problem(404, "not_found", None);
    s.admin.delete(&format!("tokens/{spare}")).await.is(204);
    publisher.get("me").await.is(200);
}

#[tokio::test]
async fn outside_the_reference_only_admin_reads_the_numbers_of_the_server() {
    let s = start().await;
    let t = tokens(&s).await;
    for (client, may) in
        [(&t.nobody, 401), (&t.revoked, 401), (&t.publisher, 403), (&t.alice, 403), (&t.admin, 200)]
    {
        assert_eq!(client.get("/metrics").await.status.as_u16(), may);
    }
}

/// The doors outside of the reference: webhooks, ntfy's and Gotify's, `UnifiedPush` and Matrix, files, documents and numbers.
const DOORS: &[(&str, &str)] = &[
    ("POST", "/hooks/alerts"),
    ("PUT", "/"),
    ("POST", "/alerts"),
    ("GET", "/alerts?up=1"),
    ("GET", "/alerts/publish?message=x"),
    ("GET", "/alerts/send?message=x"),
    ("GET", "/alerts/trigger"),
    ("PUT", "/alerts/1/read"),
    ("DELETE", "/alerts/1"),
    ("GET", "/alerts/auth"),
    ("GET", "/alerts/json"),
    ("GET", "/alerts/json?poll=1"),
    ("GET", "/alerts/sse"),
    ("GET", "/alerts/raw"),
    ("GET", "/alerts/ws"),
    ("GET", "/v1/health"),
    ("GET", "/v1/account"),
    ("GET", "/v1/stats"),
    ("GET", "/_matrix/push/v1/notify"),
    ("POST", "/_matrix/push/v1/notify"),
    ("POST", "/message"),
    ("GET", "/message"),
    ("DELETE", "/message"),
    ("GET", "/stream"),
    ("GET", "/application"),
    ("POST", "/application"),
    ("POST", "/client"),
    ("GET", "/current/user"),
    ("GET", "/version"),
    ("GET", "/health"),
    ("GET", "/file/AAAAAAAAAAAAAAAAAAAAAA.png"),
    ("GET", "/docs"),
    ("GET", "/metrics"),
    ("OPTIONS", "/alerts"),
];

#[tokio::test]
async fn no_route_answers_a_page_of_another_origin_or_by_another_name() {
    let s = start_with(|c| c.open_publish = true).await;
    let api = rules().into_iter().map(|rule| (rule.method, format!("/api/v1{}", rule.example_path)));
    let doors = DOORS.iter().map(|(method, path)| (*method, (*path).to_owned()));
    // What a browser says of a page that fetches, posts a form, opens a channel, or was given another address for its name.
    let said = [
        ("origin", "https://evil.example", 403),
        ("origin", "null", 403),
        ("origin", "http://localhost:1", 403),
        ("sec-fetch-site", "cross-site", 403),
        ("sec-fetch-site", "same-site", 403),
        ("host", "evil.example", 421),
    ];
    for (method, path) in api.chain(doors) {
        for (name, value, status) in said {
            let mut request = s.admin.request(method.parse().unwrap(), &path).header(name, value);
            if path.ends_with("/ws") || path == "/stream" {
                request = request
                    .header("connection", "upgrade")
                    .header("upgrade", "websocket")
                    .header("sec-websocket-version", "13")
                    .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
            }
            let answer = request.send().await.unwrap();
            assert_eq!(answer.status().as_u16(), status, "{method} {path}, {name}: {value}");
            let names: Vec<_> = answer.headers().keys().map(|name| name.as_str().to_owned()).collect();
            assert!(
                !names.iter().any(|name| name.starts_with("access-control")),
                "{method} {path}: {names:?}"
            );
        }
    }
    assert_eq!(s.admin.inbox().await, Vec::<Value>::new(), "nothing was published");
    s.holds_together().await;
}
