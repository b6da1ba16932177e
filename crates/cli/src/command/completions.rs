//! stub
use crate::{
    failure::{Exit, Failure},
    ui::Ui,
};
/// x
#[derive(clap::Args, Debug)]
pub struct Args {}
pub fn run(_ui: &Ui, _args: &Args) -> Result<Exit, Failure> {
    Ok(Exit::Done)
}
