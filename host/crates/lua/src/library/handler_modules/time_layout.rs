//! Go's layouts of times, which show how 2006-01-02 15:04:05 would be written: their elements.
//!
//! Owns: where an element begins and ends.
//! Never: formats or parses a time.

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum LayoutElement {
    LongMonth,
    Month,
    ZeroMonth,
    NumberMonth,
    LongDay,
    WeekDay,
    Day,
    SpaceDay,
    ZeroDay,
    SpaceYearDay,
    YearDay,
    Hour24,
    Hour12,
    ZeroHour12,
    Minute,
    ZeroMinute,
    Second,
    ZeroSecond,
    LongYear,
    Year,
    UpperMeridiem,
    LowerMeridiem,
    Zone,
    Offset(OffsetForm),
    /// Digits after the second, and whether trailing zeros are omitted.
    Fraction {
        separator: char,
        digits: usize,
        trims_zeros: bool,
    },
}

/// How an offset is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OffsetForm {
    /// Whether UTC is `Z`.
    pub(super) allows_z: bool,
    pub(super) has_colons: bool,
    pub(super) precision: OffsetPrecision,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OffsetPrecision {
    Hours,
    Minutes,
    Seconds,
}

/// Longer elements precede their prefixes.
const ELEMENTS: [(&str, LayoutElement); 23] = [
    ("January", LayoutElement::LongMonth),
    ("Jan", LayoutElement::Month),
    ("Monday", LayoutElement::LongDay),
    ("Mon", LayoutElement::WeekDay),
    ("MST", LayoutElement::Zone),
    ("002", LayoutElement::YearDay),
    ("01", LayoutElement::ZeroMonth),
    ("02", LayoutElement::ZeroDay),
    ("03", LayoutElement::ZeroHour12),
    ("04", LayoutElement::ZeroMinute),
    ("05", LayoutElement::ZeroSecond),
    ("06", LayoutElement::Year),
    ("2006", LayoutElement::LongYear),
    ("15", LayoutElement::Hour24),
    ("1", LayoutElement::NumberMonth),
    ("__2", LayoutElement::SpaceYearDay),
    ("_2", LayoutElement::SpaceDay),
    ("2", LayoutElement::Day),
    ("3", LayoutElement::Hour12),
    ("4", LayoutElement::Minute),
    ("5", LayoutElement::Second),
    ("PM", LayoutElement::UpperMeridiem),
    ("pm", LayoutElement::LowerMeridiem),
];

/// Offsets without the sign or the `Z` that they begin with.
const OFFSETS: [(&str, bool, OffsetPrecision); 5] = [
    ("07:00:00", true, OffsetPrecision::Seconds),
    ("070000", false, OffsetPrecision::Seconds),
    ("07:00", true, OffsetPrecision::Minutes),
    ("0700", false, OffsetPrecision::Minutes),
    ("07", false, OffsetPrecision::Hours),
];

/// Splits a layout into the text before its next element, the element, and the rest.
pub(super) fn split_at_element(layout: &str) -> (&str, Option<LayoutElement>, &str) {
    for (at, _) in layout.char_indices() {
        let (before, rest) = layout.split_at_checked(at).unwrap_or((layout, ""));
        if let Some((element, rest)) = element_at_start(rest) {
            return (before, Some(element), rest);
        }
    }
    (layout, None, "")
}

fn element_at_start(layout: &str) -> Option<(LayoutElement, &str)> {
    match layout.chars().next()? {
        separator @ ('.' | ',') => fraction(layout, separator),
        sign @ ('Z' | '-') => {
            let rest = layout.get(1..)?;
            OFFSETS.iter().find_map(|(shown, has_colons, precision)| {
                let form = OffsetForm { allows_z: sign == 'Z', has_colons: *has_colons, precision: *precision };
                rest.strip_prefix(shown).map(|rest| (LayoutElement::Offset(form), rest))
            })
        }
        // The underscore is a text, and the year the next element.
        '_' if layout.starts_with("_2006") => None,
        _ => ELEMENTS.iter().find_map(|(shown, element)| {
            let rest = layout.strip_prefix(shown)?;
            // `Month` is no `Mon`, and `Janitor` no `Jan`.
            let is_short = matches!(element, LayoutElement::Month | LayoutElement::WeekDay);
            let is_in_word = is_short && rest.starts_with(|c: char| c.is_ascii_lowercase());
            (!is_in_word).then_some((*element, rest))
        }),
    }
}

/// Reads a fraction, such as `.000` or `,999`, which no other digit follows.
fn fraction(layout: &str, separator: char) -> Option<(LayoutElement, &str)> {
    let shown = layout.get(1..)?;
    let digit = shown.chars().next().filter(|digit| matches!(digit, '0' | '9'))?;
    let rest = shown.trim_start_matches(digit);
    if rest.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let digits = shown.len() - rest.len();
    Some((LayoutElement::Fraction { separator, digits, trims_zeros: digit == '9' }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_between_elements_are_no_elements() {
        for (layout, before) in [
            ("Month", "Month"),
            ("Janitor", "Janitor"),
            ("_2006", "_"),
            ("x._2", "x."),
            (".001", ".0"),
            ("v.5", "v."),
            ("Zulu", "Zulu"),
            ("-0", "-0"),
            ("", ""),
            ("ü", "ü"),
        ] {
            assert_eq!(split_at_element(layout).0, before, "{layout}");
        }
        let fraction = |layout| match split_at_element(layout) {
            ("", Some(LayoutElement::Fraction { separator, digits, trims_zeros }), rest) => {
                Some((separator, digits, trims_zeros, rest))
            }
            _ => None,
        };
        assert_eq!(fraction(".00Z"), Some(('.', 2, false, "Z")));
        assert_eq!(fraction(",999"), Some((',', 3, true, "")));
        assert_eq!(fraction(".0009"), None);
    }
}
