//! A naive reader of HTTP replies.

/// A reply, as its bytes say.
pub struct Reply {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Takes one reply off a stream; `None` where its end is missing. Panics where it is none.
    pub fn take(stream: &mut &[u8], has_body: bool) -> Option<Self> {
        let end = stream.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
        let head = std::str::from_utf8(&stream[..end]).expect("a head is text");
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok());
        let status = status.unwrap_or_else(|| panic!("{head:?} begins with no status"));
        let header = |line: &str| {
            let (name, value) = line.split_once(": ").unwrap_or_else(|| panic!("{line:?} is no header"));
            assert!(!name.is_empty() && !value.contains(['\r', '\n']), "{line:?}");
            (name.to_ascii_lowercase(), value.to_owned())
        };
        let mut reply = Self { status, headers: lines.map(header).collect(), body: Vec::new() };
        let mut rest = &stream[end + 4..];
        let length = reply.header("content-length").map(|length| length.parse::<usize>().expect("a length"));
        if has_body && status != 204 && status >= 200 {
            match length {
                Some(length) => {
                    let (body, after) = rest.split_at_checked(length)?;
                    (reply.body, rest) = (body.to_vec(), after);
                }
                None => {
                    assert_eq!(reply.header("transfer-encoding"), Some("chunked"), "{head:?} has no end");
                    loop {
                        let end = rest.windows(2).position(|bytes| bytes == b"\r\n")?;
                        let size = std::str::from_utf8(&rest[..end]).ok();
                        let size = size.and_then(|size| usize::from_str_radix(size, 16).ok()).expect("a size");
                        let (chunk, after) = rest[end + 2..].split_at_checked(size)?;
                        reply.body.extend(chunk);
                        rest = after.strip_prefix(b"\r\n")?;
                        if size == 0 {
                            break;
                        }
                    }
                }
            }
        }
        *stream = rest;
        Some(reply)
    }
}
