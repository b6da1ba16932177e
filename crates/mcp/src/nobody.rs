//! What a server may ask of us: nothing. It is told so, politely, and nothing of the machine goes into the answer.

use rmcp::{
    ErrorData, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, ClientResult, ErrorCode, Implementation, ServerNotification,
        ServerRequest,
    },
    service::{NotificationContext, RequestContext, Service},
};

/// A client that offers nothing, and hears no notifications.
pub(crate) struct Nobody;

impl Service<RoleClient> for Nobody {
    async fn handle_request(
        &self,
        request: ServerRequest,
        _: RequestContext<RoleClient>,
    ) -> Result<ClientResult, ErrorData> {
        match request {
            // Whether we are there is no secret: it is being spoken to.
            ServerRequest::PingRequest(_) => Ok(ClientResult::empty(())),
            _ => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, REFUSAL, None)),
        }
    }

    async fn handle_notification(
        &self,
        _: ServerNotification,
        _: NotificationContext<RoleClient>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn get_info(&self) -> ClientConfig {
        let name = Implementation::new("preface", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), name)
    }
}

/// What every request of a server is answered.
pub(crate) const REFUSAL: &str = "this client answers no requests";
