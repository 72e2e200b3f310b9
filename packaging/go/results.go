package replaylint

import "encoding/json"

// Report is what was found in a document: the JSON of `check --output-format json`.
type Report struct {
	Version     int          `json:"version"`
	Summary     Summary      `json:"summary"`
	Inputs      []Input      `json:"inputs"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Errors are the diagnostics for which a provider would reject the document.
func (r *Report) Errors() []Diagnostic {
	var errors []Diagnostic
	for _, diagnostic := range r.Diagnostics {
		if diagnostic.Severity == "error" {
			errors = append(errors, diagnostic)
		}
	}
	return errors
}

// Summary counts.
type Summary struct {
	Files     int `json:"files"`
	Histories int `json:"histories"`
	Items     int `json:"items"`
	Errors    int `json:"errors"`
	Warnings  int `json:"warnings"`
	Fixable   int `json:"fixable"`
}

// Input is how a document was read.
type Input struct {
	Path string `json:"path"`
	// Format is empty if it is unknown.
	Format    string   `json:"format"`
	Targets   []string `json:"targets"`
	Histories int      `json:"histories"`
	Items     int      `json:"items"`
}

// Span is a range of bytes.
type Span struct {
	Start int64 `json:"start"`
	End   int64 `json:"end"`
}

// Place is where something is in a document. Lines and columns (in code points) count from 1.
type Place struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Span    Span   `json:"span"`
	Pointer string `json:"pointer"`
	// InnerPointer leads into the JSON of the string at Pointer.
	InnerPointer string `json:"inner_pointer"`
}

// Diagnostic is a finding.
type Diagnostic struct {
	Place
	// Rule is a code such as RL102, Name that of the rule, URL its page.
	Rule string `json:"rule"`
	Name string `json:"name"`
	URL  string `json:"url"`
	// Severity is "error", "warning" or "info".
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Path     string `json:"path"`
	// History counts from 0; it is nil for what concerns a record or the document. Record counts from 1.
	History *int `json:"history"`
	Record  int  `json:"record"`
	// ID and CallID are those of the item; they may be empty.
	ID      string    `json:"id"`
	CallID  string    `json:"call_id"`
	Related []Related `json:"related"`
	// APIMessage is the message of the provider, verbatim; it is empty if none is known.
	APIMessage string `json:"api_message"`
	// Evidence is "recorded", "reported", "documented" or "inferred".
	Evidence string `json:"evidence"`
	Target   string `json:"target"`
	// Fix is nil if there is none; then NoFix says why.
	Fix   *FixOffer `json:"fix"`
	NoFix string    `json:"no_fix"`
}

// Related is another place that belongs to a diagnostic.
type Related struct {
	Place
	Message string `json:"message"`
}

// FixOffer is a fix that Fix makes: by default, or if the command had this flag.
type FixOffer struct {
	Title   string `json:"title"`
	Loss    string `json:"loss"`
	Default bool   `json:"default"`
	Flag    string `json:"flag"`
}

// Fixed is a document after its repair. The report is about the repaired document.
type Fixed struct {
	Report
	// Document is the repaired document; the very same if nothing was changed.
	Document []byte   `json:"-"`
	Changed  bool     `json:"changed"`
	Changes  []Change `json:"changes"`
	Fixed    struct {
		Dropped   int `json:"dropped"`
		Moved     int `json:"moved"`
		Stubbed   int `json:"stubbed"`
		Rewritten int `json:"rewritten"`
	} `json:"fixed"`
}

// Change is a change of a repair, with its place in the original.
type Change struct {
	Rule    string `json:"rule"`
	Path    string `json:"path"`
	Pointer string `json:"pointer"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	// Action is "drop", "move", "stub", "rewrite" or "strip", What the same in words.
	Action string `json:"action"`
	What   string `json:"what"`
	// Loss is "lossless", "adds" or "lossy".
	Loss  string `json:"loss"`
	Bytes int64  `json:"bytes"`
	// Turn is the number of the turn of the user, from 1; nil if there is none.
	Turn *int `json:"turn"`
}

// Converted are the conversations of a document in another dialect.
type Converted struct {
	// Requests are the bodies, one for each conversation.
	Requests  []json.RawMessage `json:"requests"`
	Histories int               `json:"histories"`
	// Failed is the number of records that could not be converted.
	Failed int `json:"failed"`
	// Losses says what was lost, and where it was.
	Losses Report `json:"losses"`
}

// APIError is what a provider answers to a request that it rejects.
type APIError struct {
	// Status is that of HTTP.
	Status int          `json:"status"`
	Body   APIErrorBody `json:"error"`
}

// APIErrorBody has the members of an error that providers have in common.
type APIErrorBody struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	// Code is replaylint_rl105 or the like if no message of the provider is known.
	Code *string `json:"code"`
}

func (e *APIError) Error() string {
	return e.Body.Message
}
