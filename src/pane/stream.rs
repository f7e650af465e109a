//! One pane's stream: bytes in, rows out, and the position that only ever grows.

use std::time::{Duration, Instant};

use panewatch_protocol::wait::{Gap, GapCause};

use super::decode::Decoder;
use super::echo::{EchoId, Source};
use super::recover::{Missing, missing};
use super::row::{Kind, Row};
use super::screen::Screen;
use super::seed::Seed;
use crate::boundary;
use crate::limits::{MAX_GAPS, MAX_LOG_BYTES, SETTLE};

/// Bytes of rows after which they are offered, so that none expires unseen.
const OFFER_BYTES: usize = MAX_LOG_BYTES / 4;

/// Everything that is known of what one pane wrote.
#[derive(Debug)]
pub struct PaneStream {
    decoder: Decoder,
    screen: Screen,
    position: u64,
    /// The index of the first row that has not been offered.
    offered: u64,
    last_output: Option<Instant>,
    /// Everything that the pane ever showed is in the stream.
    whole: bool,
    gaps: Vec<(u64, Gap)>,
    gap_count: u64,
}

impl PaneStream {
    /// The stream of a pane of a size in cells, from here on.
    pub fn new(width: u16, height: u16) -> Self {
        Self {
            decoder: Decoder::default(),
            screen: Screen::new(width, height),
            position: 0,
            offered: 0,
            last_output: None,
            whole: true,
            gaps: Vec::new(),
            gap_count: 0,
        }
    }

    /// Bytes of the stream so far.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The pane's screen.
    pub fn screen(&self) -> &Screen {
        &self.screen
    }

    /// Takes a captured screen for the pane's own.
    pub fn seed(&mut self, seed: &Seed) {
        self.whole &= seed.is_blank();
        self.screen.seed(seed);
        self.decoder = Decoder::default();
        self.decoder.advance(&mut self.screen, &seed.unfinished, self.position, usize::MAX);
    }

    /// The pane has another size.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.screen.resize(width, height);
    }

    /// Takes what the pane wrote, and offers each row that was left, then the one that is open.
    pub fn feed(&mut self, bytes: &[u8], now: Instant, offer: &mut dyn FnMut(&Row<'_>)) {
        if self.is_settled(now) {
            self.screen.begin_burst();
        }
        self.last_output = Some(now);
        let mut rest = bytes;
        while !rest.is_empty() {
            let taken = self.decoder.advance(&mut self.screen, rest, self.position, OFFER_BYTES);
            self.position += taken as u64;
            rest = &rest[taken..];
            self.offer_logged(offer);
        }
        if let Some(row) = self.screen.show_open() {
            offer(&row);
        }
    }

    fn offer_logged(&mut self, offer: &mut dyn FnMut(&Row<'_>)) {
        let next = self.screen.log().next_index();
        for index in self.offered..next {
            if let Some(row) = self.screen.log().row(index) {
                offer(&row);
            }
        }
        self.offered = next;
        self.screen.mark_read();
    }

    /// Offers the rows behind a position as they were left, then the open one. Stops when told so.
    pub fn replay(&mut self, since: u64, now: Instant, offer: &mut dyn FnMut(&Row<'_>) -> bool) {
        for row in self.screen.log().since(since) {
            if offer(&Row { shown: 0, ..row }) {
                return;
            }
        }
        let kind = if self.is_settled(now) { Kind::Settled } else { Kind::Open };
        if let Some(row) = self.screen.unlogged(kind) {
            offer(&row);
        }
    }

    /// Whether nothing has been written for long enough that the open row counts as it stands (W4).
    pub fn is_settled(&self, now: Instant) -> bool {
        self.quiet_for(now).is_none_or(|quiet| quiet >= SETTLE)
    }

    /// When the open row will count as it stands, if nothing more is written.
    pub fn settles_at(&self) -> Option<Instant> {
        self.last_output.map(|last| last + SETTLE)
    }

    /// How long the pane has been quiet.
    pub fn quiet_for(&self, now: Instant) -> Option<Duration> {
        self.last_output.map(|last| now.saturating_duration_since(last))
    }

    /// The open row, once it is settled.
    pub fn settled(&mut self) -> Option<Row<'_>> {
        self.screen.unlogged(Kind::Settled)
    }

    /// The rows of the screen.
    pub fn for_each_row(&mut self, each: impl FnMut(usize, &Row<'_>)) {
        self.screen.for_each_row(each);
    }

    /// What was printed behind a position, rows ending in newlines; the end is kept, at most `max` bytes.
    pub fn text_since(&mut self, since: u64, max: usize) -> String {
        let mut text = String::new();
        let mut printed = since;
        let mut add = |row: &Row<'_>| {
            let before = text.len();
            text.extend(row.newer_text(printed));
            printed = printed.max(row.position);
            if text.len() > before || row.text.is_empty() {
                text.push('\n');
            }
            if text.len() > 4 * max {
                keep_end(&mut text, max);
            }
        };
        self.screen.log().since(since).for_each(|row| add(&row));
        let open = self.screen.unlogged(Kind::Open).map(|row| add(&row)).is_some();
        if open && text.ends_with('\n') {
            text.pop();
        }
        keep_end(&mut text, max);
        text
    }

    /// A stretch of the stream was lost; `bytes` of it where that is known.
    pub fn lose(&mut self, cause: GapCause, bytes: Option<u64>) {
        self.note_gap(self.position, Gap { cause, bytes, recovered: false });
        self.position += bytes.unwrap_or(0);
    }

    fn note_gap(&mut self, position: u64, gap: Gap) {
        self.gaps.push((position, gap));
        self.gap_count += 1;
        if self.gaps.len() > MAX_GAPS {
            self.gaps.remove(0);
        }
    }

    /// What was lost behind a position, the part of it that is no longer kept included.
    pub fn gaps_since(&self, since: u64) -> Vec<Gap> {
        let expired = self.screen.log().expired();
        let bytes = (expired > since).then(|| expired - since);
        let expired =
            bytes.map(|b| Gap { cause: GapCause::Expired, bytes: Some(b), recovered: false });
        let lost = self.gaps.iter().filter(|(at, _)| *at >= since).map(|(_, gap)| gap.clone());
        expired.into_iter().chain(lost).collect()
    }

    /// Recovers what a capture of the screen and the history has and the stream has not, as rows that
    /// are new (W13). What cannot be placed is not recovered: better a gap than text twice.
    pub fn recover(
        &mut self,
        captured: &[String],
        cause: GapCause,
        offer: &mut dyn FnMut(&Row<'_>),
    ) {
        let mut known = Vec::new();
        self.screen.for_each_row(|_, row| known.push(row.text.to_owned()));
        let nothing_known = known.iter().all(|row| row.trim().is_empty());
        let found = if nothing_known && !self.whole { None } else { missing(&known, captured) };
        match found {
            None => self.lose(cause, None),
            Some(found) if found.rows.is_empty() => {}
            Some(found) => self.take_recovered(&found, cause, offer),
        }
    }

    fn take_recovered(
        &mut self,
        found: &Missing,
        cause: GapCause,
        offer: &mut dyn FnMut(&Row<'_>),
    ) {
        let start = self.position;
        self.screen.flush(Kind::Finished);
        for (i, row) in found.rows.iter().enumerate() {
            let known = if i == 0 { found.known } else { 0 };
            self.position = self.screen.log_recovered(row, known, self.position);
        }
        let bytes = Some(self.position - start);
        self.note_gap(start, Gap { cause, bytes, recovered: true });
        self.offer_logged(offer);
    }

    /// A line editor has the terminal, as far as the stream does not say otherwise.
    pub fn suppose_editor(&mut self) {
        self.screen.suppose_editor();
    }

    /// Text is about to be typed: its echo is no answer (W8).
    pub fn expect_echo(&mut self, text: &str, source: Source) -> EchoId {
        self.screen.echo.expect(text, self.position, source)
    }

    /// What was about to be typed was not typed.
    pub fn retract_echo(&mut self, id: EchoId) {
        self.screen.echo.retract(id);
    }

    /// Whether all that was typed has been echoed.
    pub fn is_echo_over(&self) -> bool {
        self.screen.echo.is_over()
    }

    /// How many gaps there were.
    pub fn gap_count(&self) -> u64 {
        self.gap_count
    }

    /// Bytes kept of the stream.
    pub fn kept_bytes(&self) -> usize {
        self.screen.log().bytes()
    }
}

fn keep_end(text: &mut String, max: usize) {
    text.drain(..boundary::ceil(text, text.len().saturating_sub(max)));
}

#[cfg(test)]
mod tests;
