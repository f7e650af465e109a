//! What can be typed, and what it means.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Parser, Subcommand, ValueEnum};
use panewatch_protocol::target::{ServerName, Target};
use panewatch_protocol::typing::{PasteText, SendKeys, Submit, Unless};
use panewatch_protocol::wait::{AlternateScreen, AtEntry, WaitForText};

use crate::daemon::run::Options;
use crate::observer::Settings;
use crate::tmux::process::{BECOME_TMUX, binary_on_path};
use crate::tmux::{Endpoint, LinkKind};

/// Tells you when a tmux pane says something. Nothing is polled, so nothing is missed.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub struct Args {
    /// Which daemon.
    #[command(flatten)]
    pub connection: Connection,
    /// Print JSON: the daemon's whole answer, one object
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Which daemon is meant.
#[derive(Debug, clap::Args)]
pub struct Connection {
    /// The daemon's socket
    ///
    /// Else the one in `PANEWATCH_SOCKET`, else `panewatch/daemon.sock` in `XDG_RUNTIME_DIR`, else in a
    /// directory of this user's own under the temporary one.
    #[arg(long, value_name = "PATH", global = true)]
    pub listen: Option<PathBuf>,
    /// Fail if no daemon runs, instead of starting one
    #[arg(long, global = true)]
    pub no_autostart: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Be the daemon, in the foreground
    Serve(Serve),
    /// Wait until a pane writes something
    ///
    /// Prints the row that matched. Exits with 0 when it matched, 1 when a stop pattern did, 124 when
    /// the time ran out, 3 when the pane, its session or its server is gone, 4 when a full-screen
    /// program had the pane to the end, 130 when interrupted, and 2 when the call was wrong.
    Wait(Wait),
    /// Type into a pane, as one step; prints the cursor from which to wait
    Send(Send),
    /// Paste text into a pane; prints the cursor from which to wait
    Paste(Paste),
    /// List the panes
    Panes(Server),
    /// List the tmux servers
    Servers,
    /// Say what the daemon is doing
    Status,
    /// Show the main job in a tmux server of its own, which is gone afterwards
    Demo(Demo),
    /// Become tmux in a process that dies with the daemon.
    #[command(name = BECOME_TMUX, hide = true)]
    BecomeTmux {
        /// The daemon.
        parent: i32,
        /// tmux.
        binary: PathBuf,
        /// Its arguments.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

/// `panewatch serve`
#[derive(Debug, clap::Args)]
pub struct Serve {
    /// Which sessions to read: those that somebody asks about, or all
    #[arg(long, value_enum, default_value_t = Watch::Used)]
    watch: Watch,
    /// How to link to a session: directly, or through tmux's own binary
    ///
    /// Before 3.7 tmux's own binary can crash the server while sessions come and go.
    #[arg(long, value_enum, default_value_t = Link::Direct)]
    link: Link,
    /// The tmux to run with --link process
    #[arg(long, value_name = "PATH")]
    tmux: Option<PathBuf>,
    /// Refuse to type into any pane
    #[arg(long)]
    read_only: bool,
    /// A server by name, as in tmux; may be repeated, the first is the default
    #[arg(short = 'L', value_name = "NAME", action = ArgAction::Append)]
    name: Vec<String>,
    /// A server by its socket, as in tmux; may be repeated
    #[arg(short = 'S', value_name = "PATH", action = ArgAction::Append)]
    path: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Watch {
    Used,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Link {
    Direct,
    Process,
}

impl Serve {
    /// What the daemon is told.
    pub fn options(self, listen: Option<PathBuf>) -> Options {
        let link = match self.link {
            Link::Direct => LinkKind::Direct,
            Link::Process => LinkKind::Process(self.tmux.unwrap_or_else(binary_on_path)),
        };
        let named = self.name.iter().map(|name| Endpoint::named(name));
        let servers = named.chain(self.path.into_iter().map(Endpoint::at)).collect();
        let settings = Settings { link, watch_all: self.watch == Watch::All };
        Options { listen, servers, settings, read_only: self.read_only }
    }
}

/// Which tmux server is meant.
#[derive(Debug, Default, clap::Args)]
pub struct Server {
    /// The server's name, as in tmux
    #[arg(short = 'L', value_name = "NAME", conflicts_with = "path")]
    name: Option<String>,
    /// The server's socket, as in tmux
    #[arg(short = 'S', value_name = "PATH")]
    path: Option<PathBuf>,
}

impl Server {
    /// The server as the daemon knows it: what was named, else the one whose pane this is.
    pub fn name(&self) -> Option<ServerName> {
        let inside = || {
            let tmux = std::env::var("TMUX").ok().filter(|tmux| !tmux.is_empty())?;
            Some(PathBuf::from(tmux.split(',').next()?))
        };
        if let Some(name) = &self.name {
            return Some(ServerName { socket_name: Some(name.clone()), socket_path: None });
        }
        let path = self.path.clone().or_else(inside)?;
        let path = std::path::absolute(&path).unwrap_or(path);
        Some(ServerName { socket_name: None, socket_path: Some(path.display().to_string()) })
    }
}

/// Which pane is meant.
#[derive(Debug, clap::Args)]
pub struct Place {
    #[command(flatten)]
    server: Server,
    /// The pane: %3, =session:window.pane, @2, or a session's whole name
    #[arg(short, long)]
    target: String,
}

impl Place {
    fn target(&self) -> Target {
        target(self.server.name(), &self.target)
    }
}

fn target(server: Option<ServerName>, text: &str) -> Target {
    let named = Some(text.to_owned());
    let is_window = text.starts_with('@');
    let (pane, window_id) = if is_window { (None, named) } else { (named, None) };
    Target { pane, window_id, server, ..Target::default() }
}

/// `panewatch send`
#[derive(Debug, clap::Args)]
pub struct Send {
    #[command(flatten)]
    place: Place,
    /// Text, typed byte for byte
    text: Option<String>,
    /// A key by its tmux name, such as C-c or Up, typed behind the text; may be repeated
    #[arg(short, long = "key", value_name = "KEY", action = ArgAction::Append)]
    keys: Vec<String>,
    #[command(flatten)]
    submission: Submission,
}

/// `panewatch paste`
#[derive(Debug, clap::Args)]
pub struct Paste {
    #[command(flatten)]
    place: Place,
    /// The text
    text: String,
    #[command(flatten)]
    submission: Submission,
}

/// How typing ends, and what it may do.
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent switches of the command line"
)]
#[derive(Debug, clap::Args)]
struct Submission {
    /// Press Enter at the end
    #[arg(short, long)]
    enter: bool,
    /// Press Enter only when the text has been echoed, or the pane is quiet
    #[arg(long, requires = "enter")]
    settled: bool,
    /// Leave copy mode, or another mode, first
    #[arg(long)]
    leave_mode: bool,
    /// Type even into the pane that this runs in
    #[arg(long)]
    own_pane: bool,
}

impl Submission {
    fn submit(&self) -> Submit {
        if self.settled { Submit::Settled } else { Submit::With }
    }

    fn unless(&self) -> Unless {
        Unless { leave_mode: self.leave_mode, own_pane: self.own_pane }
    }
}

impl Send {
    /// The order as the daemon knows it.
    pub fn order(&self) -> SendKeys {
        SendKeys {
            target: self.place.target(),
            text: self.text.clone(),
            keys: self.keys.clone(),
            enter: self.submission.enter,
            submit: self.submission.submit(),
            unless: self.submission.unless(),
        }
    }
}

impl Paste {
    /// The order as the daemon knows it.
    pub fn order(&self) -> PasteText {
        PasteText {
            target: self.place.target(),
            text: self.text.clone(),
            enter: self.submission.enter,
            submit: self.submission.submit(),
            unless: self.submission.unless(),
        }
    }
}

/// `panewatch wait`
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent switches of the command line"
)]
#[derive(Debug, clap::Args)]
pub struct Wait {
    #[command(flatten)]
    server: Server,
    /// The pane: %3, =session:window.pane, @2, or a session's whole name; may be repeated, and the
    /// first answer of any of them counts
    #[arg(short, long = "target", required = true, action = ArgAction::Append)]
    targets: Vec<String>,
    /// Watch every pane of the target's session
    #[arg(long)]
    all_panes: bool,
    /// Print this many rows before the match too
    #[arg(short = 'C', long, value_name = "ROWS", default_value_t = 0)]
    context: usize,
    /// Text to wait for; any output, if there is none
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// Text that ends the wait as a failure; may be repeated
    #[arg(long, value_name = "PATTERN", action = ArgAction::Append)]
    stop: Vec<String>,
    /// Read the patterns as regular expressions
    #[arg(short = 'E', long)]
    regex: bool,
    /// Tell upper from lower case
    #[arg(short = 'c', long)]
    match_case: bool,
    /// How long to wait: 30s, 5m, a number of seconds, or none for as long as allowed
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = time)]
    timeout: Time,
    /// Count what was written behind this cursor, from an earlier answer, as new
    #[arg(long, value_name = "CURSOR")]
    since: Option<String>,
    /// Answer at once if a pattern already stands on the screen
    #[arg(long)]
    at_entry: bool,
    /// Match the text of full-screen programs too
    #[arg(long)]
    alternate_screen: bool,
    /// A name with which another client can cancel the wait
    #[arg(long = "wait-id", value_name = "NAME")]
    id: Option<String>,
}

impl Wait {
    /// The question as the daemon knows it.
    pub fn question(&self) -> WaitForText {
        let some = |list: &Vec<String>| (!list.is_empty()).then(|| list.clone());
        let first = self.targets.first().map(String::as_str).unwrap_or_default();
        WaitForText {
            target: target(self.server.name(), first),
            panes: (self.targets.len() > 1).then(|| self.targets.clone()),
            all_panes: self.all_panes,
            context_rows: self.context,
            patterns: some(&self.patterns),
            stop: some(&self.stop),
            regex: self.regex,
            match_case: self.match_case,
            timeout: self.timeout.0.map(|time| time.as_secs_f64()),
            since: self.since.clone(),
            at_entry: if self.at_entry { AtEntry::Return } else { AtEntry::Wait },
            alternate_screen: if self.alternate_screen {
                AlternateScreen::Match
            } else {
                AlternateScreen::Suppress
            },
            wait_id: self.id.clone(),
        }
    }
}

/// A length of time, or none.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Time(Option<Duration>);

fn time(text: &str) -> Result<Time, String> {
    if text == "none" {
        return Ok(Time(None));
    }
    if let Ok(seconds) = text.parse::<f64>() {
        let time = Duration::try_from_secs_f64(seconds);
        return time.map(|t| Time(Some(t))).map_err(|e| format!("{e}"));
    }
    humantime::parse_duration(text).map(|t| Time(Some(t))).map_err(|e| e.to_string())
}

/// `panewatch demo`
#[derive(Debug, clap::Args)]
pub struct Demo {
    /// The tmux to show it in
    #[arg(long, value_name = "PATH", default_value = "tmux")]
    pub tmux: PathBuf,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Args::command().debug_assert();
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        for (text, seconds) in
            [("30s", 30.0), ("1m30s", 90.0), ("2", 2.0), ("0.5", 0.5), ("250ms", 0.25)]
        {
            assert_eq!(time(text), Ok(Time(Some(Duration::from_secs_f64(seconds)))), "{text}");
        }
        assert_eq!(time("none"), Ok(Time(None)));
        for text in ["", "-1", "soon", "NaN", "5 parsecs"] {
            assert!(time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_wait_is_the_question_that_was_typed() {
        let line =
            "panewatch wait -L x -t =a:1.0 one two --stop bad -E -c --timeout none --since c";
        let Command::Wait(wait) = Args::parse_from(line.split(' ')).command else { panic!() };
        let question = wait.question();
        assert_eq!(question.patterns, Some(vec!["one".to_owned(), "two".to_owned()]));
        assert_eq!(question.stop, Some(vec!["bad".to_owned()]));
        assert!(question.regex && question.match_case && question.timeout.is_none());
        assert_eq!(question.target.pane.as_deref(), Some("=a:1.0"));
        assert_eq!(question.target.server.unwrap().socket_name.as_deref(), Some("x"));
    }
}
