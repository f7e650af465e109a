//! What the map in `src/lib.rs` says is absent is absent: read from the sources themselves.
//!
//! Directions of dependency, pure modules, headers and sizes. A test module counts as no part of the
//! file's own size.

use std::fs;
use std::path::{Path, PathBuf};

/// Each folder, and what of the crate it may use.
const MAY_USE: [(&str, &[&str]); 9] = [
    ("control", &["limits"]),
    ("pane", &["limits", "boundary"]),
    ("wait", &["limits", "boundary", "control", "pane"]),
    ("tmux", &["limits", "boundary", "control"]),
    ("observer", &["limits", "control", "pane", "wait", "tmux"]),
    ("rpc", &["limits", "control", "observer", "tmux", "wait"]),
    ("daemon", &["limits", "socket", "tmux", "observer", "rpc"]),
    ("client", &["limits", "socket"]),
    ("cli", &["client", "daemon", "observer", "socket", "tmux"]),
];

/// What a pure module never names.
const IMPURE: [&str; 10] = [
    "std::fs",
    "std::io::Read",
    "std::net",
    "std::os::unix",
    "std::process",
    "std::thread",
    "tokio::",
    "Instant::now",
    "SystemTime::now",
    "tracing::",
];

fn sources(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("a source folder") {
        let path = entry.expect("a folder entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    assert!(!found.is_empty(), "{} has no sources", dir.display());
    found
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The file without its comments and without its tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a source");
    let text = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
    text.lines().filter(|l| !l.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn is_test(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "tests.rs")
}

#[test]
fn dependencies_run_down_the_map_only() {
    for (folder, allowed) in MAY_USE {
        for path in sources(&root().join("src").join(folder)).iter().filter(|p| !is_test(p)) {
            for used in code(path).split("crate::").skip(1) {
                let used = used
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .next()
                    .unwrap_or_default();
                let fine = used == folder || allowed.contains(&used);
                assert!(fine, "{} uses crate::{used}", path.display());
            }
        }
    }
}

#[test]
fn every_folder_is_in_the_map() {
    let map = fs::read_to_string(root().join("src/lib.rs")).expect("the map");
    for entry in fs::read_dir(root().join("src")).expect("src") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if name != "lib" && name != "main" {
            assert!(map.contains(&format!("[`{name}`]")), "{name} is not in the map");
        }
        if path.is_dir() {
            assert!(MAY_USE.iter().any(|(folder, _)| *folder == name), "{name} has no direction");
        }
    }
}

#[test]
fn the_pure_core_does_no_io_and_reads_no_clock() {
    for folder in ["control", "pane", "wait"] {
        for path in sources(&root().join("src").join(folder)).iter().filter(|p| !is_test(p)) {
            let code = code(path);
            for impure in IMPURE {
                assert!(!code.contains(impure), "{} names {impure}", path.display());
            }
        }
    }
}

#[test]
fn only_rpc_and_client_know_json_rpc() {
    for path in sources(&root().join("src")).iter().filter(|p| !is_test(p)) {
        let knows = code(path).contains("jsonrpsee");
        let may = ["src/rpc/", "src/client/"].iter().any(|f| path.to_string_lossy().contains(f));
        assert!(!knows || may, "{} names jsonrpsee", path.display());
    }
}

#[test]
fn every_file_says_what_it_is_for_and_stays_small() {
    for folder in ["src", "protocol/src", "tests/it", "benches"] {
        for path in sources(&root().join(folder)) {
            let text = fs::read_to_string(&path).expect("a source");
            assert!(text.starts_with("//!"), "{} has no header", path.display());
            let own = text.split("#[cfg(test)]").next().unwrap_or_default().lines().count();
            assert!(own <= 420, "{} has {own} lines", path.display());
        }
    }
}
