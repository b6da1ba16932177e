//! Serves the endpoint of `preface capture` for a script: prints its address, then each request as a line of JSON. Each line of standard
//! input is a JSON string, the text of a next answer; at its end the program ends.

use preface_capture::endpoint::Endpoint;
use serde_json::{Value, json};
use std::io;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader, stdin},
    select,
};

#[allow(clippy::print_stdout)] // what the script reads
#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    let mut endpoint = Endpoint::start(0).await?;
    let mut answers = BufReader::new(stdin()).lines();
    println!("{}", endpoint.url());
    loop {
        select! {
            request = endpoint.next() => {
                let Some(request) = request else { return Ok(()) };
                let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
                println!("{}", json!({ "method": request.method, "path": request.path, "body": body }));
            }
            answer = answers.next_line() => match answer? {
                Some(text) => endpoint.script_answer(serde_json::from_str(&text)?),
                None => return Ok(()),
            }
        }
    }
}
