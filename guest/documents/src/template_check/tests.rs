//! Tests of single rules.

mod hostile;

use super::check;

/// Returns the problems as `line:column: message`.
fn problems(source: impl AsRef<[u8]>) -> Vec<String> {
    let shown = |problem: crate::problem::Problem| {
        format!("{}:{}: {}", problem.position.line, problem.position.column, problem.message)
    };
    check(source.as_ref()).into_iter().map(shown).collect()
}

#[track_caller]
fn check_problems(source: &str, expected: &[&str]) {
    assert_eq!(problems(source), expected, "{source}");
}

/// A template with every form of the subset.
const EVERY_FORM: &str = r#"<!doctype html>
<style>@media print { a { color: #000 } } b{}</style>
{% render 'head' %}
{%- render "nav", posts: site.posts, current: post.slug, n: -1.5, t: 'x' -%}
{{ post.title | escape }}{{- 'a' | append: "b", c | default: 'none', allow_false: true -}}
{{ "read_more" | i18n: post.language }} {{ post["title"].size }} {{ posts[0][names[i]] | markdown }}
{% if post.language == "de" and posts.size > 0 or draft? %}
  {%if a%}1{%elsif b == empty%}2{%else%}3{%endif%}
{% elsif post.kind == 'not-found' %}
  {% for tag in post.tags %}{{ tag | slugify | url_encode }}{% endfor %}
{% else %}
  {%
    assign title = post.title
      | default: "é } % {"
  %}
{% endif %}
}} %} { % } {"a":{"b":1}}
"#;

#[test]
fn correct_template_has_no_problems() {
    check_problems("", &[]);
    check_problems("{", &[]);
    check_problems("just text", &[]);
    check_problems(EVERY_FORM, &[]);
    check_problems(&EVERY_FORM.replace('\n', "\r\n"), &[]);
    check_problems("{{-a-}}{%-if a-%}{%-endif-%}", &[]);
    check_problems("{{ a-b }}{{ -1 }}{{ not }}{% if not or not == 1 %}{% endif %}", &[]);
}

#[test]
fn unsupported_name_is_named() {
    check_problems("{{ a | upcase }}", &["1:8: unsupported filter: upcase"]);
    check_problems(
        "{{ a | upcase: 1 | escape | split: ',' }}\n{% assign b = a | size %}",
        &["1:8: unsupported filter: upcase", "1:29: unsupported filter: split", "2:19: unsupported filter: size"],
    );
    check_problems("{% include 'x' %}", &["1:4: unsupported tag: include"]);
    check_problems("{%- liquid\n echo 'x' -%}", &["1:5: unsupported tag: liquid"]);
    check_problems("{% # note %}", &["1:4: unsupported tag: #"]);
    check_problems("{% elseif a %}", &["1:4: unsupported tag: elseif"]);
    check_problems("{% endraw %}", &["1:4: unsupported tag: endraw"]);
}

#[test]
fn unsupported_block_is_reported_once() {
    check_problems("{% capture x %}{{ a }}{% endcapture %}", &["1:4: unsupported tag: capture"]);
    check_problems("{% unless a %}1{% else %}2{% endunless %}", &["1:4: unsupported tag: unless"]);
    check_problems(
        "{% raw %}{{ ' }}{% x %}{%- endraw -%}{{ | }}",
        &["1:4: unsupported tag: raw", "1:41: expected a value, found '|'"],
    );
    check_problems("{% comment %} it's {{ {% endcommentary %}{%endcomment%}", &["1:4: unsupported tag: comment"]);
    check_problems(
        "{% comment %}{% if a %}",
        &["1:4: unsupported tag: comment", "1:14: if is not closed: endif is missing"],
    );
    check_problems(
        "{% case a %}{% when 1 %}x{% else %}y{% endcase %}",
        &["1:4: unsupported tag: case", "1:16: unsupported tag: when"],
    );
}

#[test]
fn unsupported_operator_names_the_supported_ones() {
    for (condition, column, operator) in [
        ("a != b", 9, "!="),
        ("a < b", 9, "<"),
        ("a <= b", 9, "<="),
        ("a >= b", 9, ">="),
        ("a <> b", 9, "<>"),
        ("a contains 'b'", 9, "contains"),
        ("a = b", 9, "="),
        ("a && b", 9, "&&"),
        ("a || b", 9, "||"),
        ("not a", 7, "not"),
        ("!a", 7, "!"),
        ("a == b and not c", 18, "not"),
    ] {
        let message = format!("1:{column}: unsupported operator: {operator} (supported are ==, >, and, or)");
        check_problems(&format!("{{% if {condition} %}}{{% endif %}}"), &[&message]);
    }
    check_problems("{{ a + b }}", &["1:6: operator + cannot be used here"]);
    check_problems("{{ a == b }}", &["1:6: operator == cannot be used here"]);
    check_problems("{% if a == b == c %}{% endif %}", &["1:14: operator == cannot be used here"]);
}

#[test]
fn blocks_are_matched() {
    check_problems("{% endfor %}", &["1:4: endfor without for"]);
    check_problems(
        "{% endif %}{% else %}{% elsif a %}",
        &["1:4: endif without if", "1:15: else without if", "1:25: elsif without if"],
    );
    check_problems("a\n {% if a %}\n", &["2:2: if is not closed: endif is missing"]);
    check_problems("{% if a %}{% for b in c %}{% endif %}", &["1:11: for is not closed: endfor is missing"]);
    check_problems("{% if a %}{% endfor %}{% endif %}", &["1:14: endfor without for"]);
    check_problems("{% for a in b %}{% else %}{% endfor %}", &["1:20: else without if: the innermost block is a for"]);
    check_problems(
        "{% if a %}{% else %}{% elsif b %}{% else %}{% endif %}",
        &["1:24: elsif after else", "1:37: else after else"],
    );
    // A mistake within a tag does not make its block a problem.
    check_problems(
        "{% if %}{% endif %}{% for a %}{% endfor %}",
        &["1:7: expected a value, found the end of the tag", "1:29: expected 'in', found the end of the tag"],
    );
}

#[test]
fn unclosed_markup_is_reported_where_it_begins() {
    check_problems("a {{ b", &["1:3: '{{' is not closed: '}}' is missing"]);
    check_problems("{{ a } {% if b %}{% endif %}", &["1:1: '{{' is not closed: '}}' is missing"]);
    check_problems("{% if a\n{{ b }}{% endif %}", &["1:1: '{%' is not closed: '%}' is missing"]);
    check_problems(
        "{{ a\n{{ b }}{% {{ '{{' }}",
        &["1:1: '{{' is not closed: '}}' is missing", "2:8: '{%' is not closed: '%}' is missing"],
    );
    check_problems("{% if a %}{{ b {% endif %}", &["1:11: '{{' is not closed: '}}' is missing"]);
}

#[test]
fn mistake_within_a_tag_has_its_position() {
    for (source, problem) in [
        ("{{ }}", "1:1: the output is empty"),
        ("{%-%}", "1:1: the tag is empty"),
        ("{{ 'a }}", "1:4: the string is not closed before the end of the tag"),
        ("{{ a | }}", "1:8: expected the name of a filter, found the end of the tag"),
        ("{{ a | default: }}", "1:17: expected a value, found the end of the tag"),
        ("{{ a | default 1 }}", "1:16: expected the end of the tag, found '1'"),
        ("{{ a.1 }}", "1:6: expected the name of a property, found '1'"),
        ("{{ a[1 }}", "1:8: expected ']', found the end of the tag"),
        ("{{ a b }}", "1:6: expected the end of the tag, found 'b'"),
        ("{{ a, b }}", "1:5: expected the end of the tag, found ','"),
        ("{{ é }}", "1:4: expected a value, found 'é'"),
        ("{{ a 'b }}", "1:6: expected the end of the tag, found a string that is not closed"),
        ("{% assign = 1 %}", "1:11: expected the name of a variable, found '='"),
        ("{% assign a 1 %}", "1:13: expected '=', found '1'"),
        ("{% assign a.b = 1 %}", "1:12: expected '=', found '.'"),
        ("{% render name %}", "1:11: expected the name of a template in quotes, found 'name'"),
        ("{% render 'a' b: 1 %}", "1:15: unsupported parameter of render: b"),
        ("{% render 'a' with b %}", "1:15: unsupported parameter of render: with"),
        ("{% render 'a', b %}", "1:18: expected ':', found the end of the tag"),
        ("{% render 'a', %}", "1:16: expected the name of a parameter, found the end of the tag"),
        ("{% for a in (1..3) %}{% endfor %}", "1:13: ranges and parentheses are not supported"),
        ("{% for a in 'b' %}{% endfor %}", "1:13: expected a list, found ''b''"),
        ("{% for a in b limit: 3 %}{% endfor %}", "1:15: unsupported parameter of for: limit"),
        ("{% for a in b reversed %}{% endfor %}", "1:15: unsupported parameter of for: reversed"),
        ("{% if (a) %}{% endif %}", "1:7: ranges and parentheses are not supported"),
        ("{% if a | size %}{% endif %}", "1:9: filters cannot be used in a condition: assign their result first"),
        ("{% if a and %}{% endif %}", "1:13: expected a value, found the end of the tag"),
        ("{% if a %}{% else if b %}{% endif %}", "1:19: expected the end of the tag, found 'if'"),
        ("{% if a %}{% endif a %}", "1:20: expected the end of the tag, found 'a'"),
    ] {
        check_problems(source, &[problem]);
    }
}

#[test]
fn template_must_be_utf8() {
    assert_eq!(problems(b"a\n{{ b }}\xff{{ | }}"), ["2:8: template is not UTF-8"]);
}
