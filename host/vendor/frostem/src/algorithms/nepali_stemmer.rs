// Generated from nepali.sbl by Snowball 3.2.0 - https://snowballstem.org/

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
    Among("\u{915}\u{940}", -1, 2, None),
    Among("\u{932}\u{93E}\u{907}", -1, 1, None),
    Among("\u{932}\u{947}", -1, 1, None),
    Among("\u{932}\u{93E}\u{908}", -1, 1, None),
    Among("\u{915}\u{948}", -1, 2, None),
    Among("\u{938}\u{901}\u{917}\u{948}", -1, 1, None),
    Among("\u{92E}\u{948}", -1, 1, None),
    Among("\u{915}\u{94B}", -1, 2, None),
    Among("\u{938}\u{901}\u{917}", -1, 1, None),
    Among("\u{938}\u{902}\u{917}", -1, 1, None),
    Among("\u{92E}\u{93E}\u{930}\u{94D}\u{92B}\u{924}", -1, 1, None),
    Among("\u{930}\u{924}", -1, 1, None),
    Among("\u{915}\u{93E}", -1, 2, None),
    Among("\u{92E}\u{93E}", -1, 1, None),
    Among("\u{926}\u{94D}\u{935}\u{93E}\u{930}\u{93E}", -1, 1, None),
    Among("\u{915}\u{93F}", -1, 2, None),
    Among("\u{92A}\u{91B}\u{93F}", -1, 1, None),
];

static A_1: &'static [Among<Context>; 3] = &[
    Among("\u{901}", -1, 1, None),
    Among("\u{902}", -1, 1, None),
    Among("\u{948}", -1, 2, None),
];

static A_2: &'static [Among<Context>; 91] = &[
    Among("\u{947}\u{915}\u{940}", -1, 1, None),
    Among("\u{90F}\u{915}\u{940}", -1, 1, None),
    Among("\u{907}\u{90F}\u{915}\u{940}", 1, 1, None),
    Among("\u{93F}\u{90F}\u{915}\u{940}", 1, 1, None),
    Among("\u{926}\u{947}\u{916}\u{940}", -1, 1, None),
    Among("\u{925}\u{940}", -1, 1, None),
    Among("\u{926}\u{940}", -1, 1, None),
    Among("\u{91B}\u{941}", -1, 1, None),
    Among("\u{947}\u{91B}\u{941}", 7, 1, None),
    Among("\u{928}\u{947}\u{91B}\u{941}", 8, 1, None),
    Among("\u{90F}\u{91B}\u{941}", 7, 1, None),
    Among("\u{928}\u{941}", -1, 1, None),
    Among("\u{939}\u{930}\u{941}", -1, 1, None),
    Among("\u{939}\u{930}\u{942}", -1, 1, None),
    Among("\u{91B}\u{947}", -1, 1, None),
    Among("\u{925}\u{947}", -1, 1, None),
    Among("\u{928}\u{947}", -1, 1, None),
    Among("\u{947}\u{915}\u{948}", -1, 1, None),
    Among("\u{928}\u{947}\u{915}\u{948}", 17, 1, None),
    Among("\u{90F}\u{915}\u{948}", -1, 1, None),
    Among("\u{926}\u{948}", -1, 1, None),
    Among("\u{907}\u{926}\u{948}", 20, 1, None),
    Among("\u{93F}\u{926}\u{948}", 20, 1, None),
    Among("\u{947}\u{915}\u{94B}", -1, 1, None),
    Among("\u{928}\u{947}\u{915}\u{94B}", 23, 1, None),
    Among("\u{90F}\u{915}\u{94B}", -1, 1, None),
    Among("\u{907}\u{90F}\u{915}\u{94B}", 25, 1, None),
    Among("\u{93F}\u{90F}\u{915}\u{94B}", 25, 1, None),
    Among("\u{926}\u{94B}", -1, 1, None),
    Among("\u{907}\u{926}\u{94B}", 28, 1, None),
    Among("\u{93F}\u{926}\u{94B}", 28, 1, None),
    Among("\u{92F}\u{94B}", -1, 1, None),
    Among("\u{907}\u{92F}\u{94B}", 31, 1, None),
    Among("\u{925}\u{94D}\u{92F}\u{94B}", 31, 1, None),
    Among("\u{92D}\u{92F}\u{94B}", 31, 1, None),
    Among("\u{93F}\u{92F}\u{94B}", 31, 1, None),
    Among("\u{925}\u{93F}\u{92F}\u{94B}", 35, 1, None),
    Among("\u{926}\u{93F}\u{92F}\u{94B}", 35, 1, None),
    Among("\u{91B}\u{94C}", -1, 1, None),
    Among("\u{907}\u{91B}\u{94C}", 38, 1, None),
    Among("\u{947}\u{91B}\u{94C}", 38, 1, None),
    Among("\u{928}\u{947}\u{91B}\u{94C}", 40, 1, None),
    Among("\u{90F}\u{91B}\u{94C}", 38, 1, None),
    Among("\u{93F}\u{91B}\u{94C}", 38, 1, None),
    Among("\u{92F}\u{94C}", -1, 1, None),
    Among("\u{91B}\u{94D}\u{92F}\u{94C}", 44, 1, None),
    Among("\u{925}\u{94D}\u{92F}\u{94C}", 44, 1, None),
    Among("\u{925}\u{93F}\u{92F}\u{94C}", 44, 1, None),
    Among("\u{91B}\u{928}\u{94D}", -1, 1, None),
    Among("\u{907}\u{91B}\u{928}\u{94D}", 48, 1, None),
    Among("\u{947}\u{91B}\u{928}\u{94D}", 48, 1, None),
    Among("\u{928}\u{947}\u{91B}\u{928}\u{94D}", 50, 1, None),
    Among("\u{90F}\u{91B}\u{928}\u{94D}", 48, 1, None),
    Among("\u{93F}\u{91B}\u{928}\u{94D}", 48, 1, None),
    Among("\u{932}\u{93E}\u{928}\u{94D}", -1, 1, None),
    Among("\u{91B}\u{93F}\u{928}\u{94D}", -1, 1, None),
    Among("\u{925}\u{93F}\u{928}\u{94D}", -1, 1, None),
    Among("\u{92A}\u{930}\u{94D}", -1, 1, None),
    Among("\u{907}\u{938}\u{94D}", -1, 1, None),
    Among("\u{925}\u{93F}\u{907}\u{938}\u{94D}", 58, 1, None),
    Among("\u{91B}\u{947}\u{938}\u{94D}", -1, 1, None),
    Among("\u{939}\u{94B}\u{938}\u{94D}", -1, 1, None),
    Among("\u{91B}\u{938}\u{94D}", -1, 1, None),
    Among("\u{907}\u{91B}\u{938}\u{94D}", 62, 1, None),
    Among("\u{947}\u{91B}\u{938}\u{94D}", 62, 1, None),
    Among("\u{928}\u{947}\u{91B}\u{938}\u{94D}", 64, 1, None),
    Among("\u{90F}\u{91B}\u{938}\u{94D}", 62, 1, None),
    Among("\u{93F}\u{91B}\u{938}\u{94D}", 62, 1, None),
    Among("\u{93F}\u{938}\u{94D}", -1, 1, None),
    Among("\u{925}\u{93F}\u{938}\u{94D}", 68, 1, None),
    Among("\u{925}\u{93F}\u{90F}", -1, 1, None),
    Among("\u{91B}", -1, 1, None),
    Among("\u{907}\u{91B}", 71, 1, None),
    Among("\u{947}\u{91B}", 71, 1, None),
    Among("\u{928}\u{947}\u{91B}", 73, 1, None),
    Among("\u{939}\u{941}\u{928}\u{947}\u{91B}", 74, 1, None),
    Among("\u{939}\u{941}\u{928}\u{94D}\u{91B}", 71, 1, None),
    Among("\u{907}\u{928}\u{94D}\u{91B}", 71, 1, None),
    Among("\u{93F}\u{928}\u{94D}\u{91B}", 71, 1, None),
    Among("\u{90F}\u{91B}", 71, 1, None),
    Among("\u{93F}\u{91B}", 71, 1, None),
    Among("\u{947}\u{915}\u{93E}", -1, 1, None),
    Among("\u{928}\u{947}\u{915}\u{93E}", 81, 1, None),
    Among("\u{90F}\u{915}\u{93E}", -1, 1, None),
    Among("\u{907}\u{90F}\u{915}\u{93E}", 83, 1, None),
    Among("\u{93F}\u{90F}\u{915}\u{93E}", 83, 1, None),
    Among("\u{926}\u{93E}", -1, 1, None),
    Among("\u{907}\u{926}\u{93E}", 86, 1, None),
    Among("\u{93F}\u{926}\u{93E}", 86, 1, None),
    Among("\u{926}\u{947}\u{916}\u{93F}", -1, 1, None),
    Among("\u{92E}\u{93E}\u{925}\u{93F}", -1, 1, None),
];

pub fn stem(env: &mut SnowballEnv) -> bool {
    let mut context = &mut Context {
    };
    let mut among_var;
    env.limit_backward = env.cursor;
    env.cursor = env.limit;
    let v_1 = env.limit - env.cursor;
    'lab0: loop {
        env.ket = env.cursor;
        among_var = env.find_among_b(A_0, context);
        if among_var == 0 {
            break 'lab0;
        }
        env.bra = env.cursor;
        match among_var {
            1 => {
                env.slice_del();
            }
            2 => {
                'lab1: loop {
                    'lab2: loop {
                        if !env.eq_s_b(&"\u{90F}") {
                            break 'lab2;
                        }
                        break 'lab1;
                    }
                    'lab3: loop {
                        if !env.eq_s_b(&"\u{947}") {
                            break 'lab3;
                        }
                        break 'lab1;
                    }
                    env.slice_del();
                    break 'lab1;
                }
            }
            _ => ()
        }
        break 'lab0;
    }
    env.cursor = env.limit - v_1;
    'replab4: loop{
        let v_2 = env.limit - env.cursor;
        'lab5: for _ in 0..1 {
            let v_3 = env.limit - env.cursor;
            'lab6: loop {
                env.ket = env.cursor;
                if (env.cursor - 2 <= env.limit_backward || env.current.as_bytes()[(env.cursor - 1) as usize] as u8 >> 5 != 4 as u8 || ((262 as i32 >> (env.current.as_bytes()[(env.cursor - 1) as usize] as u8 & 0x1f)) & 1) == 0) {
                    break 'lab6;
                }

                among_var = env.find_among_b(A_1, context);
                if among_var == 0 {
                    break 'lab6;
                }
                env.bra = env.cursor;
                match among_var {
                    1 => {
                        'lab7: loop {
                            'lab8: loop {
                                if !env.eq_s_b(&"\u{92F}\u{94C}") {
                                    break 'lab8;
                                }
                                break 'lab7;
                            }
                            'lab9: loop {
                                if !env.eq_s_b(&"\u{91B}\u{94C}") {
                                    break 'lab9;
                                }
                                break 'lab7;
                            }
                            'lab10: loop {
                                if !env.eq_s_b(&"\u{928}\u{94C}") {
                                    break 'lab10;
                                }
                                break 'lab7;
                            }
                            if !env.eq_s_b(&"\u{925}\u{947}") {
                                break 'lab6;
                            }
                            break 'lab7;
                        }
                        env.slice_del();
                    }
                    2 => {
                        if !env.eq_s_b(&"\u{924}\u{94D}\u{930}") {
                            break 'lab6;
                        }
                        env.slice_del();
                    }
                    _ => ()
                }
                break 'lab6;
            }
            env.cursor = env.limit - v_3;
            env.ket = env.cursor;
            if env.find_among_b(A_2, context) == 0 {
                break 'lab5;
            }
            env.bra = env.cursor;
            env.slice_del();
            continue 'replab4;
        }
        env.cursor = env.limit - v_2;
        break 'replab4;
    }
    env.cursor = env.limit_backward;
    return true
}
