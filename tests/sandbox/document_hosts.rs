//! The corpus on which other hosts run the documents guest (`make hosts`): the digest of all answers equals theirs.
//! docs/GUEST.md defines its input.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use wardroom_base::payload::Payload;
use wardroom_sandbox::{
    DocumentPosition, DocumentProblem, DocumentRefusal, DocumentSandbox, FrontMatterField, GuestImage,
    ParsedFrontMatter, ParsedPost, PictureFormat, PictureInfo, PictureRefusal, PostHeading, PostLink, Thumbnail,
};

const MAX_JSON_BYTES: usize = 1 << 20;

fn source(corpus: &Path, case: &Value) -> Vec<u8> {
    if let Some(file) = case["file"].as_str() {
        return fs::read(corpus.join(file)).unwrap();
    }
    if let Some(digits) = case["hex"].as_str() {
        let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap());
        return pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect();
    }
    let times = usize::try_from(case["times"].as_u64().unwrap_or(1)).unwrap();
    case["text"].as_str().unwrap().repeat(times).into_bytes()
}

fn change(change: &Value) -> (String, Option<Payload>) {
    let value = change["json"].as_str().map(|json| Payload::parse_text(json, MAX_JSON_BYTES).unwrap());
    (change["name"].as_str().unwrap().to_owned(), value)
}

fn answer<T, E>(answer: Result<T, E>, ok: impl FnOnce(T) -> Value, err: impl FnOnce(E) -> Value) -> Value {
    answer.map_or_else(|error| json!({"err": err(error)}), |value| json!({"ok": ok(value)}))
}

fn post(ParsedPost { fields: all, body_start, text, word_count, excerpt, links, headings }: ParsedPost) -> Value {
    let link = |PostLink { slug, language, text, line }| json!({"slug": slug, "language": language, "text": text, "line": line});
    let heading = |PostHeading { level, text, line }| json!({"level": level, "text": text, "line": line});
    json!({
        "fields": fields(all), "body-start": body_start, "text": text, "word-count": word_count, "excerpt": excerpt,
        "links": links.into_iter().map(link).collect::<Vec<_>>(),
        "headings": headings.into_iter().map(heading).collect::<Vec<_>>(),
    })
}

fn front_matter(ParsedFrontMatter { fields: all, body_start }: ParsedFrontMatter) -> Value {
    json!({"fields": fields(all), "body-start": body_start})
}

fn fields(fields: Vec<FrontMatterField>) -> Value {
    let field =
        |FrontMatterField { name, line, json, text }| json!({"name": name, "line": line, "json": json, "text": text});
    fields.into_iter().map(field).collect()
}

fn problems(problems: Vec<DocumentProblem>) -> Value {
    let problem = |DocumentProblem { position: DocumentPosition { line, column }, message }| json!({"line": line, "column": column, "message": message});
    json!({"ok": problems.into_iter().map(problem).collect::<Vec<_>>()})
}

fn place(DocumentPosition { line, column }: DocumentPosition) -> Value {
    json!({"line": line, "column": column})
}

fn refusal(refusal: DocumentRefusal) -> Value {
    match refusal {
        DocumentRefusal::TooLarge(limit) => json!({"too-large": limit}),
        DocumentRefusal::NotUtf8(position) => json!({"not-utf8": place(position)}),
        DocumentRefusal::Malformed(message, position) => {
            json!({"malformed": {"position": place(position), "message": message}})
        }
        DocumentRefusal::TooDeep(position) => json!({"too-deep": place(position)}),
        DocumentRefusal::TooMuch(limit) => json!({"too-much": limit}),
    }
}

fn format_name(format: PictureFormat) -> &'static str {
    format.mime_type().trim_start_matches("image/")
}

fn info(PictureInfo { format, width, height }: PictureInfo) -> Value {
    json!({"format": format_name(format), "width": width, "height": height})
}

fn thumbnail(Thumbnail { info: shape, data }: Thumbnail) -> Value {
    let mut value = info(shape);
    value["data"] = data.into();
    value
}

fn picture_refusal(refusal: PictureRefusal) -> Value {
    match refusal {
        PictureRefusal::UnknownFormat => json!({"unknown-format": null}),
        PictureRefusal::TooManyPixels(limit) => json!({"too-many-pixels": limit}),
        PictureRefusal::Malformed(reason) => json!({"malformed": reason}),
    }
}

#[test]
fn documents_digest_equals_other_hosts() {
    let hosts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hosts");
    let corpus = hosts.join("corpus");
    let cases: Value = serde_json::from_slice(&fs::read(corpus.join("documents.json")).unwrap()).unwrap();
    let sandbox = DocumentSandbox::new(GuestImage::documents());
    let ask = |function: &str, case: &Value| {
        let source = source(&corpus, case);
        match function {
            "read-post" => answer(sandbox.read_post(&source, case["public-url"].as_str()).unwrap(), post, refusal),
            "read-front-matter" => answer(sandbox.read_front_matter(&source).unwrap(), front_matter, refusal),
            "read-sidecar" => answer(sandbox.read_sidecar(&source).unwrap(), fields, refusal),
            "edit" => {
                let changes: Vec<_> = case["changes"].as_array().unwrap().iter().map(change).collect();
                answer(sandbox.edit(&source, &changes).unwrap(), Value::from, refusal)
            }
            "preview" => answer(sandbox.preview(&source).unwrap(), Value::from, refusal),
            "template-check" => problems(sandbox.check_template(&source).unwrap()),
            "script-check" => problems(sandbox.check_script(&source).unwrap()),
            "inspect" => answer(sandbox.inspect_picture(&source).unwrap(), info, picture_refusal),
            "make-thumbnail" => {
                let side = u32::try_from(case["side"].as_u64().unwrap()).unwrap();
                answer(sandbox.make_thumbnail(&source, side).unwrap(), thumbnail, picture_refusal)
            }
            other => panic!("{other}"),
        }
    };
    // In the order of the file, which this reader of JSON does not keep.
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
    assert_eq!(cases.as_object().unwrap().len(), functions.len());
    let mut digest = Sha256::new();
    for function in functions {
        for case in cases[function].as_array().unwrap() {
            digest.update(format!("{}\n", ask(function, case)));
        }
    }
    let digest: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let kept = fs::read_to_string(hosts.join("digest.txt")).unwrap();
    let wanted = kept.lines().find_map(|line| line.strip_prefix("documents ")).unwrap();
    assert_eq!(digest, wanted, "if that is meant, write it to tests/hosts/digest.txt and run `make hosts`");
}
