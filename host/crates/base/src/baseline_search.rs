//! Searches in messages, with instructions that every processor of the architecture has.
//!
//! Owns: what each message passes before it is decoded. A search that asks the processor first which instructions it has besides is
//! no faster on lines of some hundred bytes, and those questions, some ten, are a twentieth of a server's start in a virtual machine,
//! which leaves its processor for each of them.
//! Never: decides what a message is.

/// Finds a byte.
#[must_use]
pub fn find_byte(needle: u8, bytes: &[u8]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if let Some(searcher) = memchr::arch::x86_64::sse2::memchr::One::new(needle) {
        return searcher.find(bytes);
    }
    memchr::memchr(needle, bytes)
}

/// Finds the first of two bytes.
#[must_use]
pub fn find_either(first: u8, second: u8, bytes: &[u8]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if let Some(searcher) = memchr::arch::x86_64::sse2::memchr::Two::new(first, second) {
        return searcher.find(bytes);
    }
    memchr::memchr2(first, second, bytes)
}

/// A text that is searched for in many messages. To prepare its search takes as long as the search.
#[derive(Debug)]
pub struct Needle {
    text: &'static [u8],
    #[cfg(target_arch = "x86_64")]
    pair: Option<memchr::arch::x86_64::sse2::packedpair::Finder>,
    /// For messages that are too short for the pair.
    #[cfg(target_arch = "x86_64")]
    short: memchr::arch::all::rabinkarp::Finder,
    #[cfg(not(target_arch = "x86_64"))]
    finder: memchr::memmem::Finder<'static>,
}

impl Needle {
    #[must_use]
    pub fn new(text: &'static str) -> Self {
        let text = text.as_bytes();
        Self {
            text,
            #[cfg(target_arch = "x86_64")]
            pair: memchr::arch::x86_64::sse2::packedpair::Finder::new(text),
            #[cfg(target_arch = "x86_64")]
            short: memchr::arch::all::rabinkarp::Finder::new(text),
            #[cfg(not(target_arch = "x86_64"))]
            finder: memchr::memmem::Finder::new(text),
        }
    }

    #[must_use]
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        if bytes.len() < self.text.len() {
            return false;
        }
        #[cfg(target_arch = "x86_64")]
        return match &self.pair {
            Some(pair) if bytes.len() >= pair.min_haystack_len() => pair.find(bytes, self.text).is_some(),
            _ => self.short.find(bytes, self.text).is_some(),
        };
        #[cfg(not(target_arch = "x86_64"))]
        self.finder.find(bytes).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needle_and_byte_are_found_at_each_place() {
        let text = "\"tools/call\"";
        let needle = Needle::new(text);
        for length in 0..70 {
            let mut bytes = vec![b'"'; length];
            assert!(!needle.is_in(&bytes));
            assert_eq!(find_byte(b'\n', &bytes), None);
            for at in 0..length {
                let mut line = bytes.clone();
                line[at] = b'\n';
                assert_eq!((find_byte(b'\n', &line), find_either(0, b'\n', &line)), (Some(at), Some(at)));
                if let Some(place) = bytes.get_mut(at..at + text.len()) {
                    place.copy_from_slice(text.as_bytes());
                    assert!(needle.is_in(&bytes), "{at} of {length}");
                    bytes.fill(b'"');
                }
            }
        }
    }
}
