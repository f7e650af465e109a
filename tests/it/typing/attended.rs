//! Whether a person's client shows the pane that is typed into.

use serde_json::json;

use super::Desk;
use crate::support::person::Person;
use crate::support::tmux::Tmux;

async fn attended(desk: &Desk) -> bool {
    desk.send(json!({"text": "x"})).await.attended
}

#[tokio::test]
async fn a_pane_is_attended_while_a_persons_client_shows_it() {
    for binary in Tmux::binaries() {
        let desk = Desk::start_on(&binary).await;
        let pane = &desk.sink.pane;
        assert!(!attended(&desk).await, "{binary}: by nobody");
        // the link of the daemon is no person
        let wait = desk.daemon.armed(desk.here(json!({"patterns": ["never"]}))).await;
        assert!(!attended(&desk).await, "{binary}: by a program");
        let person = Person::attach(&desk.tmux, "=main").await;
        desk.tmux.run(&["select-window", "-t", pane]);
        assert!(attended(&desk).await, "{binary}: by a person");
        let settled = json!({"text": "x", "enter": true, "submit": "settled"});
        assert!(desk.send(settled).await.attended, "{binary}: by a person, settled");
        desk.tmux.run(&["select-window", "-t", "%0"]);
        assert!(!attended(&desk).await, "{binary}: another window is shown");
        desk.tmux.run(&["select-window", "-t", pane]);
        assert!(attended(&desk).await, "{binary}: again");
        person.leave(&desk.tmux).await;
        assert!(!attended(&desk).await, "{binary}: the person has left");
        drop(wait);
    }
}

#[tokio::test]
async fn a_pane_beside_the_active_one_is_attended_unless_that_is_zoomed() {
    let desk = Desk::start().await;
    let pane = &desk.sink.pane;
    let split = desk.tmux.run(&["split-window", "-t", pane, "-P", "-F", "#{pane_id}", "exec cat"]);
    let person = Person::attach(&desk.tmux, "=main").await;
    desk.tmux.run(&["select-window", "-t", pane]);
    desk.tmux.run(&["select-pane", "-t", split.trim()]);
    assert!(attended(&desk).await, "beside the active pane");
    desk.tmux.run(&["resize-pane", "-Z", "-t", split.trim()]);
    assert!(!attended(&desk).await, "behind a zoomed pane");
    desk.tmux.run(&["select-pane", "-Z", "-t", pane]);
    assert!(attended(&desk).await, "zoomed itself");
    drop(person);
}

#[tokio::test]
async fn a_client_of_another_session_attends_only_what_it_shows() {
    let desk = Desk::start().await;
    let pane = &desk.sink.pane;
    desk.tmux.new_session("side");
    let person = Person::attach(&desk.tmux, "=side").await;
    desk.tmux.run(&["select-window", "-t", pane]);
    assert!(!attended(&desk).await, "current in a session that nobody looks at");
    desk.tmux.run(&["link-window", "-s", pane, "-t", "=side:7"]);
    desk.tmux.run(&["select-window", "-t", "=side:7"]);
    assert!(attended(&desk).await, "linked into the session that is looked at");
    drop(person);
}
