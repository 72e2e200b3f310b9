//! The description of what conversions lost.

use crate::report::words::{count, group_digits};

/// Describes the numbers of losses, lossless changes in form, and items that are not sent.
pub(super) fn describe(losses: u64, changes: u64, unsent: u64) -> String {
    let mut parts = vec![match losses {
        0 => "no losses".to_owned(),
        1 => "1 loss".to_owned(),
        losses => format!("{} losses", group_digits(losses)),
    }];
    parts.extend(match changes {
        0 => None,
        1 => Some("1 change in form".to_owned()),
        changes => Some(format!("{} changes in form", group_digits(changes))),
    });
    parts.extend((unsent > 0).then(|| format!("{} not sent", count(unsent, "item"))));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::describe;

    #[test]
    fn each_count_has_its_words() {
        assert_eq!(describe(0, 0, 0), "no losses");
        assert_eq!(describe(1, 2, 0), "1 loss, 2 changes in form");
        assert_eq!(describe(1200, 1, 3), "1,200 losses, 1 change in form, 3 items not sent");
    }
}
