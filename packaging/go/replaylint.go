// Package replaylint checks stored LLM conversations for what a provider would reject, repairs them, and converts them.
//
// A [Client] made by [New] does so in the process, with the library as WebAssembly; one made by [NewWorker] asks a process,
// `replaylint serve --stdio`. Both give the same answers. A [Guard] repairs requests of HTTP clients right before they are sent.
package replaylint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Dialect is the API language of items and messages.
type Dialect string

const (
	Responses Dialect = "responses"
	Chat      Dialect = "chat"
	Anthropic Dialect = "anthropic"
	Gemini    Dialect = "gemini"
	Bedrock   Dialect = "bedrock"
)

// Options say how a document is read, judged and repaired. They are named like the flags of the command line; the zero value
// is its default.
type Options struct {
	// Target is the API that the conversation is sent to; `replaylint targets` lists them.
	Target string `json:"target,omitempty"`
	// Format is the stored format, which is detected otherwise.
	Format string `json:"format,omitempty"`
	// Dialect says that the document is a list of items or messages of this dialect. Pointers then lead into the list.
	Dialect Dialect `json:"dialect,omitempty"`
	// Store says whether the server stores the items, if the document does not.
	Store *bool `json:"store,omitempty"`
	// Model and Effort are used if the document does not name them.
	Model  string `json:"model,omitempty"`
	Effort string `json:"effort,omitempty"`
	// As is "request" (an unanswered call at the end is an error) or "log" (it may still run).
	As string `json:"as,omitempty"`
	// Pointer is the JSON Pointer from each record to the conversation.
	Pointer string `json:"pointer,omitempty"`
	// Select and Ignore are rules, by code, prefix or name.
	Select []string `json:"select,omitempty"`
	Ignore []string `json:"ignore,omitempty"`
	// Name is the name of the document in reports.
	Name string `json:"name,omitempty"`
	// ForModel is the model that goes on with the conversation: MODEL, TARGET:MODEL or TARGET.
	ForModel string `json:"for_model,omitempty"`
	// AccountChanged says that it goes on in another account.
	AccountChanged bool `json:"account_changed,omitempty"`

	// Orphans says how Fix repairs calls without results: "auto", "drop", "stub" or "text".
	Orphans string `json:"orphans,omitempty"`
	// Reasoning says how Fix treats reasoning: "auto", "reference", "inline", "keep" or "strip".
	Reasoning string `json:"reasoning,omitempty"`
	// Lossless applies only lossless fixes, FixWarnings also those of warnings that are not applied by default.
	Lossless    bool `json:"lossless,omitempty"`
	FixWarnings bool `json:"fix_warnings,omitempty"`
	// Images says what Fix does with images: "drop", "keep-last=N" or "shrink"; the others are its limits.
	Images         string `json:"images,omitempty"`
	MaxImages      *int   `json:"max_images,omitempty"`
	MaxImageBytes  int64  `json:"max_image_bytes,omitempty"`
	MaxImagePixels int    `json:"max_image_pixels,omitempty"`
	// MaxTokens shortens the conversation to about so many tokens; Keep says what stays ("prompts", "last=3" or both).
	MaxTokens int64  `json:"max_tokens,omitempty"`
	Keep      string `json:"keep,omitempty"`
}

// Error is why a request has no result. Problems in a document are not errors, but diagnostics.
type Error struct {
	// Code is "malformed", "too_large", "invalid_request", "failed" or "internal".
	Code    string `json:"code"`
	Message string `json:"message"`
	// Help says what to do about it; it may be empty.
	Help string `json:"help"`
}

func (e *Error) Error() string {
	if e.Help == "" {
		return "replaylint: " + e.Message
	}
	return fmt.Sprintf("replaylint: %s (%s)", e.Message, e.Help)
}

// A transport takes a request, a line of JSON without a line feed, to something that answers it.
type transport interface {
	answer(ctx context.Context, request []byte) ([]byte, error)
	close() error
}

// Client asks an engine. It is safe for concurrent use.
type Client struct {
	transport transport
}

// Close frees what the client uses. Calls that have begun may fail.
func (c *Client) Close() error {
	return c.transport.close()
}

// Check reports what a provider would reject in a document: JSON or JSON Lines, in any format that the command reads.
func (c *Client) Check(ctx context.Context, document []byte, options Options) (*Report, error) {
	var report Report
	return &report, c.call(ctx, "check", &report, with("document", document), options.member())
}

// Validate returns the error that the provider would answer a request with, and nil if it would accept the request: for the
// server of a test.
func (c *Client) Validate(ctx context.Context, document []byte, options Options) (*APIError, error) {
	var refusal *APIError
	err := c.call(ctx, "validate", &refusal, with("document", document), options.member())
	return refusal, err
}

// Fix repairs a document as far as its target allows. What it does not change stays byte for byte.
func (c *Client) Fix(ctx context.Context, document []byte, options Options) (*Fixed, error) {
	var answer struct {
		Document json.RawMessage `json:"document"`
		Fixed
	}
	if err := c.call(ctx, "fix", &answer, with("document", document), options.member()); err != nil {
		return nil, err
	}
	fixed := answer.Fixed
	fixed.Document = document
	if fixed.Changed {
		text, err := textOf(answer.Document)
		if err != nil {
			return nil, err
		}
		fixed.Document = text
	}
	return &fixed, nil
}

// CheckedRequest is what is to be said of the body of a request.
type CheckedRequest struct {
	// Endpoint is the end of the URL's path that names what is asked for, such as responses or messages/count_tokens.
	Endpoint string
	// Body is what is to be sent instead; nil for the given body.
	Body []byte
	// Found are the conversations of the body that were repaired, or that the provider would reject.
	Found []Fixed
}

// CheckRequest judges the body of a request that is about to be sent, by the API that the URL names, and with repairs repairs
// what the provider would reject. It is nil if there is nothing to say: no conversation is sent there, or nothing is wrong.
func (c *Client) CheckRequest(ctx context.Context, url string, body []byte, repairs bool, options Options) (*CheckedRequest, error) {
	var answer *struct {
		Endpoint string          `json:"endpoint"`
		Document json.RawMessage `json:"document"`
		Found    []Fixed         `json:"found"`
	}
	wanted := member{name: "repairs", value: []byte(fmt.Sprint(repairs))}
	err := c.call(ctx, "check_request", &answer, text("url", url), with("document", body), wanted, options.member())
	if err != nil || answer == nil {
		return nil, err
	}
	checked := &CheckedRequest{Endpoint: answer.Endpoint, Found: answer.Found}
	if string(answer.Document) != "null" {
		if checked.Body, err = textOf(answer.Document); err != nil {
			return nil, err
		}
	}
	for n := range checked.Found {
		checked.Found[n].Changed = len(checked.Found[n].Changes) > 0
	}
	return checked, nil
}

// Convert writes the conversations of a document as requests of another dialect, and reports what is lost.
func (c *Client) Convert(ctx context.Context, document []byte, to Dialect, options Options) (*Converted, error) {
	var converted Converted
	return &converted, c.call(ctx, "convert", &converted, with("document", document), text("to", string(to)), options.member())
}

// Diff compares two documents item by item. The result is the JSON of `replaylint diff --output-format json`.
func (c *Client) Diff(ctx context.Context, before, after []byte, options Options) (json.RawMessage, error) {
	var diff json.RawMessage
	return diff, c.call(ctx, "diff", &diff, with("before", before), with("after", after), options.member())
}

// ExplainError explains an error of an API: its text, a JSON body, a line of a log. The result is the JSON of `replaylint explain
// --error TEXT --output-format json`.
func (c *Client) ExplainError(ctx context.Context, message string) (json.RawMessage, error) {
	var explained json.RawMessage
	err := c.call(ctx, "explain", &explained, text("error", message))
	return explained, err
}

// Version returns the version of the engine.
func (c *Client) Version(ctx context.Context) (string, error) {
	var version string
	err := c.call(ctx, "version", &version)
	return version, err
}

// A member of a request: its name and its JSON, or why there is none.
type member struct {
	name  string
	value []byte
	err   error
}

// with is a document of a request: a part of the line if that is possible, and otherwise a string.
func with(name string, document []byte) member {
	if !utf8.Valid(document) {
		return member{name: name, err: errors.New("replaylint: the document is not UTF-8")}
	}
	trimmed := bytes.TrimSpace(document)
	isValue := len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[')
	if isValue && len(trimmed) == len(document) && !bytes.ContainsAny(document, "\r\n") && json.Valid(document) {
		return member{name: name, value: document}
	}
	return text(name, string(document))
}

func text(name, value string) member {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return member{name: name, value: bytes.TrimRight(buffer.Bytes(), "\n"), err: err}
}

func (o Options) member() member {
	value, err := json.Marshal(o)
	return member{name: "options", value: value, err: err}
}

func (c *Client) call(ctx context.Context, method string, result any, members ...member) error {
	request := append([]byte(`{"method":"`), method...)
	request = append(request, '"')
	for _, member := range members {
		if member.err != nil {
			return member.err
		}
		request = append(append(append(request, `,"`...), member.name...), `":`...)
		request = append(request, member.value...)
	}
	request = append(request, '}')
	line, err := c.transport.answer(ctx, request)
	if err != nil {
		return err
	}
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *Error          `json:"error"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return fmt.Errorf("replaylint: the answer cannot be read: %w", err)
	}
	if answer.Error != nil {
		return answer.Error
	}
	return json.Unmarshal(answer.Result, result)
}

// textOf is the text of a document of an answer: a string, or a value, which stays as it is.
func textOf(document json.RawMessage) ([]byte, error) {
	if len(document) == 0 || document[0] != '"' {
		return document, nil
	}
	var text string
	err := json.Unmarshal(document, &text)
	return []byte(text), err
}
