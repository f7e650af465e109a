//! PURE: the messages of tmux's own client protocol, encoded and decoded.
//!
//! A message that is out of order, or of the wrong size, makes the *server* exit and takes the user's
//! sessions with it (tmux-control-mode 15). Hence this one encoder, and tests of its exact bytes.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use tokio_util::codec::Decoder;

/// The protocol's number, the same from tmux 3.2a to 3.8.
const PROTOCOL: u32 = 8;
const HEADER: usize = 16;
/// Bytes of one message, header and all.
const MAX_MESSAGE: usize = 16_384;

/// The kinds of message that are sent or understood here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "these are tmux's own names for them")]
pub enum Kind {
    Version = 12,
    IdentifyFlags = 100,
    IdentifyTerm = 101,
    IdentifyTtyName = 102,
    IdentifyStdin = 104,
    IdentifyDone = 106,
    IdentifyClientPid = 107,
    IdentifyCwd = 108,
    IdentifyFeatures = 109,
    IdentifyStdout = 110,
    IdentifyLongFlags = 111,
    Command = 200,
    Detach = 201,
    DetachKill = 202,
    Exit = 203,
    Exited = 204,
    Exiting = 205,
    Ready = 207,
    Shutdown = 210,
    WriteOpen = 303,
    Write = 304,
    WriteReady = 305,
    WriteClose = 306,
}

impl Kind {
    fn known(number: u32) -> Option<Self> {
        use Kind as K;
        let received = [
            K::Version,
            K::Detach,
            K::DetachKill,
            K::Exit,
            K::Exited,
            K::Ready,
            K::Shutdown,
            K::WriteOpen,
            K::Write,
            K::WriteClose,
        ];
        received.into_iter().find(|kind| *kind as u32 == number)
    }
}

/// A client of control mode.
const FLAG_CONTROL: u64 = 0x2000;
/// The client understands UTF-8; else tmux answers with underscores (tmux-control-mode 1).
const FLAG_UTF8: u64 = 0x1_0000;

/// How the server marks a message that carries a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// Up to 3.5a: a bit of a flags field of 16 bits behind a length of 16 bits.
    Flags,
    /// From 3.6 on: the highest bit of a length of 32 bits.
    LengthBit,
}

/// A message that carries a descriptor and no data.
pub fn descriptor(kind: Kind, framing: Framing, pid: u32) -> [u8; HEADER] {
    let length = 16; // a bare header
    let word = match framing {
        Framing::Flags if cfg!(target_endian = "little") => length | (1 << 16),
        Framing::Flags => (length << 16) | 1,
        Framing::LengthBit => length | (1 << 31),
    };
    let mut header = [0; HEADER];
    for (place, word) in header.chunks_exact_mut(4).zip([kind as u32, word, PROTOCOL, pid]) {
        place.copy_from_slice(&word.to_ne_bytes());
    }
    header
}

/// A client that introduces itself, and the command it wants run, as one write.
#[derive(Debug, Clone, Copy)]
pub struct Introduction<'a> {
    /// Whether it is a client of control mode; its descriptors went before.
    pub control: bool,
    /// The name under which `list-clients` shows it.
    pub name: &'a str,
    /// Its process id.
    pub pid: u32,
    /// The command and its arguments; a `;` of its own separates two commands.
    pub argv: &'a [&'a str],
}

/// The command is longer than one message can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a command of {0} bytes is too long for tmux's client protocol")]
pub struct TooLong(pub usize);

impl Introduction<'_> {
    /// Bytes that a command and its arguments may take.
    pub const MAX_COMMAND_BYTES: usize = MAX_MESSAGE - HEADER - 4;
    /// Words that a command and its arguments may have: tmux 3.8 drops a client that sends about 1,000.
    pub const MAX_COMMAND_WORDS: usize = 900;

    /// The bytes. tmux must read them in one go, or a client that is half introduced can crash it.
    pub fn encode(&self) -> Result<Bytes, TooLong> {
        let flags = if self.control { FLAG_CONTROL | FLAG_UTF8 } else { FLAG_UTF8 };
        let mut out = BytesMut::new();
        let mut put = |kind, data: &[u8]| put(&mut out, kind, self.pid, data);
        #[expect(clippy::cast_possible_truncation, reason = "the older message has 32 bits")]
        put(Kind::IdentifyFlags, &(flags as u32).to_ne_bytes())?;
        put(Kind::IdentifyLongFlags, &flags.to_ne_bytes())?;
        put(Kind::IdentifyTerm, b"xterm\0")?;
        put(Kind::IdentifyFeatures, &0i32.to_ne_bytes())?;
        put(Kind::IdentifyTtyName, &text(self.name))?;
        put(Kind::IdentifyCwd, b"/\0")?;
        put(Kind::IdentifyClientPid, &self.pid.to_ne_bytes())?;
        put(Kind::IdentifyDone, b"")?;
        put(Kind::Command, &self.command())?;
        Ok(out.freeze())
    }

    /// Bytes that a command takes, and the `;` before it.
    pub fn command_bytes(argv: &[String]) -> usize {
        2 + argv.iter().map(|a| a.len() + 1).sum::<usize>()
    }

    fn command(&self) -> Vec<u8> {
        let count = i32::try_from(self.argv.len()).unwrap_or(i32::MAX);
        let mut data = count.to_ne_bytes().to_vec();
        self.argv.iter().for_each(|argument| data.extend(text(argument)));
        data
    }
}

/// A string with the NUL that ends it, and none before.
fn text(string: &str) -> Vec<u8> {
    string.bytes().filter(|b| *b != 0).chain([0]).collect()
}

/// One message without a descriptor. On little-endian machines it is the same in both framings.
pub fn message(kind: Kind, pid: u32, data: &[u8]) -> Result<Bytes, TooLong> {
    let mut out = BytesMut::new();
    put(&mut out, kind, pid, data)?;
    Ok(out.freeze())
}

fn put(out: &mut BytesMut, kind: Kind, pid: u32, data: &[u8]) -> Result<(), TooLong> {
    let length = HEADER + data.len();
    let Some(word) = u32::try_from(length).ok().filter(|_| length <= MAX_MESSAGE) else {
        return Err(TooLong(length));
    };
    for word in [kind as u32, word, PROTOCOL, pid] {
        out.put_slice(&word.to_ne_bytes());
    }
    out.put_slice(data);
    Ok(())
}

/// A message from the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its kind; `None`: one that does not matter here.
    pub kind: Option<Kind>,
    /// Its data.
    pub data: Bytes,
}

impl Message {
    /// The integer with which its data begins: a stream's number or an exit status.
    pub fn number(&self) -> Option<i32> {
        self.data.first_chunk().map(|bytes| i32::from_ne_bytes(*bytes))
    }
}

/// Decodes what the server sends.
#[derive(Debug, Default)]
pub struct MessageCodec;

impl Decoder for MessageCodec {
    type Item = Message;
    type Error = std::io::Error;

    fn decode(&mut self, buffer: &mut BytesMut) -> std::io::Result<Option<Message>> {
        let Some(header) = buffer.first_chunk::<HEADER>() else { return Ok(None) };
        let word =
            |i: usize| u32::from_ne_bytes([header[i], header[i + 1], header[i + 2], header[i + 3]]);
        // a length of 16 bits with flags behind it, or of 32 bits whose highest one is a flag
        let (kind, length) = (word(0), (word(4) & 0xffff) as usize);
        if !(HEADER..=MAX_MESSAGE).contains(&length) {
            let text = format!("tmux sent a message of {length} bytes");
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, text));
        }
        if buffer.len() < length {
            return Ok(None);
        }
        let mut message = buffer.split_to(length);
        message.advance(HEADER);
        Ok(Some(Message { kind: Kind::known(kind), data: message.freeze() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(bytes: &[u8]) -> Vec<u32> {
        bytes.chunks(4).map(|w| u32::from_ne_bytes(w.try_into().unwrap())).collect()
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn a_message_with_a_descriptor_is_marked_as_each_version_wants_it() {
        let old = descriptor(Kind::IdentifyStdin, Framing::Flags, 7);
        assert_eq!(words(&old), [104, 16 | 1 << 16, 8, 7]);
        let new = descriptor(Kind::IdentifyStdout, Framing::LengthBit, 7);
        assert_eq!(words(&new), [110, 16 | 1 << 31, 8, 7]);
    }

    #[test]
    fn an_introduction_has_exact_sizes_and_ends_with_the_command() {
        let argv = ["attach-session", "-t", "$1"];
        let hello = Introduction { control: true, name: "panewatch-$1", pid: 7, argv: &argv };
        let mut bytes = BytesMut::from(&hello.encode().unwrap()[..]);
        let mut seen = Vec::new();
        while bytes.len() >= HEADER {
            let header = words(&bytes[..HEADER]);
            let message = bytes.split_to(header[1] as usize);
            assert_eq!(header[2..], [8, 7]);
            seen.push((header[0], message[HEADER..].to_vec()));
        }
        assert!(bytes.is_empty());
        let n = |n: u32| n.to_ne_bytes().to_vec();
        let want: [(u32, Vec<u8>); 9] = [
            (100, n(0x12000)),
            (111, 0x12000u64.to_ne_bytes().to_vec()),
            (101, b"xterm\0".to_vec()),
            (109, n(0)),
            (102, b"panewatch-$1\0".to_vec()),
            (108, b"/\0".to_vec()),
            (107, n(7)),
            (106, vec![]),
            (200, [&n(3)[..], b"attach-session\0-t\0$1\0"].concat()),
        ];
        assert_eq!(seen, want);
    }

    #[test]
    fn a_command_that_does_not_fit_is_refused_here_and_not_by_the_server() {
        let long = "x".repeat(MAX_MESSAGE - HEADER - 4 - 1);
        let longer = format!("{long}x");
        let hello =
            |argv: &[&str]| Introduction { control: false, name: "", pid: 1, argv }.encode();
        assert!(hello(&[&long]).is_ok());
        assert_eq!(hello(&[&longer]), Err(TooLong(MAX_MESSAGE + 1)));
    }

    #[test]
    fn a_nul_in_an_argument_does_not_end_it_early() {
        let argv = ["a\0b"];
        let bytes =
            Introduction { control: false, name: "", pid: 1, argv: &argv }.encode().unwrap();
        assert!(bytes.ends_with(b"\x01\0\0\0ab\0") || cfg!(target_endian = "big"));
    }

    #[test]
    fn messages_arrive_whole_however_they_are_cut() {
        let mut sent = BytesMut::new();
        put(&mut sent, Kind::Write, 1, b"\x01\0\0\0hello").unwrap();
        put(&mut sent, Kind::Exit, 1, &3i32.to_ne_bytes()).unwrap();
        let (mut codec, mut buffer, mut seen) = (MessageCodec, BytesMut::new(), Vec::new());
        for byte in &sent[..] {
            buffer.put_u8(*byte);
            seen.extend(codec.decode(&mut buffer).unwrap());
        }
        assert_eq!(seen[0].kind, Some(Kind::Write));
        assert_eq!(&seen[0].data[4..], b"hello");
        assert_eq!((seen[1].kind, seen[1].number()), (Some(Kind::Exit), Some(3)));
        assert_eq!(seen.len(), 2);
    }

    #[test]
    fn a_length_that_cannot_be_is_an_error() {
        let mut buffer = BytesMut::from(&[0u8; 16][..]);
        assert!(MessageCodec.decode(&mut buffer).is_err());
    }
}
