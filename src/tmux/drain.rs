//! The thread that reads every link, whatever else happens.
//!
//! When only control clients are attached, one that stops reading stops the user's program
//! (tmux-control-mode 7). So links are read on a thread of their own that does nothing else, into
//! memory that is bounded: when an observer does not keep up, output is dropped and counted, and the
//! pane never notices.

use std::collections::BTreeMap;
use std::pin::pin;
use std::{io, thread};

use bytes::BytesMut;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::runtime::{Builder, Handle};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::codec::Decoder;
use tokio_util::sync::CancellationToken;

use super::link::{Aim, FromLink, LinkEnd, LinkHandle, LinkId, LinkKind, Opened, open};
use crate::control::{ControlCodec, Event, PaneId};
use crate::limits::{LAST_WORDS, LINK_COMMANDS, MAX_BACKLOG_BYTES};

/// Bytes read from a link at a time.
const READ_BYTES: usize = 64 << 10;

/// The thread. It ends when the last clone of this is dropped.
#[derive(Debug, Clone)]
pub struct Drain {
    runtime: Handle,
    _alive: mpsc::Sender<()>,
}

impl Drain {
    /// Starts the thread.
    pub fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (alive, mut all_gone) = mpsc::channel::<()>(1);
        thread::Builder::new().name("drain".to_owned()).spawn(move || {
            runtime.block_on(all_gone.recv());
        })?;
        Ok(Self { runtime: handle, _alive: alive })
    }

    /// Opens a link and reads it for as long as it lives; what it says goes to `observer`.
    pub fn link(
        &self,
        id: LinkId,
        kind: LinkKind,
        aim: Aim,
        observer: mpsc::Sender<FromLink>,
    ) -> LinkHandle {
        let (commands, asked) = mpsc::channel(LINK_COMMANDS);
        let closed = CancellationToken::new();
        let handle = LinkHandle { commands, closed: closed.clone() };
        self.runtime.spawn(async move {
            let end = closed.run_until_cancelled(run(id, kind, aim, asked, &observer)).await;
            if let Some(end) = end {
                // the link is closed by now: waiting here holds nothing up
                observer.send(FromLink::Ended(id, end)).await.ok();
            }
        });
        handle
    }
}

async fn run(
    id: LinkId,
    kind: LinkKind,
    aim: Aim,
    asked: mpsc::Receiver<String>,
    observer: &mpsc::Sender<FromLink>,
) -> LinkEnd {
    match open(&kind, &aim).await {
        Ok(opened) => LinkEnd::Closed(serve(id, opened, asked, observer).await),
        Err(error) => LinkEnd::NotOpened(error),
    }
}

/// Serves an open link until it is over; why it is over.
async fn serve(
    id: LinkId,
    opened: Opened,
    asked: mpsc::Receiver<String>,
    observer: &mpsc::Sender<FromLink>,
) -> String {
    let Opened { control, mut keeper } = opened;
    let (reader, writer) = control.into_split();
    let mut reading = pin!(Reading::new(id, reader).run(observer));
    let writing = pin!(write(writer, asked));
    tokio::select! {
        reason = &mut reading => reason,
        () = writing => "its observer has gone".to_owned(),
        reason = keeper.keep() => {
            // the server has let go; what it said before that is still to be read
            timeout(LAST_WORDS, reading).await.ok();
            reason
        }
    }
}

async fn write(mut writer: OwnedWriteHalf, mut asked: mpsc::Receiver<String>) {
    while let Some(command) = asked.recv().await {
        if writer.write_all(command.as_bytes()).await.is_err() {
            // the reader is about to see why
            return std::future::pending().await;
        }
    }
}

struct Reading {
    id: LinkId,
    reader: OwnedReadHalf,
    buffer: BytesMut,
    codec: ControlCodec,
    backlog: Backlog,
}

impl Reading {
    fn new(id: LinkId, reader: OwnedReadHalf) -> Self {
        let (buffer, codec) = (BytesMut::new(), ControlCodec::default());
        Self { id, reader, buffer, codec, backlog: Backlog::default() }
    }

    /// Reads to the end, and never waits for the observer before that.
    async fn run(mut self, observer: &mpsc::Sender<FromLink>) -> String {
        let reason = loop {
            self.buffer.reserve(READ_BYTES);
            tokio::select! {
                read = self.reader.read_buf(&mut self.buffer) => match self.take(read) {
                    Ok(()) => self.hand_over(observer),
                    Err(reason) => break reason,
                },
                permit = observer.reserve(), if !self.backlog.is_empty() => match permit {
                    Ok(permit) => permit.send(self.backlog.take(self.id)),
                    Err(_) => break "its observer has gone".to_owned(),
                },
            }
        };
        if !self.backlog.is_empty() {
            observer.send(self.backlog.take(self.id)).await.ok();
        }
        reason
    }

    fn take(&mut self, read: io::Result<usize>) -> Result<(), String> {
        if read.map_err(|e| format!("reading it failed: {e}"))? == 0 {
            return Err("the server closed it".to_owned());
        }
        while let Some(event) = self.codec.decode(&mut self.buffer).map_err(|e| e.to_string())? {
            self.backlog.push(event);
        }
        Ok(())
    }

    fn hand_over(&mut self, observer: &mpsc::Sender<FromLink>) {
        if !self.backlog.is_empty()
            && let Ok(permit) = observer.try_reserve()
        {
            permit.send(self.backlog.take(self.id));
        }
    }
}

/// What has been read and not been taken by the observer yet.
#[derive(Debug, Default)]
struct Backlog {
    events: Vec<Event>,
    bytes: usize,
    dropped: BTreeMap<PaneId, u64>,
}

impl Backlog {
    fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Keeps an event. Output past the bound is counted instead, and so is all that follows it, so that
    /// what is lost is one stretch behind what is kept.
    fn push(&mut self, event: Event) {
        match event {
            Event::Output { pane, bytes }
                if self.bytes + bytes.len() > MAX_BACKLOG_BYTES || !self.dropped.is_empty() =>
            {
                *self.dropped.entry(pane).or_default() += bytes.len() as u64;
            }
            event => {
                self.bytes += size_of::<Event>();
                if let Event::Output { bytes, .. } = &event {
                    self.bytes += bytes.len();
                }
                self.events.push(event);
            }
        }
    }

    fn take(&mut self, id: LinkId) -> FromLink {
        let Self { events, dropped, .. } = std::mem::take(self);
        FromLink::Batch(id, events, dropped.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn output(pane: u32, len: usize) -> Event {
        Event::Output { pane: PaneId(pane), bytes: Bytes::from(vec![b'x'; len]) }
    }

    #[test]
    fn a_slow_observer_costs_output_and_not_memory() {
        let mut backlog = Backlog::default();
        for _ in 0..40 {
            backlog.push(output(1, 1 << 20));
        }
        backlog.push(output(2, 5));
        assert!(backlog.bytes <= MAX_BACKLOG_BYTES);
        let FromLink::Batch(_, events, dropped) = backlog.take(LinkId(1)) else { panic!() };
        let kept = events.len() as u64;
        assert_eq!(dropped, [(PaneId(1), (40 - kept) << 20), (PaneId(2), 5)]);
        backlog.push(output(2, 5));
        assert_eq!(backlog.events.len(), 1);
    }
}
