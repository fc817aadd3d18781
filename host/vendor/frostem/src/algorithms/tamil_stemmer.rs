// Generated from tamil.sbl by Snowball 3.2.0 - https://snowballstem.org/

#![allow(non_snake_case)]
#![allow(non_upper_case_globals)]
#![allow(unused_mut)]
#![allow(unused_parens)]
#![allow(unused_variables)]
use snowball::SnowballEnv;
use snowball::Among;

#[derive(Clone)]
struct Context {
    b_found_vetrumai_urupu: bool,
}

static A_0: &'static [Among<Context>; 4] = &[
    Among("\u{BB5}\u{BC1}", -1, 3, None),
    Among("\u{BB5}\u{BC2}", -1, 4, None),
    Among("\u{BB5}\u{BCA}", -1, 2, None),
    Among("\u{BB5}\u{BCB}", -1, 1, None),
];

static A_1: &'static [Among<Context>; 10] = &[
    Among("\u{B95}", -1, -1, None),
    Among("\u{B99}", -1, -1, None),
    Among("\u{B9A}", -1, -1, None),
    Among("\u{B9E}", -1, -1, None),
    Among("\u{BA4}", -1, -1, None),
    Among("\u{BA8}", -1, -1, None),
    Among("\u{BAA}", -1, -1, None),
    Among("\u{BAE}", -1, -1, None),
    Among("\u{BAF}", -1, -1, None),
    Among("\u{BB5}", -1, -1, None),
];

static A_2: &'static [Among<Context>; 3] = &[
    Among("\u{BC0}", -1, -1, None),
    Among("\u{BC8}", -1, -1, None),
    Among("\u{BBF}", -1, -1, None),
];

static A_3: &'static [Among<Context>; 8] = &[
    Among("\u{BC0}", -1, -1, None),
    Among("\u{BC1}", -1, -1, None),
    Among("\u{BC2}", -1, -1, None),
    Among("\u{BC6}", -1, -1, None),
    Among("\u{BC7}", -1, -1, None),
    Among("\u{BC8}", -1, -1, None),
    Among("\u{BBE}", -1, -1, None),
    Among("\u{BBF}", -1, -1, None),
];

static A_4: &'static [Among<Context>; 3] = &[
    Among("", -1, 2, None),
    Among("\u{BC8}", 0, 1, None),
    Among("\u{BCD}", 0, 1, None),
];

static A_5: &'static [Among<Context>; 17] = &[
    Among("\u{BA9}\u{BC1}", -1, 8, None),
    Among("\u{BC1}\u{B95}\u{BCD}", -1, 7, None),
    Among("\u{BC1}\u{B95}\u{BCD}\u{B95}\u{BCD}", -1, 7, None),
    Among("\u{B9F}\u{BCD}\u{B95}\u{BCD}", -1, 3, None),
    Among("\u{BB1}\u{BCD}\u{B95}\u{BCD}", -1, 4, None),
    Among("\u{B99}\u{BCD}", -1, 9, None),
    Among("\u{B9F}\u{BCD}\u{B9F}\u{BCD}", -1, 5, None),
    Among("\u{BA4}\u{BCD}\u{BA4}\u{BCD}", -1, 6, None),
    Among("\u{BA8}\u{BCD}\u{BA4}\u{BCD}", -1, 1, None),
    Among("\u{BA8}\u{BCD}", -1, 1, None),
    Among("\u{B9F}\u{BCD}\u{BAA}\u{BCD}", -1, 3, None),
    Among("\u{BAF}\u{BCD}", -1, 2, None),
    Among("\u{BA9}\u{BCD}\u{BB1}\u{BCD}", -1, 4, None),
    Among("\u{BB5}\u{BCD}", -1, 1, None),
    Among("\u{BA8}\u{BCD}\u{BA4}", -1, 1, None),
    Among("\u{BAF}", -1, 1, None),
    Among("\u{BB5}", -1, 1, None),
];

static A_6: &'static [Among<Context>; 6] = &[
    Among("\u{B95}", -1, -1, None),
    Among("\u{B9A}", -1, -1, None),
    Among("\u{B9F}", -1, -1, None),
    Among("\u{BA4}", -1, -1, None),
    Among("\u{BAA}", -1, -1, None),
    Among("\u{BB1}", -1, -1, None),
];

static A_7: &'static [Among<Context>; 11] = &[
    Among("\u{B9E}", -1, -1, None),
    Among("\u{BA3}", -1, -1, None),
    Among("\u{BA8}", -1, -1, None),
    Among("\u{BA9}", -1, -1, None),
    Among("\u{BAE}", -1, -1, None),
    Among("\u{BAF}", -1, -1, None),
    Among("\u{BB0}", -1, -1, None),
    Among("\u{BB2}", -1, -1, None),
    Among("\u{BB3}", -1, -1, None),
    Among("\u{BB4}", -1, -1, None),
    Among("\u{BB5}", -1, -1, None),
];

static A_8: &'static [Among<Context>; 9] = &[
    Among("\u{BC0}", -1, -1, None),
    Among("\u{BC1}", -1, -1, None),
    Among("\u{BC2}", -1, -1, None),
    Among("\u{BC6}", -1, -1, None),
    Among("\u{BC7}", -1, -1, None),
    Among("\u{BC8}", -1, -1, None),
    Among("\u{BCD}", -1, -1, None),
    Among("\u{BBE}", -1, -1, None),
    Among("\u{BBF}", -1, -1, None),
];

static A_9: &'static [Among<Context>; 3] = &[
    Among("\u{B85}", -1, -1, None),
    Among("\u{B87}", -1, -1, None),
    Among("\u{B89}", -1, -1, None),
];

static A_10: &'static [Among<Context>; 4] = &[
    Among("\u{B95}\u{BB3}\u{BCD}", -1, 4, None),
    Among("\u{BC1}\u{B99}\u{BCD}\u{B95}\u{BB3}\u{BCD}", 0, 1, None),
    Among("\u{B9F}\u{BCD}\u{B95}\u{BB3}\u{BCD}", 0, 3, None),
    Among("\u{BB1}\u{BCD}\u{B95}\u{BB3}\u{BCD}", 0, 2, None),
];

static A_11: &'static [Among<Context>; 3] = &[
    Among("\u{BC7}", -1, -1, None),
    Among("\u{BCB}", -1, -1, None),
    Among("\u{BBE}", -1, -1, None),
];

static A_12: &'static [Among<Context>; 2] = &[
    Among("\u{BAA}\u{BBF}", -1, -1, None),
    Among("\u{BB5}\u{BBF}", -1, -1, None),
];

static A_13: &'static [Among<Context>; 26] = &[
    Among("\u{BAA}\u{B9F}\u{BCD}\u{B9F}\u{BC1}", -1, 3, None),
    Among("\u{BB5}\u{BBF}\u{B9F}\u{BCD}\u{B9F}\u{BC1}", -1, 3, None),
    Among("\u{BAA}\u{B9F}\u{BC1}", -1, 3, None),
    Among("\u{BB5}\u{BBF}\u{B9F}\u{BC1}", -1, 3, None),
    Among("\u{BAA}\u{B9F}\u{BCD}\u{B9F}\u{BA4}\u{BC1}", -1, 3, None),
    Among("\u{BC6}\u{BA9}\u{BCD}\u{BB1}\u{BC1}", -1, 1, None),
    Among("\u{BC1}\u{B9F}\u{BC8}", -1, 1, None),
    Among("\u{BBF}\u{BB2}\u{BCD}\u{BB2}\u{BC8}", -1, 1, None),
    Among("\u{BC1}\u{B9F}\u{BA9}\u{BCD}", -1, 1, None),
    Among("\u{BC6}\u{BA9}\u{BC1}\u{BAE}\u{BCD}", -1, 1, None),
    Among("\u{BBF}\u{B9F}\u{BAE}\u{BCD}", -1, 1, None),
    Among("\u{BC6}\u{BB2}\u{BCD}\u{BB2}\u{BBE}\u{BAE}\u{BCD}", -1, 3, None),
    Among("\u{BAA}\u{B9F}\u{BCD}\u{B9F}", -1, 3, None),
    Among("\u{BAA}\u{B9F}\u{BCD}\u{B9F}\u{BA3}", -1, 3, None),
    Among("\u{BC6}\u{BA9}", -1, 1, None),
    Among("\u{BA4}\u{BBE}\u{BA9}", -1, 3, None),
    Among("\u{BAA}\u{B9F}\u{BBF}\u{BA4}\u{BBE}\u{BA9}", 15, 3, None),
    Among("\u{BC1}\u{B9F}\u{BC8}\u{BAF}", -1, 1, None),
    Among("\u{BBE}\u{B95}\u{BBF}\u{BAF}", -1, 1, None),
    Among("\u{B95}\u{BC1}\u{BB0}\u{BBF}\u{BAF}", -1, 3, None),
    Among("\u{BB2}\u{BCD}\u{BB2}", -1, 2, None),
    Among("\u{BC1}\u{BB3}\u{BCD}\u{BB3}", -1, 1, None),
    Among("\u{BBE}\u{B95}\u{BBF}", -1, 1, None),
    Among("\u{BAA}\u{B9F}\u{BBF}", -1, 3, None),
    Among("\u{BBF}\u{BA9}\u{BCD}\u{BB1}\u{BBF}", -1, 1, None),
    Among("\u{BAA}\u{BB1}\u{BCD}\u{BB1}\u{BBF}", -1, 3, None),
];

static A_14: &'static [Among<Context>; 22] = &[
    Among("\u{BC0}", -1, 7, None),
    Among("\u{BCA}\u{B9F}\u{BC1}", -1, 2, None),
    Among("\u{BCB}\u{B9F}\u{BC1}", -1, 2, None),
    Among("\u{BA4}\u{BC1}", -1, 6, None),
    Among("\u{BBF}\u{BB0}\u{BC1}\u{BA8}\u{BCD}\u{BA4}\u{BC1}", 3, 2, None),
    Among("\u{BBF}\u{BA9}\u{BCD}\u{BB1}\u{BC1}", -1, 2, None),
    Among("\u{BC1}\u{B9F}\u{BC8}", -1, 2, None),
    Among("\u{BA9}\u{BC8}", -1, 1, None),
    Among("\u{B95}\u{BA3}\u{BCD}", -1, 1, None),
    Among("\u{BAE}\u{BC1}\u{BA9}\u{BCD}", -1, 1, None),
    Among("\u{BBF}\u{BA9}\u{BCD}", -1, 3, None),
    Among("\u{BBF}\u{B9F}\u{BAE}\u{BCD}", -1, 4, None),
    Among("\u{BAE}\u{BC7}\u{BB1}\u{BCD}", -1, 1, None),
    Among("\u{BBF}\u{BB1}\u{BCD}", -1, 2, None),
    Among("\u{BB2}\u{BCD}", -1, 5, None),
    Among("\u{BAE}\u{BC7}\u{BB2}\u{BCD}", 14, 1, None),
    Among("\u{BBE}\u{BAE}\u{BB2}\u{BCD}", 14, 2, None),
    Among("\u{BBE}\u{BB2}\u{BCD}", 14, 2, None),
    Among("\u{BBF}\u{BB2}\u{BCD}", 14, 2, None),
    Among("\u{BC1}\u{BB3}\u{BCD}", -1, 2, None),
    Among("\u{B95}\u{BC0}\u{BB4}\u{BCD}", -1, 1, None),
    Among("\u{BB5}\u{BBF}\u{B9F}", -1, 2, None),
];

static A_15: &'static [Among<Context>; 12] = &[
    Among("\u{B85}", -1, -1, None),
    Among("\u{B86}", -1, -1, None),
    Among("\u{B87}", -1, -1, None),
    Among("\u{B88}", -1, -1, None),
    Among("\u{B89}", -1, -1, None),
    Among("\u{B8A}", -1, -1, None),
    Among("\u{B8E}", -1, -1, None),
    Among("\u{B8F}", -1, -1, None),
    Among("\u{B90}", -1, -1, None),
    Among("\u{B92}", -1, -1, None),
    Among("\u{B93}", -1, -1, None),
    Among("\u{B94}", -1, -1, None),
];

static A_16: &'static [Among<Context>; 46] = &[
    Among("\u{B95}\u{BC1}", -1, 6, None),
    Among("\u{BAA}\u{B9F}\u{BC1}", -1, 1, None),
    Among("\u{BA4}\u{BC1}", -1, 3, None),
    Among("\u{BBF}\u{BB1}\u{BCD}\u{BB1}\u{BC1}", -1, 1, None),
    Among("\u{BA9}\u{BC8}", -1, 1, None),
    Among("\u{BB5}\u{BC8}", -1, 1, None),
    Among("\u{BA9}\u{BC6}\u{BA9}\u{BCD}", -1, 1, None),
    Among("\u{BC7}\u{BA9}\u{BCD}", -1, 5, None),
    Among("\u{BA9}\u{BA9}\u{BCD}", -1, 1, None),
    Among("\u{BAA}\u{BA9}\u{BCD}", -1, 1, None),
    Among("\u{BB5}\u{BA9}\u{BCD}", -1, 2, None),
    Among("\u{BBE}\u{BA9}\u{BCD}", -1, 4, None),
    Among("\u{BA9}\u{BBE}\u{BA9}\u{BCD}", 11, 1, None),
    Among("\u{BAE}\u{BBF}\u{BA9}\u{BCD}", -1, 1, None),
    Among("\u{B95}\u{BC1}\u{BAE}\u{BCD}", -1, 1, None),
    Among("\u{B9F}\u{BC1}\u{BAE}\u{BCD}", -1, 5, None),
    Among("\u{BA4}\u{BC1}\u{BAE}\u{BCD}", -1, 1, None),
    Among("\u{BB1}\u{BC1}\u{BAE}\u{BCD}", -1, 1, None),
    Among("\u{BC6}\u{BAE}\u{BCD}", -1, 5, None),
    Among("\u{BC7}\u{BAE}\u{BCD}", -1, 5, None),
    Among("\u{BCB}\u{BAE}\u{BCD}", -1, 5, None),
    Among("\u{BA9}\u{BAE}\u{BCD}", -1, 1, None),
    Among("\u{BAA}\u{BAE}\u{BCD}", -1, 1, None),
    Among("\u{BBE}\u{BAE}\u{BCD}", -1, 5, None),
    Among("\u{BBE}\u{BAF}\u{BCD}", -1, 5, None),
    Among("\u{BC0}\u{BB0}\u{BCD}", -1, 5, None),
    Among("\u{BA9}\u{BB0}\u{BCD}", -1, 1, None),
    Among("\u{BAA}\u{BB0}\u{BCD}", -1, 1, None),
    Among("\u{BC0}\u{BAF}\u{BB0}\u{BCD}", -1, 5, None),
    Among("\u{BB5}\u{BB0}\u{BCD}", -1, 1, None),
    Among("\u{BBE}\u{BB0}\u{BCD}", -1, 5, None),
    Among("\u{BA9}\u{BBE}\u{BB0}\u{BCD}", 30, 1, None),
    Among("\u{BAE}\u{BBE}\u{BB0}\u{BCD}", 30, 1, None),
    Among("\u{B95}\u{BCA}\u{BA3}\u{BCD}\u{B9F}\u{BBF}\u{BB0}\u{BCD}", -1, 1, None),
    Among("\u{BA9}\u{BBF}\u{BB0}\u{BCD}", -1, 5, None),
    Among("\u{BA9}\u{BB3}\u{BCD}", -1, 1, None),
    Among("\u{BAA}\u{BB3}\u{BCD}", -1, 1, None),
    Among("\u{BB5}\u{BB3}\u{BCD}", -1, 1, None),
    Among("\u{BBE}\u{BB3}\u{BCD}", -1, 5, None),
    Among("\u{BA9}\u{BBE}\u{BB3}\u{BCD}", 38, 1, None),
    Among("\u{B95}", -1, 1, None),
    Among("\u{BA4}", -1, 1, None),
    Among("\u{BA9}", -1, 1, None),
    Among("\u{BAA}", -1, 1, None),
    Among("\u{BAF}", -1, 1, None),
    Among("\u{BBE}", -1, 5, None),
];

static A_17: &'static [Among<Context>; 6] = &[
    Among("\u{B95}\u{BBF}\u{BA9}\u{BCD}\u{BB1}\u{BCD}", -1, -1, None),
    Among("\u{BBE}\u{BA8}\u{BBF}\u{BA9}\u{BCD}\u{BB1}\u{BCD}", -1, -1, None),
    Among("\u{B95}\u{BBF}\u{BB1}\u{BCD}", -1, -1, None),
    Among("\u{B95}\u{BBF}\u{BA9}\u{BCD}\u{BB1}", -1, -1, None),
    Among("\u{BBE}\u{BA8}\u{BBF}\u{BA9}\u{BCD}\u{BB1}", -1, -1, None),
    Among("\u{B95}\u{BBF}\u{BB1}", -1, -1, None),
];

fn r_fix_va_start(env: &mut SnowballEnv, context: &mut Context) -> bool {
    let mut among_var;
    env.bra = env.cursor;
    if (env.cursor + 5 >= env.limit || env.current.as_bytes()[(env.cursor + 5) as usize] as u8 >> 5 != 4 as u8 || ((3078 as i32 >> (env.current.as_bytes()[(env.cursor + 5) as usize] as u8 & 0x1f)) & 1) == 0) {
        return false;
    }

    among_var = env.find_among(A_0, context);
    if among_var == 0 {
        return false;
    }
    env.ket = env.cursor;
    match among_var {
        1 => {
            env.slice_from("\u{B93}");
        }
        2 => {
            env.slice_from("\u{B92}");
        }
        3 => {
            env.slice_from("\u{B89}");
        }
        4 => {
            env.slice_from("\u{B8A}");
        }
        _ => ()
    }
    return true
}

fn r_fix_endings(env: &mut SnowballEnv, context: &mut Context) -> bool {
    let v_1 = env.cursor;
    'lab0: loop {
        'replab1: loop{
            let v_2 = env.cursor;
            'lab2: for _ in 0..1 {
                if !r_fix_ending(env, context) {
                    break 'lab2;
                }
                continue 'replab1;
            }
            env.cursor = v_2;
            break 'replab1;
        }
        break 'lab0;
    }
    env.cursor = v_1;
    return true
}

fn r_fix_ending(env: &mut SnowballEnv, context: &mut Context) -> bool {
    let mut among_var;
    if (env.current.chars().count() as i32) < 4 {
        return false;
    }
    env.limit_backward = env.cursor;
    env.cursor = env.limit;
    'lab0: loop {
        let v_1 = env.limit - env.cursor;
        'lab1: loop {
            env.ket = env.cursor;
            among_var = env.find_among_b(A_5, context);
            if among_var == 0 {
                break 'lab1;
            }
            env.bra = env.cursor;
            match among_var {
                1 => {
                    env.slice_del();
                }
                2 => {
                    let v_2 = env.limit - env.cursor;
                    if env.find_among_b(A_2, context) == 0 {
                        break 'lab1;
                    }
                    env.cursor = env.limit - v_2;
                    env.slice_del();
                }
                3 => {
                    env.slice_from("\u{BB3}\u{BCD}");
                }
                4 => {
                    env.slice_from("\u{BB2}\u{BCD}");
                }
                5 => {
                    env.slice_from("\u{B9F}\u{BC1}");
                }
                6 => {
                    if !context.b_found_vetrumai_urupu {
                        break 'lab1;
                    }
                    'lab2: loop {
                        if !env.eq_s_b(&"\u{BC8}") {
                            break 'lab2;
                        }
                        break 'lab1;
                    }
                    env.slice_from("\u{BAE}\u{BCD}");
                }
                7 => {
                    env.slice_from("\u{BCD}");
                }
                8 => {
                    let v_3 = env.limit - env.cursor;
                    'lab3: loop {
                        if env.find_among_b(A_3, context) == 0 {
                            break 'lab3;
                        }
                        break 'lab1;
                    }
                    env.cursor = env.limit - v_3;
                    env.slice_del();
                }
                9 => {
                    if (env.cursor - 2 <= env.limit_backward || (env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 136 as u8 && env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 141 as u8)) {among_var = 2;}
                    else {
                        among_var = env.find_among_b(A_4, context);
                    }
                    match among_var {
                        1 => {
                            env.slice_del();
                        }
                        2 => {
                            env.slice_from("\u{BAE}\u{BCD}");
                        }
                        _ => ()
                    }
                }
                _ => ()
            }
            break 'lab0;
        }
        env.cursor = env.limit - v_1;
        env.ket = env.cursor;
        if !env.eq_s_b(&"\u{BCD}") {
            return false;
        }
        'lab4: loop {
            let v_4 = env.limit - env.cursor;
            'lab5: loop {
                if env.find_among_b(A_6, context) == 0 {
                    break 'lab5;
                }
                let v_5 = env.limit - env.cursor;
                'lab6: loop {
                    if !env.eq_s_b(&"\u{BCD}") {
                        env.cursor = env.limit - v_5;
                        break 'lab6;
                    }
                    if env.find_among_b(A_6, context) == 0 {
                        env.cursor = env.limit - v_5;
                        break 'lab6;
                    }
                    break 'lab6;
                }
                env.bra = env.cursor;
                env.slice_del();
                break 'lab4;
            }
            env.cursor = env.limit - v_4;
            'lab7: loop {
                if env.find_among_b(A_7, context) == 0 {
                    break 'lab7;
                }
                env.bra = env.cursor;
                if !env.eq_s_b(&"\u{BCD}") {
                    break 'lab7;
                }
                env.slice_del();
                break 'lab4;
            }
            env.cursor = env.limit - v_4;
            let v_6 = env.limit - env.cursor;
            if env.find_among_b(A_8, context) == 0 {
                return false;
            }
            env.cursor = env.limit - v_6;
            env.bra = env.cursor;
            env.slice_del();
            break 'lab4;
        }
        break 'lab0;
    }
    env.cursor = env.limit_backward;
    return true
}

pub fn stem(env: &mut SnowballEnv) -> bool {
    let mut context = &mut Context {
        b_found_vetrumai_urupu: false,
    };
    let mut among_var;
    let mut b_found_a_match : bool;
    context.b_found_vetrumai_urupu = false;
    let v_1 = env.cursor;
    r_fix_ending(env, context);
    env.cursor = v_1;
    if (env.current.chars().count() as i32) < 5 {
        return false;
    }
    let v_2 = env.cursor;
    'lab0: loop {
        env.bra = env.cursor;
        if !env.eq_s(&"\u{B8E}") {
            break 'lab0;
        }
        if env.find_among(A_1, context) == 0 {
            break 'lab0;
        }
        if !env.eq_s(&"\u{BCD}") {
            break 'lab0;
        }
        env.ket = env.cursor;
        env.slice_del();
        let v_3 = env.cursor;
        r_fix_va_start(env, context);
        env.cursor = v_3;
        break 'lab0;
    }
    env.cursor = v_2;
    let v_4 = env.cursor;
    'lab1: loop {
        env.bra = env.cursor;
        if (env.cursor + 2 >= env.limit || env.current.as_bytes()[(env.cursor + 2) as usize] as u8 >> 5 != 4 as u8 || ((672 as i32 >> (env.current.as_bytes()[(env.cursor + 2) as usize] as u8 & 0x1f)) & 1) == 0) {
            break 'lab1;
        }

        if env.find_among(A_9, context) == 0 {
            break 'lab1;
        }
        if env.find_among(A_1, context) == 0 {
            break 'lab1;
        }
        if !env.eq_s(&"\u{BCD}") {
            break 'lab1;
        }
        env.ket = env.cursor;
        env.slice_del();
        let v_5 = env.cursor;
        r_fix_va_start(env, context);
        env.cursor = v_5;
        break 'lab1;
    }
    env.cursor = v_4;
    'lab2: loop {
        if (env.current.chars().count() as i32) < 5 {
            break 'lab2;
        }
        env.limit_backward = env.cursor;
        env.cursor = env.limit;
        let v_6 = env.limit - env.cursor;
        'lab3: loop {
            env.ket = env.cursor;
            if env.find_among_b(A_11, context) == 0 {
                break 'lab3;
            }
            env.bra = env.cursor;
            env.slice_from("\u{BCD}");
            break 'lab3;
        }
        env.cursor = env.limit - v_6;
        env.cursor = env.limit_backward;
        r_fix_endings(env, context);
        break 'lab2;
    }
    let v_7 = env.cursor;
    'lab4: loop {
        if (env.current.chars().count() as i32) < 5 {
            break 'lab4;
        }
        env.limit_backward = env.cursor;
        env.cursor = env.limit;
        env.ket = env.cursor;
        if !env.eq_s_b(&"\u{BC1}\u{BAE}\u{BCD}") {
            break 'lab4;
        }
        env.bra = env.cursor;
        env.slice_from("\u{BCD}");
        env.cursor = env.limit_backward;
        let v_8 = env.cursor;
        r_fix_ending(env, context);
        env.cursor = v_8;
        break 'lab4;
    }
    env.cursor = v_7;
    let v_9 = env.cursor;
    'lab5: loop {
        if (env.current.chars().count() as i32) < 5 {
            break 'lab5;
        }
        env.limit_backward = env.cursor;
        env.cursor = env.limit;
        env.ket = env.cursor;
        among_var = env.find_among_b(A_13, context);
        if among_var == 0 {
            break 'lab5;
        }
        env.bra = env.cursor;
        match among_var {
            1 => {
                env.slice_from("\u{BCD}");
            }
            2 => {
                let v_10 = env.limit - env.cursor;
                'lab6: loop {
                    if env.find_among_b(A_3, context) == 0 {
                        break 'lab6;
                    }
                    break 'lab5;
                }
                env.cursor = env.limit - v_10;
                env.slice_from("\u{BCD}");
            }
            3 => {
                env.slice_del();
            }
            _ => ()
        }
        env.cursor = env.limit_backward;
        r_fix_endings(env, context);
        break 'lab5;
    }
    env.cursor = v_9;
    let v_11 = env.cursor;
    'lab7: loop {
        context.b_found_vetrumai_urupu = false;
        if (env.current.chars().count() as i32) < 5 {
            break 'lab7;
        }
        env.limit_backward = env.cursor;
        env.cursor = env.limit;
        'lab8: loop {
            let v_12 = env.limit - env.cursor;
            'lab9: loop {
                let v_13 = env.limit - env.cursor;
                env.ket = env.cursor;
                if (env.cursor - 2 <= env.limit_backward || env.current.as_bytes()[(env.cursor - 1) as usize] as u8 >> 5 != 4 as u8 || ((-2147475197 as i32 >> (env.current.as_bytes()[(env.cursor - 1) as usize] as u8 & 0x1f)) & 1) == 0) {
                    break 'lab9;
                }

                among_var = env.find_among_b(A_14, context);
                if among_var == 0 {
                    break 'lab9;
                }
                env.bra = env.cursor;
                match among_var {
                    1 => {
                        env.slice_del();
                    }
                    2 => {
                        env.slice_from("\u{BCD}");
                    }
                    3 => {
                        'lab10: loop {
                            if !env.eq_s_b(&"\u{BAE}") {
                                break 'lab10;
                            }
                            break 'lab9;
                        }
                        env.slice_from("\u{BCD}");
                    }
                    4 => {
                        if (env.current.chars().count() as i32) < 7 {
                            break 'lab9;
                        }
                        env.slice_from("\u{BCD}");
                    }
                    5 => {
                        let v_14 = env.limit - env.cursor;
                        'lab11: loop {
                            if env.find_among_b(A_3, context) == 0 {
                                break 'lab11;
                            }
                            break 'lab9;
                        }
                        env.cursor = env.limit - v_14;
                        env.slice_from("\u{BCD}");
                    }
                    6 => {
                        let v_15 = env.limit - env.cursor;
                        'lab12: loop {
                            if env.find_among_b(A_3, context) == 0 {
                                break 'lab12;
                            }
                            break 'lab9;
                        }
                        env.cursor = env.limit - v_15;
                        env.slice_del();
                    }
                    7 => {
                        env.slice_from("\u{BBF}");
                    }
                    _ => ()
                }
                env.cursor = env.limit - v_13;
                break 'lab8;
            }
            env.cursor = env.limit - v_12;
            let v_16 = env.limit - env.cursor;
            env.ket = env.cursor;
            if !env.eq_s_b(&"\u{BC8}") {
                break 'lab7;
            }
            'lab13: loop {
                let v_17 = env.limit - env.cursor;
                'lab14: loop {
                    let v_18 = env.limit - env.cursor;
                    'lab15: loop {
                        if env.find_among_b(A_6, context) == 0 {
                            break 'lab15;
                        }
                        break 'lab14;
                    }
                    env.cursor = env.limit - v_18;
                    break 'lab13;
                }
                env.cursor = env.limit - v_17;
                let v_19 = env.limit - env.cursor;
                if env.find_among_b(A_6, context) == 0 {
                    break 'lab7;
                }
                if !env.eq_s_b(&"\u{BCD}") {
                    break 'lab7;
                }
                env.cursor = env.limit - v_19;
                break 'lab13;
            }
            env.bra = env.cursor;
            env.slice_from("\u{BCD}");
            env.cursor = env.limit - v_16;
            break 'lab8;
        }
        context.b_found_vetrumai_urupu = true;
        let v_20 = env.limit - env.cursor;
        'lab16: loop {
            env.ket = env.cursor;
            if !env.eq_s_b(&"\u{BBF}\u{BA9}\u{BCD}") {
                break 'lab16;
            }
            env.bra = env.cursor;
            env.slice_from("\u{BCD}");
            break 'lab16;
        }
        env.cursor = env.limit - v_20;
        env.cursor = env.limit_backward;
        r_fix_endings(env, context);
        break 'lab7;
    }
    env.cursor = v_11;
    let v_21 = env.cursor;
    'lab17: loop {
        env.limit_backward = env.cursor;
        env.cursor = env.limit;
        env.ket = env.cursor;
        if (env.cursor - 8 <= env.limit_backward || env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 141 as u8) {
            break 'lab17;
        }

        among_var = env.find_among_b(A_10, context);
        if among_var == 0 {
            break 'lab17;
        }
        env.bra = env.cursor;
        match among_var {
            1 => {
                'lab18: loop {
                    let v_22 = env.limit - env.cursor;
                    'lab19: loop {
                        if env.find_among_b(A_6, context) == 0 {
                            break 'lab19;
                        }
                        env.slice_from("\u{BC1}\u{B99}\u{BCD}");
                        break 'lab18;
                    }
                    env.cursor = env.limit - v_22;
                    env.slice_from("\u{BCD}");
                    break 'lab18;
                }
            }
            2 => {
                env.slice_from("\u{BB2}\u{BCD}");
            }
            3 => {
                env.slice_from("\u{BB3}\u{BCD}");
            }
            4 => {
                env.slice_del();
            }
            _ => ()
        }
        env.cursor = env.limit_backward;
        break 'lab17;
    }
    env.cursor = v_21;
    let v_23 = env.cursor;
    'lab20: loop {
        if (env.current.chars().count() as i32) < 5 {
            break 'lab20;
        }
        env.limit_backward = env.cursor;
        env.cursor = env.limit;
        env.ket = env.cursor;
        if (env.cursor - 5 <= env.limit_backward || env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 191 as u8) {
            break 'lab20;
        }

        if env.find_among_b(A_12, context) == 0 {
            break 'lab20;
        }
        env.bra = env.cursor;
        env.slice_del();
        env.cursor = env.limit_backward;
        break 'lab20;
    }
    env.cursor = v_23;
    let v_24 = env.cursor;
    'lab21: loop {
        'replab22: loop{
            let v_25 = env.cursor;
            'lab23: for _ in 0..1 {
                b_found_a_match = false;
                if (env.current.chars().count() as i32) < 5 {
                    break 'lab23;
                }
                env.limit_backward = env.cursor;
                env.cursor = env.limit;
                let v_26 = env.limit - env.cursor;
                'lab24: loop {
                    let v_27 = env.limit - env.cursor;
                    env.ket = env.cursor;
                    among_var = env.find_among_b(A_16, context);
                    if among_var == 0 {
                        break 'lab24;
                    }
                    env.bra = env.cursor;
                    match among_var {
                        1 => {
                            env.slice_del();
                        }
                        2 => {
                            let v_28 = env.limit - env.cursor;
                            'lab25: loop {
                                if (env.cursor - 2 <= env.limit_backward || env.current.as_bytes()[(env.cursor - 1) as usize] as u8 >> 5 != 4 as u8 || ((1951712 as i32 >> (env.current.as_bytes()[(env.cursor - 1) as usize] as u8 & 0x1f)) & 1) == 0) {
                                    break 'lab25;
                                }

                                if env.find_among_b(A_15, context) == 0 {
                                    break 'lab25;
                                }
                                break 'lab24;
                            }
                            env.cursor = env.limit - v_28;
                            env.slice_del();
                        }
                        3 => {
                            let v_29 = env.limit - env.cursor;
                            'lab26: loop {
                                if env.find_among_b(A_3, context) == 0 {
                                    break 'lab26;
                                }
                                break 'lab24;
                            }
                            env.cursor = env.limit - v_29;
                            env.slice_del();
                        }
                        4 => {
                            'lab27: loop {
                                if !env.eq_s_b(&"\u{B9A}") {
                                    break 'lab27;
                                }
                                break 'lab24;
                            }
                            env.slice_from("\u{BCD}");
                        }
                        5 => {
                            env.slice_from("\u{BCD}");
                        }
                        6 => {
                            let v_30 = env.limit - env.cursor;
                            if !env.eq_s_b(&"\u{BCD}") {
                                break 'lab24;
                            }
                            env.cursor = env.limit - v_30;
                            env.slice_del();
                        }
                        _ => ()
                    }
                    b_found_a_match = true;
                    env.cursor = env.limit - v_27;
                    break 'lab24;
                }
                env.cursor = env.limit - v_26;
                let v_31 = env.limit - env.cursor;
                'lab28: loop {
                    env.ket = env.cursor;
                    if (env.cursor - 8 <= env.limit_backward || (env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 141 as u8 && env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 177 as u8)) {
                        break 'lab28;
                    }

                    if env.find_among_b(A_17, context) == 0 {
                        break 'lab28;
                    }
                    env.bra = env.cursor;
                    env.slice_del();
                    b_found_a_match = true;
                    break 'lab28;
                }
                env.cursor = env.limit - v_31;
                env.cursor = env.limit_backward;
                r_fix_endings(env, context);
                if !b_found_a_match {
                    break 'lab23;
                }
                continue 'replab22;
            }
            env.cursor = v_25;
            break 'replab22;
        }
        break 'lab21;
    }
    env.cursor = v_24;
    return true
}
