//! Languages: how fields and the names of files write them.
//!
//! Never: knows which languages a blog has.

/// Returns a language in lower case with hyphens, if a text is one.
pub(crate) fn normalize_language(text: &str) -> Option<String> {
    let language = text.trim().to_lowercase().replace('_', "-");
    let mut parts = language.split('-');
    let is_first = |part: &str| matches!(part.len(), 2..=3) && part.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_other = |part: &str| matches!(part.len(), 2..=8) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_language = parts.next().is_some_and(is_first) && parts.all(is_other) && language.len() <= 20;
    is_language.then_some(language)
}

/// Whether a part of a file name is a language: `de`, `pt-br`. `node.js` is none.
pub(crate) fn is_language(text: &str) -> bool {
    const LANGUAGES: &str = " aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv \
        cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig \
        ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn \
        mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk \
        sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za \
        zh zu ";
    let (language, region) = text.split_once(['-', '_']).map_or((text, None), |(l, r)| (l, Some(r)));
    let is_alphabetic = |text: &str| text.bytes().all(|b| b.is_ascii_alphabetic());
    LANGUAGES.contains(&format!(" {} ", language.to_ascii_lowercase()))
        && region.is_none_or(|r| matches!(r.len(), 2 | 4) && is_alphabetic(r))
}
