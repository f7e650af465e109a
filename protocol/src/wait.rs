//! `wait_for_text`: tell me when this pane says X. And `cancel_wait`, which ends such a wait.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::target::Target;

/// The arguments of `wait_for_text`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitForText {
    /// The pane to watch.
    #[serde(flatten)]
    pub target: Target,
    /// Several panes to watch at once, each as in `pane`; the first answer of any of them counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panes: Option<Vec<String>>,
    /// Watch every pane of the session, those that appear during the wait included.
    #[serde(default)]
    pub all_panes: bool,
    /// Text that ends the wait with `matched`. Null or omitted: any new output ends it.
    #[serde(default)]
    pub patterns: Option<Vec<String>>,
    /// Text that ends the wait with `stopped`.
    #[serde(default)]
    pub stop: Option<Vec<String>>,
    /// Read both lists as regular expressions instead of literal text.
    #[serde(default)]
    pub regex: bool,
    /// Tell upper from lower case.
    #[serde(default)]
    pub match_case: bool,
    /// Seconds to wait. Null: as long as the daemon allows. 0: look at what is there and return.
    #[serde(default = "default_timeout")]
    pub timeout: Option<f64>,
    /// A cursor from an earlier answer: what was written behind it counts as new. Omitted: now.
    #[serde(default)]
    pub since: Option<String>,
    /// What a pattern that already stands on the screen means.
    #[serde(default)]
    pub at_entry: AtEntry,
    /// Whether text printed by a full-screen program is matched.
    #[serde(default)]
    pub alternate_screen: AlternateScreen,
    /// How many rows that were left before the match come with it.
    #[serde(default)]
    pub context_rows: usize,
    /// A name for this wait, with which `cancel_wait` can end it.
    #[serde(default)]
    pub wait_id: Option<String>,
}

impl Default for WaitForText {
    fn default() -> Self {
        Self {
            target: Target::default(),
            panes: None,
            all_panes: false,
            patterns: None,
            stop: None,
            regex: false,
            match_case: false,
            timeout: default_timeout(),
            since: None,
            at_entry: AtEntry::default(),
            alternate_screen: AlternateScreen::default(),
            context_rows: 0,
            wait_id: None,
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "serde wants the member's own type")]
fn default_timeout() -> Option<f64> {
    Some(30.0)
}

/// What a pattern that already stands on the screen at the start means (W6).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AtEntry {
    /// Wait for it to be written anew; the answer says `matched_at_entry` if it was not.
    #[default]
    Wait,
    /// Answer at once: `present_at_entry`, or `pending` on the row still being typed into.
    Return,
}

/// Whether a full-screen program's text is matched (W7).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlternateScreen {
    /// Matching rests while such a program runs, and resumes when it ends.
    #[default]
    Suppress,
    /// Its printed text is matched like any other.
    Match,
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// One of `patterns` was written.
    Matched,
    /// No patterns were given and the pane gained visible text.
    AnyOutput,
    /// One of `stop` was written.
    Stopped,
    /// A pattern stood on a finished row at the start, and `at_entry` was `return`.
    PresentAtEntry,
    /// A pattern stood only on the row still being typed into, and `at_entry` was `return`.
    Pending,
    /// The time ran out.
    Timeout,
    /// The time ran out while a full-screen program had the pane.
    AlternateScreen,
    /// The pane's program ended, or the pane was killed.
    PaneClosed,
    /// The pane runs another program now.
    PaneRespawned,
    /// The pane's session ended.
    SessionClosed,
    /// The tmux server ended.
    ServerClosed,
    /// `cancel_wait` ended it.
    Cancelled,
}

impl Outcome {
    /// Whether the wait found what it was asked for.
    pub fn found(self) -> bool {
        matches!(self, Self::Matched | Self::AnyOutput)
    }
}

/// The answer of `wait_for_text`.
#[expect(clippy::struct_excessive_bools, reason = "they are independent facts on the wire")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TextAnswer {
    /// How the wait ended.
    pub outcome: Outcome,
    /// True for `matched` and `any_output` only.
    pub found: bool,
    /// The pane that was watched (`%3`).
    pub pane: String,
    /// Which pattern hit, counted from 0: in `stop` when `outcome` is `stopped`, else in `patterns`.
    pub matched_index: Option<usize>,
    /// The pattern that hit, as it was given.
    pub matched_pattern: Option<String>,
    /// The rows in which it hit.
    pub matched_lines: Vec<String>,
    /// The groups of a regular expression, by number and by name; null: the group took no part.
    pub captures: BTreeMap<String, Option<String>>,
    /// The rows that were left before the match, the oldest first; as many as `context_rows` asked for.
    pub context: Vec<String>,
    /// A cursor just behind the match.
    pub match_cursor: Option<String>,
    /// A cursor at the end of what this answer has looked at.
    pub cursor: String,
    /// What the pane wrote since the start, without escapes; its end is kept, at most 64 KiB.
    pub text: String,
    /// How many bytes the pane wrote since the start, before any filtering.
    pub bytes: u64,
    /// The screen's rows from the first one written since the start, at most 20 rows, 2,000 bytes.
    pub tail: Vec<String>,
    /// Whether visible text was gained since the start.
    pub saw_new_output: bool,
    /// A pattern stood on the screen at the start, and nothing new matched.
    pub matched_at_entry: bool,
    /// Whether a full-screen program had the pane at any time during the wait.
    pub alternate_screen: bool,
    /// Output that was lost between the start and the end.
    pub gaps: Vec<Gap>,
    /// The exit status of the pane's program, where tmux tells it.
    pub exit_status: Option<i32>,
    /// How long the wait took.
    pub elapsed_seconds: f64,
    /// The timeout that was enforced.
    pub effective_timeout: f64,
}

/// A stretch of a pane's stream that was not seen (W13).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gap {
    /// Why it was not seen.
    pub cause: GapCause,
    /// How many bytes, where that is known.
    pub bytes: Option<u64>,
    /// Whether the text was recovered from the pane's screen and history.
    pub recovered: bool,
}

/// Why a stretch of a stream was not seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GapCause {
    /// The link to the session was cut.
    LinkLost,
    /// The daemon could not keep up, and dropped output rather than slow the pane down.
    Overrun,
    /// It was older than what the daemon keeps of a pane.
    Expired,
    /// tmux throws away what a pane wrote last when its program ends.
    LostTail,
}

/// The arguments of `cancel_wait`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelWait {
    /// The name that the wait was given.
    pub wait_id: String,
}

/// The answer of `cancel_wait`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cancelled {
    /// Whether there was such a wait.
    pub cancelled: bool,
}
