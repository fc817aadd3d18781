//! Answers with as much text as its memory holds, up to 64 MiB.

wardroom_hostile_guests::hostile! {
    const WANTED: usize = 64 << 20;

    fn attempt() -> Answer {
        let mut json = String::new();
        let mut len = WANTED;
        while json.try_reserve_exact(len + 2).is_err() {
            len /= 2;
        }
        json.push('"');
        json.extend(std::iter::repeat_n('a', len));
        json.push('"');
        Answer::json(json)
    }
}
