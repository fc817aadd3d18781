//! The page of error codes is what the code says, and a code stands in one place.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use wardroom_service::ToolErrorCode;

use super::docs::check;

const HEAD: &str = "# Error codes of tools\n\nGenerated from the code. A tool that fails answers with `isError: true`, a sentence for the model, and \
                    `structuredContent.error`: `{\"code\", \"message\", \"details\"?}`. Codes do not change; sentences may. The handlers of \
                    declared tools choose codes of their own ([REGISTRY.md](REGISTRY.md)).\n";

#[test]
fn error_codes_page_is_generated() {
    let services: [(&str, &[(ToolErrorCode, &str)]); 7] = [
        ("Any service", wardroom_service::error_code::ALL),
        ("`alc`", wardroom_alc::error_code::ALL),
        ("`blog`", wardroom_blog::error_code::ALL),
        ("`ace`", wardroom_ace::error_code::ALL),
        ("`agents`", wardroom_agent_tools::error_code::ALL),
        ("`resources`", wardroom_resource_tools::error_code::ALL),
        ("`tools`", wardroom_tool_search::error_code::ALL),
    ];
    let mut page = HEAD.to_owned();
    for (service, codes) in services {
        writeln!(page, "\n## {service}\n\n| code | meaning |\n| --- | --- |").unwrap();
        for (code, meaning) in codes {
            writeln!(page, "| `{code}` | {meaning} |").unwrap();
        }
        let distinct: BTreeSet<&str> = codes.iter().map(|(code, _)| code.as_str()).collect();
        assert_eq!(distinct.len(), codes.len(), "a code of {service} is declared twice");
    }
    check("ERRORS.md", &page);
}
