//! Scripts that try to hang, escape or exhaust memory. After each, the next run works.

use super::*;

/// The time limit of scripts that never end.
const SHORT: Duration = Duration::from_millis(300);

/// Runs a script for at most `SHORT`. Notifications are dropped.
fn end_soon(pool: &WorkerPool, source: &str) -> Result<ScriptStep, ScriptStopError> {
    let mut run = pool.start_run(&code(source), &memory()).unwrap();
    let deadline = Instant::now() + SHORT;
    loop {
        match run.step(deadline, &|| false) {
            Ok(ScriptStep::Notify { .. }) => {}
            other => return other,
        }
    }
}

fn next_run_works(pool: &WorkerPool) {
    assert_eq!(returned(pool, "return 'well'"), json!("well"));
}

#[test]
fn endless_script_stops_at_deadline() {
    let pool = pool();
    let elseifs = "elseif x == 1 then x = 2 ".repeat(36_000);
    for source in [
        "while true do end",
        "coroutine.wrap(function() while true do end end)()",
        "while true do pcall(function() while true do end end) end",
        "return ('a'):rep(30000):find(('.-'):rep(30) .. 'b$')",
        "local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) while true do pcall(function() return t[1] end) end",
        "while true do print('x') end",
        "while true do collectgarbage() end",
        "local t <close> = setmetatable({}, {__close = function() while true do end end}) error('x')",
        "error(setmetatable({}, {__tostring = function() while true do end end}))",
        "xpcall(error, function() while true do end end)",
        "table.sort({3, 2, 1, 5, 4}, function() while true do end end)",
        &format!(
            "local x = 1 if x == 0 then x = 1 {elseifs} end return load(('elseif x == 1 then x = 2 '):rep(1)) and x"
        ),
    ] {
        let stopped = end_soon(&pool, source);
        let shown: String = source.chars().take(80).collect();
        assert!(matches!(stopped, Err(ScriptStopError::DeadlineExceeded)), "{shown}: {stopped:?}");
    }
    next_run_works(&pool);
}

#[test]
fn memory_exhaustion_ends_script() {
    let pool = pool();
    for source in [
        "return ('x'):rep(2e8)",
        "local s = 'x' while true do s = s .. s end",
        "local t = {} while true do t[#t + 1] = {} end",
        "local t = {} for i = 1, 1e9 do t['k' .. i] = i end",
        "local f = function() end while true do local g = f f = function() return g() end end",
        "local t = {} while true do t[#t + 1] = coroutine.create(function() end) end",
        "return table.concat(setmetatable({}, {__index = function() return ('x'):rep(1e6) end}), '', 1, 1e6)",
        "return string.format(('%99.99f'):rep(10000), table.unpack({}, 1, 10000)) .. ('x'):rep(2e8)",
        "return string.pack('s', ('x'):rep(1e8)) .. ('x'):rep(1e8)",
    ] {
        let stopped = end(&pool, source);
        let is_memory = match &stopped {
            Err(ScriptStopError::OutOfMemory) => true,
            Ok(ScriptStep::Failed { message, .. }) => message.contains("bad argument"),
            _ => false,
        };
        assert!(is_memory, "{source}: {stopped:?}");
    }
    // A script can catch the error and continue.
    assert_eq!(returned(&pool, "return select(2, pcall(string.rep, 'x', 2e8))"), json!("not enough memory"));
    next_run_works(&pool);
}

#[test]
fn oversized_or_deep_source_fails_to_compile() {
    let pool = pool();
    for (source, expected) in [
        ("return load(('('):rep(100000))", "overflow"),
        ("return load('return ' .. ('('):rep(100000) .. '1' .. (')'):rep(100000))", "overflow"),
        ("return load(('x = 1 '):rep(200000))", "larger than 1 MiB"),
        ("return load(function() return 'x = 1 ' end)", "larger than 1 MiB"),
        ("return load(('function '):rep(10000))", "expected"),
        ("return load('\\27Lua')", "attempt to load a binary chunk"),
        ("return load('return 1', 'x', 'b')", "attempt to load a text chunk"),
        ("return load(function() error('from the reader') end)", "from the reader"),
    ] {
        let message = returned(&pool, &format!("return select(2, (function() {source} end)())"));
        assert!(message.as_str().is_some_and(|text| text.contains(expected)), "{source}: {message}");
    }
    let many = "local t = {} ".to_owned() + &"t[#t+1] = function() end ".repeat(40_000) + " return #t";
    assert_eq!(returned(&pool, &many), json!(40_000));
    let large = " ".repeat(1024 * 1024 + 1);
    assert_eq!(failure(&pool, &large), "the source is larger than 1 MiB");
    assert!(failure(&pool, "return return").contains("test:1:"));
    next_run_works(&pool);
}

#[test]
fn endless_recursion_fails() {
    let pool = pool();
    for source in [
        "local function f() return f() + 1 end return f()",
        "local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end return t.x",
        "local function f() string.gsub('x', 'x', f) end f()",
        "local function f(a, b) table.sort({1, 2, 3}, f) return a < b end f(1, 2)",
        "local function f() return coroutine.wrap(f)() end f()",
        "local function f() pcall(f) error('x') end f()",
        "return string.find(('a'):rep(250000), ('a?'):rep(250000) .. 'b')",
        "local function e() error('again') end xpcall(e, function(m) e() end) error('done')",
    ] {
        let message = failure(&pool, source);
        assert!(!message.is_empty(), "{source}");
    }
    next_run_works(&pool);
}

#[test]
fn forbidden_globals_are_absent() {
    let pool = pool();
    for name in [
        "io",
        "package",
        "debug",
        "dofile",
        "loadfile",
        "loadstring",
        "setfenv",
        "getfenv",
        "module",
        "newproxy",
        "warn",
        "os.exit",
        "os.execute",
        "os.remove",
        "os.rename",
        "os.tmpname",
        "os.setlocale",
        "string.dump",
        "_ENV.io",
        "coroutine.io",
        "table.io",
        "utf8.io",
        "math.io",
    ] {
        assert_eq!(returned(&pool, &format!("return {name} == nil")), json!(true), "{name}");
    }
    // No forbidden name is reachable through tables and metatables.
    let walk = "local seen, found = {}, {}
        local function walk(value, name)
            if type(value) ~= 'table' or seen[value] then return end
            seen[value] = true
            for key, inner in pairs(value) do
                if tostring(key):find('^io$') or tostring(key):find('exec') or tostring(key) == 'package' then found[#found + 1] = name end
                walk(inner, name .. '.' .. tostring(key))
            end
            walk(getmetatable(value), name .. '!')
        end
        walk(_G, '_G') walk(getmetatable(''), 'string')
        return #found";
    assert_eq!(returned(&pool, walk), json!(0));
    assert_eq!(returned(&pool, "return getmetatable('')"), json!("string"));
}

/// Calls every reachable function with paths, modes and addresses.
#[test]
fn reachable_functions_open_nothing() {
    let pool = pool();
    let dir = tempfile::TempDir::new().unwrap();
    let (secret, made) = (dir.path().join("secret"), dir.path().join("made"));
    std::fs::write(&secret, "secret content").unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let script = format!(
        "local seen, functions, said = {{}}, {{}}, {{}}
        local function walk(value)
            if type(value) == 'function' and not seen[value] then functions[#functions + 1] = value end
            if seen[value] then return end
            seen[value] = true
            if type(value) == 'table' then for _, inner in pairs(value) do walk(inner) end end
        end
        walk(_G)
        local left_alone = {{[error] = true, [pcall] = true, [xpcall] = true, [coroutine.yield] = true}}
        local secret, made, address = '{}', '{}', '{}'
        local function note(...)
            for i = 1, select('#', ...) do
                local value = select(i, ...)
                if type(value) == 'string' then said[#said + 1] = value:sub(1, 200) end
            end
        end
        local called = 0
        for _, f in ipairs(functions) do
            if not left_alone[f] then
                called = called + 1
                note(pcall(f, secret))
                note(pcall(f, made, 'w'))
                note(pcall(f, made, 'x'))
                note(pcall(f, address, 1))
                note(pcall(f, 'file://' .. secret, {{}}))
            end
        end
        return {{called, table.concat(said, '\\n')}}",
        secret.display(),
        made.display(),
        address
    );
    let mut run = pool.start_run(&code(&script), &memory()).unwrap();
    let result = loop {
        match step(&mut run).unwrap() {
            ScriptStep::Notify { .. } => {}
            ScriptStep::Request { .. } => run.answer(Err("no".to_owned())).unwrap(),
            ScriptStep::Returned(result) => break result.into_value(),
            other @ ScriptStep::Failed { .. } => panic!("{other:?}"),
        }
    };
    assert!(result[0].as_u64().unwrap() > 150, "{}", result[0]);
    let said = result[1].as_str().unwrap();
    assert!(!said.contains("secret content"), "{said}");
    assert!(!made.exists());
    assert!(matches!(listener.accept(), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock));
}

#[test]
fn shared_tables_are_read_only() {
    let pool = pool();
    for source in [
        "string.rep = nil",
        "string.mine = 1",
        "rawset(string, 'rep', 1)",
        "rawset(math, 'pi', 3)",
        "table.insert(table, 1)",
        "setmetatable(os, {})",
        "setmetatable(utf8, nil)",
        "getmetatable('').__index = {}",
        "getmetatable(coroutine).__index = {}",
        "table.move({1}, 1, 1, 1, string)",
    ] {
        let message = failure(&pool, source);
        let refused = ["read-only", "protected metatable", "attempt to index", "field"];
        assert!(refused.iter().any(|words| message.contains(words)), "{source}: {message}");
    }
    let usable = "local names = {} for name, value in pairs(string) do names[#names + 1] = name end table.sort(names)
        local count = 0 for _ in pairs(math) do count = count + 1 end
        return {#names > 10, names[1], count > 20, ('x'):rep(2), tostring(string):find('^table: 0x') ~= nil, #table, next(string) == nil}";
    assert_eq!(returned(&pool, usable), json!([true, "byte", true, "xx", true, 0, true]));
    // The iterator does not expose the underlying table.
    assert_eq!(returned(&pool, "local _, state = pairs(string) return state == nil"), json!(true));
}

#[test]
fn collector_dependent_features_are_rejected() {
    let pool = pool();
    for source in [
        "setmetatable({}, {__gc = function() end})",
        "setmetatable({}, {__mode = 'k'})",
        "setmetatable({}, {__mode = 'v'})",
        "return collectgarbage('count')",
        "return collectgarbage('stop')",
        "return collectgarbage('generational')",
    ] {
        assert!(failure(&pool, source).contains("not repeatable"), "{source}");
    }
    // Fields that are set after `setmetatable` have no effect either.
    let late =
        "local mode = {} local t = setmetatable({}, mode) mode.__mode = 'kv' mode.__gc = function() error('gc') end
        for i = 1, 100 do t[i] = {} end collectgarbage() collectgarbage('collect') return #t";
    assert_eq!(returned(&pool, late), json!(100));
}

#[test]
fn every_error_value_becomes_a_message() {
    let pool = pool();
    for (source, expected) in [
        ("error('plain', 0)", "plain"),
        ("error('with place')", "test:1: with place"),
        ("error()", "an error that is not a text: null"),
        ("error(12)", "12"),
        ("error({code = 7})", r#"an error that is not a text: {"code":7}"#),
        ("error(print)", "an error that is not a text: function"),
        ("error(setmetatable({}, {__tostring = function() return 'mine' end}))", "mine"),
        ("error(setmetatable({}, {__tostring = function() error('x') end}))", "an error that is not a text: {}"),
        (
            "os.date('%Q', 0)",
            "test:1: bad argument #1 to 'date' (invalid conversion specifier in '%Q', or a time out of range)",
        ),
        ("local x = nil; x.y = 1", "test:1: attempt to index a nil value (local 'x')"),
        ("string.rep()", "test:1: bad argument #1 to 'rep' (string expected, got no value)"),
        ("setmetatable(1, {})", "test:1: bad argument #1 to 'setmetatable' (table expected, got number)"),
        ("setmetatable({})", "test:1: bad argument #2 to 'setmetatable' (nil or table expected, got no value)"),
        ("setmetatable({}, 1)", "test:1: bad argument #2 to 'setmetatable' (nil or table expected, got number)"),
        ("rawset(1, 2, 3)", "test:1: bad argument #1 to 'rawset' (table expected, got number)"),
        ("os.difftime(1, 'x')", "test:1: bad argument #2 to 'difftime' (number expected, got string)"),
        ("os.date({}, 0)", "test:1: bad argument #1 to 'date' (string expected, got table)"),
        ("coroutine.yield()", "attempt to yield from outside a coroutine"),
        ("return print", "the result: a function cannot be JSON"),
        ("local t = {} t.t = t return t", "the result.t.t"),
    ] {
        let message = failure(&pool, source);
        assert!(message.starts_with(expected), "{source}: {message}");
        assert!(
            !message.contains(wardroom_test_support::workspace_root().to_str().unwrap()) && !message.contains("0x"),
            "{source}: {message}"
        );
    }
    let Ok(ScriptStep::Failed { traceback: Some(traceback), .. }) =
        end(&pool, "local function inner() error('x') end\ninner()")
    else {
        panic!("no traceback");
    };
    assert!(traceback.contains("test:1: in") && traceback.contains("test:2: in"), "{traceback}");
    assert!(!traceback.contains("wardroom"), "{traceback}");
}

#[test]
fn functions_that_catch_errors_return_what_those_of_lua_do() {
    let pool = pool();
    for (source, expected) in [
        ("return select('#', pcall(function() end))", json!(1)),
        ("return select('#', pcall(function() return nil, nil end))", json!(3)),
        ("return select('#', pcall(error))", json!(2)),
        ("return select('#', xpcall(function() end, print))", json!(1)),
        ("return select('#', coroutine.resume(coroutine.create(function() end)))", json!(1)),
        ("return select('#', coroutine.close(coroutine.create(function() end)))", json!(1)),
        ("return setmetatable({1}, nil)", json!([1])),
        ("return os.difftime('5', 3)", json!(2.0)),
        ("return os.date(5, 0)", json!("5")),
        // What a script makes of the globals is its own.
        ("math, tonumber, tostring = nil return os.date('%Y', 0)", json!("1970")),
        ("math = nil return os.time{year = 1970, month = 1, day = 1, hour = 0}", json!(0)),
    ] {
        assert_eq!(returned(&pool, source), expected, "{source}");
    }
}

#[test]
fn oversized_messages_fail_and_many_requests_succeed() {
    let pool = pool();
    let message = failure(&pool, "error(('x'):rep(17 * 1024 * 1024), 0)");
    assert!(message.starts_with("xxx") && message.ends_with('…'), "{}", message.len());
    let message = failure(&pool, "print(('x'):rep(17 * 1024 * 1024))");
    assert!(message.contains("larger than 16 MiB"), "{message}");
    let message = failure(&pool, "return ('x'):rep(17 * 1024 * 1024)");
    assert!(message.contains("larger than 16 MiB"), "{message}");

    let mut run = pool
        .start_run(&code("local n = 0 for i = 1, 100000 do n = n + #os.getenv('A') end return n"), &memory())
        .unwrap();
    for _ in 0..100_000 {
        assert!(matches!(step(&mut run).unwrap(), ScriptStep::Request { .. }));
        run.answer(Ok(json!("xy").into())).unwrap();
    }
    assert_eq!(step(&mut run).unwrap(), ScriptStep::Returned(json!(200_000).into()));

    // An oversized answer fails the request.
    let mut run = pool.start_run(&code("return select(2, pcall(os.getenv, 'A'))"), &memory()).unwrap();
    step(&mut run).unwrap();
    run.answer(Ok(json!("x".repeat(17 * 1024 * 1024)).into())).unwrap();
    assert_eq!(step(&mut run).unwrap(), ScriptStep::Returned(json!("the answer is larger than 16 MiB").into()));

    // An answer just below the limit arrives whole, although no socket takes it at once.
    let mut run = pool.start_run(&code("return #os.getenv('A')"), &memory()).unwrap();
    step(&mut run).unwrap();
    run.answer(Ok(json!("x".repeat(15 * 1024 * 1024)).into())).unwrap();
    assert_eq!(step(&mut run).unwrap(), ScriptStep::Returned(json!(15 * 1024 * 1024).into()));
}

#[test]
fn oversized_or_deep_context_is_rejected() {
    let pool = pool();
    let large = StrategyRequest { context: json!("x".repeat(17 * 1024 * 1024)).into(), ..code("return 1") };
    assert!(pool.start_run(&large, &memory()).is_err());
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    assert!(pool.start_run(&StrategyRequest { context: deep.into(), ..code("return 1") }, &memory()).is_err());
}
