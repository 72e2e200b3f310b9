//! Generated logs in which each request repeats the one before, of any length. Tests and benches share them.

use std::fmt::Write;

const SENTENCE: &str = "how far is it from here to there, and \\\"back\\\"? ";

fn question(turn: usize) -> String {
    format!("Question {turn}: {}", SENTENCE.repeat(1 + turn % 3))
}

fn message(role: &str, content: &str) -> String {
    format!("{{\"role\":\"{role}\",\"content\":\"{content}\"}}")
}

fn event(out: &mut String, offset: &mut usize, name: &str, payload: &str) {
    *offset += 1;
    let _ = writeln!(
        out,
        "{{\"type\":\"events.iterate.com/{name}\",\"payload\":{payload},\"offset\":{offset},\
         \"createdAt\":\"2026-06-10T10:00:00Z\"}}"
    );
}

/// An event stream of iterate; with `bodies` in its older form, in which each request carries its body.
pub fn stream(turns: usize, bodies: bool) -> Vec<u8> {
    let (mut out, mut offset) = (String::new(), 0);
    event(&mut out, &mut offset, "agent/system-prompt-updated", "{\"systemPrompt\":\"Be brief.\"}");
    let mut history = message("system", "Be brief.");
    for turn in 0..turns {
        let asked = question(turn);
        event(&mut out, &mut offset, "agent/input-added", &format!("{{\"content\":\"{asked}\"}}"));
        let _ = write!(history, ",{}", message("user", &asked));
        let body = if bodies { format!(",\"body\":{{\"messages\":[{history}]}}") } else { String::new() };
        let payload = format!("{{\"model\":\"m\",\"runOpts\":{{}}{body}}}");
        event(&mut out, &mut offset, "agent/llm-request-requested", &payload);
        let request = offset;
        let said = format!("{{\"content\":\"Answer {turn}\",\"llmRequestId\":{request}}}");
        event(&mut out, &mut offset, "agent/output-added", &said);
        let _ = write!(history, ",{}", message("assistant", &format!("Answer {turn}")));
        let end = format!(
            "{{\"llmRequestId\":{request},\"provider\":\"cloudflare-ai\",\"durationMs\":9,\
             \"result\":{{\"status\":\"success\"}}}}"
        );
        event(&mut out, &mut offset, "agent/llm-request-completed", &end);
    }
    out.into_bytes()
}

/// A log of Responses requests, one per line, of several interleaved conversations.
pub fn requests(turns: usize, conversations: usize) -> Vec<u8> {
    let mut out = String::new();
    let mut histories: Vec<String> =
        (0..conversations).map(|n| message("developer", &format!("You are number {n}."))).collect();
    for turn in 0..turns {
        let history = &mut histories[turn % conversations];
        let _ = write!(history, ",{}", message("user", &question(turn)));
        let _ = writeln!(out, "{{\"model\":\"gpt-5.5\",\"store\":false,\"input\":[{history}],\"tools\":[]}}");
        let call = format!(
            "{{\"type\":\"function_call\",\"call_id\":\"call_{turn}\",\"name\":\"f\",\"arguments\":\"{{}}\"}},\
             {{\"type\":\"function_call_output\",\"call_id\":\"call_{turn}\",\"output\":\"{turn}\"}}"
        );
        let _ = write!(history, ",{call}");
    }
    out.into_bytes()
}
