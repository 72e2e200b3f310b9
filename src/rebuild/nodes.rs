//! Reading docs into one tree, for the commands that look at a conversation as a whole.

use std::io;

use crate::format::Format;
use crate::history::Finding;
use crate::history::tree::Builder;
use crate::place::DocId;
use crate::read::{self, Blind, Found, Options, Take};
use crate::source::{Container, ReadAt};

/// What a doc added to a tree.
pub struct Gathered {
    pub container: Container,
    /// The format of the doc, or of the first record that has one.
    pub format: Option<&'static dyn Format>,
    /// What could not be read.
    pub raised: Vec<Finding>,
    pub records: u32,
}

/// Reads a doc and adds its nodes to a tree.
pub fn gather(id: DocId, bytes: &dyn ReadAt, options: &Options, tree: &mut Builder) -> io::Result<Gathered> {
    let found = read::read(id, bytes, options, 1, &Nodes, &mut |_| Ok(()))?;
    let (nodes, raised) = found.gathered;
    tree.add(nodes);
    let (container, format) = (found.container, found.format);
    Ok(Gathered { container, format, raised, records: found.records })
}

struct Nodes;

impl Take for Nodes {
    type Visitor<'v> = Blind;
    type Gathered = (Builder, Vec<Finding>);

    fn visitor(&self) -> Blind {
        Blind
    }

    fn history(&self, _: Found<'_>, _: &mut Self::Gathered) {}

    fn raise(&self, finding: Finding, into: &mut Self::Gathered) {
        into.1.push(finding);
    }

    fn join(&self, into: &mut Self::Gathered, mut next: Self::Gathered, records: u32, _: u32) {
        next.0.renumber(records);
        next.1.iter_mut().for_each(|finding| finding.row.record += records);
        into.0.append(next.0);
        into.1.append(&mut next.1);
    }

    fn wants_nodes(&self) -> bool {
        true
    }

    fn nodes(&self, nodes: Builder, into: &mut Self::Gathered) {
        into.0.append(nodes);
    }
}
