//! Strangers who send what is made to end, fill or stop the server: it lives within its memory, answers in words, and goes on
//! with everything else meanwhile.

use std::{
    process::Command,
    sync::Arc,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::{Value, json};
use support::{client::Client, server::ServerProcess};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    net::TcpStream,
    net::tcp::{OwnedReadHalf, OwnedWriteHalf},
};

/// The memory of the server, and of each of its children.
const MEMORY_BYTES: u64 = 512 * 1024 * 1024;
/// How many of each are sent at once.
const AT_ONCE: usize = 8;

/// A server with little memory, its administrator, a user who publishes, and the address for mail.
async fn small_server() -> (ServerProcess, Client, Client, String) {
    let mut server = ServerProcess::start_with(&["--smtp", "127.0.0.1:0"]);
    let pid = server.process().unwrap().pid().to_string();
    let limited =
        Command::new("prlimit").args(["--pid", &pid, &format!("--data={MEMORY_BYTES}")]).status().unwrap();
    assert!(limited.success());
    let (admin, mail) = (server.admin(), server.mail());
    let ana = admin.user("ana", &["inbox", "publish"]).await;
    (server, admin, ana, mail)
}

/// Asks for the server's health until it is dropped; each answer has to come.
struct Pulse {
    stop: Arc<AtomicBool>,
    beats: Arc<AtomicUsize>,
    task: tokio::task::JoinHandle<()>,
}

impl Pulse {
    fn of(admin: &Client) -> Self {
        let (stop, beats) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
        let (admin, stopped, counted) = (admin.clone(), Arc::clone(&stop), Arc::clone(&beats));
        let task = tokio::spawn(async move {
            while !stopped.load(Ordering::Relaxed) {
                assert!(admin.healthy().await, "the server answers");
                counted.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        Self { stop, beats, task }
    }

    async fn end(self) {
        self.stop.store(true, Ordering::Relaxed);
        self.task.await.unwrap();
        assert!(self.beats.load(Ordering::Relaxed) > 0);
    }
}

/// A connection to the server of mail, on which it waits for a mail to a topic.
async fn recipient(
    address: &str,
    topic: &str,
    token: &str,
) -> (Lines<BufReader<OwnedReadHalf>>, OwnedWriteHalf) {
    let commands = [
        String::new(),
        "HELO me\r\n".to_owned(),
        "MAIL FROM:<me@example.org>\r\n".to_owned(),
        format!("RCPT TO:<{topic}+{token}@example.org>\r\n"),
        "DATA\r\n".to_owned(),
    ];
    'connect: loop {
        let (read, mut write) = TcpStream::connect(address).await.unwrap().into_split();
        let mut replies = BufReader::new(read).lines();
        let mut reply = String::new();
        for command in &commands {
            let _ = write.write_all(command.as_bytes()).await;
            reply = replies.next_line().await.ok().flatten().unwrap_or_else(|| "421".to_owned());
            if reply.starts_with("421") {
                // The place of a connection that ended is not free yet, or another one needs this place.
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue 'connect;
            }
            assert!(reply.starts_with(['2', '3']), "{command}{reply}");
        }
        assert!(reply.starts_with("354"), "{reply}");
        return (replies, write);
    }
}

/// Sends a mail to a topic; the last reply.
async fn mail(address: &str, topic: &str, token: &str, raw: &[u8]) -> String {
    let (mut replies, mut write) = recipient(address, topic, token).await;
    // A server that has no room for it says so before all of it came.
    let sent = async {
        write.write_all(raw).await?;
        write.write_all(b"\r\n.\r\n").await
    };
    let ended = sent.await.is_err();
    let reply = replies.next_line().await.ok().flatten();
    reply.unwrap_or_else(|| if ended { "451 busy".to_owned() } else { "no reply".to_owned() })
}

/// The mails, each with what its reply begins with.
fn mails() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let digests = (0..100_000)
        .map(|n| format!("Content-Type: multipart/digest; boundary=b{n}\r\n\r\n--b{n}\r\n"))
        .collect::<Vec<_>>()
        .concat();
    let continuations = (0..700_000).map(|n| format!(";n*{n}=a")).collect::<Vec<_>>().concat();
    let page = format!("Content-Type: text/html\r\n\r\n{}", "<div>&amp;".repeat(800_000));
    let with_parts = "Content-Type: multipart/mixed; boundary=x\r\n\r\n".to_owned();
    vec![
        ("mails in mails", "Content-Type: message/rfc822\r\n\r\n".repeat(60_000).into_bytes(), "250"),
        ("digests in digests", digests.into_bytes(), "250"),
        ("continuations", format!("Content-Type: text/plain{continuations}\r\n\r\nx").into_bytes(), "554"),
        ("parts", (with_parts + &"--x\r\n\r\n".repeat(1_000_000)).into_bytes(), "554"),
        ("one long head", format!("Subject: {}\r\n\r\nx", "=?utf-8?q?a".repeat(600_000)).into_bytes(), "554"),
        ("a long page", page.into_bytes(), "250"),
        ("blank lines", format!("Subject: a\r\n\r\n{}", "\r\n".repeat(3_900_000)).into_bytes(), "250"),
    ]
}

#[tokio::test]
async fn no_mail_ends_the_server_or_is_to_be_sent_again() {
    let (mut server, admin, ana, address) = small_server().await;
    let pulse = Pulse::of(&admin);
    for (what, raw, reply) in mails() {
        let alone = mail(&address, "inbox", &ana.token, &raw).await;
        assert!(alone.starts_with(reply), "{what}: {alone}");
        let raw = Arc::new(raw);
        let all = (0..AT_ONCE).map(|n| {
            let (address, token, raw) = (address.clone(), ana.token.clone(), Arc::clone(&raw));
            // No more than eight connections of one address are taken at once.
            tokio::spawn(async move { mail(&address, &format!("inbox{n}"), &token, &raw).await })
        });
        for sent in all.collect::<Vec<_>>() {
            let reply = sent.await.unwrap();
            // Of eight large ones at once, some wait for room, and longer than they may.
            assert!(reply.starts_with(['2', '5']) || reply.starts_with("451"), "{what}: {reply}");
        }
    }
    pulse.end().await;
    server.stop();
}

/// Templates of a topic, each of which takes too much, and a word of the reason.
const TEMPLATES: [(&str, &str); 14] = [
    ("{{ 'a'|indent(1000000000000, true) }}", "memory"),
    ("{{ [1]|batch(10000000000, 'x') }}", "memory"),
    ("{{ '%2000000000d'|format(1) }}", "memory"),
    ("{{ [[1]]|tojson(indent=10000000000) }}", "memory"),
    ("{% set x = 'ab' %}{% set ns = [x] %}{{ (text * 100000000) ~ (text * 100000000) }}", "memory"),
    ("{{ (text * 50000000)|replace('a', 'aaaaaaaa') }}", "memory"),
    ("{{ (([text] * 50000000)|list)|length }}", "memory"),
    ("{{ ([text] * 50000000)|join(text * 1000) }}", "memory"),
    ("{{ [1, 2]|slice(100000000)|list|length }}", ""),
    ("{{ ([1, 2] * 50000000)|sort|length }}", ""),
    ("{{ (range(100000)|list * 900)|unique|length }}", ""),
    ("{% for a in range(99999) %}{% for b in range(99999) %}{{ b }}{% endfor %}{% endfor %}", "steps"),
    ("{{ text|string * 100000000 in (text * 99999999) }}", ""),
    ("{{ ((range(100000)|list * 900)|map('string')|list)|join }}", ""),
];

#[tokio::test]
async fn no_template_of_a_topic_ends_the_server_and_each_payload_arrives_with_the_reason() {
    let (mut server, admin, ana, _) = small_server().await;
    let pulse = Pulse::of(&admin);
    for (n, (template, reason)) in TEMPLATES.into_iter().enumerate() {
        let topic = format!("t{n}");
        admin.put(&format!("topics/{topic}"), json!({"template": template})).await.success();
        let payload = json!({"text": "a", "n": 1});
        let hook = || ana.request(Method::POST, &format!("/hooks/{topic}")).json(&payload);
        ana.send(hook()).await.is(200);
        let arrived = messages(&ana, &topic).await;
        assert_eq!(arrived.len(), 1, "{template}");
        let first = arrived[0]["message"].as_str().unwrap();
        assert!(first.starts_with("The template of this topic failed, `"), "{template}: {first}");
        assert!(first.contains(reason) && first.contains("\"text\": \"a\""), "{template}: {first}");
    }
    let topics: Vec<String> = (0..TEMPLATES.len()).map(|n| format!("t{n}")).collect();
    for topics in topics.chunks(AT_ONCE) {
        let hook =
            |topic: &String| ana.request(Method::POST, &format!("/hooks/{topic}")).json(&json!({"n": 2}));
        let all: Vec<_> = topics.iter().map(|topic| tokio::spawn(hook(topic).send())).collect();
        for sent in all {
            assert_eq!(sent.await.unwrap().unwrap().status(), 200);
        }
        for topic in topics {
            let arrived = messages(&ana, topic).await;
            let last = arrived[1]["message"].as_str().unwrap();
            assert!(last.starts_with("The template of this topic failed, `"), "{topic}: {last}");
        }
    }
    // Constants are put together when a template is read.
    let constants = format!("{{{{ {} }}}}", ["'a' * 100000000"; 9].join(" ~ "));
    for template in [constants.as_str(), "{{ ---1 }}"] {
        let answer = admin.put("topics/constants", json!({"template": template})).await;
        assert!(answer.status == 200 || answer.status == 400, "{template}: {}", answer.status);
    }
    let operators = format!("{{{{ {}1 }}}}", "-".repeat(16_000));
    admin.put("topics/operators", json!({"template": operators})).await.problem(
        400,
        "invalid",
        Some("template"),
    );
    pulse.end().await;
    server.stop();
}

/// What was published on a topic, oldest first.
async fn messages(ana: &Client, topic: &str) -> Vec<Value> {
    let answer = ana.request(Method::GET, &format!("/{topic}/json?poll=1&since=all")).send().await.unwrap();
    let text = answer.text().await.unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn no_template_of_a_publication_and_no_json_ends_the_server() {
    let (mut server, admin, ana, _) = small_server().await;
    let pulse = Pulse::of(&admin);
    let body = json!({"t": "x".repeat(200_000)}).to_string();
    let functions = ["toJson", "print", "sortAlpha", "cat", "printf \"%v\"", "println", "join \"\"", "quote"];
    let doubled = functions.map(|function| {
        format!(
            "{{{{$l := list .t}}}}{{{{range 20}}}}{{{{$l = concat $l $l}}}}{{{{end}}}}{{{{{function} $l}}}}"
        )
    });
    let chain = "{{if .x}}".to_owned() + &"{{else if .x}}".repeat(300) + "{{end}}";
    for template in doubled.iter().chain([&chain]) {
        let publish = || {
            let request =
                ana.request(Method::POST, "/filled").query(&[("template", "yes"), ("message", template)]);
            request.body(body.clone())
        };
        let all: Vec<_> = (0..=AT_ONCE).map(|_| tokio::spawn(publish().send())).collect();
        for sent in all {
            let answer = sent.await.unwrap().unwrap();
            let (status, said) = (answer.status(), answer.text().await.unwrap());
            assert!(status == 400 && said.contains("template"), "{template}: {status} {said}");
        }
    }
    // JSON at its bounds and beyond, at every door that takes it.
    let deep = format!("{}{}", "[".repeat(60), "]".repeat(60));
    let many = format!("[{}]", vec!["{}"; 30_000].join(","));
    let beyond = [format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000)), "[".repeat(4_000_000)];
    let extras = format!("{{\"message\":\"m\",\"extras\":{{\"a\":{deep}}}}}");
    let notification = format!("{{\"notification\":{{\"devices\":{many},\"content\":{deep}}}}}");
    let topic_json = format!("{{\"topic\":\"filled\",\"message\":\"m\",\"actions\":{many}}}");
    let bodies: Vec<&str> = [&deep, &many, &extras, &notification, &topic_json]
        .into_iter()
        .chain(&beyond)
        .map(String::as_str)
        .collect();
    for path in ["/hooks/filled", "/message", "/_matrix/push/v1/notify", "/", "/filled?template=yes"] {
        for body in &bodies {
            let send = || ana.request(Method::POST, path).body((*body).to_owned()).send();
            let all: Vec<_> = (0..=AT_ONCE).map(|_| tokio::spawn(send())).collect();
            for sent in all {
                let answer = sent.await.unwrap().unwrap();
                let (status, said) = (answer.status(), answer.text().await.unwrap());
                let waits = status == 503 && said.contains("busy");
                assert!((!status.is_server_error() || waits) && !said.is_empty(), "{path}: {status} {said}");
            }
        }
    }
    pulse.end().await;
    server.stop();
}

/// Waits until the server has marked an input of this kind, and ends it at that very point.
async fn kill_at_the_mark(server: &mut ServerProcess, kind: &str) {
    let folder = server.data_dir().join("parsing");
    let is_marked = || {
        let files = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|file| file.path());
        let marks = files.filter(|path| path.extension().is_some_and(|end| end == "mark"));
        marks.filter_map(|path| std::fs::read_to_string(path).ok()).any(|mark| mark.contains(kind))
    };
    let begun = Instant::now();
    while !is_marked() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no {kind} was marked");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    server.kill();
}

#[tokio::test]
async fn a_mail_and_a_payload_at_which_the_server_is_killed_are_not_read_again_and_not_lost() {
    let (mut server, admin, ana, address) = small_server().await;
    // Each takes a while.
    let raw = format!("Subject: Slow\r\nContent-Type: text/html\r\n\r\n{}", "<div>&amp;\r\n".repeat(600_000));
    let template = json!({"template": "{{ ([1, 2] * 50000000)|sort|length }}"});
    admin.put("topics/slow", template).await.success();
    let payload = || ana.request(Method::POST, "/hooks/slow").json(&json!({"text": "a"}));

    let sent = tokio::spawn({
        let (address, token, raw) = (address.clone(), ana.token.clone(), raw.clone());
        async move { mail(&address, "inbox", &token, raw.as_bytes()).await }
    });
    kill_at_the_mark(&mut server, "\"mail\"").await;
    assert!(!sent.await.unwrap().starts_with('2'), "it was not taken");
    server.restart();
    let sent = tokio::spawn(payload().send());
    kill_at_the_mark(&mut server, "\"hook\"").await;
    assert!(sent.await.unwrap().is_err(), "it was not answered");
    server.restart();

    let address = server.mail();
    let begun = Instant::now();
    let reply = mail(&address, "inbox", &ana.token, raw.as_bytes()).await;
    assert!(reply.starts_with("250"), "{reply}");
    ana.send(payload()).await.is(200);
    println!("passed by in {:?}", begun.elapsed());
    for topic in ["inbox", "slow"] {
        let [told] = &messages(&ana, topic).await[..] else { panic!("{topic}: it is there once") };
        assert!(told["message"].as_str().unwrap().contains("so it is shown as it came"), "{told}");
    }
    // What was read leaves no mark.
    assert!(mail(&address, "inbox", &ana.token, b"Subject: Other\r\n\r\nText").await.starts_with("250"));
    assert_eq!(messages(&ana, "inbox").await[1]["title"], "Other");
    let left = std::fs::read_dir(server.data_dir().join("parsing")).unwrap().flatten();
    assert!(left.map(|file| file.path()).all(|path| path.extension().is_none_or(|end| end != "mark")));
    server.stop();
}
