use snowball::SnowballEnv;

/// An ending, by its bytes: the loader would fill in an address (PATCHES.md).
pub struct Among<T: 'static> {
    bytes: [u8; LONGEST],
    length: u8,
    pub substring: i32,
    pub result: i32,
    pub method: Option<&'static (dyn Fn(&mut SnowballEnv, &mut T) -> bool + Sync)>,
}

/// In bytes. It is 24 in these tables; an entry takes as much memory with 31.
const LONGEST: usize = 31;

/// Creates an entry. It has the name of the type, since the tables were written for a tuple.
#[allow(non_snake_case)]
pub const fn Among<T>(
    text: &str,
    substring: i32,
    result: i32,
    method: Option<&'static (dyn Fn(&mut SnowballEnv, &mut T) -> bool + Sync)>,
) -> Among<T> {
    let mut bytes = [0; LONGEST];
    let mut at = 0;
    while at < text.len() {
        // A longer text is an error of the build.
        bytes[at] = text.as_bytes()[at];
        at += 1;
    }
    Among { bytes, length: text.len() as u8, substring, result, method }
}

impl<T> Among<T> {
    pub fn text(&self) -> &[u8] {
        &self.bytes[..self.length as usize]
    }
}
