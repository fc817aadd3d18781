//! The content of `alc_shapes.d.lua`: the stubs of the package that describes a strategy's input and output.
//!
//! Never: contains the package, which is written in Lua and installed like any other.

use super::function::{
    FunctionBody, FunctionParam, FunctionReturn, LibraryFunction, ParamKind, optional_param, param, returns,
};
use super::stubs::{StubSection, StubType};

pub(super) const HEAD: &str = "\
Types of the package `alc_shapes`, which describes what goes into a strategy and what comes out.

A schema is plain data: a table with a `kind` and the fields of that kind. Nothing changes a schema once it is made;
every combinator returns a new one. The combinators are `S.T`, and `require(\"alc_shapes.t\")` by itself.";

pub(super) const TAIL: &str = "\nS.T = T\nS.spec_resolver = SpecResolver\n\nreturn S\n";

pub(super) const SECTIONS: &[StubSection] = &[
    StubSection { title: "Schemas", types: SCHEMAS, functions: METHODS },
    StubSection { title: "Combinators", types: COMBINATORS_TABLE, functions: COMBINATORS },
    StubSection { title: "Checking", types: CHECKING_TYPES, functions: CHECKING },
    StubSection { title: "Packages", types: PACKAGE_TYPES, functions: PACKAGES },
];

const fn package_function(
    name: &'static str,
    doc: &'static str,
    generic: &'static str,
    params: &'static [FunctionParam],
    returns: &'static [FunctionReturn],
) -> LibraryFunction {
    LibraryFunction { name, doc, generics: generic, params, returns, body: FunctionBody::Package }
}

const fn class_type(name: &'static str, fields: &'static [super::stubs::StubField]) -> StubType {
    StubType::Class { name, doc: "", fields, statement: "" }
}

const VALUE: FunctionParam = param("value", ParamKind::Any, "V", "");
const SCHEMA_OR_NAME: FunctionParam =
    optional_param("schema", ParamKind::Any, "alc_shapes.Schema|string", "a schema, or its registered name");
const HINT: FunctionParam = optional_param("hint", ParamKind::String, "string", "where this happens, for the message");
const OPTS: FunctionParam = optional_param("opts", ParamKind::Table, "alc_shapes.CheckOpts", "");

const SCHEMAS: &[StubType] = &[
    StubType::Alias {
        name: "alc_shapes.Kind",
        doc: "",
        target: "\n---| \"prim\" a Lua type\n---| \"any\" everything\n---| \"optional\" the inner schema, or nil\n\
             ---| \"described\" the inner schema, with a sentence about it\n---| \"shape\" a table with known fields\n\
             ---| \"array_of\" a list\n---| \"map_of\" a table with keys and values of one kind each\n\
             ---| \"one_of\" one of some values\n---| \"discriminated\" one of several shapes, told apart by a field\n\
             ---| \"ref\" a schema that is registered under a name",
    },
    StubType::Class {
        name: "alc_shapes.Schema",
        doc: "",
        fields: &[("kind", "alc_shapes.Kind", "")],
        statement: "local Schema = {}",
    },
    class_type("alc_shapes.Prim : alc_shapes.Schema", &[("prim", "\"string\"|\"number\"|\"boolean\"|\"table\"", "")]),
    class_type("alc_shapes.Any : alc_shapes.Schema", &[]),
    class_type("alc_shapes.Optional : alc_shapes.Schema", &[("inner", "alc_shapes.Schema", "")]),
    class_type(
        "alc_shapes.Described : alc_shapes.Schema",
        &[("inner", "alc_shapes.Schema", ""), ("doc", "string", "")],
    ),
    class_type(
        "alc_shapes.Shape : alc_shapes.Schema",
        &[
            ("fields", "table<string, alc_shapes.Schema>", ""),
            ("open", "boolean", "whether further fields are allowed"),
        ],
    ),
    class_type("alc_shapes.ArrayOf : alc_shapes.Schema", &[("elem", "alc_shapes.Schema", "")]),
    class_type(
        "alc_shapes.MapOf : alc_shapes.Schema",
        &[("key", "alc_shapes.Schema", ""), ("val", "alc_shapes.Schema", "")],
    ),
    class_type("alc_shapes.OneOf : alc_shapes.Schema", &[("values", "(string|number|boolean)[]", "")]),
    class_type(
        "alc_shapes.Discriminated : alc_shapes.Schema",
        &[
            ("tag", "string", "the field that tells the shapes apart"),
            ("variants", "table<string, alc_shapes.Shape>", "shapes by the value of that field"),
        ],
    ),
    class_type("alc_shapes.Ref : alc_shapes.Schema", &[("name", "string", "")]),
];

const METHODS: &[LibraryFunction] = &[
    package_function(
        "Schema:is_optional",
        "The same schema, satisfied by nil too.",
        "",
        &[],
        &[returns("alc_shapes.Optional", "")],
    ),
    package_function(
        "Schema:describe",
        "The same schema, with a sentence for the documentation.",
        "",
        &[param("doc", ParamKind::String, "string", "")],
        &[returns("alc_shapes.Described", "")],
    ),
];

const COMBINATORS_TABLE: &[StubType] = &[StubType::Class {
    name: "alc_shapes.T",
    doc: "",
    fields: &[
        ("string", "alc_shapes.Prim", ""),
        ("number", "alc_shapes.Prim", ""),
        ("boolean", "alc_shapes.Prim", ""),
        ("table", "alc_shapes.Prim", "a table of any form"),
        ("any", "alc_shapes.Any", ""),
    ],
    statement: "local T = {}",
}];

const COMBINATORS: &[LibraryFunction] = &[
    package_function(
        "T.shape",
        "A table with these fields. It is open unless said otherwise: further fields are allowed.",
        "",
        &[
            param("fields", ParamKind::Table, "table<string, alc_shapes.Schema>", ""),
            optional_param("opts", ParamKind::Table, "{ open?: boolean }", "(default true)"),
        ],
        &[returns("alc_shapes.Shape", "")],
    ),
    package_function(
        "T.array_of",
        "A list whose elements all satisfy one schema.",
        "",
        &[param("elem", ParamKind::Table, "alc_shapes.Schema", "")],
        &[returns("alc_shapes.ArrayOf", "")],
    ),
    package_function(
        "T.map_of",
        "A table whose keys satisfy one schema and whose values another.",
        "",
        &[
            param("key", ParamKind::Table, "alc_shapes.Schema", ""),
            param("val", ParamKind::Table, "alc_shapes.Schema", ""),
        ],
        &[returns("alc_shapes.MapOf", "")],
    ),
    package_function(
        "T.one_of",
        "One of these values, of which there is at least one.",
        "",
        &[param("values", ParamKind::Table, "(string|number|boolean)[]", "")],
        &[returns("alc_shapes.OneOf", "")],
    ),
    package_function(
        "T.discriminated",
        "One of several shapes; the field `tag` says which.",
        "",
        &[
            param("tag", ParamKind::String, "string", ""),
            param("variants", ParamKind::Table, "table<string, alc_shapes.Shape>", "at least one"),
        ],
        &[returns("alc_shapes.Discriminated", "")],
    ),
    package_function(
        "T.ref",
        "The schema that is registered under this name when a value is checked.",
        "",
        &[param("name", ParamKind::String, "string", "")],
        &[returns("alc_shapes.Ref", "")],
    ),
];

const CHECKING_TYPES: &[StubType] = &[
    class_type(
        "alc_shapes.CheckOpts",
        &[("registry?", "table<string, alc_shapes.Schema>", "where names are looked up (default: this module)")],
    ),
    class_type(
        "alc_shapes.Field",
        &[
            ("name", "string", ""),
            ("type", "alc_shapes.Schema", "without the wrappers that make it optional or describe it"),
            ("optional", "boolean", ""),
            ("doc?", "string", ""),
        ],
    ),
    StubType::Class {
        name: "alc_shapes",
        doc: "The module. Besides its functions it holds the registered shapes by name.",
        fields: &[
            ("T", "alc_shapes.T", ""),
            ("spec_resolver", "alc_shapes.SpecResolver", ""),
            ("[string]", "alc_shapes.Schema", ""),
        ],
        statement: "local S = {}",
    },
];

const CHECKING: &[LibraryFunction] = &[
    package_function(
        "S.check",
        "Tells whether a value satisfies a schema; no schema is satisfied by everything.",
        "",
        &[
            param("value", ParamKind::Any, "any", ""),
            optional_param("schema", ParamKind::Table, "alc_shapes.Schema", ""),
            OPTS,
        ],
        &[
            returns("boolean", "ok"),
            returns("string?", "reason the first violation, with the path to it (`$.steps[2].name`)"),
        ],
    ),
    package_function(
        "S.assert",
        "Raises when a value does not satisfy a schema; \"any\" is satisfied by everything.",
        "V",
        &[VALUE, SCHEMA_OR_NAME, HINT, OPTS],
        &[returns("V", "value")],
    ),
    package_function(
        "S.assert_dev",
        "Like `assert`, but only when checks are on; else it lets everything pass.",
        "V",
        &[VALUE, SCHEMA_OR_NAME, HINT, OPTS],
        &[returns("V", "value")],
    ),
    package_function(
        "S.is_dev_mode",
        "Whether checks are on: the environment has `ALC_SHAPE_CHECK=1`.",
        "",
        &[],
        &[returns("boolean", "")],
    ),
    package_function(
        "S.fields",
        "Lists the fields of a shape by name.",
        "",
        &[param("schema", ParamKind::Table, "alc_shapes.Shape", "")],
        &[returns("alc_shapes.Field[]", "")],
    ),
    package_function(
        "S.walk",
        "Visits a schema and then everything in it, depth first, in the order of names.",
        "",
        &[
            param("schema", ParamKind::Table, "alc_shapes.Schema", ""),
            param("visitor", ParamKind::Function, "fun(schema: alc_shapes.Schema)", ""),
        ],
        &[],
    ),
];

const PACKAGE_TYPES: &[StubType] = &[
    StubType::Class {
        name: "alc_shapes.Entry",
        doc: "What an entry takes and gives: `input` for one that takes a ctx, `args` for one with arguments of its own.\n\
              A string stands for a registered schema.",
        fields: &[
            ("input?", "alc_shapes.Schema|string", "the ctx"),
            ("args?", "(alc_shapes.Schema|string)[]", "the arguments by position"),
            ("result?", "alc_shapes.Schema|string", "`ctx.result`, or the returned value"),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc_shapes.Spec",
        doc: "The table `M.spec` of a package.",
        fields: &[
            ("entries", "table<string, alc_shapes.Entry>", ""),
            ("compose?", "table", "how the package fits with others"),
            ("exports?", "table", ""),
        ],
        statement: "",
    },
    class_type(
        "alc_shapes.ResolvedSpec",
        &[
            ("kind", "\"typed\"|\"opaque\"", "whether the package has a spec"),
            ("origin", "\"spec\"|\"none\"", ""),
            (
                "entries",
                "table<string, { input?: alc_shapes.Schema, args?: alc_shapes.Schema[], result?: alc_shapes.Schema }>",
                "",
            ),
            ("compose?", "table", ""),
            ("exports?", "table", ""),
        ],
    ),
    StubType::Class { name: "alc_shapes.SpecResolver", doc: "", fields: &[], statement: "local SpecResolver = {}" },
];

const PACKAGES: &[LibraryFunction] = &[
    package_function(
        "SpecResolver.resolve",
        "Reads the spec of a package; names become references.",
        "",
        &[param("pkg", ParamKind::Table, "table", "what the package returns")],
        &[returns("alc_shapes.ResolvedSpec", "")],
    ),
    package_function(
        "SpecResolver.run",
        "Runs an entry of a package, with its input and its result checked when checks are on.",
        "",
        &[
            param("pkg", ParamKind::Table, "table", ""),
            param("ctx", ParamKind::Table, "AlcCtx", ""),
            optional_param("entry", ParamKind::String, "string", "(default \"run\")"),
        ],
        &[returns("any", "returned")],
    ),
    package_function(
        "SpecResolver.is_passthrough",
        "Whether a package hands values of this shape on as they are.",
        "",
        &[param("pkg", ParamKind::Table, "table", ""), param("shape", ParamKind::String, "string", "")],
        &[returns("boolean", "")],
    ),
    package_function(
        "S.instrument",
        "Wraps an entry so that its input and its result are checked when checks are on.\n\
         It comes last in a package: `M.run = S.instrument(M, \"run\")`.",
        "",
        &[
            param("mod", ParamKind::Table, "table", "the package, with its meta"),
            param("entry", ParamKind::String, "string", "the name of a function of it"),
            optional_param("spec", ParamKind::Table, "alc_shapes.Entry", "instead of what `M.spec` says"),
        ],
        &[returns("function", "")],
    ),
];
