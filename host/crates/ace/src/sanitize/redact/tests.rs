//! What is redacted, and what is not.

use proptest::prelude::*;

use super::*;

#[test]
fn secrets_and_homes_are_replaced() {
    let long = "a1B2".repeat(10);
    for (text, expected) in [
        (format!("key sk-{long} used"), "key [REDACTED] used"),
        (format!("(ghp_{long})"), "([REDACTED])"),
        (format!("AKIA{}", "ABCD".repeat(4)), "[REDACTED]"),
        (format!("eyJ{long}.{long}.{long}"), "[REDACTED]"),
        ("password=hunter2 ok".to_owned(), "password=[REDACTED] ok"),
        ("DB_PASSWORD = hunter2 ok".to_owned(), "DB_PASSWORD = [REDACTED] ok"),
        ("Authorization: Bearer abc.def next".to_owned(), "Authorization: Bearer [REDACTED] next"),
        ("\"api_key\": \"xyz\", b".to_owned(), "\"api_key\": \"[REDACTED]\", b"),
        ("{\"token\":\"x\",\"n\":1}".to_owned(), "{\"token\":\"[REDACTED]\",\"n\":1}"),
        ("--token abc run".to_owned(), "--token [REDACTED] run"),
        ("https://ada:pw@example.org/x".to_owned(), "https://[REDACTED]@example.org/x"),
        ("at /home/ada/src/a.ts:3".to_owned(), "at ~/src/a.ts:3"),
        ("'/Users/ada' and C:\\Users\\ada\\x".to_owned(), "'~' and ~\\x"),
        ("\"C:\\\\Users\\\\ada\\\\x\"".to_owned(), "\"~\\\\x\""),
        ("-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- b".to_owned(), "[REDACTED] b"),
        ("-----BEGIN PRIVATE KEY-----\nMII".to_owned(), "[REDACTED]"),
        ("https://hooks.slack.com/services/T0/B0/x, y".to_owned(), "https://hooks.slack.com/[REDACTED], y"),
    ] {
        assert_eq!(redact(&text), expected, "{text}");
        assert_eq!(redact(expected), expected, "a second time");
    }
}

#[test]
fn forms_of_command_lines_and_headers_are_replaced() {
    for (text, expected) in [
        ("Authorization: Zap abc.def next", "Authorization: [REDACTED] next"),
        ("-H 'Authorization: Zap abc' next", "-H 'Authorization: [REDACTED]' next"),
        (r#"["--token", "abc", "-y"]"#, r#"["--token", "[REDACTED]", "-y"]"#),
        (r#"["--token","abc","-y"]"#, r#"["--token","[REDACTED]","-y"]"#),
        ("password: \"a\nb\" next", "password: \"[REDACTED]\" next"),
        ("PASS=abc next", "PASS=[REDACTED] next"),
        ("creds=abc next", "creds=[REDACTED] next"),
    ] {
        assert_eq!(redact(text), expected, "{text}");
        assert_eq!(redact(expected), expected, "a second time");
    }
}

/// Texts with `SECRET` in them, in the forms that a hostile review found.
#[test]
fn no_part_of_a_value_stays() {
    for text in [
        r#"{"Authorization": "Bearer abcSECRET"}"#,
        r#"{"Authorization":"Bearer abcSECRET"}"#,
        "{'Authorization': 'Bearer abcSECRET'}",
        r#""authorization": "Basic abcSECRET""#,
        r#"{\"authorization\": \"Basic abcSECRET\"}"#,
        "AUTHORIZATION: BEARER abcSECRET",
        "Authorization: ApiKey abcSECRET",
        "Authorization: Token abcSECRET",
        "Authorization: Digest username=\"a\", response=\"abcSECRET\"",
        "Authorization: AWS4-HMAC-SHA256 Credential=AK/20260101, SignedHeaders=host, Signature=SECRET",
        "headers: {authorization: [Bearer abcSECRET]}",
        "\"authorization\": Some(\"Bearer abcSECRET\")",
        "[Bearer abcSECRET]",
        "Some(\"Bearer abcSECRET\")",
        "['Authorization', 'Bearer abcSECRET']",
        "curl -H 'Authorization: Bearer abcSECRET' x",
        "Authorization: Zap abcSECRET==",
        "Proxy-Authorization: Zap-2 abcSECRET",
        "authorization=Zap abcSECRET",
        "Authorization: Zap id=a, signature=SECRET",
        "Authorization: Zap \"abc SECRET\"",
        "Authorization:\n  Zap abcSECRET",
        "['Authorization','Zap abcSECRET']",
        "password=\"a\nSECRET\nb\"",
        "{\"password\": \"a\nb\n\nSECRET\"}",
        "password = \"\"\"\na\nSECRET\n\"\"\"",
        "password = '''SECRET'''",
        r#"["--token", "SECRET"]"#,
        r#"["-y","--token","SECRET"]"#,
        r#"[\"--token\",\"SECRET\"]"#,
        r#"[\"--token\", \"SECRET\"]"#,
        "['--api-key',\n  'SECRET']",
        "args:\n  - --token\n  - SECRET",
        "--password SECRET",
        "--pass SECRET",
        "--credentials SECRET",
        "credentials=SECRET",
        "AWS_CREDENTIALS: SECRET",
        "{\"creds\": \"SECRET\"}",
        "PASS=SECRET",
        "PASS = SECRET",
        "{\"pass\": \"SECRET\"}",
        "PASSWD=SECRET",
        "PASSWORD: 'x SECRET'",
        "password=\"correct SECRET\"",
        "password=\"correct SECRET",
        "password='a'\"SECRET\"",
        r#"password="a\" SECRET""#,
        r#"{\"password\":\"abcSECRET\"}"#,
        r#"{\"password\": \"x SECRET\"}"#,
        r#"{\\\"password\\\": \\\"x SECRET\\\"}"#,
        r#"env['PASSWORD'] = "x SECRET""#,
        "password: |\n  abcSECRET",
        "password: >-\n  abcSECRET",
        "password: [ \"abcSECRET\" ]",
        "password: Some( \"abcSECRET\" )",
        "{\"password\": {\"value\": \"abcSECRET\"}}",
        "password : abcSECRET",
        "password:\nabcSECRET",
        "<password>abcSECRET</password>",
        "<x><password>a SECRET</password>",
        "machine x login ada password abcSECRET",
        "-password abcSECRET",
        "AccountName=x;AccountKey=SECRET==;EndpointSuffix=core",
        "DB_PASS=abcSECRET",
        "DB_PASS: abcSECRET",
        "passphrase=abcSECRET",
        "PASSWORD1=abcSECRET",
        "password_2: abcSECRET",
        "_auth=SECRET",
        "{\"auths\":{\"x\":{\"auth\":\"SECRET==\"}}}",
        "//registry.npmjs.org/:_authToken=abcSECRET",
        "Set-Cookie: sessionid=SECRET; HttpOnly",
        "Cookie: a=b; session=SECRET",
        "\"cookie\": \"a=b; session=SECRET\"",
        "https://x.blob.core.windows.net/c?sv=2020&sig=abcSECRET%3D",
        "https://b.s3.amazonaws.com/k?X-Amz-Signature=SECRET",
        "urls=[https://ok.example/,https://ada:SECRET@x/]",
        "https://proxy.example/?u=https://ada:SECRET@x/",
        "postgres://ada:p@ss/SECRET@db/x",
        "postgres://ada:pa/SECRET@db/x",
        "https://ada:SECRETtoken=x@host/",
        "https://discord.com/api/webhooks/123/abcSECRETdef",
        "-----begin private key-----\nSECRET\n-----end private key-----",
        "-----BEGIN PRIVATE KEY-----\nabc\n-----END CERTIFICATE-----\nSECRET",
    ] {
        let redacted = redact(text);
        assert!(!redacted.contains("SECRET"), "{text} => {redacted}");
    }
}

#[test]
fn token_is_found_after_what_is_glued_to_it() {
    let body = "A1B2C3D4E5".repeat(4);
    for prefix in [
        "ghp_",
        "github_pat_",
        "sk-",
        "sk-proj-",
        "xsk_live_",
        "rk_test_",
        "whsec_",
        "glpat-",
        "glrt-",
        "xoxb-",
        "xoxe.",
        "xapp-",
        "AKIA",
        "ya29.",
        "GOCSPX-",
        "npm_",
        "hf_",
        "hvs.",
        "dapi",
        "shpat_",
        "SG.",
        "AGE-SECRET-KEY-",
        "pypi-AgE",
        "dop_v1_",
        "doo_v1_",
        "shpss_",
        "xoxr-",
        "AIza",
        "glptt-",
        "dckr_pat_",
        "rubygems_",
        "lin_api_",
        "PMAK-",
        "ATATT3",
        "figd_",
        "glsa_",
        "sntrys_",
        "pscale_tkn_",
        "dp.pt.",
        "sq0atp-",
        "xkeysib-",
        "nvapi-",
        "gsk_",
        "hvb.",
    ] {
        for glue in ["", "\"", "(", "=", "x=", "\\n", "%20", "[31m", "ä", "id,"] {
            let redacted = redact(&format!("{glue}{prefix}{body} z")).into_owned();
            assert!(!redacted.contains("A1B2") && redacted.ends_with(" z"), "{glue}{prefix} => {redacted}");
        }
    }
    for glue in ["TOKEN_", "x.", "pre-", "a"] {
        assert!(!redact(&format!("{glue}ghp_{body}")).contains("A1B2"), "{glue}");
    }
    assert_eq!(redact(&format!("eyJ{body}.{body}.a.b.c")), "[REDACTED]");
}

proptest! {
    #[test]
    fn text_without_signs_has_nothing_to_redact(
        text in "(sk-|ghp_|AKIA|eyJ|passwor|password|_pass|tok|TOKEN|1|auth|sig|signature|cookie|Bearer|authorization\
            |://|@|/home/|/hom|\\\\Users\\\\|hooks.slack.com/|discord.com/api\
            |-----begin |private key|-----|<|>|\"|'|\\\\|\\]\
            |=|:|: |--|[a-zA-Z0-9.]{1,24}| |\n){0,12}",
    ) {
        prop_assert_eq!(redact(&text).into_owned(), redact_all(&text));
    }

    #[test]
    fn any_text_is_redacted_without_a_panic(text in any::<String>()) {
        redact_all(&text);
    }
}

#[test]
fn ordinary_text_stays() {
    for text in [
        "Cannot find module './auth.js'",
        "unexpected token: expected `;`",
        "unexpected token: x",
        "Unexpected token: '}'",
        "expected one of `!` or `::`, found token `x`",
        "src/index.ts:5:3 - error TS2307",
        "-----BEGIN CERTIFICATE----- x",
        "task-1 sk-short mask-abcdefghijklmnopqrstuvwxyz",
        "a = b: c",
        "signature of the function",
        "signature: fn(x)",
        "the design: x, config=1",
        "pass: 3, fail: 1",
        "author: x, author=y",
        "auth.ts(3,1): error in auth: x",
        "cookie-parser",
        "cookie: Cookie is not assignable",
        "crate::token::Token::new(x)",
        "Vec<Token>, Option<Token>::None, Promise<Secret>x",
        "https://example.org/@scope/pkg@1.0 http://localhost:3000/@vite/client http://[::1]:80/@x",
        "the bullet was written at 12:30:01",
        "npm ERR! code ERESOLVE",
        "--- PASS: TestRead (0.01s)",
        "PASS src/a.test.ts, all pass, bypass=1, compass = 2",
        "let pass = run(); if pass { ok() }",
        "fetch(url, {credentials: 'include'}); credentials: \"same-origin\"",
        "the credentials of the user, and his creds, are read first",
        "the user lacks authorization for this; authorization is checked",
        "f(token, secret, password), [token,password], {auth, sig}",
        "tokens: 1523, max_tokens=100, --tokens 5, --no-color, a - b",
        "println!(\"{}: '{}'\", name, value);\nlet x = 'a';",
        "SG.x gsk_short lin_api_x figd_ nvapi- dp.pt.x rubygems_y",
        "impl<'a> Parser<'a> { fn token(&self, at: usize) -> Option<Token> }",
    ] {
        assert_eq!(redact(text), text);
        assert_eq!(redact_all(text), text);
    }
}

/// Texts of megabytes that make a parser look at everything again and again.
#[test]
fn repeated_signs_take_one_pass() {
    for sign in [
        ":",
        "=",
        "://",
        "a:",
        "/home/",
        "password=\"",
        "password=''",
        "password='a'x',",
        "<password>x",
        "cookie:",
        "eyJ",
        "_eyJ",
        "ghp_",
        "-----BEGIN ",
        "-----END ",
        "password=[",
        "password:",
        "\\\"",
        "1:",
        "sk-",
        "://a:b/",
        "\"token\":",
        "hooks.slack.com/",
        "authorization: a ",
        "authorization=",
        "\"--token\",",
        "-token ",
        "\",",
        "password=\"\n",
        "password='''",
        "password='''x ",
        "pass=\"",
    ] {
        let text = sign.repeat(300_000 / sign.len());
        assert!(redact_all(&text).len() <= 2 * text.len() + 20, "{sign}");
    }
}
