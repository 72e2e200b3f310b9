//! Reads docs into one tree, for commands about whole conversations.

use std::io;

use crate::format::Format;
use crate::history::Finding;
use crate::history::tree::TreeBuilder;
use crate::place::DocId;
use crate::read::{self, FoundHistory, NullVisitor, Options, ReadConsumer};
use crate::source::{Container, ReadAt};

/// A doc whose nodes were added to a tree.
pub struct NodeSource {
    pub container: Container,
    /// The format of the doc, or of the first record that has one.
    pub format: Option<&'static dyn Format>,
    /// Findings about what could not be read.
    pub findings: Vec<Finding>,
    pub records: u32,
}

/// Reads a doc and adds its nodes to a tree.
pub fn read_nodes(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    tree: &mut TreeBuilder,
) -> io::Result<NodeSource> {
    let found = read::read(id, bytes, options, 1, &NodeCollector, &mut |_| Ok(()))?;
    let (nodes, findings) = found.output;
    tree.add(nodes);
    let (container, format) = (found.container, found.format);
    Ok(NodeSource { container, format, findings, records: found.records })
}

struct NodeCollector;

impl ReadConsumer for NodeCollector {
    type Visitor<'v> = NullVisitor;
    type Output = (TreeBuilder, Vec<Finding>);

    fn visitor(&self) -> NullVisitor {
        NullVisitor
    }

    fn history(&self, _: FoundHistory<'_>, _: &mut Self::Output) {}

    fn raise(&self, finding: Finding, into: &mut Self::Output) {
        into.1.push(finding);
    }

    fn join(&self, into: &mut Self::Output, mut next: Self::Output, records: u32, _: u32) {
        next.0.renumber(records);
        next.1.iter_mut().for_each(|finding| finding.row.record += records);
        into.0.append(next.0);
        into.1.append(&mut next.1);
    }

    fn wants_nodes(&self) -> bool {
        true
    }

    fn nodes(&self, nodes: TreeBuilder, into: &mut Self::Output) {
        into.0.append(nodes);
    }
}
