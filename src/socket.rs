//! Where the daemon's socket is: one rule for the daemon and for its clients.
//!
//! A leaf. What is given wins, then `PANEWATCH_SOCKET`, then the user's run-time directory, then a
//! directory of the user's own under the temporary one.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::{env, io};

use crate::limits::MAX_SOCKET_PATH_BYTES;

/// The environment variable that names the socket.
pub const VARIABLE: &str = "PANEWATCH_SOCKET";

/// The path cannot be a socket's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the socket path {} has {bytes} bytes, and a Unix socket's path may have {MAX_SOCKET_PATH_BYTES}: \
     name a shorter one with --listen or {VARIABLE}",
    path.display()
)]
pub struct PathTooLong {
    path: PathBuf,
    bytes: usize,
}

/// The socket, and whether its directory is ours to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The socket's path.
    pub path: PathBuf,
    /// Nobody named it: the directory is made when it is missing.
    pub default: bool,
}

impl Place {
    /// Makes the directory, where it is the default one; a named one is its owner's affair.
    pub fn prepare(&self) -> io::Result<()> {
        match self.path.parent() {
            Some(directory) if self.default => {
                DirBuilder::new().recursive(true).mode(0o700).create(directory)
            }
            _ => Ok(()),
        }
    }
}

/// Where the socket is; `given` on the command line.
pub fn place(given: Option<&Path>) -> Result<Place, PathTooLong> {
    let named = given.map(Path::to_owned).or_else(|| env::var_os(VARIABLE).map(PathBuf::from));
    let default = named.is_none();
    let path = named.unwrap_or_else(default_path);
    let path = std::path::absolute(&path).unwrap_or(path);
    let bytes = path.as_os_str().len();
    if bytes > MAX_SOCKET_PATH_BYTES {
        Err(PathTooLong { path, bytes })
    } else {
        Ok(Place { path, default })
    }
}

fn default_path() -> PathBuf {
    let directory = match env::var_os("XDG_RUNTIME_DIR").filter(|dir| !dir.is_empty()) {
        Some(run) => PathBuf::from(run).join("panewatch"),
        None => env::temp_dir().join(format!("panewatch-{}", rustix::process::getuid().as_raw())),
    };
    directory.join("daemon.sock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_too_long_is_refused_with_its_length() {
        let long = PathBuf::from(format!("/tmp/{}", "x".repeat(103)));
        let error = place(Some(&long)).unwrap_err().to_string();
        assert!(error.contains("108 bytes") && error.contains("107"), "{error}");
        assert!(place(Some(&PathBuf::from(format!("/tmp/{}", "x".repeat(102))))).is_ok());
    }
}
