//! `documents COMPONENT CORPUS` prints the SHA-256 of all answers of the documents guest, in the form that every host
//! hashes (docs/GUEST.md).

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use exports::wardroom::documents::document::{Change, Field, Heading, Link, Options, Position, Post, ReadError};
use exports::wardroom::documents::image::{Format, ImageError, Info, Thumbnail};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use wasmtime::component::{Component, Linker};
use wasmtime::{Config, Engine, Error, Result, Store, StoreLimits, StoreLimitsBuilder, ensure, format_err};

wasmtime::component::bindgen!({ path: "wit-documents-0.1.0", world: "parsers" });

/// Beyond what the guest reads, so that its own answer says that something is too large, unless it is larger still.
const MOST_BYTES: usize = 2 << 20;
const DOCUMENT_MEMORY: usize = 32 << 20;
const PICTURE_MEMORY: usize = 256 << 20;

/// A case of the corpus: a function, its source, and what else it takes.
struct Case {
    function: String,
    source: Vec<u8>,
    entry: Value,
}

/// On standard error the times of a post and of a picture.
fn main() -> Result<()> {
    let guest = load(&env::args().nth(1).unwrap_or_default())?;
    let cases = cases(&PathBuf::from(env::args().nth(2).unwrap_or_default()))?;
    let mut digest = Sha256::new();
    for case in &cases {
        digest.update(format!("{}\n", answer(&guest, case)?));
    }
    println!("{}", digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>());

    let mut durations = Vec::new();
    for function in ["read-post", "make-thumbnail"] {
        let Some(case) = cases.iter().find(|case| case.function == function) else { continue };
        let mut times = Vec::new();
        for _ in 0..100 {
            let begun = Instant::now();
            answer(&guest, case)?;
            times.push(begun.elapsed());
        }
        times.sort();
        durations.push(format!("{} µs", times[50].as_micros()));
    }
    eprintln!("{}", durations.join(", "));
    Ok(())
}

fn load(path: &str) -> Result<ParsersPre<StoreLimits>> {
    let mut config = Config::new();
    config.epoch_interruption(true).max_wasm_stack(512 * 1024);
    let engine = Engine::new(&config)?;
    let component = Component::new(&engine, fs::read(path)?)?;
    let mut linker = Linker::new(&engine);
    // What the standard library's hash tables begin with. No answer depends on it; with a constant, no time does either.
    let mut random = linker.instance("wasi:random/insecure-seed@0.2.6")?;
    random.func_wrap("insecure-seed", |_, ()| Ok(((0_u64, 0_u64),)))?;
    linker.define_unknown_imports_as_traps(&component)?;
    thread::spawn(move || {
        loop {
            thread::sleep(Duration::from_millis(10));
            engine.increment_epoch();
        }
    });
    ParsersPre::new(linker.instantiate_pre(&component)?)
}

/// An instance for one call: so much memory, five seconds, and 8 MiB that come back.
fn fresh(guest: &ParsersPre<StoreLimits>, memory: usize) -> Result<(Parsers, Store<StoreLimits>)> {
    let limits = StoreLimitsBuilder::new().memory_size(memory).table_elements(10_000).build();
    let mut store = Store::new(guest.engine(), limits);
    store.limiter(|limits| limits);
    store.set_epoch_deadline(500);
    store.set_hostcall_fuel(8 << 20);
    Ok((guest.instantiate(&mut store)?, store))
}

fn answer(guest: &ParsersPre<StoreLimits>, Case { function, source, entry }: &Case) -> Result<Value> {
    ensure!(source.len() <= MOST_BYTES, "more than {MOST_BYTES} bytes");
    let is_picture = matches!(function.as_str(), "inspect" | "make-thumbnail");
    let (parsers, mut store) = fresh(guest, if is_picture { PICTURE_MEMORY } else { DOCUMENT_MEMORY })?;
    let (store, document, image) =
        (&mut store, parsers.wardroom_documents_document(), parsers.wardroom_documents_image());
    Ok(match function.as_str() {
        "read-post" => {
            let options = Options { public_url: entry["public-url"].as_str().map(str::to_owned) };
            result(document.call_read_post(store, source, &options)?, post, read_error)
        }
        "read-front-matter" => {
            let found = document.call_read_front_matter(store, source)?;
            result(found, |found| json!({ "fields": fields(found.fields), "body-start": found.body_start }), read_error)
        }
        "read-sidecar" => result(document.call_read_sidecar(store, source)?, fields, read_error),
        "edit" => {
            let changes: Vec<Change> = entry["changes"].as_array().into_iter().flatten().map(change).collect();
            result(document.call_edit(store, source, &changes)?, Value::from, read_error)
        }
        "preview" => result(document.call_preview(store, source)?, Value::from, read_error),
        "template-check" => {
            let problems = parsers.wardroom_documents_template_check().call_check(store, source)?;
            json!({ "ok": problems.into_iter().map(|p| problem(p.line, p.column, &p.message)).collect::<Vec<_>>() })
        }
        "script-check" => {
            let problems = parsers.wardroom_documents_script_check().call_check(store, source)?;
            json!({ "ok": problems.into_iter().map(|p| problem(p.line, p.column, &p.message)).collect::<Vec<_>>() })
        }
        "inspect" => result(image.call_inspect(store, source)?, info, image_error),
        "make-thumbnail" => {
            let side = entry["side"].as_u64().unwrap_or_default() as u32;
            result(image.call_make_thumbnail(store, source, side)?, thumbnail, image_error)
        }
        other => return Err(format_err!("no function: {other}")),
    })
}

fn cases(path: &Path) -> Result<Vec<Case>> {
    let corpus: Value = serde_json::from_slice(&fs::read(path)?).map_err(Error::new)?;
    // Not in the order of the file, which this reader of JSON does not keep.
    let functions = [
        "read-post",
        "read-front-matter",
        "read-sidecar",
        "edit",
        "preview",
        "template-check",
        "script-check",
        "inspect",
        "make-thumbnail",
    ];
    let mut cases = Vec::new();
    for function in functions {
        for entry in corpus[function].as_array().into_iter().flatten() {
            let source = source(path, entry)?;
            cases.push(Case { function: function.to_owned(), source, entry: entry.clone() });
        }
    }
    Ok(cases)
}

fn source(corpus: &Path, entry: &Value) -> Result<Vec<u8>> {
    if let Some(file) = entry["file"].as_str() {
        return Ok(fs::read(corpus.with_file_name(file))?);
    }
    if let Some(digits) = entry["hex"].as_str() {
        let pairs = digits.as_bytes().chunks(2).map(String::from_utf8_lossy);
        return pairs.map(|pair| u8::from_str_radix(&pair, 16).map_err(Error::new)).collect();
    }
    let times = entry["times"].as_u64().unwrap_or(1) as usize;
    Ok(entry["text"].as_str().unwrap_or_default().repeat(times).into_bytes())
}

fn result<T, E>(answer: Result<T, E>, ok: impl FnOnce(T) -> Value, err: impl FnOnce(E) -> Value) -> Value {
    answer.map_or_else(|error| json!({ "err": err(error) }), |value| json!({ "ok": ok(value) }))
}

fn change(entry: &Value) -> Change {
    let text = |name: &str| entry[name].as_str().map(str::to_owned);
    Change { name: text("name").unwrap_or_default(), json: text("json") }
}

fn post(post: Post) -> Value {
    let link = |l: Link| json!({ "slug": l.slug, "language": l.language, "text": l.text, "line": l.line });
    let heading = |h: Heading| json!({ "level": h.level, "text": h.text, "line": h.line });
    json!({
        "fields": fields(post.fields),
        "body-start": post.body_start,
        "text": post.text,
        "word-count": post.word_count,
        "excerpt": post.excerpt,
        "links": post.links.into_iter().map(link).collect::<Vec<_>>(),
        "headings": post.headings.into_iter().map(heading).collect::<Vec<_>>(),
    })
}

fn fields(fields: Vec<Field>) -> Value {
    let field = |f: Field| json!({ "name": f.name, "line": f.line, "json": f.json, "text": f.text });
    fields.into_iter().map(field).collect()
}

fn problem(line: u32, column: u32, message: &str) -> Value {
    json!({ "line": line, "column": column, "message": message })
}

fn read_error(error: ReadError) -> Value {
    match error {
        ReadError::TooLarge(limit) => json!({ "too-large": limit }),
        ReadError::NotUtf8(position) => json!({ "not-utf8": place(position) }),
        ReadError::Malformed(d) => json!({ "malformed": { "position": place(d.position), "message": d.message } }),
        ReadError::TooDeep(position) => json!({ "too-deep": place(position) }),
        ReadError::TooMuch(limit) => json!({ "too-much": limit }),
    }
}

fn image_error(error: ImageError) -> Value {
    match error {
        ImageError::UnknownFormat => json!({ "unknown-format": null }),
        ImageError::TooManyPixels(limit) => json!({ "too-many-pixels": limit }),
        ImageError::Malformed(reason) => json!({ "malformed": reason }),
    }
}

fn info(info: Info) -> Value {
    json!({ "format": format_name(info.format), "width": info.width, "height": info.height })
}

fn thumbnail(t: Thumbnail) -> Value {
    json!({ "format": format_name(t.format), "width": t.width, "height": t.height, "data": t.data })
}

fn format_name(format: Format) -> &'static str {
    match format {
        Format::Png => "png",
        Format::Jpeg => "jpeg",
        Format::Gif => "gif",
        Format::Webp => "webp",
    }
}

fn place(Position { line, column }: Position) -> Value {
    json!({ "line": line, "column": column })
}
