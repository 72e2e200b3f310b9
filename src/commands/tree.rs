//! `tree`: the turns of a conversation as a graph, and for each whether the next request may build on its response.

use std::io::{self, Write};
use std::path::Path;

use crate::history::tree::{Forest, Named};
use crate::options::{Misuse, unknown_of};
use crate::place::DocId;
use crate::rebuild::{ChainOptions, Conversation};
use crate::report::tree::{Print, TreeView, problems, view};
use crate::report::{self, Diagnostic, Seen, Style};
use crate::source::words;
use crate::target::Severity;

use super::run::Inputs;
use super::run::labels::label_of;
use super::run::output_file::Page;
use super::run::products;
use super::run::products::Planned;
use super::{Failure, Outcome, Run, complain, stderr};

/// What the user says about nodes, where the file does not.
#[derive(Default)]
pub struct Told {
    /// (node, response id)
    pub responses: Vec<(String, String)>,
    /// Nodes whose text was edited.
    pub edited: Vec<String>,
}

pub fn tree(
    run: &Run,
    chain: &ChainOptions,
    told: &Told,
    print: Print,
    file: Option<&Path>,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let planned = file.map(Planned::page).into_iter().collect();
    let (mut conversations, mut failed) = read(run, planned)?;
    conversations.retain(|conversation| !conversation.forest.nodes.is_empty() || has_damage(conversation));
    tell(&mut conversations, told)?;
    let mut views: Vec<TreeView> = Vec::new();
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for conversation in &conversations {
        views.push(view(conversation, chain, run.show_content));
        diagnostics.extend(problems(conversation)?);
    }
    let nodes: usize = views.iter().map(|view| view.turns.len()).sum();
    if nodes == 0 && !failed && !run.allow_empty {
        complain("no conversation was found; --allow-empty takes that for success");
        failed = true;
    }
    let mut page = Page::new(file, run.show_content)?;
    let carries_diagnostics = page.write(out, |out| {
        let carries = print(&views, &diagnostics, &run.style, out)?;
        out.flush()?;
        Ok(carries)
    })?;
    page.save()?;
    if !carries_diagnostics {
        say(&diagnostics, &run.style)?;
    }
    let errors = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    Ok(run.outcome(failed, errors))
}

fn has_damage(conversation: &Conversation) -> bool {
    conversation.parts.iter().any(|part| part.doc.named && !part.raised.is_empty())
}

/// Findings, as talk.
pub(super) fn say(diagnostics: &[Diagnostic], style: &Style) -> io::Result<()> {
    let seen = Seen { diagnostics: diagnostics.to_vec(), ..Seen::default() };
    match report::by_name("concise") {
        Some(make) => make(Style { quiet: true, ..*style }).doc(&seen, &mut stderr()),
        None => Ok(()),
    }
}

/// Reads all inputs. Also gives whether one of them could not be read.
pub(super) fn read(run: &Run, planned: Vec<Planned>) -> Result<(Vec<Conversation>, bool), Failure> {
    let Inputs { all: mut inputs, mut failed, .. } = run.inputs()?;
    products::guard(run, &mut inputs, planned)?;
    // One after the other: there may be more files than can be open.
    let docs = inputs.iter().enumerate().filter_map(|(n, input)| {
        let doc = run.open(DocId(n as u32), input);
        doc.inspect_err(|error| {
            complain(&words(&label_of(input), error));
            failed = true;
        })
        .ok()
    });
    let mut conversations = Conversation::read(docs, |label| run.lints.of(label))?;
    // What a walk meets may be anything.
    for conversation in &mut conversations {
        let named = conversation.parts.iter().any(|part| part.doc.named);
        if !named && conversation.forest.nodes.is_empty() {
            conversation.parts.clear();
        }
    }
    conversations.retain(|conversation| !conversation.parts.is_empty());
    Ok((conversations, failed))
}

/// Puts into the trees what the user says about them.
pub(super) fn tell(conversations: &mut [Conversation], told: &Told) -> Result<(), Misuse> {
    for (name, id) in &told.responses {
        let (conversation, node) = find(conversations, name)?;
        conversation.forest.set_response(node, id);
    }
    for name in &told.edited {
        let (conversation, node) = find(conversations, name)?;
        conversation.forest.set_edited(node);
    }
    Ok(())
}

/// The node that a name means, in the one conversation that has it.
#[expect(clippy::indexing_slicing, reason = "numbers of conversations are counted over the same list")]
pub(super) fn find<'c>(
    conversations: &'c mut [Conversation],
    name: &str,
) -> Result<(&'c mut Conversation, u32), Misuse> {
    let mut found = Vec::new();
    let mut several: Vec<String> = Vec::new();
    for (ix, conversation) in conversations.iter().enumerate() {
        match conversation.forest.find(name) {
            Named::One(node) => found.push((ix, node)),
            Named::Several(nodes) => several.extend(full_names(&conversation.forest, &nodes)),
            Named::None => {}
        }
    }
    match found.as_slice() {
        [(ix, node)] => Ok((&mut conversations[*ix], *node)),
        [] if several.is_empty() => {
            let near = |c: &Conversation| full_names(&c.forest, &c.forest.nearest(name, crate::options::distance));
            let names: Vec<String> = conversations.iter().flat_map(near).collect();
            Err(unknown_of("node", name, &names))
        }
        [] => Err(ambiguous(name, &several)),
        many => {
            let files: Vec<String> = many.iter().map(|(ix, _)| conversations[*ix].title()).collect();
            Err(Misuse::new(format!("'{name}' is in several conversations: {}", files.join(", ")))
                .help("name only one of these files"))
        }
    }
}

fn full_names(forest: &Forest, nodes: &[u32]) -> Vec<String> {
    nodes.iter().take(10).filter_map(|node| forest.node(*node).name().map(report::words::printable)).collect()
}

fn ambiguous(name: &str, names: &[String]) -> Misuse {
    Misuse::new(format!("'{name}' is ambiguous")).help(format!("it may be {}", names.join(", ")))
}
