//! Typing into a pane, by one-shot clients: never over a link, which a key binding could wedge.
//!
//! Testing for a mode and typing are one step on the server, since a person may enter copy mode at any
//! moment, and keys would then be commands of that mode (field reports R4, R5). Text goes as hex or
//! through a buffer of our own: both are byte-exact where `send-keys -l` is not (R40).

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{Mode, OFlags};
use rustix::termios::{LocalModes, tcgetattr};

use super::command::{self, TmuxError};
use super::endpoint::Endpoint;
use crate::boundary;
use crate::control::quote::quote;
use crate::control::{PaneId, WindowId};

/// Bytes of text that go as hex; more goes through a buffer.
const MAX_HEX_BYTES: usize = 1500;
/// Bytes of text in one command that fills a buffer.
const BUFFER_PIECE_BYTES: usize = 12_000;

/// What is typed, in this order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Input {
    /// Text, byte for byte.
    pub text: String,
    /// The text is pasted: bracketed, where the program asked for that.
    pub paste: bool,
    /// Keys by name.
    pub keys: Vec<String>,
    /// Then Enter.
    pub enter: bool,
    /// Leave a mode that the pane is in.
    pub leave_mode: bool,
}

/// Why nothing was typed.
#[derive(Debug, thiserror::Error)]
pub enum TypingError {
    /// The pane is in a mode.
    #[error("pane {0} is in {1}, where keys do something else; leave it, or ask for `leave_mode`")]
    InMode(PaneId, String),
    /// tmux refused.
    #[error(transparent)]
    Tmux(#[from] TmuxError),
}

/// Types. Answers whether a person's client shows the pane.
pub async fn type_into(
    endpoint: &Endpoint,
    pane: PaneId,
    window: WindowId,
    input: &Input,
) -> Result<bool, TypingError> {
    let buffer = fill_buffer(endpoint, input).await?;
    let typing = commands(pane, input, buffer.as_ref());
    let in_mode = if input.leave_mode {
        format!("copy-mode -q -t {pane} ; {typing}")
    } else {
        let drop = buffer.map(|b| format!(" ; delete-buffer -b {}", b.name)).unwrap_or_default();
        format!("display-message -p -t {pane} 'mode #{{pane_mode}}'{drop}")
    };
    let target = pane.to_string();
    let clients = "client #{client_control_mode} #{window_zoomed_flag} #{window_id} #{pane_id}";
    let argv = ["list-clients", "-F", clients, ";", "if-shell", "-F", "-t", &target];
    let argv = [&argv[..], &["#{pane_in_mode}", &in_mode, &typing]].concat();
    let said = command::run(endpoint, &argv).await?;
    match said.lines().find_map(|line| line.strip_prefix("mode ")) {
        Some(mode) => Err(TypingError::InMode(pane, mode.to_owned())),
        None => Ok(said.lines().any(|line| shows(line, pane, window))),
    }
}

/// Whether a line of the list of clients is a person's, and that client shows the pane.
fn shows(line: &str, pane: PaneId, window: WindowId) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    let &["client", control, zoomed, its_window, its_pane] = &words[..] else { return false };
    let in_sight = zoomed == "0" || PaneId::parse(its_pane) == Some(pane);
    control == "0" && WindowId::parse(its_window) == Some(window) && in_sight
}

fn commands(pane: PaneId, input: &Input, buffer: Option<&Buffer>) -> String {
    let mut list = Vec::new();
    match buffer {
        Some(Buffer { name, .. }) if input.paste => {
            list.push(format!("paste-buffer -d -p -b {name} -t {pane}"));
        }
        Some(Buffer { name, sanitized: true }) => {
            list.push(format!("paste-buffer -d -r -S -b {name} -t {pane}"));
        }
        Some(Buffer { name, .. }) => list.push(format!("paste-buffer -d -r -b {name} -t {pane}")),
        None if input.text.is_empty() => {}
        None => {
            let hex: Vec<String> = input.text.bytes().map(|b| format!("{b:02x}")).collect();
            list.push(format!("send-keys -t {pane} -H {}", hex.join(" ")));
        }
    }
    let keys = input.keys.iter().map(String::as_str).chain(input.enter.then_some("Enter"));
    list.extend(keys.map(|key| format!("send-keys -t {pane} {}", quote(key))));
    list.join(" ; ")
}

/// A buffer of our own.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Buffer {
    name: String,
    /// This tmux makes control characters visible when it pastes, unless it is told not to.
    sanitized: bool,
}

/// Puts the text into a buffer, if it is to be pasted or is long.
async fn fill_buffer(endpoint: &Endpoint, input: &Input) -> Result<Option<Buffer>, TmuxError> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    if input.text.is_empty() || (!input.paste && input.text.len() <= MAX_HEX_BYTES) {
        return Ok(None);
    }
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let buffer = format!("panewatch-{}-{count}", std::process::id());
    let mut rest = input.text.as_str();
    let mut append: &[&str] = &[];
    while !rest.is_empty() {
        let (piece, later) = rest.split_at(boundary::floor(rest, BUFFER_PIECE_BYTES));
        let piece = argument(piece);
        let argv = [&["set-buffer"], append, &["-b", &buffer, "--", &piece]].concat();
        command::run(endpoint, &argv).await?;
        (rest, append) = (later, &["-a"]);
    }
    // the flag that tells it not to is there where it does so
    let usage = command::run(endpoint, &["list-commands", "paste-buffer"]).await?;
    let flags = usage.split(['[', ']']).nth(1).unwrap_or_default();
    Ok(Some(Buffer { name: buffer, sanitized: flags.contains('S') }))
}

/// The text as an argument: tmux takes a `;` at the end of one for the end of the command, unless a
/// backslash stands before it.
fn argument(text: &str) -> String {
    text.strip_suffix(';').map_or_else(|| text.to_owned(), |before| format!(r"{before}\;"))
}

/// Whether what is typed will be echoed, as far as the terminal tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Echoes {
    /// The kernel echoes, at once.
    Kernel,
    /// A program reads key by key and may echo by itself, as line editors do.
    Program,
    /// Nothing does: a password is being asked for.
    Nobody,
}

/// Asks a pane's terminal who echoes.
pub fn echoes(tty: &Path) -> Echoes {
    let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let modes = rustix::fs::open(tty, flags, Mode::empty()).and_then(tcgetattr);
    match modes.map(|modes| modes.local_modes) {
        Ok(local) if local.contains(LocalModes::ECHO) => Echoes::Kernel,
        Ok(local) if local.contains(LocalModes::ICANON) => Echoes::Nobody,
        _ => Echoes::Program,
    }
}

/// Whether a pane's own program is a shell whose line editor has the terminal now.
pub fn is_at_prompt(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| has_foreground(&stat))
}

/// Reads `/proc/PID/stat`: the name in brackets, then state, parent, group, session, terminal, and the
/// group that has the terminal.
fn has_foreground(stat: &str) -> bool {
    // those that ask for bracketed paste, and take that back when they leave the terminal
    const WITH_EDITOR: [&str; 2] = ["bash", "zsh"];
    let name = stat.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')'));
    let Some((name, fields)) = name else { return false };
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let foreground = fields.get(2).is_some_and(|group| fields.get(5) == Some(group));
    foreground && WITH_EDITOR.contains(&name.trim_start_matches('-'))
}

/// Whether tmux knows a key by this name. It types unknown names as text, so they are refused before.
pub fn is_key(name: &str) -> bool {
    const NAMED: [&str; 21] = [
        "Enter", "Escape", "Space", "Tab", "BTab", "BSpace", "Up", "Down", "Left", "Right", "Home",
        "End", "NPage", "PageDown", "PgDn", "PPage", "PageUp", "PgUp", "IC", "DC", "Insert",
    ];
    let mut base = name;
    while let Some(rest) = ["C-", "M-", "S-"].iter().find_map(|m| base.strip_prefix(m)) {
        if rest.is_empty() {
            break;
        }
        base = rest;
    }
    if base.len() > 1 {
        base = base.strip_prefix('^').unwrap_or(base);
    }
    let function = base.strip_prefix('F').and_then(|n| n.parse::<u8>().ok());
    let keypad = base.strip_prefix("KP").is_some_and(|key| {
        key == "Enter"
            || (key.len() == 1 && key.starts_with(|c: char| "0123456789/*-+.".contains(c)))
    });
    base.chars().count() == 1
        || function.is_some_and(|n| (1..=12).contains(&n))
        || keypad
        || NAMED.contains(&base)
        || ["Delete", "Bspace"].contains(&base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_as_hex_and_keys_by_name() {
        let input = Input {
            text: "a;'".to_owned(),
            keys: vec!["C-c".to_owned(), ";".to_owned()],
            enter: true,
            ..Input::default()
        };
        assert_eq!(
            commands(PaneId(3), &input, None),
            "send-keys -t %3 -H 61 3b 27 ; send-keys -t %3 C-c ; send-keys -t %3 ';' ; send-keys -t %3 Enter"
        );
        let pasted = Input { paste: true, ..Input::default() };
        let buffer = Buffer { name: "b".to_owned(), sanitized: true };
        let typed = commands(PaneId(3), &Input::default(), Some(&buffer));
        assert_eq!(typed, "paste-buffer -d -r -S -b b -t %3");
        assert_eq!(commands(PaneId(3), &pasted, Some(&buffer)), "paste-buffer -d -p -b b -t %3");
    }

    #[test]
    fn a_semicolon_at_the_end_of_text_is_text() {
        for (text, want) in [("a;", r"a\;"), (r"a\;", r"a\\;"), ("a;b", "a;b"), ("", "")] {
            assert_eq!(argument(text), want);
        }
    }

    #[test]
    fn a_person_looks_at_a_pane_whose_window_their_client_shows() {
        let shows = |line| shows(line, PaneId(3), WindowId(1));
        assert!(shows("client 0 0 @1 %4"));
        assert!(!shows("client 0 1 @1 %4"));
        assert!(shows("client 0 1 @1 %3"));
        assert!(!shows("client 1 0 @1 %3"));
        assert!(!shows("client 0 0 @2 %3"));
        assert!(!shows("mode copy-mode"));
    }

    #[test]
    fn a_shell_is_at_its_prompt_when_it_has_the_terminal() {
        assert!(has_foreground("7 (bash) S 1 7 7 34816 7 4194304"));
        assert!(!has_foreground("7 (bash) S 1 7 7 34816 9 4194304"));
        assert!(!has_foreground("7 (cat) S 1 7 7 34816 7 4194304"));
        assert!(!has_foreground(""));
    }

    #[test]
    fn only_names_that_tmux_knows_are_keys() {
        for name in [
            "Enter", "C-c", "M-x", "C-M-x", "F12", "^c", "a", ";", "é", "S-Up", "C--", "KP5",
            "KPEnter",
        ] {
            assert!(is_key(name), "{name}");
        }
        for name in ["", "Entr", "enter key", "F13", "C-", "Ctrl-c", "ab", "KPx"] {
            assert!(!is_key(name), "{name}");
        }
    }
}
