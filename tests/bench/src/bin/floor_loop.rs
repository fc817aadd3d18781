//! The floor of reads: a loop that blocks, decodes as little as it can, and answers from memory.

use std::io::{BufRead as _, BufReader, Write as _};

use anyhow::Result;
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: &'a str,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ReadParams<'a> {
    uri: &'a str,
}

fn main() -> Result<()> {
    let text = "x".repeat(1024);
    let mut input = BufReader::with_capacity(64 * 1024, std::io::stdin().lock());
    let mut output = Vec::new();
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let request: Request<'_> = serde_json::from_str(&line)?;
        if let Some(id) = request.id {
            write!(output, "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":")?;
            match (request.method, request.params) {
                ("resources/read", Some(params)) => {
                    let ReadParams { uri } = serde_json::from_str(params.get())?;
                    write!(
                        output,
                        "{{\"contents\":[{{\"uri\":\"{uri}\",\"mimeType\":\"text/x-lua\",\"text\":\"{text}\"}}]}}}}"
                    )?;
                }
                _ => output.extend_from_slice(
                    b"{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"resources\":{}},\
                      \"serverInfo\":{\"name\":\"loop\",\"version\":\"1\"}}}",
                ),
            }
            output.push(b'\n');
        }
        line.clear();
        // One write for all that was read at once.
        if input.buffer().is_empty() {
            std::io::stdout().lock().write_all(&output)?;
            output.clear();
        }
    }
    Ok(())
}
