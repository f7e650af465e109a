//! `send_keys`, `paste_text` and `declare_input`: type, or say what another tool typed.
//!
//! Each answers with the cursor from which to wait: before the first typed byte, so that nothing that
//! was printed since is missed, and the echo of what was typed is left out (W8).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::target::Target;

/// The arguments of `send_keys`. What is given is typed in this order, as one step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendKeys {
    /// The pane to type into.
    #[serde(flatten)]
    pub target: Target,
    /// Text, typed byte for byte.
    #[serde(default)]
    pub text: Option<String>,
    /// Keys by their tmux names: `C-c`, `Up`, `F5`.
    #[serde(default)]
    pub keys: Vec<String>,
    /// Press Enter at the end.
    #[serde(default)]
    pub enter: bool,
    /// When to press it.
    #[serde(default)]
    pub submit: Submit,
    /// What to do where typing is refused otherwise.
    #[serde(flatten)]
    pub unless: Unless,
}

/// The arguments of `paste_text`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PasteText {
    /// The pane to paste into.
    #[serde(flatten)]
    pub target: Target,
    /// The text. A program that asked for bracketed paste gets it as one.
    pub text: String,
    /// Press Enter behind it.
    #[serde(default)]
    pub enter: bool,
    /// When to press it.
    #[serde(default)]
    pub submit: Submit,
    /// What to do where typing is refused otherwise.
    #[serde(flatten)]
    pub unless: Unless,
}

/// Where typing is refused unless it is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unless {
    /// Leave a mode, such as copy mode, that the pane is in; else that is an error.
    #[serde(default)]
    pub leave_mode: bool,
    /// Type into the caller's own pane; else that is an error.
    #[serde(default)]
    pub own_pane: bool,
}

/// When Enter is pressed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Submit {
    /// At once: right for shells.
    #[default]
    With,
    /// When the text has been echoed, or the pane has been quiet for 150 ms; after 2 s at the latest.
    /// Right for full-screen programs that take a burst for a paste.
    Settled,
}

/// The arguments of `declare_input`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeclareInput {
    /// The pane that another tool types into.
    #[serde(flatten)]
    pub target: Target,
    /// What it types.
    pub text: String,
}

/// The answer of all three.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Typed {
    /// The pane.
    pub pane: String,
    /// A cursor before the first typed byte.
    pub cursor: String,
    /// Whether a person's client shows the pane now.
    pub attended: bool,
}
