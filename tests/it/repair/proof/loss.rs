//! What a repair takes from a history, or adds to it: counted in the classes of losses, of which the worst is compared
//! first.

use std::collections::BTreeSet;

use super::rows::{Row, What};

/// Worst first: the order of the members is the order of losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Loss {
    /// Text of the user, text of the model.
    pub user: u16,
    pub model: u16,
    /// Searches, results of interpreters and of MCP servers.
    pub server: u16,
    /// A result, whose call does not exist if the repair is a good one; and a call, whose result does not.
    pub result: u16,
    pub call: u16,
    /// With a blob or a signature.
    pub reasoning: u16,
    /// A result or thinking that is a text now.
    pub form: u16,
    /// Reasoning without a blob or a signature.
    pub unreadable: u16,
    /// Items that have their ids no more.
    pub ids: u16,
    /// Placeholders.
    pub adds: u16,
}

impl Loss {
    pub const ADD: Loss = Loss { adds: 1, ..Loss::NONE };
    pub const ID: Loss = Loss { ids: 1, ..Loss::NONE };
    pub const NONE: Loss = Loss {
        user: 0,
        model: 0,
        server: 0,
        result: 0,
        call: 0,
        reasoning: 0,
        form: 0,
        unreadable: 0,
        ids: 0,
        adds: 0,
    };

    /// What it costs to drop a row that has no copy.
    pub fn of(row: &Row) -> Loss {
        let mut loss = Loss::NONE;
        let reference = row.id.as_deref().unwrap_or_default();
        let class = match row.what {
            What::Text | What::Media | What::Other if row.is_made() => &mut loss.model,
            What::Text | What::Media | What::Other | What::Grant => &mut loss.user,
            What::Reasoning if row.sealed => &mut loss.reasoning,
            What::Reasoning => &mut loss.unreadable,
            What::Call | What::Ask => &mut loss.call,
            What::Result => &mut loss.result,
            What::Hosted => &mut loss.server,
            What::Reference if reference.starts_with("rs_") => &mut loss.unreadable,
            What::Reference if reference.starts_with("fc_") => &mut loss.call,
            What::Reference => &mut loss.model,
            What::Empty => return loss,
        };
        *class = u16::from(!row.tag.is_empty());
        loss
    }

    pub fn plus(mut self, other: Loss) -> Loss {
        self.user += other.user;
        self.model += other.model;
        self.server += other.server;
        self.result += other.result;
        self.call += other.call;
        self.reasoning += other.reasoning;
        self.form += other.form;
        self.unreadable += other.unreadable;
        self.ids += other.ids;
        self.adds += other.adds;
        self
    }

    /// The worst class that differs.
    pub fn worst_against(self, other: Loss) -> &'static str {
        let classes = |loss: Loss| {
            [
                ("user text", loss.user),
                ("model text", loss.model),
                ("server work", loss.server),
                ("result", loss.result),
                ("call", loss.call),
                ("reasoning", loss.reasoning),
                ("form", loss.form),
                ("unreadable", loss.unreadable),
                ("ids", loss.ids),
                ("adds", loss.adds),
            ]
        };
        let differing = classes(self).into_iter().zip(classes(other)).find(|(a, b)| a.1 != b.1);
        differing.map_or("none", |(class, _)| class.0)
    }
}

/// What lies between a history and its repair.
pub fn between(before: &[Row], after: &[Row]) -> Loss {
    let units: BTreeSet<(What, &str)> = after.iter().filter_map(Row::unit).collect();
    let referenced: BTreeSet<&str> =
        after.iter().filter(|row| row.what == What::Reference).filter_map(|row| row.id.as_deref()).collect();
    let mut loss = Loss::NONE;
    let mut seen = BTreeSet::new();
    let mut formed = BTreeSet::new();
    for row in before {
        let Some(unit) = row.unit() else { continue };
        let kept = units.contains(&unit);
        let is_referenced = row.id.as_deref().is_some_and(|id| referenced.contains(id));
        // The server no longer knows it.
        if let Some(id) = row.id.as_deref().filter(|_| kept && !is_referenced) {
            let with_id = |other: &&Row| other.unit() == Some(unit) && other.id.as_deref() == Some(id);
            if !after.iter().any(|other| with_id(&other)) && seen.insert((What::Empty, id)) {
                loss = loss.plus(Loss::ID);
            }
        }
        if kept || is_referenced || !seen.insert(unit) {
            continue;
        }
        let as_text = [What::Result, What::Reasoning].contains(&row.what);
        match after.iter().find(|other| as_text && other.what == What::Text && other.tag.contains(&*row.tag)) {
            Some(text) => {
                formed.insert(&*text.tag);
                loss.form += 1;
            }
            None => loss = loss.plus(Loss::of(row)),
        }
    }
    let known: BTreeSet<(What, &str)> = before.iter().filter_map(Row::unit).collect();
    // An output that had no value, and a message that had no content, are filled, not added.
    let blank = |what: What| {
        let is = |row: &&Row| row.what == what && (!row.valued || row.tag.trim().is_empty());
        before.iter().filter(is).count()
    };
    let mut fills = [(What::Result, blank(What::Result)), (What::Text, blank(What::Text))];
    for row in after {
        let Some(unit) = row.unit().filter(|unit| !known.contains(unit) && !formed.contains(unit.1)) else {
            continue;
        };
        let is_reference = unit.0 == What::Reference && before.iter().any(|old| old.id == row.id);
        let fill = fills.iter_mut().find(|(what, left)| *what == unit.0 && *left > 0);
        match fill {
            Some((_, left)) => *left -= 1,
            None => loss.adds += u16::from(!is_reference),
        }
    }
    loss
}
