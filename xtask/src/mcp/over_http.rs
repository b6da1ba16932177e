//! The server over HTTP, on a port of its own.

use crate::{child, failure::Failure};
use std::{
    fs::{self, File},
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A server that runs. It ends with this value.
pub struct OverHttp {
    child: Child,
    port: u16,
    log: PathBuf,
}

/// The time that it may take to listen.
const START: Duration = Duration::from_secs(30);

impl OverHttp {
    /// Starts a script of Node and waits until it listens.
    ///
    /// # Errors
    /// It does not start. The error has its output.
    pub fn start(script: &Path) -> Result<OverHttp, Failure> {
        let log = child::target().join("mcp/http.log");
        let begun = begin(script, &log).map_err(|error| Failure::start("node", &error))?;
        let (child, port) = begun;
        let mut server = OverHttp { child, port, log };
        let until = Instant::now() + START;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        while TcpStream::connect(address).is_err() {
            let ended = server.child.try_wait().is_ok_and(|status| status.is_some());
            if ended || Instant::now() > until {
                return Err(Failure::new(format!("the MCP server does not listen: {}", server.log().trim())));
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(server)
    }

    /// Where it listens.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// Returns its output.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for OverHttp {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

fn begin(script: &Path, log: &Path) -> io::Result<(Child, u16)> {
    // The port is free now; if another program takes it before the server, that server does not listen.
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
    let log = File::create(log)?;
    let mut node = Command::new("node");
    node.arg(script).arg("streamableHttp").env("PORT", port.to_string()).stdin(Stdio::null());
    Ok((node.stdout(log.try_clone()?).stderr(log).spawn()?, port))
}
