//! A guest of documents that makes the attempt that its input names: a name, and a number where the attempt takes one.
//! Every function makes the attempts of all guests that load, and those that its own answer allows.

#[cfg(target_arch = "wasm32")]
mod guest {
    use bindings::exports::wardroom::documents::document::{
        Change, Field, FrontMatter, Guest as Document, Heading, Link, Options, Post, ReadError,
    };
    use bindings::exports::wardroom::documents::image::{Format, Guest as Image, ImageError, Info, Thumbnail};
    use bindings::exports::wardroom::documents::script_check::{Guest as ScriptCheck, Problem as ScriptProblem};
    use bindings::exports::wardroom::documents::template_check::{Guest as TemplateCheck, Problem as TemplateProblem};
    use wardroom_hostile_guests::attempts;

    struct Guest;

    /// An input: `huge_text 1024`.
    struct Attempt {
        name: String,
        number: usize,
    }

    impl Attempt {
        fn new(input: &[u8]) -> Self {
            let input = String::from_utf8_lossy(input);
            let (name, number) = input.trim().split_once(' ').unwrap_or((&input, "0"));
            Self { name: name.to_owned(), number: number.parse().unwrap_or(0) }
        }

        /// Makes an attempt that every function may make. Other names have no text.
        fn make(&self) -> String {
            let answer = match self.name.as_str() {
                "allocate" => attempts::allocate(),
                "loop_forever" => attempts::loop_forever(),
                "read_args" => attempts::read_args(),
                "read_env" => attempts::read_env(),
                "read_stdin" => attempts::read_stdin(),
                "recurse" => attempts::recurse(),
                "trap" => attempts::trap(),
                "write_stdout" => attempts::write_stdout(),
                "fill_memory" => {
                    std::hint::black_box(vec![1_u8; self.number << 20]);
                    return "filled".to_owned();
                }
                "huge_text" => return "a".repeat(self.number),
                _ => return String::new(),
            };
            answer.json
        }

        /// Returns a field whose JSON is the attempt.
        fn fields(&self) -> Vec<Field> {
            const DEPTH: usize = 100_000;
            let json = match self.name.as_str() {
                "malformed_json" => "{\"a\":".to_owned(),
                "deep_json" => "[".repeat(DEPTH) + &"]".repeat(DEPTH),
                "many_fields" => return (0..self.number).map(|_| field("{}")).collect(),
                _ => return Vec::new(),
            };
            vec![field(&json)]
        }

        fn body_start(&self) -> u32 {
            u32::try_from(self.number).ok().filter(|_| self.name == "body_start").unwrap_or_default()
        }
    }

    fn field(json: &str) -> Field {
        Field { name: "title".to_owned(), line: 1, json: json.to_owned(), text: None }
    }

    impl Document for Guest {
        fn read_post(source: Vec<u8>, _: Options) -> Result<Post, ReadError> {
            let attempt = Attempt::new(&source);
            let link = |_| Link { slug: "a".to_owned(), language: None, text: String::new(), line: u32::MAX };
            let heading = |_| Heading { level: u8::MAX, text: String::new(), line: u32::MAX };
            let number_of = |name: &str| if attempt.name == name { attempt.number } else { 0 };
            Ok(Post {
                fields: attempt.fields(),
                body_start: attempt.body_start(),
                text: attempt.make(),
                word_count: u32::MAX,
                excerpt: String::new(),
                links: (0..number_of("many_links")).map(link).collect(),
                headings: (0..number_of("many_headings")).map(heading).collect(),
            })
        }

        fn read_front_matter(source: Vec<u8>) -> Result<FrontMatter, ReadError> {
            let attempt = Attempt::new(&source);
            let _ = attempt.make();
            Ok(FrontMatter { fields: attempt.fields(), body_start: attempt.body_start() })
        }

        fn read_sidecar(source: Vec<u8>) -> Result<Vec<Field>, ReadError> {
            let attempt = Attempt::new(&source);
            match attempt.name.as_str() {
                "huge_text" => Err(ReadError::TooMuch(attempt.make())),
                _ => Ok(attempt.fields()),
            }
        }

        fn edit(source: Vec<u8>, _: Vec<Change>) -> Result<Vec<u8>, ReadError> {
            Ok(Attempt::new(&source).make().into_bytes())
        }

        fn preview(source: Vec<u8>) -> Result<String, ReadError> {
            Ok(Attempt::new(&source).make())
        }
    }

    impl TemplateCheck for Guest {
        fn check(source: Vec<u8>) -> Vec<TemplateProblem> {
            vec![TemplateProblem { line: 0, column: u32::MAX, message: Attempt::new(&source).make() }]
        }
    }

    impl ScriptCheck for Guest {
        fn check(source: Vec<u8>) -> Vec<ScriptProblem> {
            vec![ScriptProblem { line: 0, column: u32::MAX, message: Attempt::new(&source).make() }]
        }
    }

    impl Image for Guest {
        fn inspect(data: Vec<u8>) -> Result<Info, ImageError> {
            Err(ImageError::Malformed(Attempt::new(&data).make()))
        }

        fn make_thumbnail(data: Vec<u8>, _: u32) -> Result<Thumbnail, ImageError> {
            let data = Attempt::new(&data).make().into_bytes();
            Ok(Thumbnail { format: Format::Png, width: u32::MAX, height: 0, data })
        }
    }

    #[expect(unsafe_code, reason = "generated: the canonical ABI passes pointers")]
    #[expect(clippy::all, clippy::pedantic, reason = "generated")]
    mod bindings {
        wit_bindgen::generate!({ path: "../../wit/documents", world: "parsers" });
        export!(Guest with_types_in self);
        use super::Guest;
    }
}
