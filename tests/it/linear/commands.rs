//! The work of every command that reads histories, on a doc of some length and on one of four times that length.

use replaylint::internals::diff::compare::{DiffScope, DiffSide, compare};
use replaylint::internals::judge::Options;
use replaylint::internals::rebuild::slim::slim;
use replaylint::internals::rebuild::{Budget, ChainOptions, ChainPolicy, Conversation, RequestSpec, rebuild};
use replaylint::internals::repair::{FixOptions, Orphans};
use replaylint::internals::report::tree::{OUTPUTS, view};
use replaylint::internals::source::{Doc, GrowableBytes};

use crate::convert::cases::{convert_bytes, plan};
use crate::support::work::{CountedDoc, Work, growth};
use crate::support::{DOC, STYLE, check_of, repair_of};

/// The items, findings and changes of a doc, and the work of each command on it.
pub struct CommandWork {
    pub items: u64,
    pub findings: usize,
    pub changes: usize,
    work: Vec<(&'static str, Work)>,
}

fn doc(text: &str) -> GrowableBytes<CountedDoc> {
    GrowableBytes::new(CountedDoc(text.as_bytes().to_vec()))
}

/// Runs all commands on a doc; `other` is the doc to compare it with, and `to` the dialect to convert it to.
pub fn run_commands(text: &str, other: &str, to: &str) -> CommandWork {
    let options = Options::default();
    let mut work = Vec::new();
    let (checking, found) = Work::of(|| check_of(&doc(text), &options));
    work.push(("check", checking));
    let (fixing, repaired) = Work::of(|| repair_of(&doc(text), &options, &FixOptions::default()));
    work.push(("fix", fixing));
    let all = FixOptions { orphans: Orphans::Stub, warnings: true, ..FixOptions::default() };
    work.push(("fix --orphans stub --fix-warnings", Work::of(|| repair_of(&doc(text), &options, &all)).0));
    let lossless = FixOptions { lossless: true, ..FixOptions::default() };
    work.push(("fix --lossless", Work::of(|| repair_of(&doc(text), &options, &lossless)).0));
    work.push(("convert", Work::of(|| convert_bytes(&doc(text), &options, plan(to))).0));
    let (before, after) = (doc(text), doc(other));
    let side = |bytes| DiffSide { id: DOC, bytes, options: &options };
    work.push(("diff", Work::of(|| compare(side(&before), side(&after), DiffScope::All).map(drop)).0));
    let conversation = || {
        let doc = Doc { bytes: Box::new(doc(text)), ..Doc::of_bytes(DOC, "case", Vec::new()) };
        Conversation::read(vec![doc], |_| &options).expect("memory reads")
    };
    let chain = ChainOptions::default();
    let (showing, conversations) = Work::of(|| {
        let conversations = conversation();
        let views: Vec<_> = conversations.iter().map(|one| view(one, &chain, true)).collect();
        OUTPUTS[0].1(&views, &[], &STYLE, &mut Vec::new()).expect("memory writes");
        conversations
    });
    work.push(("tree", showing));
    let (rebuilding, ()) = Work::of(|| {
        let spec = RequestSpec {
            policy: ChainPolicy::Never,
            chain: &chain,
            ask: None,
            budget: None::<Budget>,
            fix: &FixOptions::default(),
            target: None,
            lint: &options,
        };
        for conversation in conversations.iter().filter(|one| !one.forest.nodes.is_empty()) {
            let last = conversation.forest.nodes.len() as u32 - 1;
            let at = conversation.forest.current.unwrap_or(last);
            if conversation.can_be_rebuilt(at) {
                rebuild(conversation, at, &spec).expect("memory reads");
            }
        }
    });
    work.push(("rebuild", rebuilding));
    work.push(("slim", Work::of(|| slim(DOC, &doc(text), &options.read).map(drop)).0));
    CommandWork { items: found.items, findings: found.findings.len(), changes: repaired.fixed.changes.len(), work }
}

/// Descriptions of the commands whose work grows more than `most` times on a doc four times as long.
pub fn superlinear_commands(name: &str, few: &CommandWork, many: &CommandWork, most: u64) -> Vec<String> {
    let pairs = few.work.iter().zip(&many.work);
    pairs
        .flat_map(|((command, few), (_, many))| {
            growth(*few, *many, most).into_iter().map(move |excess| format!("{name}, {command}: {excess}"))
        })
        .collect()
}
