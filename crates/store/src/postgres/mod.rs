//! A store on a server.
