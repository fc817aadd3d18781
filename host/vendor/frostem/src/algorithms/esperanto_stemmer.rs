// Generated from esperanto.sbl by Snowball 3.2.0 - https://snowballstem.org/

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

static A_0: &'static [Among<Context>; 17] = &[
    Among("", -1, 14, None),
    Among("-", 0, 13, None),
    Among("cx", 0, 1, None),
    Among("gx", 0, 2, None),
    Among("hx", 0, 3, None),
    Among("jx", 0, 4, None),
    Among("q", 0, 12, None),
    Among("sx", 0, 5, None),
    Among("ux", 0, 6, None),
    Among("w", 0, 12, None),
    Among("x", 0, 12, None),
    Among("y", 0, 12, None),
    Among("á", 0, 7, None),
    Among("é", 0, 8, None),
    Among("í", 0, 9, None),
    Among("ó", 0, 10, None),
    Among("ú", 0, 11, None),
];

static A_1: &'static [Among<Context>; 6] = &[
    Among("as", -1, -1, None),
    Among("i", -1, -1, None),
    Among("is", 1, -1, None),
    Among("os", -1, -1, None),
    Among("u", -1, -1, None),
    Among("us", 4, -1, None),
];

static A_2: &'static [Among<Context>; 17] = &[
    Among("ci", -1, -1, None),
    Among("gi", -1, -1, None),
    Among("hi", -1, -1, None),
    Among("li", -1, -1, None),
    Among("ili", 3, -1, None),
    Among("ŝli", 3, -1, None),
    Among("mi", -1, -1, None),
    Among("ni", -1, -1, None),
    Among("oni", 7, -1, None),
    Among("ri", -1, -1, None),
    Among("si", -1, -1, None),
    Among("vi", -1, -1, None),
    Among("ivi", 11, -1, None),
    Among("ĝi", -1, -1, None),
    Among("ŝi", -1, -1, None),
    Among("iŝi", 14, -1, None),
    Among("malŝi", 14, -1, None),
];

static A_3: &'static [Among<Context>; 20] = &[
    Among("amb", -1, -1, None),
    Among("bald", -1, -1, None),
    Among("malbald", 1, -1, None),
    Among("morg", -1, -1, None),
    Among("postmorg", 3, -1, None),
    Among("adi", -1, -1, None),
    Among("hodi", -1, -1, None),
    Among("ank", -1, -1, None),
    Among("ĉirk", -1, -1, None),
    Among("tutĉirk", 8, -1, None),
    Among("presk", -1, -1, None),
    Among("almen", -1, -1, None),
    Among("apen", -1, -1, None),
    Among("hier", -1, -1, None),
    Among("antaŭhier", 13, -1, None),
    Among("malgr", -1, -1, None),
    Among("ankor", -1, -1, None),
    Among("kontr", -1, -1, None),
    Among("anstat", -1, -1, None),
    Among("kvaz", -1, -1, None),
];

static A_4: &'static [Among<Context>; 2] = &[
    Among("aliu", -1, -1, None),
    Among("unu", -1, -1, None),
];

static A_5: &'static [Among<Context>; 24] = &[
    Among("aha", -1, -1, None),
    Among("haha", 0, -1, None),
    Among("haleluja", -1, -1, None),
    Among("hola", -1, -1, None),
    Among("hosana", -1, -1, None),
    Among("maltra", -1, -1, None),
    Among("hura", -1, -1, None),
    Among("ĥaĥa", -1, -1, None),
    Among("ekde", -1, -1, None),
    Among("elde", -1, -1, None),
    Among("disde", -1, -1, None),
    Among("ehe", -1, -1, None),
    Among("maltre", -1, -1, None),
    Among("dirlididi", -1, -1, None),
    Among("malpli", -1, -1, None),
    Among("malĉi", -1, -1, None),
    Among("malkaj", -1, -1, None),
    Among("amen", -1, -1, None),
    Among("tamen", 17, -1, None),
    Among("oho", -1, -1, None),
    Among("maltro", -1, -1, None),
    Among("minus", -1, -1, None),
    Among("uhu", -1, -1, None),
    Among("muu", -1, -1, None),
];

static A_6: &'static [Among<Context>; 3] = &[
    Among("tri", -1, -1, None),
    Among("du", -1, -1, None),
    Among("unu", -1, -1, None),
];

static A_7: &'static [Among<Context>; 2] = &[
    Among("dek", -1, -1, None),
    Among("cent", -1, -1, None),
];

static A_8: &'static [Among<Context>; 7] = &[
    Among("k", -1, -1, None),
    Among("kelk", 0, -1, None),
    Among("nen", -1, -1, None),
    Among("t", -1, -1, None),
    Among("mult", 3, -1, None),
    Among("samt", 3, -1, None),
    Among("ĉ", -1, -1, None),
];

static A_9: &'static [Among<Context>; 19] = &[
    Among("a", -1, -1, None),
    Among("e", -1, -1, None),
    Among("i", -1, -1, None),
    Among("j", -1, 1, None),
    Among("aj", 3, -1, None),
    Among("oj", 3, -1, None),
    Among("n", -1, 1, None),
    Among("an", 6, -1, None),
    Among("en", 6, -1, None),
    Among("jn", 6, 1, None),
    Among("ajn", 9, -1, None),
    Among("ojn", 9, -1, None),
    Among("on", 6, -1, None),
    Among("o", -1, -1, None),
    Among("as", -1, -1, None),
    Among("is", -1, -1, None),
    Among("os", -1, -1, None),
    Among("us", -1, -1, None),
    Among("u", -1, -1, None),
];

static G_vowel: &'static [u8; 3] = &[17, 65, 16];

static G_aou: &'static [u8; 3] = &[1, 64, 16];

static G_digit: &'static [u8; 2] = &[255, 3];

pub fn stem(env: &mut SnowballEnv) -> bool {
    let mut context = &mut Context {
    };
    let mut among_var;
    let mut b_foreign : bool;
    let v_1 = env.cursor;
    b_foreign = false;
    'replab0: loop{
        let v_2 = env.cursor;
        'lab1: for _ in 0..1 {
            env.bra = env.cursor;
            among_var = env.find_among(A_0, context);
            env.ket = env.cursor;
            match among_var {
                1 => {
                    env.slice_from("ĉ");
                }
                2 => {
                    env.slice_from("ĝ");
                }
                3 => {
                    env.slice_from("ĥ");
                }
                4 => {
                    env.slice_from("ĵ");
                }
                5 => {
                    env.slice_from("ŝ");
                }
                6 => {
                    env.slice_from("ŭ");
                }
                7 => {
                    env.slice_from("a");
                    b_foreign = true;
                }
                8 => {
                    env.slice_from("e");
                    b_foreign = true;
                }
                9 => {
                    env.slice_from("i");
                    b_foreign = true;
                }
                10 => {
                    env.slice_from("o");
                    b_foreign = true;
                }
                11 => {
                    env.slice_from("u");
                    b_foreign = true;
                }
                12 => {
                    b_foreign = true;
                }
                13 => {
                    b_foreign = false;
                }
                14 => {
                    if env.cursor >= env.limit {
                        break 'lab1;
                    }
                    env.next_char();
                }
                _ => ()
            }
            continue 'replab0;
        }
        env.cursor = v_2;
        break 'replab0;
    }
    if b_foreign {
        return false;
    }
    env.cursor = v_1;
    let v_3 = env.cursor;
    'lab2: loop {
        env.bra = env.cursor;
        if !env.eq_s(&"'") {
            break 'lab2;
        }
        env.ket = env.cursor;
        if !env.eq_s(&"st") {
            break 'lab2;
        }
        if (env.cursor >= env.limit || env.current.as_bytes()[(env.cursor + 0) as usize] as u8 >> 5 != 3 as u8 || ((2130434 as i32 >> (env.current.as_bytes()[(env.cursor + 0) as usize] as u8 & 0x1f)) & 1) == 0) {
            break 'lab2;
        }

        if env.find_among(A_1, context) == 0 {
            break 'lab2;
        }
        if env.cursor < env.limit {
            break 'lab2;
        }
        env.slice_from("e");
        break 'lab2;
    }
    env.cursor = v_3;
    env.limit_backward = env.cursor;
    env.cursor = env.limit;
    let v_4 = env.limit - env.cursor;
    'lab3: loop {
        env.ket = env.cursor;
        let v_5 = env.limit - env.cursor;
        'lab4: loop {
            if !env.eq_s_b(&"n") {
                env.cursor = env.limit - v_5;
                break 'lab4;
            }
            break 'lab4;
        }
        env.bra = env.cursor;
        if (env.cursor - 1 <= env.limit_backward || env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 105 as u8) {
            break 'lab3;
        }

        if env.find_among_b(A_2, context) == 0 {
            break 'lab3;
        }
        'lab5: loop {
            'lab6: loop {
                if env.cursor > env.limit_backward {
                    break 'lab6;
                }
                break 'lab5;
            }
            if !env.eq_s_b(&"-") {
                break 'lab3;
            }
            break 'lab5;
        }
        env.slice_del();
        return false;
    }
    env.cursor = env.limit - v_4;
    let v_6 = env.limit - env.cursor;
    'lab7: loop {
        env.ket = env.cursor;
        if !env.eq_s_b(&"'") {
            break 'lab7;
        }
        env.bra = env.cursor;
        'lab8: loop {
            let v_7 = env.limit - env.cursor;
            'lab9: loop {
                if !env.eq_s_b(&"l") {
                    break 'lab9;
                }
                if env.cursor > env.limit_backward {
                    break 'lab9;
                }
                env.slice_from("a");
                break 'lab8;
            }
            env.cursor = env.limit - v_7;
            'lab10: loop {
                if !env.eq_s_b(&"un") {
                    break 'lab10;
                }
                if env.cursor > env.limit_backward {
                    break 'lab10;
                }
                env.slice_from("u");
                break 'lab8;
            }
            env.cursor = env.limit - v_7;
            'lab11: loop {
                if (env.cursor - 2 <= env.limit_backward || env.current.as_bytes()[(env.cursor - 1) as usize] as u8 >> 5 != 3 as u8 || ((68438676 as i32 >> (env.current.as_bytes()[(env.cursor - 1) as usize] as u8 & 0x1f)) & 1) == 0) {
                    break 'lab11;
                }

                if env.find_among_b(A_3, context) == 0 {
                    break 'lab11;
                }
                'lab12: loop {
                    'lab13: loop {
                        if env.cursor > env.limit_backward {
                            break 'lab13;
                        }
                        break 'lab12;
                    }
                    if !env.eq_s_b(&"-") {
                        break 'lab11;
                    }
                    break 'lab12;
                }
                env.slice_from("aŭ");
                break 'lab8;
            }
            env.cursor = env.limit - v_7;
            env.slice_from("o");
            break 'lab8;
        }
        break 'lab7;
    }
    env.cursor = env.limit - v_6;
    let v_8 = env.limit - env.cursor;
    'lab14: loop {
        env.ket = env.cursor;
        env.bra = env.cursor;
        let v_9 = env.limit - env.cursor;
        'lab15: loop {
            let v_10 = env.limit - env.cursor;
            'lab16: loop {
                let v_11 = env.limit - env.cursor;
                'lab17: loop {
                    if !env.eq_s_b(&"n") {
                        env.cursor = env.limit - v_11;
                        break 'lab17;
                    }
                    break 'lab17;
                }
                env.bra = env.cursor;
                if !env.eq_s_b(&"e") {
                    break 'lab16;
                }
                break 'lab15;
            }
            env.cursor = env.limit - v_10;
            let v_12 = env.limit - env.cursor;
            'lab18: loop {
                if !env.eq_s_b(&"n") {
                    env.cursor = env.limit - v_12;
                    break 'lab18;
                }
                break 'lab18;
            }
            let v_13 = env.limit - env.cursor;
            'lab19: loop {
                if !env.eq_s_b(&"j") {
                    env.cursor = env.limit - v_13;
                    break 'lab19;
                }
                break 'lab19;
            }
            env.bra = env.cursor;
            if !env.in_grouping_b(G_aou, 97, 117) {
                break 'lab14;
            }
            break 'lab15;
        }
        if !env.eq_s_b(&"i") {
            break 'lab14;
        }
        let v_14 = env.limit - env.cursor;
        'lab20: loop {
            if env.find_among_b(A_8, context) == 0 {
                env.cursor = env.limit - v_14;
                break 'lab20;
            }
            break 'lab20;
        }
        'lab21: loop {
            'lab22: loop {
                if env.cursor > env.limit_backward {
                    break 'lab22;
                }
                break 'lab21;
            }
            if !env.eq_s_b(&"-") {
                break 'lab14;
            }
            break 'lab21;
        }
        env.cursor = env.limit - v_9;
        env.slice_del();
        return false;
    }
    env.cursor = env.limit - v_8;
    let v_15 = env.limit - env.cursor;
    'lab23: loop {
        if (env.cursor - 2 <= env.limit_backward || env.current.as_bytes()[(env.cursor - 1) as usize] as u8 >> 5 != 3 as u8 || ((2672162 as i32 >> (env.current.as_bytes()[(env.cursor - 1) as usize] as u8 & 0x1f)) & 1) == 0) {
            break 'lab23;
        }

        if env.find_among_b(A_5, context) == 0 {
            break 'lab23;
        }
        'lab24: loop {
            'lab25: loop {
                if env.cursor > env.limit_backward {
                    break 'lab25;
                }
                break 'lab24;
            }
            if !env.eq_s_b(&"-") {
                break 'lab23;
            }
            break 'lab24;
        }
        return false;
    }
    env.cursor = env.limit - v_15;
    let v_16 = env.limit - env.cursor;
    'lab26: loop {
        if (env.cursor - 1 <= env.limit_backward || (env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 105 as u8 && env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 117 as u8)) {
            break 'lab26;
        }

        if env.find_among_b(A_6, context) == 0 {
            break 'lab26;
        }
        if (env.cursor - 2 <= env.limit_backward || (env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 107 as u8 && env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 116 as u8)) {
            break 'lab26;
        }

        if env.find_among_b(A_7, context) == 0 {
            break 'lab26;
        }
        return false;
    }
    env.cursor = env.limit - v_16;
    let v_17 = env.limit - env.cursor;
    'lab27: loop {
        env.ket = env.cursor;
        let v_18 = env.limit - env.cursor;
        'lab28: loop {
            if !env.eq_s_b(&"n") {
                env.cursor = env.limit - v_18;
                break 'lab28;
            }
            break 'lab28;
        }
        let v_19 = env.limit - env.cursor;
        'lab29: loop {
            if !env.eq_s_b(&"j") {
                env.cursor = env.limit - v_19;
                break 'lab29;
            }
            break 'lab29;
        }
        env.bra = env.cursor;
        if (env.cursor - 2 <= env.limit_backward || env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 117 as u8) {
            break 'lab27;
        }

        if env.find_among_b(A_4, context) == 0 {
            break 'lab27;
        }
        'lab30: loop {
            'lab31: loop {
                if env.cursor > env.limit_backward {
                    break 'lab31;
                }
                break 'lab30;
            }
            if !env.eq_s_b(&"-") {
                break 'lab27;
            }
            break 'lab30;
        }
        env.slice_del();
        return false;
    }
    env.cursor = env.limit - v_17;
    let v_20 = env.limit - env.cursor;
    'lab32: loop {
        let v_21 = env.limit - env.cursor;
        'lab33: loop {
            for _ in 0..2 {
                if !env.go_out_grouping_b(G_vowel, 97, 117) {
                    break 'lab33;
                }
                env.previous_char();
            }
            break 'lab32;
        }
        env.cursor = env.limit - v_21;
        'lab34: loop {
            'golab35: loop {
                'lab36: loop {
                    if !env.eq_s_b(&"-") {
                        break 'lab36;
                    }
                    break 'golab35;
                }
                if env.cursor <= env.limit_backward {
                    break 'lab34;
                }
                env.previous_char();
            }
            if env.cursor <= env.limit_backward {
                break 'lab34;
            }
            env.previous_char();
            break 'lab32;
        }
        env.cursor = env.limit - v_21;
        if !env.go_out_grouping_b(G_digit, 48, 57) {
            return false;
        }
        env.previous_char();
        break 'lab32;
    }
    env.cursor = env.limit - v_20;
    env.ket = env.cursor;
    if (env.cursor <= env.limit_backward || env.current.as_bytes()[(env.cursor - 1) as usize] as u8 >> 5 != 3 as u8 || ((2672162 as i32 >> (env.current.as_bytes()[(env.cursor - 1) as usize] as u8 & 0x1f)) & 1) == 0) {
        return false;
    }

    among_var = env.find_among_b(A_9, context);
    if among_var == 0 {
        return false;
    }
    match among_var {
        1 => {
            let v_23 = env.limit - env.cursor;
            'lab37: loop {
                'lab38: loop {
                    if !env.eq_s_b(&"-") {
                        break 'lab38;
                    }
                    break 'lab37;
                }
                if !env.in_grouping_b(G_digit, 48, 57) {
                    return false;
                }
                break 'lab37;
            }
            env.cursor = env.limit - v_23;
        }
        _ => ()
    }
    let v_24 = env.limit - env.cursor;
    'lab39: loop {
        if !env.eq_s_b(&"-") {
            env.cursor = env.limit - v_24;
            break 'lab39;
        }
        break 'lab39;
    }
    env.bra = env.cursor;
    env.slice_del();
    env.cursor = env.limit_backward;
    return true
}
