//! The link that tmux's own binary opens: `tmux -u -N -C attach-session -E`.
//!
//! Its process must die with us, or a flooding pane would stall and the server could not exit
//! (tmux-control-mode 7). So it is started through our own binary, which asks the kernel for that and
//! then becomes tmux. The kernel ties the wish to the *thread* that starts it: links are opened on the
//! drain's thread, which lives as long as the daemon.

use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::Context;
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
use tokio::io;
use tokio::net::UnixStream;

use super::endpoint::Identity;
use super::link::{Aim, Keeper, LinkError, LinkKind, Opened};

/// The hidden subcommand of our own binary that [`become_tmux`] serves.
pub const BECOME_TMUX: &str = "become-tmux";

/// Opens a link.
pub fn open(binary: &Path, aim: &Aim) -> Result<Opened, LinkError> {
    let failed = |error: io::Error| LinkError::Io {
        kind: LinkKind::Process(binary.to_owned()),
        session: aim.session,
        endpoint: aim.endpoint.clone(),
        doing: "starting tmux",
        error,
    };
    start(binary, aim).map_err(failed)
}

#[expect(clippy::disallowed_methods, reason = "the one place that starts tmux")]
fn start(binary: &Path, aim: &Aim) -> io::Result<Opened> {
    let (control, theirs) = UnixStream::pair()?;
    let theirs = OwnedFd::from(theirs.into_std()?);
    let child = tokio::process::Command::new(std::env::current_exe()?)
        .arg(BECOME_TMUX)
        .arg(std::process::id().to_string())
        .arg(binary)
        .args(["-u", "-N", "-S"])
        .arg(aim.endpoint.path())
        .arg("-C")
        .args(aim.argv())
        // tmux takes its socket and its default targets from these (tmux-control-mode 12)
        .env_remove("TMUX")
        .env_remove("TMUX_PANE")
        .stdin(Stdio::from(theirs.try_clone()?))
        .stdout(Stdio::from(theirs))
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    Ok(Opened { control, keeper: Keeper::Process(child) })
}

/// Becomes tmux, in a process that dies with the one that started it. Returns only on failure.
#[expect(clippy::disallowed_methods, reason = "nothing is started: this process becomes tmux")]
pub fn become_tmux(parent: i32, binary: &Path, arguments: &[String]) -> anyhow::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL)).context("asking to die with the daemon")?;
    // the parent may have died before the kernel was asked
    anyhow::ensure!(getppid() == Pid::from_raw(parent), "the daemon {parent} is gone");
    let error = std::process::Command::new(binary).args(arguments).exec();
    Err(error).with_context(|| format!("running {}", binary.display()))
}

/// The binary that a server was started from, since a client of another version may not understand it
/// (tmux-control-mode 12); where that cannot be known, the one on the `PATH`.
pub fn binary_of(server: &Identity) -> PathBuf {
    let own = std::fs::read_link(format!("/proc/{}/exe", server.pid)).ok();
    let is_tmux =
        |path: &PathBuf| path.file_name().is_some_and(|name| name == "tmux") && path.exists();
    own.filter(is_tmux).unwrap_or_else(binary_on_path)
}

/// The tmux that the `PATH` means.
pub fn binary_on_path() -> PathBuf {
    PathBuf::from("tmux")
}
