// Generated from hindi.sbl by Snowball 3.2.0 - https://snowballstem.org/

#![allow(non_snake_case)]
#![allow(non_upper_case_globals)]
#![allow(unused_mut)]
#![allow(unused_parens)]
#![allow(unused_variables)]
use snowball::SnowballEnv;
use snowball::Among;

#[derive(Clone)]
struct Context {
}

static A_0: &'static [Among<Context>; 132] = &[
    Among("\u{940}", -1, -1, None),
    Among("\u{942}\u{902}\u{917}\u{940}", 0, -1, None),
    Among("\u{947}\u{902}\u{917}\u{940}", 0, -1, None),
    Among("\u{90A}\u{902}\u{917}\u{940}", 0, -1, None),
    Among("\u{906}\u{90A}\u{902}\u{917}\u{940}", 3, -1, None),
    Among("\u{93E}\u{90A}\u{902}\u{917}\u{940}", 3, -1, None),
    Among("\u{90F}\u{902}\u{917}\u{940}", 0, -1, None),
    Among("\u{906}\u{90F}\u{902}\u{917}\u{940}", 6, -1, None),
    Among("\u{93E}\u{90F}\u{902}\u{917}\u{940}", 6, -1, None),
    Among("\u{947}\u{917}\u{940}", 0, -1, None),
    Among("\u{94B}\u{917}\u{940}", 0, -1, None),
    Among("\u{90F}\u{917}\u{940}", 0, -1, None),
    Among("\u{906}\u{90F}\u{917}\u{940}", 11, -1, None),
    Among("\u{93E}\u{90F}\u{917}\u{940}", 11, -1, None),
    Among("\u{913}\u{917}\u{940}", 0, -1, None),
    Among("\u{906}\u{913}\u{917}\u{940}", 14, -1, None),
    Among("\u{93E}\u{913}\u{917}\u{940}", 14, -1, None),
    Among("\u{924}\u{940}", 0, -1, Some(&r_CONSONANT)),
    Among("\u{905}\u{924}\u{940}", 17, -1, None),
    Among("\u{906}\u{924}\u{940}", 17, -1, None),
    Among("\u{93E}\u{924}\u{940}", 17, -1, None),
    Among("\u{928}\u{940}", 0, -1, Some(&r_CONSONANT)),
    Among("\u{905}\u{928}\u{940}", 21, -1, None),
    Among("\u{906}\u{901}", -1, -1, None),
    Among("\u{93E}\u{901}", -1, -1, None),
    Among("\u{907}\u{92F}\u{93E}\u{901}", 24, -1, None),
    Among("\u{906}\u{907}\u{92F}\u{93E}\u{901}", 25, -1, None),
    Among("\u{93E}\u{907}\u{92F}\u{93E}\u{901}", 25, -1, None),
    Among("\u{93F}\u{92F}\u{93E}\u{901}", 24, -1, None),
    Among("\u{941}", -1, -1, None),
    Among("\u{940}\u{902}", -1, -1, None),
    Among("\u{924}\u{940}\u{902}", 30, -1, Some(&r_CONSONANT)),
    Among("\u{905}\u{924}\u{940}\u{902}", 31, -1, None),
    Among("\u{906}\u{924}\u{940}\u{902}", 31, -1, None),
    Among("\u{93E}\u{924}\u{940}\u{902}", 31, -1, None),
    Among("\u{906}\u{902}", -1, -1, None),
    Among("\u{941}\u{906}\u{902}", 35, -1, None),
    Among("\u{909}\u{906}\u{902}", 35, -1, None),
    Among("\u{947}\u{902}", -1, -1, None),
    Among("\u{908}\u{902}", -1, -1, None),
    Among("\u{906}\u{908}\u{902}", 39, -1, None),
    Among("\u{93E}\u{908}\u{902}", 39, -1, None),
    Among("\u{94B}\u{902}", -1, -1, None),
    Among("\u{907}\u{92F}\u{94B}\u{902}", 42, -1, None),
    Among("\u{906}\u{907}\u{92F}\u{94B}\u{902}", 43, -1, None),
    Among("\u{93E}\u{907}\u{92F}\u{94B}\u{902}", 43, -1, None),
    Among("\u{93F}\u{92F}\u{94B}\u{902}", 42, -1, None),
    Among("\u{90F}\u{902}", -1, -1, None),
    Among("\u{941}\u{90F}\u{902}", 47, -1, None),
    Among("\u{906}\u{90F}\u{902}", 47, -1, None),
    Among("\u{909}\u{90F}\u{902}", 47, -1, None),
    Among("\u{93E}\u{90F}\u{902}", 47, -1, None),
    Among("\u{924}\u{93E}\u{90F}\u{902}", 51, -1, Some(&r_CONSONANT)),
    Among("\u{905}\u{924}\u{93E}\u{90F}\u{902}", 52, -1, None),
    Among("\u{928}\u{93E}\u{90F}\u{902}", 51, -1, Some(&r_CONSONANT)),
    Among("\u{905}\u{928}\u{93E}\u{90F}\u{902}", 54, -1, None),
    Among("\u{913}\u{902}", -1, -1, None),
    Among("\u{941}\u{913}\u{902}", 56, -1, None),
    Among("\u{906}\u{913}\u{902}", 56, -1, None),
    Among("\u{909}\u{913}\u{902}", 56, -1, None),
    Among("\u{93E}\u{913}\u{902}", 56, -1, None),
    Among("\u{924}\u{93E}\u{913}\u{902}", 60, -1, Some(&r_CONSONANT)),
    Among("\u{905}\u{924}\u{93E}\u{913}\u{902}", 61, -1, None),
    Among("\u{928}\u{93E}\u{913}\u{902}", 60, -1, Some(&r_CONSONANT)),
    Among("\u{905}\u{928}\u{93E}\u{913}\u{902}", 63, -1, None),
    Among("\u{93E}\u{902}", -1, -1, None),
    Among("\u{907}\u{92F}\u{93E}\u{902}", 65, -1, None),
    Among("\u{906}\u{907}\u{92F}\u{93E}\u{902}", 66, -1, None),
    Among("\u{93E}\u{907}\u{92F}\u{93E}\u{902}", 66, -1, None),
    Among("\u{93F}\u{92F}\u{93E}\u{902}", 65, -1, None),
    Among("\u{942}", -1, -1, None),
    Among("\u{905}", -1, -1, None),
    Among("\u{906}", -1, -1, None),
    Among("\u{907}", -1, -1, None),
    Among("\u{947}", -1, -1, None),
    Among("\u{947}\u{902}\u{917}\u{947}", 74, -1, None),
    Among("\u{90F}\u{902}\u{917}\u{947}", 74, -1, None),
    Among("\u{906}\u{90F}\u{902}\u{917}\u{947}", 76, -1, None),
    Among("\u{93E}\u{90F}\u{902}\u{917}\u{947}", 76, -1, None),
    Among("\u{94B}\u{917}\u{947}", 74, -1, None),
    Among("\u{913}\u{917}\u{947}", 74, -1, None),
    Among("\u{906}\u{913}\u{917}\u{947}", 80, -1, None),
    Among("\u{93E}\u{913}\u{917}\u{947}", 80, -1, None),
    Among("\u{924}\u{947}", 74, -1, Some(&r_CONSONANT)),
    Among("\u{905}\u{924}\u{947}", 83, -1, None),
    Among("\u{906}\u{924}\u{947}", 83, -1, None),
    Among("\u{93E}\u{924}\u{947}", 83, -1, None),
    Among("\u{928}\u{947}", 74, -1, Some(&r_CONSONANT)),
    Among("\u{905}\u{928}\u{947}", 87, -1, None),
    Among("\u{906}\u{928}\u{947}", 87, -1, None),
    Among("\u{93E}\u{928}\u{947}", 87, -1, None),
    Among("\u{908}", -1, -1, None),
    Among("\u{906}\u{908}", 91, -1, None),
    Among("\u{93E}\u{908}", 91, -1, None),
    Among("\u{909}", -1, -1, None),
    Among("\u{90A}", -1, -1, None),
    Among("\u{94B}", -1, -1, None),
    Among("\u{94D}", -1, -1, None),
    Among("\u{90F}", -1, -1, None),
    Among("\u{906}\u{90F}", 98, -1, None),
    Among("\u{907}\u{90F}", 98, -1, None),
    Among("\u{906}\u{907}\u{90F}", 100, -1, None),
    Among("\u{93E}\u{907}\u{90F}", 100, -1, None),
    Among("\u{93E}\u{90F}", 98, -1, None),
    Among("\u{93F}\u{90F}", 98, -1, None),
    Among("\u{913}", -1, -1, None),
    Among("\u{906}\u{913}", 105, -1, None),
    Among("\u{93E}\u{913}", 105, -1, None),
    Among("\u{915}\u{930}", -1, -1, Some(&r_CONSONANT)),
    Among("\u{905}\u{915}\u{930}", 108, -1, None),
    Among("\u{906}\u{915}\u{930}", 108, -1, None),
    Among("\u{93E}\u{915}\u{930}", 108, -1, None),
    Among("\u{93E}", -1, -1, None),
    Among("\u{942}\u{902}\u{917}\u{93E}", 112, -1, None),
    Among("\u{90A}\u{902}\u{917}\u{93E}", 112, -1, None),
    Among("\u{906}\u{90A}\u{902}\u{917}\u{93E}", 114, -1, None),
    Among("\u{93E}\u{90A}\u{902}\u{917}\u{93E}", 114, -1, None),
    Among("\u{947}\u{917}\u{93E}", 112, -1, None),
    Among("\u{90F}\u{917}\u{93E}", 112, -1, None),
    Among("\u{906}\u{90F}\u{917}\u{93E}", 118, -1, None),
    Among("\u{93E}\u{90F}\u{917}\u{93E}", 118, -1, None),
    Among("\u{924}\u{93E}", 112, -1, Some(&r_CONSONANT)),
    Among("\u{905}\u{924}\u{93E}", 121, -1, None),
    Among("\u{906}\u{924}\u{93E}", 121, -1, None),
    Among("\u{93E}\u{924}\u{93E}", 121, -1, None),
    Among("\u{928}\u{93E}", 112, -1, Some(&r_CONSONANT)),
    Among("\u{905}\u{928}\u{93E}", 125, -1, None),
    Among("\u{906}\u{928}\u{93E}", 125, -1, None),
    Among("\u{93E}\u{928}\u{93E}", 125, -1, None),
    Among("\u{906}\u{92F}\u{93E}", 112, -1, None),
    Among("\u{93E}\u{92F}\u{93E}", 112, -1, None),
    Among("\u{93F}", -1, -1, None),
];

static G_consonant: &'static [u8; 10] = &[255, 255, 255, 255, 159, 0, 0, 0, 248, 7];

fn r_CONSONANT(env: &mut SnowballEnv, context: &mut Context) -> bool {
    return env.in_grouping_b(G_consonant, 2325, 2399);
}

pub fn stem(env: &mut SnowballEnv) -> bool {
    let mut context = &mut Context {
    };
    if env.cursor >= env.limit {
        return false;
    }
    env.next_char();
    env.limit_backward = env.cursor;
    env.cursor = env.limit;
    env.ket = env.cursor;
    if env.find_among_b(A_0, context) == 0 {
        return false;
    }
    env.bra = env.cursor;
    env.slice_del();
    env.cursor = env.limit_backward;
    return true
}
