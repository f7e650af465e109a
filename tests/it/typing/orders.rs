//! One order behind the other: Enter that waits for its text, and orders whose caller has gone (field
//! report R46).

use panewatch_protocol::method::{SEND_KEYS, STATUS};
use panewatch_protocol::typing::Typed;
use serde_json::{Value, json};

use super::Desk;
use crate::support::client::{Client, request, spawn_curl};
use crate::support::daemon::Daemon;
use crate::support::eventually::{HANG, eventually, within};
use crate::support::shell::{Kind, Shell};
use crate::support::sink::Sink;
use crate::support::tmux::Tmux;

/// A desk whose program is never quiet, so that Enter waits as long as it ever does.
async fn restless() -> Desk {
    let tmux = Tmux::start();
    let spinner = "(while printf .; do sleep 0.05; done) &";
    let sink = Sink::start_behind(&tmux, spinner).await;
    let daemon = Daemon::start(&tmux).await;
    Desk { daemon, sink, tmux }
}

/// An order on a connection of its own, until its text has arrived and its Enter waits.
async fn holding(desk: &Desk) -> tokio::task::JoinHandle<Typed> {
    let socket = desk.daemon.listen().to_owned();
    let params = desk.here(json!({"text": "first", "enter": true, "submit": "settled"}));
    let task = tokio::spawn(async move {
        let client = Client::connect(&socket).await;
        client.get(SEND_KEYS, params).await
    });
    desk.sink.gets("first").await;
    task
}

/// Places an order and, when the daemon has it, drops the connection.
async fn placed_and_left(desk: &Desk, params: Value) {
    let client = Client::connect(desk.daemon.listen()).await;
    let order = client.call(SEND_KEYS, desk.here(params));
    // requests of one connection are taken in order
    let later = async {
        tokio::task::yield_now().await;
        client.call(STATUS, json!({})).await
    };
    tokio::select! {
        biased;
        answer = order => panic!("an order that had to wait was answered: {answer:?}"),
        status = later => drop(status.expect("a status")),
    }
    drop(client);
}

#[tokio::test]
async fn an_order_whose_caller_has_gone_is_never_typed() {
    let desk = restless().await;
    let first = holding(&desk).await;
    placed_and_left(&desk, json!({"text": "second", "enter": true})).await;
    desk.send(json!({"text": "third"})).await;
    within("the first order", HANG, first).await.expect("the first order");
    desk.sink.gets("first\rthird").await;
}

#[tokio::test]
async fn an_order_posted_by_a_caller_that_was_killed_is_never_typed() {
    let desk = restless().await;
    let first = holding(&desk).await;
    let params = desk.here(json!({"text": "second", "enter": true}));
    let mut curl = spawn_curl(desk.daemon.listen(), &request(SEND_KEYS, &params));
    let client = Client::connect(desk.daemon.listen()).await;
    let answered = client.call(STATUS, json!({})).await;
    answered.expect("a status");
    within("the end of curl", HANG, curl.kill()).await.expect("killing curl");
    desk.send(json!({"text": "third"})).await;
    within("the first order", HANG, first).await.expect("the first order");
    desk.sink.gets("first\rthird").await;
}

#[tokio::test]
async fn an_enter_whose_caller_has_gone_is_not_pressed() {
    let desk = restless().await;
    holding(&desk).await.abort();
    desk.send(json!({"text": "next"})).await;
    desk.sink.gets("firstnext").await;
}

#[tokio::test]
async fn the_next_order_waits_for_a_settled_enter() {
    let desk = restless().await;
    let first = holding(&desk).await;
    let second = json!({"text": "second", "enter": true, "submit": "settled"});
    let (second, third) =
        tokio::join!(desk.send(second), desk.send(json!({"text": "third", "enter": true})));
    let first = within("the first order", HANG, first).await.expect("the first order");
    assert_eq!([&first.pane, &second.pane, &third.pane], [&desk.sink.pane; 3]);
    let typed = "first\rsecond\rthird\r";
    let any = "first\rthird\rsecond\r";
    let whole = async || (desk.sink.holds().len() >= typed.len()).then(|| desk.sink.holds());
    let held = eventually("three orders to arrive", HANG, whole).await;
    assert!(held == typed.as_bytes() || held == any.as_bytes(), "{held:?}");
}

#[tokio::test]
async fn a_settled_enter_comes_when_the_pane_is_quiet() {
    for binary in Tmux::binaries() {
        let desk = Desk::start_on(&binary).await;
        desk.send(json!({"text": "text;", "enter": true, "submit": "settled"})).await;
        desk.sink.gets("text;\r").await;
        // with nothing to settle
        desk.send(json!({"enter": true, "submit": "settled"})).await;
        desk.sink.gets("text;\r\r").await;
        desk.send(json!({"text": "no enter", "submit": "settled"})).await;
        desk.sink.gets("text;\r\rno enter").await;
    }
}

#[tokio::test]
async fn a_settled_line_runs_and_its_echo_is_no_answer() {
    for kind in Kind::ALL {
        let shell = Shell::start(kind).await;
        let settled = |text: &str| json!({"text": text, "enter": true, "submit": "settled"});
        let cursor = shell.send(settled("echo MARK_7")).await;
        shell.finds(&cursor, "MARK_7", "MARK_7").await;
        shell.prompted().await;
        let cursor = shell.send(settled("true MARK_9")).await;
        shell.finds_none(&cursor, "MARK_9").await;
    }
}
