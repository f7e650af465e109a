//! Processes: starting them, ending them by their id, and what `/proc` says of them.
//!
//! The only place of the tests that starts a process. None of them sees the tmux, the daemon or the
//! runtime directory of the person who runs the tests.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::eventually::{HANG, gone_by};

/// The program under test.
pub(crate) const PANEWATCH: &str = env!("CARGO_BIN_EXE_panewatch");

/// Variables that would lead to somebody's own servers, daemon or settings.
const FOREIGN: [&str; 6] =
    ["TMUX", "TMUX_PANE", "TMUX_TMPDIR", "PANEWATCH_SOCKET", "XDG_RUNTIME_DIR", "RUST_LOG"];

/// A command with no input and none of the person's own servers in its environment.
#[expect(clippy::disallowed_methods, reason = "the one place of the tests that starts processes")]
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for name in FOREIGN {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}

/// Runs a command to its end. One that does not end is killed, and that is a failure.
pub(crate) fn run_to_end(command: Command) -> Output {
    let what = format!("{command:?}");
    try_run_to_end(command).unwrap_or_else(|| panic!("did not end within {HANG:?}: {what}"))
}

/// Runs a command to its end, or kills it and gives nothing.
pub(crate) fn try_run_to_end(mut command: Command) -> Option<Output> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap_or_else(|error| panic!("{}", not_started(&command, &error)));
    let pid = pid_of(child.id());
    let (ended, end) = mpsc::sync_channel(1);
    thread::spawn(move || ended.send(child.wait_with_output()));
    if let Ok(output) = end.recv_timeout(HANG) {
        return Some(output.expect("reading what a command printed"));
    }
    signal(pid, Signal::KILL);
    None
}

/// Why a command could not be started, for a person who lacks the program.
pub(crate) fn not_started(command: &Command, error: &std::io::Error) -> String {
    let program = command.get_program().to_string_lossy();
    format!("these tests need `{program}`, and it could not be started: {error}")
}

/// A process id as tmux and `/proc` write it.
pub(crate) fn pid_of(id: u32) -> i32 {
    i32::try_from(id).expect("a process id fits an i32")
}

/// Sends a signal to a process that a test started. One that is gone already is no failure.
pub(crate) fn signal(pid: i32, signal: Signal) {
    let pid = Pid::from_raw(pid).expect("a process id above 0");
    match kill_process(pid, signal) {
        Ok(()) | Err(rustix::io::Errno::SRCH) => {}
        Err(error) => panic!("signal {signal:?} to {pid:?}: {error}"),
    }
}

/// Ends a process: asks it, and kills it when it does not go.
pub(crate) fn end(pid: i32) {
    signal(pid, Signal::TERM);
    if !gone_by(pid, Duration::from_secs(5)) {
        signal(pid, Signal::KILL);
        gone_by(pid, Duration::from_secs(5));
    }
}

/// Whether the process runs. One that has ended and was not yet waited for does not.
pub(crate) fn alive(pid: i32) -> bool {
    stat(pid).is_some_and(|fields| !matches!(fields[0].as_str(), "Z" | "X"))
}

/// The clock ticks of processor time that the process has used.
pub(crate) fn ticks(pid: i32) -> u64 {
    let fields = stat(pid).unwrap_or_else(|| panic!("process {pid} is gone"));
    // counted from the state: utime and stime
    fields[11..=12].iter().map(|field| field.parse::<u64>().unwrap()).sum()
}

/// How many files the process holds open.
pub(crate) fn open_files(pid: i32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).expect("the files of a living process").count()
}

/// The fields of `/proc/PID/stat` from the state on.
fn stat(pid: i32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(") ")?;
    Some(fields.split_whitespace().map(String::from).collect())
}

/// The processes that have `dir` in their environment or their arguments.
pub(crate) fn all_under(dir: &Path) -> Vec<i32> {
    let processes = fs::read_dir("/proc").expect("/proc").filter_map(Result::ok);
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|&pid| alive(pid) && names(pid, dir)).collect()
}

/// Whether the process runs the program under test.
pub(crate) fn is_panewatch(pid: i32) -> bool {
    fs::read_link(format!("/proc/{pid}/exe"))
        .is_ok_and(|exe| exe.as_os_str().as_bytes().starts_with(PANEWATCH.as_bytes()))
}

fn names(pid: i32, dir: &Path) -> bool {
    let dir = dir.as_os_str().as_bytes();
    ["environ", "cmdline"].iter().any(|file| {
        fs::read(format!("/proc/{pid}/{file}"))
            .is_ok_and(|text| text.windows(dir.len()).any(|part| part == dir))
    })
}
