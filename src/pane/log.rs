//! The rows that were left, in the order in which they were left, bounded.
//!
//! Rows are packed into blocks, so that logging one allocates nothing in the long run; the oldest
//! block goes when the budget is spent. Waits read new rows from here, and `since` reads old ones.

use std::collections::VecDeque;

use super::row::{Kind, Row, Span};

/// Bytes of a block, after which the next one is begun.
const BLOCK_BYTES: usize = 64 << 10;

/// The rows that a pane has left.
#[derive(Debug)]
pub struct RowLog {
    blocks: VecDeque<Block>,
    /// How many rows were ever logged.
    next: u64,
    budget: usize,
    unread: usize,
    /// The stream position up to which rows are no longer kept.
    expired: u64,
}

#[derive(Debug, Default)]
struct Block {
    first: u64,
    text: String,
    spans: Vec<Span>,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    text_at: usize,
    text_len: usize,
    spans_at: usize,
    spans_len: usize,
    edge: usize,
    shown: u64,
    position: u64,
    kind: Kind,
    headless: bool,
    alternate: bool,
}

impl RowLog {
    /// A log that keeps about `budget` bytes.
    pub fn new(budget: usize) -> Self {
        Self { blocks: VecDeque::new(), next: 0, budget, unread: 0, expired: 0 }
    }

    /// How many rows were ever logged: the index of the next one.
    pub fn next_index(&self) -> u64 {
        self.next
    }

    /// The stream position up to which rows are no longer kept.
    pub fn expired(&self) -> u64 {
        self.expired
    }

    /// Bytes kept.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(Block::bytes).sum()
    }

    /// Bytes of rows logged since [`RowLog::mark_read`].
    pub fn unread(&self) -> usize {
        self.unread
    }

    /// Everything so far has been read.
    pub fn mark_read(&mut self) {
        self.unread = 0;
    }

    /// Adds a row.
    pub fn push(&mut self, row: &Row<'_>) {
        if self.blocks.back().is_none_or(|b| b.bytes() >= BLOCK_BYTES) {
            self.begin_block();
        }
        if let Some(block) = self.blocks.back_mut() {
            block.push(row);
            self.next += 1;
            self.unread += row.text.len() + size_of::<Entry>();
        }
    }

    /// The row with an index, if it is still kept.
    pub fn row(&self, index: u64) -> Option<Row<'_>> {
        let block = self.blocks.partition_point(|b| b.first <= index).checked_sub(1)?;
        let block = &self.blocks[block];
        block.row(usize::try_from(index - block.first).ok()?)
    }

    /// The rows that were left behind a stream position, oldest first.
    pub fn since(&self, position: u64) -> impl Iterator<Item = Row<'_>> {
        let skip = self.blocks.partition_point(|b| b.last_position() <= position);
        let rows = |b: &Block| b.entries.len();
        self.blocks
            .range(skip..)
            .flat_map(move |b| (0..rows(b)).filter_map(|i| b.row(i)))
            .skip_while(move |row| row.position <= position)
    }

    fn begin_block(&mut self) {
        while self.bytes() + BLOCK_BYTES > self.budget {
            let Some(oldest) = self.blocks.pop_front() else { break };
            self.expired = oldest.last_position();
        }
        if let Some(full) = self.blocks.back_mut() {
            full.shrink();
        }
        self.blocks.push_back(Block { first: self.next, ..Block::default() });
    }
}

impl Block {
    fn bytes(&self) -> usize {
        self.text.len()
            + self.spans.len() * size_of::<Span>()
            + self.entries.len() * size_of::<Entry>()
    }

    fn last_position(&self) -> u64 {
        self.entries.last().map_or(0, |e| e.position)
    }

    fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.spans.shrink_to_fit();
        self.entries.shrink_to_fit();
    }

    fn push(&mut self, row: &Row<'_>) {
        self.entries.push(Entry {
            text_at: self.text.len(),
            text_len: row.text.len(),
            spans_at: self.spans.len(),
            spans_len: row.spans.len(),
            edge: row.edge,
            shown: row.shown,
            position: row.position,
            kind: row.kind,
            headless: row.headless,
            alternate: row.alternate,
        });
        self.text.push_str(row.text);
        self.spans.extend_from_slice(row.spans);
    }

    fn row(&self, index: usize) -> Option<Row<'_>> {
        let e = self.entries.get(index)?;
        Some(Row {
            text: &self.text[e.text_at..e.text_at + e.text_len],
            spans: &self.spans[e.spans_at..e.spans_at + e.spans_len],
            kind: e.kind,
            edge: e.edge,
            headless: e.headless,
            alternate: e.alternate,
            shown: e.shown,
            position: e.position,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(log: &mut RowLog, text: &str, position: u64) {
        let spans = [Span { at: 0, stamp: position - text.len() as u64 + 1 }];
        log.push(&Row::finished(text, &spans, position));
    }

    #[test]
    fn rows_behind_a_position_come_back_in_order() {
        let mut log = RowLog::new(1 << 20);
        for i in 1..=10_000u64 {
            push(&mut log, &format!("row {i}"), i * 100);
        }
        let texts: Vec<_> = log.since(999_800).map(|r| r.text.to_owned()).collect();
        assert_eq!(texts, ["row 9999", "row 10000"]);
        assert_eq!(log.row(9_999).unwrap().text, "row 10000");
        assert!(log.row(10_000).is_none());
        assert_eq!(log.since(1_000_000).count(), 0);
    }

    #[test]
    fn the_budget_holds_and_says_what_went() {
        let budget = 300 << 10;
        let mut log = RowLog::new(budget);
        for i in 1..=50_000u64 {
            push(&mut log, "0123456789", i * 100);
        }
        assert!(log.bytes() <= budget, "{}", log.bytes());
        let oldest = log.since(0).next().unwrap().position;
        assert_eq!(log.expired() + 100, oldest);
        assert!(log.row(0).is_none());
    }
}
