//! What counts as text and as a row: escapes, characters, wraps, overprints and edits in place.
//!
//! A marker that must not match is followed by one that must, so that each test ends by a match.

use serde_json::json;

use crate::support::scene::{Scene, assert_matched};

#[tokio::test]
async fn w2_colour_inside_a_word_does_not_split_it() {
    let mut scene = Scene::start().await;
    let output = "al\x1b[31mre\x1b[1;38;5;9mad\x1b[0my\n";
    assert_matched(&scene.answer(json!({"patterns": ["ready"]}), output).await, "already");
}

#[tokio::test]
async fn w2_a_character_split_over_two_writes_is_one() {
    let mut scene = Scene::start().await;
    let wait = scene.armed(json!({"patterns": ["größe: 3 €"]})).await;
    let output = "größe: 3 €\n".as_bytes();
    // within ö, and within €
    for part in [&output[..3], &output[3..12], &output[12..13]] {
        scene.print_and_see(part).await;
    }
    scene.feed.print(&output[13..]);
    assert_matched(&wait.answer().await, "größe: 3 €");
}

#[tokio::test]
async fn w2_a_bad_byte_is_one_replacement_character() {
    let mut scene = Scene::start().await;
    let answer = scene.answer(json!({"patterns": ["a\u{fffd}b"]}), b"a\xffb\n").await;
    assert_matched(&answer, "a\u{fffd}b");
}

#[tokio::test]
async fn w2_titles_links_and_payloads_never_match() {
    let mut scene = Scene::start().await;
    let wait = scene.armed(json!({"patterns": ["ready", "the end"]})).await;
    let hidden = [
        "\x1b]0;ready\x07",
        "\x1b]2;ready\x1b\\",
        "\x1b]8;;file:///ready\x1b\\link\x1b]8;;\x1b\\",
        "\x1b]52;c;ready\x07",
        "\x1bPready\x1b\\",
        "\x1b_ready\x1b\\",
        "\x1b^ready\x1b\\",
    ];
    for sequence in hidden {
        scene.print_and_see(sequence).await;
    }
    scene.feed.print("\nthe end\n");
    let answer = wait.answer().await;
    assert_matched(&answer, "the end");
    assert_eq!(answer.text.lines().collect::<Vec<_>>(), ["link", "the end"]);
}

#[tokio::test]
async fn w2_a_window_name_in_the_way_of_screen_never_matches() {
    let mut scene = Scene::start().await;
    let output = "\x1bkready\x1b\\the end\n";
    let answer = scene.answer(json!({"patterns": ["ready", "the end"]}), output).await;
    assert_matched(&answer, "the end");
}

#[tokio::test]
async fn w2_an_escape_split_over_two_writes_is_one() {
    let mut scene = Scene::start().await;
    let wait = scene.armed(json!({"patterns": ["31mready", "already"]})).await;
    scene.print_and_see("al\x1b[").await;
    scene.feed.print("31mready\x1b[0m\n");
    assert_matched(&wait.answer().await, "already");
}

#[tokio::test]
async fn w2_line_drawing_becomes_its_characters() {
    let mut scene = Scene::start().await;
    let answer = scene.answer(json!({"patterns": ["─│"]}), "\x1b(0qx\x1b(B\n").await;
    assert_matched(&answer, "─│");
}

#[tokio::test]
async fn w3_a_wrapped_line_is_one_row() {
    let mut scene = Scene::start().await;
    scene.tmux.run(&["split-window", "-d", "-h", "-l", "60", "-t", scene.pane(), "exec cat"]);
    assert_eq!(scene.tmux.show(scene.pane(), "#{pane_width}"), "19");
    let row = "a needle that is longer than the pane is wide, by far, and has an end";
    let params = json!({"patterns": ["longer than the pane is wide"]});
    assert_matched(&scene.answer(params, format!("{row}\n")).await, row);
}

#[tokio::test]
async fn w3_text_overprinted_after_a_carriage_return_was_seen() {
    let mut scene = Scene::start().await;
    let answer = scene.answer(json!({"patterns": ["20%"]}), "at 10%\rat 20%\rat 30%\n").await;
    assert_matched(&answer, "at 20%");
}

#[tokio::test]
async fn w3_nothing_matches_across_an_overwrite() {
    let mut scene = Scene::start().await;
    let answer = scene.answer(json!({"patterns": ["abcXY", "XYc"]}), "abc\rXY\n").await;
    assert_matched(&answer, "XYc");
    assert_eq!(answer.matched_index, Some(1));
}

#[tokio::test]
async fn w3_text_erased_in_the_same_write_was_seen() {
    let erasures =
        ["\x1b[2K", "\r\x1b[K", "\x1b[1K", "\x1b[2J", "\x1b[1J", "\x1b[H\x1b[J", "\x1bc"];
    let mut scene = Scene::start().await;
    for (number, erasure) in erasures.iter().enumerate() {
        let word = format!("marker-{number}");
        let answer = scene.answer(json!({"patterns": [word]}), format!("{word}{erasure}\r\n"));
        assert_matched(&answer.await, &word);
    }
}

#[tokio::test]
async fn w3_text_taken_back_by_edits_was_seen() {
    let edits = ["\x08\x08\x08xyz", "\x1b[3D\x1b[3P", "\x1b[1G\x1b[4@", "\x1b[M", "\x1b[2D\x1b[9X"];
    let mut scene = Scene::start().await;
    for (number, edit) in edits.iter().enumerate() {
        let word = format!("marker-{number}");
        let answer = scene.answer(json!({"patterns": [word]}), format!("{word}{edit}\r\n"));
        assert_matched(&answer.await, &word);
    }
}

#[tokio::test]
async fn w3_two_cells_rewritten_in_place_change_their_row() {
    let mut scene = Scene::start().await;
    let wait = scene.armed(json!({"patterns": ["working 13s"]})).await;
    scene.print_and_see("working 12s").await;
    scene.feed.print("\x1b[2D3");
    assert_matched(&wait.answer().await, "working 13s");
}

#[tokio::test]
async fn w3_text_placed_by_cursor_addressing_is_on_its_row() {
    let mut scene = Scene::start().await;
    let wait = scene.armed(json!({"patterns": ["left right"]})).await;
    scene.print_and_see("\x1b[2J\x1b[5;6Hright").await;
    scene.feed.print("\x1b[9;1Hbelow\x1b[5;1Hleft");
    assert_matched(&wait.answer().await, "left right");
}

#[tokio::test]
async fn w3_a_row_scrolled_away_in_the_same_write_was_seen() {
    let mut scene = Scene::start().await;
    let output = format!("marker{}", "\n".repeat(200));
    assert_matched(&scene.answer(json!({"patterns": ["marker"]}), output).await, "marker");
}
