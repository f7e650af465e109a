//! One wait over several panes: a wait on each, of which the first that says something answers.
//!
//! A pane that ends leaves the others waiting. With `all_panes` those that appear in the session join,
//! and all that they write is new. Dropping the future takes every one of the waits back.

use std::collections::HashSet;

use jsonrpsee::types::ErrorObjectOwned;
use panewatch_protocol::panes::PaneInfo;
use panewatch_protocol::target::Target;
use panewatch_protocol::wait::{Outcome, TextAnswer, WaitForText};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::error::invalid;
use super::methods::answer;
use crate::limits::MAX_PANES;
use crate::observer::{Handle, ObserverError};
use crate::wait::{Cursor, TextWait};

/// Waits on several panes.
pub async fn wait(
    observer: &Handle,
    question: &WaitForText,
    since: Option<Cursor>,
    wait: TextWait,
    cancelled: CancellationToken,
) -> Result<TextAnswer, ErrorObjectOwned> {
    let members =
        Members { observer, since, wait, cancelled, known: HashSet::new(), waits: JoinSet::new() };
    if question.all_panes {
        members.of_session(question).await
    } else {
        members.named(question).await
    }
}

struct Members<'a> {
    observer: &'a Handle,
    since: Option<Cursor>,
    wait: TextWait,
    cancelled: CancellationToken,
    known: HashSet<String>,
    waits: JoinSet<Result<TextAnswer, ObserverError>>,
}

impl Members<'_> {
    async fn named(mut self, question: &WaitForText) -> Result<TextAnswer, ErrorObjectOwned> {
        let panes = question.panes.as_deref().unwrap_or_default();
        if panes.is_empty() || panes.len() > MAX_PANES {
            let count = panes.len();
            return Err(invalid(format!(
                "`panes` has {count} entries; 1 to {MAX_PANES} are allowed"
            )));
        }
        for pane in panes {
            let target = Target { pane: Some(pane.clone()), server: None, ..Target::default() };
            self.join(target, self.since).await?;
        }
        while let Some(ended) = self.next().await? {
            if is_answer(&ended) || self.waits.is_empty() {
                return Ok(ended);
            }
        }
        Err(invalid("`panes` names no pane"))
    }

    async fn of_session(mut self, question: &WaitForText) -> Result<TextAnswer, ErrorObjectOwned> {
        let mut changes = self.observer.changes();
        let session = self.session_of(question).await?;
        self.join_all(&session, false).await?;
        loop {
            tokio::select! {
                ended = self.next() => match ended? {
                    Some(ended) if is_answer(&ended) || self.waits.is_empty() => return Ok(ended),
                    Some(_) => {}
                    None => return Err(invalid("the session has no panes")),
                },
                Ok(()) = changes.changed() => self.join_all(&session, true).await?,
            }
        }
    }

    /// The session that the question means, by a pane of it that the observer finds.
    async fn session_of(&self, question: &WaitForText) -> Result<String, ErrorObjectOwned> {
        let found = self.observer.find_pane(question.target.clone()).await?;
        Ok(found.session_id)
    }

    /// Joins the panes of a session that have not joined yet. A pane that has `appeared` is new as a
    /// whole.
    async fn join_all(&mut self, session: &str, appeared: bool) -> Result<(), ErrorObjectOwned> {
        let panes = self.observer.list_panes().await?.panes;
        for pane in panes.into_iter().filter(|p| p.session_id == session) {
            if self.known.contains(&pane.pane) || self.waits.len() >= MAX_PANES {
                continue;
            }
            let since = if appeared { beginning(&pane) } else { self.since };
            let name = Some(pane.pane.clone());
            let joined = self.join(Target { pane: name, ..Target::default() }, since).await;
            // one that has gone again by now is no reason to end the others
            if !appeared {
                joined?;
            }
            self.known.insert(pane.pane);
        }
        Ok(())
    }

    async fn join(
        &mut self,
        target: Target,
        since: Option<Cursor>,
    ) -> Result<(), ErrorObjectOwned> {
        let of_pane = |cursor: &Cursor| target.pane == Some(cursor.life.pane.to_string());
        let since = since.filter(of_pane);
        let waiting = self.observer.wait_for_text(target, since, self.wait.clone()).await?;
        let cancelled = self.cancelled.clone();
        self.waits.spawn(answer(waiting, cancelled));
        Ok(())
    }

    /// The next of the waits that ends. Safe to drop.
    async fn next(&mut self) -> Result<Option<TextAnswer>, ErrorObjectOwned> {
        match self.waits.join_next().await {
            None => Ok(None),
            Some(Ok(ended)) => Ok(Some(ended?)),
            Some(Err(error)) => Err(invalid(format!("a wait was lost: {error}"))),
        }
    }
}

/// Whether an answer is one of all the panes, and not just the end of its own.
fn is_answer(answer: &TextAnswer) -> bool {
    !matches!(
        answer.outcome,
        Outcome::PaneClosed
            | Outcome::PaneRespawned
            | Outcome::SessionClosed
            | Outcome::ServerClosed
    )
}

/// The beginning of a pane's stream.
fn beginning(pane: &PaneInfo) -> Option<Cursor> {
    let cursor: Cursor = pane.cursor.as_deref()?.parse().ok()?;
    Some(Cursor { position: 0, ..cursor })
}
