//! Which versions of which clients make a fault, or fail on it, and which one mends it: a table with sources, and what the
//! tables of the agents say about the sessions that they resume.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::format::agent::{Agent, ResumeAct, ResumeEffect};
use crate::formats;
use crate::formats::agents::resume::AGENTS;
use crate::history::{Code, Version, codes};
use crate::judge::rules_of_defect;
use crate::rules;
use crate::target::Severity;
use crate::targets;

/// A line for each fault of a client: the agent's name on the command line or the name of a library, the rule, `makes` or
/// `fails`, the first version with it (`?`: not known), the last one that was seen with it, the one that mends it (`-`:
/// not known), what the client does, and the source.
pub const TABLE: &str = include_str!("client_versions.tsv");

/// What a client has to do with a fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FaultRole {
    /// It writes or sends histories with the fault.
    Makes,
    /// It loses something, or is rejected, if a session has the fault.
    Fails,
}

/// A fault of some versions of a client.
#[derive(Debug)]
pub struct ClientFault {
    /// The agent's name on the command line, or the name of the library.
    pub client: &'static str,
    /// The name for people.
    pub name: &'static str,
    pub rule: Code,
    /// The variants of the rule that report it; all if there are none.
    variants: &'static [u8],
    pub role: FaultRole,
    /// The first version with it; `None` if that is not known.
    pub since: Option<Version>,
    /// The last version that was seen with it; `None` if it is known which one mends it, or none does.
    pub last: Option<Version>,
    /// The first version without it, if another fault takes its place there.
    before: Option<Version>,
    /// The version that mends it; `None` if that is not known.
    pub mended: Option<Version>,
    /// What the client does, after its name.
    pub what: Cow<'static, str>,
    /// What the version that mends it does instead, after its name; empty if that is not known.
    instead: String,
    source: &'static str,
}

/// Rules about the sessions of a single agent, although the defect is one of several.
const OF_ONE_AGENT: [(Code, &str); 1] = [(codes::PHANTOM_PARENT, "claude-code")];

/// The faults of the table, and then those of the agents' tables.
static FAULTS: LazyLock<Vec<ClientFault>> = LazyLock::new(|| {
    let of_agents = AGENTS.iter().flat_map(|agent| faults_of(agent));
    TABLE.lines().filter_map(parse_line).chain(of_agents).collect()
});

fn parse_line(line: &'static str) -> Option<ClientFault> {
    let mut cells = line.split('\t');
    let mut next = || cells.next();
    let (client, rule, role) = (next()?, next()?, next()?);
    let (since, last, mended) = (next()?, next()?, next()?);
    let (what, source) = (next()?, next()?);
    Some(ClientFault {
        client,
        name: agent_named(client).map_or(client, |agent| agent.name),
        rule: Code::parse(rule)?,
        variants: &[],
        role: match role {
            "makes" => FaultRole::Makes,
            "fails" => FaultRole::Fails,
            _ => return None,
        },
        since: Version::parse(since),
        last: Version::parse(last),
        before: None,
        mended: Version::parse(mended),
        what: Cow::from(what),
        instead: String::new(),
        source,
    })
}

fn agent_named(id: &str) -> Option<&'static Agent> {
    AGENTS.iter().copied().find(|agent| agent.id == id)
}

/// The defects on which versions of an agent fail when they resume a session, by its table.
fn faults_of(agent: &'static Agent) -> Vec<ClientFault> {
    let dialects: Vec<&str> = AGENTS
        .iter()
        .filter(|other| other.id == agent.id)
        .flat_map(|agent| agent.formats)
        .filter_map(|name| formats::by_name(name))
        .filter_map(|format| targets::by_name(format.info().target))
        .map(|target| target.dialect)
        .collect();
    let mut faults = Vec::new();
    for act in agent.acts {
        let Some(failure) = failure_of(agent, act) else { continue };
        for (code, variants) in rules_of_defect(act.defect) {
            let is_judged =
                rules::by_code(code).is_some_and(|rule| dialects.iter().any(|dialect| rule.judges(dialect)));
            let is_own = OF_ONE_AGENT.iter().all(|(rule, id)| *rule != code || *id == agent.id);
            if is_judged && is_own {
                faults.push(ClientFault {
                    client: agent.id,
                    name: agent.name,
                    rule: code,
                    variants,
                    role: FaultRole::Fails,
                    since: failure.since,
                    last: None,
                    before: failure.before.filter(|before| failure.mended != Some(*before)),
                    mended: failure.mended,
                    what: Cow::from(failure.what.clone()),
                    instead: failure.instead.clone(),
                    source: act.source,
                });
            }
        }
    }
    faults
}

/// How an agent fails on a defect, and in which versions.
struct Failure {
    since: Option<Version>,
    before: Option<Version>,
    mended: Option<Version>,
    what: String,
    instead: String,
}

/// The failure that an act is, or that it mends; `None` if it is neither.
fn failure_of(agent: &Agent, act: &ResumeAct) -> Option<Failure> {
    let of_defect = || agent.acts.iter().filter(|other| other.defect == act.defect);
    let defect = with_article(act.defect.label()[0]);
    let is_failure = act.effect.severity() == Some(Severity::Error) || act.effect == ResumeEffect::Sends;
    if is_failure {
        let heals = |other: &&ResumeAct| other.effect.severity().is_none() && other.since >= act.until;
        let mending = act.until.and_then(|_| of_defect().filter(heals).min_by_key(|other| other.since));
        return Some(Failure {
            since: act.since,
            before: act.until,
            mended: mending.and_then(|other| other.since),
            what: describe(act.effect, &defect),
            instead: mending.map(|other| other.words(1).1).unwrap_or_default(),
        });
    }
    let since = act.since.filter(|_| act.effect.severity().is_none())?;
    let is_first = !of_defect().any(|other| other.since.is_none_or(|other| other < since));
    // A version that is only the oldest one that was seen with the act.
    let is_seen_only = act.source == format!("wire {since}");
    (is_first && !is_seen_only).then(|| Failure {
        since: None,
        before: Some(since),
        mended: Some(since),
        what: format!("sends {defect} as it is"),
        instead: act.words(1).1,
    })
}

/// What an agent does with a defect on which it fails, after its name.
fn describe(effect: ResumeEffect, defect: &str) -> String {
    match effect {
        ResumeEffect::IsRefused => format!("sends {defect}, and the provider rejects it"),
        ResumeEffect::Hangs => format!("never opens a session with {defect}"),
        ResumeEffect::LosesLine => format!("loses the line of {defect}"),
        ResumeEffect::LosesEarlier => format!("loses everything before {defect}"),
        ResumeEffect::LosesLater => format!("loses everything after {defect}"),
        ResumeEffect::LosesNext => format!("loses what it writes after {defect}"),
        _ => format!("sends {defect}"),
    }
}

fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}

/// The faults of clients that belong to a rule, by the name of the client, the oldest first.
pub fn faults_of_rule(rule: Code) -> Vec<&'static ClientFault> {
    let mut faults: Vec<&ClientFault> = FAULTS.iter().filter(|fault| fault.rule == rule).collect();
    faults.sort_by_key(|fault| {
        (fault.name.to_lowercase(), fault.last.or(fault.before).or(fault.mended), fault.since)
    });
    faults
}

/// The faults of a version of a client that belong to some findings, by rule and variant: first those that a version
/// mends, the newest of these first. A fault without any known version is not among them.
pub fn faults_of_findings(
    client: &str,
    version: Version,
    findings: impl Iterator<Item = (Code, u8)>,
) -> Vec<&'static ClientFault> {
    let findings: Vec<(Code, u8)> = findings.collect();
    let is_found = |fault: &&ClientFault| {
        fault.client == client
            && fault.is_bounded_around(version)
            && findings.iter().any(|(code, variant)| fault.is_found_by(*code, *variant))
    };
    let mut faults: Vec<&ClientFault> = FAULTS.iter().filter(is_found).collect();
    faults.sort_by_key(|fault| fault.urgency());
    faults
}

impl ClientFault {
    fn is_found_by(&self, code: Code, variant: u8) -> bool {
        self.rule == code && (self.variants.is_empty() || self.variants.contains(&variant))
    }

    /// True if a version is among those with the fault, of which at least one end is known.
    fn is_bounded_around(&self, version: Version) -> bool {
        let end = self.before.or(self.mended);
        (self.since.is_some() || self.last.is_some() || end.is_some())
            && self.since.is_none_or(|since| since <= version)
            && self.last.is_none_or(|last| version <= last)
            && end.is_none_or(|end| version < end)
    }

    /// The key by which the faults of a client are sorted: first those that a version mends, the newest of these first.
    pub fn urgency(&self) -> (Reverse<Option<Version>>, FaultRole) {
        (Reverse(self.mended), self.role)
    }

    /// The client, and its versions with the fault.
    fn client_and_versions(&self) -> String {
        let mut text = self.name.to_owned();
        match (self.since, self.last) {
            (Some(since), Some(last)) if since == last => text += &format!(" {since}"),
            (Some(since), Some(last)) => text += &format!(" {since} to {last}"),
            (Some(since), None) => text += &format!(" since {since}"),
            (None, Some(last)) => text += &format!(" up to {last}"),
            (None, None) => {}
        }
        if let Some(before) = self.before {
            text += &format!("{} before {before}", if self.since.is_some() { "," } else { "" });
        }
        if let Some(mended) = self.mended {
            text += &format!(", mended in {mended}");
        }
        text
    }

    /// The fault in a line of the rule's page.
    pub fn line(&self) -> String {
        let instead =
            if self.instead.is_empty() { String::new() } else { format!("; since then {}", self.instead) };
        format!("{}: {}{instead} ({})", self.client_and_versions(), self.what, self.source())
    }

    /// How it is known. The tables of agents say `wire` for recorded requests.
    pub fn source(&self) -> String {
        self.source.replace("wire ", "observed with ")
    }

    /// What the client has to do with a fault, as a verb.
    fn verb(&self) -> &'static str {
        match (self.role, self.since) {
            (FaultRole::Makes, Some(_)) => "makes",
            (FaultRole::Makes, None) => "can make",
            (FaultRole::Fails, _) => "fails on",
        }
    }

    /// The fault as a sentence about a version. `whose` says in parentheses how the version is known; `what` is the fault
    /// in words. The user is asked to update unless `is_updated`.
    pub fn sentence(&self, version: Version, whose: &str, what: &str, is_updated: bool) -> String {
        let name = self.name;
        let mended = match (self.mended, is_updated) {
            (Some(mended), false) => format!(" Mended in {mended}: update {name}."),
            (Some(mended), true) => format!(" Mended in {mended}."),
            (None, _) => String::new(),
        };
        format!("{name} {version} ({whose}) {} {what}: it {}.{mended}", self.verb(), self.what)
    }

    pub fn to_json(&self) -> Value {
        let text = |version: Option<Version>| version.map(|version| version.to_string());
        json!({
            "client": self.client,
            "name": self.name,
            "rule": self.rule.to_string(),
            "role": match self.role {
                FaultRole::Makes => "makes",
                FaultRole::Fails => "fails",
            },
            "what": self.what,
            "since": text(self.since),
            "last": text(self.last),
            "before": text(self.before.or(self.mended)),
            "mended": text(self.mended),
            "source": self.source(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_table_are_complete_and_sorted() {
        let read: Vec<ClientFault> = TABLE.lines().filter_map(parse_line).collect();
        for line in TABLE.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            let [client, rule, _, since, last, mended, what, source] = cells[..] else { panic!("{line}") };
            assert!(parse_line(line).is_some(), "{line}");
            assert!(Code::parse(rule).and_then(rules::by_code).is_some(), "no such rule: {line}");
            assert!(
                since == "?" || Version::parse(since).is_some_and(|version| version.to_string() == since),
                "{line}"
            );
            for version in [last, mended] {
                assert!(version == "-" || Version::parse(version).is_some(), "{line}");
            }
            assert!(last == "-" || mended == "-" || Version::parse(last) < Version::parse(mended), "{line}");
            assert!(since != "?" || last != "-" || mended != "-", "no version: {line}");
            assert!(!what.is_empty() && !what.ends_with('.') && !source.is_empty(), "{line}");
            let is_named = AGENTS.iter().any(|agent| agent.name == client && agent.id != client);
            assert!(!is_named, "an agent is named by its id: {line}");
        }
        let key = |fault: &ClientFault| (fault.client, fault.rule, fault.since, fault.last.or(fault.mended));
        let keys: Vec<_> = read.iter().map(key).collect();
        assert!(keys.is_sorted(), "{:?}", keys.windows(2).find(|pair| pair[0] > pair[1]));
    }

    #[test]
    fn ranges_are_in_order_and_no_fault_is_listed_twice() {
        let mut lines: Vec<String> =
            FAULTS.iter().map(|fault| format!("{} {}", fault.rule, fault.line())).collect();
        for fault in FAULTS.iter() {
            let end = fault.last.or(fault.before).or(fault.mended);
            assert!(fault.since.is_none() || end.is_none() || fault.since <= end, "{}", fault.line());
        }
        let all = lines.len();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), all);
    }

    fn lines(rule: Code, client: &str) -> Vec<String> {
        let faults = faults_of_rule(rule).into_iter().filter(|fault| fault.client == client);
        faults.map(ClientFault::line).collect()
    }

    #[test]
    fn faults_of_agents_come_from_their_tables() {
        assert_eq!(
            lines(codes::PHANTOM_PARENT, "claude-code"),
            [
                "Claude Code, mended in 2.1.91: loses everything before an entry with a missing parent; since then sends the \
              entries in the order of the file (observed with 2.1.85 to 2.1.90)"
            ]
        );
        assert_eq!(
            lines(codes::LONE_SURROGATE, "claude-code")[1],
            "Claude Code before 2.1.171, mended in 2.1.233: sends an unpaired surrogate, and the provider rejects it; \
             since then replaces it (anthropics/claude-code#60394, #61301, #68325, #69927)"
        );
        assert_eq!(
            lines(codes::SPLIT_THINKING, "claude-code")[2],
            "Claude Code, mended in 2.1.169: sends an altered thinking block as it is; since then sends the request again \
             without it (observed with 2.1.169 to 2.1.330)"
        );
        assert_eq!(
            lines(codes::MISSING_PARENT, "pi"),
            ["pi: loses everything before an entry with a missing parent (observed with 0.74.2)"]
        );
        assert!(lines(codes::PHANTOM_PARENT, "pi").is_empty());
        // Answered by every version.
        assert!(lines(codes::MISSING_OUTPUT, "codex").is_empty());
    }

    #[test]
    fn a_version_has_the_faults_whose_range_it_is_in() {
        let said = |client, text: &str, code| {
            let version = Version::parse(text).expect("a version");
            let faults = faults_of_findings(client, version, std::iter::once((code, 0)));
            faults
                .iter()
                .map(|fault| fault.sentence(version, "this file's version", "this fault", false))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            said("claude-code", "2.1.155", codes::SPLIT_THINKING),
            [
                "Claude Code 2.1.155 (this file's version) fails on this fault: it sends an altered thinking block as it is. \
                 Mended in 2.1.169: update Claude Code.",
                "Claude Code 2.1.155 (this file's version) makes this fault: it changes thinking of Opus 4.8; 2.1.156 mends \
                 only a part of it.",
            ]
        );
        assert!(said("claude-code", "2.1.169", codes::SPLIT_THINKING).is_empty());
        assert!(said("claude-code", "2.1.159", codes::SPLIT_THINKING).len() == 1);
        assert!(said("codex", "0.169.0", codes::BROKEN_ORDINALS).is_empty());
        assert!(said("codex", "0.152.0", codes::BROKEN_ORDINALS).len() == 1);
        // No version is known that does otherwise.
        assert!(said("pi", "0.74.2", codes::MISSING_PARENT).is_empty());
    }
}
