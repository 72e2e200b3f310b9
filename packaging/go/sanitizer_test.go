package replaylint

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// What coder (github.com/coder/coder, its sanitisers of prompts for OpenAI and Anthropic) removes before it sends a history,
// in our words: a history as it lies in its database, and what may be sent. Where this module keeps more than coder does, the
// case says so.
//
// Items are written by short names: "user", "text" (of the assistant), "rs" (reasoning), "call a", "result a", "ws" (a web search
// of the provider); in messages of Anthropic "search 1" and "found 1" are a search of the provider and what it found.
type sanitizerCase struct {
	name string
	have []string
	want []string
}

var responsesCases = []sanitizerCase{
	{"a turn that is only reasoning has a result", []string{"user", "rs", "result a", "user"}, []string{"user", "rs", "user"}},
	{"and two results", []string{"user", "rs", "result a", "result b", "user"}, []string{"user", "rs", "user"}},
	{"reasoning and text, then a result", []string{"user", "rs", "text", "result a"}, []string{"user", "rs", "text"}},
	{"reasoning and a call have their result", []string{"user", "rs", "call a", "result a"}, nil},
	{"no result is orphaned", []string{"user", "text", "user"}, nil},
	{"a pair", []string{"user", "call a", "result a"}, nil},
	{"two calls at once", []string{"user", "call a", "call b", "result a", "result b", "text"}, nil},
	{"a call without a result", []string{"user", "call a", "text"}, []string{"user", "text"}},
	{"a result without a call", []string{"user", "result a", "text"}, []string{"user", "text"}},
	{"text and reasoning around a lost call stay", []string{"user", "rs", "text", "call a", "user"}, []string{"user", "rs", "text", "user"}},
	{"of two calls one has no result", []string{"user", "call a", "result a", "call b", "text"}, []string{"user", "call a", "result a", "text"}},
	{"a call that was just made", []string{"user", "call a"}, []string{"user"}},
	{"the user speaks before the result is there", []string{"user", "call a", "user"}, []string{"user", "user"}},
	// coder removes all of these; the real result is kept here, once and after its call.
	{"a call is there twice", []string{"user", "call a", "call a", "result a", "text"}, []string{"user", "call a", "result a", "text"}},
	{"a result is there twice", []string{"user", "call a", "result a", "result a", "text"}, []string{"user", "call a", "result a", "text"}},
	{"the result comes first", []string{"user", "result a", "call a"}, []string{"user", "call a", "result a"}},
	// A search needs the reasoning that led to it; coder removes both kinds in one of its forms.
	{"a search with its reasoning", []string{"user", "rs", "ws", "text"}, nil},
	{"a search without reasoning", []string{"user", "ws", "text"}, []string{"user", "text"}},
}

var anthropicCases = []sanitizerCase{
	{"a search and what it found", []string{"user: text", "assistant: search 1, found 1, text", "user: text"}, nil},
	{"only what was found", []string{"user: text", "assistant: found 1", "user: text"}, []string{"user: text", "user: text"}},
	{"text, and what was found", []string{"user: text", "assistant: text, found 1", "user: text"}, []string{"user: text", "assistant: text", "user: text"}},
	{"a pair, and something that was found", []string{"user: text", "assistant: search 1, found 1, found 2, text", "user: text"}, []string{"user: text", "assistant: search 1, found 1, text", "user: text"}},
	{"two searches of one id", []string{"user: text", "assistant: search 1, search 1, found 1, text", "user: text"}, []string{"user: text", "assistant: search 1, found 1, text", "user: text"}},
	{"found twice", []string{"user: text", "assistant: search 1, found 1, found 1, text", "user: text"}, []string{"user: text", "assistant: search 1, found 1, text", "user: text"}},
	{"a search in a message of the user", []string{"user: text", "assistant: text", "user: text, search 1, found 1"}, []string{"user: text", "assistant: text", "user: text"}},
	{"a call and its result", []string{"user: text", "assistant: call a", "user: result a"}, nil},
	{"a call without a result", []string{"user: text", "assistant: text, call a", "user: text"}, []string{"user: text", "assistant: text", "user: text"}},
	{"a result without a call", []string{"user: text", "assistant: text", "user: result a, text"}, []string{"user: text", "assistant: text", "user: text"}},
	// The API takes a search that is pending: a turn that it paused is sent back. coder removes it.
	{"a search without what it found", []string{"user: text", "assistant: text, search 1", "user: text"}, nil},
}

func TestCasesOfCodersSanitizers(t *testing.T) {
	each(t, func(t *testing.T, client *Client) {
		for _, dialect := range []struct {
			name  Dialect
			cases []sanitizerCase
			item  func(string) map[string]any
		}{{Responses, responsesCases, responsesItem}, {Anthropic, anthropicCases, anthropicMessage}} {
			for _, test := range dialect.cases {
				t.Run(fmt.Sprintf("%s/%s", dialect.name, test.name), func(t *testing.T) {
					write := func(names []string) []byte {
						items := make([]map[string]any, 0, len(names))
						for _, name := range names {
							items = append(items, dialect.item(name))
						}
						list, err := json.Marshal(items)
						if err != nil {
							t.Fatal(err)
						}
						return list
					}
					options := Options{Dialect: dialect.name, As: "request", Orphans: "drop", FixWarnings: true}
					have := write(test.have)
					fixed, err := client.Fix(ctx, have, options)
					if err != nil {
						t.Fatal(err)
					}
					want := test.want
					if want == nil {
						want = test.have
					}
					if got := namesOf(t, fixed.Document); fmt.Sprint(got) != fmt.Sprint(namesOf(t, write(want))) {
						t.Errorf("%v", got)
					}
					if refusal, err := client.Validate(ctx, fixed.Document, options); err != nil || refusal != nil {
						t.Errorf("%v %v", refusal, err)
					}
					if again, err := client.Fix(ctx, fixed.Document, options); err != nil || again.Changed {
						t.Errorf("the second repair changes %+v %v", again.Changes, err)
					}
				})
			}
		}
	})
}

func responsesItem(name string) map[string]any {
	var kind, id string
	_, _ = fmt.Sscan(name, &kind, &id)
	switch kind {
	case "user":
		return map[string]any{"role": "user", "content": "Is the ferry late?"}
	case "text":
		return map[string]any{"role": "assistant", "content": "It is on time."}
	case "rs":
		return map[string]any{"type": "reasoning", "id": "rs_1", "summary": []any{}, "encrypted_content": "gAAAA"}
	case "ws":
		return map[string]any{"type": "web_search_call", "id": "ws_1", "status": "completed", "action": map[string]any{"type": "search", "query": "ferry"}}
	case "call":
		return map[string]any{"type": "function_call", "call_id": id, "name": "ferries", "arguments": "{}"}
	default:
		return map[string]any{"type": "function_call_output", "call_id": id, "output": "10:15"}
	}
}

func anthropicMessage(name string) map[string]any {
	role, rest, _ := strings.Cut(name, ": ")
	var blocks []any
	for more := true; more; {
		var block, kind, id string
		block, rest, more = strings.Cut(rest, ", ")
		_, _ = fmt.Sscan(block, &kind, &id)
		switch kind {
		case "text":
			blocks = append(blocks, map[string]any{"type": "text", "text": "Is the ferry late?"})
		case "search":
			blocks = append(blocks, map[string]any{"type": "server_tool_use", "id": "srvtoolu_" + id, "name": "web_search", "input": map[string]any{"query": "ferry"}})
		case "found":
			blocks = append(blocks, map[string]any{"type": "web_search_tool_result", "tool_use_id": "srvtoolu_" + id, "content": []any{}})
		case "call":
			blocks = append(blocks, map[string]any{"type": "tool_use", "id": "toolu_" + id, "name": "ferries", "input": map[string]any{}})
		default:
			blocks = append(blocks, map[string]any{"type": "tool_result", "tool_use_id": "toolu_" + id, "content": "10:15"})
		}
	}
	return map[string]any{"role": role, "content": blocks}
}

// namesOf lists what a history consists of: the type or role of each item or block, and the id that pairs it.
func namesOf(t *testing.T, list []byte) []string {
	type part struct {
		Type, Role, ID string
		CallID         string `json:"call_id"`
		ToolUseID      string `json:"tool_use_id"`
		Content        any
	}
	var items []part
	if err := json.Unmarshal(list, &items); err != nil {
		t.Fatalf("%v: %s", err, list)
	}
	var names []string
	for _, item := range items {
		names = append(names, item.Type+item.Role+item.CallID)
		blocks, _ := item.Content.([]any)
		for _, block := range blocks {
			text, _ := json.Marshal(block)
			var inner part
			_ = json.Unmarshal(text, &inner)
			names = append(names, inner.Type+inner.ID+inner.ToolUseID)
		}
	}
	return names
}
