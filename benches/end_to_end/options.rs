//! What to run, from the command line.

/// A case of the bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    WakeUp,
    Transient,
    Quiet,
    Arming,
    Flood,
}

/// How the cases are run.
#[derive(Debug)]
pub(crate) struct Options {
    /// How often, where that was said; every case has its own default.
    pub(crate) runs: Option<usize>,
    /// The tmux binary.
    pub(crate) tmux: String,
}

/// What the command line asks for.
#[derive(Debug)]
pub(crate) enum Asked {
    Run(Vec<Case>, Options),
    Nothing,
    Wrong(String),
}

impl Case {
    const ALL: [Self; 5] = [Self::WakeUp, Self::Transient, Self::Quiet, Self::Arming, Self::Flood];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::WakeUp => "wake_up",
            Self::Transient => "transient",
            Self::Quiet => "quiet",
            Self::Arming => "arming",
            Self::Flood => "flood",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|case| case.name() == name)
    }
}

/// Reads the arguments. `cargo bench` adds `--bench`; without it and without a case there is
/// nothing to do.
pub(crate) fn read(arguments: impl Iterator<Item = String>) -> Asked {
    let mut options = Options { runs: None, tmux: "tmux".to_owned() };
    let (mut cases, mut bench) = (Vec::new(), false);
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bench" => bench = true,
            "--runs" => match arguments.next().and_then(|n| n.parse().ok()).filter(|&n| n > 0) {
                Some(runs) => options.runs = Some(runs),
                None => return Asked::Wrong("--runs takes a number from 1 on".to_owned()),
            },
            "--tmux" => match arguments.next() {
                Some(binary) => options.tmux = binary,
                None => return Asked::Wrong("--tmux takes the path of a tmux binary".to_owned()),
            },
            name => match Case::parse(name) {
                Some(case) => cases.push(case),
                None => return Asked::Wrong(unknown(name)),
            },
        }
    }
    match (cases.is_empty(), bench) {
        (true, false) => Asked::Nothing,
        (true, true) => Asked::Run(Case::ALL.to_vec(), options),
        (false, _) => Asked::Run(cases, options),
    }
}

fn unknown(name: &str) -> String {
    let names = Case::ALL.map(Case::name).join(", ");
    format!(
        "there is no case `{name}`; there are {names}, and the options --runs N and --tmux BINARY"
    )
}
