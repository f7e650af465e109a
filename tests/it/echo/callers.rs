//! Several callers that type into one pane: their lines stay whole, and each finds what its own line
//! made (field report R11).

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use panewatch_protocol::method;
use panewatch_protocol::typing::Typed;
use panewatch_protocol::wait::TextAnswer;
use rustix::termios::LocalModes;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::eventually::{HANG, eventually, within};
use crate::support::scene::assert_matched;
use crate::support::shell::{Kind, Shell, terminal_is};

const LINES: usize = 10;

/// A caller on a connection of its own that types these lines, one behind the other, each at once; for
/// each the cursor.
async fn typing(socket: PathBuf, pane: String, lines: Vec<String>) -> Vec<String> {
    let client = Client::connect(&socket).await;
    let mut cursors = Vec::new();
    for line in lines {
        let params = json!({"pane": pane, "text": line, "enter": true});
        let typed: Typed = client.get(method::SEND_KEYS, params).await;
        cursors.push(typed.cursor);
    }
    cursors
}

/// Two callers at once; the cursors of each.
async fn both(shell: &Shell, lines: [Vec<String>; 2]) -> [Vec<String>; 2] {
    let start = |lines| {
        let (socket, pane) = (shell.daemon.listen().to_owned(), shell.pane.clone());
        tokio::spawn(typing(socket, pane, lines))
    };
    let [one, two] = lines.map(start);
    let one = within("the first caller", HANG, one).await.expect("the first caller");
    let two = within("the second caller", HANG, two).await.expect("the second caller");
    [one, two]
}

fn lines_of(caller: &str) -> Vec<String> {
    (0..LINES).map(|n| format!("{}_{n};", caller.repeat(20))).collect()
}

#[tokio::test]
async fn lines_of_two_callers_do_not_merge() {
    let mut shell = Shell::start(Kind::Sh).await;
    let file = shell.tmux.dir().join("typed");
    shell.pane = shell.tmux.new_pane(&format!("exec cat >'{}'", file.display()));
    let lines = ["A", "B"].map(lines_of);
    both(&shell, lines.clone()).await;
    let size = lines.concat().iter().map(|line| line.len() + 1).sum::<usize>();
    let whole = async || fs::read_to_string(&file).ok().filter(|typed| typed.len() >= size);
    let typed = eventually("the typed lines in a file", HANG, whole).await;
    for lines in lines {
        let caller = &lines[0][..1];
        let own: Vec<_> = typed.lines().filter(|line| line.contains(caller)).collect();
        assert_eq!(own, lines, "{typed}");
    }
}

#[tokio::test]
async fn each_caller_finds_what_its_own_line_made() {
    let mut shell = Shell::start(Kind::Sh).await;
    shell.pane = shell.tmux.new_pane("exec cat");
    terminal_is(&shell.tmux, &shell.pane, |modes| modes.contains(LocalModes::ECHO)).await;
    let lines = ["A", "B"].map(lines_of);
    let cursors = both(&shell, lines.clone()).await;
    for (line, cursor) in lines.concat().iter().zip(cursors.concat()) {
        let answer = shell.since(&cursor, json!({"patterns": [line]})).await;
        assert_matched(&answer, line);
        // cat has printed it once
        let behind = answer.match_cursor.expect("a cursor behind the match");
        let again = shell.since(&behind, json!({"patterns": [line], "timeout": 0})).await;
        assert!(!again.found, "{again:?}");
    }
}

#[tokio::test]
async fn another_callers_typed_line_is_no_answer() {
    for kind in Kind::ALL {
        let shell = Shell::start(kind).await;
        let first = shell.line("echo MARK_7").await;
        let other = Client::connect(shell.daemon.listen()).await;
        let order = |text: &str| json!({"pane": shell.pane, "text": text, "enter": true});
        for line in ["true MARK_9", "echo MARK_8"] {
            let typed: Typed = other.get(method::SEND_KEYS, order(line)).await;
            assert_eq!(typed.pane, shell.pane);
        }
        let wait = async |params: Value| -> TextAnswer { shell.since(&first, params).await };
        let answer = wait(json!({"patterns": ["MARK_9", "MARK_8"]})).await;
        let row = answer.matched_lines.concat();
        assert_eq!(row.trim_start_matches(['$', ' ']), "MARK_8", "{kind:?} {answer:?}");
        shell.finds_none(&first, "MARK_9").await;
    }
}

#[tokio::test]
async fn callers_at_a_shell_find_what_their_own_lines_print() {
    for kind in Kind::ALL {
        let shell = Shell::start(kind).await;
        let markers = ["A", "B"].map(|c| (0..4).map(|n| format!("{c}_MARK_{n}")).collect());
        let lines = markers.clone().map(|own: Vec<String>| {
            own.iter().map(|marker| format!("echo {marker}")).collect::<Vec<_>>()
        });
        let cursors = both(&shell, lines).await;
        // in reverse order, when all is long printed
        shell.prompted().await;
        for (marker, cursor) in markers.concat().iter().zip(cursors.concat()).rev() {
            let asked = shell.since(&cursor, json!({"patterns": [marker]}));
            let answer = within("an answer at once", Duration::from_secs(35), asked).await;
            let row = answer.matched_lines.concat();
            assert_eq!(row.trim_start_matches(['$', ' ']), marker, "{kind:?} {answer:?}");
        }
    }
}
