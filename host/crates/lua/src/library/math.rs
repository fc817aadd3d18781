//! `alc.math`: the functions of the crate mlua-mathlib, with arguments that it was made for.
//!
//! Never: draws a number without the script's own generator. A function of the crate that panics is an error of the script.

use std::panic::{AssertUnwindSafe, catch_unwind};

use mlua::{MultiValue, Value};

use super::function::{Body, Call, Function, Kind, Param, Return, float, optional, param, returns, words};
use wardroom_base::limits::{MAX_DRAWN, MAX_HISTOGRAM_BINS};

const RNG: Param = param("rng", Kind::Rng, "alc.Rng", "");
const VALUES: Param = param("values", Kind::Table, "number[]", "");
const XS: Param = param("xs", Kind::Table, "number[]", "");
const YS: Param = param("ys", Kind::Table, "number[]", "");
const X: Param = param("x", Kind::Number, "number", "");
const SHARE: Param = param("p", Kind::Share, "number", "from 0 to 1");
const SHARES_P: Param = param("p", Kind::Table, "number[]", "shares that add up to 1");
const SHARES_Q: Param = param("q", Kind::Table, "number[]", "shares that add up to 1");
const NUMBER: &[Return] = &[returns("number", "")];
const NUMBERS: &[Return] = &[returns("number[]", "")];
const PROBABILITY: &[Return] = &[returns("number", "p")];
const CORRELATION: &[Return] = &[returns("number", "r from -1 to 1")];

/// A function of the crate.
const fn of(name: &'static str, doc: &'static str, params: &'static [Param], returns: &'static [Return]) -> Function {
    Function { name, doc, generic: "", params, returns, body: Body::Math }
}

const fn number(name: &'static str, doc: &'static str) -> Param {
    param(name, Kind::Number, "number", doc)
}

const fn positive(name: &'static str) -> Param {
    param(name, Kind::Positive, "number", "above 0")
}

const fn count(name: &'static str, most: u64, doc: &'static str) -> Param {
    param(name, Kind::UpTo(most), "integer", doc)
}

/// Most that a whole number can be, for the crate's own check to say more.
const ANY: u64 = i64::MAX as u64;

pub(super) const FUNCTIONS: &[Function] = &[
    of(
        "alc.math.rng_create",
        "Makes a generator of random numbers; the same seed gives the same numbers.",
        &[count("seed", ANY, "")],
        &[returns("alc.Rng", "")],
    ),
    of("alc.math.rng_float", "Draws a number.", &[RNG], &[returns("number", "x in [0, 1)")]),
    of(
        "alc.math.rng_int",
        "Draws a whole number.",
        &[RNG, param("min", Kind::Integer, "integer", ""), param("max", Kind::Integer, "integer", "")],
        &[returns("integer", "n from min to max, both included")],
    ),
    Function {
        name: "alc.math.shuffle",
        doc: "Puts elements into a random order, in a new list.",
        generic: "T",
        params: &[RNG, param("items", Kind::Table, "T[]", "stays as it is")],
        returns: &[returns("T[]", "shuffled")],
        body: Body::Math,
    },
    Function {
        name: "alc.math.sample_with_replacement",
        doc: "Draws elements, each any number of times.",
        generic: "T",
        params: &[RNG, param("items", Kind::Table, "T[]", ""), count("n", MAX_DRAWN, "")],
        returns: &[returns("T[]", "drawn")],
        body: Body::Math,
    },
    of(
        "alc.math.normal_sample",
        "Draws from a normal distribution.",
        &[RNG, number("mean", ""), number("stddev", "")],
        NUMBER,
    ),
    of(
        "alc.math.beta_sample",
        "Draws from a beta distribution.",
        &[RNG, number("alpha", ""), number("beta", "")],
        &[returns("number", "x in [0, 1]")],
    ),
    of(
        "alc.math.gamma_sample",
        "Draws from a gamma distribution.",
        &[RNG, number("shape", ""), number("scale", "")],
        NUMBER,
    ),
    of("alc.math.exp_sample", "Draws from an exponential distribution.", &[RNG, number("lambda", "the rate")], NUMBER),
    of(
        "alc.math.uniform_sample",
        "Draws evenly from an interval.",
        &[RNG, number("low", ""), number("high", "")],
        NUMBER,
    ),
    of(
        "alc.math.lognormal_sample",
        "Draws a number whose logarithm is normally distributed.",
        &[RNG, number("mu", "mean of the logarithm"), number("sigma", "standard deviation of the logarithm")],
        NUMBER,
    ),
    of(
        "alc.math.student_t_sample",
        "Draws from Student's distribution.",
        &[RNG, number("df", "degrees of freedom")],
        NUMBER,
    ),
    of(
        "alc.math.chi_squared_sample",
        "Draws from a chi-squared distribution.",
        &[RNG, number("df", "degrees of freedom")],
        NUMBER,
    ),
    of(
        "alc.math.poisson_sample",
        "Draws from Poisson's distribution.",
        &[RNG, number("lambda", "the mean")],
        &[returns("integer", "")],
    ),
    of(
        "alc.math.binomial_sample",
        "Draws from a binomial distribution.",
        &[RNG, count("n", ANY, "trials"), number("p", "probability of success, from 0 to 1")],
        &[returns("integer", "successes")],
    ),
    of(
        "alc.math.dirichlet_sample",
        "Draws from Dirichlet's distribution.",
        &[RNG, param("alphas", Kind::Table, "number[]", "two or more")],
        &[returns("number[]", "shares that add up to 1")],
    ),
    of(
        "alc.math.categorical_sample",
        "Draws one of several, with these weights.",
        &[RNG, param("weights", Kind::Table, "number[]", "")],
        &[returns("integer", "index from 1")],
    ),
    of("alc.math.mean", "The arithmetic mean.", &[VALUES], NUMBER),
    of("alc.math.variance", "Variance of a sample (n - 1); 0 for one value.", &[VALUES], NUMBER),
    of("alc.math.stddev", "Standard deviation of a sample (n - 1); 0 for one value.", &[VALUES], NUMBER),
    of("alc.math.median", "The middle value, or the mean of the two in the middle.", &[VALUES], NUMBER),
    of(
        "alc.math.percentile",
        "The value below which a part of the data lies, with linear interpolation between neighbours.",
        &[VALUES, number("p", "from 0 to 100")],
        NUMBER,
    ),
    of("alc.math.iqr", "The distance between the 25th and the 75th percentile.", &[VALUES], NUMBER),
    of("alc.math.covariance", "Covariance of two samples of one length (n - 1).", &[XS, YS], NUMBER),
    of("alc.math.correlation", "Pearson's correlation.", &[XS, YS], CORRELATION),
    of(
        "alc.math.softmax",
        "Exponentials, scaled to add up to 1.",
        &[VALUES],
        &[returns("number[]", "shares that add up to 1")],
    ),
    of(
        "alc.math.log_normalize",
        "Brings values above 0 to a logarithmic scale on which the greatest is 100.",
        &[VALUES],
        NUMBERS,
    ),
    of(
        "alc.math.histogram",
        "Counts values in bins of one width.",
        &[VALUES, count("bins", MAX_HISTOGRAM_BINS, "")],
        &[returns("{ counts: integer[], edges: number[] }", "histogram with one edge more than bins")],
    ),
    of(
        "alc.math.wilson_ci",
        "Wilson's interval for a share.",
        &[
            number("successes", ""),
            number("total", ""),
            param("confidence", Kind::Share, "number", "from 0 to 1, such as 0.95"),
        ],
        &[returns("{ lower: number, upper: number, center: number }", "interval within [0, 1]")],
    ),
    of(
        "alc.math.normal_cdf",
        "Probability of at most `x`, normally distributed.",
        &[X, number("mu", ""), number("sigma", "")],
        PROBABILITY,
    ),
    of(
        "alc.math.beta_cdf",
        "Probability of at most `x`, beta distributed.",
        &[X, number("alpha", ""), number("beta", "")],
        PROBABILITY,
    ),
    of(
        "alc.math.gamma_cdf",
        "Probability of at most `x`, gamma distributed.",
        &[X, positive("shape"), positive("scale")],
        PROBABILITY,
    ),
    of(
        "alc.math.poisson_cdf",
        "Probability of at most `k`, distributed like Poisson's.",
        &[count("k", 1_000_000_000_000, ""), number("lambda", "")],
        PROBABILITY,
    ),
    of(
        "alc.math.normal_inverse_cdf",
        "The value that is not exceeded with a probability, normally distributed.",
        &[SHARE, number("mu", ""), number("sigma", "")],
        &[returns("number", "x")],
    ),
    of("alc.math.normal_ppf", "The same for the standard normal distribution.", &[SHARE], &[returns("number", "x")]),
    of(
        "alc.math.beta_ppf",
        "The value that is not exceeded with a probability, beta distributed.",
        &[SHARE, number("alpha", ""), number("beta", "")],
        &[returns("number", "x")],
    ),
    of("alc.math.beta_mean", "Mean of a beta distribution.", &[number("alpha", ""), number("beta", "")], NUMBER),
    of(
        "alc.math.beta_variance",
        "Variance of a beta distribution.",
        &[number("alpha", ""), number("beta", "")],
        NUMBER,
    ),
    of("alc.math.erf", "The error function.", &[X], NUMBER),
    of("alc.math.erfc", "1 less the error function.", &[X], NUMBER),
    of("alc.math.lgamma", "The logarithm of the gamma function.", &[X], NUMBER),
    of("alc.math.beta", "The beta function.", &[positive("a"), positive("b")], NUMBER),
    of("alc.math.ln_beta", "The logarithm of the beta function.", &[positive("a"), positive("b")], NUMBER),
    of(
        "alc.math.regularized_incomplete_beta",
        "The regularised incomplete beta function.",
        &[param("x", Kind::Share, "number", "from 0 to 1"), positive("a"), positive("b")],
        NUMBER,
    ),
    of(
        "alc.math.regularized_incomplete_gamma",
        "The lower regularised incomplete gamma function.",
        &[positive("a"), positive("x")],
        NUMBER,
    ),
    of("alc.math.digamma", "The logarithmic derivative of the gamma function.", &[X], NUMBER),
    of("alc.math.factorial", "The factorial.", &[count("n", ANY, "from 0 to 170")], NUMBER),
    of("alc.math.ln_factorial", "The logarithm of the factorial.", &[count("n", ANY, "")], NUMBER),
    of("alc.math.logsumexp", "ln(Σ exp(x)).", &[VALUES], NUMBER),
    of("alc.math.logit", "ln(p / (1 - p)).", &[number("p", "between 0 and 1")], NUMBER),
    of("alc.math.expit", "1 / (1 + exp(-x)).", &[X], PROBABILITY),
    of(
        "alc.math.welch_t_test",
        "Welch's test for the means of two samples, two-sided.",
        &[XS, YS],
        &[returns("{ t_stat: number, df: number, p_value: number }", "")],
    ),
    of(
        "alc.math.mann_whitney_u",
        "The test of Mann and Whitney for two samples, two-sided, by the normal approximation.",
        &[XS, YS, optional("opts", Kind::Table, "{ tie_correction?: boolean }", "(default false)")],
        &[returns("{ u_stat: number, z_score: number, p_value: number }", "")],
    ),
    of(
        "alc.math.chi_squared_test",
        "Pearson's test of counts against what was expected.",
        &[
            param("observed", Kind::Table, "number[]", ""),
            param("expected", Kind::Table, "number[]", "as many, above 0"),
        ],
        &[returns("{ chi2_stat: number, df: number, p_value: number }", "")],
    ),
    of(
        "alc.math.ks_test",
        "The test of Kolmogorov and Smirnov for two samples.",
        &[XS, YS],
        &[returns("{ d_stat: number, p_value: number }", "")],
    ),
    of(
        "alc.math.rank",
        "Ranks from 1, in the order of the values; equal values share the average.",
        &[VALUES],
        &[returns("number[]", "ranks")],
    ),
    of("alc.math.spearman_correlation", "Spearman's correlation of ranks.", &[XS, YS], CORRELATION),
    of("alc.math.kendall_tau", "Kendall's tau-b.", &[XS, YS], CORRELATION),
    of(
        "alc.math.ndcg",
        "Normalised discounted cumulative gain, of linear gains.",
        &[
            param("relevance", Kind::Table, "number[]", "in the order of the ranking"),
            count("k", ANY, "how many of the first count"),
        ],
        &[returns("number", "gain from 0 to 1")],
    ),
    Function {
        name: "alc.math.mrr",
        doc: "Mean of the reciprocal ranks.",
        generic: "",
        params: &[param(
            "ranks",
            Kind::Table,
            "integer[]",
            "where each wanted item was, from 1; 0 where it was not found",
        )],
        returns: NUMBER,
        body: Body::Rust(mrr),
    },
    of("alc.math.entropy", "Shannon's entropy, in nats.", &[SHARES_P], NUMBER),
    of("alc.math.kl_divergence", "The divergence of Kullback and Leibler, in nats.", &[SHARES_P, SHARES_Q], NUMBER),
    of("alc.math.js_divergence", "The divergence of Jensen and Shannon, in nats.", &[SHARES_P, SHARES_Q], NUMBER),
    of("alc.math.cross_entropy", "Cross entropy, in nats.", &[SHARES_P, SHARES_Q], NUMBER),
    of(
        "alc.math.moving_average",
        "Means of neighbours.",
        &[VALUES, count("window", ANY, "values in each mean")],
        NUMBERS,
    ),
    of(
        "alc.math.ewma",
        "Exponentially weighted moving average, beginning with the first value.",
        &[VALUES, number("alpha", "weight of the newest, from 0 to 1")],
        NUMBERS,
    ),
    of(
        "alc.math.autocorrelation",
        "Correlation of a series with itself, some steps later.",
        &[VALUES, count("lag", ANY, "")],
        CORRELATION,
    ),
    of(
        "alc.math.permutations",
        "All orders of the numbers 1 to n.",
        &[count("n", ANY, "at most 8")],
        &[returns("integer[][]", "")],
    ),
];

/// Calls the function of this name in the crate.
pub(super) fn call(call: &mut Call) -> Result<Value, String> {
    let function = call.library.math.get::<mlua::Function>(call.function.last_name());
    let function = function.map_err(|error| words(&error))?;
    let arguments: MultiValue = call.rest();
    // The panics that are known are refused as arguments; this is for the others.
    let result = catch_unwind(AssertUnwindSafe(|| function.call::<Value>(arguments)));
    let result = result.map_err(|_| call.blame("it has no value for these arguments"))?;
    result.map_err(|error| {
        let message = words(&error);
        // The crate names some of its functions itself.
        let own = format!("{}: ", call.function.last_name());
        call.blame(message.strip_prefix(&own).unwrap_or(&message))
    })
}

/// As in the crate, but an item that was not found counts as nothing gained, as the original documents it.
fn mrr(call: &mut Call) -> Result<Value, String> {
    let Some(table) = call.table() else { return Ok(Value::Nil) };
    let mut sum = 0.0;
    for index in 1..=table.raw_len() {
        let rank = table.raw_get::<Value>(index).ok().as_ref().and_then(float);
        match rank.filter(|rank| rank.fract() == 0.0 && *rank >= 0.0) {
            Some(0.0) => {}
            Some(rank) => sum += 1.0 / rank,
            None => return Err(call.blame(&format!("rank {index} is no whole number from 0 on"))),
        }
    }
    match table.raw_len() {
        0 => Err(call.blame("expected non-empty array")),
        ranks => Ok(Value::Number(sum / ranks as f64)),
    }
}
