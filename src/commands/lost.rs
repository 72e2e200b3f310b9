//! What conversions lost, counted, in words.

use crate::report::words::{count, grouped};

/// Losses, what the target gets in another form without loss, and what is not sent.
pub(super) fn words(losses: u64, changes: u64, unsent: u64) -> String {
    let mut told = vec![match losses {
        0 => "no losses".to_owned(),
        1 => "1 loss".to_owned(),
        losses => format!("{} losses", grouped(losses)),
    }];
    told.extend(match changes {
        0 => None,
        1 => Some("1 change in form".to_owned()),
        changes => Some(format!("{} changes in form", grouped(changes))),
    });
    told.extend((unsent > 0).then(|| format!("{} not sent", count(unsent, "item"))));
    told.join(", ")
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn each_count_has_its_words() {
        assert_eq!(words(0, 0, 0), "no losses");
        assert_eq!(words(1, 2, 0), "1 loss, 2 changes in form");
        assert_eq!(words(1200, 1, 3), "1,200 losses, 1 change in form, 3 items not sent");
    }
}
