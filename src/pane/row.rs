//! A row as it was left, and which of its text is newer than a position.
//!
//! Every byte of a row's text has a *stamp*: the stream position just behind the first byte that
//! printed it. Text whose origin was not seen (a seed, cells that the cursor skipped) has stamp
//! [`OLD`]. Text is new to a question when its stamp is greater than the question's start (W1).

use std::ops::Range;

use crate::boundary;

/// The stamp of text that was there before the stream was seen.
pub const OLD: u64 = 0;

/// A run of text that was printed in one go: the byte at `at` has `stamp`, the next one `stamp + 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Where the run begins in the row's text, in bytes. It ends where the next one begins.
    pub at: u32,
    /// The stamp of its first byte, or [`OLD`] for the whole run.
    pub stamp: u64,
}

impl Span {
    /// The stamp of the byte `offset`, which lies in this run.
    pub fn stamp_at(self, offset: usize) -> u64 {
        if self.stamp == OLD { OLD } else { self.stamp + (offset - self.at as usize) as u64 }
    }
}

/// Why a row is shown to the waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A chunk ended; the row can still grow.
    Open,
    /// Nothing has been added for a while; the row counts as it stands (W4).
    Settled,
    /// The cursor went to another row.
    Finished,
    /// The row is about to lose visible text (W3).
    Edited,
    /// The row is longer than what is kept of one, and goes on.
    Cut,
}

/// A row of a pane at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The row's text: no escapes, terminal wraps joined, edits applied.
    pub text: &'a str,
    /// Where its text comes from.
    pub spans: &'a [Span],
    /// Why it is shown.
    pub kind: Kind,
    /// In a row that is being printed over: text before this byte has been printed over, text behind
    /// it not yet, so what crosses it is a mixture that nobody meant. Else the row's length.
    pub edge: usize,
    /// Whether the row's beginning is no longer in `text`.
    pub headless: bool,
    /// Whether a full-screen program had the pane.
    pub alternate: bool,
    /// The stream position up to which this row had been shown before.
    pub shown: u64,
    /// The stream position of this moment.
    pub position: u64,
}

impl<'a> Row<'a> {
    /// A whole row that was left at a position of the stream, and had not been shown before.
    pub fn finished(text: &'a str, spans: &'a [Span], position: u64) -> Self {
        let (kind, edge) = (Kind::Finished, text.len());
        Self { text, spans, kind, edge, headless: false, alternate: false, shown: 0, position }
    }
}

impl Row<'_> {
    /// Whether the row can still grow at its end.
    pub fn can_grow(&self) -> bool {
        matches!(self.kind, Kind::Open | Kind::Cut)
    }

    /// Whether a piece of the text is a mixture of what is being printed and what is being printed
    /// over. A row that is left like that, or stays like that, was meant so.
    pub fn is_mixture(&self, piece: &Range<usize>) -> bool {
        matches!(self.kind, Kind::Open | Kind::Edited | Kind::Cut)
            && piece.start < self.edge
            && self.edge < piece.end
    }

    /// The first byte of text that is newer than `position`.
    pub fn first_newer(&self, position: u64) -> Option<usize> {
        self.runs(0..self.text.len()).find_map(|(run, stamp)| newer_in(&run, stamp, position))
    }

    /// Whether any text in `range` is newer than `position`.
    pub fn has_newer(&self, range: Range<usize>, position: u64) -> bool {
        self.runs(range).any(|(run, stamp)| newer_in(&run, stamp, position).is_some())
    }

    /// The stream position just behind the newest text in `range`.
    pub fn newest(&self, range: Range<usize>) -> u64 {
        self.runs(range).map(|(run, stamp)| last_stamp(&run, stamp)).max().unwrap_or(OLD)
    }

    /// The newest of some stamps that is a stamp of the text.
    pub fn newest_of(&self, stamps: &Range<u64>) -> Option<u64> {
        let of_run = |(run, stamp): (Range<usize>, u64)| {
            let newest = last_stamp(&run, stamp).min(stamps.end - 1);
            (stamp != OLD && newest >= stamp.max(stamps.start)).then_some(newest)
        };
        self.runs(0..self.text.len()).filter_map(of_run).max()
    }

    /// The text that is newer than `position`, in the row's order.
    pub fn newer_text(&self, position: u64) -> impl Iterator<Item = &str> {
        self.runs(0..self.text.len()).filter_map(move |(run, stamp)| {
            let from = newer_in(&run, stamp, position)?;
            self.text.get(from..run.end)
        })
    }

    /// The runs of text in `range`, each with the stamp of its first byte.
    pub(super) fn runs(&self, range: Range<usize>) -> impl Iterator<Item = (Range<usize>, u64)> {
        let first = self.spans.partition_point(|s| s.at as usize <= range.start).saturating_sub(1);
        self.spans[first..].iter().enumerate().map_while(move |(i, span)| {
            let next = self.spans.get(first + i + 1).map_or(self.text.len(), |s| s.at as usize);
            let run = range.start.max(span.at as usize)..range.end.min(next);
            (run.start < range.end).then(|| (run.clone(), span.stamp_at(run.start)))
        })
    }
}

fn newer_in(run: &Range<usize>, stamp: u64, position: u64) -> Option<usize> {
    if run.is_empty() || last_stamp(run, stamp) <= position {
        return None;
    }
    let old = usize::try_from((position + 1).saturating_sub(stamp)).unwrap_or(usize::MAX);
    Some(run.start.saturating_add(old))
}

fn last_stamp(run: &Range<usize>, stamp: u64) -> u64 {
    if stamp == OLD || run.is_empty() { OLD } else { stamp + (run.len() - 1) as u64 }
}

/// Appends a run to a list of runs; a run that goes on with the last one becomes part of it.
pub fn push_span(spans: &mut Vec<Span>, at: usize, stamp: u64) {
    let goes_on = spans.last().is_some_and(|last| last.stamp_at(at) == stamp);
    if !goes_on {
        spans.push(Span { at: u32::try_from(at).unwrap_or(u32::MAX), stamp });
    }
}

/// Puts a run of `added` bytes in the place of the bytes `range` of a text of `len` bytes.
pub(super) fn splice(
    spans: &mut Vec<Span>,
    len: usize,
    range: Range<usize>,
    added: usize,
    stamp: u64,
) {
    let first = spans.partition_point(|s| (s.at as usize) < range.start);
    let behind = spans.partition_point(|s| s.at as usize <= range.end);
    let resumed = (range.end < len && behind > 0).then(|| spans[behind - 1].stamp_at(range.end));
    let tail: Vec<Span> = spans.drain(first..).skip(behind - first.min(behind)).collect();
    if added > 0 {
        push_span(spans, range.start, stamp);
    }
    if let Some(stamp) = resumed {
        push_span(spans, range.start + added, stamp);
    }
    for span in tail {
        push_span(spans, span.at as usize - range.len() + added, span.stamp);
    }
}

/// A row's text and runs, put together from lines.
#[derive(Debug, Clone, Default)]
pub struct RowText {
    /// The text.
    pub text: String,
    /// Its runs.
    pub spans: Vec<Span>,
}

impl RowText {
    /// Appends a piece of text with its runs.
    pub fn push(&mut self, text: &str, spans: &[Span]) {
        let base = self.text.len();
        for span in spans {
            push_span(&mut self.spans, base + span.at as usize, span.stamp);
        }
        self.text.push_str(text);
    }

    /// Bytes of the text, as far as it goes, count as old.
    pub fn mark_old(&mut self, range: Range<usize>) {
        let range = range.start..range.end.min(self.text.len());
        if !range.is_empty() {
            let (len, added) = (self.text.len(), range.len());
            splice(&mut self.spans, len, range, added, OLD);
        }
    }

    /// Empties it and keeps its memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.spans.clear();
    }

    /// Keeps the last bytes only, at most `count`.
    pub fn keep_end(&mut self, count: usize) {
        let cut = boundary::ceil(&self.text, self.text.len().saturating_sub(count));
        let first = self.spans.partition_point(|s| s.at as usize <= cut).saturating_sub(1);
        let spans = std::mem::take(&mut self.spans);
        for span in &spans[first.min(spans.len())..] {
            let at = (span.at as usize).max(cut);
            push_span(&mut self.spans, at - cut, span.stamp_at(at));
        }
        self.text.drain(..cut);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newness_is_exact_to_the_byte() {
        let spans =
            [Span { at: 0, stamp: OLD }, Span { at: 2, stamp: 10 }, Span { at: 5, stamp: 3 }];
        let row = Row::finished("$ newmid", &spans, 0);
        assert_eq!(row.first_newer(0), Some(2));
        assert_eq!(row.first_newer(10), Some(3));
        assert_eq!(row.first_newer(12), None);
        assert_eq!(row.first_newer(11), Some(4));
        assert!(!row.has_newer(0..2, 0));
        assert!(row.has_newer(4..8, 4));
        assert!(!row.has_newer(5..8, 5));
        assert_eq!(row.newest(0..8), 12);
        assert_eq!(row.newest(5..7), 4);
        assert_eq!(row.newest(3..3), OLD);
        assert_eq!(row.newer_text(10).collect::<String>(), "ew");
        assert_eq!(row.newer_text(0).collect::<String>(), "newmid");
    }

    #[test]
    fn runs_that_go_on_are_one() {
        let mut spans = Vec::new();
        push_span(&mut spans, 0, 5);
        push_span(&mut spans, 3, 8);
        push_span(&mut spans, 4, 20);
        push_span(&mut spans, 5, OLD);
        push_span(&mut spans, 9, OLD);
        assert_eq!(spans.len(), 3);
    }
}
