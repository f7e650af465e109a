//! What most tests begin with.
//!
//! A tmux server, a daemon over it, and a pane that prints what it is fed.

use panewatch_protocol::wait::{Outcome, TextAnswer};
use serde_json::{Value, json};

use super::client::Waiting;
use super::daemon::Daemon;
use super::eventually::{HANG, eventually};
use super::program::Feed;
use super::tmux::Tmux;

/// Dropped from the first field to the last: the daemon before the server it watches.
pub(crate) struct Scene {
    pub(crate) daemon: Daemon,
    pub(crate) feed: Feed,
    pub(crate) tmux: Tmux,
}

impl Scene {
    pub(crate) async fn start() -> Self {
        let tmux = Tmux::start();
        let feed = Feed::start(&tmux);
        let daemon = Daemon::start(&tmux).await;
        Self { daemon, feed, tmux }
    }

    /// The fed pane's id.
    pub(crate) fn pane(&self) -> &str {
        &self.feed.pane
    }

    /// These arguments, for the fed pane.
    pub(crate) fn here(&self, mut params: Value) -> Value {
        params["pane"] = json!(self.pane());
        params
    }

    /// A wait on the fed pane that the daemon has taken.
    pub(crate) async fn armed(&self, params: Value) -> Waiting {
        self.daemon.armed(self.here(params)).await
    }

    /// The answer of a wait on the fed pane that nothing has to be done for.
    pub(crate) async fn ask(&self, params: Value) -> TextAnswer {
        self.daemon.ask(self.here(params)).await
    }

    /// The answer of a wait on the fed pane during which it prints this.
    pub(crate) async fn answer(&mut self, params: Value, output: impl AsRef<[u8]>) -> TextAnswer {
        let wait = self.armed(params).await;
        self.feed.print(output);
        wait.answer().await
    }

    /// Prints, and returns when the daemon has seen it. Only while a wait is on.
    pub(crate) async fn print_and_see(&mut self, output: impl AsRef<[u8]>) {
        let output = output.as_ref();
        let want = self.daemon.seen_bytes().await + output.len() as u64;
        self.feed.print(output);
        let probe = async || (self.daemon.seen_bytes().await >= want).then_some(());
        eventually("the daemon to see what was printed", HANG, probe).await;
    }

    /// Prints, and returns when it stands on the screen. Only plain text on one row.
    pub(crate) async fn print_and_show(&mut self, output: &str) {
        self.feed.print(output);
        self.shows(output.trim()).await;
    }

    /// Until the pane's screen or history contains this.
    pub(crate) async fn shows(&self, text: &str) {
        let what = format!("{text:?} to stand on the screen");
        let probe = async || self.tmux.capture(self.pane()).contains(text).then_some(());
        eventually(&what, HANG, probe).await;
    }
}

/// The answer must be a match in just this row.
#[track_caller]
pub(crate) fn assert_matched(answer: &TextAnswer, row: &str) {
    assert_eq!(answer.outcome, Outcome::Matched, "{answer:?}");
    assert_eq!(answer.matched_lines, [row], "{answer:?}");
    assert!(answer.found, "{answer:?}");
}

/// The answer must have ended like this, with nothing found.
#[track_caller]
pub(crate) fn assert_not_found(answer: &TextAnswer, outcome: Outcome) {
    assert_eq!(answer.outcome, outcome, "{answer:?}");
    assert!(!answer.found, "{answer:?}");
}
