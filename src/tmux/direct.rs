//! The link that is opened without tmux's binary, by speaking its client protocol.
//!
//! The stock client introduces itself in three writes, and before 3.7 a notification that falls
//! between them crashes the server. Here both descriptors go first, then everything else in one write,
//! which the server reads in one turn (tmux-control-mode 15).

use std::os::fd::AsFd;

use tokio::io;
use tokio::net::UnixStream;

use super::imsg::{Framing, Introduction, Kind};
use super::link::{Aim, Keeper, LinkError, LinkKind, Opened};
use super::peer::Peer;

/// Opens a link.
pub async fn open(aim: &Aim) -> Result<Opened, LinkError> {
    let failed = |doing| {
        move |error: io::Error| LinkError::Io {
            kind: LinkKind::Direct,
            session: aim.session,
            endpoint: aim.endpoint.clone(),
            doing,
            error,
        }
    };
    let (control, theirs) = UnixStream::pair().map_err(failed("making a pair of sockets"))?;
    let theirs = theirs.into_std().map_err(failed("making a pair of sockets"))?;
    let framing =
        if aim.server.version.at_least(3, 6) { Framing::LengthBit } else { Framing::Flags };
    let argv = aim.argv();
    let argv: Vec<&str> = argv.iter().map(String::as_str).collect();
    // shown by `list-clients`, so that people see who it is
    let name = format!("panewatch-{}", aim.session);
    let pid = std::process::id();

    let peer = Peer::connect(&aim.endpoint).await?;
    for kind in [Kind::IdentifyStdin, Kind::IdentifyStdout] {
        let sent = peer.send_descriptor(kind, framing, theirs.as_fd()).await;
        sent.map_err(failed("handing over its descriptors"))?;
    }
    let introduction = Introduction { control: true, name: &name, pid, argv: &argv };
    peer.introduce(introduction).await.map_err(failed("introducing itself"))?;
    Ok(Opened { control, keeper: Keeper::Direct(peer) })
}
