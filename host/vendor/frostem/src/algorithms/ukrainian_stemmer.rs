// Generated from ukrainian.sbl by Snowball 3.2.0 - https://snowballstem.org/

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

static A_0: &'static [Among<Context>; 12] = &[
    Among("вшись", -1, 1, None),
    Among("ившись", 0, 2, None),
    Among("учи", -1, 3, None),
    Among("уючи", -1, 4, None),
    Among("юючи", -1, 5, None),
    Among("яючи", -1, 3, None),
    Among("іючи", -1, 3, None),
    Among("аючи", -1, 3, None),
    Among("ячи", -1, 3, None),
    Among("ачи", -1, 3, None),
    Among("вши", -1, 1, None),
    Among("ивши", 10, 2, None),
];

static A_1: &'static [Among<Context>; 11] = &[
    Among("уються", -1, 2, None),
    Among("юються", -1, 3, None),
    Among("яються", -1, 1, None),
    Among("аються", -1, 1, None),
    Among("ється", -1, 1, None),
    Among("ується", 4, 2, None),
    Among("юється", 4, 3, None),
    Among("яється", 4, 1, None),
    Among("ається", 4, 1, None),
    Among("еться", -1, 1, None),
    Among("иться", -1, 1, None),
];

static A_2: &'static [Among<Context>; 7] = &[
    Among("сь", -1, 1, None),
    Among("лась", 0, 1, None),
    Among("всь", 0, 1, None),
    Among("тись", 0, 1, None),
    Among("ся", -1, 1, None),
    Among("вся", 4, 1, None),
    Among("тися", 4, 1, None),
];

static A_3: &'static [Among<Context>; 105] = &[
    Among("ічному", -1, 1, None),
    Among("ичному", -1, 1, None),
    Among("уальному", -1, 1, None),
    Among("ійному", -1, 1, None),
    Among("аційному", 3, 1, None),
    Among("ічну", -1, 1, None),
    Among("ичну", -1, 1, None),
    Among("уальну", -1, 1, None),
    Among("ійну", -1, 1, None),
    Among("аційну", 8, 1, None),
    Among("іях", -1, 1, None),
    Among("аціях", 10, 1, None),
    Among("ічних", -1, 1, None),
    Among("ичних", -1, 1, None),
    Among("уальних", -1, 1, None),
    Among("ійних", -1, 1, None),
    Among("аційних", 15, 1, None),
    Among("ічність", -1, 1, None),
    Among("ичність", -1, 1, None),
    Among("уальність", -1, 1, None),
    Among("ійність", -1, 1, None),
    Among("аційність", 20, 1, None),
    Among("ічністю", -1, 1, None),
    Among("ичністю", -1, 1, None),
    Among("уальністю", -1, 1, None),
    Among("ійністю", -1, 1, None),
    Among("аційністю", 25, 1, None),
    Among("ією", -1, 1, None),
    Among("ацією", 27, 1, None),
    Among("ію", -1, 1, None),
    Among("ацію", 29, 1, None),
    Among("ічною", -1, 1, None),
    Among("ичною", -1, 1, None),
    Among("уальною", -1, 1, None),
    Among("ійною", -1, 1, None),
    Among("аційною", 34, 1, None),
    Among("ія", -1, 1, None),
    Among("ація", 36, 1, None),
    Among("ічності", -1, 1, None),
    Among("ичності", -1, 1, None),
    Among("уальності", -1, 1, None),
    Among("ійності", -1, 1, None),
    Among("аційності", 41, 1, None),
    Among("ічні", -1, 1, None),
    Among("ичні", -1, 1, None),
    Among("уальні", -1, 1, None),
    Among("ійні", -1, 1, None),
    Among("аційні", 46, 1, None),
    Among("ії", -1, 1, None),
    Among("ації", 48, 1, None),
    Among("ічної", -1, 1, None),
    Among("ичної", -1, 1, None),
    Among("уальної", -1, 1, None),
    Among("ійної", -1, 1, None),
    Among("аційної", 53, 1, None),
    Among("іа", -1, 1, None),
    Among("ічна", -1, 1, None),
    Among("ична", -1, 1, None),
    Among("уальна", -1, 1, None),
    Among("ійна", -1, 1, None),
    Among("аційна", 59, 1, None),
    Among("ічне", -1, 1, None),
    Among("ичне", -1, 1, None),
    Among("уальне", -1, 1, None),
    Among("ійне", -1, 1, None),
    Among("аційне", 64, 1, None),
    Among("іями", -1, 1, None),
    Among("аціями", 66, 1, None),
    Among("ічними", -1, 1, None),
    Among("ичними", -1, 1, None),
    Among("уальними", -1, 1, None),
    Among("ійними", -1, 1, None),
    Among("аційними", 71, 1, None),
    Among("ій", -1, 1, None),
    Among("ацій", 73, 1, None),
    Among("ічній", 73, 1, None),
    Among("ичній", 73, 1, None),
    Among("уальній", 73, 1, None),
    Among("ійній", 73, 1, None),
    Among("аційній", 78, 1, None),
    Among("ичностей", -1, 1, None),
    Among("уальностей", -1, 1, None),
    Among("ічний", -1, 1, None),
    Among("ичний", -1, 1, None),
    Among("уальний", -1, 1, None),
    Among("ійний", -1, 1, None),
    Among("аційний", 85, 1, None),
    Among("іям", -1, 1, None),
    Among("аціям", 87, 1, None),
    Among("ієм", -1, 1, None),
    Among("ічним", -1, 1, None),
    Among("ичним", -1, 1, None),
    Among("уальним", -1, 1, None),
    Among("ійним", -1, 1, None),
    Among("аційним", 93, 1, None),
    Among("ічного", -1, 1, None),
    Among("ичного", -1, 1, None),
    Among("уального", -1, 1, None),
    Among("ійного", -1, 1, None),
    Among("аційного", 98, 1, None),
    Among("ічно", -1, 1, None),
    Among("ично", -1, 1, None),
    Among("уально", -1, 1, None),
    Among("ійно", -1, 1, None),
    Among("аційно", 103, 1, None),
];

static A_4: &'static [Among<Context>; 40] = &[
    Among("ішу", -1, 1, None),
    Among("ому", -1, 1, None),
    Among("ьому", 1, 1, None),
    Among("іх", -1, 1, None),
    Among("їх", -1, 1, None),
    Among("их", -1, 1, None),
    Among("єю", -1, 1, None),
    Among("ею", -1, 2, None),
    Among("ою", -1, 1, None),
    Among("ьою", 8, 1, None),
    Among("учі", -1, 1, None),
    Among("ючі", -1, 1, None),
    Among("увані", -1, 1, None),
    Among("овані", -1, 1, None),
    Among("ої", -1, 1, None),
    Among("ьої", 14, 1, None),
    Among("уча", -1, 1, None),
    Among("юча", -1, 1, None),
    Among("увана", -1, 1, None),
    Among("ована", -1, 1, None),
    Among("уче", -1, 1, None),
    Among("юче", -1, 1, None),
    Among("уване", -1, 1, None),
    Among("оване", -1, 1, None),
    Among("іми", -1, 1, None),
    Among("їми", -1, 1, None),
    Among("ими", -1, 1, None),
    Among("ій", -1, 1, None),
    Among("ий", -1, 1, None),
    Among("учий", 28, 1, None),
    Among("ючий", 28, 1, None),
    Among("уваний", 28, 1, None),
    Among("ований", 28, 1, None),
    Among("ім", -1, 1, None),
    Among("їм", -1, 1, None),
    Among("им", -1, 1, None),
    Among("ого", -1, 1, None),
    Among("ього", 36, 1, None),
    Among("увано", -1, 1, None),
    Among("овано", -1, 1, None),
];

static A_5: &'static [Among<Context>; 79] = &[
    Among("у", -1, 9, None),
    Among("атиму", 0, 1, None),
    Among("итиму", 0, 1, None),
    Among("єш", -1, 1, None),
    Among("уєш", 3, 6, None),
    Among("юєш", 3, 7, None),
    Among("яєш", 3, 1, None),
    Among("аєш", 3, 1, None),
    Among("еш", -1, 1, None),
    Among("иш", -1, 1, None),
    Among("уть", -1, 1, None),
    Among("ятимуть", 10, 1, None),
    Among("атимуть", 10, 1, None),
    Among("итимуть", 10, 1, None),
    Among("ють", -1, 1, None),
    Among("ують", 14, 6, None),
    Among("юють", 14, 7, None),
    Among("яють", 14, 1, None),
    Among("ають", 14, 1, None),
    Among("ять", -1, 5, None),
    Among("їть", -1, 1, None),
    Among("ить", -1, 1, None),
    Among("ю", -1, 11, None),
    Among("аю", 22, 1, None),
    Among("є", -1, 1, None),
    Among("ує", 24, 6, None),
    Among("ює", 24, 7, None),
    Among("яє", 24, 1, None),
    Among("ає", 24, 1, None),
    Among("ла", -1, 10, None),
    Among("яла", 29, 1, None),
    Among("іла", 29, 1, None),
    Among("ала", 29, 4, None),
    Among("ила", 29, 1, None),
    Among("в", -1, 8, None),
    Among("яв", 34, 1, None),
    Among("ів", 34, 3, None),
    Among("ав", 34, 3, None),
    Among("ив", 34, 3, None),
    Among("єте", -1, 1, None),
    Among("уєте", 39, 6, None),
    Among("юєте", 39, 7, None),
    Among("яєте", 39, 1, None),
    Among("аєте", 39, 1, None),
    Among("іте", -1, 1, None),
    Among("ете", -1, 1, None),
    Among("ите", -1, 1, None),
    Among("йте", -1, 1, None),
    Among("ятиме", -1, 1, None),
    Among("ітиме", -1, 1, None),
    Among("атиме", -1, 1, None),
    Among("итиме", -1, 1, None),
    Among("ти", -1, 12, None),
    Among("яти", 52, 5, None),
    Among("іти", 52, 1, None),
    Among("ати", 52, 1, None),
    Among("ити", 52, 1, None),
    Among("ли", -1, 10, None),
    Among("яли", 57, 1, None),
    Among("іли", 57, 1, None),
    Among("али", 57, 4, None),
    Among("или", 57, 1, None),
    Among("й", -1, 1, None),
    Among("ей", 62, 2, None),
    Among("єм", -1, 1, None),
    Among("ло", -1, 10, None),
    Among("яло", 65, 1, None),
    Among("іло", 65, 1, None),
    Among("ало", 65, 4, None),
    Among("ило", 65, 1, None),
    Among("ємо", -1, 1, None),
    Among("уємо", 70, 6, None),
    Among("юємо", 70, 7, None),
    Among("яємо", 70, 1, None),
    Among("аємо", 70, 1, None),
    Among("імо", -1, 1, None),
    Among("емо", -1, 1, None),
    Among("атимемо", 76, 1, None),
    Among("имо", -1, 1, None),
];

static A_6: &'static [Among<Context>; 4] = &[
    Among("ість", -1, 1, None),
    Among("істю", -1, 1, None),
    Among("істі", -1, 1, None),
    Among("ості", -1, 1, None),
];

static A_7: &'static [Among<Context>; 37] = &[
    Among("ству", -1, 3, None),
    Among("цтву", -1, 2, None),
    Among("ях", -1, 3, None),
    Among("ах", -1, 3, None),
    Among("ствах", 3, 3, None),
    Among("цтвах", 3, 2, None),
    Among("ець", -1, 2, None),
    Among("істю", -1, 1, None),
    Among("я", -1, 3, None),
    Among("і", -1, 3, None),
    Among("стві", 9, 3, None),
    Among("цтві", 9, 2, None),
    Among("еві", 9, 3, None),
    Among("ові", 9, 3, None),
    Among("ї", -1, 3, None),
    Among("а", -1, 3, None),
    Among("ства", 15, 3, None),
    Among("цтва", 15, 2, None),
    Among("ств", -1, 3, None),
    Among("цтв", -1, 2, None),
    Among("е", -1, 3, None),
    Among("и", -1, 3, None),
    Among("ями", 21, 3, None),
    Among("ами", 21, 3, None),
    Among("ствами", 23, 3, None),
    Among("цтвами", 23, 2, None),
    Among("ям", -1, 3, None),
    Among("ам", -1, 3, None),
    Among("ствам", 27, 3, None),
    Among("цтвам", 27, 2, None),
    Among("ем", -1, 3, None),
    Among("ом", -1, 3, None),
    Among("ством", 31, 3, None),
    Among("цтвом", 31, 2, None),
    Among("о", -1, 3, None),
    Among("тво", 34, 3, None),
    Among("ство", 35, 3, None),
];

static A_8: &'static [Among<Context>; 7] = &[
    Among("яр", -1, 1, None),
    Among("ар", -1, 2, None),
    Among("ач", -1, 1, None),
    Among("ник", -1, 1, None),
    Among("альник", 3, 1, None),
    Among("ельник", 3, 1, None),
    Among("івник", 3, 1, None),
];

static A_9: &'static [Among<Context>; 50] = &[
    Among("еньку", -1, 1, None),
    Among("унь", -1, 1, None),
    Among("ічкі", -1, 1, None),
    Among("ечкі", -1, 1, None),
    Among("очечкі", 3, 1, None),
    Among("очкі", -1, 1, None),
    Among("інькі", -1, 1, None),
    Among("юсінькі", 6, 1, None),
    Among("ісінькі", 6, 1, None),
    Among("енькі", -1, 1, None),
    Among("есенькі", 9, 1, None),
    Among("онькі", -1, 1, None),
    Among("ічка", -1, 1, None),
    Among("ечка", -1, 1, None),
    Among("очечка", 13, 1, None),
    Among("очка", -1, 1, None),
    Among("інька", -1, 1, None),
    Among("юсінька", 16, 1, None),
    Among("ісінька", 16, 1, None),
    Among("енька", -1, 1, None),
    Among("есенька", 19, 1, None),
    Among("онька", -1, 1, None),
    Among("ічки", -1, 1, None),
    Among("ечки", -1, 1, None),
    Among("очечки", 23, 1, None),
    Among("очки", -1, 1, None),
    Among("іньки", -1, 1, None),
    Among("юсіньки", 26, 1, None),
    Among("ісіньки", 26, 1, None),
    Among("еньки", -1, 1, None),
    Among("есеньки", 29, 1, None),
    Among("оньки", -1, 1, None),
    Among("ок", -1, 2, None),
    Among("ічок", 32, 1, None),
    Among("ечок", 32, 1, None),
    Among("очечок", 34, 1, None),
    Among("очок", 32, 1, None),
    Among("ятко", -1, 1, None),
    Among("ітко", -1, 1, None),
    Among("атко", -1, 1, None),
    Among("ічко", -1, 1, None),
    Among("ечко", -1, 1, None),
    Among("очечко", 41, 1, None),
    Among("очко", -1, 1, None),
    Among("інько", -1, 1, None),
    Among("юсінько", 44, 1, None),
    Among("ісінько", 44, 1, None),
    Among("енько", -1, 1, None),
    Among("есенько", 47, 1, None),
    Among("онько", -1, 1, None),
];

static A_10: &'static [Among<Context>; 6] = &[
    Among("іньк", -1, 1, None),
    Among("юсіньк", 0, 1, None),
    Among("ісіньк", 0, 1, None),
    Among("еньк", -1, 1, None),
    Among("есеньк", 3, 1, None),
    Among("оньк", -1, 1, None),
];

static A_11: &'static [Among<Context>; 7] = &[
    Among("іннях", -1, 1, None),
    Among("інь", -1, 1, None),
    Among("інню", -1, 1, None),
    Among("іння", -1, 1, None),
    Among("інні", -1, 1, None),
    Among("іннями", -1, 1, None),
    Among("інням", -1, 1, None),
];

static A_12: &'static [Among<Context>; 21] = &[
    Among("яннях", -1, 1, None),
    Among("аннях", -1, 1, None),
    Among("еннях", -1, 1, None),
    Among("янь", -1, 1, None),
    Among("ань", -1, 1, None),
    Among("ень", -1, 1, None),
    Among("янню", -1, 1, None),
    Among("анню", -1, 1, None),
    Among("енню", -1, 1, None),
    Among("яння", -1, 1, None),
    Among("ання", -1, 1, None),
    Among("ення", -1, 1, None),
    Among("янні", -1, 1, None),
    Among("анні", -1, 1, None),
    Among("енні", -1, 1, None),
    Among("яннями", -1, 1, None),
    Among("аннями", -1, 1, None),
    Among("еннями", -1, 1, None),
    Among("янням", -1, 1, None),
    Among("анням", -1, 1, None),
    Among("енням", -1, 1, None),
];

static A_13: &'static [Among<Context>; 19] = &[
    Among("іст", -1, 1, None),
    Among("уват", -1, 1, None),
    Among("ищ", -1, 1, None),
    Among("ув", -1, 1, None),
    Among("овув", 3, 1, None),
    Among("юв", -1, 1, None),
    Among("ов", -1, 1, None),
    Among("ськ", -1, 1, None),
    Among("зьк", -1, 1, None),
    Among("ізм", -1, 1, None),
    Among("ьн", -1, 1, None),
    Among("альн", 10, 3, None),
    Among("ельн", 10, 2, None),
    Among("ян", -1, 1, None),
    Among("ан", -1, 4, None),
    Among("уван", 14, 1, None),
    Among("юван", 14, 1, None),
    Among("ован", 14, 1, None),
    Among("івн", -1, 1, None),
];

static A_14: &'static [Among<Context>; 4] = &[
    Among("іш", -1, 1, None),
    Among("ь", -1, 4, None),
    Among("л", -1, 2, None),
    Among("н", -1, 3, None),
];

static A_15: &'static [Among<Context>; 353] = &[
    Among("агрегати", -1, 96, None),
    Among("агроном", -1, 49, None),
    Among("адмірала", -1, 17, None),
    Among("аеродром", -1, 46, None),
    Among("аеродрому", 3, 46, None),
    Among("альбом", -1, 39, None),
    Among("альбому", 5, 39, None),
    Among("америці", -1, 188, None),
    Among("амстердам", -1, 60, None),
    Among("апарати", -1, 79, None),
    Among("артем", -1, 57, None),
    Among("архів", -1, -1, None),
    Among("астрахань", -1, 155, None),
    Among("астроном", -1, 48, None),
    Among("африці", -1, 191, None),
    Among("барабанні", -1, 182, None),
    Among("березань", -1, 154, None),
    Among("березень", -1, 123, None),
    Among("бориспіль", -1, 153, None),
    Among("ботошань", -1, 156, None),
    Among("бретань", -1, 166, None),
    Among("бруней", -1, 112, None),
    Among("будівель", -1, 144, None),
    Among("бібліотеці", -1, 194, None),
    Among("біля", -1, -1, None),
    Among("в'єтнам", -1, 59, None),
    Among("вадим", -1, 56, None),
    Among("вазі", -1, 200, None),
    Among("вартостей", -1, 1, None),
    Among("вартості", -1, 1, None),
    Among("вартість", -1, 1, None),
    Among("вартістю", -1, 1, None),
    Among("вдерлися", -1, 37, None),
    Among("вересень", -1, 129, None),
    Among("верств", -1, 29, None),
    Among("верства", 34, 29, None),
    Among("верстви", 34, 29, None),
    Among("верствою", 34, 29, None),
    Among("верству", 34, 29, None),
    Among("верстві", 34, 29, None),
    Among("весь", -1, -1, None),
    Among("вимерла", -1, 36, None),
    Among("вимерли", -1, 36, None),
    Among("виплати", -1, 86, None),
    Among("виставці", -1, 201, None),
    Among("витрати", -1, 67, None),
    Among("вплив", -1, -1, None),
    Among("втекти", -1, 33, None),
    Among("втрати", -1, 63, None),
    Among("відання", -1, 177, None),
    Among("віданні", -1, 177, None),
    Among("відстанню", -1, 163, None),
    Among("відстань", -1, 163, None),
    Among("відтоді", -1, -1, None),
    Among("вільям", -1, 54, None),
    Among("віці", -1, 185, None),
    Among("гавань", -1, 165, None),
    Among("галілей", -1, 120, None),
    Among("гармати", -1, 65, None),
    Among("генерала", -1, 16, None),
    Among("генерали", -1, 16, None),
    Among("геном", -1, 41, None),
    Among("геному", 61, 41, None),
    Among("голів", -1, 145, None),
    Among("гонці", -1, 211, None),
    Among("горбань", -1, 173, None),
    Among("гранати", -1, 91, None),
    Among("грудень", -1, 131, None),
    Among("далі", -1, -1, None),
    Among("данила", -1, 9, None),
    Among("данило", -1, 9, None),
    Among("данилом", 70, 9, None),
    Among("данилу", -1, 9, None),
    Among("данилі", -1, 9, None),
    Among("дев'яти", -1, 139, None),
    Among("демократи", -1, 94, None),
    Among("день", -1, 142, None),
    Among("депутати", -1, 66, None),
    Among("держав", -1, -1, None),
    Among("десь", -1, -1, None),
    Among("десяти", -1, 121, None),
    Among("десять", -1, 121, None),
    Among("джованні", -1, 161, None),
    Among("диплом", -1, 42, None),
    Among("дисплей", -1, 119, None),
    Among("дитина", -1, 141, None),
    Among("дитини", -1, 141, None),
    Among("дитиною", -1, 141, None),
    Among("дитину", -1, 141, None),
    Among("дитині", -1, 141, None),
    Among("днем", -1, 142, None),
    Among("дню", -1, 142, None),
    Among("дня", -1, 142, None),
    Among("дням", 92, 142, None),
    Among("днями", 93, 142, None),
    Among("днях", 92, 142, None),
    Among("дні", -1, 142, None),
    Among("днів", 96, 142, None),
    Among("довгань", -1, 174, None),
    Among("доменні", -1, 176, None),
    Among("дорогоцінні", -1, 180, None),
    Among("дорозі", -1, 196, None),
    Among("досить", -1, 32, None),
    Among("досконало", -1, 15, None),
    Among("досі", -1, -1, None),
    Among("дотепер", -1, -1, None),
    Among("дуже", -1, -1, None),
    Among("ділянці", -1, 197, None),
    Among("дісней", -1, 111, None),
    Among("економіці", -1, 219, None),
    Among("експонати", -1, 87, None),
    Among("еліти", -1, 81, None),
    Among("еней", -1, 113, None),
    Among("жовтень", -1, 130, None),
    Among("журнали", -1, 23, None),
    Among("завжди", -1, -1, None),
    Among("замало", -1, 12, None),
    Among("замість", -1, -1, None),
    Among("запити", -1, 93, None),
    Among("затоці", -1, 205, None),
    Among("збірці", -1, 222, None),
    Among("звідки", -1, -1, None),
    Among("звідси", -1, -1, None),
    Among("звідти", -1, -1, None),
    Among("звіти", -1, 82, None),
    Among("згодом", -1, -1, None),
    Among("земель", -1, 143, None),
    Among("знову", -1, -1, None),
    Among("камінь", -1, 136, None),
    Among("канали", -1, 22, None),
    Among("кандидати", -1, 76, None),
    Among("кардинала", -1, 19, None),
    Among("квартали", -1, 28, None),
    Among("квітень", -1, 124, None),
    Among("кирила", -1, 8, None),
    Among("кирило", -1, 8, None),
    Among("кирилом", 135, 8, None),
    Among("кирилу", -1, 8, None),
    Among("київ", -1, 4, None),
    Among("кладці", -1, 218, None),
    Among("клей", -1, 117, None),
    Among("книзі", -1, 190, None),
    Among("кого", -1, -1, None),
    Among("коли", -1, -1, None),
    Among("колись", 143, -1, None),
    Among("кому", -1, -1, None),
    Among("координати", -1, 74, None),
    Among("корінь", -1, 137, None),
    Among("кристала", -1, 26, None),
    Among("кристали", -1, 26, None),
    Among("критиці", -1, 224, None),
    Among("кубань", -1, 167, None),
    Among("куди", -1, -1, None),
    Among("кімнати", -1, 71, None),
    Among("лауреати", -1, 75, None),
    Among("ледь", -1, -1, None),
    Among("липень", -1, 127, None),
    Among("лише", -1, -1, None),
    Among("лозанні", -1, 162, None),
    Among("львів", -1, 148, None),
    Among("людей", -1, 6, None),
    Among("людина", -1, 6, None),
    Among("людини", -1, 6, None),
    Among("людиною", -1, 6, None),
    Among("людину", -1, 6, None),
    Among("людині", -1, 6, None),
    Among("лізі", -1, 187, None),
    Among("ліцей", -1, 100, None),
    Among("мавзолей", -1, 118, None),
    Among("мадам", -1, 53, None),
    Among("майже", -1, -1, None),
    Among("максим", -1, 55, None),
    Among("мало", -1, -1, None),
    Among("маргарити", -1, 90, None),
    Among("маршала", -1, 18, None),
    Among("масив", -1, -1, None),
    Among("матей", -1, 108, None),
    Among("матерію", -1, 31, None),
    Among("матерія", -1, 31, None),
    Among("матерією", -1, 31, None),
    Among("матерії", -1, 31, None),
    Among("мацей", -1, 106, None),
    Among("мексиці", -1, 202, None),
    Among("мельник", -1, 30, None),
    Among("мельника", 183, 30, None),
    Among("мельники", 183, 30, None),
    Among("мельником", 183, 30, None),
    Among("мельнику", 183, 30, None),
    Among("мельників", 183, 30, None),
    Among("метали", -1, 27, None),
    Among("миколаїв", -1, 151, None),
    Among("могила", -1, 7, None),
    Among("могили", -1, 7, None),
    Among("могилою", -1, 7, None),
    Among("могилу", -1, 7, None),
    Among("могилі", -1, 7, None),
    Among("музей", -1, 99, None),
    Among("музиці", -1, 208, None),
    Among("мінерали", -1, 25, None),
    Among("мініальбом", -1, 40, None),
    Among("мініальбому", 199, 40, None),
    Among("мішенню", -1, 175, None),
    Among("мішень", -1, 175, None),
    Among("напрям", -1, 51, None),
    Among("напрями", 203, 51, None),
    Among("науці", -1, 214, None),
    Among("невдало", -1, 14, None),
    Among("немало", -1, 13, None),
    Among("нескінченні", -1, 181, None),
    Among("нечисленні", -1, 179, None),
    Among("низці", -1, 217, None),
    Among("новела", -1, 38, None),
    Among("новели", -1, 38, None),
    Among("нічого", -1, -1, None),
    Among("обкладинці", -1, 226, None),
    Among("окрузі", -1, 186, None),
    Among("окрім", -1, -1, None),
    Among("оплати", -1, 83, None),
    Among("орбіти", -1, 70, None),
    Among("орфей", -1, 104, None),
    Among("освіти", -1, 61, None),
    Among("останню", -1, 157, None),
    Among("остання", -1, 157, None),
    Among("останні", -1, 157, None),
    Among("осіб", -1, 5, None),
    Among("осінь", -1, 147, None),
    Among("п'яти", -1, 138, None),
    Among("палати", -1, 64, None),
    Among("плити", -1, 78, None),
    Among("повноцінні", -1, 184, None),
    Among("повіти", -1, 92, None),
    Among("познань", -1, 169, None),
    Among("поки", -1, -1, None),
    Among("політиці", -1, 207, None),
    Among("померла", -1, 35, None),
    Among("померли", -1, 35, None),
    Among("померло", -1, 35, None),
    Among("померти", -1, 35, None),
    Among("посів", -1, -1, None),
    Among("потім", -1, -1, None),
    Among("празі", -1, 203, None),
    Among("практиці", -1, 198, None),
    Among("препарати", -1, 80, None),
    Among("привілей", -1, 116, None),
    Among("прийом", -1, 43, None),
    Among("прийому", 244, 43, None),
    Among("пристань", -1, 168, None),
    Among("присязі", -1, 195, None),
    Among("притаманні", -1, 178, None),
    Among("прометей", -1, 107, None),
    Among("промінь", -1, 135, None),
    Among("пророк", -1, 140, None),
    Among("пророка", 251, 140, None),
    Among("пророки", 251, 140, None),
    Among("пророком", 251, 140, None),
    Among("пророку", 251, 140, None),
    Among("пророків", 251, 140, None),
    Among("просвіти", -1, 72, None),
    Among("проти", -1, -1, None),
    Among("птолемей", -1, 109, None),
    Among("південні", -1, 158, None),
    Among("півфінали", -1, 21, None),
    Among("підготовці", -1, 210, None),
    Among("підйом", -1, 44, None),
    Among("підйому", 263, 44, None),
    Among("підтримці", -1, 215, None),
    Among("разом", -1, -1, None),
    Among("режим", -1, 50, None),
    Among("режими", 267, 50, None),
    Among("результати", -1, 62, None),
    Among("республіці", -1, 192, None),
    Among("ризі", -1, 227, None),
    Among("розробці", -1, 204, None),
    Among("році", -1, 3, None),
    Among("руці", -1, 221, None),
    Among("рязань", -1, 170, None),
    Among("рівень", -1, 132, None),
    Among("рік", -1, 3, None),
    Among("річці", -1, 189, None),
    Among("саме", -1, -1, None),
    Among("священні", -1, 160, None),
    Among("світи", -1, 84, None),
    Among("себе", -1, -1, None),
    Among("серпень", -1, 128, None),
    Among("сибір", -1, -1, None),
    Among("сигнали", -1, 24, None),
    Among("синдром", -1, 45, None),
    Among("синдрому", 286, 45, None),
    Among("смузі", -1, 193, None),
    Among("совість", -1, 2, None),
    Among("совістю", -1, 2, None),
    Among("совісті", -1, 2, None),
    Among("солдати", -1, 68, None),
    Among("сплати", -1, 85, None),
    Among("справ", -1, -1, None),
    Among("справді", 294, -1, None),
    Among("статей", -1, 97, None),
    Among("сторінці", -1, 213, None),
    Among("страти", -1, 73, None),
    Among("стрічці", -1, 220, None),
    Among("ступінь", -1, 134, None),
    Among("сьогодні", -1, -1, None),
    Among("сідней", -1, 110, None),
    Among("сімей", -1, 98, None),
    Among("січень", -1, 122, None),
    Among("тадей", -1, 105, None),
    Among("тайвань", -1, 164, None),
    Among("тебе", -1, -1, None),
    Among("тернопіль", -1, 152, None),
    Among("техніці", -1, 216, None),
    Among("тоді", -1, -1, None),
    Among("толстой", -1, 10, None),
    Among("тому", -1, -1, None),
    Among("точці", -1, 206, None),
    Among("травень", -1, 125, None),
    Among("треба", -1, -1, None),
    Among("трійці", -1, 212, None),
    Among("туди", -1, -1, None),
    Among("увазі", -1, 209, None),
    Among("увесь", -1, -1, None),
    Among("утекти", -1, 34, None),
    Among("учень", -1, 133, None),
    Among("фабриці", -1, 225, None),
    Among("формати", -1, 95, None),
    Among("фортепіанні", -1, 183, None),
    Among("футболці", -1, 199, None),
    Among("фінали", -1, 20, None),
    Among("хайнань", -1, 172, None),
    Among("харків", -1, 149, None),
    Among("хокей", -1, 101, None),
    Among("цитати", -1, 89, None),
    Among("чемпіонати", -1, 77, None),
    Among("червень", -1, 126, None),
    Among("черзі", -1, 223, None),
    Among("чернігів", -1, 150, None),
    Among("чимало", -1, 11, None),
    Among("чому", -1, -1, None),
    Among("шолом", -1, 47, None),
    Among("штати", -1, 69, None),
    Among("щоденні", -1, 159, None),
    Among("щойно", -1, -1, None),
    Among("ювілей", -1, 115, None),
    Among("юньнань", -1, 171, None),
    Among("євангеліє", -1, 146, None),
    Among("єврей", -1, 102, None),
    Among("єрусалим", -1, 58, None),
    Among("інакше", -1, -1, None),
    Among("інколи", -1, -1, None),
    Among("іноді", -1, -1, None),
    Among("іриней", -1, 114, None),
    Among("іслам", -1, 52, None),
    Among("іспити", -1, 88, None),
    Among("ієрей", -1, 103, None),
];

static A_16: &'static [Among<Context>; 16] = &[
    Among("бір", -1, 2, None),
    Among("ріст", -1, 3, None),
    Among("кіт", -1, 14, None),
    Among("ніч", -1, 4, None),
    Among("піч", -1, 7, None),
    Among("гість", -1, 10, None),
    Among("сіль", -1, 8, None),
    Among("кінь", -1, 9, None),
    Among("ріг", -1, 15, None),
    Among("рід", -1, 12, None),
    Among("хід", -1, 1, None),
    Among("плід", -1, 11, None),
    Among("сік", -1, 16, None),
    Among("бік", -1, 13, None),
    Among("стіл", -1, 6, None),
    Among("дім", -1, 5, None),
];

static A_17: &'static [Among<Context>; 7] = &[
    Among("сь", -1, -1, None),
    Among("лась", 0, -1, None),
    Among("всь", 0, -1, None),
    Among("тись", 0, -1, None),
    Among("ся", -1, -1, None),
    Among("вся", 4, -1, None),
    Among("тися", 4, -1, None),
];

static G_v: &'static [u8; 5] = &[33, 65, 8, 192, 208];

fn r_professional(env: &mut SnowballEnv, context: &mut Context) -> bool {
    let mut among_var;
    env.ket = env.cursor;
    among_var = env.find_among_b(A_8, context);
    if among_var == 0 {
        return false;
    }
    env.bra = env.cursor;
    match among_var {
        1 => {
            env.slice_del();
        }
        2 => {
            if !env.eq_s_b(&"к") {
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
    let mut b_found_ty_noun : bool;
    let mut b_found_la_noun : bool;
    let mut b_found_verb : bool;
    let mut b_found_ia : bool;
    let mut b_found_professional : bool;
    let mut b_found_diminutive : bool;
    let mut i_p2 : i32;
    let mut i_pV : i32;
    let v_1 = env.cursor;
    'lab0: loop {
        env.bra = env.cursor;
        if !env.eq_s(&"най") {
            break 'lab0;
        }
        env.ket = env.cursor;
        if env.cursor >= env.limit {
            break 'lab0;
        }
        env.slice_del();
        break 'lab0;
    }
    env.cursor = v_1;
    'lab1: loop {
        let v_2 = env.cursor;
        'lab2: loop {
            let v_3 = env.cursor;
            if !env.eq_s(&"окремо") {
                break 'lab2;
            }
            if env.cursor < env.limit {
                break 'lab2;
            }
            env.cursor = v_3;
            env.limit_backward = env.cursor;
            env.cursor = env.limit;
            env.ket = env.cursor;
            if !env.eq_s_b(&"о") {
                break 'lab2;
            }
            env.bra = env.cursor;
            env.slice_del();
            env.cursor = env.limit_backward;
            break 'lab1;
        }
        env.cursor = v_2;
        'lab3: loop {
            env.bra = env.cursor;
            among_var = env.find_among(A_15, context);
            if among_var == 0 {
                break 'lab3;
            }
            env.ket = env.cursor;
            if env.cursor < env.limit {
                break 'lab3;
            }
            match among_var {
                1 => {
                    env.slice_from("вартост");
                }
                2 => {
                    env.slice_from("совіст");
                }
                3 => {
                    env.slice_from("рок");
                }
                4 => {
                    env.slice_from("києв");
                }
                5 => {
                    env.slice_from("особ");
                }
                6 => {
                    env.slice_from("люд");
                }
                7 => {
                    env.slice_from("могил");
                }
                8 => {
                    env.slice_from("кирил");
                }
                9 => {
                    env.slice_from("данил");
                }
                10 => {
                    env.slice_from("толст");
                }
                11 => {
                    env.slice_from("чимало");
                }
                12 => {
                    env.slice_from("замал");
                }
                13 => {
                    env.slice_from("немал");
                }
                14 => {
                    env.slice_from("невдал");
                }
                15 => {
                    env.slice_from("досконал");
                }
                16 => {
                    env.slice_from("генерал");
                }
                17 => {
                    env.slice_from("адмірал");
                }
                18 => {
                    env.slice_from("маршал");
                }
                19 => {
                    env.slice_from("кардинал");
                }
                20 => {
                    env.slice_from("фінал");
                }
                21 => {
                    env.slice_from("півфінал");
                }
                22 => {
                    env.slice_from("канал");
                }
                23 => {
                    env.slice_from("журнал");
                }
                24 => {
                    env.slice_from("сигнал");
                }
                25 => {
                    env.slice_from("мінерал");
                }
                26 => {
                    env.slice_from("кристал");
                }
                27 => {
                    env.slice_from("метал");
                }
                28 => {
                    env.slice_from("квартал");
                }
                29 => {
                    env.slice_from("верств");
                }
                30 => {
                    env.slice_from("мельник");
                }
                31 => {
                    env.slice_from("матері");
                }
                32 => {
                    env.slice_from("досить");
                }
                33 => {
                    env.slice_from("втек");
                }
                34 => {
                    env.slice_from("утек");
                }
                35 => {
                    env.slice_from("помер");
                }
                36 => {
                    env.slice_from("вимер");
                }
                37 => {
                    env.slice_from("вдер");
                }
                38 => {
                    env.slice_from("новел");
                }
                39 => {
                    env.slice_from("альбом");
                }
                40 => {
                    env.slice_from("мініальбом");
                }
                41 => {
                    env.slice_from("геном");
                }
                42 => {
                    env.slice_from("диплом");
                }
                43 => {
                    env.slice_from("прийом");
                }
                44 => {
                    env.slice_from("підйом");
                }
                45 => {
                    env.slice_from("синдром");
                }
                46 => {
                    env.slice_from("аеродром");
                }
                47 => {
                    env.slice_from("шолом");
                }
                48 => {
                    env.slice_from("астроном");
                }
                49 => {
                    env.slice_from("агроном");
                }
                50 => {
                    env.slice_from("режим");
                }
                51 => {
                    env.slice_from("напрям");
                }
                52 => {
                    env.slice_from("іслам");
                }
                53 => {
                    env.slice_from("мадам");
                }
                54 => {
                    env.slice_from("вільям");
                }
                55 => {
                    env.slice_from("максим");
                }
                56 => {
                    env.slice_from("вадим");
                }
                57 => {
                    env.slice_from("артем");
                }
                58 => {
                    env.slice_from("єрусалим");
                }
                59 => {
                    env.slice_from("в'єтнам");
                }
                60 => {
                    env.slice_from("амстердам");
                }
                61 => {
                    env.slice_from("освіт");
                }
                62 => {
                    env.slice_from("результат");
                }
                63 => {
                    env.slice_from("втрат");
                }
                64 => {
                    env.slice_from("палат");
                }
                65 => {
                    env.slice_from("гармат");
                }
                66 => {
                    env.slice_from("депутат");
                }
                67 => {
                    env.slice_from("витрат");
                }
                68 => {
                    env.slice_from("солдат");
                }
                69 => {
                    env.slice_from("штат");
                }
                70 => {
                    env.slice_from("орбіт");
                }
                71 => {
                    env.slice_from("кімнат");
                }
                72 => {
                    env.slice_from("просвіт");
                }
                73 => {
                    env.slice_from("страт");
                }
                74 => {
                    env.slice_from("координат");
                }
                75 => {
                    env.slice_from("лауреат");
                }
                76 => {
                    env.slice_from("кандидат");
                }
                77 => {
                    env.slice_from("чемпіонат");
                }
                78 => {
                    env.slice_from("плит");
                }
                79 => {
                    env.slice_from("апарат");
                }
                80 => {
                    env.slice_from("препарат");
                }
                81 => {
                    env.slice_from("еліт");
                }
                82 => {
                    env.slice_from("звіт");
                }
                83 => {
                    env.slice_from("оплат");
                }
                84 => {
                    env.slice_from("світ");
                }
                85 => {
                    env.slice_from("сплат");
                }
                86 => {
                    env.slice_from("виплат");
                }
                87 => {
                    env.slice_from("експонат");
                }
                88 => {
                    env.slice_from("іспит");
                }
                89 => {
                    env.slice_from("цитат");
                }
                90 => {
                    env.slice_from("маргарит");
                }
                91 => {
                    env.slice_from("гранат");
                }
                92 => {
                    env.slice_from("повіт");
                }
                93 => {
                    env.slice_from("запит");
                }
                94 => {
                    env.slice_from("демократ");
                }
                95 => {
                    env.slice_from("формат");
                }
                96 => {
                    env.slice_from("агрегат");
                }
                97 => {
                    env.slice_from("статт");
                }
                98 => {
                    env.slice_from("сім'");
                }
                99 => {
                    env.slice_from("музе");
                }
                100 => {
                    env.slice_from("ліце");
                }
                101 => {
                    env.slice_from("хоке");
                }
                102 => {
                    env.slice_from("євре");
                }
                103 => {
                    env.slice_from("ієре");
                }
                104 => {
                    env.slice_from("орфе");
                }
                105 => {
                    env.slice_from("таде");
                }
                106 => {
                    env.slice_from("маце");
                }
                107 => {
                    env.slice_from("промете");
                }
                108 => {
                    env.slice_from("мате");
                }
                109 => {
                    env.slice_from("птолеме");
                }
                110 => {
                    env.slice_from("сідне");
                }
                111 => {
                    env.slice_from("дісне");
                }
                112 => {
                    env.slice_from("бруне");
                }
                113 => {
                    env.slice_from("ене");
                }
                114 => {
                    env.slice_from("ірине");
                }
                115 => {
                    env.slice_from("ювіле");
                }
                116 => {
                    env.slice_from("привіле");
                }
                117 => {
                    env.slice_from("кле");
                }
                118 => {
                    env.slice_from("мавзоле");
                }
                119 => {
                    env.slice_from("диспле");
                }
                120 => {
                    env.slice_from("галіле");
                }
                121 => {
                    env.slice_from("десят");
                }
                122 => {
                    env.slice_from("січн");
                }
                123 => {
                    env.slice_from("березн");
                }
                124 => {
                    env.slice_from("квітн");
                }
                125 => {
                    env.slice_from("травн");
                }
                126 => {
                    env.slice_from("червн");
                }
                127 => {
                    env.slice_from("липн");
                }
                128 => {
                    env.slice_from("серпн");
                }
                129 => {
                    env.slice_from("вересн");
                }
                130 => {
                    env.slice_from("жовтн");
                }
                131 => {
                    env.slice_from("грудн");
                }
                132 => {
                    env.slice_from("рівн");
                }
                133 => {
                    env.slice_from("учн");
                }
                134 => {
                    env.slice_from("ступен");
                }
                135 => {
                    env.slice_from("промен");
                }
                136 => {
                    env.slice_from("камен");
                }
                137 => {
                    env.slice_from("корен");
                }
                138 => {
                    env.slice_from("п'ят");
                }
                139 => {
                    env.slice_from("дев'ят");
                }
                140 => {
                    env.slice_from("пророк");
                }
                141 => {
                    env.slice_from("діт");
                }
                142 => {
                    env.slice_from("дн");
                }
                143 => {
                    env.slice_from("земл");
                }
                144 => {
                    env.slice_from("будів");
                }
                145 => {
                    env.slice_from("голов");
                }
                146 => {
                    env.slice_from("євангел");
                }
                147 => {
                    env.slice_from("осен");
                }
                148 => {
                    env.slice_from("львов");
                }
                149 => {
                    env.slice_from("харков");
                }
                150 => {
                    env.slice_from("черніг");
                }
                151 => {
                    env.slice_from("миколаєв");
                }
                152 => {
                    env.slice_from("тернопол");
                }
                153 => {
                    env.slice_from("бориспол");
                }
                154 => {
                    env.slice_from("березан");
                }
                155 => {
                    env.slice_from("астрахан");
                }
                156 => {
                    env.slice_from("ботошан");
                }
                157 => {
                    env.slice_from("остан");
                }
                158 => {
                    env.slice_from("півден");
                }
                159 => {
                    env.slice_from("щоден");
                }
                160 => {
                    env.slice_from("священ");
                }
                161 => {
                    env.slice_from("джован");
                }
                162 => {
                    env.slice_from("лозан");
                }
                163 => {
                    env.slice_from("відстан");
                }
                164 => {
                    env.slice_from("тайван");
                }
                165 => {
                    env.slice_from("гаван");
                }
                166 => {
                    env.slice_from("бретан");
                }
                167 => {
                    env.slice_from("кубан");
                }
                168 => {
                    env.slice_from("пристан");
                }
                169 => {
                    env.slice_from("познан");
                }
                170 => {
                    env.slice_from("рязан");
                }
                171 => {
                    env.slice_from("юньнан");
                }
                172 => {
                    env.slice_from("хайнан");
                }
                173 => {
                    env.slice_from("горбан");
                }
                174 => {
                    env.slice_from("довган");
                }
                175 => {
                    env.slice_from("мішен");
                }
                176 => {
                    env.slice_from("домен");
                }
                177 => {
                    env.slice_from("відан");
                }
                178 => {
                    env.slice_from("притаман");
                }
                179 => {
                    env.slice_from("нечислен");
                }
                180 => {
                    env.slice_from("дорогоцін");
                }
                181 => {
                    env.slice_from("нескінчен");
                }
                182 => {
                    env.slice_from("барабан");
                }
                183 => {
                    env.slice_from("фортепіан");
                }
                184 => {
                    env.slice_from("повноцін");
                }
                185 => {
                    env.slice_from("вік");
                }
                186 => {
                    env.slice_from("округ");
                }
                187 => {
                    env.slice_from("ліг");
                }
                188 => {
                    env.slice_from("америк");
                }
                189 => {
                    env.slice_from("річк");
                }
                190 => {
                    env.slice_from("книг");
                }
                191 => {
                    env.slice_from("африк");
                }
                192 => {
                    env.slice_from("республік");
                }
                193 => {
                    env.slice_from("смуг");
                }
                194 => {
                    env.slice_from("бібліотек");
                }
                195 => {
                    env.slice_from("присяг");
                }
                196 => {
                    env.slice_from("дорог");
                }
                197 => {
                    env.slice_from("ділянк");
                }
                198 => {
                    env.slice_from("практик");
                }
                199 => {
                    env.slice_from("футболк");
                }
                200 => {
                    env.slice_from("ваг");
                }
                201 => {
                    env.slice_from("виставк");
                }
                202 => {
                    env.slice_from("мексик");
                }
                203 => {
                    env.slice_from("праг");
                }
                204 => {
                    env.slice_from("розробк");
                }
                205 => {
                    env.slice_from("заток");
                }
                206 => {
                    env.slice_from("точк");
                }
                207 => {
                    env.slice_from("політик");
                }
                208 => {
                    env.slice_from("музик");
                }
                209 => {
                    env.slice_from("уваг");
                }
                210 => {
                    env.slice_from("підготовк");
                }
                211 => {
                    env.slice_from("гонк");
                }
                212 => {
                    env.slice_from("трійк");
                }
                213 => {
                    env.slice_from("сторінк");
                }
                214 => {
                    env.slice_from("наук");
                }
                215 => {
                    env.slice_from("підтримк");
                }
                216 => {
                    env.slice_from("технік");
                }
                217 => {
                    env.slice_from("низк");
                }
                218 => {
                    env.slice_from("кладк");
                }
                219 => {
                    env.slice_from("економік");
                }
                220 => {
                    env.slice_from("стрічк");
                }
                221 => {
                    env.slice_from("рук");
                }
                222 => {
                    env.slice_from("збірк");
                }
                223 => {
                    env.slice_from("черг");
                }
                224 => {
                    env.slice_from("критик");
                }
                225 => {
                    env.slice_from("фабрик");
                }
                226 => {
                    env.slice_from("обкладинк");
                }
                227 => {
                    env.slice_from("риг");
                }
                _ => ()
            }
            break 'lab1;
        }
        env.cursor = v_2;
        let v_4 = env.cursor;
        'lab4: loop {
            env.limit_backward = env.cursor;
            env.cursor = env.limit;
            env.ket = env.cursor;
            among_var = env.find_among_b(A_16, context);
            if among_var == 0 {
                break 'lab4;
            }
            env.bra = env.cursor;
            match among_var {
                1 => {
                    env.slice_from("ход");
                }
                2 => {
                    env.slice_from("бор");
                }
                3 => {
                    env.slice_from("рост");
                }
                4 => {
                    env.slice_from("ноч");
                }
                5 => {
                    if env.cursor > env.limit_backward {
                        break 'lab4;
                    }
                    env.slice_from("дом");
                }
                6 => {
                    if env.cursor > env.limit_backward {
                        break 'lab4;
                    }
                    env.slice_from("стол");
                }
                7 => {
                    if env.cursor > env.limit_backward {
                        break 'lab4;
                    }
                    env.slice_from("печ");
                }
                8 => {
                    if env.cursor > env.limit_backward {
                        break 'lab4;
                    }
                    env.slice_from("сол");
                }
                9 => {
                    if env.cursor > env.limit_backward {
                        break 'lab4;
                    }
                    env.slice_from("кон");
                }
                10 => {
                    if env.cursor > env.limit_backward {
                        break 'lab4;
                    }
                    env.slice_from("гост");
                }
                11 => {
                    if env.cursor > env.limit_backward {
                        break 'lab4;
                    }
                    env.slice_from("плод");
                }
                12 => {
                    if env.cursor > env.limit_backward {
                        break 'lab4;
                    }
                    env.slice_from("род");
                }
                13 => {
                    if env.cursor > env.limit_backward {
                        break 'lab4;
                    }
                    env.slice_from("бок");
                }
                14 => {
                    if env.cursor > env.limit_backward {
                        break 'lab4;
                    }
                    env.slice_from("кот");
                }
                15 => {
                    if env.cursor > env.limit_backward {
                        break 'lab4;
                    }
                    env.slice_from("рог");
                }
                16 => {
                    if env.cursor > env.limit_backward {
                        break 'lab4;
                    }
                    env.slice_from("сок");
                }
                _ => ()
            }
            env.cursor = env.limit_backward;
            break 'lab4;
        }
        env.cursor = v_4;
        b_found_la_noun = false;
        b_found_ty_noun = false;
        let v_5 = env.cursor;
        'lab5: loop {
            env.limit_backward = env.cursor;
            env.cursor = env.limit;
            let v_6 = env.limit - env.cursor;
            'lab6: loop {
                if (env.cursor - 3 <= env.limit_backward || (env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 140 as u8 && env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 143 as u8)) {
                    env.cursor = env.limit - v_6;
                    break 'lab6;
                }

                if env.find_among_b(A_17, context) == 0 {
                    env.cursor = env.limit - v_6;
                    break 'lab6;
                }
                break 'lab6;
            }
            'lab7: loop {
                let v_7 = env.limit - env.cursor;
                'lab8: loop {
                    'lab9: loop {
                        'lab10: loop {
                            if !env.eq_s_b(&"ла") {
                                break 'lab10;
                            }
                            break 'lab9;
                        }
                        'lab11: loop {
                            if !env.eq_s_b(&"ли") {
                                break 'lab11;
                            }
                            break 'lab9;
                        }
                        if !env.eq_s_b(&"ло") {
                            break 'lab8;
                        }
                        break 'lab9;
                    }
                    'lab12: loop {
                        let v_8 = env.limit - env.cursor;
                        'lab13: loop {
                            if !env.eq_s_b(&"о") {
                                break 'lab13;
                            }
                            'lab14: loop {
                                if !env.eq_s_b(&"р") {
                                    break 'lab14;
                                }
                                break 'lab13;
                            }
                            break 'lab12;
                        }
                        env.cursor = env.limit - v_8;
                        'lab15: loop {
                            if !env.eq_s_b(&"л") {
                                break 'lab15;
                            }
                            break 'lab12;
                        }
                        env.cursor = env.limit - v_8;
                        'lab16: loop {
                            if !env.eq_s_b(&"т") {
                                break 'lab16;
                            }
                            let v_9 = env.limit - env.cursor;
                            'lab17: loop {
                                if !env.eq_s_b(&"с") {
                                    break 'lab17;
                                }
                                if env.cursor > env.limit_backward {
                                    break 'lab17;
                                }
                                break 'lab16;
                            }
                            env.cursor = env.limit - v_9;
                            break 'lab12;
                        }
                        env.cursor = env.limit - v_8;
                        'lab18: loop {
                            if !env.eq_s_b(&"д") {
                                break 'lab18;
                            }
                            break 'lab12;
                        }
                        env.cursor = env.limit - v_8;
                        'lab19: loop {
                            if !env.eq_s_b(&"в") {
                                break 'lab19;
                            }
                            break 'lab12;
                        }
                        env.cursor = env.limit - v_8;
                        'lab20: loop {
                            if !env.eq_s_b(&"й") {
                                break 'lab20;
                            }
                            break 'lab12;
                        }
                        env.cursor = env.limit - v_8;
                        'lab21: loop {
                            if !env.eq_s_b(&"б") {
                                break 'lab21;
                            }
                            break 'lab12;
                        }
                        env.cursor = env.limit - v_8;
                        'lab22: loop {
                            if !env.eq_s_b(&"п") {
                                break 'lab22;
                            }
                            break 'lab12;
                        }
                        env.cursor = env.limit - v_8;
                        'lab23: loop {
                            if !env.eq_s_b(&"р") {
                                break 'lab23;
                            }
                            break 'lab12;
                        }
                        env.cursor = env.limit - v_8;
                        if !env.eq_s_b(&"е") {
                            break 'lab8;
                        }
                        'lab24: loop {
                            if !env.eq_s_b(&"в") {
                                break 'lab24;
                            }
                            break 'lab8;
                        }
                        break 'lab12;
                    }
                    b_found_la_noun = true;
                    break 'lab7;
                }
                env.cursor = env.limit - v_7;
                if !env.eq_s_b(&"ти") {
                    break 'lab5;
                }
                'lab25: loop {
                    'lab26: loop {
                        if !env.eq_s_b(&"н") {
                            break 'lab26;
                        }
                        break 'lab25;
                    }
                    'lab27: loop {
                        if !env.eq_s_b(&"е") {
                            break 'lab27;
                        }
                        break 'lab25;
                    }
                    'lab28: loop {
                        if !env.eq_s_b(&"о") {
                            break 'lab28;
                        }
                        break 'lab25;
                    }
                    'lab29: loop {
                        if !env.eq_s_b(&"іс") {
                            break 'lab29;
                        }
                        break 'lab25;
                    }
                    'lab30: loop {
                        if !env.eq_s_b(&"ис") {
                            break 'lab30;
                        }
                        break 'lab25;
                    }
                    'lab31: loop {
                        if !env.eq_s_b(&"к") {
                            break 'lab31;
                        }
                        break 'lab25;
                    }
                    'lab32: loop {
                        if !env.eq_s_b(&"р") {
                            break 'lab32;
                        }
                        break 'lab25;
                    }
                    'lab33: loop {
                        if !env.eq_s_b(&"ш") {
                            break 'lab33;
                        }
                        break 'lab25;
                    }
                    'lab34: loop {
                        if !env.eq_s_b(&"ф") {
                            break 'lab34;
                        }
                        break 'lab25;
                    }
                    'lab35: loop {
                        if !env.eq_s_b(&"х") {
                            break 'lab35;
                        }
                        break 'lab25;
                    }
                    'lab36: loop {
                        if !env.eq_s_b(&"п") {
                            break 'lab36;
                        }
                        break 'lab25;
                    }
                    'lab37: loop {
                        if !env.eq_s_b(&"б") {
                            break 'lab37;
                        }
                        break 'lab25;
                    }
                    'lab38: loop {
                        if !env.eq_s_b(&"в") {
                            break 'lab38;
                        }
                        break 'lab25;
                    }
                    'lab39: loop {
                        if !env.eq_s_b(&"л") {
                            break 'lab39;
                        }
                        break 'lab25;
                    }
                    'lab40: loop {
                        if !env.eq_s_b(&"м") {
                            break 'lab40;
                        }
                        break 'lab25;
                    }
                    'lab41: loop {
                        if !env.eq_s_b(&"т") {
                            break 'lab41;
                        }
                        break 'lab25;
                    }
                    'lab42: loop {
                        if !env.eq_s_b(&"ь") {
                            break 'lab42;
                        }
                        break 'lab25;
                    }
                    'lab43: loop {
                        if !env.eq_s_b(&"ю") {
                            break 'lab43;
                        }
                        break 'lab25;
                    }
                    if !env.eq_s_b(&"є") {
                        break 'lab5;
                    }
                    break 'lab25;
                }
                b_found_ty_noun = true;
                break 'lab7;
            }
            env.cursor = env.limit_backward;
            break 'lab5;
        }
        env.cursor = v_5;
        b_found_diminutive = false;
        b_found_professional = false;
        b_found_ia = false;
        b_found_verb = false;
        i_pV = env.limit;
        i_p2 = env.limit;
        let v_10 = env.cursor;
        'lab44: loop {
            if !env.go_out_grouping(G_v, 1072, 1111) {
                break 'lab44;
            }
            env.next_char();
            i_pV = env.cursor;
            if !env.go_in_grouping(G_v, 1072, 1111) {
                break 'lab44;
            }
            env.next_char();
            if !env.go_out_grouping(G_v, 1072, 1111) {
                break 'lab44;
            }
            env.next_char();
            if !env.go_in_grouping(G_v, 1072, 1111) {
                break 'lab44;
            }
            env.next_char();
            i_p2 = env.cursor;
            break 'lab44;
        }
        env.cursor = v_10;
        let v_11 = env.cursor;
        if !env.hop(3) {
            return false;
        }
        'lab45: loop {
            if i_pV >= env.cursor {
                break 'lab45;
            }
            i_pV = env.cursor;
            break 'lab45;
        }
        env.cursor = v_11;
        env.limit_backward = env.cursor;
        env.cursor = env.limit;
        if env.cursor < i_pV {
            return false;
        }
        let v_12 = env.limit_backward;
        env.limit_backward = i_pV;
        let v_13 = env.limit - env.cursor;
        'lab46: loop {
            'lab47: loop {
                let v_14 = env.limit - env.cursor;
                'lab48: loop {
                    env.ket = env.cursor;
                    if (env.cursor - 5 <= env.limit_backward || (env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 140 as u8 && env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 184 as u8)) {
                        break 'lab48;
                    }

                    among_var = env.find_among_b(A_0, context);
                    if among_var == 0 {
                        break 'lab48;
                    }
                    env.bra = env.cursor;
                    match among_var {
                        1 => {
                            'lab49: loop {
                                'lab50: loop {
                                    if !env.eq_s_b(&"а") {
                                        break 'lab50;
                                    }
                                    break 'lab49;
                                }
                                if !env.eq_s_b(&"я") {
                                    break 'lab48;
                                }
                                break 'lab49;
                            }
                            env.slice_del();
                        }
                        2 => {
                            env.slice_del();
                        }
                        3 => {
                            b_found_verb = true;
                            env.slice_del();
                        }
                        4 => {
                            b_found_verb = true;
                            env.slice_from("ув");
                        }
                        5 => {
                            b_found_verb = true;
                            env.slice_from("юв");
                        }
                        _ => ()
                    }
                    break 'lab47;
                }
                env.cursor = env.limit - v_14;
                'lab51: loop {
                    env.ket = env.cursor;
                    if (env.cursor - 9 <= env.limit_backward || env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 143 as u8) {
                        break 'lab51;
                    }

                    among_var = env.find_among_b(A_1, context);
                    if among_var == 0 {
                        break 'lab51;
                    }
                    env.bra = env.cursor;
                    match among_var {
                        1 => {
                            env.slice_del();
                        }
                        2 => {
                            env.slice_from("ув");
                        }
                        3 => {
                            env.slice_from("юв");
                        }
                        _ => ()
                    }
                    b_found_verb = true;
                    break 'lab47;
                }
                env.cursor = env.limit - v_14;
                let v_15 = env.limit - env.cursor;
                'lab52: loop {
                    env.ket = env.cursor;
                    if (env.cursor - 3 <= env.limit_backward || (env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 140 as u8 && env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 143 as u8)) {
                        env.cursor = env.limit - v_15;
                        break 'lab52;
                    }

                    if env.find_among_b(A_2, context) == 0 {
                        env.cursor = env.limit - v_15;
                        break 'lab52;
                    }
                    env.bra = env.cursor;
                    env.slice_del();
                    b_found_verb = true;
                    break 'lab52;
                }
                'lab53: loop {
                    let v_16 = env.limit - env.cursor;
                    'lab54: loop {
                        'lab55: loop {
                            let v_17 = env.limit - env.cursor;
                            'lab56: loop {
                                if env.cursor < i_p2 {
                                    break 'lab56;
                                }
                                let v_18 = env.limit_backward;
                                env.limit_backward = i_p2;
                                env.ket = env.cursor;
                                if env.find_among_b(A_11, context) == 0 {
                                    env.limit_backward = v_18;
                                    break 'lab56;
                                }
                                env.bra = env.cursor;
                                env.limit_backward = v_18;
                                b_found_ia = true;
                                b_found_verb = true;
                                env.slice_del();
                                break 'lab55;
                            }
                            env.cursor = env.limit - v_17;
                            env.ket = env.cursor;
                            if env.find_among_b(A_12, context) == 0 {
                                break 'lab54;
                            }
                            env.bra = env.cursor;
                            b_found_ia = true;
                            b_found_verb = true;
                            env.slice_del();
                            break 'lab55;
                        }
                        break 'lab53;
                    }
                    env.cursor = env.limit - v_16;
                    let v_19 = env.limit - env.cursor;
                    'lab57: loop {
                        'lab58: loop {
                            let v_20 = env.limit - env.cursor;
                            'lab59: loop {
                                if !r_professional(env, context) {
                                    break 'lab59;
                                }
                                b_found_professional = true;
                                break 'lab58;
                            }
                            env.cursor = env.limit - v_20;
                            env.ket = env.cursor;
                            among_var = env.find_among_b(A_9, context);
                            if among_var == 0 {
                                break 'lab57;
                            }
                            env.bra = env.cursor;
                            match among_var {
                                1 => {
                                    env.slice_del();
                                }
                                2 => {
                                    env.slice_from("к");
                                }
                                _ => ()
                            }
                            b_found_diminutive = true;
                            break 'lab58;
                        }
                        break 'lab57;
                    }
                    env.cursor = env.limit - v_19;
                    if b_found_professional {
                        break 'lab46;
                    }
                    'lab60: loop {
                        let v_21 = env.limit - env.cursor;
                        'lab61: loop {
                            'lab62: loop {
                                let v_22 = env.limit - env.cursor;
                                'lab63: loop {
                                    env.ket = env.cursor;
                                    if env.find_among_b(A_3, context) == 0 {
                                        break 'lab63;
                                    }
                                    env.bra = env.cursor;
                                    if i_p2 > env.cursor {
                                        break 'lab63;
                                    }
                                    b_found_ia = true;
                                    env.slice_del();
                                    break 'lab62;
                                }
                                env.cursor = env.limit - v_22;
                                env.ket = env.cursor;
                                among_var = env.find_among_b(A_4, context);
                                if among_var == 0 {
                                    break 'lab61;
                                }
                                env.bra = env.cursor;
                                match among_var {
                                    1 => {
                                        env.slice_del();
                                    }
                                    2 => {
                                        'lab64: loop {
                                            'lab65: loop {
                                                if !env.eq_s_b(&"ж") {
                                                    break 'lab65;
                                                }
                                                break 'lab64;
                                            }
                                            'lab66: loop {
                                                if !env.eq_s_b(&"ч") {
                                                    break 'lab66;
                                                }
                                                break 'lab64;
                                            }
                                            'lab67: loop {
                                                if !env.eq_s_b(&"ш") {
                                                    break 'lab67;
                                                }
                                                break 'lab64;
                                            }
                                            if !env.eq_s_b(&"щ") {
                                                break 'lab61;
                                            }
                                            break 'lab64;
                                        }
                                        env.slice_del();
                                    }
                                    _ => ()
                                }
                                break 'lab62;
                            }
                            break 'lab60;
                        }
                        env.cursor = env.limit - v_21;
                        'lab68: loop {
                            'lab69: loop {
                                let v_23 = env.limit - env.cursor;
                                'lab70: loop {
                                    env.ket = env.cursor;
                                    if !env.eq_s_b(&"остей") {
                                        break 'lab70;
                                    }
                                    env.bra = env.cursor;
                                    if env.cursor <= env.limit_backward {
                                        break 'lab70;
                                    }
                                    env.slice_del();
                                    break 'lab69;
                                }
                                env.cursor = env.limit - v_23;
                                env.ket = env.cursor;
                                among_var = env.find_among_b(A_5, context);
                                if among_var == 0 {
                                    break 'lab68;
                                }
                                env.bra = env.cursor;
                                match among_var {
                                    1 => {
                                        b_found_ia = true;
                                        env.slice_del();
                                    }
                                    2 => {
                                        b_found_ia = true;
                                        'lab71: loop {
                                            let v_24 = env.limit - env.cursor;
                                            'lab72: loop {
                                                'lab73: loop {
                                                    'lab74: loop {
                                                        if env.cursor > env.limit_backward {
                                                            break 'lab74;
                                                        }
                                                        break 'lab73;
                                                    }
                                                    'lab75: loop {
                                                        if !env.eq_s_b(&"т") {
                                                            break 'lab75;
                                                        }
                                                        break 'lab73;
                                                    }
                                                    'lab76: loop {
                                                        if !env.eq_s_b(&"ч") {
                                                            break 'lab76;
                                                        }
                                                        break 'lab73;
                                                    }
                                                    'lab77: loop {
                                                        if !env.eq_s_b(&"ш") {
                                                            break 'lab77;
                                                        }
                                                        break 'lab73;
                                                    }
                                                    'lab78: loop {
                                                        if !env.eq_s_b(&"щ") {
                                                            break 'lab78;
                                                        }
                                                        break 'lab73;
                                                    }
                                                    'lab79: loop {
                                                        if !env.eq_s_b(&"м") {
                                                            break 'lab79;
                                                        }
                                                        break 'lab73;
                                                    }
                                                    'lab80: loop {
                                                        if !env.eq_s_b(&"н") {
                                                            break 'lab80;
                                                        }
                                                        break 'lab73;
                                                    }
                                                    if !env.eq_s_b(&"л") {
                                                        break 'lab72;
                                                    }
                                                    break 'lab73;
                                                }
                                                env.slice_del();
                                                break 'lab71;
                                            }
                                            env.cursor = env.limit - v_24;
                                            env.slice_from("е");
                                            break 'lab71;
                                        }
                                    }
                                    3 => {
                                        env.slice_del();
                                    }
                                    4 => {
                                        'lab81: loop {
                                            if !env.in_grouping_b(G_v, 1072, 1111) {
                                                break 'lab81;
                                            }
                                            break 'lab68;
                                        }
                                        b_found_ia = true;
                                        env.slice_del();
                                    }
                                    5 => {
                                        let v_25 = env.limit - env.cursor;
                                        'lab82: loop {
                                            'lab83: loop {
                                                'lab84: loop {
                                                    if !env.eq_s_b(&"с") {
                                                        break 'lab84;
                                                    }
                                                    break 'lab83;
                                                }
                                                'lab85: loop {
                                                    if !env.eq_s_b(&"ц") {
                                                        break 'lab85;
                                                    }
                                                    break 'lab83;
                                                }
                                                if !env.eq_s_b(&"'") {
                                                    break 'lab82;
                                                }
                                                break 'lab83;
                                            }
                                            break 'lab68;
                                        }
                                        env.cursor = env.limit - v_25;
                                        b_found_ia = true;
                                        env.slice_del();
                                    }
                                    6 => {
                                        env.slice_from("ув");
                                    }
                                    7 => {
                                        env.slice_from("юв");
                                    }
                                    8 => {
                                        'lab86: loop {
                                            if !env.eq_s_b(&"о") {
                                                break 'lab86;
                                            }
                                            break 'lab68;
                                        }
                                        'lab87: loop {
                                            'lab88: loop {
                                                if env.cursor > env.limit_backward {
                                                    break 'lab88;
                                                }
                                                break 'lab87;
                                            }
                                            if !env.in_grouping_b(G_v, 1072, 1111) {
                                                break 'lab68;
                                            }
                                            break 'lab87;
                                        }
                                        env.slice_del();
                                    }
                                    9 => {
                                        let v_26 = env.limit - env.cursor;
                                        'lab89: loop {
                                            'lab90: loop {
                                                'lab91: loop {
                                                    if !env.eq_s_b(&"ств") {
                                                        break 'lab91;
                                                    }
                                                    break 'lab90;
                                                }
                                                if !env.eq_s_b(&"цтв") {
                                                    break 'lab89;
                                                }
                                                break 'lab90;
                                            }
                                            break 'lab68;
                                        }
                                        env.cursor = env.limit - v_26;
                                        env.slice_del();
                                    }
                                    10 => {
                                        if b_found_la_noun {
                                            break 'lab68;
                                        }
                                        env.slice_del();
                                    }
                                    11 => {
                                        'lab92: loop {
                                            if !env.eq_s_b(&"іст") {
                                                break 'lab92;
                                            }
                                            break 'lab68;
                                        }
                                        env.slice_del();
                                    }
                                    12 => {
                                        if b_found_ty_noun {
                                            break 'lab68;
                                        }
                                        env.slice_del();
                                    }
                                    _ => ()
                                }
                                break 'lab69;
                            }
                            b_found_verb = true;
                            break 'lab60;
                        }
                        env.cursor = env.limit - v_21;
                        'lab93: loop {
                            let v_27 = env.limit - env.cursor;
                            'lab94: loop {
                                env.ket = env.cursor;
                                if (env.cursor - 7 <= env.limit_backward || env.current.as_bytes()[(env.cursor - 1) as usize] as u8 >> 5 != 4 as u8 || ((4214784 as i32 >> (env.current.as_bytes()[(env.cursor - 1) as usize] as u8 & 0x1f)) & 1) == 0) {
                                    break 'lab94;
                                }

                                if env.find_among_b(A_6, context) == 0 {
                                    break 'lab94;
                                }
                                env.bra = env.cursor;
                                if env.cursor <= env.limit_backward {
                                    break 'lab94;
                                }
                                env.slice_del();
                                break 'lab93;
                            }
                            env.cursor = env.limit - v_27;
                            env.ket = env.cursor;
                            among_var = env.find_among_b(A_7, context);
                            if among_var == 0 {
                                break 'lab46;
                            }
                            env.bra = env.cursor;
                            match among_var {
                                1 => {
                                    env.slice_from("ість");
                                }
                                2 => {
                                    env.slice_from("ц");
                                }
                                3 => {
                                    env.slice_del();
                                }
                                _ => ()
                            }
                            break 'lab93;
                        }
                        break 'lab60;
                    }
                    break 'lab53;
                }
                break 'lab47;
            }
            break 'lab46;
        }
        env.cursor = env.limit - v_13;
        let v_28 = env.limit - env.cursor;
        'lab95: loop {
            env.ket = env.cursor;
            if (env.cursor - 7 <= env.limit_backward || env.current.as_bytes()[(env.cursor - 1) as usize] as u8 != 186 as u8) {
                env.cursor = env.limit - v_28;
                break 'lab95;
            }

            if env.find_among_b(A_10, context) == 0 {
                env.cursor = env.limit - v_28;
                break 'lab95;
            }
            env.bra = env.cursor;
            env.slice_del();
            b_found_diminutive = true;
            break 'lab95;
        }
        let v_29 = env.limit - env.cursor;
        'lab96: loop {
            if b_found_diminutive {
                break 'lab96;
            }
            if b_found_professional {
                break 'lab96;
            }
            if b_found_ia {
                break 'lab96;
            }
            if !r_professional(env, context) {
                break 'lab96;
            }
            break 'lab96;
        }
        env.cursor = env.limit - v_29;
        let v_30 = env.limit - env.cursor;
        'lab97: loop {
            if b_found_verb {
                break 'lab97;
            }
            env.ket = env.cursor;
            if !env.eq_s_b(&"іш") {
                break 'lab97;
            }
            env.bra = env.cursor;
            env.slice_del();
            break 'lab97;
        }
        env.cursor = env.limit - v_30;
        let v_31 = env.limit - env.cursor;
        'lab98: loop {
            if env.cursor < i_p2 {
                break 'lab98;
            }
            let v_32 = env.limit_backward;
            env.limit_backward = i_p2;
            env.ket = env.cursor;
            among_var = env.find_among_b(A_13, context);
            if among_var == 0 {
                env.limit_backward = v_32;
                break 'lab98;
            }
            env.bra = env.cursor;
            env.limit_backward = v_32;
            match among_var {
                1 => {
                    env.slice_del();
                }
                2 => {
                    'lab99: loop {
                        let v_33 = env.limit - env.cursor;
                        'lab100: loop {
                            if !env.eq_s_b(&"в") {
                                break 'lab100;
                            }
                            env.slice_del();
                            break 'lab99;
                        }
                        env.cursor = env.limit - v_33;
                        env.slice_from("ел");
                        break 'lab99;
                    }
                }
                3 => {
                    'lab101: loop {
                        let v_34 = env.limit - env.cursor;
                        'lab102: loop {
                            'lab103: loop {
                                'lab104: loop {
                                    if !env.eq_s_b(&"ув") {
                                        break 'lab104;
                                    }
                                    break 'lab103;
                                }
                                if !env.eq_s_b(&"юв") {
                                    break 'lab102;
                                }
                                break 'lab103;
                            }
                            env.slice_del();
                            break 'lab101;
                        }
                        env.cursor = env.limit - v_34;
                        env.slice_from("ал");
                        break 'lab101;
                    }
                }
                4 => {
                    'lab105: loop {
                        'lab106: loop {
                            if !env.eq_s_b(&"ув") {
                                break 'lab106;
                            }
                            break 'lab105;
                        }
                        if !env.eq_s_b(&"юв") {
                            break 'lab98;
                        }
                        break 'lab105;
                    }
                    env.slice_del();
                }
                _ => ()
            }
            break 'lab98;
        }
        env.cursor = env.limit - v_31;
        let v_35 = env.limit - env.cursor;
        'lab107: loop {
            env.ket = env.cursor;
            among_var = env.find_among_b(A_14, context);
            if among_var == 0 {
                break 'lab107;
            }
            env.bra = env.cursor;
            match among_var {
                1 => {
                    if b_found_verb {
                        break 'lab107;
                    }
                    env.slice_del();
                    env.ket = env.cursor;
                    if !env.eq_s_b(&"н") {
                        break 'lab107;
                    }
                    env.bra = env.cursor;
                    if !env.eq_s_b(&"н") {
                        break 'lab107;
                    }
                    env.slice_del();
                }
                2 => {
                    'lab108: loop {
                        'lab109: loop {
                            if !env.eq_s_b(&"б") {
                                break 'lab109;
                            }
                            break 'lab108;
                        }
                        'lab110: loop {
                            if !env.eq_s_b(&"п") {
                                break 'lab110;
                            }
                            break 'lab108;
                        }
                        'lab111: loop {
                            if !env.eq_s_b(&"в") {
                                break 'lab111;
                            }
                            break 'lab108;
                        }
                        if !env.eq_s_b(&"м") {
                            break 'lab107;
                        }
                        break 'lab108;
                    }
                    env.slice_del();
                }
                3 => {
                    if !env.eq_s_b(&"н") {
                        break 'lab107;
                    }
                    env.slice_del();
                }
                4 => {
                    env.slice_del();
                }
                _ => ()
            }
            break 'lab107;
        }
        env.cursor = env.limit - v_35;
        env.limit_backward = v_12;
        env.cursor = env.limit_backward;
        break 'lab1;
    }
    return true
}
