//! Tests of the handler modules that read and write texts: documents, templates and times.

use super::handlers::handlers;
use super::handlers_modules::{check, error_of, exchange};
use super::*;

#[test]
fn yaml_round_trips() {
    let handlers = handlers();
    let text = "name: test\ncount: 42\nratio: 3.5\non: true\ntags:\n- a\n- b\nnone: null\n";
    check(
        &handlers,
        &format!("local v = yaml.decode([[{text}]]) return {{v.name, v.count, v.ratio, v.on, v.tags[2], #v.tags}}"),
        json!(["test", 42, 3.5, true, "b", 2]),
    );
    check(
        &handlers,
        "return yaml.decode(yaml.encode({b = {1, 'x: y', {c = true}}, a = 'no'}))",
        json!({"a": "no", "b": [1, "x: y", {"c": true}]}),
    );
    check(
        &handlers,
        "return yaml.encode({zebra = 1, alpha = 2, name = 'nn'}, {field_order = {'name', 'zebra', 'name'}})",
        json!("name: nn\nzebra: 1\nalpha: 2\n"),
    );
    // As in YAML 1.2.
    check(
        &handlers,
        "return yaml.decode('a: yes\\nb: on\\nc: no\\nd: true')",
        json!({"a": "yes", "b": "on", "c": "no", "d": true}),
    );
    let (message, kind) = error_of(&handlers, "yaml.decode('a: 1\\nb: [')");
    assert!(message.starts_with("yaml.decode: not YAML at line ") && kind == "INTERNAL", "{message} {kind}");
    assert_eq!(error_of(&handlers, "yaml.decode('')").1, "INVALID");
}

#[test]
fn text_and_templates_search_split_and_render() {
    let handlers = handlers();
    check(
        &handlers,
        "local re = text.regexp.compile('(?P<key>[a-z]+)=([0-9]+)') local s = 'a=1, bc=22'
        return {re:match_string(s), re:find_string(s), re:find_all_string(s), re:find_string_submatch(s), re:find_all_string_submatch(s)[2][3],
            re:find_string_index(s), re:find_all_string_index(s)[2], re:replace_all_string(s, '$2=${key}'), re:num_subexp(), re:subexp_names(), re:string(), tostring(re)}",
        json!([true, "a=1", ["a=1", "bc=22"], ["a=1", "a", "1"], "22", [1, 3], [6, 10], "1=a, 22=bc", 2, ["", "key", ""], "(?P<key>[a-z]+)=([0-9]+)", "(?P<key>[a-z]+)=([0-9]+)"]),
    );
    check(
        &handlers,
        "local re = text.regexp.compile(',') return {re:split('a,b,c', -1), re:split('a,b,c', 2), re:find_string('x') == nil, re:find_all_string('x'), re:find_all_string_index('x') == nil}",
        json!([["a", "b", "c"], ["a", "b,c"], true, [], true]),
    );
    let (message, kind) = error_of(&handlers, "text.regexp.compile('(')");
    assert!(message.contains("unclosed group") && kind == "INVALID", "{message}");
    check(
        &handlers,
        "local s = text.splitter.recursive{chunk_size = 10, chunk_overlap = 4} return {s:split_text('one two three four'), s:split_text(''), s:split_text('abcdefghijklmno')}",
        json!([["one two", "two three", "four"], [], ["abcdefghij", "ghijklmno"]]),
    );
    check(
        &handlers,
        "local s = text.splitter.recursive{chunk_size = 20, chunk_overlap = 0} return s:split_batch{{content = 'first page\\n\\nsecond part of it', metadata = {page = 1}}, {content = 'x'}}",
        json!([{"content": "first page", "metadata": {"page": 1}}, {"content": "second part of it", "metadata": {"page": 1}}, {"content": "x"}]),
    );
    check(
        &handlers,
        "return templates.render('{{a}} {{ b.c }} {{missing}} {{a}} {{n}} {{ {{a}}', {a = '{{n}} 100%1', b = {c = true}, n = 7})",
        json!("{{n}} 100%1 true {{missing}} {{n}} 100%1 7 {{ {{n}} 100%1"),
    );
    // A text of braces costs its length.
    check(
        &handlers,
        "local text = string.rep('{{', 200000) .. 'a}}' return #templates.render(text .. text, {a = 'x'})",
        json!(2 * (2 * 200_000 - 2 + 1)),
    );
    assert!(error_of(&handlers, "templates.get('app:views')").0.contains("templates.render"));
}

#[test]
fn times_format_parse_and_shift() {
    let handlers = handlers();
    check(
        &handlers,
        "local t = time.date(2024, time.DECEMBER, 25, 10, 30, 0, 0, time.utc)
        local y, m, d = t:date() local h, mi, s = t:clock()
        return {t:format_rfc3339(), tostring(t), t:format(time.KITCHEN), t:format('Mon Jan 2, 2006'), y, m, d, h, mi, s, t:unix(), t:weekday(), t:year_day(),
            t:add('24h'):format(time.DATE_ONLY), t:add(5 * time.MINUTE):format(time.TIME_ONLY), t:add_date(0, 3, 7):format(time.DATE_ONLY),
            t:add_date(0, 2, 6):format(time.DATE_ONLY), t:is_zero(), t:location():string()}",
        json!([
            "2024-12-25T10:30:00Z", "2024-12-25T10:30:00Z", "10:30AM", "Wed Dec 25, 2024", 2024, 12, 25, 10, 30, 0, 1_735_122_600, 3, 360, "2024-12-26",
            "10:35:00", "2025-04-01", "2025-03-03", false, "UTC"
        ]),
    );
    check(
        &handlers,
        "local a, b = time.unix(1703862245, 500000000), time.parse(time.RFC3339, '2023-12-29T20:34:05+05:30')
        local diff = a:sub(b)
        return {a:before(b), a:after(b), a:equal(b), diff:milliseconds(), diff:seconds(), b:hour(), b:utc():hour(), b:in_location(time.fixed_zone('X', -3600)):format('15 MST'),
            a:unix_nano(), a:truncate(time.parse_duration('1s')):nanosecond(), a:round(time.parse_duration('1s')):unix(), tostring(time.parse_duration('1m30.5s'))}",
        json!([false, true, false, 500, 0.5, 20, 15, "14 X", 1_703_862_245_500_000_000_i64, 0, 1_703_862_246, "90.5s"]),
    );
    check(
        &handlers,
        "local d = time.parse_duration return {d('2562047h'):hours(), d('8760h0.000000001s'):nanoseconds(), d('-1.5h'):minutes(), d('.5s'):milliseconds()}",
        json!([2_562_047.0, 31_536_000_000_000_001_i64, -90.0, 500]),
    );
    let (value, _) = exchange(&handlers, "return time.now():format_rfc3339()", &[("time", Ok(json!(0.25)))]);
    assert_eq!(value["value"], json!("1970-01-01T00:00:00Z"));
    for (source, kind) in [
        ("time.parse(time.RFC3339, 'invalid')", "INVALID"),
        ("time.parse_duration('1x')", "INVALID"),
        ("time.parse_duration('')", "INVALID"),
        ("time.fixed_zone('x', -2147483648)", "INVALID"),
        ("(function() local t = time.unix(0) t._offset = -2147483648 return t:format('-07:00') end)()", "INVALID"),
        ("time.load_location('America/New_York')", "NOT_FOUND"),
        ("time.load_location('')", "INVALID"),
        ("time.unix(0).add(1)", "INVALID"),
        ("time.unix(0):sub({})", "INVALID"),
    ] {
        assert_eq!(error_of(&handlers, source).1, kind, "{source}");
    }
}
