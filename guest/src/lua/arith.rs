//! Operators on constants, exactly as Lua 5.4 computes them.
//!
//! Owns: integer wrap-around, floor division and modulo, and the conversions between the subtypes.
//! Never: converts strings to numbers; a constant that needs that counts as unresolved.

use wardroom_lua_syntax::number::Number;
use wardroom_lua_syntax::token::Kind;

use super::value::{Reason, Value};

/// Computes `left operator right`, for all arithmetic operators but `^`, whose last digit depends on the C library.
pub(crate) fn binary(operator: Kind, left: Number, right: Number) -> Result<Number, Reason> {
    match (operator, left, right) {
        // Lua's compiler may make `x + -0` of `x - 0`, whose sign is another if x is -0.0.
        (Kind::Minus, Number::Float(left), Number::Int(0)) if left == 0.0 && left.is_sign_negative() => {
            Err(Reason::Operator)
        }
        (Kind::Slash, left, right) => Ok(Number::Float(to_float(left) / to_float(right))),
        (_, Number::Int(left), Number::Int(right)) => integers(operator, left, right).map(Number::Int),
        (_, left, right) => floats(operator, to_float(left), to_float(right)).map(Number::Float),
    }
}

#[expect(clippy::cast_precision_loss, reason = "Lua rounds large integers when it makes floats of them")]
const fn to_float(number: Number) -> f64 {
    match number {
        Number::Int(int) => int as f64,
        Number::Float(float) => float,
    }
}

fn integers(operator: Kind, left: i64, right: i64) -> Result<i64, Reason> {
    match operator {
        Kind::Plus => Ok(left.wrapping_add(right)),
        Kind::Minus => Ok(left.wrapping_sub(right)),
        Kind::Star => Ok(left.wrapping_mul(right)),
        Kind::DoubleSlash | Kind::Percent if right == 0 => Err(Reason::DividesByZero),
        Kind::DoubleSlash => {
            let inexact = left.wrapping_rem(right) != 0 && (left < 0) != (right < 0);
            Ok(left.wrapping_div(right).wrapping_sub(i64::from(inexact)))
        }
        Kind::Percent => {
            let rest = left.wrapping_rem(right);
            Ok(if rest != 0 && (rest < 0) != (right < 0) { rest.wrapping_add(right) } else { rest })
        }
        _ => Err(Reason::Operator),
    }
}

fn floats(operator: Kind, left: f64, right: f64) -> Result<f64, Reason> {
    match operator {
        Kind::Plus => Ok(left + right),
        Kind::Minus => Ok(left - right),
        Kind::Star => Ok(left * right),
        Kind::DoubleSlash => Ok((left / right).floor()),
        Kind::Percent => {
            let rest = left % right;
            Ok(if rest != 0.0 && (rest < 0.0) != (right < 0.0) { rest + right } else { rest })
        }
        _ => Err(Reason::Operator),
    }
}

/// Computes `operator operand`.
pub(crate) fn unary(operator: Kind, operand: Value<'_>, at: u32) -> Value<'_> {
    match (operator, operand) {
        (_, Value::Unknown(unknown)) => Value::Unknown(unknown),
        (Kind::Not, operand) => Value::Bool(matches!(operand, Value::Nil | Value::Bool(false))),
        (Kind::Minus, Value::Number(Number::Int(int))) => Value::Number(Number::Int(int.wrapping_neg())),
        (Kind::Minus, Value::Number(Number::Float(float))) => Value::Number(Number::Float(-float)),
        (Kind::Minus, _) => Value::unknown(at, Reason::NotANumber),
        _ => Value::unknown(at, Reason::Operator),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_and_overflow_match_lua() {
        use Number::{Float, Int};
        let cases = [
            (Kind::Plus, Int(i64::MAX), Int(1), Ok(Int(i64::MIN))),
            (Kind::DoubleSlash, Int(-7), Int(2), Ok(Int(-4))),
            (Kind::Percent, Int(-7), Int(2), Ok(Int(1))),
            (Kind::Percent, Int(7), Int(-2), Ok(Int(-1))),
            (Kind::DoubleSlash, Int(i64::MIN), Int(-1), Ok(Int(i64::MIN))),
            (Kind::Percent, Int(i64::MIN), Int(-1), Ok(Int(0))),
            (Kind::Slash, Int(1), Int(2), Ok(Float(0.5))),
            (Kind::Minus, Float(-0.0), Int(0), Err(Reason::Operator)),
            (Kind::Minus, Float(0.0), Int(0), Ok(Float(0.0))),
            (Kind::Percent, Float(-5.5), Int(2), Ok(Float(0.5))),
            (Kind::DoubleSlash, Float(-5.5), Int(2), Ok(Float(-3.0))),
            (Kind::DoubleSlash, Int(1), Int(0), Err(Reason::DividesByZero)),
            (Kind::Caret, Int(1), Int(1), Err(Reason::Operator)),
        ];
        for (operator, left, right, expected) in cases {
            assert_eq!(binary(operator, left, right), expected, "{left:?} {operator:?} {right:?}");
        }
    }
}
