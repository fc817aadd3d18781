//! The declared tools of one caller: their list, and one of them by name.
//!
//! Owns: that a tool keeps the snapshot in which its name was resolved, through its schema, its call and its result.

use std::sync::Arc;

use super::RegistryService;
use super::declarations::DeclaredTool;
use super::entry::RegistryEntry;
use super::handler_call::HandlerCall;
use super::snapshot::RegistrySnapshot;
use wardroom_base::payload::Payload;
use wardroom_service::{
    Caller, Cost, Dependencies, ParamHeader, ResolvedTool, ServiceError, TaskSupport, ToolEntry, ToolOutput,
    ToolProvider, UnknownName, Work,
};

/// A declared tool, as of the snapshot.
struct ResolvedDeclaredTool {
    registry: Arc<RegistryService>,
    snapshot: Arc<RegistrySnapshot>,
    entry: Arc<RegistryEntry>,
    list_entry: Arc<ToolEntry>,
    task_support: Option<TaskSupport>,
    param_headers: Vec<ParamHeader>,
}

impl ToolProvider for RegistryService {
    fn list(&self, mark: Option<&str>, limit: usize, caller: &Caller) -> Vec<Arc<ToolEntry>> {
        let snapshot = self.watcher.current();
        let tools = snapshot.visible_after(&snapshot.tools, mark, caller);
        tools.filter_map(|(_, entry)| Some(Arc::clone(&entry.tool.as_ref()?.list_entry))).take(limit).collect()
    }

    fn resolve(self: Arc<Self>, name: &str, caller: &Arc<Caller>) -> Option<Arc<dyn ResolvedTool>> {
        let snapshot = self.watcher.current();
        let (entry, tool) = snapshot.tool(name, caller)?;
        Some(Arc::new(ResolvedDeclaredTool {
            entry: Arc::clone(entry),
            list_entry: Arc::clone(&tool.list_entry),
            task_support: tool.task_support,
            param_headers: tool.param_headers.clone(),
            snapshot,
            registry: self,
        }))
    }

    fn has_tasks(&self) -> bool {
        true
    }

    fn list_dependencies(&self, caller: &Caller) -> Dependencies {
        self.dependencies_on(|loaded| loaded.visible_digest(&[&loaded.tools], caller))
    }
}

impl ResolvedDeclaredTool {
    fn declaration(&self) -> Result<&DeclaredTool, ServiceError> {
        self.entry.tool.as_ref().ok_or_else(|| ServiceError::UnknownTool(UnknownName::new(&*self.list_entry.name)))
    }
}

impl ResolvedTool for ResolvedDeclaredTool {
    fn name(&self) -> &str {
        &self.list_entry.name
    }

    fn may_change(&self) -> bool {
        self.list_entry.may_change()
    }

    fn task_support(&self) -> Option<TaskSupport> {
        self.task_support
    }

    fn param_headers(&self) -> &[ParamHeader] {
        &self.param_headers
    }

    fn call(self: Arc<Self>, arguments: Payload) -> Work<ToolOutput> {
        let call = move |info: &_| {
            let call = HandlerCall::new(&self.registry, &self.snapshot, info)?;
            call.run_tool(&self.entry, self.declaration()?, arguments)
        };
        Work::new(Cost::Worker, call).with_client()
    }
}
