//! A child, as the program sees it that started it.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

use crate::{CHILD_ARGUMENT, Failure, Parser, child, frame};

/// The most bytes that are kept of a child's output when it is aborted.
const MAX_LAST_WORDS: u64 = 4 << 10;
/// How long a child takes to end once its pipes are closed.
const ENDS_WITHIN: Duration = Duration::from_secs(5);
/// The variables of the environment that a child needs to start.
const KEPT_VARIABLES: [&str; 2] = ["LD_LIBRARY_PATH", "SystemRoot"];

/// A running child. It is killed when this is dropped.
pub(crate) struct Child {
    process: tokio::process::Child,
    input: ChildStdin,
    output: ChildStdout,
    last_words: ChildStderr,
}

/// Why a child gave no answer.
pub(crate) enum Ended {
    /// The input is to blame.
    By(Failure),
    /// It was ended from outside, or never began.
    FromOutside,
}

impl Child {
    /// Starts this program again, with three pipes and next to no environment.
    pub(crate) fn start() -> io::Result<Self> {
        // The program that runs, even if its file was replaced meanwhile.
        let program =
            if cfg!(target_os = "linux") { "/proc/self/exe".into() } else { std::env::current_exe()? };
        let mut command = Command::new(program);
        command.arg(CHILD_ARGUMENT).env_clear();
        command.envs(KEPT_VARIABLES.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        if cfg!(unix) {
            command.current_dir("/");
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut process = command.spawn()?;
        let pipes = process.stdin.take().zip(process.stdout.take()).zip(process.stderr.take());
        let ((input, output), last_words) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Self { process, input, output, last_words })
    }

    pub(crate) fn if_it_lives(mut self) -> Option<Self> {
        matches!(self.process.try_wait(), Ok(None)).then_some(self)
    }

    /// The answer of a parser, and whether the child stays.
    pub(crate) async fn ask(&mut self, parser: &Parser, input: &[Bytes]) -> Result<(Vec<u8>, bool), Ended> {
        match self.exchange(parser, input).await {
            Ok((frame::STAYS, answer)) => Ok((answer, true)),
            Ok((frame::ENDS, answer)) => Ok((answer, false)),
            Ok((frame::NO_MEMORY, _)) => Err(Ended::By(Failure::Memory)),
            Ok(_) => Err(Ended::By(Failure::Output)),
            Err(_) => Err(self.end().await),
        }
    }

    async fn exchange(&mut self, parser: &Parser, input: &[Bytes]) -> io::Result<(u8, Vec<u8>)> {
        let length = input.iter().map(Bytes::len).sum();
        self.input.write_all(&frame::request(parser.name, length)).await?;
        for part in input {
            self.input.write_all(part).await?;
        }
        self.input.flush().await?;
        let status = self.output.read_u8().await?;
        let length = usize::try_from(self.output.read_u64_le().await?).unwrap_or(usize::MAX);
        if length > parser.limits.output {
            return Ok((frame::TOO_LARGE, Vec::new()));
        }
        let mut answer = vec![0; length];
        self.output.read_exact(&mut answer).await?;
        Ok((status, answer))
    }

    /// Why the child, whose pipe broke, has ended.
    async fn end(&mut self) -> Ended {
        let mut words = Vec::new();
        let ended = async {
            let read = (&mut self.last_words).take(MAX_LAST_WORDS).read_to_end(&mut words).await;
            drop(read);
            self.process.wait().await
        };
        match tokio::time::timeout(ENDS_WITHIN, ended).await {
            Ok(Ok(status)) => reason(status, &String::from_utf8_lossy(&words)),
            _ => Ended::FromOutside,
        }
    }
}

/// The reason, by the exit status and by the standard library's text before it aborts.
fn reason(status: ExitStatus, words: &str) -> Ended {
    if status.code() == Some(child::PANICKED) {
        return Ended::By(Failure::Crashed);
    }
    if words.contains("memory allocation of") {
        return Ended::By(Failure::Memory);
    }
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;

        use rustix::process::Signal;
        let signal = status.signal().and_then(Signal::from_named_raw);
        if signal == Some(Signal::XCPU) {
            return Ended::By(Failure::Time);
        }
        let faults = [Signal::ABORT, Signal::SEGV, Signal::BUS, Signal::ILL, Signal::FPE, Signal::TRAP];
        if signal.is_some_and(|signal| faults.contains(&signal)) {
            return Ended::By(Failure::Crashed);
        }
        Ended::FromOutside
    }
    // Elsewhere an abort has a code like any other.
    #[cfg(not(unix))]
    Ended::By(Failure::Crashed)
}
