//! The work of every command that reads histories, on a doc of some length and on one of four times that length.

use replaylint::internals::diff::compare::{Scope, Side, compare};
use replaylint::internals::judge::Options;
use replaylint::internals::rebuild::slim::slim;
use replaylint::internals::rebuild::{Budget, ChainOptions, Conversation, Policy, Rebuild, rebuild};
use replaylint::internals::repair::{FixOptions, Orphans};
use replaylint::internals::report::tree::{OUTPUTS, view};
use replaylint::internals::source::{Doc, Roomy};

use crate::convert::cases::{converted_of, plan};
use crate::support::work::{Counted, Work, growth};
use crate::support::{DOC, STYLE, check_of, repair_of};

/// What a doc was found to hold, and what each command did with it.
pub struct Done {
    pub items: u64,
    pub findings: usize,
    pub changes: usize,
    work: Vec<(&'static str, Work)>,
}

fn doc(text: &str) -> Roomy<Counted> {
    Roomy::new(Counted(text.as_bytes().to_vec()))
}

/// Runs all commands on a doc; `other` is what it is compared with, and `to` a dialect that it is converted to.
pub fn run(text: &str, other: &str, to: &str) -> Done {
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
    work.push(("convert", Work::of(|| converted_of(&doc(text), &options, plan(to))).0));
    let (before, after) = (doc(text), doc(other));
    let side = |bytes| Side { id: DOC, bytes, options: &options };
    work.push(("diff", Work::of(|| compare(side(&before), side(&after), Scope::All).map(drop)).0));
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
        let asked = Rebuild {
            policy: Policy::Never,
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
            if conversation.is_rebuilt(at) {
                rebuild(conversation, at, &asked).expect("memory reads");
            }
        }
    });
    work.push(("rebuild", rebuilding));
    work.push(("slim", Work::of(|| slim(DOC, &doc(text), &options.read).map(drop)).0));
    Done { items: found.items, findings: found.judged.len(), changes: repaired.fixed.changes.len(), work }
}

/// The commands whose work grows faster than the doc, which is four times as long, and how.
pub fn grown(name: &str, few: &Done, many: &Done, most: u64) -> Vec<String> {
    let pairs = few.work.iter().zip(&many.work);
    pairs
        .flat_map(|((command, few), (_, many))| {
            growth(*few, *many, most).into_iter().map(move |grown| format!("{name}, {command}: {grown}"))
        })
        .collect()
}
