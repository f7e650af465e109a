//! Who is the daemon, and the socket that only it may have.
//!
//! A lock that is held for life decides; a socket file proves nothing, since one stays behind when a
//! daemon is killed. The socket types nothing but reads everything: only its user may reach it.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use tokio::net::UnixListener;

use crate::socket::Place;

/// The right to be the daemon of a socket, for as long as this lives.
#[derive(Debug)]
pub struct Instance {
    path: PathBuf,
    _lock: File,
}

impl Instance {
    /// Becomes the daemon of a socket, or says who is.
    pub fn claim(place: &Place) -> anyhow::Result<Self> {
        let directory = place.path.parent().context("the socket's path has no directory")?;
        place.prepare()?;
        check_directory(directory, if place.default { 0o077 } else { 0o022 })?;
        let lock = lock(&place.path)?;
        Ok(Self { path: place.path.clone(), _lock: lock })
    }

    /// Listens on the socket. One that a killed daemon left is replaced.
    pub fn listen(&self) -> anyhow::Result<UnixListener> {
        let path = &self.path;
        match path.symlink_metadata() {
            Ok(left) if left.file_type().is_socket() => {
                std::fs::remove_file(path)
                    .with_context(|| format!("removing {}", path.display()))?;
            }
            Ok(_) => bail!("{} exists and is no socket; move it away", path.display()),
            Err(_) => {}
        }
        // never open to others, not even for a moment
        let before = rustix::process::umask(Mode::from_raw_mode(0o177));
        let listener = UnixListener::bind(path);
        rustix::process::umask(before);
        let listener = listener.with_context(|| format!("listening on {}", path.display()))?;
        std::fs::set_permissions(path, Permissions::from_mode(0o600))
            .with_context(|| format!("closing {} to others", path.display()))?;
        Ok(listener)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        std::fs::remove_file(&self.path).ok();
    }
}

/// The directory is a real one and ours; nobody else can put a socket there. Our own default one is
/// closed to others altogether; one that was named may be a place that others can look into, since the
/// socket itself is closed and every peer's user is checked.
fn check_directory(directory: &Path, forbidden: u32) -> anyhow::Result<()> {
    let shown = directory.display();
    let found = directory
        .symlink_metadata()
        .with_context(|| format!("the socket's directory {shown} cannot be used; make it first"))?;
    ensure!(found.is_dir(), "the socket's directory {shown} is no directory, or a link to one");
    ensure!(
        found.uid() == rustix::process::getuid().as_raw(),
        "the socket's directory {shown} belongs to another user; name another one with --listen"
    );
    let mode = found.mode() & 0o7777;
    ensure!(
        mode & forbidden == 0,
        "the socket's directory {shown} is open to others (mode {mode:o}); close it with chmod 700"
    );
    Ok(())
}

/// Takes the lock, and leaves our process id in it for those who come later.
fn lock(socket: &Path) -> anyhow::Result<File> {
    let mut path = socket.as_os_str().to_owned();
    path.push(".lock");
    let path = PathBuf::from(path);
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(&path)
        .with_context(|| format!("opening the lock {}", path.display()))?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        let mut holder = String::new();
        file.read_to_string(&mut holder).ok();
        let holder = holder.trim();
        bail!("panewatch runs already: process {holder} serves {}", socket.display());
    }
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::fs::DirBuilder;
    use std::os::unix::fs::DirBuilderExt;

    use super::*;

    fn place(directory: &Path) -> Place {
        Place { path: directory.join("d.sock"), default: false }
    }

    #[test]
    fn there_is_one_daemon_and_a_second_is_told_who() {
        let directory = tempfile::tempdir().unwrap();
        let first = Instance::claim(&place(directory.path())).unwrap();
        let error = Instance::claim(&place(directory.path())).unwrap_err().to_string();
        assert!(error.contains(&std::process::id().to_string()), "{error}");
        drop(first);
        Instance::claim(&place(directory.path())).unwrap();
    }

    #[test]
    fn a_directory_that_others_can_write_to_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        for mode in [0o775, 0o730, 0o702, 0o777, 0o1777] {
            std::fs::set_permissions(directory.path(), Permissions::from_mode(mode)).unwrap();
            let error = Instance::claim(&place(directory.path())).unwrap_err().to_string();
            assert!(error.contains("open to others"), "{mode:o}: {error}");
        }
        std::fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).unwrap();
        let default = Place { default: true, ..place(directory.path()) };
        assert!(Instance::claim(&default).unwrap_err().to_string().contains("open to others"));
        Instance::claim(&place(directory.path())).unwrap();
        let link = directory.path().join("link");
        let real = directory.path().join("real");
        DirBuilder::new().mode(0o700).create(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let error = Instance::claim(&place(&link)).unwrap_err().to_string();
        assert!(error.contains("link"), "{error}");
    }
}
