//! `tree`: the turns of a conversation as a graph, and for each, whether the next request can build on its response.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use crate::history::tree::{Forest, NodeMatch};
use crate::options::{UsageError, unknown_with_nearest};
use crate::place::DocId;
use crate::rebuild::{ChainOptions, Conversation};
use crate::report::tree::{TreePrinter, TreeView, problems, view};
use crate::report::{self, Diagnostic, DocReport, Style};
use crate::source::describe_error;
use crate::target::Severity;

use super::run::Inputs;
use super::run::labels::label_of;
use super::run::output_file::PageOutput;
use super::run::products;
use super::run::products::PlannedFile;
use super::{Failure, Outcome, Run, print_error, stderr};

/// Facts about nodes from the command line, which the file does not contain.
#[derive(Default)]
pub struct NodeOverrides {
    /// Response ids: (node, response id).
    pub responses: Vec<(String, String)>,
    /// Nodes whose text was edited.
    pub edited: Vec<String>,
}

impl NodeOverrides {
    pub fn is_empty(&self) -> bool {
        self.responses.is_empty() && self.edited.is_empty()
    }
}

pub fn tree(
    run: &Run,
    chain: &ChainOptions,
    overrides: &NodeOverrides,
    print: TreePrinter,
    file: Option<&Path>,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let planned = file.map(PlannedFile::page).into_iter().collect();
    let (mut conversations, mut failed) = read_conversations(run, planned)?;
    conversations.retain(|conversation| !conversation.forest.nodes.is_empty() || has_damage(conversation));
    apply_overrides(&mut conversations, overrides)?;
    // A file may be shared, so it has content only if that was asked for.
    let shows_content = run.show_content || file.is_none() && io::stdout().is_terminal();
    let mut views: Vec<TreeView> = Vec::new();
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for conversation in &conversations {
        views.push(view(conversation, chain, shows_content));
        diagnostics.extend(problems(conversation)?);
    }
    let nodes: usize = views.iter().map(|view| view.turns.len()).sum();
    if nodes == 0 && !failed && !run.allow_empty {
        print_error("no conversation found; use --allow-empty to exit with 0");
        failed = true;
    }
    let mut page = PageOutput::new(file, run.show_content)?;
    let carries_diagnostics = page.write(out, |out| {
        let carries = print(&views, &diagnostics, &run.style, out)?;
        out.flush()?;
        Ok(carries)
    })?;
    page.save()?;
    if !carries_diagnostics {
        print_diagnostics(&diagnostics, &run.style)?;
    }
    let errors = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    Ok(run.outcome(failed, errors))
}

fn has_damage(conversation: &Conversation) -> bool {
    conversation.docs.iter().any(|part| part.doc.named && !part.findings.is_empty())
}

/// Prints diagnostics to standard error.
pub(super) fn print_diagnostics(diagnostics: &[Diagnostic], style: &Style) -> io::Result<()> {
    let seen = DocReport { diagnostics: diagnostics.to_vec(), ..DocReport::default() };
    match report::by_name("concise") {
        Some(make) => make(Style { quiet: true, ..*style }).write_doc(&seen, &mut stderr()),
        None => Ok(()),
    }
}

/// Reads all inputs; the flag is true if one of them could not be read.
pub(super) fn read_conversations(
    run: &Run,
    planned: Vec<PlannedFile>,
) -> Result<(Vec<Conversation>, bool), Failure> {
    let Inputs { all: mut inputs, mut failed, .. } = run.inputs()?;
    products::check_collisions(run, &mut inputs, planned)?;
    // One after the other: there may be more files than can be open.
    let docs = inputs.iter().enumerate().filter_map(|(n, input)| {
        let doc = run.open(DocId(n as u32), input);
        doc.inspect_err(|error| {
            print_error(&describe_error(&label_of(input), error));
            failed = true;
        })
        .ok()
    });
    let mut conversations = Conversation::read(docs, |label| run.lints.options_for(label))?;
    // A file found in a folder may be anything.
    for conversation in &mut conversations {
        let named = conversation.docs.iter().any(|part| part.doc.named);
        if !named && conversation.forest.nodes.is_empty() {
            conversation.docs.clear();
        }
    }
    conversations.retain(|conversation| !conversation.docs.is_empty());
    Ok((conversations, failed))
}

/// Applies the facts from the command line to the trees.
pub(super) fn apply_overrides(
    conversations: &mut [Conversation],
    overrides: &NodeOverrides,
) -> Result<(), UsageError> {
    for (name, id) in &overrides.responses {
        let (conversation, node) = find_node(conversations, name)?;
        conversation.forest.set_response(node, id);
    }
    for name in &overrides.edited {
        let (conversation, node) = find_node(conversations, name)?;
        conversation.forest.mark_edited(node);
    }
    Ok(())
}

/// The node with this name, in the only conversation that contains it.
#[expect(clippy::indexing_slicing, reason = "numbers of conversations are counted over the same list")]
pub(super) fn find_node<'c>(
    conversations: &'c mut [Conversation],
    name: &str,
) -> Result<(&'c mut Conversation, u32), UsageError> {
    let mut found = Vec::new();
    let mut several: Vec<String> = Vec::new();
    for (ix, conversation) in conversations.iter().enumerate() {
        match conversation.forest.find(name) {
            NodeMatch::One(node) => found.push((ix, node)),
            NodeMatch::Several(nodes) => several.extend(full_names(&conversation.forest, &nodes)),
            NodeMatch::None => {}
        }
    }
    match found.as_slice() {
        [(ix, node)] => Ok((&mut conversations[*ix], *node)),
        [] if several.is_empty() => {
            let near =
                |c: &Conversation| full_names(&c.forest, &c.forest.nearest(name, crate::options::edit_distance));
            let names: Vec<String> = conversations.iter().flat_map(near).collect();
            Err(unknown_with_nearest("node", name, &names))
        }
        [] => Err(ambiguous_error(name, &several)),
        many => {
            let files: Vec<String> = many.iter().map(|(ix, _)| conversations[*ix].title()).collect();
            Err(UsageError::new(format!("'{name}' is in several conversations: {}", files.join(", ")))
                .help("specify only one of these files"))
        }
    }
}

fn full_names(forest: &Forest, nodes: &[u32]) -> Vec<String> {
    nodes.iter().take(10).filter_map(|node| forest.node(*node).name().map(report::words::to_printable)).collect()
}

fn ambiguous_error(name: &str, names: &[String]) -> UsageError {
    UsageError::new(format!("'{name}' is ambiguous")).help(format!("candidates: {}", names.join(", ")))
}
