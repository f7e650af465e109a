//! The end-to-end figures: a private tmux server, a real daemon, real programs in panes.
//!
//! Each case prints one JSON line on stdout; a table for people follows on stderr. A figure counts
//! against another of the same run on the same machine, never by itself: machines are noisy.
//!
//! `cargo bench --bench end_to_end -- [CASE]... [--runs N] [--tmux BINARY]`
//!
//! - `wake_up`: P1, write(2) in the pane to the answer, against a bare control client
//! - `transient`: text that is gone before anybody could look
//! - `quiet`: what waits on quiet panes cost
//! - `arming`: P2, request to registered wait, with few and with many waits there
//! - `flood`: P3 and P5, `cat` of 50 MB in a pane that is waited on, and what it costs whom

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench that cannot go on says why and ends; printing its figures is its job"
)]
#![allow(clippy::cast_precision_loss, reason = "figures are for reading, not for counting")]

#[allow(dead_code, reason = "the integration tests' fixtures, of which the benches use a part")]
#[path = "../../tests/it/support/mod.rs"]
mod support;

#[allow(dead_code, reason = "each bench reads a part of it")]
#[path = "../corpus/mod.rs"]
mod corpus;

mod arming;
mod bare;
mod flood;
mod options;
mod quiet;
mod report;
mod transient;
mod wake_up;

use std::process::ExitCode;

use options::{Asked, Case, Options};
use report::Report;
use support::process;

fn main() -> ExitCode {
    match options::read(std::env::args().skip(1)) {
        Asked::Run(cases, options) => {
            run(&cases, &options);
            ExitCode::SUCCESS
        }
        // `cargo test --benches` comes by here as well
        Asked::Nothing => ExitCode::SUCCESS,
        Asked::Wrong(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn run(cases: &[Case], options: &Options) {
    // one thread, as in the command: what is measured is the daemon
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let tmux = version(&options.tmux);
    let mut reports = Vec::new();
    for case in cases {
        eprintln!("{} ...", case.name());
        let report = runtime.block_on(one(*case, options));
        println!("{}", report.json(&tmux));
        reports.push(report);
    }
    eprint!("{}", report::table(&reports));
}

/// What the binary calls itself.
fn version(tmux: &str) -> String {
    let mut command = process::command(tmux);
    command.arg("-V");
    String::from_utf8_lossy(&process::run_to_end(command).stdout).trim().to_owned()
}

async fn one(case: Case, options: &Options) -> Report {
    match case {
        Case::WakeUp => wake_up::run(options).await,
        Case::Transient => transient::run(options).await,
        Case::Quiet => quiet::run(options).await,
        Case::Arming => arming::run(options).await,
        Case::Flood => flood::run(options).await,
    }
}
