//! YAML as values, from the events of the parser: no other tags than `!!binary` and `!!str` have a meaning, and neither
//! nesting nor aliases grow without limit.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use foldhash::HashMap;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Tag};

use super::exchange::{MAX_DEPTH, MAX_EXPANDED, RecordingError};
use super::node::Node;

/// Bytes that a value takes besides its text.
const NODE: usize = size_of::<(String, Node)>();

/// Parses the first document of a text.
pub(super) fn parse(text: &str) -> Result<Node, RecordingError> {
    let mut parser = Parser::new_from_str(text);
    let mut builder = Builder::default();
    while let Some(event) = parser.next_event() {
        let (event, _) = event.map_err(|error| invalid(&error))?;
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let node = scalar(text.into_owned(), style, tag.as_deref());
                builder.add(node, anchor)?;
            }
            Event::SequenceStart(anchor, _) => builder.open(Node::List(Vec::new()), anchor)?,
            Event::MappingStart(anchor, _) => builder.open(Node::Map(Vec::new()), anchor)?,
            Event::SequenceEnd | Event::MappingEnd => builder.close()?,
            Event::Alias(anchor) => builder.alias(anchor)?,
            Event::DocumentEnd => break,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {}
        }
    }
    Ok(builder.root.unwrap_or(Node::Null))
}

fn invalid(error: &ScanError) -> RecordingError {
    RecordingError::Yaml { line: error.marker().line(), column: error.marker().col() + 1 }
}

/// A list or map that is not yet closed.
struct OpenNode {
    node: Node,
    anchor: usize,
    /// The key whose value comes next.
    key: Option<String>,
}

/// Puts events together.
#[derive(Default)]
struct Builder {
    open: Vec<OpenNode>,
    root: Option<Node>,
    /// Values with an anchor, and their sizes.
    anchors: HashMap<usize, (Node, usize)>,
    copied: usize,
}

impl Builder {
    fn open(&mut self, node: Node, anchor: usize) -> Result<(), RecordingError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(RecordingError::TooDeep);
        }
        self.open.push(OpenNode { node, anchor, key: None });
        Ok(())
    }

    fn close(&mut self) -> Result<(), RecordingError> {
        match self.open.pop() {
            Some(done) => self.add(done.node, done.anchor),
            None => Ok(()),
        }
    }

    /// Adds a copy of the value with an anchor. An anchor within its own value has no value yet.
    fn alias(&mut self, anchor: usize) -> Result<(), RecordingError> {
        let Some((node, size)) = self.anchors.get(&anchor) else { return self.add(Node::Null, 0) };
        if depth(node) + self.open.len() > MAX_DEPTH {
            return Err(RecordingError::TooDeep);
        }
        self.copied = charge(self.copied, *size)?;
        let node = node.clone();
        self.add(node, 0)
    }

    fn add(&mut self, node: Node, anchor: usize) -> Result<(), RecordingError> {
        if anchor > 0 {
            let size = size(&node);
            self.copied = charge(self.copied, size)?;
            self.anchors.insert(anchor, (node.clone(), size));
        }
        let Some(parent) = self.open.last_mut() else {
            self.root.get_or_insert(node);
            return Ok(());
        };
        match (&mut parent.node, parent.key.take()) {
            (Node::List(elements), _) => elements.push(node),
            (Node::Map(members), Some(key)) => members.push((key, node)),
            (Node::Map(_), None) => parent.key = Some(key_text(node)),
            _ => {}
        }
        Ok(())
    }
}

/// The sum, if it is within the limit.
fn charge(copied: usize, size: usize) -> Result<usize, RecordingError> {
    let sum = copied.saturating_add(size);
    if sum > MAX_EXPANDED { Err(RecordingError::TooManyAliases) } else { Ok(sum) }
}

/// A key as text. The name of a Ruby symbol begins with a colon.
fn key_text(node: Node) -> String {
    match node {
        Node::Text(text) => text.strip_prefix(':').map(str::to_owned).unwrap_or(text),
        Node::List(_) | Node::Map(_) => String::new(),
        other => other.to_json().to_string(),
    }
}

fn size(node: &Node) -> usize {
    let within: usize = match node {
        Node::Text(text) => text.len(),
        Node::Bytes(bytes) => bytes.len(),
        Node::List(elements) => elements.iter().map(size).sum(),
        Node::Map(members) => members.iter().map(|(key, value)| key.len() + size(value)).sum(),
        Node::Null | Node::Bool(_) | Node::Number(_) => 0,
    };
    NODE + within
}

fn depth(node: &Node) -> usize {
    match node {
        Node::List(elements) => 1 + elements.iter().map(depth).max().unwrap_or(0),
        Node::Map(members) => 1 + members.iter().map(|(_, value)| depth(value)).max().unwrap_or(0),
        _ => 0,
    }
}

/// A scalar by its tag and, if it is plain, by the core schema of YAML 1.2.
fn scalar(text: String, style: ScalarStyle, tag: Option<&Tag>) -> Node {
    match tag {
        Some(tag) if tag.suffix == "binary" => {
            let packed: String = text.split_whitespace().collect();
            STANDARD.decode(packed).map_or(Node::Text(text), Node::Bytes)
        }
        Some(_) => Node::Text(text),
        None if style != ScalarStyle::Plain => Node::Text(text),
        None => match &*text {
            "" | "~" | "null" | "Null" | "NULL" => Node::Null,
            "true" | "True" | "TRUE" => Node::Bool(true),
            "false" | "False" | "FALSE" => Node::Bool(false),
            plain => number(plain).unwrap_or(Node::Text(text)),
        },
    }
}

/// A number as JSON writes it, or with the forms of PyYAML for floats (`1.`, `1.0e+16`).
fn number(text: &str) -> Option<Node> {
    let is_like_number = text.bytes().all(|c| c.is_ascii_digit() || b"+-.eE".contains(&c));
    if !is_like_number || !text.bytes().any(|c| c.is_ascii_digit()) {
        return None;
    }
    let exact = serde_json::from_str(text).ok();
    let number = exact.or_else(|| serde_json::Number::from_f64(text.parse().ok()?))?;
    Some(Node::Number(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        parse(text).map_or_else(|error| error.to_string(), |node| node.to_json().to_string())
    }

    #[test]
    fn scalars_have_the_types_of_the_core_schema() {
        let text = "a: [1, 0.5, 2., true, null, ~, '1', \"\\u00e9\", 2024-01-02, 1.2.3]\n? 200\n: |\n  x\n  y\n";
        assert_eq!(json(text), r#"{"a":[1,0.5,2.0,true,null,null,"1","é","2024-01-02","1.2.3"],"200":"x\ny\n"}"#);
        assert_eq!(parse("!!binary |\n  H4sI\n  AA==\n").ok(), Some(Node::Bytes(vec![0x1f, 0x8b, 8, 0])));
        assert_eq!(parse("!binary |-\n  aGk=\n").ok(), Some(Node::Bytes(b"hi".to_vec())));
    }

    #[test]
    fn aliases_copy_values_within_limits() {
        assert_eq!(json("a: &x [1, 2]\nb: *x\n"), r#"{"a":[1,2],"b":[1,2]}"#);
        let mut bomb = String::from("a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
        for n in 1..12 {
            let one = format!("*a{}", n - 1);
            bomb.push_str(&format!("a{n}: &a{n} [{}]\n", [one.as_str(); 9].join(", ")));
        }
        assert!(matches!(parse(&bomb), Err(RecordingError::TooManyAliases)));
        assert_eq!(json("a: &a [*a]\n"), r#"{"a":[null]}"#);
    }

    #[test]
    fn nesting_is_limited() {
        let flow = format!("{}{}", "[".repeat(200), "]".repeat(200));
        assert!(matches!(parse(&flow), Err(RecordingError::TooDeep | RecordingError::Yaml { .. })));
        let block: String = (0..200).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
        assert!(matches!(parse(&block), Err(RecordingError::TooDeep)));
        let mut chain = String::from("a0: &a0 x\n");
        for n in 1..200 {
            chain.push_str(&format!("a{n}: &a{n} [*a{}]\n", n - 1));
        }
        assert!(matches!(parse(&chain), Err(RecordingError::TooDeep)));
        assert!(matches!(parse("a: [\n"), Err(RecordingError::Yaml { .. })));
    }
}
