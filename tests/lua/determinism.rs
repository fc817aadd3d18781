//! Tests that a run is repeatable: a script sees the same values in every process.

use super::*;

/// A script that prints values which differ between processes in unpatched Lua.
const EVERYTHING: &str = r#"
    local out = {}
    local function say(...) out[#out + 1] = table.concat({...}, ' ') end
    local keys = {print, pairs, string.rep, coroutine.create(print), {}, {}, function() end, 1.5, true, 2^53, -0.0, 7}
    local mixed = {}
    for i = 1, 200 do
        mixed['key' .. i * 7919] = i
        mixed[{}] = i
        mixed[function() return i end] = i
        mixed[i + 0.5] = i
        mixed[coroutine.create(function() end)] = i
        mixed[('long'):rep(20) .. i] = i
    end
    for _, key in ipairs(keys) do mixed[key] = key end
    for key, value in pairs(mixed) do say(type(key), tostring(value)) end
    for name in pairs(_G) do say('global', name) end
    for name in pairs(string) do say('string', name) end
    for name in pairs(math) do say('math', name) end
    say(tostring({}), tostring(print), tostring(next), tostring(function() end), tostring(coroutine.running()))
    say(string.format('%p %p %p %p', {}, print, 'short', ('long'):rep(20)))
    for i = 1, 20 do say(math.random(), math.random(1000), math.random(0)) end
    math.randomseed() say(math.random(0))
    math.randomseed(5) say(math.random(0))
    local list = {}
    for i = 1, 3000 do list[i] = {(i * 7919) % 50, i} end
    pcall(table.sort, list, function(a, b) return a[1] <= b[1] end)
    for i = 1, 3000, 7 do say(list[i][1], list[i][2]) end
    local same = {}
    for i = 1, 3000 do same[i] = i < 1500 and i or 3000 - i end
    table.sort(same, function(a, b) return a // 100 < b // 100 end)
    say(table.concat(same, ' '))
    say(tostring(select(2, pcall(error, {}))), tostring(select(2, pcall(string.rep))), tostring(select(2, pcall(function() local x = nil; x() end))))
    local weak = setmetatable({}, {})
    for i = 1, 10000 do weak[i] = {} ; if i % 100 == 0 then collectgarbage() end end
    say(tostring(weak), #weak)
    local depth = 0
    local function deeper() depth = depth + 1; deeper() end
    say(tostring(pcall(deeper)), depth)
    local nested = 0
    local function calls() nested = nested + 1; ('x'):gsub('x', calls) end
    say(tostring(pcall(calls)), nested)
    say(select(2, pcall(string.rep, 'x', 1e9)))
    return out
"#;

#[test]
fn script_output_is_equal_in_every_process() {
    let pool = pool();
    let first = returned(&pool, EVERYTHING);
    assert!(first.as_array().unwrap().len() > 1000, "{first}");
    for _ in 0..3 {
        assert_eq!(returned(&pool, EVERYTHING), first);
    }
}

#[test]
fn seed_determines_random_numbers() {
    let pool = pool();
    let random = |seed: u64| {
        let start = StrategyRequest { seed, ..code("return {math.random(0), math.random(0)}") };
        match step(&mut pool.start_run(&start, &memory()).unwrap()) {
            Ok(ScriptStep::Returned(value)) => value.into_value(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(random(7), random(7));
    assert_ne!(random(7), random(8));
    assert_ne!(random(u64::MAX), random(0));
}

#[test]
fn server_supplies_time() {
    let pool = pool();
    let source = "return {os.time(), os.clock(), os.clock(), os.date('!%Y-%m-%d %H:%M:%S'), os.date('*t').yday,
        os.date('%c', 0), os.time{year = 2001, month = 9, day = 9, hour = 1, min = 46, sec = 47}, os.difftime(5, 3)}";
    let mut run = pool.start_run(&code(source), &memory()).unwrap();
    let mut now = 1_000_000_000.5;
    let returned = loop {
        match step(&mut run).unwrap() {
            ScriptStep::Request { operation, .. } => {
                assert_eq!(operation, "time");
                run.answer(Ok(json!(now).into())).unwrap();
                now += 0.25;
            }
            ScriptStep::Returned(value) => break value.into_value(),
            other => panic!("{other:?}"),
        }
    };
    let expected =
        json!([1_000_000_000, 0.0, 0.25, "2001-09-09 01:46:41", 252, "Thu Jan  1 00:00:00 1970", 1_000_000_007, 2.0]);
    assert_eq!(returned, expected);
    let normal =
        "local t = {year = 2000, month = 14, day = 1} os.time(t) return {t.year, t.month, t.wday, t.yday, t.isdst}";
    assert_eq!(self::returned(&pool, normal), json!([2001, 2, 5, 32, false]));
}

#[test]
fn globals_match_snapshot() {
    let pool = pool();
    let listing = "local names = {}
        for name, value in pairs(_G) do
            if type(value) == 'table' and value ~= _G then
                for inner, item in pairs(value) do names[#names + 1] = name .. '.' .. inner .. ': ' .. type(item) end
            end
            names[#names + 1] = name .. ': ' .. type(value)
        end
        table.sort(names)
        return table.concat(names, '\\n')";
    insta::assert_snapshot!("globals", returned(&pool, listing).as_str().unwrap());
}
