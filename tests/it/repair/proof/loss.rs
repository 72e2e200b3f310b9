//! The loss of a repair: what it removes from a history, or adds to it, counted by class.

use std::collections::BTreeSet;

use super::rows::{ProofRow, RowKind};

/// The loss of a repair by class. Losses compare by their members in order, the worst class first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RepairLoss {
    /// Text of the user, text of the model.
    pub user: u16,
    pub model: u16,
    /// Searches, results of interpreters and of MCP servers.
    pub server: u16,
    /// Results and calls; a good repair drops a result only without its call, and a call only without its result.
    pub result: u16,
    pub call: u16,
    /// Reasoning with encrypted content or a signature.
    pub reasoning: u16,
    /// Results and thinking that became text.
    pub form: u16,
    /// Reasoning without a blob or a signature.
    pub unreadable: u16,
    /// Items without their former ids.
    pub ids: u16,
    /// Placeholders.
    pub adds: u16,
}

impl RepairLoss {
    pub const PLACEHOLDER: RepairLoss = RepairLoss { adds: 1, ..RepairLoss::NONE };
    pub const ID: RepairLoss = RepairLoss { ids: 1, ..RepairLoss::NONE };
    pub const NONE: RepairLoss = RepairLoss {
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

    /// The loss of dropping a row that has no copy.
    pub fn of(row: &ProofRow) -> RepairLoss {
        let mut loss = RepairLoss::NONE;
        let reference = row.id.as_deref().unwrap_or_default();
        let class = match row.kind {
            RowKind::Text | RowKind::Media | RowKind::Other if row.is_from_model() => &mut loss.model,
            RowKind::Text | RowKind::Media | RowKind::Other | RowKind::ApprovalResponse => &mut loss.user,
            RowKind::Reasoning if row.is_sealed => &mut loss.reasoning,
            RowKind::Reasoning => &mut loss.unreadable,
            RowKind::Call | RowKind::ApprovalRequest => &mut loss.call,
            RowKind::Result => &mut loss.result,
            RowKind::Hosted => &mut loss.server,
            RowKind::Reference if reference.starts_with("rs_") => &mut loss.unreadable,
            RowKind::Reference if reference.starts_with("fc_") => &mut loss.call,
            RowKind::Reference => &mut loss.model,
            RowKind::Empty => return loss,
        };
        *class = u16::from(!row.tag.is_empty());
        loss
    }

    pub fn plus(mut self, other: RepairLoss) -> RepairLoss {
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
    pub fn worst_against(self, other: RepairLoss) -> &'static str {
        let classes = |loss: RepairLoss| {
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

/// The loss between a history and its repair.
pub fn between(before: &[ProofRow], after: &[ProofRow]) -> RepairLoss {
    let identities: BTreeSet<(RowKind, &str)> = after.iter().filter_map(ProofRow::identity).collect();
    let referenced: BTreeSet<&str> =
        after.iter().filter(|row| row.kind == RowKind::Reference).filter_map(|row| row.id.as_deref()).collect();
    let mut loss = RepairLoss::NONE;
    let mut counted = BTreeSet::new();
    let mut texts = BTreeSet::new();
    for row in before {
        let Some(identity) = row.identity() else { continue };
        let is_kept = identities.contains(&identity);
        let is_referenced = row.id.as_deref().is_some_and(|id| referenced.contains(id));
        // Without its id the server no longer knows it.
        if let Some(id) = row.id.as_deref().filter(|_| is_kept && !is_referenced) {
            let with_id =
                |other: &&ProofRow| other.identity() == Some(identity) && other.id.as_deref() == Some(id);
            if !after.iter().any(|other| with_id(&other)) && counted.insert((RowKind::Empty, id)) {
                loss = loss.plus(RepairLoss::ID);
            }
        }
        if is_kept || is_referenced || !counted.insert(identity) {
            continue;
        }
        let as_text = [RowKind::Result, RowKind::Reasoning].contains(&row.kind);
        match after.iter().find(|other| as_text && other.kind == RowKind::Text && other.tag.contains(&*row.tag)) {
            Some(text) => {
                texts.insert(&*text.tag);
                loss.form += 1;
            }
            None => loss = loss.plus(RepairLoss::of(row)),
        }
    }
    let known: BTreeSet<(RowKind, &str)> = before.iter().filter_map(ProofRow::identity).collect();
    // An output that had no value, and a message that had no content, are filled, not added.
    let blank = |kind: RowKind| {
        let is = |row: &&ProofRow| row.kind == kind && (!row.has_value || row.tag.trim().is_empty());
        before.iter().filter(is).count()
    };
    let mut blanks = [(RowKind::Result, blank(RowKind::Result)), (RowKind::Text, blank(RowKind::Text))];
    for row in after {
        let Some(identity) =
            row.identity().filter(|identity| !known.contains(identity) && !texts.contains(identity.1))
        else {
            continue;
        };
        let is_reference = identity.0 == RowKind::Reference && before.iter().any(|old| old.id == row.id);
        let blank_row = blanks.iter_mut().find(|(kind, left)| *kind == identity.0 && *left > 0);
        match blank_row {
            Some((_, left)) => *left -= 1,
            None => loss.adds += u16::from(!is_reference),
        }
    }
    loss
}
