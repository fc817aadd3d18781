//! Tests of all functions of `alc.math` against values of other programs (SciPy 1.17, NumPy 2.4), and of distributions
//! against their moments.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::library_host::{TestHost, error, value};

const V: &str = "{2.5,3.1,-1.2,7.75,4.4,0.3,3.1}";
const W: &str = "{1.1,2.9,-0.4,6.2,5.0,0.9,2.0}";
const X: &str = "{5.1,4.9,6.2,5.7,6.0}";
const Y: &str = "{6.8,7.1,5.9,7.4,6.6,7.0}";
const P: &str = "{0.5,0.3,0.2}";
const Q: &str = "{0.4,0.4,0.2}";

/// A call, its value, and the tolerance relative to the greater of 1 and the value.
type Reference = (&'static str, fn() -> Json, f64);

/// The tolerance for approximations of special functions.
const NEAR: f64 = 1e-9;

const REFERENCES: &[Reference] = &[
    ("mean(V)", || json!(2.85), 1e-14),
    ("variance(V)", || json!(8.260833333333336), 1e-14),
    ("variance({4})", || json!(0.0), 0.0),
    ("stddev(V)", || json!(2.874166545858701), 1e-14),
    ("median(V)", || json!(3.1), 1e-14),
    ("median({4,1,3,2})", || json!(2.5), 1e-14),
    ("percentile(V, 90)", || json!(5.740000000000001), 1e-14),
    ("percentile(V, 10)", || json!(-0.2999999999999999), 1e-14),
    ("percentile(V, 100)", || json!(7.75), 1e-14),
    ("iqr(V)", || json!(2.35), 1e-14),
    ("covariance(V, W)", || json!(6.3825), 1e-14),
    ("correlation(V, W)", || json!(0.9429749325745609), 1e-14),
    ("softmax({1, 2, -0.5})", || json!([0.25371618163502524, 0.6896720861245036, 0.05661173224047129]), 1e-14),
    ("softmax({1000, 1000})", || json!([0.5, 0.5]), 1e-14),
    ("log_normalize({1, 5.5, 20})", || json!([22.7670248696953, 61.48097822203121, 100.0]), 1e-13),
    ("histogram(V, 4)", || json!({ "counts": [2, 3, 1, 1], "edges": [-1.2, 1.0375, 3.275, 5.5125, 7.75] }), 1e-14),
    ("histogram({5, 5}, 2)", || json!({ "counts": [2, 0], "edges": [5.0, 5.5, 6.0] }), 1e-14),
    (
        "wilson_ci(7, 10, 0.95)",
        || json!({ "lower": 0.39677814746114537, "upper": 0.8922087325936989, "center": 0.6444934400274221 }),
        NEAR,
    ),
    (
        "wilson_ci(0, 5, 0.9)",
        || json!({ "lower": 0.0, "upper": 0.3511165007651012, "center": 0.1755582503825506 }),
        NEAR,
    ),
    ("normal_cdf(1.3, 0.5, 2)", || json!(0.6554217416103242), NEAR),
    ("beta_cdf(0.3, 2, 5)", || json!(0.579825), NEAR),
    ("gamma_cdf(3, 2.5, 1.5)", || json!(0.4505840486472198), NEAR),
    ("poisson_cdf(4, 3.2)", || json!(0.7806125110673042), NEAR),
    ("normal_inverse_cdf(0.9, 10, 3)", || json!(13.844654696633802), NEAR),
    ("normal_ppf(0.025)", || json!(-1.9599639845400545), NEAR),
    ("beta_ppf(0.7, 2, 5)", || json!(0.36035769038002013), 1e-6),
    ("beta_mean(2, 5)", || json!(0.2857142857142857), 1e-15),
    ("beta_variance(2, 5)", || json!(0.025510204081632654), 1e-15),
    ("erf(0.7)", || json!(0.6778011938374183), NEAR),
    ("erfc(1.9)", || json!(0.007209570764742531), NEAR),
    ("lgamma(7.3)", || json!(7.147892523022249), NEAR),
    ("beta(2.5, 3.5)", || json!(0.036815538909255395), NEAR),
    ("ln_beta(12, 30.5)", || json!(-25.444291440371234), NEAR),
    ("regularized_incomplete_beta(0.4, 2.5, 1.5)", || json!(0.17392765793651), NEAR),
    ("regularized_incomplete_gamma(2.5, 3.3)", || json!(0.7478718492273353), NEAR),
    ("digamma(3.7)", || json!(1.1671535393615113), NEAR),
    ("factorial(20)", || json!(2432902008176640000.0), 1e-15),
    ("factorial(0)", || json!(1.0), 0.0),
    ("ln_factorial(50)", || json!(148.47776695177302), NEAR),
    ("logsumexp({1000, 1000.5, -3})", || json!(1000.9740769841801), NEAR),
    ("logit(0.8)", || json!(1.3862943611198908), 1e-14),
    ("expit(-2.2)", || json!(0.09975048911968513), 1e-14),
    ("expit(-1000)", || json!(0.0), 0.0),
    (
        "welch_t_test(X, Y)",
        || json!({ "t_stat": -3.7111965243296097, "df": 8.318471952583295, "p_value": 0.005550376793808451 }),
        NEAR,
    ),
    (
        "mann_whitney_u(X, Y)",
        || json!({ "u_stat": 2.0, "z_score": -2.37346441585572, "p_value": 0.017622090962324432 }),
        NEAR,
    ),
    (
        "mann_whitney_u({1,2,2,3,3}, {2,3,4,4,5}, { tie_correction = true })",
        || json!({ "u_stat": 4.0, "z_score": -1.8260929288005538, "p_value": 0.0678362651725167 }),
        NEAR,
    ),
    (
        "chi_squared_test({18,22,30,30}, {25,25,25,25})",
        || json!({ "chi2_stat": 4.32, "df": 3.0, "p_value": 0.22891886433610517 }),
        NEAR,
    ),
    ("ks_test(X, Y)", || json!({ "d_stat": 0.8333333333333334, "p_value": 0.018331495704105135 }), NEAR),
    ("rank(V)", || json!([3.0, 4.5, 1.0, 7.0, 6.0, 2.0, 4.5]), 0.0),
    ("spearman_correlation(V, W)", || json!(0.991031208965115), 1e-14),
    ("kendall_tau(V, W)", || json!(0.9759000729485333), 1e-14),
    ("kendall_tau({1,2,2,3,4}, {1,3,3,2,5})", || json!(0.5555555555555556), 1e-14),
    ("ndcg({3,2,3,0,1,2}, 4)", || json!(0.8530852898337354), 1e-14),
    ("mrr({1, 3, 2, 0})", || json!(0.4583333333333333), 1e-15),
    ("entropy(P)", || json!(1.0296530140645737), 1e-14),
    ("kl_divergence(P, Q)", || json!(0.025267153921570557), 1e-14),
    ("js_divergence(P, Q)", || json!(0.006367198333995694), 1e-14),
    ("cross_entropy(P, Q)", || json!(1.0549201679861442), 1e-14),
    ("moving_average({1,2,4,8,16}, 3)", || json!([2.333333333333333, 4.666666666666666, 9.333333333333332]), 1e-14),
    ("ewma({1,2,4,8}, 0.3)", || json!([1.0, 1.3, 2.11, 3.877]), 1e-14),
    ("autocorrelation({1,3,2,5,4,6}, 2)", || json!(0.34285714285714286), 1e-14),
    ("autocorrelation({1,3,2}, 0)", || json!(1.0), 0.0),
    // The order of Heap's algorithm.
    ("permutations(3)", || json!([[1, 2, 3], [2, 1, 3], [3, 1, 2], [1, 3, 2], [2, 3, 1], [3, 2, 1]]), 0.0),
];

/// The first draws of a generator with seed 42 in the original.
const DRAWS: &[Reference] =
    &[("rng_int(r, 1, 100)", || json!(53), 0.0), ("rng_float(r)", || json!(0.5265574090027738), 0.0)];

/// Samplers with the mean and variance of their distributions.
const SAMPLERS: &[(&str, f64, f64)] = &[
    ("rng_float(r)", 0.5, 1.0 / 12.0),
    ("rng_int(r, -3, 6)", 1.5, 99.0 / 12.0),
    ("normal_sample(r, 10, 3)", 10.0, 9.0),
    ("beta_sample(r, 2, 5)", 2.0 / 7.0, 10.0 / 392.0),
    ("gamma_sample(r, 2.5, 1.5)", 3.75, 5.625),
    ("exp_sample(r, 4)", 0.25, 0.0625),
    ("uniform_sample(r, -2, 6)", 2.0, 64.0 / 12.0),
    ("lognormal_sample(r, 0.2, 0.5)", 1.3840306459807514, 0.5440659021795574),
    ("student_t_sample(r, 12)", 0.0, 1.2),
    ("chi_squared_sample(r, 5)", 5.0, 10.0),
    ("poisson_sample(r, 3.2)", 3.2, 3.2),
    ("binomial_sample(r, 20, 0.3)", 6.0, 4.2),
    ("dirichlet_sample(r, { 2, 3, 5 })[1]", 0.2, 0.16 / 11.0),
    ("categorical_sample(r, { 1, 2, 1 })", 2.0, 0.5),
    ("shuffle(r, { 1, 2, 3, 4 })[1]", 2.5, 1.25),
    ("sample_with_replacement(r, { 1, 2, 3, 4 }, 1)[1]", 2.5, 1.25),
];

fn script(call: &str) -> String {
    let data = [("V", V), ("W", W), ("X", X), ("Y", Y), ("P", P), ("Q", Q)];
    let locals: String = data.iter().map(|(name, data)| format!("local {name} = {data} ")).collect();
    format!("{locals} local r = alc.math.rng_create(42) return (alc.math.{call})")
}

/// Whether two documents have the same structure, and numbers of the same type within the tolerance.
fn is_near(found: &Json, expected: &Json, tolerance: f64) -> bool {
    match (found, expected) {
        (Json::Number(found), Json::Number(expected)) => {
            let (a, b) = (found.as_f64().unwrap(), expected.as_f64().unwrap());
            found.is_i64() == expected.is_i64() && (a - b).abs() <= tolerance * b.abs().max(1.0)
        }
        (Json::Array(found), Json::Array(expected)) => {
            found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| is_near(a, b, tolerance))
        }
        (Json::Object(found), Json::Object(expected)) => {
            found.len() == expected.len()
                && expected.iter().all(|(key, b)| found.get(key).is_some_and(|a| is_near(a, b, tolerance)))
        }
        (found, expected) => found == expected,
    }
}

#[test]
fn functions_match_reference_values() {
    for (call, expected, tolerance) in REFERENCES.iter().chain(DRAWS) {
        let found = value(&script(call));
        assert!(is_near(&found, &expected(), *tolerance), "{call}: {found}, not {}", expected());
    }
}

#[test]
fn every_function_has_a_reference_value() {
    let named = |call: &str| call.split('(').next().unwrap().to_owned();
    let mut tested: BTreeSet<String> = REFERENCES.iter().chain(DRAWS).map(|(call, _, _)| named(call)).collect();
    tested.extend(SAMPLERS.iter().map(|(call, _, _)| named(call)));
    tested.insert("rng_create".to_owned());
    let there = value("local names = {} for name in pairs(alc.math) do names[#names + 1] = name end return names");
    let there: BTreeSet<String> =
        there.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect();
    assert_eq!(there, tested);
    assert_eq!(there.len(), 68);
}

#[test]
fn draws_match_moments_of_their_distribution() {
    // The seed is fixed, so the test is deterministic. Five standard errors would suffice for any seed.
    let draws = 20_000.0;
    for (call, mean, variance) in SAMPLERS {
        let moments = value(&format!(
            "local r, draws = alc.math.rng_create(7), {{}} for i = 1, {draws} do draws[i] = alc.math.{call} end
             return {{ alc.math.mean(draws), alc.math.variance(draws) }}"
        ));
        let (found, spread) = (moments[0].as_f64().unwrap(), moments[1].as_f64().unwrap());
        assert!((found - mean).abs() < 5.0 * (variance / draws).sqrt(), "{call}: mean {found}, not {mean}");
        assert!((spread / variance - 1.0).abs() < 0.15, "{call}: variance {spread}, not {variance}");
    }
}

#[test]
fn equal_seeds_draw_equal_independent_sequences() {
    let both = value(
        "local a, b = alc.math.rng_create(42), alc.math.rng_create(42)
         local first = { alc.math.rng_float(a), alc.math.rng_float(a) }
         return { first, { alc.math.rng_float(b), alc.math.rng_float(b) } }",
    );
    assert_eq!(both, json!([[0.5265574090027738, 0.5427252099031439], [0.5265574090027738, 0.5427252099031439]]));
}

#[test]
fn shuffle_returns_a_new_list() {
    let both = value(
        "local items = { 1, 2, 3, 4, 5, 6 } local shuffled = alc.math.shuffle(alc.math.rng_create(1), items)
         local sorted = { table.unpack(shuffled) } table.sort(sorted) return { items, sorted, shuffled ~= items }",
    );
    assert_eq!(both, json!([[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], true]));
    assert_eq!(value("return alc.math.shuffle(alc.math.rng_create(1), json.array())"), json!({}));
}

#[test]
fn invalid_arguments_error_names_the_function() {
    for (call, expected) in [
        ("mean()", "bad argument #1 to 'math.mean' (table expected, got no value)"),
        ("mean({})", "alc.math.mean: expected non-empty array"),
        ("mean({ 1, 0/0 })", "alc.math.mean: element at index 2 is NaN (NaN/Infinity not allowed)"),
        ("mean({ 1, {} })", "alc.math.mean: unsuitable table (expected number or string coercible to number)"),
        ("rng_create(-1)", "bad argument #1 to 'math.rng_create' (expected 0 to 9223372036854775807, got -1)"),
        ("rng_create(1.5)", "bad argument #1 to 'math.rng_create' (number has no integer representation)"),
        ("rng_float({})", "bad argument #1 to 'math.rng_float' (rng expected, got table)"),
        ("rng_int(r, 2, 1)", "alc.math.rng_int: min (2) must be <= max (1)"),
        ("percentile(V, 101)", "alc.math.percentile: p must be in [0, 100], got 101"),
        ("covariance({1, 2}, {1})", "alc.math.covariance: arrays must have equal length"),
        ("histogram(V, 0)", "alc.math.histogram: bins must be > 0"),
        ("histogram(V, 1e9)", "bad argument #2 to 'math.histogram' (expected 0 to 1000000, got 1000000000)"),
        (
            "sample_with_replacement(r, V, 1e12)",
            "bad argument #3 to 'math.sample_with_replacement' (expected 0 to 10000000, got 1000000000000)",
        ),
        ("beta(0, 1)", "bad argument #1 to 'math.beta' (expected a number above 0, up to 1e12, got 0)"),
        ("ln_beta(1, -2)", "bad argument #2 to 'math.ln_beta' (expected a number above 0, up to 1e12, got -2)"),
        (
            "regularized_incomplete_beta(1.5, 1, 1)",
            "bad argument #1 to 'math.regularized_incomplete_beta' (expected a number from 0 to 1, got 1.5)",
        ),
        (
            "regularized_incomplete_gamma(1, -1)",
            "bad argument #2 to 'math.regularized_incomplete_gamma' (expected a number above 0, up to 1e12, got -1)",
        ),
        ("wilson_ci(1, 2, 2)", "bad argument #3 to 'math.wilson_ci' (expected a number from 0 to 1, got 2)"),
        ("factorial(171)", "alc.math.factorial: n > 170 overflows f64"),
        ("permutations(9)", "alc.math.permutations: n > 8 not supported (8! = 40320)"),
        ("logit(1)", "alc.math.logit: p must be in (0, 1), got 1"),
        ("entropy({0.5, 0.6})", "alc.math.entropy: probabilities must sum to 1"),
        ("mrr({})", "alc.math.mrr: expected non-empty array"),
        ("mrr({1, 1.5})", "alc.math.mrr: rank 2 is not a whole number of 0 or more"),
        ("mrr({-1})", "alc.math.mrr: rank 1 is not a whole number of 0 or more"),
        ("welch_t_test({1}, {2, 3})", "alc.math.welch_t_test: each group needs at least 2 values"),
        ("categorical_sample(r, {0, 0})", "alc.math.categorical_sample: Not enough weights > zero"),
    ] {
        let found = error(&script(call));
        assert!(found.starts_with("script:1: "), "{call}: {found}");
        assert!(found.ends_with(expected), "{call}: {found}");
    }
}

#[test]
fn edge_case_numbers_never_panic() {
    // Calls functions of numbers with every combination of edge cases.
    let numbers = [
        "0",
        "-0.0",
        "1",
        "-1",
        "0.5",
        "1e308",
        "-1e308",
        "1e-308",
        "1/0",
        "-1/0",
        "0/0",
        "171",
        "math.mininteger",
        "math.maxinteger",
    ];
    let functions = [
        ("erf", 1),
        ("erfc", 1),
        ("lgamma", 1),
        ("digamma", 1),
        ("factorial", 1),
        ("expit", 1),
        ("logit", 1),
        ("normal_ppf", 1),
        ("beta", 2),
        ("ln_beta", 2),
        ("beta_mean", 2),
        ("beta_variance", 2),
        ("poisson_cdf", 2),
        ("regularized_incomplete_gamma", 2),
    ];
    for (function, arity) in functions {
        for a in numbers {
            for b in if arity == 2 { &numbers[..] } else { &numbers[..1] } {
                let arguments = if arity == 2 { format!("{a}, {b}") } else { a.to_owned() };
                let ran = TestHost::default()
                    .run(&format!("local ok, v = pcall(alc.math.{function}, {arguments}) return {{ ok, type(v) }}"));
                let is_error = ran.value() == json!([false, "string"]);
                assert!(
                    is_error || ran.value() == json!([true, "number"]),
                    "{function}({arguments}): {:?}",
                    ran.returned
                );
            }
        }
    }
}
