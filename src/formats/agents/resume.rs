//! The table of all agents, and what they make of the sessions that they resume.

use crate::format::agent::{Agent, ResumeAct};
use crate::history::Version;

use crate::formats::sdks::openai_agents;

use super::{
    amp, antigravity, claude_code, cline, codex, continue_cli, copilot_cli, crush, cursor, droid, gemini_cli,
    goose, grok_cli, hermes, kimi, kimi_cli, opencode, openhands, pi, qwen_code, vibe, zed,
};

/// All agents.
pub static AGENTS: &[&Agent] = &[
    &codex::resume::AGENT,
    &claude_code::resume::AGENT,
    &pi::resume::AGENT,
    &opencode::resume::AGENT,
    &opencode::resume::AGENT_V2,
    &crush::resume::AGENT,
    &goose::resume::AGENT,
    &cline::resume::AGENT,
    &gemini_cli::resume::AGENT,
    &copilot_cli::resume::AGENT,
    &qwen_code::resume::AGENT,
    &droid::resume::AGENT,
    &kimi::resume::AGENT,
    &hermes::resume::AGENT,
    &amp::resume::AGENT,
    &zed::resume::AGENT,
    &grok_cli::resume::AGENT,
    &antigravity::resume::AGENT,
    &openhands::resume::AGENT,
    &cursor::resume::AGENT,
    &kimi_cli::resume::AGENT,
    &continue_cli::resume::AGENT,
    &vibe::resume::AGENT,
    &openai_agents::resume::AGENT,
];

/// The agent that stores a format; `None` if no agent does.
pub fn agent_of(format: &str) -> Option<&'static Agent> {
    AGENTS.iter().copied().find(|agent| agent.formats.contains(&format))
}

/// An act of an agent, with its number in the table.
#[derive(Clone, Copy)]
pub struct AgentAct {
    pub agent: &'static Agent,
    pub act: &'static ResumeAct,
    number: u8,
}

/// The acts of the agent that stores a format, in this version; in the newest one if it is `None`.
pub fn acts_of(format: &str, version: Option<Version>) -> Vec<AgentAct> {
    let Some((agent, acts)) = acts_by_agent().find(|(agent, _)| agent.formats.contains(&format)) else {
        return Vec::new();
    };
    let mut own = Vec::with_capacity(agent.acts.len());
    own.extend(acts.filter(|line| line.act.is_of(version)));
    own
}

fn all_acts() -> impl Iterator<Item = AgentAct> {
    acts_by_agent().flat_map(|(_, acts)| acts)
}

fn acts_by_agent() -> impl Iterator<Item = (&'static Agent, impl Iterator<Item = AgentAct>)> {
    AGENTS.iter().scan(0, |next, agent| {
        let first = *next;
        *next += agent.acts.len() as u8;
        let numbered = agent.acts.iter().zip(first..);
        Some((*agent, numbered.map(|(act, number)| AgentAct { agent, act, number })))
    })
}

impl AgentAct {
    /// The argument of a finding about `count` defects with this act.
    pub fn finding_arg(&self, count: u32) -> u32 {
        u32::from(self.number) << 24 | count.min((1 << 24) - 1)
    }
}

/// The number of the act, and of the defects, in the argument of a finding.
pub fn decode_arg(arg: u32) -> (u8, u32) {
    ((arg >> 24) as u8, arg & ((1 << 24) - 1))
}

/// Text about an act and its number of defects; `None` if there is no such act.
pub fn describe((number, count): (u8, u32)) -> Option<String> {
    let AgentAct { agent, act, .. } = all_acts().nth(usize::from(number))?;
    let since = act.since.map_or(String::new(), |since| format!(" since {since}"));
    let (defects, effect) = act.words(count);
    Some(format!("{count} {defects}: {} {effect}{since}", agent.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_name_agent_action_and_version() {
        let all: Vec<String> = all_acts().filter_map(|line| describe((line.number, 3))).collect();
        assert_eq!(all.len(), all_acts().count());
        assert_eq!(all[0], "3 calls without an output: Codex answers them with `aborted`");
        let one = acts_of("claude-code", Some(Version(2, 1, 100)));
        let one = one.first().and_then(|line| describe(decode_arg(line.finding_arg(1))));
        assert_eq!(one.expect("a line"), "1 call without an output: Claude Code leaves it out since 2.1.80");
    }

    #[test]
    fn each_version_does_one_thing_about_a_defect() {
        for agent in AGENTS {
            let limits = agent.acts.iter().flat_map(|act| [act.since, act.until]);
            for version in limits.chain([None, Some(Version(0, 0, 1))]) {
                let mut defects: Vec<_> =
                    agent.acts.iter().filter(|act| act.is_of(version)).map(|act| act.defect.name()).collect();
                defects.sort_unstable();
                let all = defects.len();
                defects.dedup();
                assert_eq!(defects.len(), all, "{} {version:?}", agent.name);
            }
        }
    }

    #[test]
    fn sessions_of_older_versions_are_judged_as_those_send_them() {
        let effect = |version, defect: &str| {
            let acts = acts_of("claude-code", version);
            acts.iter().find(|line| line.act.defect.name() == defect).map(|line| line.act.effect.name())
        };
        assert_eq!(effect(Some(Version(2, 1, 85)), "missing-parent"), Some("loses-earlier"));
        assert_eq!(effect(Some(Version(2, 1, 91)), "missing-parent"), Some("reads-in-order"));
        assert_eq!(effect(None, "unanswered-call"), Some("answers"));
        assert_eq!(effect(Some(Version(2, 1, 70)), "unanswered-call"), None);
        assert!(acts_of("chat-request", None).is_empty());
    }
}
