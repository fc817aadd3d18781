//! `alc.math`: the functions of the crate mlua-mathlib, restricted to arguments that the crate supports.
//!
//! Never: draws a number without the script's own generator, or lets a panic of the crate escape: it is a script error.

use std::panic::{AssertUnwindSafe, catch_unwind};

use mlua::{MultiValue, Value};

use super::function::{
    FunctionBody, FunctionCall, FunctionParam, FunctionReturn, LibraryFunction, ParamKind, as_float, optional_param,
    param, returns,
};
use crate::library::module_error::error_text;
use crate::limits::{MAX_HISTOGRAM_BINS, MAX_MATH_DRAWS};

const RNG: FunctionParam = param("rng", ParamKind::Rng, "alc.Rng", "");
const VALUES: FunctionParam = param("values", ParamKind::Table, "number[]", "");
const XS: FunctionParam = param("xs", ParamKind::Table, "number[]", "");
const YS: FunctionParam = param("ys", ParamKind::Table, "number[]", "");
const X: FunctionParam = param("x", ParamKind::Number, "number", "");
const PROBABILITY_P: FunctionParam = param("p", ParamKind::UnitInterval, "number", "from 0 to 1");
const DISTRIBUTION_P: FunctionParam = param("p", ParamKind::Table, "number[]", "shares that add up to 1");
const DISTRIBUTION_Q: FunctionParam = param("q", ParamKind::Table, "number[]", "shares that add up to 1");
const NUMBER: &[FunctionReturn] = &[returns("number", "")];
const NUMBERS: &[FunctionReturn] = &[returns("number[]", "")];
const PROBABILITY: &[FunctionReturn] = &[returns("number", "p")];
const CORRELATION: &[FunctionReturn] = &[returns("number", "r from -1 to 1")];

/// Describes a function of the crate.
const fn math_function(
    name: &'static str,
    doc: &'static str,
    params: &'static [FunctionParam],
    returns: &'static [FunctionReturn],
) -> LibraryFunction {
    LibraryFunction { name, doc, generics: "", params, returns, body: FunctionBody::Math }
}

const fn number_param(name: &'static str, doc: &'static str) -> FunctionParam {
    param(name, ParamKind::Number, "number", doc)
}

const fn positive_param(name: &'static str) -> FunctionParam {
    param(name, ParamKind::Positive, "number", "above 0")
}

const fn integer_param(name: &'static str, most: u64, doc: &'static str) -> FunctionParam {
    param(name, ParamKind::UpTo(most), "integer", doc)
}

/// The greatest integer, for parameters whose range the crate checks itself.
const MAX_INTEGER: u64 = i64::MAX as u64;

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    math_function(
        "alc.math.rng_create",
        "Makes a generator of random numbers; the same seed gives the same numbers.",
        &[integer_param("seed", MAX_INTEGER, "")],
        &[returns("alc.Rng", "")],
    ),
    math_function("alc.math.rng_float", "Draws a number.", &[RNG], &[returns("number", "x in [0, 1)")]),
    math_function(
        "alc.math.rng_int",
        "Draws a whole number.",
        &[RNG, param("min", ParamKind::Integer, "integer", ""), param("max", ParamKind::Integer, "integer", "")],
        &[returns("integer", "n from min to max, both included")],
    ),
    LibraryFunction {
        name: "alc.math.shuffle",
        doc: "Puts elements into a random order, in a new list.",
        generics: "T",
        params: &[RNG, param("items", ParamKind::Table, "T[]", "stays as it is")],
        returns: &[returns("T[]", "shuffled")],
        body: FunctionBody::Math,
    },
    LibraryFunction {
        name: "alc.math.sample_with_replacement",
        doc: "Draws elements, each any number of times.",
        generics: "T",
        params: &[RNG, param("items", ParamKind::Table, "T[]", ""), integer_param("n", MAX_MATH_DRAWS, "")],
        returns: &[returns("T[]", "drawn")],
        body: FunctionBody::Math,
    },
    math_function(
        "alc.math.normal_sample",
        "Draws from a normal distribution.",
        &[RNG, number_param("mean", ""), number_param("stddev", "")],
        NUMBER,
    ),
    math_function(
        "alc.math.beta_sample",
        "Draws from a beta distribution.",
        &[RNG, number_param("alpha", ""), number_param("beta", "")],
        &[returns("number", "x in [0, 1]")],
    ),
    math_function(
        "alc.math.gamma_sample",
        "Draws from a gamma distribution.",
        &[RNG, number_param("shape", ""), number_param("scale", "")],
        NUMBER,
    ),
    math_function(
        "alc.math.exp_sample",
        "Draws from an exponential distribution.",
        &[RNG, number_param("lambda", "the rate")],
        NUMBER,
    ),
    math_function(
        "alc.math.uniform_sample",
        "Draws evenly from an interval.",
        &[RNG, number_param("low", ""), number_param("high", "")],
        NUMBER,
    ),
    math_function(
        "alc.math.lognormal_sample",
        "Draws a number whose logarithm is normally distributed.",
        &[
            RNG,
            number_param("mu", "mean of the logarithm"),
            number_param("sigma", "standard deviation of the logarithm"),
        ],
        NUMBER,
    ),
    math_function(
        "alc.math.student_t_sample",
        "Draws from Student's distribution.",
        &[RNG, number_param("df", "degrees of freedom")],
        NUMBER,
    ),
    math_function(
        "alc.math.chi_squared_sample",
        "Draws from a chi-squared distribution.",
        &[RNG, number_param("df", "degrees of freedom")],
        NUMBER,
    ),
    math_function(
        "alc.math.poisson_sample",
        "Draws from Poisson's distribution.",
        &[RNG, number_param("lambda", "the mean")],
        &[returns("integer", "")],
    ),
    math_function(
        "alc.math.binomial_sample",
        "Draws from a binomial distribution.",
        &[RNG, integer_param("n", MAX_INTEGER, "trials"), number_param("p", "probability of success, from 0 to 1")],
        &[returns("integer", "successes")],
    ),
    math_function(
        "alc.math.dirichlet_sample",
        "Draws from Dirichlet's distribution.",
        &[RNG, param("alphas", ParamKind::Table, "number[]", "two or more")],
        &[returns("number[]", "shares that add up to 1")],
    ),
    math_function(
        "alc.math.categorical_sample",
        "Draws one of several, with these weights.",
        &[RNG, param("weights", ParamKind::Table, "number[]", "")],
        &[returns("integer", "index from 1")],
    ),
    math_function("alc.math.mean", "The arithmetic mean.", &[VALUES], NUMBER),
    math_function("alc.math.variance", "Variance of a sample (n - 1); 0 for one value.", &[VALUES], NUMBER),
    math_function("alc.math.stddev", "Standard deviation of a sample (n - 1); 0 for one value.", &[VALUES], NUMBER),
    math_function("alc.math.median", "The middle value, or the mean of the two in the middle.", &[VALUES], NUMBER),
    math_function(
        "alc.math.percentile",
        "The value below which a part of the data lies, with linear interpolation between neighbours.",
        &[VALUES, number_param("p", "from 0 to 100")],
        NUMBER,
    ),
    math_function("alc.math.iqr", "The distance between the 25th and the 75th percentile.", &[VALUES], NUMBER),
    math_function("alc.math.covariance", "Covariance of two samples of one length (n - 1).", &[XS, YS], NUMBER),
    math_function("alc.math.correlation", "Pearson's correlation.", &[XS, YS], CORRELATION),
    math_function(
        "alc.math.softmax",
        "Exponentials, scaled to add up to 1.",
        &[VALUES],
        &[returns("number[]", "shares that add up to 1")],
    ),
    math_function(
        "alc.math.log_normalize",
        "Brings values above 0 to a logarithmic scale on which the greatest is 100.",
        &[VALUES],
        NUMBERS,
    ),
    math_function(
        "alc.math.histogram",
        "Counts values in bins of one width.",
        &[VALUES, integer_param("bins", MAX_HISTOGRAM_BINS, "")],
        &[returns("{ counts: integer[], edges: number[] }", "histogram with one edge more than bins")],
    ),
    math_function(
        "alc.math.wilson_ci",
        "Wilson's interval for a share.",
        &[
            number_param("successes", ""),
            number_param("total", ""),
            param("confidence", ParamKind::UnitInterval, "number", "from 0 to 1, such as 0.95"),
        ],
        &[returns("{ lower: number, upper: number, center: number }", "interval within [0, 1]")],
    ),
    math_function(
        "alc.math.normal_cdf",
        "Probability of at most `x`, normally distributed.",
        &[X, number_param("mu", ""), number_param("sigma", "")],
        PROBABILITY,
    ),
    math_function(
        "alc.math.beta_cdf",
        "Probability of at most `x`, beta distributed.",
        &[X, number_param("alpha", ""), number_param("beta", "")],
        PROBABILITY,
    ),
    math_function(
        "alc.math.gamma_cdf",
        "Probability of at most `x`, gamma distributed.",
        &[X, positive_param("shape"), positive_param("scale")],
        PROBABILITY,
    ),
    math_function(
        "alc.math.poisson_cdf",
        "Probability of at most `k`, distributed like Poisson's.",
        &[integer_param("k", 1_000_000_000_000, ""), number_param("lambda", "")],
        PROBABILITY,
    ),
    math_function(
        "alc.math.normal_inverse_cdf",
        "The value that is not exceeded with a probability, normally distributed.",
        &[PROBABILITY_P, number_param("mu", ""), number_param("sigma", "")],
        &[returns("number", "x")],
    ),
    math_function(
        "alc.math.normal_ppf",
        "The same for the standard normal distribution.",
        &[PROBABILITY_P],
        &[returns("number", "x")],
    ),
    math_function(
        "alc.math.beta_ppf",
        "The value that is not exceeded with a probability, beta distributed.",
        &[PROBABILITY_P, number_param("alpha", ""), number_param("beta", "")],
        &[returns("number", "x")],
    ),
    math_function(
        "alc.math.beta_mean",
        "Mean of a beta distribution.",
        &[number_param("alpha", ""), number_param("beta", "")],
        NUMBER,
    ),
    math_function(
        "alc.math.beta_variance",
        "Variance of a beta distribution.",
        &[number_param("alpha", ""), number_param("beta", "")],
        NUMBER,
    ),
    math_function("alc.math.erf", "The error function.", &[X], NUMBER),
    math_function("alc.math.erfc", "1 less the error function.", &[X], NUMBER),
    math_function("alc.math.lgamma", "The logarithm of the gamma function.", &[X], NUMBER),
    math_function("alc.math.beta", "The beta function.", &[positive_param("a"), positive_param("b")], NUMBER),
    math_function(
        "alc.math.ln_beta",
        "The logarithm of the beta function.",
        &[positive_param("a"), positive_param("b")],
        NUMBER,
    ),
    math_function(
        "alc.math.regularized_incomplete_beta",
        "The regularised incomplete beta function.",
        &[param("x", ParamKind::UnitInterval, "number", "from 0 to 1"), positive_param("a"), positive_param("b")],
        NUMBER,
    ),
    math_function(
        "alc.math.regularized_incomplete_gamma",
        "The lower regularised incomplete gamma function.",
        &[positive_param("a"), positive_param("x")],
        NUMBER,
    ),
    math_function("alc.math.digamma", "The logarithmic derivative of the gamma function.", &[X], NUMBER),
    math_function("alc.math.factorial", "The factorial.", &[integer_param("n", MAX_INTEGER, "from 0 to 170")], NUMBER),
    math_function(
        "alc.math.ln_factorial",
        "The logarithm of the factorial.",
        &[integer_param("n", MAX_INTEGER, "")],
        NUMBER,
    ),
    math_function("alc.math.logsumexp", "ln(Σ exp(x)).", &[VALUES], NUMBER),
    math_function("alc.math.logit", "ln(p / (1 - p)).", &[number_param("p", "between 0 and 1")], NUMBER),
    math_function("alc.math.expit", "1 / (1 + exp(-x)).", &[X], PROBABILITY),
    math_function(
        "alc.math.welch_t_test",
        "Welch's test for the means of two samples, two-sided.",
        &[XS, YS],
        &[returns("{ t_stat: number, df: number, p_value: number }", "")],
    ),
    math_function(
        "alc.math.mann_whitney_u",
        "The test of Mann and Whitney for two samples, two-sided, by the normal approximation.",
        &[XS, YS, optional_param("opts", ParamKind::Table, "{ tie_correction?: boolean }", "(default false)")],
        &[returns("{ u_stat: number, z_score: number, p_value: number }", "")],
    ),
    math_function(
        "alc.math.chi_squared_test",
        "Pearson's test of counts against what was expected.",
        &[
            param("observed", ParamKind::Table, "number[]", ""),
            param("expected", ParamKind::Table, "number[]", "as many, above 0"),
        ],
        &[returns("{ chi2_stat: number, df: number, p_value: number }", "")],
    ),
    math_function(
        "alc.math.ks_test",
        "The test of Kolmogorov and Smirnov for two samples.",
        &[XS, YS],
        &[returns("{ d_stat: number, p_value: number }", "")],
    ),
    math_function(
        "alc.math.rank",
        "Ranks from 1, in the order of the values; equal values share the average.",
        &[VALUES],
        &[returns("number[]", "ranks")],
    ),
    math_function("alc.math.spearman_correlation", "Spearman's correlation of ranks.", &[XS, YS], CORRELATION),
    math_function("alc.math.kendall_tau", "Kendall's tau-b.", &[XS, YS], CORRELATION),
    math_function(
        "alc.math.ndcg",
        "Normalised discounted cumulative gain, of linear gains.",
        &[
            param("relevance", ParamKind::Table, "number[]", "in the order of the ranking"),
            integer_param("k", MAX_INTEGER, "how many of the first count"),
        ],
        &[returns("number", "gain from 0 to 1")],
    ),
    LibraryFunction {
        name: "alc.math.mrr",
        doc: "Mean of the reciprocal ranks.",
        generics: "",
        params: &[param(
            "ranks",
            ParamKind::Table,
            "integer[]",
            "the rank of each relevant item, from 1; 0 if it was not found",
        )],
        returns: NUMBER,
        body: FunctionBody::Rust(mrr),
    },
    math_function("alc.math.entropy", "Shannon's entropy, in nats.", &[DISTRIBUTION_P], NUMBER),
    math_function(
        "alc.math.kl_divergence",
        "The divergence of Kullback and Leibler, in nats.",
        &[DISTRIBUTION_P, DISTRIBUTION_Q],
        NUMBER,
    ),
    math_function(
        "alc.math.js_divergence",
        "The divergence of Jensen and Shannon, in nats.",
        &[DISTRIBUTION_P, DISTRIBUTION_Q],
        NUMBER,
    ),
    math_function("alc.math.cross_entropy", "Cross entropy, in nats.", &[DISTRIBUTION_P, DISTRIBUTION_Q], NUMBER),
    math_function(
        "alc.math.moving_average",
        "Means of neighbours.",
        &[VALUES, integer_param("window", MAX_INTEGER, "values in each mean")],
        NUMBERS,
    ),
    math_function(
        "alc.math.ewma",
        "Exponentially weighted moving average, beginning with the first value.",
        &[VALUES, number_param("alpha", "weight of the newest, from 0 to 1")],
        NUMBERS,
    ),
    math_function(
        "alc.math.autocorrelation",
        "Correlation of a series with itself, some steps later.",
        &[VALUES, integer_param("lag", MAX_INTEGER, "")],
        CORRELATION,
    ),
    math_function(
        "alc.math.permutations",
        "All orders of the numbers 1 to n.",
        &[integer_param("n", MAX_INTEGER, "at most 8")],
        &[returns("integer[][]", "")],
    ),
];

/// Calls the crate's function of the same name.
pub(super) fn call_mathlib(call: &mut FunctionCall) -> Result<Value, String> {
    let function = call.library.math.get::<mlua::Function>(call.function.base_name());
    let function = function.map_err(|error| error_text(&error))?;
    let arguments: MultiValue = call.remaining_values();
    // The arguments of known panics are rejected before; this catches unknown panics.
    let result = catch_unwind(AssertUnwindSafe(|| function.call::<Value>(arguments)));
    let result = result.map_err(|_| call.format_error("it has no value for these arguments"))?;
    result.map_err(|error| {
        let message = error_text(&error);
        // Some messages of the crate begin with the function's name already.
        let own = format!("{}: ", call.function.base_name());
        call.format_error(message.strip_prefix(&own).unwrap_or(&message))
    })
}

/// The mean reciprocal rank as in the crate, except that rank 0, an item that was not found, adds 0, as the original
/// documents.
fn mrr(call: &mut FunctionCall) -> Result<Value, String> {
    let Some(table) = call.next_table() else { return Ok(Value::Nil) };
    let mut sum = 0.0;
    for index in 1..=table.raw_len() {
        let rank = table.raw_get::<Value>(index).ok().as_ref().and_then(as_float);
        match rank.filter(|rank| rank.fract() == 0.0 && *rank >= 0.0) {
            Some(0.0) => {}
            Some(rank) => sum += 1.0 / rank,
            None => return Err(call.format_error(&format!("rank {index} is not a whole number of 0 or more"))),
        }
    }
    match table.raw_len() {
        0 => Err(call.format_error("expected non-empty array")),
        ranks => Ok(Value::Number(sum / ranks as f64)),
    }
}
