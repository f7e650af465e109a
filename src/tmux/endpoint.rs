//! Which socket a caller means, and which server answers on it.
//!
//! A path is no identity: another server can come to live on it (field report R17). A server is its
//! path, its process id and its start time together.

use std::fmt;
use std::path::{Path, PathBuf};

use panewatch_protocol::target::ServerName;

use super::command::{self, TmuxError};

/// The socket of a server.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Endpoint {
    path: PathBuf,
}

impl Endpoint {
    /// The socket at a path, as with `tmux -S`.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The socket with a name, as with `tmux -L`: in tmux's directory of this user.
    pub fn named(name: &str) -> Self {
        Self { path: directory().join(name) }
    }

    /// The server that a caller names. A path wins over a name; neither is `fallback`.
    pub fn of(name: Option<&ServerName>, fallback: &Self) -> Self {
        match name {
            Some(ServerName { socket_path: Some(path), .. }) => Self::at(path),
            Some(ServerName { socket_name: Some(name), .. }) => Self::named(name),
            _ => fallback.clone(),
        }
    }

    /// The socket's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Asks the server who it is. Its own word counts, since the binary on the `PATH` may be of
    /// another version (tmux-control-mode 12).
    pub async fn identify(&self) -> Result<Identity, TmuxError> {
        let format = "#{pid} #{start_time} #{version}";
        let output = command::run(self, &["display-message", "-p", format]).await?;
        Identity::parse(&output).ok_or_else(|| TmuxError::Refused {
            command: "display-message".to_owned(),
            socket: self.path.clone(),
            message: format!("it answered `{}`", output.trim()),
        })
    }
}

impl Default for Endpoint {
    fn default() -> Self {
        Self::named("default")
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)
    }
}

/// Where tmux keeps this user's sockets. A `TMUX_TMPDIR` that cannot be resolved means `/tmp`, as for
/// tmux itself (tmux-control-mode 12).
pub fn directory() -> PathBuf {
    let base = std::env::var_os("TMUX_TMPDIR").filter(|dir| !dir.is_empty());
    let base = base.and_then(|dir| std::fs::canonicalize(dir).ok());
    let uid = rustix::process::getuid().as_raw();
    base.unwrap_or_else(|| PathBuf::from("/tmp")).join(format!("tmux-{uid}"))
}

/// One life of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Its process id.
    pub pid: i32,
    /// When it started, in seconds since 1970.
    pub started: u64,
    /// Its version.
    pub version: Version,
}

impl Identity {
    /// What tells this life of the server from every other on its socket: process id and start time.
    pub fn life(&self) -> (i32, u64) {
        (self.pid, self.started)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        Some(Self {
            pid: words.next()?.parse().ok()?,
            started: words.next()?.parse().ok()?,
            version: Version(words.next()?.to_owned()),
        })
    }
}

/// A version of tmux, in its own spelling: `3.3a`, `3.8`, `next-3.9`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version(pub String);

impl Version {
    /// Whether it is this one or a later one. A version without a number counts as the newest.
    pub fn at_least(&self, major: u32, minor: u32) -> bool {
        self.numbers().is_none_or(|numbers| numbers >= (major, minor))
    }

    fn numbers(&self) -> Option<(u32, u32)> {
        let text = self.0.trim_start_matches(|c: char| !c.is_ascii_digit());
        let (major, rest) = text.split_once('.')?;
        let minor = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        let at_least = |text: &str, minor| Version(text.to_owned()).at_least(3, minor);
        for (text, minor, want) in [
            ("3.3a", 3, true),
            ("3.3a", 6, false),
            ("3.10", 7, true),
            ("4.0", 7, true),
            ("2.9", 2, false),
            ("next-3.9", 7, true),
            ("next-3.5", 6, false),
            ("master", 7, true),
        ] {
            assert_eq!(at_least(text, minor), want, "{text} >= 3.{minor}");
        }
    }

    #[test]
    fn a_path_wins_over_a_name_and_both_over_the_default() {
        let fallback = Endpoint::at("/d");
        let name = |name: Option<&str>, path: Option<&str>| ServerName {
            socket_name: name.map(str::to_owned),
            socket_path: path.map(str::to_owned),
        };
        let path = |n: &ServerName| Endpoint::of(Some(n), &fallback).path().to_owned();
        assert_eq!(path(&name(None, None)), Path::new("/d"));
        assert_eq!(path(&name(Some("x"), Some("/p"))), Path::new("/p"));
        assert_eq!(path(&name(Some("x"), None)), directory().join("x"));
        assert_eq!(Endpoint::of(None, &fallback), fallback);
    }
}
