//! What a fake server does that only a program can do.

use serde_json::{Value, json};
use std::{
    fs,
    io::{Write, stdout},
    path::Path,
    process::{Command, exit, id},
    thread::sleep,
    time::Duration,
};

const LONG: Duration = Duration::from_secs(300);

/// What it does before it reads anything.
pub fn at_start(manners: &str, place: Option<&Path>) {
    match manners {
        "forks" | "forks-and-goes" => {
            // A shell in between leaves it behind, with our pipes.
            let script = "sleep 300 & echo $! > \"$0.part\" && mv \"$0.part\" \"$0\"";
            let place = place.expect("a place for the number");
            Command::new("sh").args(["-c", script]).arg(place).status().expect("a shell is there");
        }
        "stays" => {
            let place = place.expect("a place for the number");
            fs::write(place, id().to_string()).expect("it is written");
        }
        "complains" => {
            for at in 0..20_000 {
                eprintln!("complaint {at} of many, all of them of some length");
            }
        }
        "fails" => {
            eprintln!("cannot start: the key `{}` is wrong", std::env::var("KEY").unwrap_or_default());
            exit(3);
        }
        "floods-line" => flood(&"x".repeat(64 << 10)),
        "floods-notes" => {
            let diagnostic = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": {} });
            flood(&format!("{diagnostic}\n").repeat(100));
        }
        "floods-requests" => {
            let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "roots/list" });
            flood(&format!("{request}\n").repeat(100));
        }
        _ => {}
    }
    if manners == "forks-and-goes" {
        exit(0);
    }
}

/// What it does with a message, before it answers.
pub fn at_message(manners: &str, message: &Value, place: Option<&Path>) {
    match (manners, message["method"].as_str()) {
        ("dies", Some("tools/list")) | ("dies-of-the-new", Some("server/discover")) => exit(7),
        ("dies-half-way", Some("tools/list")) => {
            print!("{{\"jsonrpc\": \"2.0\", \"id\": {}, \"result\": {{\"tools\": [", message["id"]);
            let _ = stdout().flush();
            exit(7);
        }
        ("slow-modern", Some("server/discover")) => {
            let place = place.expect("a place for the mark");
            if !place.exists() {
                fs::write(place, "").expect("it is written");
                sleep(Duration::from_millis(2500));
            }
        }
        _ => {}
    }
}

/// What it does once its input is closed.
pub fn at_end(manners: &str) {
    if manners == "stays" {
        sleep(LONG);
    }
}

fn flood(text: &str) -> ! {
    let mut output = stdout().lock();
    while output.write_all(text.as_bytes()).is_ok() {}
    exit(0)
}
