//! The inputs of packages: what the guest finds in the code, and what the metadata declare.
//!
//! Owns: the cache of what the guest found, and how both are shown together.
//! Never: fails for a source that cannot be read: whoever reads the metadata learns why.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::lookup::SOURCE_FILE;
use super::{PackageLocation, PackageStore};
use crate::limits::{MAX_CACHED_INPUTS_BYTES, MAX_CACHED_METADATA_ENTRIES, MAX_CONFIG_BYTES};
use wardroom_appdir::{FileCache, FileCacheLimits, OpenFile};
use wardroom_base::uri::PackageName;
use wardroom_sandbox::{CodeInput, CodeInputs, InputNeed};
use wardroom_service::limits::MAX_SOURCE_BYTES;

/// The key of the inputs in a package's metadata.
pub(crate) const INPUTS_KEY: &str = "inputs";

/// The inputs that code shows, by source file.
pub(crate) struct CodeInputsCache(FileCache<CodeInputs>);

impl Default for CodeInputsCache {
    fn default() -> Self {
        Self(FileCache::new(FileCacheLimits {
            max_entries: MAX_CACHED_METADATA_ENTRIES,
            max_bytes: MAX_CACHED_INPUTS_BYTES,
            max_age: Duration::MAX,
        }))
    }
}

/// Returns the memory that the inputs take.
fn inputs_bytes(found: &CodeInputs) -> usize {
    size_of_val(found) + found.inputs.iter().map(|input| size_of_val(input) + input.name.len()).sum::<usize>()
}

/// Returns the memory that [`merge_inputs`] takes for these: an object for each.
pub(crate) fn code_inputs_bytes(found: &CodeInputs) -> usize {
    const MERGED_INPUT_BYTES: usize = 1024;
    inputs_bytes(found) + found.inputs.len() * MERGED_INPUT_BYTES
}

impl PackageStore {
    /// Returns the inputs that the code of a package shows, if it can be read.
    pub(crate) fn code_inputs(&self, package: &PackageLocation) -> Option<Arc<CodeInputs>> {
        let file = package.open_folder().and_then(|folder| folder.open(SOURCE_FILE)).ok()?;
        self.find_inputs(file, &package.name)
    }

    /// Returns the inputs that the code shows of the package of this name that a run would load.
    pub(crate) fn code_inputs_of(&self, name: &PackageName) -> Option<Arc<CodeInputs>> {
        let file = self.open_file(name, SOURCE_FILE, MAX_CONFIG_BYTES, name.as_str()).ok()?;
        self.find_inputs(file, name)
    }

    fn find_inputs(&self, file: OpenFile, name: &PackageName) -> Option<Arc<CodeInputs>> {
        if let Some(found) = self.inputs_cache.0.get(&file.stat()) {
            return Some(found);
        }
        let source = file.read(MAX_SOURCE_BYTES).ok()?;
        match self.sandbox.inputs(name.as_str(), &source.bytes) {
            Ok(Ok(found)) => {
                let found = Arc::new(found);
                self.inputs_cache.0.insert(source.stat, &found, inputs_bytes(&found), Instant::now());
                Some(found)
            }
            Ok(Err(error)) => {
                tracing::debug!(%error, %name, "cannot find the inputs of a package");
                None
            }
            Err(error) => {
                tracing::debug!(%error, %name, "cannot find the inputs of a package");
                None
            }
        }
    }
}

/// Whether the metadata mention an input, as required or not.
pub(crate) fn is_declared(declared: &Value, input: &str) -> bool {
    match declared {
        Value::Array(names) => names.iter().any(|name| name.as_str() == Some(input)),
        Value::Object(inputs) => inputs.contains_key(input),
        _ => false,
    }
}

/// Adds to the declared inputs those that only the code shows, as `{"from": "code", "need"}`. What the metadata say of an
/// input stays as it is. `None` where neither has any.
pub(crate) fn merge_inputs(declared: Option<Value>, code: &CodeInputs) -> Option<Value> {
    let known = declared.unwrap_or_default();
    let more: Vec<&CodeInput> = code.inputs.iter().filter(|input| !is_declared(&known, &input.name)).collect();
    if more.is_empty() {
        return Some(known).filter(|known| !known.is_null());
    }
    let mut merged = match known {
        Value::Object(inputs) => inputs,
        Value::Array(names) => {
            let required = names.iter().filter_map(|name| Some((name.as_str()?.to_owned(), Value::Bool(true))));
            required.collect()
        }
        _ => Map::new(),
    };
    for CodeInput { name, need } in more {
        let need = match need {
            InputNeed::Required => "required",
            InputNeed::Optional => "optional",
            InputNeed::Read => "read",
        };
        merged.insert(name.clone(), json!({"from": "code", "need": need}));
    }
    Some(Value::Object(merged))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_win_and_code_adds() {
        let inputs = [("task", InputNeed::Required), ("depth", InputNeed::Optional), ("style", InputNeed::Read)]
            .map(|(name, need)| CodeInput { name: name.to_owned(), need });
        let code = CodeInputs { inputs: inputs.to_vec(), is_complete: true };
        let none = CodeInputs { inputs: Vec::new(), is_complete: false };
        let (required, optional, read) = (
            json!({"from": "code", "need": "required"}),
            json!({"from": "code", "need": "optional"}),
            json!({"from": "code", "need": "read"}),
        );
        let all = json!({"task": &required, "depth": &optional, "style": &read});
        for (declared, merged) in [
            (None, Some(all.clone())),
            (Some(Value::Null), Some(all.clone())),
            (Some(json!("odd")), Some(all)),
            (
                Some(json!({"task": "what to do", "tone": true})),
                Some(json!({"task": "what to do", "tone": true, "depth": &optional, "style": &read})),
            ),
            (
                Some(json!(["task", "tone"])),
                Some(json!({"task": true, "tone": true, "depth": &optional, "style": &read})),
            ),
        ] {
            assert_eq!(merge_inputs(declared.clone(), &none), declared.clone().filter(|value| !value.is_null()));
            assert_eq!(merge_inputs(declared, &code), merged);
        }
        let declared = json!(["style", "task", "depth"]);
        assert_eq!(merge_inputs(Some(declared.clone()), &code), Some(declared));
    }
}
