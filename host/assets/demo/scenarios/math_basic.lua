--- math_basic — 25 short calculations, five of each kind
---
--- Every task has one right answer, and says in which form it is wanted. An answer that is right but wrapped in words
--- scores half: it contains the expected text without being equal to it.
---
--- The cards, evals and logs that come with this scenario are examples of their formats, not measurements of a model.

local NUMBER = "Answer with the number alone."

local function case(tag, name, input, expected, form)
    return { name = name, tags = { tag }, input = input .. " " .. (form or NUMBER), expected = expected }
end

return {
    name = "math_basic",
    graders = { "exact_match", "contains" },
    cases = {
        case("arithmetic", "sum_of_three", "Add 148, 267 and 39.", "454"),
        case("arithmetic", "long_product", "Multiply 37 by 24.", "888"),
        case("arithmetic", "exact_division", "Divide 1116 by 9.", "124"),
        case("arithmetic", "order_of_operations", "Work out 18 - 4 * 3 + 7.", "13"),
        case("arithmetic", "below_zero", "Work out 25 - 61 + 12.", "-24"),

        case("fractions", "add_unlike",
            "Work out 1/4 + 1/6.", "5/12", "Answer with a fraction in lowest terms."),
        case("fractions", "fraction_of", "How much is three eighths of 104?", "39"),
        case("fractions", "to_decimal",
            "Write 7/16 as a decimal number.", "0.4375", "Answer with all its digits."),
        case("fractions", "percent_off",
            "A coat costs 85 euros. What does it cost at 20 % off?", "68", "Answer in euros, digits only."),
        case("fractions", "percent_back", "A price rose by 25 % to 60. What was it before?", "48"),

        case("number_theory", "gcd", "What is the greatest common divisor of 84 and 126?", "42"),
        case("number_theory", "lcm", "What is the least common multiple of 12 and 18?", "36"),
        case("number_theory", "is_prime", "Is 91 a prime number?", "no", "Answer yes or no."),
        case("number_theory", "remainder", "What is the remainder of 2^10 divided by 7?", "2"),
        case("number_theory", "count_divisors", "How many positive divisors does 60 have?", "12"),

        case("algebra", "linear", "Solve 5x - 8 = 27 for x.", "7"),
        case("algebra", "two_unknowns", "x + y = 20 and x - y = 6. What is x?", "13"),
        case("algebra", "square_root", "Which positive x satisfies x^2 = 196?", "14"),
        case("algebra", "arithmetic_series", "Add all whole numbers from 1 to 40.", "820"),
        case("algebra", "slope",
            "A line passes through (2, 3) and (6, 11). What is its slope?", "2"),

        case("units", "minutes", "How many minutes are 3.75 hours?", "225"),
        case("units", "arrival",
            "A train leaves at 9:40 and travels 95 minutes. When does it arrive?", "11:15", "Answer as H:MM."),
        case("units", "area",
            "A room is 4.5 m by 3.2 m. What is its area in square metres?", "14.4"),
        case("units", "speed",
            "A cyclist rides 42 km in 1.75 hours. What is the mean speed in km/h?", "24"),
        case("units", "volume",
            "A box is 30 cm by 20 cm by 15 cm. How many litres does it hold?", "9"),
    },
}
