// Generated from yiddish.sbl by Snowball 3.2.0 - https://snowballstem.org/

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

static A_0: &'static [Among<Context>; 8] = &[
    Among("\u{5D5}\u{5D5}", -1, 1, None),
    Among("\u{5D5}\u{5D9}", -1, 2, None),
    Among("\u{5D9}\u{5D9}", -1, 3, None),
    Among("\u{5DA}", -1, 4, None),
    Among("\u{5DD}", -1, 5, None),
    Among("\u{5DF}", -1, 6, None),
    Among("\u{5E3}", -1, 7, None),
    Among("\u{5E5}", -1, 8, None),
];

static A_1: &'static [Among<Context>; 40] = &[
    Among("\u{5D0}\u{5D3}\u{5D5}\u{5E8}\u{5DB}", -1, 1, None),
    Among("\u{5D0}\u{5D4}\u{5D9}\u{5E0}", -1, 1, None),
    Among("\u{5D0}\u{5D4}\u{5E2}\u{5E8}", -1, 1, None),
    Among("\u{5D0}\u{5D4}\u{5F2}\u{5DE}", -1, 1, None),
    Among("\u{5D0}\u{5D5}\u{5DE}", -1, 1, None),
    Among("\u{5D0}\u{5D5}\u{5E0}\u{5D8}\u{5E2}\u{5E8}", -1, 1, None),
    Among("\u{5D0}\u{5D9}\u{5D1}\u{5E2}\u{5E8}", -1, 1, None),
    Among("\u{5D0}\u{5E0}", -1, 1, None),
    Among("\u{5D0}\u{5E0}\u{5D8}", 7, 1, None),
    Among("\u{5D0}\u{5E0}\u{5D8}\u{5E7}\u{5E2}\u{5D2}\u{5E0}", 8, 1, None),
    Among("\u{5D0}\u{5E0}\u{5D9}\u{5D3}\u{5E2}\u{5E8}", 7, 1, None),
    Among("\u{5D0}\u{5E4}", -1, 1, None),
    Among("\u{5D0}\u{5E4}\u{5D9}\u{5E8}", 11, 1, None),
    Among("\u{5D0}\u{5E7}\u{5E2}\u{5D2}\u{5E0}", -1, 1, None),
    Among("\u{5D0}\u{5E8}\u{5D0}\u{5E4}", -1, 1, None),
    Among("\u{5D0}\u{5E8}\u{5D5}\u{5DE}", -1, 1, None),
    Among("\u{5D0}\u{5E8}\u{5D5}\u{5E0}\u{5D8}\u{5E2}\u{5E8}", -1, 1, None),
    Among("\u{5D0}\u{5E8}\u{5D9}\u{5D1}\u{5E2}\u{5E8}", -1, 1, None),
    Among("\u{5D0}\u{5E8}\u{5F1}\u{5E1}", -1, 1, None),
    Among("\u{5D0}\u{5E8}\u{5F1}\u{5E4}", -1, 1, None),
    Among("\u{5D0}\u{5E8}\u{5F2}\u{5E0}", -1, 1, None),
    Among("\u{5D0}\u{5F0}\u{5E2}\u{5E7}", -1, 1, None),
    Among("\u{5D0}\u{5F1}\u{5E1}", -1, 1, None),
    Among("\u{5D0}\u{5F1}\u{5E4}", -1, 1, None),
    Among("\u{5D0}\u{5F2}\u{5E0}", -1, 1, None),
    Among("\u{5D1}\u{5D0}", -1, 1, None),
    Among("\u{5D1}\u{5F2}", -1, 1, None),
    Among("\u{5D3}\u{5D5}\u{5E8}\u{5DB}", -1, 1, None),
    Among("\u{5D3}\u{5E2}\u{5E8}", -1, 1, None),
    Among("\u{5DE}\u{5D9}\u{5D8}", -1, 1, None),
    Among("\u{5E0}\u{5D0}\u{5DB}", -1, 1, None),
    Among("\u{5E4}\u{5D0}\u{5E8}", -1, 1, None),
    Among("\u{5E4}\u{5D0}\u{5E8}\u{5D1}\u{5F2}", 31, 1, None),
    Among("\u{5E4}\u{5D0}\u{5E8}\u{5F1}\u{5E1}", 31, 1, None),
    Among("\u{5E4}\u{5D5}\u{5E0}\u{5D0}\u{5E0}\u{5D3}\u{5E2}\u{5E8}", -1, 1, None),
    Among("\u{5E6}\u{5D5}", -1, 1, None),
    Among("\u{5E6}\u{5D5}\u{5D6}\u{5D0}\u{5DE}\u{5E2}\u{5E0}", 35, 1, None),
    Among("\u{5E6}\u{5D5}\u{5E0}\u{5F1}\u{5E4}", 35, 1, None),
    Among("\u{5E6}\u{5D5}\u{5E8}\u{5D9}\u{5E7}", 35, 1, None),
    Among("\u{5E6}\u{5E2}", -1, 1, None),
];

static A_2: &'static [Among<Context>; 4] = &[
    Among("\u{5D3}\u{5D6}\u{5E9}", -1, -1, None),
    Among("\u{5E9}\u{5D8}\u{5E8}", -1, -1, None),
    Among("\u{5E9}\u{5D8}\u{5E9}", -1, -1, None),
    Among("\u{5E9}\u{5E4}\u{5E8}", -1, -1, None),
];

static A_3: &'static [Among<Context>; 26] = &[
    Among("\u{5E7}\u{5DC}\u{5D9}\u{5D1}", -1, 9, None),
    Among("\u{5E8}\u{5D9}\u{5D1}", -1, 10, None),
    Among("\u{5D8}\u{5E8}\u{5D9}\u{5D1}", 1, 7, None),
    Among("\u{5E9}\u{5E8}\u{5D9}\u{5D1}", 1, 15, None),
    Among("\u{5D4}\u{5F1}\u{5D1}", -1, 23, None),
    Among("\u{5E9}\u{5F0}\u{5D9}\u{5D2}", -1, 12, None),
    Among("\u{5D2}\u{5D0}\u{5E0}\u{5D2}", -1, 1, None),
    Among("\u{5D6}\u{5D5}\u{5E0}\u{5D2}", -1, 18, None),
    Among("\u{5E9}\u{5DC}\u{5D5}\u{5E0}\u{5D2}", -1, 21, None),
    Among("\u{5E6}\u{5F0}\u{5D5}\u{5E0}\u{5D2}", -1, 20, None),
    Among("\u{5D1}\u{5F1}\u{5D2}", -1, 22, None),
    Among("\u{5D1}\u{5D5}\u{5E0}\u{5D3}", -1, 16, None),
    Among("\u{5F0}\u{5D9}\u{5D6}", -1, 6, None),
    Among("\u{5D1}\u{5D9}\u{5D8}", -1, 4, None),
    Among("\u{5DC}\u{5D9}\u{5D8}", -1, 8, None),
    Among("\u{5DE}\u{5D9}\u{5D8}", -1, 3, None),
    Among("\u{5E9}\u{5E0}\u{5D9}\u{5D8}", -1, 14, None),
    Among("\u{5E0}\u{5D5}\u{5DE}", -1, 2, None),
    Among("\u{5E9}\u{5D8}\u{5D0}\u{5E0}", -1, 25, None),
    Among("\u{5D1}\u{5D9}\u{5E1}", -1, 5, None),
    Among("\u{5E9}\u{5DE}\u{5D9}\u{5E1}", -1, 13, None),
    Among("\u{5E8}\u{5D9}\u{5E1}", -1, 11, None),
    Among("\u{5D8}\u{5E8}\u{5D5}\u{5E0}\u{5E7}", -1, 19, None),
    Among("\u{5E4}\u{5D0}\u{5E8}\u{5DC}\u{5F1}\u{5E8}", -1, 24, None),
    Among("\u{5E9}\u{5F0}\u{5F1}\u{5E8}", -1, 26, None),
    Among("\u{5F0}\u{5D5}\u{5D8}\u{5E9}", -1, 17, None),
];

static A_4: &'static [Among<Context>; 79] = &[
    Among("\u{5D5}\u{5E0}\u{5D2}", -1, 1, None),
    Among("\u{5E1}\u{5D8}\u{5D5}", -1, 1, None),
    Among("\u{5D8}", -1, 1, None),
    Among("\u{5D1}\u{5E8}\u{5D0}\u{5DB}\u{5D8}", 2, 31, None),
    Among("\u{5E1}\u{5D8}", 2, 1, None),
    Among("\u{5D9}\u{5E1}\u{5D8}", 4, 33, None),
    Among("\u{5E2}\u{5D8}", 2, 1, None),
    Among("\u{5E9}\u{5D0}\u{5E4}\u{5D8}", 2, 1, None),
    Among("\u{5D4}\u{5F2}\u{5D8}", 2, 1, None),
    Among("\u{5E7}\u{5F2}\u{5D8}", 2, 1, None),
    Among("\u{5D9}\u{5E7}\u{5F2}\u{5D8}", 9, 1, None),
    Among("\u{5DC}\u{5E2}\u{5DB}", -1, 1, None),
    Among("\u{5E2}\u{5DC}\u{5E2}\u{5DB}", 11, 1, None),
    Among("\u{5D9}\u{5D6}\u{5DE}", -1, 1, None),
    Among("\u{5D9}\u{5DE}", -1, 1, None),
    Among("\u{5E2}\u{5DE}", -1, 1, None),
    Among("\u{5E2}\u{5E0}\u{5E2}\u{5DE}", 15, 3, None),
    Among("\u{5D8}\u{5E2}\u{5E0}\u{5E2}\u{5DE}", 16, 4, None),
    Among("\u{5E0}", -1, 1, None),
    Among("\u{5E7}\u{5DC}\u{5D9}\u{5D1}\u{5E0}", 18, 14, None),
    Among("\u{5E8}\u{5D9}\u{5D1}\u{5E0}", 18, 15, None),
    Among("\u{5D8}\u{5E8}\u{5D9}\u{5D1}\u{5E0}", 20, 12, None),
    Among("\u{5E9}\u{5E8}\u{5D9}\u{5D1}\u{5E0}", 20, 7, None),
    Among("\u{5D4}\u{5F1}\u{5D1}\u{5E0}", 18, 27, None),
    Among("\u{5E9}\u{5F0}\u{5D9}\u{5D2}\u{5E0}", 18, 17, None),
    Among("\u{5D6}\u{5D5}\u{5E0}\u{5D2}\u{5E0}", 18, 22, None),
    Among("\u{5E9}\u{5DC}\u{5D5}\u{5E0}\u{5D2}\u{5E0}", 18, 25, None),
    Among("\u{5E6}\u{5F0}\u{5D5}\u{5E0}\u{5D2}\u{5E0}", 18, 24, None),
    Among("\u{5D1}\u{5F1}\u{5D2}\u{5E0}", 18, 26, None),
    Among("\u{5D1}\u{5D5}\u{5E0}\u{5D3}\u{5E0}", 18, 20, None),
    Among("\u{5F0}\u{5D9}\u{5D6}\u{5E0}", 18, 11, None),
    Among("\u{5D8}\u{5E0}", 18, 4, None),
    Among("GE\u{5D1}\u{5D9}\u{5D8}\u{5E0}", 31, 9, None),
    Among("GE\u{5DC}\u{5D9}\u{5D8}\u{5E0}", 31, 13, None),
    Among("GE\u{5DE}\u{5D9}\u{5D8}\u{5E0}", 31, 8, None),
    Among("\u{5E9}\u{5E0}\u{5D9}\u{5D8}\u{5E0}", 31, 19, None),
    Among("\u{5E1}\u{5D8}\u{5E0}", 31, 1, None),
    Among("\u{5D9}\u{5E1}\u{5D8}\u{5E0}", 36, 1, None),
    Among("\u{5E2}\u{5D8}\u{5E0}", 31, 1, None),
    Among("GE\u{5D1}\u{5D9}\u{5E1}\u{5E0}", 18, 10, None),
    Among("\u{5E9}\u{5DE}\u{5D9}\u{5E1}\u{5E0}", 18, 18, None),
    Among("GE\u{5E8}\u{5D9}\u{5E1}\u{5E0}", 18, 16, None),
    Among("\u{5E2}\u{5E0}", 18, 1, None),
    Among("\u{5D2}\u{5D0}\u{5E0}\u{5D2}\u{5E2}\u{5E0}", 42, 5, None),
    Among("\u{5E2}\u{5DC}\u{5E2}\u{5E0}", 42, 1, None),
    Among("\u{5E0}\u{5D5}\u{5DE}\u{5E2}\u{5E0}", 42, 6, None),
    Among("\u{5D9}\u{5D6}\u{5DE}\u{5E2}\u{5E0}", 42, 1, None),
    Among("\u{5E9}\u{5D8}\u{5D0}\u{5E0}\u{5E2}\u{5E0}", 42, 29, None),
    Among("\u{5D8}\u{5E8}\u{5D5}\u{5E0}\u{5E7}\u{5E0}", 18, 23, None),
    Among("\u{5E4}\u{5D0}\u{5E8}\u{5DC}\u{5F1}\u{5E8}\u{5E0}", 18, 28, None),
    Among("\u{5E9}\u{5F0}\u{5F1}\u{5E8}\u{5E0}", 18, 30, None),
    Among("\u{5F0}\u{5D5}\u{5D8}\u{5E9}\u{5E0}", 18, 21, None),
    Among("\u{5D2}\u{5F2}\u{5E0}", 18, 5, None),
    Among("\u{5E1}", -1, 1, None),
    Among("\u{5D8}\u{5E1}", 53, 4, None),
    Among("\u{5E2}\u{5D8}\u{5E1}", 54, 1, None),
    Among("\u{5E0}\u{5E1}", 53, 1, None),
    Among("\u{5D8}\u{5E0}\u{5E1}", 56, 4, None),
    Among("\u{5E2}\u{5E0}\u{5E1}", 56, 3, None),
    Among("\u{5E2}\u{5E1}", 53, 1, None),
    Among("\u{5D9}\u{5E2}\u{5E1}", 59, 2, None),
    Among("\u{5E2}\u{5DC}\u{5E2}\u{5E1}", 59, 1, None),
    Among("\u{5E2}\u{5E8}\u{5E1}", 53, 1, None),
    Among("\u{5E2}\u{5E0}\u{5E2}\u{5E8}\u{5E1}", 62, 1, None),
    Among("\u{5E2}", -1, 1, None),
    Among("\u{5D8}\u{5E2}", 64, 4, None),
    Among("\u{5E1}\u{5D8}\u{5E2}", 65, 1, None),
    Among("\u{5E2}\u{5D8}\u{5E2}", 65, 1, None),
    Among("\u{5D9}\u{5E2}", 64, -1, None),
    Among("\u{5E2}\u{5DC}\u{5E2}", 64, 1, None),
    Among("\u{5E2}\u{5E0}\u{5E2}", 64, 3, None),
    Among("\u{5D8}\u{5E2}\u{5E0}\u{5E2}", 70, 4, None),
    Among("\u{5E2}\u{5E8}", -1, 1, None),
    Among("\u{5D8}\u{5E2}\u{5E8}", 72, 4, None),
    Among("\u{5E1}\u{5D8}\u{5E2}\u{5E8}", 73, 1, None),
    Among("\u{5E2}\u{5D8}\u{5E2}\u{5E8}", 73, 1, None),
    Among("\u{5E2}\u{5E0}\u{5E2}\u{5E8}", 72, 3, None),
    Among("\u{5D8}\u{5E2}\u{5E0}\u{5E2}\u{5E8}", 76, 4, None),
    Among("\u{5D5}\u{5EA}", -1, 32, None),
];

static A_5: &'static [Among<Context>; 6] = &[
    Among("\u{5D5}\u{5E0}\u{5D2}", -1, 1, None),
    Among("\u{5E9}\u{5D0}\u{5E4}\u{5D8}", -1, 1, None),
    Among("\u{5D4}\u{5F2}\u{5D8}", -1, 1, None),
    Among("\u{5E7}\u{5F2}\u{5D8}", -1, 1, None),
    Among("\u{5D9}\u{5E7}\u{5F2}\u{5D8}", 3, 1, None),
    Among("\u{5DC}", -1, 2, None),
];

static A_6: &'static [Among<Context>; 9] = &[
    Among("\u{5D9}\u{5D2}", -1, 1, None),
    Among("\u{5D9}\u{5E7}", -1, 1, None),
    Among("\u{5D3}\u{5D9}\u{5E7}", 1, 1, None),
    Among("\u{5E0}\u{5D3}\u{5D9}\u{5E7}", 2, 1, None),
    Among("\u{5E2}\u{5E0}\u{5D3}\u{5D9}\u{5E7}", 3, 1, None),
    Among("\u{5D1}\u{5DC}\u{5D9}\u{5E7}", 1, -1, None),
    Among("\u{5D2}\u{5DC}\u{5D9}\u{5E7}", 1, -1, None),
    Among("\u{5E0}\u{5D9}\u{5E7}", 1, 1, None),
    Among("\u{5D9}\u{5E9}", -1, 1, None),
];

static G_niked: &'static [u8; 3] = &[255, 155, 6];

static G_vowel: &'static [u8; 5] = &[33, 2, 4, 0, 6];

static G_consonant: &'static [u8; 4] = &[239, 254, 253, 131];

pub fn stem(env: &mut SnowballEnv) -> bool {
    let mut context = &mut Context {
    };
    let mut among_var;
    let mut i_x : i32;
    let mut i_p1 : i32;
    'lab0: loop {
        let v_1 = env.cursor;
        'lab1: loop {
            'replab2: loop{
                let v_2 = env.cursor;
                'lab3: for _ in 0..1 {
                    'golab4: loop {
                        let v_3 = env.cursor;
                        'lab5: loop {
                            env.bra = env.cursor;
                            among_var = env.find_among(A_0, context);
                            if among_var == 0 {
                                break 'lab5;
                            }
                            env.ket = env.cursor;
                            match among_var {
                                1 => {
                                    'lab6: loop {
                                        if !env.eq_s(&"\u{5BC}") {
                                            break 'lab6;
                                        }
                                        break 'lab5;
                                    }
                                    env.slice_from("\u{5F0}");
                                }
                                2 => {
                                    'lab7: loop {
                                        if !env.eq_s(&"\u{5B4}") {
                                            break 'lab7;
                                        }
                                        break 'lab5;
                                    }
                                    env.slice_from("\u{5F1}");
                                }
                                3 => {
                                    'lab8: loop {
                                        if !env.eq_s(&"\u{5B4}") {
                                            break 'lab8;
                                        }
                                        break 'lab5;
                                    }
                                    env.slice_from("\u{5F2}");
                                }
                                4 => {
                                    env.slice_from("\u{5DB}");
                                }
                                5 => {
                                    env.slice_from("\u{5DE}");
                                }
                                6 => {
                                    env.slice_from("\u{5E0}");
                                }
                                7 => {
                                    env.slice_from("\u{5E4}");
                                }
                                8 => {
                                    env.slice_from("\u{5E6}");
                                }
                                _ => ()
                            }
                            env.cursor = v_3;
                            break 'golab4;
                        }
                        env.cursor = v_3;
                        if env.cursor >= env.limit {
                            break 'lab3;
                        }
                        env.next_char();
                    }
                    continue 'replab2;
                }
                env.cursor = v_2;
                break 'replab2;
            }
            break 'lab1;
        }
        env.cursor = v_1;
        let v_4 = env.cursor;
        'lab9: loop {
            'replab10: loop{
                let v_5 = env.cursor;
                'lab11: for _ in 0..1 {
                    'golab12: loop {
                        let v_6 = env.cursor;
                        'lab13: loop {
                            env.bra = env.cursor;
                            if !env.in_grouping(G_niked, 1456, 1474) {
                                break 'lab13;
                            }
                            env.ket = env.cursor;
                            env.slice_del();
                            env.cursor = v_6;
                            break 'golab12;
                        }
                        env.cursor = v_6;
                        if env.cursor >= env.limit {
                            break 'lab11;
                        }
                        env.next_char();
                    }
                    continue 'replab10;
                }
                env.cursor = v_5;
                break 'replab10;
            }
            break 'lab9;
        }
        env.cursor = v_4;
        break 'lab0;
    }
    let v_7 = env.cursor;
    'lab14: loop {
        i_p1 = env.limit;
        let v_8 = env.cursor;
        'lab15: loop {
            env.bra = env.cursor;
            if !env.eq_s(&"\u{5D2}\u{5E2}") {
                env.cursor = v_8;
                break 'lab15;
            }
            env.ket = env.cursor;
            let v_9 = env.cursor;
            'lab16: loop {
                'lab17: loop {
                    'lab18: loop {
                        if !env.eq_s(&"\u{5DC}\u{5D8}") {
                            break 'lab18;
                        }
                        break 'lab17;
                    }
                    'lab19: loop {
                        if !env.eq_s(&"\u{5D1}\u{5E0}") {
                            break 'lab19;
                        }
                        break 'lab17;
                    }
                    if env.cursor < env.limit {
                        break 'lab16;
                    }
                    break 'lab17;
                }
                env.cursor = v_8;
                break 'lab15;
            }
            env.cursor = v_9;
            env.slice_from("GE");
            break 'lab15;
        }
        let v_10 = env.cursor;
        'lab20: loop {
            if env.find_among(A_1, context) == 0 {
                env.cursor = v_10;
                break 'lab20;
            }
            'lab21: loop {
                let v_11 = env.cursor;
                'lab22: loop {
                    let v_12 = env.cursor;
                    'lab23: loop {
                        'lab24: loop {
                            if !env.eq_s(&"\u{5E6}\u{5D5}\u{5D2}\u{5E0}") {
                                break 'lab24;
                            }
                            break 'lab23;
                        }
                        'lab25: loop {
                            if !env.eq_s(&"\u{5E6}\u{5D5}\u{5E7}\u{5D8}") {
                                break 'lab25;
                            }
                            break 'lab23;
                        }
                        if !env.eq_s(&"\u{5E6}\u{5D5}\u{5E7}\u{5E0}") {
                            break 'lab22;
                        }
                        break 'lab23;
                    }
                    if env.cursor < env.limit {
                        break 'lab22;
                    }
                    env.cursor = v_12;
                    break 'lab21;
                }
                env.cursor = v_11;
                'lab26: loop {
                    let v_13 = env.cursor;
                    if !env.eq_s(&"\u{5D2}\u{5E2}\u{5D1}\u{5E0}") {
                        break 'lab26;
                    }
                    env.cursor = v_13;
                    break 'lab21;
                }
                env.cursor = v_11;
                'lab27: loop {
                    env.bra = env.cursor;
                    if !env.eq_s(&"\u{5D2}\u{5E2}") {
                        break 'lab27;
                    }
                    env.ket = env.cursor;
                    env.slice_from("GE");
                    break 'lab21;
                }
                env.cursor = v_11;
                env.bra = env.cursor;
                if !env.eq_s(&"\u{5E6}\u{5D5}") {
                    env.cursor = v_10;
                    break 'lab20;
                }
                env.ket = env.cursor;
                env.slice_from("TSU");
                break 'lab21;
            }
            break 'lab20;
        }
        let v_14 = env.cursor;
        if !env.hop(3) {
            break 'lab14;
        }
        i_x = env.cursor;
        env.cursor = v_14;
        let v_15 = env.cursor;
        'lab28: loop {
            if (env.cursor + 5 >= env.limit || (env.current.as_bytes()[(env.cursor + 5) as usize] as u8 != 169 as u8 && env.current.as_bytes()[(env.cursor + 5) as usize] as u8 != 168 as u8)) {
                env.cursor = v_15;
                break 'lab28;
            }

            if env.find_among(A_2, context) == 0 {
                env.cursor = v_15;
                break 'lab28;
            }
            break 'lab28;
        }
        let v_16 = env.cursor;
        'lab29: loop {
            if !env.in_grouping(G_consonant, 1489, 1520) {
                break 'lab29;
            }
            if !env.in_grouping(G_consonant, 1489, 1520) {
                break 'lab29;
            }
            if !env.in_grouping(G_consonant, 1489, 1520) {
                break 'lab29;
            }
            i_p1 = env.cursor;
            break 'lab14;
        }
        env.cursor = v_16;
        if !env.go_out_grouping(G_vowel, 1488, 1522) {
            break 'lab14;
        }
        env.next_char();
        if !env.go_in_grouping(G_vowel, 1488, 1522) {
            break 'lab14;
        }
        i_p1 = env.cursor;
        'lab30: loop {
            if i_p1 >= i_x {
                break 'lab30;
            }
            i_p1 = i_x;
            break 'lab30;
        }
        break 'lab14;
    }
    env.cursor = v_7;
    env.limit_backward = env.cursor;
    env.cursor = env.limit;
    'lab31: loop {
        let v_17 = env.limit - env.cursor;
        'lab32: loop {
            env.ket = env.cursor;
            among_var = env.find_among_b(A_4, context);
            if among_var == 0 {
                break 'lab32;
            }
            env.bra = env.cursor;
            match among_var {
                1 => {
                    if i_p1 > env.cursor {
                        break 'lab32;
                    }
                    env.slice_del();
                }
                2 => {
                    if i_p1 > env.cursor {
                        break 'lab32;
                    }
                    env.slice_from("\u{5D9}\u{5E2}");
                }
                3 => {
                    if i_p1 > env.cursor {
                        break 'lab32;
                    }
                    env.slice_del();
                    env.ket = env.cursor;
                    among_var = env.find_among_b(A_3, context);
                    if among_var == 0 {
                        break 'lab32;
                    }
                    env.bra = env.cursor;
                    match among_var {
                        1 => {
                            env.slice_from("\u{5D2}\u{5F2}");
                        }
                        2 => {
                            env.slice_from("\u{5E0}\u{5E2}\u{5DE}");
                        }
                        3 => {
                            env.slice_from("\u{5DE}\u{5F2}\u{5D3}");
                        }
                        4 => {
                            env.slice_from("\u{5D1}\u{5F2}\u{5D8}");
                        }
                        5 => {
                            env.slice_from("\u{5D1}\u{5F2}\u{5E1}");
                        }
                        6 => {
                            env.slice_from("\u{5F0}\u{5F2}\u{5D6}");
                        }
                        7 => {
                            env.slice_from("\u{5D8}\u{5E8}\u{5F2}\u{5D1}");
                        }
                        8 => {
                            env.slice_from("\u{5DC}\u{5F2}\u{5D8}");
                        }
                        9 => {
                            env.slice_from("\u{5E7}\u{5DC}\u{5F2}\u{5D1}");
                        }
                        10 => {
                            env.slice_from("\u{5E8}\u{5F2}\u{5D1}");
                        }
                        11 => {
                            env.slice_from("\u{5E8}\u{5F2}\u{5E1}");
                        }
                        12 => {
                            env.slice_from("\u{5E9}\u{5F0}\u{5F2}\u{5D2}");
                        }
                        13 => {
                            env.slice_from("\u{5E9}\u{5DE}\u{5F2}\u{5E1}");
                        }
                        14 => {
                            env.slice_from("\u{5E9}\u{5E0}\u{5F2}\u{5D3}");
                        }
                        15 => {
                            env.slice_from("\u{5E9}\u{5E8}\u{5F2}\u{5D1}");
                        }
                        16 => {
                            env.slice_from("\u{5D1}\u{5D9}\u{5E0}\u{5D3}");
                        }
                        17 => {
                            env.slice_from("\u{5F0}\u{5D9}\u{5D8}\u{5E9}");
                        }
                        18 => {
                            env.slice_from("\u{5D6}\u{5D9}\u{5E0}\u{5D2}");
                        }
                        19 => {
                            env.slice_from("\u{5D8}\u{5E8}\u{5D9}\u{5E0}\u{5E7}");
                        }
                        20 => {
                            env.slice_from("\u{5E6}\u{5F0}\u{5D9}\u{5E0}\u{5D2}");
                        }
                        21 => {
                            env.slice_from("\u{5E9}\u{5DC}\u{5D9}\u{5E0}\u{5D2}");
                        }
                        22 => {
                            env.slice_from("\u{5D1}\u{5F2}\u{5D2}");
                        }
                        23 => {
                            env.slice_from("\u{5D4}\u{5F2}\u{5D1}");
                        }
                        24 => {
                            env.slice_from("\u{5E4}\u{5D0}\u{5E8}\u{5DC}\u{5D9}\u{5E8}");
                        }
                        25 => {
                            env.slice_from("\u{5E9}\u{5D8}\u{5F2}");
                        }
                        26 => {
                            env.slice_from("\u{5E9}\u{5F0}\u{5E2}\u{5E8}");
                        }
                        _ => ()
                    }
                }
                4 => {
                    'lab33: loop {
                        let v_18 = env.limit - env.cursor;
                        'lab34: loop {
                            if i_p1 > env.cursor {
                                break 'lab34;
                            }
                            env.slice_del();
                            break 'lab33;
                        }
                        env.cursor = env.limit - v_18;
                        env.slice_from("\u{5D8}");
                        break 'lab33;
                    }
                    env.ket = env.cursor;
                    if !env.eq_s_b(&"\u{5D1}\u{5E8}\u{5D0}\u{5DB}") {
                        break 'lab32;
                    }
                    let v_19 = env.limit - env.cursor;
                    'lab35: loop {
                        if !env.eq_s_b(&"\u{5D2}\u{5E2}") {
                            env.cursor = env.limit - v_19;
                            break 'lab35;
                        }
                        break 'lab35;
                    }
                    env.bra = env.cursor;
                    env.slice_from("\u{5D1}\u{5E8}\u{5E2}\u{5E0}\u{5D2}");
                }
                5 => {
                    env.slice_from("\u{5D2}\u{5F2}");
                }
                6 => {
                    env.slice_from("\u{5E0}\u{5E2}\u{5DE}");
                }
                7 => {
                    env.slice_from("\u{5E9}\u{5E8}\u{5F2}\u{5D1}");
                }
                8 => {
                    env.slice_from("\u{5DE}\u{5F2}\u{5D3}");
                }
                9 => {
                    env.slice_from("\u{5D1}\u{5F2}\u{5D8}");
                }
                10 => {
                    env.slice_from("\u{5D1}\u{5F2}\u{5E1}");
                }
                11 => {
                    env.slice_from("\u{5F0}\u{5F2}\u{5D6}");
                }
                12 => {
                    env.slice_from("\u{5D8}\u{5E8}\u{5F2}\u{5D1}");
                }
                13 => {
                    env.slice_from("\u{5DC}\u{5F2}\u{5D8}");
                }
                14 => {
                    env.slice_from("\u{5E7}\u{5DC}\u{5F2}\u{5D1}");
                }
                15 => {
                    env.slice_from("\u{5E8}\u{5F2}\u{5D1}");
                }
                16 => {
                    env.slice_from("\u{5E8}\u{5F2}\u{5E1}");
                }
                17 => {
                    env.slice_from("\u{5E9}\u{5F0}\u{5F2}\u{5D2}");
                }
                18 => {
                    env.slice_from("\u{5E9}\u{5DE}\u{5F2}\u{5E1}");
                }
                19 => {
                    env.slice_from("\u{5E9}\u{5E0}\u{5F2}\u{5D3}");
                }
                20 => {
                    env.slice_from("\u{5D1}\u{5D9}\u{5E0}\u{5D3}");
                }
                21 => {
                    env.slice_from("\u{5F0}\u{5D9}\u{5D8}\u{5E9}");
                }
                22 => {
                    env.slice_from("\u{5D6}\u{5D9}\u{5E0}\u{5D2}");
                }
                23 => {
                    env.slice_from("\u{5D8}\u{5E8}\u{5D9}\u{5E0}\u{5E7}");
                }
                24 => {
                    env.slice_from("\u{5E6}\u{5F0}\u{5D9}\u{5E0}\u{5D2}");
                }
                25 => {
                    env.slice_from("\u{5E9}\u{5DC}\u{5D9}\u{5E0}\u{5D2}");
                }
                26 => {
                    env.slice_from("\u{5D1}\u{5F2}\u{5D2}");
                }
                27 => {
                    env.slice_from("\u{5D4}\u{5F2}\u{5D1}");
                }
                28 => {
                    env.slice_from("\u{5E4}\u{5D0}\u{5E8}\u{5DC}\u{5D9}\u{5E8}");
                }
                29 => {
                    env.slice_from("\u{5E9}\u{5D8}\u{5F2}");
                }
                30 => {
                    env.slice_from("\u{5E9}\u{5F0}\u{5E2}\u{5E8}");
                }
                31 => {
                    env.slice_from("\u{5D1}\u{5E8}\u{5E2}\u{5E0}\u{5D2}");
                }
                32 => {
                    if i_p1 > env.cursor {
                        break 'lab32;
                    }
                    env.slice_from("\u{5D4}");
                }
                33 => {
                    'lab36: loop {
                        let v_20 = env.limit - env.cursor;
                        'lab37: loop {
                            'lab38: loop {
                                'lab39: loop {
                                    if !env.eq_s_b(&"\u{5D2}") {
                                        break 'lab39;
                                    }
                                    break 'lab38;
                                }
                                if !env.eq_s_b(&"\u{5E9}") {
                                    break 'lab37;
                                }
                                break 'lab38;
                            }
                            let v_21 = env.limit - env.cursor;
                            'lab40: loop {
                                if i_p1 > (env.cursor + 6) {
                                    env.cursor = env.limit - v_21;
                                    break 'lab40;
                                }
                                env.slice_from("\u{5D9}\u{5E1}");
                                break 'lab40;
                            }
                            break 'lab36;
                        }
                        env.cursor = env.limit - v_20;
                        if i_p1 > env.cursor {
                            break 'lab32;
                        }
                        env.slice_del();
                        break 'lab36;
                    }
                }
                _ => ()
            }
            break 'lab32;
        }
        env.cursor = env.limit - v_17;
        let v_22 = env.limit - env.cursor;
        'lab41: loop {
            env.ket = env.cursor;
            if (env.cursor - 1 <= env.limit_backward || env.current.as_bytes()[(env.cursor - 1) as usize] as u8 >> 5 != 4 as u8 || ((285474816 as i32 >> (env.current.as_bytes()[(env.cursor - 1) as usize] as u8 & 0x1f)) & 1) == 0) {
                break 'lab41;
            }

            among_var = env.find_among_b(A_5, context);
            if among_var == 0 {
                break 'lab41;
            }
            env.bra = env.cursor;
            match among_var {
                1 => {
                    if i_p1 > env.cursor {
                        break 'lab41;
                    }
                    env.slice_del();
                }
                2 => {
                    if i_p1 > env.cursor {
                        break 'lab41;
                    }
                    if !env.in_grouping_b(G_consonant, 1489, 1520) {
                        break 'lab41;
                    }
                    env.slice_del();
                }
                _ => ()
            }
            break 'lab41;
        }
        env.cursor = env.limit - v_22;
        let v_23 = env.limit - env.cursor;
        'lab42: loop {
            env.ket = env.cursor;
            among_var = env.find_among_b(A_6, context);
            if among_var == 0 {
                break 'lab42;
            }
            env.bra = env.cursor;
            match among_var {
                1 => {
                    if i_p1 > env.cursor {
                        break 'lab42;
                    }
                    env.slice_del();
                }
                _ => ()
            }
            break 'lab42;
        }
        env.cursor = env.limit - v_23;
        let v_24 = env.limit - env.cursor;
        'lab43: loop {
            'replab44: loop{
                let v_25 = env.limit - env.cursor;
                'lab45: for _ in 0..1 {
                    'golab46: loop {
                        let v_26 = env.limit - env.cursor;
                        'lab47: loop {
                            env.ket = env.cursor;
                            'lab48: loop {
                                'lab49: loop {
                                    if !env.eq_s_b(&"GE") {
                                        break 'lab49;
                                    }
                                    break 'lab48;
                                }
                                if !env.eq_s_b(&"TSU") {
                                    break 'lab47;
                                }
                                break 'lab48;
                            }
                            env.bra = env.cursor;
                            env.slice_del();
                            env.cursor = env.limit - v_26;
                            break 'golab46;
                        }
                        env.cursor = env.limit - v_26;
                        if env.cursor <= env.limit_backward {
                            break 'lab45;
                        }
                        env.previous_char();
                    }
                    continue 'replab44;
                }
                env.cursor = env.limit - v_25;
                break 'replab44;
            }
            break 'lab43;
        }
        env.cursor = env.limit - v_24;
        break 'lab31;
    }
    env.cursor = env.limit_backward;
    return true
}
