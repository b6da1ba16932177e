//! The protocol half of an MCP server over stdin and stdout. The caller's [`Offer`] determines what is offered and what a
//! call does; nothing here knows an engine.
//!
//! `offer` has the types of a caller, `handler` reads and answers messages within limits.

mod handler;
mod offer;

pub use offer::{
    Arguments, CallOutput, Offer, PromptArgument, PromptOffer, Refusal, RefusalKind, ResourceOffer,
    ServerInfo, ToolOffer,
};

use handler::Handler;
use handler::LineTransport;
use rmcp::service::{QuitReason, ServerInitializeError, serve_server};
use std::{io, sync::Arc, time::Duration};
use tokio::io::{AsyncRead, AsyncWrite};

/// The longest message that is read, in bytes, without its line end.
pub const LONGEST_MESSAGE: usize = 4 << 20;

/// The longest time for which calls without a reader may delay the end.
const LAST_CALLS: Duration = Duration::from_millis(200);

/// Serves the parent process over stdin and stdout, until stdin ends or stdout is closed.
///
/// The runtime stays inside: the caller waits.
///
/// # Errors
/// No threads can be started, or the client began with an invalid message.
pub fn serve_stdio(offer: Arc<dyn Offer>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let served = runtime.block_on(serve(offer, tokio::io::stdin(), tokio::io::stdout()));
    // A thread may still wait for stdin, or for a call whose answer is not read.
    runtime.shutdown_timeout(LAST_CALLS);
    served
}

/// Serves one client over these two streams until the first one ends.
///
/// # Errors
/// The client began with an invalid message, or the task that answers was ended.
pub async fn serve<R, W>(offer: Arc<dyn Offer>, read: R, write: W) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let lines = LineTransport::new(offer.clone(), read, write);
    let running = match serve_server(Handler::new(offer.clone()), lines).await {
        Ok(running) => running,
        // A client that leaves before its first message is no error.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(io::Error::other(error.to_string())),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(io::Error::other(error.to_string())),
        Ok(_) => Ok(()),
    }
}
