//! `wardroom new`: a strategy, a scenario or a tool that runs at once, with a test beside it.
//!
//! Owns: the texts of the scenario and of the tests. The others are those of the tools and commands that make them.
//! Never: replaces a file.

use serde_json::json;

use super::args::NewAction;
use super::hints::{RequestSubject, to_command_error};
use super::registry_args::NewEntryKind;
use super::test::TEST_SUFFIX;
use super::{registry, test};
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, CommandError};
use wardroom_appdir::{AppDirError, Folder, Privacy};
use wardroom_base::payload::Payload;
use wardroom_base::uri::PackageName;

pub(super) fn run(settings: &Settings, what: &NewAction) -> Result<(), CommandError> {
    if settings.read_only {
        return Err(CommandError::new("new writes files, which --read-only forbids", "leave out --read-only"));
    }
    match what {
        NewAction::Strategy { name, description } => new_strategy(settings, name, description.as_deref()),
        NewAction::Scenario { name, strategy } => new_scenario(settings, name, strategy),
        NewAction::Tool { name, namespace } => new_tool(settings, name, namespace),
    }
}

fn new_strategy(settings: &Settings, name: &str, description: Option<&str>) -> Result<(), CommandError> {
    let catalogue = assemble::build_catalogue(settings)?;
    let info = assemble::command_line_context(&catalogue);
    let arguments = json!({"name": name, "description": description});
    let made = catalogue.call_blocking("alc_pkg_scaffold", Payload::from_value(arguments), &info);
    let made = made.map_err(|error| to_command_error(error, settings, RequestSubject::Package))?.value.into_value();
    report::print_line(&format!("wrote {}", made.get("path").and_then(serde_json::Value::as_str).unwrap_or_default()))?;
    let test = format!(
        "# `wardroom test {name}` runs this. Each answer is given to one question of the strategy.\n\
         [[test]]\n\
         name = \"answers with what the model says\"\n\
         strategy = \"{name}\"\n\
         task = \"What is six times seven?\"\n\
         answers = [\"42\"]\n\
         expect = {{ answer = \"42\" }}\n"
    );
    write_new(settings, &format!("packages/{name}/{name}{TEST_SUFFIX}"), &test)?;
    let command = settings.command_line();
    report::print_line(&format!("next: {command} test {name}, then {command} run {name} 'What is six times seven?'"))
}

fn new_scenario(settings: &Settings, name: &str, strategy: &str) -> Result<(), CommandError> {
    if !is_name(name) {
        let what = format!("{} cannot be the name of a scenario", report::escape_name(name));
        return Err(CommandError::new(what, "write small letters, digits, _ and -"));
    }
    if let Err(error) = PackageName::parse(strategy) {
        let what = format!("{} cannot be the name of a strategy: it {error}", report::escape_name(strategy));
        return Err(CommandError::new(
            what,
            format!("{} ls alc://packages lists the strategies", settings.command_line()),
        ));
    }
    let text = format!(
        "--- {name} — what its tasks have in common, in one line\n\
         \n\
         return {{\n    \
             name = \"{name}\",\n    \
             -- An answer scores 1 if it is equal to what is expected, and 0.5 if it contains that.\n    \
             graders = {{ \"exact_match\", \"contains\" }},\n    \
             cases = {{\n        \
                 {{ name = \"product\", input = \"Multiply 6 by 7. Answer with the number alone.\", expected = \"42\" }},\n        \
                 {{ name = \"sum\", input = \"Add 20 and 3. Answer with the number alone.\", expected = \"23\" }},\n    \
             }},\n\
         }}\n"
    );
    write_new(settings, &format!("scenarios/{name}.lua"), &text)?;
    let test = format!(
        "# `wardroom test {name}` runs this. An answer with `when` is given to a question that has this part.\n\
         [[test]]\n\
         name = \"one of two is right\"\n\
         scenario = \"{name}\"\n\
         strategy = \"{strategy}\"\n\
         answers = [{{ when = \"Multiply\", answer = \"42\" }}, {{ when = \"Add\", answer = \"perhaps 24\" }}]\n\
         expect = {{ \"aggregated.passed\" = 1, \"aggregated.total\" = 2 }}\n"
    );
    write_new(settings, &format!("scenarios/{name}{TEST_SUFFIX}"), &test)?;
    let command = settings.command_line();
    // What is written stays, whatever else of the AppDir cannot be read.
    let is_missing = assemble::build_catalogue(settings).is_ok_and(|catalogue| {
        let context = assemble::command_line_context(&catalogue);
        catalogue.read_blocking(&format!("alc://packages/{strategy}/meta"), &context).is_err()
    });
    if is_missing {
        report::print_note(&format!(
            "note: no strategy is called {strategy} yet: {command} new strategy {strategy} makes it"
        ));
    }
    report::print_line(&format!("next: {command} test {name}, then {command} eval {strategy} --scenario {name}"))
}

fn new_tool(settings: &Settings, name: &str, namespace: &str) -> Result<(), CommandError> {
    registry::scaffold_entry(settings, NewEntryKind::Tool, name, namespace)?;
    let test = format!(
        "# `wardroom test {name}` runs this.\n\
         [[test]]\n\
         name = \"greets\"\n\
         tool = \"{name}\"\n\
         arguments = {{ name = \"Ada\" }}\n\
         expect = {{ text = {{ contains = \"Ada\" }} }}\n"
    );
    let folder = test::registry_folder(settings)?;
    let path = format!("{namespace}/{name}{TEST_SUFFIX}");
    write_file(settings, &folder, &path, &test)?;
    let shown = settings.registry.clone().unwrap_or_else(|| settings.app_dir.path.join(assemble::REGISTRY_DIR));
    report::print_line(&format!("wrote {}", shown.join(path).display()))?;
    let command = settings.command_line();
    report::print_line(&format!("next: {command} test {name}, then {command} call {name} name=Ada"))
}

fn write_new(settings: &Settings, path: &str, text: &str) -> Result<(), CommandError> {
    let app = assemble::open_app_dir(settings)?;
    write_file(settings, &app, path, text)?;
    report::print_line(&format!("wrote {}", settings.app_dir.path.join(path).display()))
}

fn write_file(settings: &Settings, folder: &Folder, path: &str, text: &str) -> Result<(), CommandError> {
    let failed = |error| match error {
        AppDirError::AlreadyExists(_) => {
            CommandError::new(format!("{path} already exists"), "choose another name, or remove it")
        }
        error => CommandError::with_cause(format!("cannot write {path}"), error, settings.doctor_hint()),
    };
    if let Some((parent, _)) = path.rsplit_once('/') {
        folder.create_folder(parent).map_err(failed)?;
    }
    folder.create_file(path, text.as_bytes(), Privacy::Shared).map(drop).map_err(failed)
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte))
}
