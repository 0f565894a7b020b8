//! The outputs of a command on their way through this program.

use std::fs::File;
use std::io::{self, PipeReader, Read as _, Write as _};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::process::Stdio;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::process::Command;

use super::tail::Tail;

/// The bytes that are read at once.
const CHUNK_BYTES: usize = 32 << 10;
/// The pause before an output is tried again that another program set to take nothing for now.
const FULL_PAUSE: Duration = Duration::from_millis(5);

/// The end of an output that two threads may add to.
#[derive(Debug, Default)]
pub(super) struct SharedTail(Mutex<Tail>);

impl SharedTail {
    /// The tail.
    pub(super) fn lock(&self) -> MutexGuard<'_, Tail> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a command writes, and where it goes.
pub(super) struct Passage {
    from: PipeReader,
    to: File,
}

/// Connects a command's outputs. If ours are one place, it writes both into one pipe, which keeps their order.
pub(super) fn connect(command: &mut Command) -> io::Result<Vec<Passage>> {
    let (out, err) = (duplicate(&io::stdout())?, duplicate(&io::stderr())?);
    let (from_out, to_out) = io::pipe()?;
    if is_same(&out, &err)? {
        command.stdout(Stdio::from(to_out.try_clone()?)).stderr(Stdio::from(to_out));
        return Ok(vec![Passage { from: from_out, to: out }]);
    }
    let (from_err, to_err) = io::pipe()?;
    command.stdout(Stdio::from(to_out)).stderr(Stdio::from(to_err));
    Ok(vec![Passage { from: from_out, to: out }, Passage { from: from_err, to: err }])
}

/// An output without the buffer that the library has before it.
fn duplicate(output: &impl AsFd) -> io::Result<File> {
    Ok(File::from(output.as_fd().try_clone_to_owned()?))
}

fn is_same(one: &File, other: &File) -> io::Result<bool> {
    let (one, other) = (one.metadata()?, other.metadata()?);
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

impl Passage {
    /// Passes on what comes until nothing writes any more. If it can't be written, the command can't write any more either: it
    /// gets the signal of a broken pipe, as without us.
    pub(super) fn pass_on(mut self, tail: &SharedTail) -> io::Result<()> {
        let mut buffer = vec![0; CHUNK_BYTES];
        loop {
            let chunk = match self.from.read(&mut buffer) {
                Ok(read) => buffer.get(..read).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                return Ok(());
            }
            tail.lock().push(chunk);
            write_all(&mut self.to, chunk)?;
        }
    }
}

/// Writes all of a chunk, also to an output that does not block.
fn write_all(to: &mut File, mut chunk: &[u8]) -> io::Result<()> {
    while !chunk.is_empty() {
        match to.write(chunk) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => chunk = chunk.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::sleep(FULL_PAUSE),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
