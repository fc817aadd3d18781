//! Installs: a package is there as a whole in the version that was installed, and in no other.
//!
//! Owns: the folder `sources` of the AppDir, from which packages are installed.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::caller::{Caller, tool_params};
use super::{Exchange, Soak, loses_server};
use crate::growth::Usage;
use crate::requests::Rng;

const PACKAGES: usize = 6;
/// The module beside `init.lua` is long enough for a kill to come between both.
const PART_BYTES: usize = 400_000;

pub(super) struct Installs<'s> {
    soak: &'s Soak<'s>,
    lasting: Caller<'s>,
    rng: Rng,
}

impl<'s> Installs<'s> {
    pub(super) fn start(soak: &'s Soak<'s>) -> Result<Self> {
        Ok(Self { soak, lasting: Caller::legacy(soak)?, rng: Rng::new(303) })
    }

    /// Writes a version of a package; returns the arguments that install it.
    fn write_source(&self, name: &str, version: usize) -> Result<Value> {
        let init = format!("local M = {{}}\nM.meta = {{ name = \"{name}\", version = \"{version}\" }}\nreturn M\n");
        let part = format!("return \"{version}\" -- {}\n", "x".repeat(PART_BYTES));
        self.soak.app_dir.replace(&format!("sources/{name}/init.lua"), &init)?;
        self.soak.app_dir.replace(&format!("sources/{name}/part.lua"), &part)?;
        let folder = self.soak.app().join("sources").join(name).canonicalize()?;
        Ok(json!({"url": folder.to_str().context("a name in UTF-8")?}))
    }

    /// Loses a server while it installs; the package has one version in all of its files then.
    fn lose_server(&mut self, name: &str, version: usize, is_installed: bool) -> Result<()> {
        let source = self.write_source(name, version)?;
        let mut lost = Caller::legacy(self.soak)?;
        lost.send("tools/call", tool_params("alc_pkg_install", &source))?;
        let answer = lost.kill_soon(&mut self.rng)?;
        if is_installed || answer.is_some() {
            let found = self.required_version(name)?;
            let is_known = found == version || (answer.is_none() && found + 1 == version);
            ensure!(is_known, "version {found} after {answer:?} to version {version}");
        }
        Ok(())
    }

    /// Returns the version that both modules of an installed package have.
    fn required_version(&mut self, name: &str) -> Result<usize> {
        let code = format!("return {{require('{name}').meta.version, (require('{name}.part'))}}");
        let done = self.lasting.call_tool("alc_run", &json!({"code": code}))?;
        let versions = &done["result"];
        ensure!(versions[0].is_string() && versions[0] == versions[1], "two versions in one package: {done}");
        Ok(versions[0].as_str().unwrap_or_default().parse()?)
    }
}

impl Exchange for Installs<'_> {
    fn hold(&mut self, round: usize) -> Result<()> {
        let (name, turn) = (format!("soaked{}", round % PACKAGES), round / PACKAGES);
        // Of the two versions of a round the first one may be lost with its server.
        let version = 2 * turn + 1;
        let is_installed = turn > 0;
        if loses_server(round) {
            self.lose_server(&name, version, is_installed)?;
        }
        let source = self.write_source(&name, version + 1)?;
        let done = self.lasting.call_tool("alc_pkg_install", &source)?;
        let names = [&done["installed"], &done["updated"]].map(|list| list.as_array().cloned().unwrap_or_default());
        ensure!(names.concat() == [json!(name)] && done["failures"] == json!([]), "{done}");
        let listed = self.lasting.call_tool("alc_pkg_list", &json!({}))?;
        let rows = listed["packages"].as_array().map_or(&[][..], Vec::as_slice);
        let rows: Vec<&Value> = rows.iter().filter(|row| row["name"] == *name).collect();
        let installed = (version + 1).to_string();
        let is_listed = matches!(rows[..], [row] if row["version"] == *installed);
        ensure!(is_listed, "{name} in version {installed}: {rows:?}");
        let meta: Value = serde_json::from_str(&self.lasting.read(&format!("alc://packages/{name}/meta"))?)?;
        ensure!(meta["version"] == *installed, "{meta}");
        ensure!(self.required_version(&name)? == version + 1, "another version is required");
        let by_name = json!({"name": name, "scope": "global"});
        let removed = self.lasting.call_tool("alc_pkg_remove", &by_name)?;
        ensure!(removed["installed_json"] == true, "{removed}");
        self.lasting.expect_refusal("alc_pkg_remove", &by_name, "NOT_FOUND")
    }

    fn usage(&self) -> Result<Usage> {
        self.lasting.usage()
    }
}
