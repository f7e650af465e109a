//! P4: what many waits on one flooding pane cost, against one wait.
//!
//! Coloured compiler output is fed to a pane's stream; every row is shown to all the waits, none
//! of which is ever answered. 1,000 literals may cost twice what one costs, 100 regular expressions
//! four times. `no wait` is the stream alone.
//!
//! `cargo bench --bench matching [-- FILTER]`

#![allow(clippy::useless_vec, reason = "the floods are too large for the stack")]
#![allow(clippy::expect_used, reason = "a bench that cannot go on says why and ends")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use panewatch::control::PaneId;
use panewatch::pane::PaneStream;
use panewatch::wait::{PaneLife, TextWait, WaitId, Waits};
use panewatch_protocol::wait::WaitForText;

#[allow(dead_code, reason = "each bench reads a part of it")]
mod corpus;

/// Pane bytes that one iteration feeds. Few, since a thousand waits may take long over them.
const BYTES: usize = 128 << 10;
const PANE: PaneId = PaneId(1);

/// The pattern of a wait, by its number. None ever matches; their letters do occur.
type Pattern = fn(usize) -> String;

const LITERAL: Pattern = |n| format!("service {n:04} is listening");
const REGEX: Pattern = |n| format!(r"(?:panicked|FAILED) at .*case_{n:04}:(\d+)");

/// A pane with waits on it.
struct Flood {
    stream: PaneStream,
    waits: Waits,
}

impl Flood {
    fn new(count: usize, regex: bool, match_case: bool) -> Self {
        let mut flood = Self { stream: PaneStream::new(80, 24), waits: Waits::default() };
        let life = PaneLife { server: (1, 1), epoch: 1, pane: PANE, pid: 1 };
        for n in 0..count {
            let pattern = if regex { REGEX(n) } else { LITERAL(n) };
            let patterns = Some(vec![pattern]);
            let question = WaitForText { patterns, regex, match_case, ..WaitForText::default() };
            let wait = TextWait::compile(&question).expect("a valid question");
            flood.waits.ask(WaitId(n as u64), wait, life, &mut flood.stream, Instant::now());
        }
        flood
    }

    /// Feeds all of it, in the pieces in which tmux sends it.
    fn feed(&mut self, output: &[u8]) {
        let now = Instant::now();
        for chunk in output.chunks(corpus::CHUNK) {
            black_box(self.waits.feed(PANE, &mut self.stream, chunk, now));
        }
    }
}

fn matching(c: &mut Criterion) {
    let output = corpus::compiler(BYTES);
    let mut group = c.benchmark_group("matching");
    group.sample_size(10);
    group.sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Bytes(output.len() as u64));
    let any_case = |count, regex| Flood::new(count, regex, false);
    for (name, mut flood) in vec![
        (BenchmarkId::new("no wait", 0), any_case(0, false)),
        (BenchmarkId::new("literal", 1), any_case(1, false)),
        (BenchmarkId::new("literal", 100), any_case(100, false)),
        (BenchmarkId::new("literal", 1000), any_case(1000, false)),
        (BenchmarkId::new("literal, case told", 1000), Flood::new(1000, false, true)),
        (BenchmarkId::new("regex", 1), any_case(1, true)),
        (BenchmarkId::new("regex", 100), any_case(100, true)),
    ] {
        group.bench_function(name, |b| b.iter(|| flood.feed(&output)));
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    matching(&mut criterion);
    criterion.final_summary();
}
