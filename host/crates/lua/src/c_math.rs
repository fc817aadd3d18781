//! The mathematics that C calls by name, as the library `libm` computes it.
//!
//! Owns: one result of each function on every machine: those of the system differ in their last digit between its versions and
//! between processors, and a run that another machine replays would go another way. Without that library of the system a process
//! also starts sooner.
//! Never: changes what these functions mean.

use std::ffi::c_int;

/// Defines functions of C with their names: Lua calls them, and so does Rust's own `f64`.
macro_rules! functions_of_c {
    ($($name:ident($($argument:ident),+) -> $number:ty;)+) => { $(
        #[expect(unsafe_code, reason = "the program has no other function of this name, and this one has C's types")]
        #[unsafe(no_mangle)]
        extern "C" fn $name($($argument: $number),+) -> $number {
            libm::$name($($argument),+)
        }
    )+ };
}

functions_of_c! {
    acos(x) -> f64;
    asin(x) -> f64;
    atan2(y, x) -> f64;
    cos(x) -> f64;
    cosh(x) -> f64;
    exp(x) -> f64;
    log(x) -> f64;
    log10(x) -> f64;
    log1p(x) -> f64;
    log2(x) -> f64;
    log2f(x) -> f32;
    logf(x) -> f32;
    pow(x, y) -> f64;
    sin(x) -> f64;
    sinh(x) -> f64;
    tan(x) -> f64;
    tanh(x) -> f64;
}

#[expect(unsafe_code, reason = "as above")]
#[unsafe(no_mangle)]
extern "C" fn ldexp(x: f64, exponent: c_int) -> f64 {
    libm::ldexp(x, exponent)
}

#[expect(unsafe_code, reason = "as above; C gives a place for the exponent")]
#[unsafe(no_mangle)]
unsafe extern "C" fn frexp(x: f64, exponent: *mut c_int) -> f64 {
    let (fraction, power) = libm::frexp(x);
    // SAFETY: C passes the address of a variable of its own.
    unsafe { exponent.write(power) };
    fraction
}
