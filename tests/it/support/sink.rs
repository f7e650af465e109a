//! A program in a pane that keeps what is typed into it, byte for byte.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::termios::LocalModes;

use super::eventually::{HANG, eventually};
use super::shell::terminal_is;
use super::tmux::Tmux;

pub(crate) struct Sink {
    pub(crate) pane: String,
    file: PathBuf,
}

impl Sink {
    /// In a window of session `main`, when its terminal passes every byte on as it is.
    pub(crate) async fn start(tmux: &Tmux) -> Self {
        Self::start_behind(tmux, "").await
    }

    /// The same, behind a shell command that ends in a separator.
    pub(crate) async fn start_behind(tmux: &Tmux, before: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let file = tmux.dir().join(format!("typed-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
        let command = format!("{before} stty raw -echo; exec cat >'{}'", file.display());
        let pane = tmux.new_pane(&command);
        let raw = |modes: LocalModes| !modes.intersects(LocalModes::ECHO | LocalModes::ICANON);
        terminal_is(tmux, &pane, raw).await;
        Self { pane, file }
    }

    /// What it has been given so far.
    pub(crate) fn holds(&self) -> Vec<u8> {
        fs::read(&self.file).unwrap_or_default()
    }

    /// Until it has been given as much as this; it must be just this.
    pub(crate) async fn gets(&self, typed: impl AsRef<[u8]>) {
        let typed = typed.as_ref();
        let what = format!("{} typed bytes to arrive", typed.len());
        let whole = async || Some(self.holds()).filter(|held| held.len() >= typed.len());
        let held = eventually(&what, HANG, whole).await;
        let same = held.iter().zip(typed).take_while(|(held, typed)| held == typed).count();
        let shown = |bytes: &[u8]| {
            let part = &bytes[same..bytes.len().min(same + 200)];
            String::from_utf8_lossy(part).into_owned()
        };
        assert!(held == typed, "from byte {same} on: {:?}, not {:?}", shown(&held), shown(typed));
    }
}
