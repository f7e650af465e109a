//! Every bound of the daemon: its name, its unit and its default, in one place.
//!
//! A leaf: it imports nothing. Full means a typed refusal or a marked gap, never silence and never
//! a stalled pane. `status` shows these figures under the same names.

use std::time::Duration;

/// Entries in one list of patterns (W15).
pub const MAX_PATTERNS: usize = 32;
/// Bytes of one pattern (W15).
pub const MAX_PATTERN_BYTES: usize = 4096;
/// Bytes that the compiled form of one wait's patterns may take (W15).
pub const MAX_COMPILED_BYTES: usize = 4 << 20;
/// Seconds a wait may last at most (W11).
pub const MAX_TIMEOUT_SECONDS: f64 = 86_400.0;
/// Bytes of a wait's name.
pub const MAX_WAIT_ID_BYTES: usize = 128;
/// Waits held by one observer.
pub const MAX_WAITS: usize = 4096;
/// How long a row must have been left alone before a match that touches its end counts (W4).
pub const SETTLE: Duration = Duration::from_millis(20);

/// Bytes of text kept of one row; a longer row is cut into pieces of this size.
pub const MAX_ROW_BYTES: usize = 64 << 10;
/// Bytes of a cut row that are kept before the next piece, so that a match across the cut is seen.
pub const ROW_OVERLAP_BYTES: usize = 8 << 10;
/// Bytes of rows kept of one pane, text and bookkeeping together.
pub const MAX_LOG_BYTES: usize = 1 << 20;
/// Keys in one call.
pub const MAX_KEYS: usize = 256;
/// Typed lines of one pane whose echo is still expected.
pub const MAX_EXPECTED_ECHOES: usize = 256;
/// Bytes of a pane's output behind which an echo that has not come is no longer expected.
pub const MAX_ECHO_DISTANCE: u64 = 256 << 10;
/// Lines of a pane's history that are captured to find what its stream has missed.
pub const RECOVERED_LINES: usize = 2000;
/// Gaps remembered of one pane.
pub const MAX_GAPS: usize = 64;
/// Rows of context in an answer.
pub const MAX_CONTEXT_ROWS: usize = 100;
/// Bytes of finished rows over which a pattern that can match a line break is matched (W4).
pub const JOINED_BYTES: usize = 16 << 10;
/// Panes in one wait.
pub const MAX_PANES: usize = 256;
/// Bytes of text in an answer's `text`; its end is kept.
pub const MAX_TEXT_BYTES: usize = 64 << 10;
/// Rows in an answer's `tail`.
pub const MAX_TAIL_ROWS: usize = 20;
/// Bytes in an answer's `tail`.
pub const MAX_TAIL_BYTES: usize = 2000;
/// Columns and rows of a pane that are modelled; tmux's own limit is 10,000.
pub const MAX_SIDE: u16 = 10_000;

/// Bytes of one control-mode line. The longest seen is 10,931; capture replies may be longer.
pub const MAX_LINE_BYTES: usize = 4 << 20;
/// Bytes of one command's reply.
pub const MAX_REPLY_BYTES: usize = 16 << 20;
/// Bytes of pane output that may wait between a link's reader and its observer.
pub const MAX_BACKLOG_BYTES: usize = 16 << 20;
/// Batches of events under way between a link's reader and its observer.
pub const LINK_QUEUE: usize = 16;
/// Commands under way on one link.
pub const LINK_COMMANDS: usize = 64;
/// Links to one server; each costs it four descriptors, of which it has about 1,000.
pub const MAX_LINKS: usize = 200;
/// Bytes of output of panes that are not known yet.
pub const MAX_STRAY_BYTES: usize = 4 << 20;
/// Questions under way to one observer.
pub const OBSERVER_QUEUE: usize = 256;

/// How long tmux may take to answer the first line of a link, or a one-shot command.
pub const TMUX_DEADLINE: Duration = Duration::from_secs(2);
/// How long a link is still read after the server has let go of it.
pub const LAST_WORDS: Duration = Duration::from_millis(500);
/// How long notifications are gathered before the panes are listed again.
pub const DEBOUNCE: Duration = Duration::from_millis(20);
/// How long a link nobody asks about is kept.
pub const LINK_IDLE: Duration = Duration::from_secs(600);
/// How often `--watch all` looks for a server that is not there.
pub const SERVER_RETRY: Duration = Duration::from_secs(2);

/// Bytes of one JSON-RPC request.
pub const MAX_REQUEST_BYTES: u32 = 256 << 10;
/// Bytes of one JSON-RPC answer.
pub const MAX_ANSWER_BYTES: u32 = 4 << 20;
/// Connections open at once.
pub const MAX_CONNECTIONS: u32 = 2048;
/// Calls under way on one connection.
pub const MAX_CALLS_PER_CONNECTION: usize = 1024;
/// Entries in one JSON-RPC batch; they run one after another.
pub const MAX_BATCH: u32 = 8;
/// Messages waiting to be written to one connection.
pub const MAX_OUTGOING_MESSAGES: u32 = 64;
/// Bytes of a Unix socket's path on Linux, the final NUL not counted.
pub const MAX_SOCKET_PATH_BYTES: usize = 107;
/// How long stopping waits for answers under way to be written.
pub const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// The limits as `status` shows them; the unit is in the name.
pub fn table() -> impl Iterator<Item = (&'static str, u64)> {
    [
        ("patterns_per_list", MAX_PATTERNS as u64),
        ("pattern_bytes", MAX_PATTERN_BYTES as u64),
        ("compiled_patterns_bytes", MAX_COMPILED_BYTES as u64),
        ("wait_seconds", Duration::from_secs_f64(MAX_TIMEOUT_SECONDS).as_secs()),
        ("waits_per_server", MAX_WAITS as u64),
        ("row_bytes", MAX_ROW_BYTES as u64),
        ("rows_bytes_per_pane", MAX_LOG_BYTES as u64),
        ("answer_text_bytes", MAX_TEXT_BYTES as u64),
        ("backlog_bytes_per_link", MAX_BACKLOG_BYTES as u64),
        ("link_idle_seconds", LINK_IDLE.as_secs()),
        ("request_bytes", MAX_REQUEST_BYTES.into()),
        ("answer_bytes", MAX_ANSWER_BYTES.into()),
        ("connections", MAX_CONNECTIONS.into()),
        ("calls_per_connection", MAX_CALLS_PER_CONNECTION as u64),
        ("batch_entries", MAX_BATCH.into()),
    ]
    .into_iter()
}
