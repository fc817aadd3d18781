//! The guest of documents: what it reads, what it refuses, and its limits.

use wardroom_sandbox::{
    DOCUMENTS_COMPONENT, DocumentRefusal, DocumentSandbox, GuestImage, PictureFormat, PictureRefusal,
};

fn sandbox() -> DocumentSandbox {
    DocumentSandbox::new(GuestImage::documents())
}

#[test]
fn post_is_read() {
    let sandbox = sandbox();
    let source =
        b"---\ntitle: A title\ntags: [a, b]\n---\n# Head\n\nText with a [link](/posts/other) and `[code](/x)`.\n";
    let post = sandbox.read_post(source, None).unwrap().unwrap();
    assert_eq!(post.fields[0].json, "\"A title\"");
    assert_eq!((post.fields[1].line, post.fields[1].json.as_str()), (3, "[\"a\", \"b\"]"));
    assert!(source[post.body_start..].starts_with(b"# Head"));
    assert_eq!(post.text, "Head\nText with a link and [code](/x).");
    let slugs: Vec<&str> = post.links.iter().map(|link| link.slug.as_str()).collect();
    assert_eq!(slugs, ["other"]);
    assert_eq!((post.headings.len(), post.headings[0].line), (1, 5));
    let own =
        sandbox.read_post(b"[x](https://blog.example/2024/03/09/a/)", Some("https://blog.example")).unwrap().unwrap();
    assert_eq!(own.links[0].slug, "a");
}

#[test]
fn documents_that_cannot_be_read_are_refused_with_their_place() {
    let sandbox = sandbox();
    let refused = |source: &[u8]| sandbox.read_post(source, None).unwrap().unwrap_err();
    assert_eq!(refused(&vec![b'a'; 1024 * 1024 + 1]), DocumentRefusal::TooLarge(1024 * 1024));
    assert_eq!(refused(b"---\na: b\n---\n\xff").line(), 4);
    assert!(matches!(refused(b"---\na: [\n---\n"), DocumentRefusal::Malformed(..)));
    let deep = format!("---\na: {}{}\n---\n", "[".repeat(100), "]".repeat(100));
    assert!(matches!(refused(deep.as_bytes()), DocumentRefusal::TooDeep(_)));
    let laughs = "---\na: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\n\
                  c: &c [*b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c]\n\
                  e: [*d, *d, *d, *d, *d, *d, *d, *d]\n---\n";
    assert!(sandbox.read_post(laughs.as_bytes(), None).unwrap().is_err());
    let fields: String = (0..1_000).map(|n| format!("f{n}: 1\n")).collect();
    assert!(matches!(refused(format!("---\n{fields}---\n").as_bytes()), DocumentRefusal::TooMuch(_)));
}

#[test]
fn hostile_documents_end_within_their_limits() {
    let sandbox = sandbox();
    let most = 1024 * 1024 - 64;
    for unit in [
        "[", "> ", "- ", "*", "_a", "`", "![", "<a ", "&amp;", "|a", "<!--", "[a]: b\n", "\n\n", "#", "</", "[a](", "~",
    ] {
        let source = unit.repeat(most / unit.len());
        // Whether it is read or refused, it ends, and the next one is read.
        let _ = sandbox.read_post(source.as_bytes(), None);
        let _ = sandbox.preview(source.as_bytes());
        let _ = sandbox.check_template(source.as_bytes());
        let _ = sandbox.check_script(source.as_bytes());
        assert_eq!(sandbox.read_post(b"fine", None).unwrap().unwrap().text, "fine", "{unit}");
    }
}

#[test]
fn previews_run_nothing() {
    let sandbox = sandbox();
    let source = "<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n[a](javascript:alert(1)) ![b](data:text/html,x)\n\n\
                  <style>*{}</style><iframe src=/></iframe><form action=/></form>\n\n**bold**\n";
    let html = sandbox.preview(source.as_bytes()).unwrap().unwrap();
    for forbidden in ["<script", "onerror", "javascript:", "data:", "<style", "<iframe", "<form"] {
        assert!(!html.contains(forbidden), "{forbidden}: {html}");
    }
    assert!(html.contains("<strong>bold</strong>"), "{html}");
}

#[test]
fn scripts_and_templates_are_checked() {
    let sandbox = sandbox();
    assert!(sandbox.check_script(b"local a <const> = 1\nreturn a // 2").unwrap().is_empty());
    let [problem] = <[_; 1]>::try_from(sandbox.check_script(b"local a =\n= 1").unwrap()).unwrap();
    assert_eq!((problem.position.line, problem.position.column), (2, 1));
    assert!(sandbox.check_template(b"{% if a == 1 %}{{ a | escape }}{% endif %}").unwrap().is_empty());
    let problems = sandbox.check_template(b"{{ a | upcase }}").unwrap();
    assert!(problems[0].message.contains("unsupported filter: upcase"), "{problems:?}");
}

#[test]
fn front_matter_is_edited_and_all_else_stays() {
    use wardroom_base::payload::Payload;
    let sandbox = sandbox();
    let source = b"---\n# kept\ntitle: Old  # too\ntags: [a]\n---\nBody\r\n";
    let value = |text: &str| Some(Payload::from_value(text.into()));
    let edited =
        sandbox.edit(source, &[("title".to_owned(), value("New")), ("tags".to_owned(), None)]).unwrap().unwrap();
    let text = String::from_utf8(edited).unwrap();
    assert!(
        text.starts_with("---\n# kept\ntitle: ") && text.contains("New") && text.ends_with("---\nBody\r\n"),
        "{text}"
    );
    assert!(text.contains("# too") && !text.contains("tags"), "{text}");
    assert_eq!(sandbox.edit(source, &[]).unwrap().unwrap(), source);
}

#[test]
fn pictures_are_measured_and_made_small() {
    let sandbox = sandbox();
    let picture = png(600, 300);
    let info = sandbox.inspect_picture(&picture).unwrap().unwrap();
    assert_eq!((info.format, info.width, info.height), (PictureFormat::Png, 600, 300));
    let small = sandbox.make_thumbnail(&picture, 100).unwrap().unwrap();
    assert_eq!((small.info.width, small.info.height), (100, 50));
    assert_eq!(sandbox.inspect_picture(&small.data).unwrap().unwrap(), small.info);
    assert_eq!(sandbox.inspect_picture(b"no picture").unwrap(), Err(PictureRefusal::UnknownFormat));
    // A header that promises more than memory holds.
    let mut huge = png(1, 1);
    huge[16..24].copy_from_slice(&[0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
    assert!(sandbox.make_thumbnail(&huge, 100).unwrap().is_err());
    let mut damaged = picture;
    damaged.truncate(60);
    assert!(sandbox.make_thumbnail(&damaged, 100).unwrap().is_err());
}

#[test]
fn component_for_other_hosts_is_embedded() {
    assert!(DOCUMENTS_COMPONENT.starts_with(b"\0asm"), "a component");
    assert!(DOCUMENTS_COMPONENT.len() < 2_000_000, "{} bytes", DOCUMENTS_COMPONENT.len());
}

/// A grey picture, stored without compression.
fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([8, 0, 0, 0, 0]);
    chunk(&mut bytes, b"IHDR", &header);
    let row =
        vec![0x80_u8; width as usize + 1].into_iter().enumerate().map(|(at, byte)| if at == 0 { 0 } else { byte });
    let row: Vec<u8> = row.collect();
    let pixels: Vec<u8> = (0..height).flat_map(|_| row.clone()).collect();
    let mut data = vec![0x78, 0x01];
    let blocks: Vec<&[u8]> = pixels.chunks(65_535).collect();
    for (at, block) in blocks.iter().enumerate() {
        let len = u16::try_from(block.len()).unwrap();
        data.push(u8::from(at + 1 == blocks.len()));
        data.extend(len.to_le_bytes());
        data.extend((!len).to_le_bytes());
        data.extend(*block);
    }
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in &pixels {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    data.extend(((b << 16) | a).to_be_bytes());
    chunk(&mut bytes, b"IDAT", &data);
    chunk(&mut bytes, b"IEND", &[]);
    bytes
}

fn chunk(bytes: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    bytes.extend(u32::try_from(data.len()).unwrap().to_be_bytes());
    let start = bytes.len();
    bytes.extend(kind);
    bytes.extend(data);
    let mut crc = u32::MAX;
    for byte in &bytes[start..] {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    bytes.extend((!crc).to_be_bytes());
}
