// Generated from persian.sbl by Snowball 3.2.0 - https://snowballstem.org/

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

static A_0: &'static [Among<Context>; 11] = &[
    Among("", -1, 7, None),
    Among(" ", 0, 6, None),
    Among("\u{623}", 0, 4, None),
    Among("\u{624}", 0, 5, None),
    Among("\u{625}", 0, 4, None),
    Among("\u{626}", 0, 2, None),
    Among("\u{629}", 0, 3, None),
    Among("\u{643}", 0, 1, None),
    Among("\u{64A}", 0, 2, None),
    Among("\u{6C1}", 0, 3, None),
    Among("\u{200D}", 0, 6, None),
];

static A_1: &'static [Among<Context>; 2] = &[
    Among("\u{645}\u{6CC}\u{200C}", -1, 2, None),
    Among("\u{646}\u{645}\u{6CC}\u{200C}", -1, 1, None),
];

static A_2: &'static [Among<Context>; 4] = &[
    Among("\u{648}\u{627}\u{646}", -1, -1, None),
    Among("\u{633}\u{62A}\u{627}\u{646}", -1, -1, None),
    Among("\u{631}\u{627}\u{646}", -1, -1, None),
    Among("\u{633}\u{627}\u{646}", -1, -1, None),
];

static A_3: &'static [Among<Context>; 33] = &[
    Among("\u{6AF}\u{6CC}\u{644}\u{627}\u{646}", -1, 1, None),
    Among("\u{622}\u{644}\u{645}\u{627}\u{646}", -1, 1, None),
    Among("\u{645}\u{633}\u{644}\u{645}\u{627}\u{646}", -1, 1, None),
    Among("\u{633}\u{644}\u{6CC}\u{645}\u{627}\u{646}", -1, 1, None),
    Among("\u{627}\u{6CC}\u{645}\u{627}\u{646}", -1, 1, None),
    Among("\u{67E}\u{6CC}\u{645}\u{627}\u{646}", -1, 1, None),
    Among("\u{633}\u{627}\u{62E}\u{62A}\u{645}\u{627}\u{646}", -1, 1, None),
    Among("\u{631}\u{645}\u{627}\u{646}", -1, 1, None),
    Among("\u{642}\u{647}\u{631}\u{645}\u{627}\u{646}", 7, 1, None),
    Among("\u{6A9}\u{631}\u{645}\u{627}\u{646}", 7, 1, None),
    Among("\u{62F}\u{631}\u{645}\u{627}\u{646}", 7, 1, None),
    Among("\u{647}\u{645}\u{632}\u{645}\u{627}\u{646}", -1, 1, None),
    Among("\u{633}\u{627}\u{632}\u{645}\u{627}\u{646}", -1, 1, None),
    Among("\u{622}\u{633}\u{645}\u{627}\u{646}", -1, 1, None),
    Among("\u{6CC}\u{648}\u{646}\u{627}\u{646}", -1, 1, None),
    Among("\u{644}\u{628}\u{646}\u{627}\u{646}", -1, 1, None),
    Among("\u{627}\u{635}\u{641}\u{647}\u{627}\u{646}", -1, 1, None),
    Among("\u{67E}\u{627}\u{6CC}\u{627}\u{646}", -1, 1, None),
    Among("\u{628}\u{6CC}\u{627}\u{646}", -1, 1, None),
    Among("\u{62C}\u{631}\u{6CC}\u{627}\u{646}", -1, 1, None),
    Among("\u{627}\u{645}\u{6A9}\u{627}\u{646}", -1, 1, None),
    Among("\u{622}\u{630}\u{631}\u{628}\u{627}\u{6CC}\u{62C}\u{627}\u{646}", -1, 1, None),
    Among("\u{647}\u{645}\u{62F}\u{627}\u{646}", -1, 1, None),
    Among("\u{62E}\u{627}\u{646}\u{62F}\u{627}\u{646}", -1, 1, None),
    Among("\u{632}\u{646}\u{62F}\u{627}\u{646}", -1, 1, None),
    Among("\u{645}\u{6CC}\u{632}\u{627}\u{646}", -1, 1, None),
    Among("\u{622}\u{62A}\u{634}\u{641}\u{634}\u{627}\u{646}", -1, 1, None),
    Among("\u{646}\u{634}\u{627}\u{646}", -1, 1, None),
    Among("\u{627}\u{6CC}\u{634}\u{627}\u{646}", -1, 1, None),
    Among("\u{67E}\u{631}\u{6CC}\u{634}\u{627}\u{646}", -1, 1, None),
    Among("\u{6A9}\u{647}\u{6A9}\u{634}\u{627}\u{646}", -1, 1, None),
    Among("\u{62F}\u{631}\u{62E}\u{634}\u{627}\u{646}", -1, 1, None),
    Among("\u{633}\u{644}\u{637}\u{627}\u{646}", -1, 1, None),
];

static A_4: &'static [Among<Context>; 2] = &[
    Among("\u{627}\u{633}\u{627}\u{62A}\u{6CC}\u{62F}", -1, 2, None),
    Among("\u{627}\u{62E}\u{628}\u{627}\u{631}", -1, 1, None),
];

static A_5: &'static [Among<Context>; 22] = &[
    Among("\u{627}\u{645}", -1, 1, None),
    Among("\u{6CC}\u{646}", -1, 1, None),
    Among("\u{62A}\u{631}\u{6CC}\u{646}", 1, 1, None),
    Among("\u{627}\u{646}", -1, 1, None),
    Among("\u{6CC}\u{627}\u{646}", 3, 1, None),
    Among("\u{628}\u{627}\u{646}", 3, 1, None),
    Among("\u{6AF}\u{627}\u{646}", 3, 1, None),
    Among("\u{627}\u{646}\u{647}", -1, 1, None),
    Among("\u{6AF}\u{627}\u{647}", -1, 1, None),
    Among("\u{627}\u{646}\u{6CC}", -1, 1, None),
    Among("\u{6CC}\u{6CC}", -1, 1, None),
    Among("\u{647}\u{627}\u{6CC}", -1, 1, None),
    Among("\u{6AF}\u{6CC}", -1, 1, None),
    Among("\u{647}\u{627}", -1, 1, None),
    Among("\u{646}\u{627}\u{6A9}", -1, 1, None),
    Among("\u{6CC}\u{62A}", -1, 1, None),
    Among("\u{627}\u{62A}", -1, 1, None),
    Among("\u{645}\u{646}\u{62F}", -1, 1, None),
    Among("\u{648}\u{627}\u{631}", -1, 1, None),
    Among("\u{6AF}\u{627}\u{631}", -1, 1, None),
    Among("\u{62A}\u{631}", -1, 2, None),
    Among("\u{627}\u{634}", -1, 1, None),
];

static A_6: &'static [Among<Context>; 8] = &[
    Among("\u{6CC}\u{645}", -1, 1, None),
    Among("\u{627}\u{6CC}\u{645}", 0, 1, None),
    Among("\u{627}\u{6CC}", -1, 1, None),
    Among("\u{627}\u{633}\u{62A}", -1, 1, None),
    Among("\u{627}\u{646}\u{62F}", -1, 1, None),
    Among("\u{6CC}\u{62F}", -1, 1, None),
    Among("\u{627}\u{6CC}\u{62F}", 5, 1, None),
    Among("\u{627}\u{633}", -1, 1, None),
];

static A_7: &'static [Among<Context>; 15] = &[
    Among("\u{645}", -1, 1, None),
    Among("\u{6CC}\u{645}", 0, 1, None),
    Among("\u{631}\u{641}\u{62A}\u{6CC}\u{645}", 1, 2, None),
    Among("\u{627}\u{645}", 0, 1, None),
    Among("\u{631}\u{641}\u{62A}\u{645}", 0, 2, None),
    Among("\u{627}\u{646}", -1, 3, None),
    Among("\u{62A}\u{647}", -1, 5, None),
    Among("\u{62F}\u{647}", -1, 4, None),
    Among("\u{646}\u{62F}\u{647}", 7, 3, None),
    Among("\u{631}\u{641}\u{62A}\u{6CC}", -1, 2, None),
    Among("\u{62F}", -1, 1, None),
    Among("\u{627}\u{646}\u{62F}", 10, 1, None),
    Among("\u{631}\u{641}\u{62A}\u{627}\u{646}\u{62F}", 11, 2, None),
    Among("\u{6CC}\u{62F}", 10, 1, None),
    Among("\u{631}\u{641}\u{62A}\u{6CC}\u{62F}", 13, 2, None),
];

pub fn stem(env: &mut SnowballEnv) -> bool {
    let mut context = &mut Context {
    };
    let mut among_var;
    let mut i_p1 : i32;
    let mut b_remove_verb_person_endings : bool;
    let mut b_saw_present_prefix : bool;
    b_saw_present_prefix = false;
    let v_1 = env.cursor;
    'lab0: loop {
        'replab1: loop{
            let v_2 = env.cursor;
            'lab2: for _ in 0..1 {
                env.bra = env.cursor;
                among_var = env.find_among(A_0, context);
                env.ket = env.cursor;
                match among_var {
                    1 => {
                        env.slice_from("\u{6A9}");
                    }
                    2 => {
                        env.slice_from("\u{6CC}");
                    }
                    3 => {
                        env.slice_from("\u{647}");
                    }
                    4 => {
                        env.slice_from("\u{627}");
                    }
                    5 => {
                        env.slice_from("\u{648}");
                    }
                    6 => {
                        env.slice_del();
                    }
                    7 => {
                        if env.cursor >= env.limit {
                            break 'lab2;
                        }
                        env.next_char();
                    }
                    _ => ()
                }
                continue 'replab1;
            }
            env.cursor = v_2;
            break 'replab1;
        }
        break 'lab0;
    }
    env.cursor = v_1;
    let v_3 = env.cursor;
    'lab3: loop {
        env.bra = env.cursor;
        if (env.cursor + 6 >= env.limit || (env.current.as_bytes()[(env.cursor + 6) as usize] as u8 != 140 as u8 && env.current.as_bytes()[(env.cursor + 6) as usize] as u8 != 226 as u8)) {
            break 'lab3;
        }

        among_var = env.find_among(A_1, context);
        if among_var == 0 {
            break 'lab3;
        }
        env.ket = env.cursor;
        match among_var {
            1 => {
                if !env.hop(2) {
                    break 'lab3;
                }
                b_saw_present_prefix = true;
            }
            2 => {
                if !env.hop(2) {
                    break 'lab3;
                }
                env.slice_del();
                b_saw_present_prefix = true;
            }
            _ => ()
        }
        break 'lab3;
    }
    env.cursor = v_3;
    let v_4 = env.cursor;
    'lab4: loop {
        'replab5: loop{
            let v_5 = env.cursor;
            'lab6: for _ in 0..1 {
                'golab7: loop {
                    let v_6 = env.cursor;
                    'lab8: loop {
                        env.bra = env.cursor;
                        if !env.eq_s(&"\u{200C}") {
                            break 'lab8;
                        }
                        env.ket = env.cursor;
                        env.slice_del();
                        env.cursor = v_6;
                        break 'golab7;
                    }
                    env.cursor = v_6;
                    if env.cursor >= env.limit {
                        break 'lab6;
                    }
                    env.next_char();
                }
                continue 'replab5;
            }
            env.cursor = v_5;
            break 'replab5;
        }
        break 'lab4;
    }
    env.cursor = v_4;
    i_p1 = env.limit;
    let v_7 = env.cursor;
    'lab9: loop {
        if !env.hop(3) {
            break 'lab9;
        }
        i_p1 = env.cursor;
        break 'lab9;
    }
    env.cursor = v_7;
    env.limit_backward = env.cursor;
    env.cursor = env.limit;
    'replab10: loop{
        let v_8 = env.limit - env.cursor;
        'lab11: for _ in 0..1 {
            let v_9 = env.limit - env.cursor;
            b_remove_verb_person_endings = false;
            'lab12: loop {
                if !b_saw_present_prefix {
                    break 'lab12;
                }
                b_remove_verb_person_endings = true;
                break 'lab12;
            }
            let v_10 = env.limit - env.cursor;
            'lab13: loop {
                if (env.cursor - 7 <= env.limit_backward || env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 134 as u8) {
                    break 'lab13;
                }

                if env.find_among_b(A_3, context) == 0 {
                    break 'lab13;
                }
                if env.cursor > env.limit_backward {
                    break 'lab13;
                }
                break 'lab11;
            }
            env.cursor = env.limit - v_10;
            let v_11 = env.limit - env.cursor;
            'lab14: loop {
                if (env.cursor - 5 <= env.limit_backward || env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 134 as u8) {
                    break 'lab14;
                }

                if env.find_among_b(A_2, context) == 0 {
                    break 'lab14;
                }
                break 'lab11;
            }
            env.cursor = env.limit - v_11;
            'lab15: loop {
                let v_12 = env.limit - env.cursor;
                'lab16: loop {
                    'lab17: loop {
                        let v_13 = env.limit - env.cursor;
                        'lab18: loop {
                            env.ket = env.cursor;
                            if (env.cursor - 9 <= env.limit_backward || (env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 175 as u8 && env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 177 as u8)) {
                                break 'lab18;
                            }

                            among_var = env.find_among_b(A_4, context);
                            if among_var == 0 {
                                break 'lab18;
                            }
                            env.bra = env.cursor;
                            match among_var {
                                1 => {
                                    env.slice_from("\u{62E}\u{628}\u{631}");
                                }
                                2 => {
                                    env.slice_from("\u{627}\u{633}\u{62A}\u{627}\u{62F}");
                                }
                                _ => ()
                            }
                            break 'lab17;
                        }
                        env.cursor = env.limit - v_13;
                        if env.cursor < i_p1 {
                            break 'lab16;
                        }
                        let v_14 = env.limit_backward;
                        env.limit_backward = i_p1;
                        env.ket = env.cursor;
                        among_var = env.find_among_b(A_5, context);
                        if among_var == 0 {
                            env.limit_backward = v_14;
                            break 'lab16;
                        }
                        env.bra = env.cursor;
                        match among_var {
                            1 => {
                                env.slice_del();
                            }
                            2 => {
                                if env.cursor <= env.limit_backward {
                                    env.limit_backward = v_14;
                                    break 'lab16;
                                }
                                env.slice_del();
                            }
                            _ => ()
                        }
                        env.limit_backward = v_14;
                        break 'lab17;
                    }
                    break 'lab15;
                }
                env.cursor = env.limit - v_12;
                'lab19: loop {
                    let v_15 = env.limit - env.cursor;
                    'lab20: loop {
                        env.ket = env.cursor;
                        if env.find_among_b(A_6, context) == 0 {
                            break 'lab20;
                        }
                        env.bra = env.cursor;
                        if i_p1 > env.cursor {
                            break 'lab20;
                        }
                        env.slice_del();
                        break 'lab19;
                    }
                    env.cursor = env.limit - v_15;
                    env.ket = env.cursor;
                    among_var = env.find_among_b(A_7, context);
                    if among_var == 0 {
                        break 'lab11;
                    }
                    env.bra = env.cursor;
                    match among_var {
                        1 => {
                            if !b_remove_verb_person_endings {
                                break 'lab11;
                            }
                            if i_p1 > env.cursor {
                                break 'lab11;
                            }
                            env.slice_del();
                        }
                        2 => {
                            env.slice_from("\u{631}\u{641}\u{62A}");
                        }
                        3 => {
                            if i_p1 > env.cursor {
                                break 'lab11;
                            }
                            env.slice_del();
                            b_remove_verb_person_endings = true;
                        }
                        4 => {
                            if env.cursor <= env.limit_backward {
                                break 'lab11;
                            }
                            env.slice_from("\u{62F}");
                            b_remove_verb_person_endings = true;
                        }
                        5 => {
                            if env.cursor <= env.limit_backward {
                                break 'lab11;
                            }
                            env.slice_from("\u{62A}");
                            b_remove_verb_person_endings = true;
                        }
                        _ => ()
                    }
                    break 'lab19;
                }
                break 'lab15;
            }
            env.cursor = env.limit - v_9;
            continue 'replab10;
        }
        env.cursor = env.limit - v_8;
        break 'replab10;
    }
    env.cursor = env.limit_backward;
    return true
}
