//! `panewatch demo`: the main job, on screen, in a tmux server of its own.
//!
//! A program shows a line for 10 ms and wipes it, history and all; a wait catches it. Everything is
//! private and gone afterwards, however the demo ends.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output as Ran, Stdio};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use panewatch_protocol::method;
use panewatch_protocol::status::{GetStatus, Status};
use panewatch_protocol::target::Target;
use panewatch_protocol::wait::{Outcome, TextAnswer, WaitForText};
use tokio::time::{sleep, timeout};

use super::args::Demo;
use super::exit::Exit;
use super::output::Output;
use crate::client::Client;

/// What the program shows, and for how long.
const FLASH: &str = "listening on port 8080";
/// How long any step may take.
const STEP: Duration = Duration::from_secs(10);

/// Shows it.
pub async fn run(demo: &Demo, output: &mut Output) -> anyhow::Result<Exit> {
    let stage = Stage::set(&demo.tmux)?;
    let pane = stage.tmux(&["display-message", "-p", "#{pane_id}"])?;
    output
        .line(&format!("1. {} runs a program in pane {pane} of a private server", stage.version))?;
    let client = stage.connect().await?;
    output.line(&format!("2. panewatch wait -t {pane} '{FLASH}'"))?;
    let question = WaitForText {
        target: Target { pane: Some(pane.clone()), ..Target::default() },
        patterns: Some(vec![FLASH.to_owned()]),
        timeout: Some(STEP.as_secs_f64()),
        ..WaitForText::default()
    };
    let asked = client.call::<_, TextAnswer>(&stage.socket, method::WAIT_FOR_TEXT, &question);
    let flashed = async {
        stage.until_armed().await?;
        output.line("3. the program shows it for 10 ms, then wipes the screen and the history")?;
        stage.tmux(&["send-keys", "-t", &pane, "Enter"]).map(drop)
    };
    let (answer, flashed) = tokio::join!(asked, flashed);
    flashed?;
    let answer = answer?;
    let left = stage.until_wiped(&pane).await?;
    output.line(&format!("4. on the screen and in the history now: {left} rows of it"))?;
    output.line(&format!(
        "5. the wait says: {}, on the row: {}",
        word(&answer)?,
        answer.matched_lines.join("")
    ))?;
    ensure!(answer.outcome == Outcome::Matched, "the wait missed it");
    Ok(Exit::Done)
}

fn word(answer: &TextAnswer) -> anyhow::Result<String> {
    let word = serde_json::to_value(answer.outcome)?;
    Ok(word.as_str().unwrap_or_default().to_owned())
}

/// A private tmux server and a private daemon, in a directory of their own.
struct Stage {
    directory: PathBuf,
    socket: PathBuf,
    binary: PathBuf,
    version: String,
    daemon: Child,
}

impl Stage {
    fn set(binary: &Path) -> anyhow::Result<Self> {
        let version = version(binary)?;
        let directory = std::env::temp_dir().join(format!("panewatch-demo-{}", std::process::id()));
        make_private(&directory)?;
        let socket = directory.join("daemon.sock");
        start_tmux(binary, &directory)?;
        let daemon = start_daemon(&directory, &socket)?;
        Ok(Self { directory, socket, binary: binary.to_owned(), version, daemon })
    }

    fn tmux(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let ran = tmux(&self.binary, &self.directory, arguments)?;
        Ok(String::from_utf8_lossy(&ran.stdout).trim_end().to_owned())
    }

    async fn connect(&self) -> anyhow::Result<Client> {
        let connected = async {
            loop {
                if let Ok(client) = Client::connect(&self.socket).await {
                    return client;
                }
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(STEP, connected).await.context("the demo's daemon did not become ready")
    }

    /// Returns when the daemon holds the wait.
    async fn until_armed(&self) -> anyhow::Result<()> {
        let client = self.connect().await?;
        let armed = async {
            loop {
                let status: Status =
                    client.call(&self.socket, method::STATUS, &GetStatus {}).await?;
                if status.waits == 1 {
                    return anyhow::Ok(());
                }
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(STEP, armed).await.context("the wait was not taken")?
    }

    /// Returns when the program has wiped its line: how many rows of it are left.
    async fn until_wiped(&self, pane: &str) -> anyhow::Result<usize> {
        let wiped = async {
            loop {
                let all = self.tmux(&["capture-pane", "-p", "-S", "-", "-t", pane])?;
                if all.contains("wiped") {
                    return anyhow::Ok(all.lines().filter(|row| row.contains(FLASH)).count());
                }
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(STEP, wiped).await.context("the demo's program did not wipe its line")?
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]).ok();
        self.daemon.kill().ok();
        self.daemon.wait().ok();
        std::fs::remove_dir_all(&self.directory).ok();
    }
}

fn make_private(directory: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    let made = std::fs::DirBuilder::new().mode(0o700).create(directory);
    made.with_context(|| format!("making {}", directory.display()))
}

fn version(binary: &Path) -> anyhow::Result<String> {
    let ran = run_program(binary, &["-V"]).with_context(|| {
        format!(
            "{} cannot be run; install tmux 3.2a or later (Debian, Ubuntu: apt install tmux; \
             Fedora: dnf install tmux; macOS: brew install tmux)",
            binary.display()
        )
    })?;
    Ok(String::from_utf8_lossy(&ran.stdout).trim().to_owned())
}

fn start_tmux(binary: &Path, directory: &Path) -> anyhow::Result<()> {
    let program = format!(
        "read _; printf '{FLASH}\\r\\n'; sleep 0.01; printf '\\033[H\\033[2J\\033[3Jwiped\\r\\n'; sleep 60"
    );
    tmux(binary, directory, &["new-session", "-d", "-x", "80", "-y", "24", "sh", "-c", &program])
        .map(drop)
}

fn tmux(binary: &Path, directory: &Path, arguments: &[&str]) -> anyhow::Result<Ran> {
    let socket = directory.join("tmux.sock");
    let socket = socket.to_str().context("the temporary directory's name is not UTF-8")?;
    let all = [&["-S", socket, "-f", "/dev/null"], arguments].concat();
    let ran = run_program(binary, &all)?;
    if !ran.status.success() {
        bail!("tmux {}: {}", arguments.join(" "), String::from_utf8_lossy(&ran.stderr).trim());
    }
    Ok(ran)
}

#[expect(clippy::disallowed_methods, reason = "the demo is a person who uses tmux")]
fn run_program(binary: &Path, arguments: &[&str]) -> std::io::Result<Ran> {
    Command::new(binary).args(arguments).env_remove("TMUX").env_remove("TMUX_PANE").output()
}

#[expect(clippy::disallowed_methods, reason = "the demo has a daemon of its own")]
fn start_daemon(directory: &Path, socket: &Path) -> anyhow::Result<Child> {
    Command::new(std::env::current_exe()?)
        .args(["serve", "--listen"])
        .arg(socket)
        .arg("-S")
        .arg(directory.join("tmux.sock"))
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("starting the demo's daemon")
}
