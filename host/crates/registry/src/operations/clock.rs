//! The clock and randomness.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::OperationAnswer;
use crate::limits::MAX_RANDOM_BYTES;
use wardroom_base::random;

pub(super) fn unix_time() -> OperationAnswer {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|_| "the clock is before 1970".to_owned())?;
    Ok(since.as_secs_f64().into())
}

pub(super) fn random_bytes(arguments: &Value) -> OperationAnswer {
    let bytes = arguments.get("bytes").and_then(Value::as_u64).filter(|bytes| *bytes <= MAX_RANDOM_BYTES);
    let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
    let mut random = vec![0; bytes.ok_or_else(|| format!("bytes must be a number from 0 to {MAX_RANDOM_BYTES}"))?];
    random::fill(&mut random).map_err(|_| "the system gives no random bytes".to_owned())?;
    Ok(STANDARD.encode(random).into())
}
