//! P2: from a request to its registered wait, with 1 and with 1,000 waits already on the pane.
//!
//! A wait with timeout 0 goes the whole way, is put to the pane's stream and is answered at once:
//! its round trip is arming and one answer. `cancel_wait` of a name that nobody has is the same
//! round trip with nothing to do, and shows what of it the wire takes.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use panewatch_protocol::method;
use serde_json::{Value, json};

use super::options::Options;
use super::report::{Report, Samples};
use crate::support::client::Client;
use crate::support::daemon::Daemon;
use crate::support::tmux::Tmux;

/// Waits on the pane in the second half.
const MANY: usize = 1000;
/// Round trips before the first that counts.
const WARM_UP: usize = 50;

pub(crate) async fn run(options: &Options) -> Report {
    let runs = options.runs.unwrap_or(1000);
    let tmux = Tmux::start_with(&options.tmux);
    let pane = tmux.new_pane("exec cat");
    let daemon = Daemon::start(&tmux).await;
    let client = Client::connect(daemon.listen()).await;
    let question = json!({"pane": pane, "patterns": ["never"], "timeout": 0});
    let mut report = Report::new("arming", runs);

    let _one = hold(daemon.listen(), &pane, 1).await;
    daemon.holds_waits(1).await;
    let nothing = json!({"wait_id": "nobody's"});
    let wire = round_trips(&client, method::CANCEL_WAIT, &nothing, runs).await;
    let few = round_trips(&client, method::WAIT_FOR_TEXT, &question, runs).await;

    let _many = hold(daemon.listen(), &pane, MANY - 1).await;
    daemon.holds_waits(MANY).await;
    let many = round_trips(&client, method::WAIT_FOR_TEXT, &question, runs).await;

    report.add_spread("wire_only", &wire);
    report.add_spread("with_1", &few);
    report.add_spread("with_1000", &many);
    report.add("median_us", few.median(), "<= 200");
    report.add("ratio_1000_to_1", many.median() / few.median(), "<= 1.5");
    report
}

/// Waits that are never answered, on one connection, which holds them for as long as it lives.
async fn hold(socket: &Path, pane: &str, count: usize) -> Arc<Client> {
    let client = Arc::new(Client::connect(socket).await);
    for number in 0..count {
        let text = format!("never {number}");
        let question = json!({"pane": pane, "patterns": [text], "timeout": null});
        let asking = Arc::clone(&client);
        tokio::spawn(async move { asking.request(method::WAIT_FOR_TEXT, question).await });
    }
    client
}

/// How long the calls take, one after another, in microseconds.
async fn round_trips(client: &Client, method: &str, params: &Value, runs: usize) -> Samples {
    let mut took = Vec::new();
    for _ in 0..WARM_UP + runs {
        let params = params.clone();
        let start = Instant::now();
        client.call(method, params).await.expect("an answer");
        took.push(start.elapsed().as_secs_f64() * 1e6);
    }
    took.into_iter().skip(WARM_UP).collect()
}
