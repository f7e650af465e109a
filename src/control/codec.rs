//! A link's bytes to events: pane output, replies to commands, notices, and the end.
//!
//! A reply is everything between `%begin` and the `%end` or `%error` with the same three fields:
//! text that only looks like control mode, inside a capture, stays text (tmux-control-mode 1).
//! Holds the reply being read; never looks at a clock, a socket or a process.

use bytes::{Buf, Bytes, BytesMut};
use memchr::memchr;
use tokio_util::codec::Decoder;

use super::PaneId;
use super::notice::{self, Notice};
use super::unescape::unescape;
use crate::limits::{MAX_LINE_BYTES, MAX_REPLY_BYTES};

/// What a link says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A pane wrote these bytes. They may begin and end anywhere in a character or a sequence.
    Output {
        /// The pane.
        pane: PaneId,
        /// What it wrote, unescaped.
        bytes: Bytes,
    },
    /// tmux answered a command.
    Reply(Reply),
    /// Something happened.
    Notice(Notice),
    /// `%exit`: the link is over. The reason is often missing, and never to be trusted alone.
    Exit(Option<String>),
}

/// The answer to one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Whether a command of this link asked, rather than the attach, a hook or a key binding.
    pub ours: bool,
    /// Whether the command succeeded.
    pub ok: bool,
    /// The lines of the answer, each with its newline.
    pub body: Bytes,
}

/// Why a link's bytes cannot be read on.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// A line went past its bound.
    #[error("tmux sent a line of more than {MAX_LINE_BYTES} bytes")]
    LineTooLong,
    /// A reply went past its bound.
    #[error("tmux answered a command with more than {MAX_REPLY_BYTES} bytes")]
    ReplyTooLong,
    /// The connection failed.
    #[error("the connection to tmux failed: {0}")]
    Io(#[from] std::io::Error),
}

/// Decodes a link.
#[derive(Debug, Default)]
pub struct ControlCodec {
    open: Option<Block>,
    /// How much of the buffer is known to hold no newline.
    scanned: usize,
}

#[derive(Debug)]
struct Block {
    /// `T N FLAGS`, as the closing line repeats it.
    fields: Bytes,
    body: BytesMut,
}

impl Decoder for ControlCodec {
    type Item = Event;
    type Error = CodecError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<Event>, CodecError> {
        while let Some(line) = self.next_line(buffer)? {
            if let Some(event) = self.line(line)? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// A line that the end cut off is no line: it is dropped.
    fn decode_eof(&mut self, buffer: &mut BytesMut) -> Result<Option<Event>, CodecError> {
        let event = self.decode(buffer)?;
        if event.is_none() {
            buffer.clear();
        }
        Ok(event)
    }
}

impl ControlCodec {
    fn next_line(&mut self, buffer: &mut BytesMut) -> Result<Option<BytesMut>, CodecError> {
        let Some(at) = memchr(b'\n', &buffer[self.scanned..]) else {
            self.scanned = buffer.len();
            let fits = self.scanned <= MAX_LINE_BYTES;
            return if fits { Ok(None) } else { Err(CodecError::LineTooLong) };
        };
        let line = buffer.split_to(self.scanned + at);
        buffer.advance(1);
        self.scanned = 0;
        Ok(Some(line))
    }

    fn line(&mut self, line: BytesMut) -> Result<Option<Event>, CodecError> {
        match self.open.take() {
            Some(block) => self.line_inside(block, &line),
            None => Ok(self.line_outside(line)),
        }
    }

    fn line_inside(&mut self, mut block: Block, line: &[u8]) -> Result<Option<Event>, CodecError> {
        if let Some(ok) = block.closed_by(line) {
            let ours = block.fields.ends_with(b" 1");
            return Ok(Some(Event::Reply(Reply { ours, ok, body: block.body.freeze() })));
        }
        block.body.extend_from_slice(line);
        block.body.extend_from_slice(b"\n");
        if block.body.len() > MAX_REPLY_BYTES {
            return Err(CodecError::ReplyTooLong);
        }
        self.open = Some(block);
        Ok(None)
    }

    fn line_outside(&mut self, mut line: BytesMut) -> Option<Event> {
        if line.starts_with(b"%output ") {
            line.advance(b"%output ".len());
            return output(line);
        }
        if line.starts_with(b"%extended-output ") {
            line.advance(b"%extended-output ".len());
            return extended_output(line);
        }
        if line.starts_with(b"%begin ") {
            line.advance(b"%begin ".len());
            self.open = Some(Block { fields: line.freeze(), body: BytesMut::new() });
            return None;
        }
        if line == b"%exit"[..] || line.starts_with(b"%exit ") {
            let reason = String::from_utf8_lossy(&line["%exit".len()..]).trim().to_owned();
            return Some(Event::Exit((!reason.is_empty()).then_some(reason)));
        }
        // a bare line is the output of somebody's run-shell (tmux-control-mode 1)
        line.starts_with(b"%").then(|| Event::Notice(notice::parse(&line)))
    }
}

impl Block {
    /// Whether the command succeeded, if this line closes the block.
    fn closed_by(&self, line: &[u8]) -> Option<bool> {
        let fields = |line: &[u8]| line == self.fields;
        if line.strip_prefix(b"%end ").is_some_and(fields) {
            Some(true)
        } else if line.strip_prefix(b"%error ").is_some_and(fields) {
            Some(false)
        } else {
            None
        }
    }
}

/// `%1 DATA`
fn output(mut line: BytesMut) -> Option<Event> {
    let space = memchr(b' ', &line)?;
    let pane = PaneId::parse_bytes(&line[..space])?;
    line.advance(space + 1);
    unescape(&mut line);
    Some(Event::Output { pane, bytes: line.freeze() })
}

/// `%1 AGE ... : DATA`; the first ` : ` ends the fields
fn extended_output(mut line: BytesMut) -> Option<Event> {
    let space = memchr(b' ', &line)?;
    let pane = PaneId::parse_bytes(&line[..space])?;
    let data = line.windows(3).position(|w| w == b" : ")? + 3;
    line.advance(data);
    unescape(&mut line);
    Some(Event::Output { pane, bytes: line.freeze() })
}

#[cfg(test)]
mod tests;
