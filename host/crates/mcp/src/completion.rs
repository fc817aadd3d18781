//! Completion: the names that match the text a user has typed.
//!
//! Owns: how many of the names are sent, and their total.
//! Never: looks names up itself.

use rmcp::RoleServer;
use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, Reference};
use rmcp::service::RequestContext;

use super::{McpServer, error};
use wardroom_service::limits::MAX_COMPLETIONS;
use wardroom_service::{ArgumentCompletion, VariableCompletion};

impl McpServer {
    pub(super) async fn complete_argument(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let (name, prefix) = (request.argument.name, request.argument.value);
        let work = match request.r#ref {
            Reference::Resource(template) => {
                let completing = VariableCompletion { template: template.uri, variable: name, prefix };
                self.catalogue.complete_variable(&completing, &self.caller)
            }
            Reference::Prompt(prompt) => {
                let others = request.context.and_then(|context| context.arguments);
                let others = others.into_iter().flatten().collect();
                let completing =
                    ArgumentCompletion { prompt: prompt.name, argument: name, prefix, other_arguments: others };
                self.catalogue.complete_argument(&completing, &self.caller)
            }
            _ => return Err(error::invalid_params("unknown kind of reference: use ref/resource or ref/prompt")),
        };
        let names = match work {
            Ok(work) => self.run(&context, work).await?,
            Err(error) => Err(error),
        };
        let mut values = names.map_err(|error| error::from_service_error(error, &context.id))?;
        let total = values.len();
        values.truncate(MAX_COMPLETIONS);
        let info = CompletionInfo::with_pagination(values, u32::try_from(total).ok(), total > MAX_COMPLETIONS);
        let mut result = CompleteResult::new(info.map_err(error::invalid_params)?);
        result.meta = self.result_meta(&context);
        Ok(result)
    }
}
