//! Tests of mail: messages over real sockets, their notifications, and the refused ones.

use std::net::SocketAddr;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use tidings_model::wire::Scope;
use tidings_server::{RateLimit, ServerConfig};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::support::{Client, Running, SHUTDOWN_TIMEOUT, TEST_TIMEOUT, start_with, until};

/// A connection over which a test sends mail.
struct Dialogue {
    stream: BufReader<TcpStream>,
}

impl Dialogue {
    /// Connects and reads the greeting.
    async fn open(address: SocketAddr) -> Self {
        let mut dialogue = Self { stream: BufReader::new(TcpStream::connect(address).await.unwrap()) };
        assert_eq!(dialogue.reply().await.0, 220);
        dialogue
    }

    /// Connects and says who it is.
    async fn greeted(address: SocketAddr) -> Self {
        let mut dialogue = Self::open(address).await;
        assert_eq!(dialogue.say("EHLO test").await.0, 250);
        dialogue
    }

    async fn write(&mut self, text: impl AsRef<[u8]>) {
        self.stream.get_mut().write_all(text.as_ref()).await.unwrap();
    }

    /// The next reply: its code, and its lines.
    async fn reply(&mut self) -> (u16, String) {
        let mut text = String::new();
        loop {
            let mut line = String::new();
            let read = tokio::time::timeout(TEST_TIMEOUT, self.stream.read_line(&mut line));
            assert!(read.await.expect("a reply").unwrap() > 0, "the connection ended after {text:?}");
            text += &line;
            if line.as_bytes().get(3) != Some(&b'-') {
                return (line[..3].parse().unwrap(), text);
            }
        }
    }

    async fn say(&mut self, command: &str) -> (u16, String) {
        self.write(format!("{command}\r\n")).await;
        self.reply().await
    }

    /// Sends a message to addresses, with dots doubled; the last reply.
    async fn mail(&mut self, to: &[&str], message: &[u8]) -> (u16, String) {
        assert_eq!(self.say("MAIL FROM:<ana@example.org>").await.0, 250);
        for to in to {
            let refused = self.say(&format!("RCPT TO:<{to}>")).await;
            if refused.0 != 250 {
                return refused;
            }
        }
        assert_eq!(self.say("DATA").await.0, 354);
        self.write(message).await;
        self.say("\r\n.").await
    }

    /// Waits for the end of the connection.
    async fn ended(mut self) {
        let mut rest = Vec::new();
        let read = tokio::time::timeout(TEST_TIMEOUT, self.stream.read_to_end(&mut rest));
        drop(read.await.expect("it ends"));
    }
}

async fn standalone(configure: impl FnOnce(&mut ServerConfig)) -> (Running, Client) {
    let s = start_with(|c| {
        c.open_publish = true;
        c.standalone_owner = Some("me".to_owned());
        configure(c);
    })
    .await;
    let me = s.token("me", &[Scope::Inbox]).await;
    (s, me)
}

async fn newest(me: &Client) -> Value {
    me.inbox().await[0].clone()
}

fn with_files(id: &str, files: &[(&str, &[u8])]) -> String {
    let parts: Vec<String> = files
        .iter()
        .map(|(name, bytes)| {
            let encoded = STANDARD.encode(bytes);
            let lines: Vec<&str> = encoded.as_bytes().chunks(76).map(|l| std::str::from_utf8(l).unwrap()).collect();
            format!(
                "--x\r\nContent-Disposition: attachment; filename=\"{name}\"\r\nContent-Type: application/octet-stream\r\n\
                 Content-Transfer-Encoding: base64\r\n\r\n{}\r\n",
                lines.join("\r\n")
            )
        })
        .collect();
    format!(
        "Subject: Report\r\nMessage-ID: <{id}>\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n\
         --x\r\nContent-Type: text/plain\r\n\r\nSee the files\r\n{}--x--\r\n",
        parts.concat()
    )
}

#[tokio::test]
async fn a_mail_of_a_program_on_this_machine_is_a_notification() {
    let (s, me) = standalone(|_| {}).await;
    let mut dialogue = Dialogue::open(s.mail).await;
    let (_, features) = dialogue.say("EHLO nas").await;
    assert!(features.contains("250-AUTH PLAIN LOGIN") && features.contains("SIZE 8388608"), "{features}");
    let message = "Subject: =?UTF-8?Q?Backup_f=C3=BCr?= NAS\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\
        Done in 12 minutes\r\n..hidden dot\r\n";
    assert_eq!(dialogue.mail(&["backups@tidings"], message.as_bytes()).await.0, 250);
    let item = newest(&me).await;
    assert_eq!((&item["title"], &item["actor"]["id"]), (&json!("Backup für NAS"), &json!("backups")));
    assert_eq!(item["body"], "Done in 12 minutes\n.hidden dot");
    let html =
        "Subject: Page\r\nContent-Type: text/html\r\n\r\n<style>p{}</style><p>One <b>&amp;</b> two</p>";
    assert_eq!(dialogue.mail(&["backups@tidings"], html.as_bytes()).await.0, 250);
    let body = newest(&me).await["body"].as_str().unwrap().to_owned();
    assert!(
        body.contains("One") && body.contains('&') && !body.contains('<') && !body.contains("p{"),
        "{body}"
    );
    assert_eq!(dialogue.mail(&["backups@tidings"], b"Subject: Only a subject\r\n").await.0, 250);
    assert_eq!(newest(&me).await["body"], "Only a subject");
    assert_eq!(dialogue.say("QUIT").await.0, 221);
    dialogue.ended().await;
    let seen = me.get("/backups/json?poll=1&since=latest").await.is(200);
    assert_eq!(seen["message"], "Only a subject", "ntfy's readers see it, too");
    s.holds_together().await;
}

#[tokio::test]
async fn a_dialogue_as_programs_write_it_by_hand_is_understood_in_one_piece() {
    let (s, me) = standalone(|_| {}).await;
    let mut dialogue = Dialogue::open(s.mail).await;
    dialogue
        .write("ehlo example.com\r\nMAIL FROM: phil@example.com\r\nrcpt to: alerts@x\r\nDATA\r\nSubject: Hello\r\n\r\nText\r\n.\r\nNOOP\r\n")
        .await;
    for code in [250, 250, 250, 354, 250, 250] {
        assert_eq!(dialogue.reply().await.0, code);
    }
    assert_eq!(newest(&me).await["body"], "Text");
    for (command, code) in [
        ("VRFY ana", 252),
        ("STARTTLS", 502),
        ("NONSENSE", 500),
        ("DATA", 503),
        ("RCPT TO:<a@b>", 503),
        ("MAIL FROM:<a@b> SIZE=999999999", 552),
        ("RSET", 250),
    ] {
        assert_eq!(dialogue.say(command).await.0, code, "{command}");
    }
    assert_eq!(Dialogue::open(s.mail).await.say("MAIL FROM:<a@b>").await.0, 503, "nobody said who it is");
}

#[tokio::test]
async fn tokens_are_taken_in_the_address_and_by_auth_and_nothing_else_opens_the_door() {
    let s = start_with(|_| {}).await;
    let alice = s.user("alice").await;
    let target = json!({"type": "topic", "id": "nas"});
    alice.put("subscriptions", json!({"target": target, "actions": ["publish"]})).await.is(200);
    let message = b"Subject: Hello\r\n\r\nText";
    let token = &alice.token;
    let mut nobody = Dialogue::greeted(s.mail).await;
    assert_eq!(nobody.mail(&["nas@x"], message).await.0, 550, "without open publishing a token is needed");
    assert_eq!(nobody.say("RCPT TO:<nas+tdg_wrong@x>").await.0, 550);
    assert_eq!(nobody.mail(&[&format!("nas+{token}@x")], message).await.0, 250);
    let base64 = |text: &str| STANDARD.encode(text);
    nobody.say("MAIL FROM:<a@b>").await;
    assert_eq!(
        nobody.say(&format!("AUTH PLAIN {}", base64("\0ana\0wrong"))).await.0,
        503,
        "not within a mail"
    );
    nobody.say("RSET").await;
    assert_eq!(nobody.say(&format!("AUTH PLAIN {}", base64("\0ana\0tdg_wrong"))).await.0, 535);
    assert_eq!(nobody.say("AUTH PLAIN !!!").await.0, 501);
    assert_eq!(nobody.say("AUTH CRAM-MD5").await.0, 504);
    let mut plain = Dialogue::greeted(s.mail).await;
    assert_eq!(plain.say(&format!("AUTH PLAIN {}", base64(&format!("\0any\0{token}")))).await.0, 235);
    assert_eq!(plain.mail(&["nas@x"], message).await.0, 250);
    let mut login = Dialogue::greeted(s.mail).await;
    assert_eq!(login.say("AUTH LOGIN").await.0, 334);
    assert_eq!(login.say(&base64("any")).await.0, 334);
    assert_eq!(login.say(&base64(token)).await.0, 235);
    assert_eq!(login.mail(&["nas@x"], message).await.0, 250);
    assert_eq!(alice.unread("reminder").await, 3);
    let id = s.server.tokens(Some("alice")).await.unwrap()[0].id.clone();
    s.server.revoke_token(&id).await.unwrap();
    assert_eq!(login.mail(&["nas@x"], message).await.0, 550, "a revoked token ends with the next mail");
}

#[tokio::test]
async fn only_topics_of_the_configured_domain_get_mail() {
    let (s, me) = standalone(|c| {
        c.mail.domain = Some("mail.example".to_owned());
        c.mail.address_prefix = "ntfy-".to_owned();
    })
    .await;
    let mut dialogue = Dialogue::greeted(s.mail).await;
    for other in [
        "ana@elsewhere.example",
        "nas@mail.example",
        "ntfy-nas@elsewhere.example",
        "ntfy-api@mail.example",
        "ntfy-a.b@mail.example",
    ] {
        assert_eq!(dialogue.mail(&[other], b"").await.0, 550, "{other}");
    }
    let to = ["ntfy-nas@MAIL.example", "ntfy-home@mail.example"];
    assert_eq!(dialogue.mail(&to, b"Subject: Both\r\n\r\nText").await.0, 250);
    assert_eq!(me.unread("reminder").await, 2);
    assert_eq!(dialogue.say("MAIL FROM:<>").await.0, 250);
    for _ in 0..20 {
        assert_eq!(dialogue.say("RCPT TO:<ntfy-t@mail.example>").await.0, 250);
    }
    assert_eq!(dialogue.say("RCPT TO:<ntfy-t@mail.example>").await.0, 452);
}

#[tokio::test]
async fn a_mail_that_is_delivered_again_is_published_once_on_each_topic() {
    let (s, me) = standalone(|_| {}).await;
    let token = &me.token;
    let (one, two) = (format!("one+{token}@x"), format!("two+{token}@x"));
    let message = b"Message-ID: <42@example.org>\r\nSubject: Once\r\n\r\nText";
    for to in [&[one.as_str()][..], &[&one], &[&one, &two], &[&two]] {
        assert_eq!(Dialogue::greeted(s.mail).await.mail(to, message).await.0, 250);
    }
    assert_eq!(me.unread("reminder").await, 2);
    let other = b"Message-ID: <42@example.org>\r\nSubject: Once\r\n\r\nAnother text";
    assert_eq!(Dialogue::greeted(s.mail).await.mail(&[&one], other).await.0, 250);
    assert_eq!(me.unread("reminder").await, 3, "a program that gives all its mails one id loses none");
    let (dir, clock) = s.stop().await;
    let s = crate::support::start_in(dir, clock, |c| c.standalone_owner = Some("me".to_owned())).await;
    assert_eq!(Dialogue::greeted(s.mail).await.mail(&[&one], message).await.0, 250);
    let me = Client::new(&s.url, token);
    assert_eq!(me.unread("reminder").await, 3, "also after a restart");
}

#[tokio::test]
async fn the_first_file_goes_along_where_it_fits_and_the_others_are_named() {
    let (s, me) = standalone(|c| c.files.file_bytes = 300 * 1024).await;
    let token = &me.token;
    let to = format!("reports+{token}@x");
    let first: Vec<u8> = (0..200 * 1024_usize).map(|i| u8::try_from(i % 251).unwrap()).collect();
    let message = with_files("1@x", &[("erste.bin", &first), ("second.txt", b"more")]);
    let mut dialogue = Dialogue::greeted(s.mail).await;
    assert_eq!(dialogue.mail(&[&to], message.as_bytes()).await.0, 250);
    let item = newest(&me).await;
    assert_eq!(item["body"], "See the files\n\nNot kept: second.txt (1 KB)");
    let attachment = &item["attachment"];
    assert_eq!((&attachment["name"], &attachment["size"]), (&json!("erste.bin"), &json!(first.len())));
    let url = attachment["url"].as_str().unwrap();
    let path = url.strip_prefix(&s.url).expect("an address of this server");
    let fetched = me.request(Method::GET, path).send().await.unwrap().bytes().await.unwrap();
    assert_eq!(&fetched[..], &first[..]);
    assert_eq!(dialogue.mail(&[&to], message.as_bytes()).await.0, 250);
    assert_eq!(me.unread("reminder").await, 1, "delivered again, it is known, and so is its file");
    let large = with_files("2@x", &[("large.bin", &vec![7; 400 * 1024])]);
    assert_eq!(dialogue.mail(&[&to], large.as_bytes()).await.0, 250);
    let item = newest(&me).await;
    assert_eq!(
        (&item["attachment"], &item["body"]),
        (&Value::Null, &json!("See the files\n\nNot kept: large.bin (410 KB)"))
    );
    s.holds_together().await;
}

#[tokio::test]
async fn what_is_too_large_is_refused_and_the_connection_goes_on() {
    let (s, me) = standalone(|_| {}).await;
    let mut dialogue = Dialogue::greeted(s.mail).await;
    let large = format!("Subject: Large\r\n\r\n{}", "0123456789abcdef\r\n".repeat(500_000));
    assert_eq!(dialogue.mail(&["t@x"], large.as_bytes()).await.0, 552);
    assert_eq!(dialogue.mail(&["t@x"], b"Subject: Small\r\n\r\nText").await.0, 250);
    assert_eq!(me.unread("reminder").await, 1);
    let body = format!("Subject: Long\r\n\r\n{}", "0123456789abcdef\r\n".repeat(100_000));
    assert_eq!(dialogue.mail(&["t@x"], body.as_bytes()).await.0, 250);
    let kept = newest(&me).await["body"].as_str().unwrap().len();
    assert!((200_000..=256 * 1024).contains(&kept), "the beginning is kept: {kept}");
    dialogue.write(vec![b'x'; 3_000]).await;
    assert_eq!(dialogue.reply().await.0, 500);
    dialogue.ended().await;
}

#[tokio::test]
async fn whoever_is_silent_errs_or_asks_too_often_is_shown_out() {
    let (s, _) = standalone(|c| {
        c.mail.command_timeout = Duration::from_secs(1);
        c.mail.data_timeout = Duration::from_secs(1);
    })
    .await;
    let mut silent = Dialogue::greeted(s.mail).await;
    assert_eq!(silent.reply().await.0, 421);
    silent.ended().await;
    let mut silent_in_a_mail = Dialogue::greeted(s.mail).await;
    silent_in_a_mail.write("MAIL FROM:<a@b>\r\nRCPT TO:<t@x>\r\nDATA\r\nSubject: never").await;
    for code in [250, 250, 354, 421] {
        assert_eq!(silent_in_a_mail.reply().await.0, code);
    }
    silent_in_a_mail.ended().await;
    let mut wrong = Dialogue::greeted(s.mail).await;
    wrong.write("WHAT\r\n".repeat(21)).await;
    for _ in 0..21 {
        assert_eq!(wrong.reply().await.0, 500);
    }
    assert_eq!(wrong.reply().await.0, 421);
    wrong.ended().await;
    let (s, _) = standalone(|c| {
        c.rate = Some(RateLimit { burst: 3, per_second: 1 });
        c.rate_local = true;
    })
    .await;
    let mut greedy = Dialogue::greeted(s.mail).await;
    greedy.say("MAIL FROM:<a@b>").await;
    let mut codes = Vec::new();
    for _ in 0..10 {
        codes.push(greedy.say("RCPT TO:<t@x>").await.0);
    }
    assert!(codes.contains(&450), "{codes:?}");
}

#[tokio::test]
async fn a_page_that_speaks_http_to_the_port_publishes_nothing() {
    let (s, me) = standalone(|_| {}).await;
    let commands =
        "EHLO page\r\nMAIL FROM:<a@b>\r\nRCPT TO:<t@x>\r\nDATA\r\nSubject: Page\r\n\r\nText\r\n.\r\n";
    for head in [
        "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n\r\n",
        "GET / HTTP/1.1\r\n",
        "\x16\x03\x01\r\n",
        "\r\n",
    ] {
        let mut page = Dialogue::open(s.mail).await;
        page.write(format!("{head}{commands}")).await;
        assert_eq!(page.reply().await.0, 421, "{head:?}");
        page.ended().await;
    }
    assert_eq!(me.unread("reminder").await, 0);
}

#[tokio::test]
async fn a_connection_that_waits_longest_makes_way_and_one_that_brings_mail_does_not() {
    let (s, me) = standalone(|_| {}).await;
    let mut open = Vec::new();
    for _ in 0..8 {
        open.push(Dialogue::greeted(s.mail).await);
    }
    // The first has something to say, so that the second waits longest.
    let to = format!("t+{}@x", me.token);
    open[0].say("MAIL FROM:<a@b>").await;
    let mut ninth = Dialogue::greeted(s.mail).await;
    assert_eq!(open[1].reply().await.0, 421, "one makes way");
    assert_eq!(ninth.mail(&[&to], b"Subject: In time\r\n\r\nText").await.0, 250);
    assert_eq!(open[0].say(&format!("RCPT TO:<{to}>")).await.0, 250, "the others stay");
}

/// A connection in the middle of a message.
async fn bringing_mail(s: &Running, token: &str) -> Dialogue {
    let mut dialogue = Dialogue::greeted(s.mail).await;
    dialogue.say("MAIL FROM:<a@b>").await;
    dialogue.say(&format!("RCPT TO:<t+{token}@x>")).await;
    assert_eq!(dialogue.say("DATA").await.0, 354);
    dialogue
}

#[tokio::test]
async fn one_user_has_a_few_connections_and_gets_them_back() {
    let (s, me) = standalone(|_| {}).await;
    let mut open = Vec::new();
    for _ in 0..8 {
        open.push(bringing_mail(&s, &me.token).await);
    }
    let mut refused = Dialogue { stream: BufReader::new(TcpStream::connect(s.mail).await.unwrap()) };
    assert_eq!(refused.reply().await.0, 421);
    refused.ended().await;
    drop(open);
    until("a place is free", || async {
        let mut next = Dialogue { stream: BufReader::new(TcpStream::connect(s.mail).await.unwrap()) };
        next.reply().await.0 == 220
    })
    .await;
}

#[tokio::test]
async fn a_mail_is_accepted_once_it_is_stored_and_the_end_waits_for_it() {
    let (s, me) = standalone(|_| {}).await;
    let token = me.token.clone();
    let (mut idle, mut busy) = (Dialogue::greeted(s.mail).await, Dialogue::greeted(s.mail).await);
    busy.write(format!("MAIL FROM:<a@b>\r\nRCPT TO:<t+{token}@x>\r\nDATA\r\n")).await;
    for code in [250, 250, 354] {
        assert_eq!(busy.reply().await.0, code);
    }
    let blocked_writer = s.block_writer(0);
    busy.write("Subject: In time\r\n\r\nText\r\n.\r\n").await;
    blocked_writer.wait_for_write().await;
    let no_reply = tokio::time::timeout(Duration::from_millis(100), busy.reply());
    assert!(no_reply.await.is_err(), "nothing is accepted before it is stored");
    let stopping = tokio::spawn(s.stop_within(SHUTDOWN_TIMEOUT));
    assert_eq!(idle.reply().await.0, 421);
    drop(blocked_writer);
    assert_eq!(busy.reply().await.0, 250);
    let (dir, clock) = stopping.await.unwrap();
    let s = crate::support::start_in(dir, clock, |c| c.standalone_owner = Some("me".to_owned())).await;
    assert_eq!(newest(&Client::new(&s.url, &token)).await["title"], "In time");
}
