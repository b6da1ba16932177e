//! Asks a server that is an address.

use crate::{
    Limits, Target, Trouble,
    conversation::{Broken, Handshake, converse},
    http::{Address, Headers, Posts},
    intake::Intake,
    judgement::judge,
    story::Story,
    time::Time,
};
use std::sync::Arc;
use tokio::time::timeout_at;

/// Reaches a server, and asks it.
pub(crate) async fn ask_address(
    url: &str,
    headers: &[(String, String)],
    target: &Target,
    limits: &Limits,
    time: &Time,
) -> (Result<(), Trouble>, Story) {
    let mut story = Story::default();
    let ready = Address::parse(url).map_err(str::to_owned);
    let (address, headers) = match ready.and_then(|address| Ok((address, Headers::read(headers)?))) {
        Ok(ready) => ready,
        Err(why) => return (Err(Trouble::Unreachable(why)), story),
    };
    let intake = Arc::new(Intake::new(limits.bytes));
    let posts = Posts::new(address, headers, intake.clone(), time.patience);
    let talk = converse(posts, Handshake::Either, &target.wants, limits, &mut story);
    let talked = match timeout_at(time.talk, talk).await.ok() {
        // Where nothing was said yet, nobody was reached.
        Some(Err(Broken::Way(why))) if story.protocol.is_none() && !intake.heard_any() => {
            Some(Err(Broken::Unreached(why)))
        }
        talked => talked,
    };
    (judge(talked, &intake, &mut story, || "the connection was closed".to_owned()), story)
}
