//! PURE: which pane a caller means.
//!
//! Names are matched whole and here, never by tmux, which would match a prefix of a session's name, or
//! of a window's, and type into somebody else's pane (field report R10).

use panewatch_protocol::error::ErrorKind;
use panewatch_protocol::target::Target;

use super::topology::{Listed, Topology};
use crate::control::{PaneId, SessionId, WindowId};

/// The target names nothing, or more than one thing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TargetError {
    /// `pane_not_found`, `session_not_found`, `ambiguous_target` or `invalid_argument`.
    pub kind: ErrorKind,
    message: String,
}

/// The pane that a target means; the first member given wins.
pub fn resolve<'a>(topology: &'a Topology, target: &Target) -> Result<&'a Listed, TargetError> {
    if let Some(pane) = &target.pane {
        return by_pane(topology, pane);
    }
    if let Some(window) = &target.window_id {
        let id = WindowId::parse(window).ok_or_else(|| not_an_id("window_id", window, "@2"))?;
        let found = topology.panes.iter().find(|p| p.window == id);
        return found.ok_or_else(|| pane_not_found(&format!("there is no window {window}")));
    }
    if let Some(session) = &target.session_id {
        let id = SessionId::parse(session).ok_or_else(|| not_an_id("session_id", session, "$1"))?;
        let found = topology.of_session(id).next();
        return found.ok_or_else(|| session_not_found(topology, session));
    }
    if let Some(name) = &target.session_name {
        let found = topology.panes.iter().find(|p| p.session_name == *name);
        return found.ok_or_else(|| session_not_found(topology, name));
    }
    topology.panes.first().ok_or_else(|| pane_not_found("the server has no panes"))
}

/// A pane id, or tmux's `SESSION:WINDOW.PANE`, with or without a `=` before it.
fn by_pane<'a>(topology: &'a Topology, text: &str) -> Result<&'a Listed, TargetError> {
    if text.starts_with('%') {
        let id = PaneId::parse(text).ok_or_else(|| not_an_id("pane", text, "%3"))?;
        let found = topology.pane(id);
        return found.ok_or_else(|| pane_not_found(&format!("there is no pane {text}")));
    }
    let (session, place) = match text.split_once(':') {
        Some((session, place)) => (session, place),
        None => (text, ""),
    };
    let session = session.strip_prefix('=').unwrap_or(session);
    let of_session: Vec<&Listed> = topology
        .panes
        .iter()
        .filter(|p| p.session_name == session || p.session.to_string() == session)
        .collect();
    if of_session.is_empty() {
        return Err(session_not_found(topology, session));
    }
    let (window, pane) = match place.rsplit_once('.') {
        Some((window, pane)) if is_pane(pane) => (window, Some(pane)),
        _ => (place, None),
    };
    let of_window =
        window_of(&of_session, window).map_err(|count| window_error(text, window, count))?;
    let found = match pane {
        None => of_window.first(),
        Some(pane) => of_window
            .iter()
            .find(|p| p.pane_index.to_string() == pane || p.pane.to_string() == pane),
    };
    found.copied().ok_or_else(|| pane_not_found(&format!("there is no pane {text}")))
}

fn is_pane(text: &str) -> bool {
    PaneId::parse(text).is_some() || (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()))
}

/// The panes of the window that `name` means in a session: an index, an id or a whole name. The
/// error is how many windows it could mean.
fn window_of<'a>(panes: &[&'a Listed], name: &str) -> Result<Vec<&'a Listed>, usize> {
    let name = name.strip_prefix('=').unwrap_or(name);
    let first = panes.first().map(|p| p.window);
    let with = |is: &dyn Fn(&Listed) -> bool| {
        let mut windows: Vec<WindowId> = panes.iter().filter(|p| is(p)).map(|p| p.window).collect();
        windows.dedup();
        windows
    };
    let by_number = with(&|p| p.window_index.to_string() == name || p.window.to_string() == name);
    let windows = match () {
        () if name.is_empty() => first.into_iter().collect(),
        () if !by_number.is_empty() => by_number,
        () => with(&|p| p.window_name == name),
    };
    match windows[..] {
        [window] => Ok(panes.iter().filter(|p| p.window == window).copied().collect()),
        _ => Err(windows.len()),
    }
}

fn window_error(target: &str, window: &str, count: usize) -> TargetError {
    if count == 0 {
        return pane_not_found(&format!("there is no window `{window}` for the target {target}"));
    }
    let message = format!(
        "{count} windows are called `{window}`: name one by its index or its id instead of {target}"
    );
    TargetError { kind: ErrorKind::AmbiguousTarget, message }
}

fn pane_not_found(what: &str) -> TargetError {
    let message = format!("{what}; `list_panes` shows what there is");
    TargetError { kind: ErrorKind::PaneNotFound, message }
}

fn session_not_found(topology: &Topology, name: &str) -> TargetError {
    let mut names: Vec<&str> = topology.panes.iter().map(|p| p.session_name.as_str()).collect();
    names.dedup();
    names.truncate(10);
    let there = names.join("`, `");
    let message =
        format!("there is no session `{name}`; names match whole, and there is `{there}`");
    TargetError { kind: ErrorKind::SessionNotFound, message }
}

fn not_an_id(member: &str, text: &str, example: &str) -> TargetError {
    let message = format!("`{member}` is `{text}`, which is not of the form {example}");
    TargetError { kind: ErrorKind::InvalidArgument, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topology() -> Topology {
        let line = |pane, window, session, wi, pi, name, wname| {
            format!(
                "7 1 %{pane} @{window} ${session} {wi} {pi} 80 24 1 0 0 s g t\t{name}\t{wname}\tsh\n"
            )
        };
        let text = [
            line(0, 0, 0, 0, 0, "work", "edit"),
            line(1, 0, 0, 0, 1, "work", "edit"),
            line(2, 1, 0, 3, 0, "work", "a.b:c"),
            line(3, 2, 0, 4, 0, "work", "twin"),
            line(4, 3, 0, 5, 0, "work", "twin"),
            line(5, 4, 1, 0, 0, "workshop", "w"),
        ];
        Topology::parse(&text.concat())
    }

    fn pane(target: &str) -> Result<u32, ErrorKind> {
        let target = Target { pane: Some(target.to_owned()), ..Target::default() };
        resolve(&topology(), &target).map(|p| p.pane.0).map_err(|e| e.kind)
    }

    #[test]
    fn exact_targets_mean_what_tmux_means() {
        for (text, want) in [
            ("%4", 4),
            ("work", 0),
            ("=work:", 0),
            ("=work:0.1", 1),
            ("work:3", 2),
            ("work:3.0", 2),
            ("work:=edit.1", 1),
            ("work:edit", 0),
            ("work:a.b:c", 2),
            ("work:@3", 4),
            ("work:@0.%1", 1),
            ("$1:0", 5),
            ("workshop", 5),
        ] {
            assert_eq!(pane(text), Ok(want), "{text}");
        }
    }

    #[test]
    fn a_name_never_matches_by_its_beginning() {
        for (text, want) in [
            ("wor", ErrorKind::SessionNotFound),
            ("=worksho:", ErrorKind::SessionNotFound),
            ("work:edi", ErrorKind::PaneNotFound),
            ("work:9", ErrorKind::PaneNotFound),
            ("work:0.7", ErrorKind::PaneNotFound),
            ("%9", ErrorKind::PaneNotFound),
            ("%x", ErrorKind::InvalidArgument),
            ("work:twin", ErrorKind::AmbiguousTarget),
            ("", ErrorKind::SessionNotFound),
        ] {
            assert_eq!(pane(text), Err(want), "{text}");
        }
    }

    #[test]
    fn the_first_member_given_wins() {
        let all = Target {
            pane: Some("%5".to_owned()),
            window_id: Some("@1".to_owned()),
            session_id: Some("$0".to_owned()),
            session_name: Some("workshop".to_owned()),
            server: None,
        };
        let found = |target: &Target| resolve(&topology(), target).unwrap().pane.0;
        assert_eq!(found(&all), 5);
        let less = Target { pane: None, ..all };
        assert_eq!(found(&less), 2);
        let less = Target { window_id: None, ..less };
        assert_eq!(found(&less), 0);
        let less = Target { session_id: None, ..less };
        assert_eq!(found(&less), 5);
        assert_eq!(found(&Target::default()), 0);
    }
}
