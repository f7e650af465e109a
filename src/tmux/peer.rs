//! A connection to a server that speaks tmux's client protocol.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};

use bytes::BytesMut;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use tokio::io::{AsyncReadExt, Interest};
use tokio::net::UnixStream;
use tokio_util::codec::Decoder;

use super::command::TmuxError;
use super::endpoint::Endpoint;
use super::imsg::{self, Framing, Introduction, Kind, Message, MessageCodec};

/// The connection. Closing it at any moment is a clean leave.
#[derive(Debug)]
pub struct Peer {
    stream: UnixStream,
    buffer: BytesMut,
    pid: u32,
}

impl Peer {
    /// Connects to a server. Never starts one.
    pub async fn connect(endpoint: &Endpoint) -> Result<Self, TmuxError> {
        let stream = UnixStream::connect(endpoint.path())
            .await
            .map_err(|error| TmuxError::NotRunning { socket: endpoint.path().to_owned(), error })?;
        Ok(Self { stream, buffer: BytesMut::new(), pid: std::process::id() })
    }

    /// Hands over a descriptor as the client's standard input or output.
    pub async fn send_descriptor(
        &self,
        kind: Kind,
        framing: Framing,
        fd: BorrowedFd<'_>,
    ) -> io::Result<()> {
        let header = imsg::descriptor(kind, framing, self.pid);
        let sent = self
            .stream
            .async_io(Interest::WRITABLE, || {
                let fds = [fd];
                let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
                let mut ancillary = SendAncillaryBuffer::new(&mut space);
                ancillary.push(SendAncillaryMessage::ScmRights(&fds));
                let slices = [IoSlice::new(&header)];
                Ok(sendmsg(self.stream.as_fd(), &slices, &mut ancillary, SendFlags::NOSIGNAL)?)
            })
            .await?;
        whole(sent, header.len())
    }

    /// Introduces the client and asks for its command, in one write: a server that reads the
    /// introduction in two turns can crash (tmux-control-mode 15).
    pub async fn introduce(&self, introduction: Introduction<'_>) -> io::Result<()> {
        let bytes =
            introduction.encode().map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e))?;
        self.write(&bytes).await
    }

    /// Sends one message.
    pub async fn send(&self, kind: Kind, data: &[u8]) -> io::Result<()> {
        let bytes = imsg::message(kind, self.pid, data)
            .map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e))?;
        self.write(&bytes).await
    }

    async fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let sent =
            self.stream.async_io(Interest::WRITABLE, || self.stream.try_write(bytes)).await?;
        whole(sent, bytes.len())
    }

    /// The next message; `None` when the server has closed the connection. Safe to drop at any time.
    pub async fn receive(&mut self) -> io::Result<Option<Message>> {
        loop {
            if let Some(message) = MessageCodec.decode(&mut self.buffer)? {
                return Ok(Some(message));
            }
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        }
    }
}

/// Part of a message must never stand alone on the server's side: the caller drops the connection.
fn whole(sent: usize, length: usize) -> io::Result<()> {
    if sent == length {
        return Ok(());
    }
    let text = format!("tmux took {sent} of {length} bytes");
    Err(io::Error::new(io::ErrorKind::WriteZero, text))
}
