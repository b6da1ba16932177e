//! An address taken apart, as far as a connection needs it.

use hyper::http::Uri;

/// Where a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// Whether the connection is covered by TLS.
    pub(super) secure: bool,
    /// The host, without the brackets of an IPv6 address.
    pub(super) host: String,
    pub(super) port: u16,
    /// What `Host` says.
    pub(super) authority: String,
    /// Path and query.
    pub(super) path: String,
}

impl Address {
    /// Takes an address apart. The error says what is wrong with it, without the address: it may hold a secret.
    pub(crate) fn parse(url: &str) -> Result<Address, &'static str> {
        let url = url.split('#').next().unwrap_or_default();
        let uri: Uri = url.parse().map_err(|_| "its address is none")?;
        let secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err("its address is neither http nor https"),
        };
        let authority = uri.authority().ok_or("its address names no host")?;
        if authority.as_str().contains('@') {
            return Err("its address holds a user name or a password; these belong into a header");
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() {
            return Err("its address names no host");
        }
        Ok(Address {
            secure,
            host,
            port: authority.port_u16().unwrap_or(if secure { 443 } else { 80 }),
            authority: authority.as_str().to_owned(),
            path: uri.path_and_query().map_or("/", |path| path.as_str()).to_owned(),
        })
    }

    /// Where a redirection leads. `None` where that is another origin, or no place at all.
    pub(super) fn redirected(&self, location: &str) -> Option<Address> {
        if location.starts_with('/') && !location.starts_with("//") {
            let uri: Uri = location.split('#').next()?.parse().ok()?;
            return Some(Address { path: uri.path_and_query()?.as_str().to_owned(), ..self.clone() });
        }
        let to = Address::parse(location).ok()?;
        let same =
            (to.secure, &to.port) == (self.secure, &self.port) && to.host.eq_ignore_ascii_case(&self.host);
        same.then_some(to)
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn an_address_is_taken_apart() {
        let address = Address::parse("https://[::1]:8443/mcp?key=1#part").unwrap();
        assert_eq!((address.secure, &*address.host, address.port), (true, "::1", 8443));
        assert_eq!((&*address.authority, &*address.path), ("[::1]:8443", "/mcp?key=1"));
        assert_eq!(Address::parse("http://example.com").unwrap().path, "/");
        for wrong in
            ["", "mcp", "ftp://example.com", "http://", "http://me:secret@example.com/", "http://a b/"]
        {
            let error = Address::parse(wrong).unwrap_err();
            assert!(!error.contains("secret"));
        }
    }

    #[test]
    fn a_redirection_stays_at_its_origin() {
        let address = Address::parse("https://example.com/mcp").unwrap();
        assert_eq!(address.redirected("/mcp/").unwrap().path, "/mcp/");
        assert_eq!(address.redirected("https://EXAMPLE.com:443/new").unwrap().path, "/new");
        for elsewhere in [
            "http://example.com/mcp",
            "https://example.org/",
            "//example.org/",
            "https://example.com:1/",
            "mcp",
            "",
        ] {
            assert_eq!(address.redirected(elsewhere), None, "{elsewhere}");
        }
    }
}
