//! What each rule finds in recorded requests to the real APIs, which are not part of this repository: the numbers are in
//! a table, which a test writes anew where the recordings are there.

use crate::history::Code;

/// Code, accepted requests that the rule judges, those of them with a warning of it, and refused requests that it finds.
pub const TABLE: &str = include_str!("recorded.tsv");

/// What a rule finds in recorded requests, as a paragraph; `None` if it judges none.
pub fn sentence(code: Code) -> Option<String> {
    let row = TABLE.lines().find_map(|line| line.strip_prefix(&format!("{code}\t")))?;
    let mut numbers = row.split('\t').map_while(|number| number.parse::<u64>().ok());
    let (accepted, warned, refused) = (numbers.next()?, numbers.next()?, numbers.next()?);
    let found = match warned {
        0 => "no finding".to_owned(),
        1 => "a warning in 1".to_owned(),
        n => format!("a warning in {n}"),
    };
    let judged = format!("In {accepted} recorded requests that the API accepted, this rule has {found}.");
    let rejected = match refused {
        1 => "It finds the cause of 1 recorded request that was rejected.".to_owned(),
        n => format!("It finds the cause of {n} recorded requests that were rejected."),
    };
    let sentences = [(accepted > 0).then_some(judged), (refused > 0).then_some(rejected)];
    Some(sentences.into_iter().flatten().collect::<Vec<_>>().join(" "))
}
