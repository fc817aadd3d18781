// Generated from arabic.sbl by Snowball 3.2.0 - https://snowballstem.org/

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

static A_0: &'static [Among<Context>; 144] = &[
    Among("\u{640}", -1, 1, None),
    Among("\u{64B}", -1, 1, None),
    Among("\u{64C}", -1, 1, None),
    Among("\u{64D}", -1, 1, None),
    Among("\u{64E}", -1, 1, None),
    Among("\u{64F}", -1, 1, None),
    Among("\u{650}", -1, 1, None),
    Among("\u{651}", -1, 1, None),
    Among("\u{652}", -1, 1, None),
    Among("\u{660}", -1, 2, None),
    Among("\u{661}", -1, 3, None),
    Among("\u{662}", -1, 4, None),
    Among("\u{663}", -1, 5, None),
    Among("\u{664}", -1, 6, None),
    Among("\u{665}", -1, 7, None),
    Among("\u{666}", -1, 8, None),
    Among("\u{667}", -1, 9, None),
    Among("\u{668}", -1, 10, None),
    Among("\u{669}", -1, 11, None),
    Among("\u{FE80}", -1, 12, None),
    Among("\u{FE81}", -1, 16, None),
    Among("\u{FE82}", -1, 16, None),
    Among("\u{FE83}", -1, 13, None),
    Among("\u{FE84}", -1, 13, None),
    Among("\u{FE85}", -1, 17, None),
    Among("\u{FE86}", -1, 17, None),
    Among("\u{FE87}", -1, 14, None),
    Among("\u{FE88}", -1, 14, None),
    Among("\u{FE89}", -1, 15, None),
    Among("\u{FE8A}", -1, 15, None),
    Among("\u{FE8B}", -1, 15, None),
    Among("\u{FE8C}", -1, 15, None),
    Among("\u{FE8D}", -1, 18, None),
    Among("\u{FE8E}", -1, 18, None),
    Among("\u{FE8F}", -1, 19, None),
    Among("\u{FE90}", -1, 19, None),
    Among("\u{FE91}", -1, 19, None),
    Among("\u{FE92}", -1, 19, None),
    Among("\u{FE93}", -1, 20, None),
    Among("\u{FE94}", -1, 20, None),
    Among("\u{FE95}", -1, 21, None),
    Among("\u{FE96}", -1, 21, None),
    Among("\u{FE97}", -1, 21, None),
    Among("\u{FE98}", -1, 21, None),
    Among("\u{FE99}", -1, 22, None),
    Among("\u{FE9A}", -1, 22, None),
    Among("\u{FE9B}", -1, 22, None),
    Among("\u{FE9C}", -1, 22, None),
    Among("\u{FE9D}", -1, 23, None),
    Among("\u{FE9E}", -1, 23, None),
    Among("\u{FE9F}", -1, 23, None),
    Among("\u{FEA0}", -1, 23, None),
    Among("\u{FEA1}", -1, 24, None),
    Among("\u{FEA2}", -1, 24, None),
    Among("\u{FEA3}", -1, 24, None),
    Among("\u{FEA4}", -1, 24, None),
    Among("\u{FEA5}", -1, 25, None),
    Among("\u{FEA6}", -1, 25, None),
    Among("\u{FEA7}", -1, 25, None),
    Among("\u{FEA8}", -1, 25, None),
    Among("\u{FEA9}", -1, 26, None),
    Among("\u{FEAA}", -1, 26, None),
    Among("\u{FEAB}", -1, 27, None),
    Among("\u{FEAC}", -1, 27, None),
    Among("\u{FEAD}", -1, 28, None),
    Among("\u{FEAE}", -1, 28, None),
    Among("\u{FEAF}", -1, 29, None),
    Among("\u{FEB0}", -1, 29, None),
    Among("\u{FEB1}", -1, 30, None),
    Among("\u{FEB2}", -1, 30, None),
    Among("\u{FEB3}", -1, 30, None),
    Among("\u{FEB4}", -1, 30, None),
    Among("\u{FEB5}", -1, 31, None),
    Among("\u{FEB6}", -1, 31, None),
    Among("\u{FEB7}", -1, 31, None),
    Among("\u{FEB8}", -1, 31, None),
    Among("\u{FEB9}", -1, 32, None),
    Among("\u{FEBA}", -1, 32, None),
    Among("\u{FEBB}", -1, 32, None),
    Among("\u{FEBC}", -1, 32, None),
    Among("\u{FEBD}", -1, 33, None),
    Among("\u{FEBE}", -1, 33, None),
    Among("\u{FEBF}", -1, 33, None),
    Among("\u{FEC0}", -1, 33, None),
    Among("\u{FEC1}", -1, 34, None),
    Among("\u{FEC2}", -1, 34, None),
    Among("\u{FEC3}", -1, 34, None),
    Among("\u{FEC4}", -1, 34, None),
    Among("\u{FEC5}", -1, 35, None),
    Among("\u{FEC6}", -1, 35, None),
    Among("\u{FEC7}", -1, 35, None),
    Among("\u{FEC8}", -1, 35, None),
    Among("\u{FEC9}", -1, 36, None),
    Among("\u{FECA}", -1, 36, None),
    Among("\u{FECB}", -1, 36, None),
    Among("\u{FECC}", -1, 36, None),
    Among("\u{FECD}", -1, 37, None),
    Among("\u{FECE}", -1, 37, None),
    Among("\u{FECF}", -1, 37, None),
    Among("\u{FED0}", -1, 37, None),
    Among("\u{FED1}", -1, 38, None),
    Among("\u{FED2}", -1, 38, None),
    Among("\u{FED3}", -1, 38, None),
    Among("\u{FED4}", -1, 38, None),
    Among("\u{FED5}", -1, 39, None),
    Among("\u{FED6}", -1, 39, None),
    Among("\u{FED7}", -1, 39, None),
    Among("\u{FED8}", -1, 39, None),
    Among("\u{FED9}", -1, 40, None),
    Among("\u{FEDA}", -1, 40, None),
    Among("\u{FEDB}", -1, 40, None),
    Among("\u{FEDC}", -1, 40, None),
    Among("\u{FEDD}", -1, 41, None),
    Among("\u{FEDE}", -1, 41, None),
    Among("\u{FEDF}", -1, 41, None),
    Among("\u{FEE0}", -1, 41, None),
    Among("\u{FEE1}", -1, 42, None),
    Among("\u{FEE2}", -1, 42, None),
    Among("\u{FEE3}", -1, 42, None),
    Among("\u{FEE4}", -1, 42, None),
    Among("\u{FEE5}", -1, 43, None),
    Among("\u{FEE6}", -1, 43, None),
    Among("\u{FEE7}", -1, 43, None),
    Among("\u{FEE8}", -1, 43, None),
    Among("\u{FEE9}", -1, 44, None),
    Among("\u{FEEA}", -1, 44, None),
    Among("\u{FEEB}", -1, 44, None),
    Among("\u{FEEC}", -1, 44, None),
    Among("\u{FEED}", -1, 45, None),
    Among("\u{FEEE}", -1, 45, None),
    Among("\u{FEEF}", -1, 46, None),
    Among("\u{FEF0}", -1, 46, None),
    Among("\u{FEF1}", -1, 47, None),
    Among("\u{FEF2}", -1, 47, None),
    Among("\u{FEF3}", -1, 47, None),
    Among("\u{FEF4}", -1, 47, None),
    Among("\u{FEF5}", -1, 51, None),
    Among("\u{FEF6}", -1, 51, None),
    Among("\u{FEF7}", -1, 49, None),
    Among("\u{FEF8}", -1, 49, None),
    Among("\u{FEF9}", -1, 50, None),
    Among("\u{FEFA}", -1, 50, None),
    Among("\u{FEFB}", -1, 48, None),
    Among("\u{FEFC}", -1, 48, None),
];

static A_1: &'static [Among<Context>; 5] = &[
    Among("\u{622}", -1, 1, None),
    Among("\u{623}", -1, 1, None),
    Among("\u{624}", -1, 1, None),
    Among("\u{625}", -1, 1, None),
    Among("\u{626}", -1, 1, None),
];

static A_2: &'static [Among<Context>; 5] = &[
    Among("\u{622}", -1, 1, None),
    Among("\u{623}", -1, 1, None),
    Among("\u{624}", -1, 2, None),
    Among("\u{625}", -1, 1, None),
    Among("\u{626}", -1, 3, None),
];

static A_3: &'static [Among<Context>; 4] = &[
    Among("\u{627}\u{644}", -1, 2, None),
    Among("\u{628}\u{627}\u{644}", -1, 1, None),
    Among("\u{643}\u{627}\u{644}", -1, 1, None),
    Among("\u{644}\u{644}", -1, 2, None),
];

static A_4: &'static [Among<Context>; 5] = &[
    Among("\u{623}\u{622}", -1, 2, None),
    Among("\u{623}\u{623}", -1, 1, None),
    Among("\u{623}\u{624}", -1, 1, None),
    Among("\u{623}\u{625}", -1, 4, None),
    Among("\u{623}\u{627}", -1, 3, None),
];

static A_5: &'static [Among<Context>; 2] = &[
    Among("\u{641}", -1, 1, None),
    Among("\u{648}", -1, 1, None),
];

static A_6: &'static [Among<Context>; 4] = &[
    Among("\u{627}\u{644}", -1, 2, None),
    Among("\u{628}\u{627}\u{644}", -1, 1, None),
    Among("\u{643}\u{627}\u{644}", -1, 1, None),
    Among("\u{644}\u{644}", -1, 2, None),
];

static A_7: &'static [Among<Context>; 4] = &[
    Among("\u{628}", -1, 1, None),
    Among("\u{628}\u{627}", 0, -1, None),
    Among("\u{628}\u{628}", 0, 2, None),
    Among("\u{643}\u{643}", -1, 3, None),
];

static A_8: &'static [Among<Context>; 4] = &[
    Among("\u{633}\u{623}", -1, 4, None),
    Among("\u{633}\u{62A}", -1, 2, None),
    Among("\u{633}\u{646}", -1, 3, None),
    Among("\u{633}\u{64A}", -1, 1, None),
];

static A_9: &'static [Among<Context>; 3] = &[
    Among("\u{62A}\u{633}\u{62A}", -1, 1, None),
    Among("\u{646}\u{633}\u{62A}", -1, 1, None),
    Among("\u{64A}\u{633}\u{62A}", -1, 1, None),
];

static A_10: &'static [Among<Context>; 10] = &[
    Among("\u{643}", -1, 1, None),
    Among("\u{643}\u{645}", -1, 2, None),
    Among("\u{647}\u{645}", -1, 2, None),
    Among("\u{647}\u{646}", -1, 2, None),
    Among("\u{647}", -1, 1, None),
    Among("\u{64A}", -1, 1, None),
    Among("\u{643}\u{645}\u{627}", -1, 3, None),
    Among("\u{647}\u{645}\u{627}", -1, 3, None),
    Among("\u{646}\u{627}", -1, 2, None),
    Among("\u{647}\u{627}", -1, 2, None),
];

static A_11: &'static [Among<Context>; 3] = &[
    Among("\u{648}", -1, 1, None),
    Among("\u{64A}", -1, 1, None),
    Among("\u{627}", -1, 1, None),
];

static A_12: &'static [Among<Context>; 12] = &[
    Among("\u{643}", -1, 1, None),
    Among("\u{643}\u{645}", -1, 2, None),
    Among("\u{647}\u{645}", -1, 2, None),
    Among("\u{643}\u{646}", -1, 2, None),
    Among("\u{647}\u{646}", -1, 2, None),
    Among("\u{647}", -1, 1, None),
    Among("\u{643}\u{645}\u{648}", -1, 3, None),
    Among("\u{646}\u{64A}", -1, 2, None),
    Among("\u{643}\u{645}\u{627}", -1, 3, None),
    Among("\u{647}\u{645}\u{627}", -1, 3, None),
    Among("\u{646}\u{627}", -1, 2, None),
    Among("\u{647}\u{627}", -1, 2, None),
];

static A_13: &'static [Among<Context>; 11] = &[
    Among("\u{646}", -1, 1, None),
    Among("\u{648}\u{646}", 0, 3, None),
    Among("\u{64A}\u{646}", 0, 3, None),
    Among("\u{627}\u{646}", 0, 3, None),
    Among("\u{62A}\u{646}", 0, 2, None),
    Among("\u{64A}", -1, 1, None),
    Among("\u{627}", -1, 1, None),
    Among("\u{62A}\u{645}\u{627}", 6, 3, None),
    Among("\u{646}\u{627}", 6, 2, None),
    Among("\u{62A}\u{627}", 6, 2, None),
    Among("\u{62A}", -1, 1, None),
];

static A_14: &'static [Among<Context>; 2] = &[
    Among("\u{62A}\u{645}", -1, 1, None),
    Among("\u{648}\u{627}", -1, 1, None),
];

static A_15: &'static [Among<Context>; 2] = &[
    Among("\u{648}", -1, 1, None),
    Among("\u{62A}\u{645}\u{648}", 0, 2, None),
];

fn r_Suffix_Noun_Step2a(env: &mut SnowballEnv, context: &mut Context) -> bool {
    env.ket = env.cursor;
    if env.find_among_b(A_11, context) == 0 {
        return false;
    }
    env.bra = env.cursor;
    if (env.current.chars().count() as i32) < 5 {
        return false;
    }
    env.slice_del();
    return true
}

fn r_Suffix_Noun_Step2b(env: &mut SnowballEnv, context: &mut Context) -> bool {
    env.ket = env.cursor;
    if !env.eq_s_b(&"\u{627}\u{62A}") {
        return false;
    }
    env.bra = env.cursor;
    if (env.current.chars().count() as i32) < 5 {
        return false;
    }
    env.slice_del();
    return true
}

fn r_Suffix_Noun_Step2c1(env: &mut SnowballEnv, context: &mut Context) -> bool {
    env.ket = env.cursor;
    if !env.eq_s_b(&"\u{62A}") {
        return false;
    }
    env.bra = env.cursor;
    if (env.current.chars().count() as i32) < 4 {
        return false;
    }
    env.slice_del();
    return true
}

fn r_Suffix_Verb_Step2a(env: &mut SnowballEnv, context: &mut Context) -> bool {
    let mut among_var;
    env.ket = env.cursor;
    among_var = env.find_among_b(A_13, context);
    if among_var == 0 {
        return false;
    }
    env.bra = env.cursor;
    match among_var {
        1 => {
            if (env.current.chars().count() as i32) < 4 {
                return false;
            }
            env.slice_del();
        }
        2 => {
            if (env.current.chars().count() as i32) < 5 {
                return false;
            }
            env.slice_del();
        }
        3 => {
            if (env.current.chars().count() as i32) < 6 {
                return false;
            }
            env.slice_del();
        }
        _ => ()
    }
    return true
}

pub fn stem(env: &mut SnowballEnv) -> bool {
    let mut context = &mut Context {
    };
    let mut among_var;
    let mut b_is_defined : bool;
    let mut b_is_verb : bool;
    let mut b_is_noun : bool;
    b_is_noun = true;
    b_is_verb = true;
    b_is_defined = false;
    let v_1 = env.cursor;
    'lab0: loop {
        env.bra = env.cursor;
        if (env.cursor + 3 >= env.limit || (env.current.as_bytes()[(env.cursor + 3) as usize] as u8 != 132 as u8 && env.current.as_bytes()[(env.cursor + 3) as usize] as u8 != 167 as u8)) {
            break 'lab0;
        }

        among_var = env.find_among(A_3, context);
        if among_var == 0 {
            break 'lab0;
        }
        env.ket = env.cursor;
        match among_var {
            1 => {
                if (env.current.chars().count() as i32) < 5 {
                    break 'lab0;
                }
                b_is_noun = true;
                b_is_verb = false;
                b_is_defined = true;
            }
            2 => {
                if (env.current.chars().count() as i32) < 4 {
                    break 'lab0;
                }
                b_is_noun = true;
                b_is_verb = false;
                b_is_defined = true;
            }
            _ => ()
        }
        break 'lab0;
    }
    env.cursor = v_1;
    'lab1: loop {
        let v_2 = env.cursor;
        'lab2: loop {
            'replab3: loop{
                let v_3 = env.cursor;
                'lab4: for _ in 0..1 {
                    'lab5: loop {
                        let v_4 = env.cursor;
                        'lab6: loop {
                            env.bra = env.cursor;
                            among_var = env.find_among(A_0, context);
                            if among_var == 0 {
                                break 'lab6;
                            }
                            env.ket = env.cursor;
                            match among_var {
                                1 => {
                                    env.slice_del();
                                }
                                2 => {
                                    env.slice_from("0");
                                }
                                3 => {
                                    env.slice_from("1");
                                }
                                4 => {
                                    env.slice_from("2");
                                }
                                5 => {
                                    env.slice_from("3");
                                }
                                6 => {
                                    env.slice_from("4");
                                }
                                7 => {
                                    env.slice_from("5");
                                }
                                8 => {
                                    env.slice_from("6");
                                }
                                9 => {
                                    env.slice_from("7");
                                }
                                10 => {
                                    env.slice_from("8");
                                }
                                11 => {
                                    env.slice_from("9");
                                }
                                12 => {
                                    env.slice_from("\u{621}");
                                }
                                13 => {
                                    env.slice_from("\u{623}");
                                }
                                14 => {
                                    env.slice_from("\u{625}");
                                }
                                15 => {
                                    env.slice_from("\u{626}");
                                }
                                16 => {
                                    env.slice_from("\u{622}");
                                }
                                17 => {
                                    env.slice_from("\u{624}");
                                }
                                18 => {
                                    env.slice_from("\u{627}");
                                }
                                19 => {
                                    env.slice_from("\u{628}");
                                }
                                20 => {
                                    env.slice_from("\u{629}");
                                }
                                21 => {
                                    env.slice_from("\u{62A}");
                                }
                                22 => {
                                    env.slice_from("\u{62B}");
                                }
                                23 => {
                                    env.slice_from("\u{62C}");
                                }
                                24 => {
                                    env.slice_from("\u{62D}");
                                }
                                25 => {
                                    env.slice_from("\u{62E}");
                                }
                                26 => {
                                    env.slice_from("\u{62F}");
                                }
                                27 => {
                                    env.slice_from("\u{630}");
                                }
                                28 => {
                                    env.slice_from("\u{631}");
                                }
                                29 => {
                                    env.slice_from("\u{632}");
                                }
                                30 => {
                                    env.slice_from("\u{633}");
                                }
                                31 => {
                                    env.slice_from("\u{634}");
                                }
                                32 => {
                                    env.slice_from("\u{635}");
                                }
                                33 => {
                                    env.slice_from("\u{636}");
                                }
                                34 => {
                                    env.slice_from("\u{637}");
                                }
                                35 => {
                                    env.slice_from("\u{638}");
                                }
                                36 => {
                                    env.slice_from("\u{639}");
                                }
                                37 => {
                                    env.slice_from("\u{63A}");
                                }
                                38 => {
                                    env.slice_from("\u{641}");
                                }
                                39 => {
                                    env.slice_from("\u{642}");
                                }
                                40 => {
                                    env.slice_from("\u{643}");
                                }
                                41 => {
                                    env.slice_from("\u{644}");
                                }
                                42 => {
                                    env.slice_from("\u{645}");
                                }
                                43 => {
                                    env.slice_from("\u{646}");
                                }
                                44 => {
                                    env.slice_from("\u{647}");
                                }
                                45 => {
                                    env.slice_from("\u{648}");
                                }
                                46 => {
                                    env.slice_from("\u{649}");
                                }
                                47 => {
                                    env.slice_from("\u{64A}");
                                }
                                48 => {
                                    env.slice_from("\u{644}\u{627}");
                                }
                                49 => {
                                    env.slice_from("\u{644}\u{623}");
                                }
                                50 => {
                                    env.slice_from("\u{644}\u{625}");
                                }
                                51 => {
                                    env.slice_from("\u{644}\u{622}");
                                }
                                _ => ()
                            }
                            break 'lab5;
                        }
                        env.cursor = v_4;
                        if env.cursor >= env.limit {
                            break 'lab4;
                        }
                        env.next_char();
                        break 'lab5;
                    }
                    continue 'replab3;
                }
                env.cursor = v_3;
                break 'replab3;
            }
            break 'lab2;
        }
        env.cursor = v_2;
        break 'lab1;
    }
    env.limit_backward = env.cursor;
    env.cursor = env.limit;
    let v_5 = env.limit - env.cursor;
    'lab7: loop {
        'lab8: loop {
            let v_6 = env.limit - env.cursor;
            'lab9: loop {
                if !b_is_verb {
                    break 'lab9;
                }
                'lab10: loop {
                    let v_7 = env.limit - env.cursor;
                    'lab11: loop {
                        let mut v_8 = 1;
                        'replab12: loop{
                            let v_9 = env.limit - env.cursor;
                            'lab13: for _ in 0..1 {
                                env.ket = env.cursor;
                                among_var = env.find_among_b(A_12, context);
                                if among_var == 0 {
                                    break 'lab13;
                                }
                                env.bra = env.cursor;
                                match among_var {
                                    1 => {
                                        if (env.current.chars().count() as i32) < 4 {
                                            break 'lab13;
                                        }
                                        env.slice_del();
                                    }
                                    2 => {
                                        if (env.current.chars().count() as i32) < 5 {
                                            break 'lab13;
                                        }
                                        env.slice_del();
                                    }
                                    3 => {
                                        if (env.current.chars().count() as i32) < 6 {
                                            break 'lab13;
                                        }
                                        env.slice_del();
                                    }
                                    _ => ()
                                }
                                v_8 -= 1;
                                continue 'replab12;
                            }
                            env.cursor = env.limit - v_9;
                            break 'replab12;
                        }
                        if v_8 > 0 {
                            break 'lab11;
                        }
                        'lab14: loop {
                            let v_10 = env.limit - env.cursor;
                            'lab15: loop {
                                if !r_Suffix_Verb_Step2a(env, context) {
                                    break 'lab15;
                                }
                                break 'lab14;
                            }
                            env.cursor = env.limit - v_10;
                            'lab16: loop {
                                env.ket = env.cursor;
                                if (env.cursor - 1 <= env.limit_backward || env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 136 as u8) {
                                    break 'lab16;
                                }

                                among_var = env.find_among_b(A_15, context);
                                if among_var == 0 {
                                    break 'lab16;
                                }
                                env.bra = env.cursor;
                                match among_var {
                                    1 => {
                                        if (env.current.chars().count() as i32) < 4 {
                                            break 'lab16;
                                        }
                                        env.slice_del();
                                    }
                                    2 => {
                                        if (env.current.chars().count() as i32) < 6 {
                                            break 'lab16;
                                        }
                                        env.slice_del();
                                    }
                                    _ => ()
                                }
                                break 'lab14;
                            }
                            env.cursor = env.limit - v_10;
                            if env.cursor <= env.limit_backward {
                                break 'lab11;
                            }
                            env.previous_char();
                            break 'lab14;
                        }
                        break 'lab10;
                    }
                    env.cursor = env.limit - v_7;
                    'lab17: loop {
                        env.ket = env.cursor;
                        if (env.cursor - 3 <= env.limit_backward || (env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 133 as u8 && env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 167 as u8)) {
                            break 'lab17;
                        }

                        if env.find_among_b(A_14, context) == 0 {
                            break 'lab17;
                        }
                        env.bra = env.cursor;
                        if (env.current.chars().count() as i32) < 5 {
                            break 'lab17;
                        }
                        env.slice_del();
                        break 'lab10;
                    }
                    env.cursor = env.limit - v_7;
                    if !r_Suffix_Verb_Step2a(env, context) {
                        break 'lab9;
                    }
                    break 'lab10;
                }
                break 'lab8;
            }
            env.cursor = env.limit - v_6;
            'lab18: loop {
                if !b_is_noun {
                    break 'lab18;
                }
                let v_11 = env.limit - env.cursor;
                'lab19: loop {
                    'lab20: loop {
                        let v_12 = env.limit - env.cursor;
                        'lab21: loop {
                            env.ket = env.cursor;
                            if !env.eq_s_b(&"\u{629}") {
                                break 'lab21;
                            }
                            env.bra = env.cursor;
                            if (env.current.chars().count() as i32) < 4 {
                                break 'lab21;
                            }
                            env.slice_del();
                            break 'lab20;
                        }
                        env.cursor = env.limit - v_12;
                        'lab22: loop {
                            if b_is_defined {
                                break 'lab22;
                            }
                            env.ket = env.cursor;
                            among_var = env.find_among_b(A_10, context);
                            if among_var == 0 {
                                break 'lab22;
                            }
                            env.bra = env.cursor;
                            match among_var {
                                1 => {
                                    if (env.current.chars().count() as i32) < 4 {
                                        break 'lab22;
                                    }
                                    env.slice_del();
                                }
                                2 => {
                                    if (env.current.chars().count() as i32) < 5 {
                                        break 'lab22;
                                    }
                                    env.slice_del();
                                }
                                3 => {
                                    if (env.current.chars().count() as i32) < 6 {
                                        break 'lab22;
                                    }
                                    env.slice_del();
                                }
                                _ => ()
                            }
                            'lab23: loop {
                                let v_13 = env.limit - env.cursor;
                                'lab24: loop {
                                    if !r_Suffix_Noun_Step2a(env, context) {
                                        break 'lab24;
                                    }
                                    break 'lab23;
                                }
                                env.cursor = env.limit - v_13;
                                'lab25: loop {
                                    if !r_Suffix_Noun_Step2b(env, context) {
                                        break 'lab25;
                                    }
                                    break 'lab23;
                                }
                                env.cursor = env.limit - v_13;
                                'lab26: loop {
                                    if !r_Suffix_Noun_Step2c1(env, context) {
                                        break 'lab26;
                                    }
                                    break 'lab23;
                                }
                                env.cursor = env.limit - v_13;
                                if env.cursor <= env.limit_backward {
                                    break 'lab22;
                                }
                                env.previous_char();
                                break 'lab23;
                            }
                            break 'lab20;
                        }
                        env.cursor = env.limit - v_12;
                        'lab27: loop {
                            env.ket = env.cursor;
                            if !env.eq_s_b(&"\u{646}") {
                                break 'lab27;
                            }
                            env.bra = env.cursor;
                            if (env.current.chars().count() as i32) < 6 {
                                break 'lab27;
                            }
                            env.slice_del();
                            'lab28: loop {
                                let v_14 = env.limit - env.cursor;
                                'lab29: loop {
                                    if !r_Suffix_Noun_Step2a(env, context) {
                                        break 'lab29;
                                    }
                                    break 'lab28;
                                }
                                env.cursor = env.limit - v_14;
                                'lab30: loop {
                                    if !r_Suffix_Noun_Step2b(env, context) {
                                        break 'lab30;
                                    }
                                    break 'lab28;
                                }
                                env.cursor = env.limit - v_14;
                                if !r_Suffix_Noun_Step2c1(env, context) {
                                    break 'lab27;
                                }
                                break 'lab28;
                            }
                            break 'lab20;
                        }
                        env.cursor = env.limit - v_12;
                        'lab31: loop {
                            if b_is_defined {
                                break 'lab31;
                            }
                            if !r_Suffix_Noun_Step2a(env, context) {
                                break 'lab31;
                            }
                            break 'lab20;
                        }
                        env.cursor = env.limit - v_12;
                        if !r_Suffix_Noun_Step2b(env, context) {
                            env.cursor = env.limit - v_11;
                            break 'lab19;
                        }
                        break 'lab20;
                    }
                    break 'lab19;
                }
                env.ket = env.cursor;
                if !env.eq_s_b(&"\u{64A}") {
                    break 'lab18;
                }
                env.bra = env.cursor;
                if (env.current.chars().count() as i32) < 3 {
                    break 'lab18;
                }
                env.slice_del();
                break 'lab8;
            }
            env.cursor = env.limit - v_6;
            env.ket = env.cursor;
            if !env.eq_s_b(&"\u{649}") {
                break 'lab7;
            }
            env.bra = env.cursor;
            env.slice_from("\u{64A}");
            break 'lab8;
        }
        break 'lab7;
    }
    env.cursor = env.limit - v_5;
    env.cursor = env.limit_backward;
    let v_15 = env.cursor;
    'lab32: loop {
        let v_16 = env.cursor;
        'lab33: loop {
            env.bra = env.cursor;
            if (env.cursor + 3 >= env.limit || env.current.as_bytes()[(env.cursor + 3) as usize] as u8 >> 5 != 5 as u8 || ((188 as i32 >> (env.current.as_bytes()[(env.cursor + 3) as usize] as u8 & 0x1f)) & 1) == 0) {
                env.cursor = v_16;
                break 'lab33;
            }

            among_var = env.find_among(A_4, context);
            if among_var == 0 {
                env.cursor = v_16;
                break 'lab33;
            }
            env.ket = env.cursor;
            match among_var {
                1 => {
                    if (env.current.chars().count() as i32) < 4 {
                        env.cursor = v_16;
                        break 'lab33;
                    }
                    env.slice_from("\u{623}");
                }
                2 => {
                    if (env.current.chars().count() as i32) < 4 {
                        env.cursor = v_16;
                        break 'lab33;
                    }
                    env.slice_from("\u{622}");
                }
                3 => {
                    if (env.current.chars().count() as i32) < 4 {
                        env.cursor = v_16;
                        break 'lab33;
                    }
                    env.slice_from("\u{627}");
                }
                4 => {
                    if (env.current.chars().count() as i32) < 4 {
                        env.cursor = v_16;
                        break 'lab33;
                    }
                    env.slice_from("\u{625}");
                }
                _ => ()
            }
            break 'lab33;
        }
        let v_17 = env.cursor;
        'lab34: loop {
            env.bra = env.cursor;
            if (env.cursor + 1 >= env.limit || (env.current.as_bytes()[(env.cursor + 1) as usize] as u8 != 129 as u8 && env.current.as_bytes()[(env.cursor + 1) as usize] as u8 != 136 as u8)) {
                env.cursor = v_17;
                break 'lab34;
            }

            if env.find_among(A_5, context) == 0 {
                env.cursor = v_17;
                break 'lab34;
            }
            env.ket = env.cursor;
            if (env.current.chars().count() as i32) < 4 {
                env.cursor = v_17;
                break 'lab34;
            }
            'lab35: loop {
                if !env.eq_s(&"\u{627}") {
                    break 'lab35;
                }
                env.cursor = v_17;
                break 'lab34;
            }
            env.slice_del();
            break 'lab34;
        }
        'lab36: loop {
            let v_18 = env.cursor;
            'lab37: loop {
                env.bra = env.cursor;
                if (env.cursor + 3 >= env.limit || (env.current.as_bytes()[(env.cursor + 3) as usize] as u8 != 132 as u8 && env.current.as_bytes()[(env.cursor + 3) as usize] as u8 != 167 as u8)) {
                    break 'lab37;
                }

                among_var = env.find_among(A_6, context);
                if among_var == 0 {
                    break 'lab37;
                }
                env.ket = env.cursor;
                match among_var {
                    1 => {
                        if (env.current.chars().count() as i32) < 6 {
                            break 'lab37;
                        }
                        env.slice_del();
                    }
                    2 => {
                        if (env.current.chars().count() as i32) < 5 {
                            break 'lab37;
                        }
                        env.slice_del();
                    }
                    _ => ()
                }
                break 'lab36;
            }
            env.cursor = v_18;
            'lab38: loop {
                if !b_is_noun {
                    break 'lab38;
                }
                env.bra = env.cursor;
                if (env.cursor + 1 >= env.limit || (env.current.as_bytes()[(env.cursor + 1) as usize] as u8 != 168 as u8 && env.current.as_bytes()[(env.cursor + 1) as usize] as u8 != 131 as u8)) {
                    break 'lab38;
                }

                among_var = env.find_among(A_7, context);
                if among_var == 0 {
                    break 'lab38;
                }
                env.ket = env.cursor;
                match among_var {
                    1 => {
                        if (env.current.chars().count() as i32) < 4 {
                            break 'lab38;
                        }
                        env.slice_del();
                    }
                    2 => {
                        if (env.current.chars().count() as i32) < 4 {
                            break 'lab38;
                        }
                        env.slice_from("\u{628}");
                    }
                    3 => {
                        if (env.current.chars().count() as i32) < 4 {
                            break 'lab38;
                        }
                        env.slice_from("\u{643}");
                    }
                    _ => ()
                }
                break 'lab36;
            }
            env.cursor = v_18;
            if !b_is_verb {
                break 'lab32;
            }
            let v_19 = env.cursor;
            'lab39: loop {
                env.bra = env.cursor;
                among_var = env.find_among(A_8, context);
                if among_var == 0 {
                    env.cursor = v_19;
                    break 'lab39;
                }
                env.ket = env.cursor;
                match among_var {
                    1 => {
                        if (env.current.chars().count() as i32) < 5 {
                            env.cursor = v_19;
                            break 'lab39;
                        }
                        env.slice_from("\u{64A}");
                    }
                    2 => {
                        if (env.current.chars().count() as i32) < 5 {
                            env.cursor = v_19;
                            break 'lab39;
                        }
                        env.slice_from("\u{62A}");
                    }
                    3 => {
                        if (env.current.chars().count() as i32) < 5 {
                            env.cursor = v_19;
                            break 'lab39;
                        }
                        env.slice_from("\u{646}");
                    }
                    4 => {
                        if (env.current.chars().count() as i32) < 5 {
                            env.cursor = v_19;
                            break 'lab39;
                        }
                        env.slice_from("\u{623}");
                    }
                    _ => ()
                }
                break 'lab39;
            }
            env.bra = env.cursor;
            if (env.cursor + 5 >= env.limit || env.current.as_bytes()[(env.cursor + 5) as usize] as u8 != 170 as u8) {
                break 'lab32;
            }

            if env.find_among(A_9, context) == 0 {
                break 'lab32;
            }
            env.ket = env.cursor;
            if (env.current.chars().count() as i32) < 5 {
                break 'lab32;
            }
            b_is_verb = true;
            b_is_noun = false;
            env.slice_from("\u{627}\u{633}\u{62A}");
            break 'lab36;
        }
        break 'lab32;
    }
    env.cursor = v_15;
    'lab40: loop {
        let v_20 = env.cursor;
        'lab41: loop {
            env.limit_backward = env.cursor;
            env.cursor = env.limit;
            env.ket = env.cursor;
            if (env.cursor - 1 <= env.limit_backward || env.current.as_bytes()[(env.cursor - 1) as usize] as u8 >> 5 != 5 as u8 || ((124 as i32 >> (env.current.as_bytes()[(env.cursor - 1) as usize] as u8 & 0x1f)) & 1) == 0) {
                break 'lab41;
            }

            if env.find_among_b(A_1, context) == 0 {
                break 'lab41;
            }
            env.bra = env.cursor;
            env.slice_from("\u{621}");
            env.cursor = env.limit_backward;
            break 'lab41;
        }
        env.cursor = v_20;
        let v_21 = env.cursor;
        'lab42: loop {
            'replab43: loop{
                let v_22 = env.cursor;
                'lab44: for _ in 0..1 {
                    'lab45: loop {
                        let v_23 = env.cursor;
                        'lab46: loop {
                            env.bra = env.cursor;
                            if (env.cursor + 1 >= env.limit || env.current.as_bytes()[(env.cursor + 1) as usize] as u8 >> 5 != 5 as u8 || ((124 as i32 >> (env.current.as_bytes()[(env.cursor + 1) as usize] as u8 & 0x1f)) & 1) == 0) {
                                break 'lab46;
                            }

                            among_var = env.find_among(A_2, context);
                            if among_var == 0 {
                                break 'lab46;
                            }
                            env.ket = env.cursor;
                            match among_var {
                                1 => {
                                    env.slice_from("\u{627}");
                                }
                                2 => {
                                    env.slice_from("\u{648}");
                                }
                                3 => {
                                    env.slice_from("\u{64A}");
                                }
                                _ => ()
                            }
                            break 'lab45;
                        }
                        env.cursor = v_23;
                        if env.cursor >= env.limit {
                            break 'lab44;
                        }
                        env.next_char();
                        break 'lab45;
                    }
                    continue 'replab43;
                }
                env.cursor = v_22;
                break 'replab43;
            }
            break 'lab42;
        }
        env.cursor = v_21;
        break 'lab40;
    }
    return true
}
