---@meta alc_shapes

-- Types of the package `alc_shapes`, which describes what goes into a strategy and what comes out.
--
-- A schema is plain data: a table with a `kind` and the fields of that kind. Nothing changes a schema once it is made;
-- every combinator returns a new one. The combinators are `S.T`, and `require("alc_shapes.t")` by itself.

---@alias alc_shapes.Kind
---| "prim" a Lua type
---| "any" everything
---| "optional" the inner schema, or nil
---| "described" the inner schema, with a sentence about it
---| "shape" a table with known fields
---| "array_of" a list
---| "map_of" a table with keys and values of one kind each
---| "one_of" one of some values
---| "discriminated" one of several shapes, told apart by a field
---| "ref" a schema that is registered under a name

---@class alc_shapes.Schema
---@field kind alc_shapes.Kind
local Schema = {}

---The same schema, satisfied by nil too.
---@return alc_shapes.Optional
function Schema:is_optional() end

---The same schema, with a sentence for the documentation.
---@param doc string
---@return alc_shapes.Described
function Schema:describe(doc) end

---@class alc_shapes.Prim : alc_shapes.Schema
---@field prim "string"|"number"|"boolean"|"table"

---@class alc_shapes.Any : alc_shapes.Schema

---@class alc_shapes.Optional : alc_shapes.Schema
---@field inner alc_shapes.Schema

---@class alc_shapes.Described : alc_shapes.Schema
---@field inner alc_shapes.Schema
---@field doc string

---@class alc_shapes.Shape : alc_shapes.Schema
---@field fields table<string, alc_shapes.Schema>
---@field open boolean whether further fields are allowed

---@class alc_shapes.ArrayOf : alc_shapes.Schema
---@field elem alc_shapes.Schema

---@class alc_shapes.MapOf : alc_shapes.Schema
---@field key alc_shapes.Schema
---@field val alc_shapes.Schema

---@class alc_shapes.OneOf : alc_shapes.Schema
---@field values (string|number|boolean)[]

---@class alc_shapes.Discriminated : alc_shapes.Schema
---@field tag string the field that tells the shapes apart
---@field variants table<string, alc_shapes.Shape> shapes by the value of that field

---@class alc_shapes.Ref : alc_shapes.Schema
---@field name string

------------------------------------------------------------------------------------------------------------------------
-- Combinators
------------------------------------------------------------------------------------------------------------------------

---@class alc_shapes.T
---@field string alc_shapes.Prim
---@field number alc_shapes.Prim
---@field boolean alc_shapes.Prim
---@field table alc_shapes.Prim a table of any form
---@field any alc_shapes.Any
local T = {}

---A table with these fields. It is open unless said otherwise: further fields are allowed.
---@param fields table<string, alc_shapes.Schema>
---@param opts? { open?: boolean } (default true)
---@return alc_shapes.Shape
function T.shape(fields, opts) end

---A list whose elements all satisfy one schema.
---@param elem alc_shapes.Schema
---@return alc_shapes.ArrayOf
function T.array_of(elem) end

---A table whose keys satisfy one schema and whose values another.
---@param key alc_shapes.Schema
---@param val alc_shapes.Schema
---@return alc_shapes.MapOf
function T.map_of(key, val) end

---One of these values, of which there is at least one.
---@param values (string|number|boolean)[]
---@return alc_shapes.OneOf
function T.one_of(values) end

---One of several shapes; the field `tag` says which.
---@param tag string
---@param variants table<string, alc_shapes.Shape> at least one
---@return alc_shapes.Discriminated
function T.discriminated(tag, variants) end

---The schema that is registered under this name when a value is checked.
---@param name string
---@return alc_shapes.Ref
function T.ref(name) end

------------------------------------------------------------------------------------------------------------------------
-- Checking
------------------------------------------------------------------------------------------------------------------------

---@class alc_shapes.CheckOpts
---@field registry? table<string, alc_shapes.Schema> where names are looked up (default: this module)

---@class alc_shapes.Field
---@field name string
---@field type alc_shapes.Schema without the wrappers that make it optional or describe it
---@field optional boolean
---@field doc? string

---The module. Besides its functions it holds the registered shapes by name.
---@class alc_shapes
---@field T alc_shapes.T
---@field spec_resolver alc_shapes.SpecResolver
---@field [string] alc_shapes.Schema
local S = {}

S.T = T

---Tells whether a value satisfies a schema; no schema is satisfied by everything.
---@param value any
---@param schema? alc_shapes.Schema
---@param opts? alc_shapes.CheckOpts
---@return boolean ok
---@return string? reason the first violation, with the path to it (`$.steps[2].name`)
function S.check(value, schema, opts) end

---Raises when a value does not satisfy a schema; "any" is satisfied by everything.
---@generic V
---@param value V
---@param schema? alc_shapes.Schema|string a schema, or its registered name
---@param hint? string where this happens, for the message
---@param opts? alc_shapes.CheckOpts
---@return V value
function S.assert(value, schema, hint, opts) end

---Like `assert`, but only when checks are on; else it lets everything pass.
---@generic V
---@param value V
---@param schema? alc_shapes.Schema|string
---@param hint? string
---@param opts? alc_shapes.CheckOpts
---@return V value
function S.assert_dev(value, schema, hint, opts) end

---Whether checks are on: the environment has `ALC_SHAPE_CHECK=1`.
---@return boolean
function S.is_dev_mode() end

---Lists the fields of a shape by name.
---@param schema alc_shapes.Shape
---@return alc_shapes.Field[]
function S.fields(schema) end

---Visits a schema and then everything in it, depth first, in the order of names.
---@param schema alc_shapes.Schema
---@param visitor fun(schema: alc_shapes.Schema)
function S.walk(schema, visitor) end

------------------------------------------------------------------------------------------------------------------------
-- Packages
------------------------------------------------------------------------------------------------------------------------

---What an entry takes and gives: `input` for one that takes a ctx, `args` for one with arguments of its own.
---A string stands for a registered schema.
---@class alc_shapes.Entry
---@field input? alc_shapes.Schema|string the ctx
---@field args? (alc_shapes.Schema|string)[] the arguments by position
---@field result? alc_shapes.Schema|string `ctx.result`, or the returned value

---The table `M.spec` of a package.
---@class alc_shapes.Spec
---@field entries table<string, alc_shapes.Entry>
---@field compose? table how the package fits with others
---@field exports? table

---@class alc_shapes.ResolvedSpec
---@field kind "typed"|"opaque" whether the package has a spec
---@field origin "spec"|"none"
---@field entries table<string, { input?: alc_shapes.Schema, args?: alc_shapes.Schema[], result?: alc_shapes.Schema }>
---@field compose? table
---@field exports? table

---@class alc_shapes.SpecResolver
local SpecResolver = {}

---Reads the spec of a package; names become references.
---@param pkg table what the package returns
---@return alc_shapes.ResolvedSpec
function SpecResolver.resolve(pkg) end

---Runs an entry of a package, with its input and its result checked when checks are on.
---@param pkg table
---@param ctx AlcCtx
---@param entry? string (default "run")
---@return any returned
function SpecResolver.run(pkg, ctx, entry) end

---Whether a package hands values of this shape on as they are.
---@param pkg table
---@param shape string
---@return boolean
function SpecResolver.is_passthrough(pkg, shape) end

S.spec_resolver = SpecResolver

---Wraps an entry so that its input and its result are checked when checks are on.
---It comes last in a package: `M.run = S.instrument(M, "run")`.
---@param mod table the package, with its meta
---@param entry string the name of a function of it
---@param spec? alc_shapes.Entry instead of what `M.spec` says
---@return function
function S.instrument(mod, entry, spec) end

return S
