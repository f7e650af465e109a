//! P3: how fast control-mode lines become rows, in bytes of pane output a second, on one core.
//!
//! Escaped lines go through the codec into a pane's stream and its ring, as a link and its observer
//! take them. `compiler/one wait` is the figure: at least 200 MB/s. The others show what it is made
//! of (undoing the escapes, cutting the lines) and what other output costs, the worst included.
//!
//! `cargo bench --bench decode [-- FILTER]`

#![allow(clippy::expect_used, reason = "a bench that cannot go on says why and ends")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use criterion::{BatchSize, BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use panewatch::control::unescape::unescape;
use panewatch::control::{ControlCodec, Event, PaneId};
use panewatch::pane::PaneStream;
use panewatch::wait::{PaneLife, TextWait, WaitId, Waits};
use panewatch_protocol::wait::WaitForText;
use tokio_util::codec::Decoder;

#[allow(dead_code, reason = "each bench reads a part of it")]
mod corpus;

/// Pane bytes that one iteration decodes.
const BYTES: usize = 1 << 20;
/// Bytes that a link reads at a time.
const READ: usize = 64 << 10;
const PANE: PaneId = PaneId(1);

/// A link and the stream behind it.
struct Path {
    codec: ControlCodec,
    buffer: BytesMut,
    stream: PaneStream,
    waits: Waits,
}

impl Path {
    fn new() -> Self {
        Self {
            codec: ControlCodec::default(),
            buffer: BytesMut::new(),
            stream: PaneStream::new(80, 24),
            waits: Waits::default(),
        }
    }

    /// The same, with a wait for a literal that never comes.
    fn waited_on() -> Self {
        let mut path = Self::new();
        let patterns = Some(vec!["listening on port".to_owned()]);
        let question = WaitForText { patterns, ..WaitForText::default() };
        let wait = TextWait::compile(&question).expect("a valid question");
        let life = PaneLife { server: (1, 1), epoch: 1, pane: PANE, pid: 1 };
        path.waits.ask(WaitId(1), wait, life, &mut path.stream, Instant::now());
        path
    }

    /// Reads the lines as a link does, and does this with each stretch of output.
    fn read(&mut self, lines: &[u8], mut take: impl FnMut(&mut PaneStream, &mut Waits, Bytes)) {
        for read in lines.chunks(READ) {
            self.buffer.extend_from_slice(read);
            while let Some(event) = self.codec.decode(&mut self.buffer).expect("valid lines") {
                if let Event::Output { bytes, .. } = event {
                    take(&mut self.stream, &mut self.waits, bytes);
                }
            }
        }
    }

    /// Lines to rows, and the rows to the waits.
    fn decode(&mut self, lines: &[u8]) {
        let now = Instant::now();
        self.read(lines, |stream, waits, bytes| {
            black_box(waits.feed(PANE, stream, &bytes, now));
        });
    }
}

/// The two steps before the stream, each alone.
fn steps(c: &mut Criterion) {
    let mut group = group(c, "steps");
    let output = corpus::compiler(BYTES);
    group.throughput(Throughput::Bytes(output.len() as u64));
    let escaped = BytesMut::from(&corpus::escaped(&output)[..]);
    group.bench_function("unescape", |b| {
        b.iter_batched_ref(|| escaped.clone(), unescape, BatchSize::LargeInput);
    });
    let lines = corpus::control_lines(&output);
    let mut path = Path::new();
    group.bench_function("codec", |b| b.iter(|| path.read(&lines, |_, _, bytes| drop(bytes))));
    let now = Instant::now();
    group.bench_function("stream", |b| {
        b.iter(|| {
            let chunks = output.chunks(corpus::CHUNK);
            chunks.for_each(|chunk| path.stream.feed(chunk, now, &mut |row| _ = black_box(row)));
        });
    });
}

/// The whole way, for the output that is common.
fn common(c: &mut Criterion) {
    for (name, output) in [("compiler", corpus::compiler(BYTES)), ("plain", corpus::plain(BYTES))] {
        let mut group = group(c, name);
        whole_way(&mut group, "no wait", Path::new(), &output);
        whole_way(&mut group, "one wait", Path::waited_on(), &output);
    }
}

/// The whole way, for output that is as bad as it can be. It may be slower, and must stay linear.
fn pathological(c: &mut Criterion) {
    let mut group = group(c, "pathological");
    for (name, unit) in [
        ("one long line", "x"),
        ("empty lines", "\r\n"),
        ("only escapes", "\x1b[0m\x1b[1;38;5;12m"),
        ("wide characters", "\u{6f22}\u{5b57}"),
        ("carriage returns", "x\r"),
        ("backspaces", "ab\x08\x08"),
        ("cursor addressing", "\x1b[5;10Hxy\x1b[12;3H\x1b[K"),
        ("whole screens", "\x1b[H\x1b[2Jone\r\ntwo\r\nthree"),
    ] {
        let output: Vec<u8> = unit.bytes().cycle().take(BYTES).collect();
        whole_way(&mut group, name, Path::waited_on(), &output);
    }
}

fn whole_way(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, mut path: Path, output: &[u8]) {
    let lines = corpus::control_lines(output);
    group.throughput(Throughput::Bytes(output.len() as u64));
    group.bench_function(name, |b| b.iter(|| path.decode(&lines)));
}

fn group<'a>(c: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = c.benchmark_group(format!("decode/{name}"));
    group.sample_size(20);
    group.warm_up_time(Duration::from_millis(500));
    group.measurement_time(Duration::from_secs(2));
    group
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    steps(&mut criterion);
    common(&mut criterion);
    pathological(&mut criterion);
    criterion.final_summary();
}
