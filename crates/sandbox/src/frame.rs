//! What passes between a program and its child: a request is the name of a parser and the input, an answer is a status
//! and the output. Each is preceded by its length.

use std::io::{self, Read, Write};

/// The bytes of a length.
pub(crate) const LENGTH_BYTES: usize = 8;

/// The output follows; the child waits for another request.
pub(crate) const STAYS: u8 = 0;
/// The output follows, and the child ends, because it keeps much memory.
pub(crate) const ENDS: u8 = 1;
/// No output: it would be too large. The child ends.
pub(crate) const TOO_LARGE: u8 = 2;
/// No output: there was no memory for the stack of the parser. The child ends.
pub(crate) const NO_MEMORY: u8 = 3;

/// The head of a request.
pub(crate) fn request(name: &str, length: usize) -> Vec<u8> {
    let name = name.as_bytes();
    // A name that is longer does not fit, and then no parser has it.
    let mut head = vec![u8::try_from(name.len()).unwrap_or(u8::MAX)];
    head.extend_from_slice(name);
    head.extend_from_slice(&(length as u64).to_le_bytes());
    head
}

/// Reads the name of a request; `None` at the end.
pub(crate) fn read_name(from: &mut impl Read) -> io::Result<Option<String>> {
    let mut length = [0];
    if from.read(&mut length)? == 0 {
        return Ok(None);
    }
    let [length] = length;
    let mut name = vec![0; usize::from(length)];
    from.read_exact(&mut name)?;
    String::from_utf8(name).map(Some).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Reads what has its length before it, at most `most` bytes.
pub(crate) fn read_body(from: &mut impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut length = [0; LENGTH_BYTES];
    from.read_exact(&mut length)?;
    let length = usize::try_from(u64::from_le_bytes(length)).unwrap_or(usize::MAX);
    if length > most {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(body)
}

/// Writes an answer.
pub(crate) fn write_answer(to: &mut impl Write, status: u8, output: &[u8]) -> io::Result<()> {
    to.write_all(&[status])?;
    to.write_all(&(output.len() as u64).to_le_bytes())?;
    to.write_all(output)?;
    to.flush()
}
