//! Programs in panes that write when the test says so, and not before.
//!
//! A `Feed` prints the bytes it is given; a `Script` is a piece of Python that goes on whenever it is
//! told to. Both are led through a FIFO, and end when that is dropped.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{OnceLock, mpsc};
use std::thread;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::eventually::HANG;
use super::process;
use super::tmux::Tmux;

/// A pane that prints what it is fed.
pub(crate) struct Feed {
    pub(crate) pane: String,
    fifo: File,
}

impl Feed {
    /// In a window of session `main`.
    pub(crate) fn start(tmux: &Tmux) -> Self {
        Self::start_in(tmux, "main")
    }

    /// In a window of this session.
    pub(crate) fn start_in(tmux: &Tmux, session: &str) -> Self {
        let fifo = make_fifo(tmux.dir());
        let pane = tmux.new_pane_in(session, &format!("exec cat '{}'", fifo.display()));
        Self { pane, fifo: open_fifo(fifo) }
    }

    /// In a window of session `main` that tmux keeps when the program has ended with `status`.
    pub(crate) fn start_kept(tmux: &Tmux, status: u8) -> Self {
        let fifo = make_fifo(tmux.dir());
        let pane = tmux.new_pane(&format!("cat '{}'; exit {status}", fifo.display()));
        tmux.run(&["set-option", "-w", "-t", &pane, "remain-on-exit", "on"]);
        Self { pane, fifo: open_fifo(fifo) }
    }

    /// Prints text, or any bytes.
    pub(crate) fn print(&mut self, text: impl AsRef<[u8]>) {
        self.fifo.write_all(text.as_ref()).expect("feeding a pane");
    }

    /// Ends the pane's program.
    pub(crate) fn end(self) {
        drop(self.fifo);
    }
}

/// A Python program in a pane.
pub(crate) struct Script {
    pub(crate) pane: String,
    fifo: File,
}

/// What every script begins with: `go()` waits for the test, `out()` writes at once.
const PRELUDE: &str = r#"
import sys, time

_orders = open(sys.argv[1], "rb", buffering=0)

def go():
    if not _orders.readline():
        sys.exit(0)

def out(text):
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()
"#;

impl Script {
    /// In a window of session `main`.
    pub(crate) fn start(tmux: &Tmux, body: &str) -> Self {
        require_python();
        let fifo = make_fifo(tmux.dir());
        let source = fifo.with_extension("py");
        fs::write(&source, format!("{PRELUDE}\n{body}\n")).expect("writing a script");
        let command = format!("exec python3 '{}' '{}'", source.display(), fifo.display());
        Self { pane: tmux.new_pane(&command), fifo: open_fifo(fifo) }
    }

    /// Lets the script go on from its next `go()`.
    pub(crate) fn go(&mut self) {
        self.fifo.write_all(b"go\n").expect("telling a script to go on");
    }
}

fn make_fifo(dir: &Path) -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let path = dir.join(format!("fifo-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("making a FIFO");
    path
}

/// Opens the test's end of a FIFO. That blocks until the program has opened its own.
fn open_fifo(path: PathBuf) -> File {
    let (opened, open) = mpsc::sync_channel(1);
    thread::spawn(move || opened.send(OpenOptions::new().write(true).open(path)));
    let fifo = open.recv_timeout(HANG).expect("a program in a pane that opens its FIFO");
    fifo.expect("opening a FIFO")
}

/// A script that cannot start would only show as text that never comes.
fn require_python() {
    static FOUND: OnceLock<()> = OnceLock::new();
    FOUND.get_or_init(|| {
        let mut python = process::command("python3");
        python.arg("--version");
        let output = process::run_to_end(python);
        assert!(output.status.success(), "these tests need a `python3` that works: {output:?}");
    });
}
