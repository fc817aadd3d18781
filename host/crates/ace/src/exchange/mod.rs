//! What comes from other playbooks and logs, and goes to them: the merge of two versions, the form of the paper, and the
//! logs of another project.
//!
//! Never: trusts a text of another project more than the output of a tool.

mod import;
mod merge;
mod paper_form;

pub use self::import::{ImportedBullets, ImportedLogs, import_bullets, import_logs};
pub use self::merge::{MergedPlaybook, merge_playbooks};
pub use self::paper_form::export_paper_form;
