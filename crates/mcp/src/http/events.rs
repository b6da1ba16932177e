//! Takes a stream of server-sent events apart.

/// What is left of a stream that is being read.
#[derive(Default)]
pub(crate) struct Events {
    rest: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    /// The id of the last event, by which a broken stream goes on.
    pub(super) last_id: Option<String>,
    /// How long to wait before that, in milliseconds.
    pub(super) retry: Option<u64>,
}

/// The longest id that is sent back.
const ID: usize = 1 << 10;

impl Events {
    /// Takes more of the stream, and returns the data of the events that are whole now.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        // Where the rest has no end of a line, only what is new may have one.
        let mut look = self.rest.len();
        self.rest.extend_from_slice(bytes);
        let mut rest = std::mem::take(&mut self.rest);
        let (mut from, mut whole) = (0, Vec::new());
        while let Some(at) = rest[look..].iter().position(|byte| *byte == b'\n') {
            let end = look + at;
            let line = &rest[from..end];
            whole.extend(self.line(line.strip_suffix(b"\r").unwrap_or(line)));
            from = end + 1;
            look = from;
        }
        rest.drain(..from);
        self.rest = rest;
        whole
    }

    fn line(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return std::mem::take(&mut self.has_data)
                .then_some(data)
                .filter(|data| !data.trim_ascii().is_empty());
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (name, value) = colon.map_or((line, &[][..]), |at| (&line[..at], &line[at + 1..]));
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"id" if value.len() <= ID => self.last_id = String::from_utf8(value.to_vec()).ok(),
            b"retry" => self.retry = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()),
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Events;

    #[test]
    fn events_come_whole_however_they_are_cut() {
        let stream = b": hello\r\nid: 7\r\nretry: 20\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\nid: 8\ndata:\n\nevent: x\ndata:two\n\ndata: no end";
        for size in 1..stream.len() {
            let mut events = Events::default();
            let whole: Vec<_> = stream.chunks(size).flat_map(|chunk| events.feed(chunk)).collect();
            assert_eq!(whole, [b"{\"a\":\n1}".to_vec(), b"two".to_vec()], "{size}");
            assert_eq!((events.last_id.as_deref(), events.retry), (Some("8"), Some(20)));
        }
    }

    #[test]
    fn a_long_line_in_small_pieces_is_one_event() {
        let mut events = Events::default();
        assert!(events.feed(b"data:").is_empty());
        for _ in 0..200_000 {
            assert!(events.feed(b"0123456789").is_empty());
        }
        assert_eq!(events.feed(b"\n\n"), [b"0123456789".repeat(200_000)]);
    }
}
