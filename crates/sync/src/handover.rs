//! How another process of the same person asks the one that holds the inbox to pull, or to look anew.
//! Refuses everyone who can't read `app.json`, which only the folder's owner can.

use std::{
    collections::BTreeMap,
    fs, io,
    net::Ipv4Addr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
    time::timeout,
};

use crate::{Engine, tokens::write_private};

/// The lock in the data folder that whoever pulls its sources holds: `inbox.lock`.
pub const LOCK: &str = "inbox";

/// Where to ask, in the data folder.
const FILE: &str = "app.json";
/// A question is one short line.
const LONGEST: u64 = 4_096;
/// How long a question may take to arrive.
const PATIENCE: Duration = Duration::from_secs(5);

/// What can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// Pull every source now, and answer when it is done.
    Pull,
    /// The replica or its sources were changed from outside: look at them anew, and send what waits.
    Look,
    /// Nothing; the connection ends when the process does.
    Stay,
}

/// The answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Sources that could not be pulled: the name, or the address where it has none, and why, in English.
    #[serde(default)]
    pub failed: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
struct Place {
    port: u16,
    secret: String,
}

#[derive(Serialize, Deserialize)]
struct Question {
    secret: String,
    ask: Ask,
}

/// Answers for as long as it lives.
pub struct Desk {
    file: PathBuf,
    task: JoinHandle<()>,
}

impl Desk {
    /// Listens on a free port of the loopback and writes it, with a secret, to `app.json` (mode 0600).
    /// `looked` is called when somebody changed the replica from outside.
    pub async fn open(
        data_dir: &Path,
        engine: Engine,
        looked: impl Fn() + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let place =
            Place { port: listener.local_addr()?.port(), secret: format!("{:032x}", rand::random::<u128>()) };
        let file = data_dir.join(FILE);
        write_private(&file, &serde_json::to_vec(&place)?)?;
        let secret: Arc<str> = place.secret.into();
        let looked = Arc::new(looked);
        let task = tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                };
                let (engine, secret, looked) = (engine.clone(), secret.clone(), looked.clone());
                tokio::spawn(async move {
                    if let Err(error) = answer(stream, &engine, &secret, &*looked).await {
                        tracing::debug!(%error, "a question of another process went unanswered");
                    }
                });
            }
        });
        Ok(Self { file, task })
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.task.abort();
        // What is left of it points nowhere and is overwritten by the next one.
        let _ = fs::remove_file(&self.file);
    }
}

async fn answer(
    stream: TcpStream,
    engine: &Engine,
    secret: &str,
    looked: &(dyn Fn() + Send + Sync),
) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    timeout(PATIENCE, (&mut stream).take(LONGEST).read_line(&mut line)).await??;
    let question: Question = serde_json::from_str(&line)?;
    if question.secret != secret {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let answer = match question.ask {
        Ask::Pull => {
            // A source that was added from outside is pulled too.
            engine.reload().await.map_err(io::Error::other)?;
            let names = engine.names().await.map_err(io::Error::other)?;
            let outcomes = engine.pull_and_wait().await;
            let failed = outcomes.into_iter().filter_map(|(id, outcome)| {
                Some((names.get(&id).cloned().unwrap_or_else(|| id.to_string()), outcome.err()?.to_string()))
            });
            Answer { failed: failed.collect() }
        }
        Ask::Look => {
            engine.reload().await.map_err(io::Error::other)?;
            engine.flush();
            looked();
            Answer::default()
        }
        Ask::Stay => {
            // Until the other end hangs up, or this process ends.
            stream.read_to_end(&mut Vec::new()).await?;
            return Ok(());
        }
    };
    let mut text = serde_json::to_vec(&answer)?;
    text.push(b'\n');
    stream.write_all(&text).await?;
    stream.shutdown().await
}

/// Asks the process that holds the inbox of this folder. None where nobody is there to be asked.
pub async fn ask(data_dir: &Path, ask: Ask) -> Option<Answer> {
    let place: Place = serde_json::from_slice(&fs::read(data_dir.join(FILE)).ok()?).ok()?;
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, place.port)).await.ok()?;
    let mut stream = BufReader::new(stream);
    let mut text = serde_json::to_vec(&Question { secret: place.secret, ask }).ok()?;
    text.push(b'\n');
    stream.write_all(&text).await.ok()?;
    let mut line = String::new();
    stream.read_line(&mut line).await.ok()?;
    if ask == Ask::Stay {
        return Some(Answer::default());
    }
    serde_json::from_str(&line).ok()
}
