//! panewatch tells you when a tmux pane says something.
//!
//! One daemon per user holds a live control-mode stream per tmux session, keeps what every pane wrote,
//! and answers waits for any number of callers over JSON-RPC on a Unix socket. Nothing is polled.
//!
//! # The life of one wait
//!
//! 1. A caller sends `wait_for_text`. [`rpc::methods`] reads it; [`wait::text`] compiles its patterns.
//! 2. The [`observer`] of that server finds the pane ([`observer::target`]) and, if its session is not
//!    linked, links it ([`observer::links`], [`tmux::direct`]). The link's first replies are captures of
//!    the session's panes, from which their streams begin ([`pane::seed`]).
//! 3. The wait starts at the stream's present position, or at the caller's cursor, and is held by pane
//!    and deadline ([`wait::registry`]). Dropping the caller's end removes it.
//! 4. A program writes. tmux sends `%output`; the drain's thread reads it ([`tmux::drain`]) and decodes
//!    it to events ([`control::codec`]).
//! 5. The observer feeds the pane's stream ([`pane::stream`]): bytes move a screen without colours
//!    ([`pane::decode`], [`pane::screen`]), and each state that a row is left in goes to the log
//!    ([`pane::log`]).
//! 6. Each row that was left, and the one still open, is shown to the pane's waits
//!    ([`wait::pattern`]). The first hit is the answer ([`wait::answer`]), which goes back by oneshot.
//!
//! # The modules, in reading order
//!
//! Dependencies run down this list only; `tests/it/invariants.rs` holds the code to it.
//!
//! - `panewatch_protocol` (its own crate): the wire types
//! - [`limits`], [`socket`], [`boundary`]: leaves: every bound; where the daemon's socket is; where text can
//!   be cut
//! - [`control`]: PURE: control-mode text to events
//! - [`pane`]: PURE: what one pane has said
//! - [`wait`]: PURE: questions about streams
//! - [`tmux`]: talks to tmux
//! - [`observer`]: the owner of one server
//! - [`rpc`]: JSON-RPC on the Unix socket
//! - [`daemon`]: the process
//! - [`client`]: typed calls, beside all of the above
//! - [`cli`]: the command, over `client`; it also starts the daemon
//!
//! # Invariants: what is absent
//!
//! - `control`, `pane` and `wait` do no IO, spawn nothing and read no clock: times are told to them.
//! - Only `tmux` opens tmux's socket; only `rpc` knows jsonrpsee's server, only `client` its client.
//! - There is no lock around streams, topology or waits: one task owns them. Nothing is polled while a
//!   pane is quiet.
//! - The thread that reads links never waits: for matching, for a caller, for a lock or for disk.
//! - Nothing is typed over a link: typing is one-shot clients, one queue per pane ([`observer::typists`]).
//! - No `refresh-client`, no option, hook or size of the user's is ever set; no tmux server is started.
//!
//! # Where the code has taught us better than the plan
//!
//! - Links do not ask to be `read-only`: from tmux 3.7 on, a plain `send-keys` that anybody runs while
//!   only we are attached would be refused.
//! - `since` and live matching read the same log of rows as they were left, not the raw bytes, so that a
//!   replay finds exactly what a live wait would have found.
//! - A literal counts at once, except where it crosses the place at which a row is just being printed
//!   over: such a mixture counts when the row is left or rests, like a match that can still grow.
//! - Echo (W8) is found in rows and counted as old text there, by byte, so that every wait, replay and answer
//!   agrees; who echoes is asked of the pane's terminal, and line editors are told by bracketed paste.
//! - A wrap that a line editor takes back at the margin is no wrap: tmux remembers it, and `capture-pane -J`
//!   joins the output behind it to the typed line; the rows here do not.
//! - A program's end is learned from the kernel (a pidfd), not by polling or a subscription: before 3.7
//!   a subscription can crash the server. Its exit status, too, where tmux has not reaped it.
//! - A socket directory that was named may be readable by others, but not writable; the default one is
//!   closed.

pub mod boundary;
pub mod cli;
pub mod client;
pub mod control;
pub mod daemon;
pub mod limits;
pub mod observer;
pub mod pane;
pub mod rpc;
pub mod socket;
pub mod tmux;
pub mod wait;
