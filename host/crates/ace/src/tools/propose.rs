//! `ace_propose_bullets`: what a client's own model learned, as changes of bullets.
//!
//! Owns: the arguments.
//! Never: changes or removes a bullet, which a person decides on.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{AceTool, check_id, parse_params};
use crate::limits::MAX_ID_CHARS;
use crate::proposals::batch::{BatchOutput, BatchSource, BulletOperation};
use crate::sanitize::one_line;
use wardroom_service::ToolBehavior;
use wardroom_service::audit::AuditSource;
use wardroom_service::schema::{input_schema, output_schema, serialize_output};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ProposeArgs {
    bead_id: Option<String>,
    operations: Vec<BulletOperation>,
}

pub(super) const TOOL: AceTool = AceTool {
    name: "ace_propose_bullets",
    title: "Propose Bullets",
    description: "Suggests what to add to AGENTS.md or change in it, without editing it: new lessons of your own, \
                  other words, merges (duplicates) or removals of bullets (guidelines), on which a person decides.",
    input: input_schema::<ProposeArgs>,
    output: output_schema::<BatchOutput>,
    behavior: ToolBehavior::ADDITIVE,
    call: |log, info, arguments| {
        let args: ProposeArgs = parse_params(arguments)?;
        if let Some(bead) = &args.bead_id {
            check_id("beadId", bead)?;
        }
        let by = AuditSource::from_caller(&info.caller);
        let source = BatchSource {
            bead_id: one_line(args.bead_id.as_deref().unwrap_or_default(), MAX_ID_CHARS),
            proposed_by: format!("{} ({})", by.who, by.through.as_str()),
        };
        serialize_output(&log.propose(args.operations, &source, &|| info.cancellation.is_cancelled())?)
    },
};
