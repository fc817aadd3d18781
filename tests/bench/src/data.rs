//! The measured folders: created once, and kept under `target/`.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Result;

pub(crate) const PACKAGES: usize = 134;
pub(crate) const ROWS: usize = 10_000_000;
pub(crate) const CARDS: usize = 100_000;
/// The card with [`ROWS`] rows.
pub(crate) const BIG: &str = "big_model_20261121T000000_000000";

pub(crate) struct BenchData {
    /// 134 packages of about 11 KB, and a fixed resource of 1 KiB.
    pub(crate) packages: PathBuf,
    /// 100,000 cards, and one with 10 million rows.
    pub(crate) records: PathBuf,
}

impl BenchData {
    pub(crate) fn prepare(root: &Path) -> Result<Self> {
        let data = Self { packages: root.join("packages"), records: root.join("records") };
        create_once(&data.packages, write_packages)?;
        create_once(&data.records, write_records)?;
        Ok(data)
    }
}

impl BenchData {
    /// Creates only the folder of packages.
    pub(crate) fn packages(root: &Path) -> Result<PathBuf> {
        let packages = root.join("packages");
        create_once(&packages, write_packages)?;
        Ok(packages)
    }
}

/// Creates a folder unless an earlier call completed it.
fn create_once(folder: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let done = folder.join("complete");
    if done.exists() {
        return Ok(());
    }
    make(folder)?;
    Ok(fs::write(done, "")?)
}

fn write_packages(root: &Path) -> Result<()> {
    fs::create_dir_all(root.join("types"))?;
    fs::write(root.join("types/alc.d.lua"), "-".repeat(1024))?;
    for number in 0..PACKAGES {
        let folder = root.join(format!("packages/pkg_{number}"));
        fs::create_dir_all(&folder)?;
        let path = folder.join("init.lua");
        fs::write(&path, package(number))?;
        let old = SystemTime::now() - Duration::from_secs(3600);
        File::options().write(true).open(&path)?.set_modified(old)?;
    }
    Ok(())
}

/// Returns the source of a typical package of about 11 KB: a comment block, the metadata, and a few functions.
pub(crate) fn package(number: usize) -> String {
    let mut source = format!("--- pkg_{number}(Synthetic) — a package of the usual size\n---\n");
    for line in 0..40 {
        let _ =
            writeln!(source, "--- Line {line} of the description says what the strategy does, and with which options.");
    }
    let _ = write!(
        source,
        "\nlocal M = {{}}\n\n---@type AlcMeta\nM.meta = {{\n    name = \"pkg_{number}\",\n    version = \"0.1.0\",\n    \
         description = \"Asks several times and keeps the best answer, \"\n        .. \"as judged by a second prompt — \
         at most five rounds\",\n    category = \"reasoning\",\n    alc_shapes_compat = \"^0.25\",\n}}\n\n"
    );
    for step in 0..30 {
        let _ = write!(
            source,
            "local function step_{step}(ctx, options)\n    local prompt = \"Step {step} of \" .. ctx.task .. \": \" .. \
             (options.hint or \"think\")\n    local answer = alc.llm(prompt, {{ max_tokens = options.limit or 512 }})\n    \
             if answer == nil then return nil, \"no answer\" end\n    return answer:gsub(\"%s+$\", \"\")\nend\n\n"
        );
    }
    source.push_str(
        "function M.run(ctx)\n    ctx.result = step_0(ctx, ctx.options or {})\n    return ctx\nend\n\nreturn M\n",
    );
    source
}

fn write_records(root: &Path) -> Result<()> {
    for package in 0..100 {
        fs::create_dir_all(root.join(format!("cards/pkg{package}")))?;
    }
    for number in 0..CARDS {
        let (package, id) = card(number);
        fs::write(root.join(format!("cards/{package}/{id}.toml")), body(&package, &id))?;
    }
    fs::create_dir_all(root.join("cards/big"))?;
    fs::write(root.join(format!("cards/big/{BIG}.toml")), body("big", BIG))?;
    let mut rows = BufWriter::new(File::create(root.join(format!("cards/big/{BIG}.samples.jsonl")))?);
    for row in 0..ROWS {
        writeln!(
            rows,
            "{{\"case\":\"case-{row:08}\",\"expected\":\"{row:08}\",\"got\":\"{row:08}\",\"passed\":true,\"score\":1.0,\"ms\":{}}}",
            row % 997
        )?;
    }
    Ok(rows.flush()?)
}

pub(crate) fn card(number: usize) -> (String, String) {
    let package = format!("pkg{}", number % 100);
    let id = format!("{package}_model_20261121T000000_{number:06x}");
    (package, id)
}

fn body(package: &str, id: &str) -> String {
    format!(
        "card_id = \"{id}\"\ncreated_at = \"2026-11-21T00:00:00Z\"\ncreated_by = \"bench\"\nschema_version = \"card/v0\"\n\n\
         [model]\nid = \"model\"\nprovider = \"none\"\n\n[pkg]\nname = \"{package}\"\n\n[stats]\nmean_score = 0.91\nn = 25\n\
         pass_rate = 0.92\n"
    )
}
