//! A daemon is started when none runs; of twenty clients that want one at once, one starts it.
//!
//! The daemon's own lock decides: a second daemon that is started meanwhile says so and ends, and its
//! client finds the first one.

use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tokio::time::sleep;

use super::call::{Client, ClientError};
use crate::socket::Place;

/// How long a daemon may take to be ready.
const START_DEADLINE: Duration = Duration::from_secs(10);
/// How often a client looks whether it is.
const LOOK: Duration = Duration::from_millis(10);

/// Connects to the daemon, and starts one if none runs and that is allowed.
pub async fn connect(place: &Place, start: bool) -> anyhow::Result<Client> {
    match Client::connect(&place.path).await {
        Err(ClientError::NoDaemon { .. }) if start => start_and_connect(place).await,
        Err(error @ ClientError::NoDaemon { .. }) => {
            Err(error).context("start one with `panewatch serve`, or leave --no-autostart out")
        }
        other => Ok(other?),
    }
}

async fn start_and_connect(place: &Place) -> anyhow::Result<Client> {
    place.prepare().with_context(|| format!("making the directory of {}", place.path.display()))?;
    let log = place.path.with_extension("log");
    let mut daemon = spawn(place, &log)?;
    let deadline = Instant::now() + START_DEADLINE;
    let mut ended = false;
    loop {
        match Client::connect(&place.path).await {
            Err(ClientError::NoDaemon { .. }) if Instant::now() < deadline => {}
            other => return other.with_context(|| failed(&log)),
        }
        if ended {
            // it ended before anybody answered: not because another daemon was first
            bail!("{}", failed(&log));
        }
        ended = daemon.try_wait()?.is_some_and(|status| !status.success()) && !is_starting(place);
        sleep(LOOK).await;
    }
}

/// Whether another daemon holds the lock and is about to listen.
fn is_starting(place: &Place) -> bool {
    let mut lock = place.path.clone().into_os_string();
    lock.push(".lock");
    let held = rustix::fs::FlockOperation::NonBlockingLockShared;
    File::open(lock).is_ok_and(|file| rustix::fs::flock(&file, held).is_err())
}

fn failed(log: &Path) -> String {
    let said = std::fs::read_to_string(log).unwrap_or_default();
    let last = said.lines().last().unwrap_or("it said nothing").trim();
    format!("the daemon could not be started: {last}")
}

/// Starts the daemon, in a session of its own so that closing the terminal does not end it.
#[expect(clippy::disallowed_methods, reason = "the one place that starts a daemon")]
fn spawn(place: &Place, log: &Path) -> anyhow::Result<Child> {
    let mut command = Command::new(std::env::current_exe().context("finding panewatch itself")?);
    command.arg("serve");
    if !place.default {
        command.arg("--listen").arg(&place.path);
    }
    let log = File::create(log).map_or_else(|_| Stdio::null(), Stdio::from);
    command
        .env_remove("TMUX")
        .env_remove("TMUX_PANE")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .process_group(0)
        .spawn()
        .map_err(|error: io::Error| anyhow::anyhow!("the daemon could not be started: {error}"))
}
