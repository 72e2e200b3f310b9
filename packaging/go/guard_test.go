package replaylint

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A provider answers like the API of a path, and keeps what it was sent.
type provider struct {
	*httptest.Server
	client *Client
	bodies [][]byte
	length int64
	// What a body is judged as.
	options Options
}

func newProvider(t *testing.T, client *Client) *provider {
	p := &provider{client: client}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *provider) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	p.bodies, p.length = append(p.bodies, body), request.ContentLength
	if refusal, err := p.client.Validate(ctx, body, p.options); err != nil || refusal != nil {
		writer.WriteHeader(http.StatusBadRequest)
	}
}

func (p *provider) last() []byte { return p.bodies[len(p.bodies)-1] }

var (
	chatOrphan      = `{"model":"m","messages":[{"role":"tool","tool_call_id":"c","content":"x"},{"role":"user","content":"Hi"}]}`
	anthropicOrphan = `{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"f","input":{}}]},{"role":"user","content":"So?"}]}`
	// Counting takes no max_tokens: only the path says what it is.
	countOrphan   = strings.Replace(anthropicOrphan, `"max_tokens":9,`, "", 1)
	invokeOrphan  = strings.Replace(anthropicOrphan, `"model":"claude-sonnet-4-5",`, `"anthropic_version":"bedrock-2023-05-31",`, 1)
	geminiOrphan  = `{"contents":[{"role":"user","parts":[{"text":"Hi"}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}]}`
	bedrockOrphan = `{"messages":[{"role":"user","content":[{"text":"Hi"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"f","input":{}}}]},{"role":"user","content":[{"text":"So?"}]}]}`
)

func TestEveryEndpointIsRepaired(t *testing.T) {
	endpoints := []struct{ path, format, body, pointer string }{
		{"/v1/responses", "responses-request", orphan, ""},
		{"/v1/responses/input_tokens", "responses-request", orphan, ""},
		{"/openai/deployments/d/chat/completions?api-version=1", "chat-request", chatOrphan, ""},
		{"/v1/messages", "anthropic-request", anthropicOrphan, ""},
		{"/v1/messages?beta=true", "anthropic-request", anthropicOrphan, ""},
		{"/v1/messages/count_tokens", "anthropic-request", countOrphan, ""},
		{"/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4-5:streamRawPredict", "anthropic-request", invokeOrphan, ""},
		{"/v1beta/models/gemini-2.5-pro:generateContent", "gemini-request", geminiOrphan, ""},
		{"/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", "gemini-request", geminiOrphan, ""},
		{"/v1beta/models/gemini-2.5-pro:countTokens", "gemini-request", geminiOrphan, ""},
		{"/v1beta/models/gemini-2.5-pro:countTokens", "gemini-request", `{"generateContentRequest":` + geminiOrphan + `}`, "/generateContentRequest"},
		{"/v1beta/models/gemini-2.5-pro:batchGenerateContent", "gemini-request", `{"batch":{"inputConfig":{"requests":{"requests":[{"request":{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}},{"request":` + geminiOrphan + `}]}}}}`, "/batch/inputConfig/requests/requests/1/request"},
		{"/v1/messages/batches", "anthropic-batch", `{"requests":[{"custom_id":"a","params":` + anthropicOrphan + `}]}`, ""},
		{"/model/m/count-tokens", "bedrock-request", `{"input":{"converse":` + bedrockOrphan + `}}`, "/input/converse"},
		{"/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse", "bedrock-request", bedrockOrphan, ""},
		{"/model/m/converse-stream", "bedrock-request", bedrockOrphan, ""},
		{"/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke", "anthropic-request", invokeOrphan, ""},
	}
	client := engineClient(t)
	for _, endpoint := range endpoints {
		t.Run(endpoint.path, func(t *testing.T) {
			provider := newProvider(t, client)
			provider.options = Options{Format: endpoint.format, Pointer: endpoint.pointer}
			var repairs []Repair
			guard := &Guard{Client: client, OnChange: func(repair Repair) { repairs = append(repairs, repair) }, OnError: func(err error) { t.Error(err) }}
			for _, caller := range []struct {
				client *http.Client
				want   int
			}{{http.DefaultClient, 400}, {&http.Client{Transport: guard}, 200}} {
				response, err := caller.client.Post(provider.URL+endpoint.path, "application/json", strings.NewReader(endpoint.body))
				if err != nil || response.StatusCode != caller.want {
					t.Fatalf("%v %v\n%s", response, err, provider.last())
				}
				_ = response.Body.Close()
			}
			if provider.length != int64(len(provider.last())) {
				t.Errorf("Content-Length is %d, the body has %d bytes", provider.length, len(provider.last()))
			}
			if len(repairs) != 1 || !repairs[0].Applied || repairs[0].Endpoint == "" || len(repairs[0].Changes) == 0 {
				t.Errorf("%+v", repairs)
			}
		})
	}
}

// What is none of the guard's business passes as it is, and so does what it cannot repair.
func TestOtherRequestsPass(t *testing.T) {
	client := engineClient(t)
	passing := []struct {
		name, path string
		change     func(*http.Request)
		strict     bool
	}{
		{"another path", "/v1/embeddings", nil, false},
		{"messages of a thread", "/v1/threads/t_1/messages", nil, false},
		{"another method", "/v1/responses", func(r *http.Request) { r.Method = http.MethodPut }, false},
		{"another type", "/v1/responses", func(r *http.Request) { r.Header.Set("Content-Type", "multipart/form-data") }, false},
		{"packed", "/v1/responses", func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }, false},
		{"signed", "/v1/responses", func(r *http.Request) { r.Header.Set("Authorization", "AWS4-HMAC-SHA256 …") }, true},
		{"another model's body", "/model/meta.llama3/invoke", nil, false},
	}
	for _, test := range passing {
		t.Run(test.name, func(t *testing.T) {
			provider := newProvider(t, client)
			for _, strict := range []bool{false, true} {
				request, _ := http.NewRequest(http.MethodPost, provider.URL+test.path, strings.NewReader(orphan))
				request.Header.Set("Content-Type", "application/json")
				if test.change != nil {
					test.change(request)
				}
				response, err := (&Guard{Client: client, Strict: strict}).RoundTrip(request)
				if strict && test.strict {
					if !errors.Is(err, ErrSigned) {
						t.Errorf("%v", err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				_ = response.Body.Close()
				if string(provider.last()) != orphan {
					t.Errorf("%s", provider.last())
				}
			}
		})
	}
}

func TestModesOfTheGuard(t *testing.T) {
	client := engineClient(t)
	closed := &Client{transport: &worker{closed: true, lock: make(chan struct{}, 1)}}
	hopeless := `{"model":"gpt-5","input":[{"role":"wizard","content":"Hi"}]}`
	tests := []struct {
		name  string
		guard Guard
		body  string
		// What is sent; empty for an error.
		want string
		// Calls of OnChange and OnError.
		changes, errors int
	}{
		{"repairs", Guard{Client: client}, orphan, `{"model":"gpt-5","input":[{"role":"user","content":"Hi"}]}`, 1, 0},
		{"has nothing to do", Guard{Client: client, Strict: true}, `{"input":[{"role":"user","content":"Hi"}]}`, `{"input":[{"role":"user","content":"Hi"}]}`, 0, 0},
		{"only reports", Guard{Client: client, ReportOnly: true, Strict: true}, orphan, orphan, 1, 0},
		{"cannot repair", Guard{Client: client}, hopeless, hopeless, 1, 0},
		{"is strict, and cannot repair", Guard{Client: client, Strict: true}, hopeless, "", 1, 1},
		{"has no client", Guard{}, orphan, orphan, 0, 1},
		{"has a closed client", Guard{Client: closed}, orphan, orphan, 0, 1},
		{"is strict, and has a closed client", Guard{Client: closed, Strict: true}, orphan, "", 0, 1},
		{"has a wrong option", Guard{Client: client, Options: Options{Orphans: "dorp"}}, orphan, orphan, 0, 1},
		{"has an option", Guard{Client: client, Options: Options{Ignore: []string{"RL102"}}}, orphan, orphan, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			provider := newProvider(t, client)
			guard, changes, failures := test.guard, 0, 0
			guard.OnChange = func(Repair) { changes++ }
			guard.OnError = func(error) { failures++ }
			request, _ := http.NewRequest(http.MethodPost, provider.URL+"/v1/responses", strings.NewReader(test.body))
			response, err := guard.RoundTrip(request)
			if (err != nil) != (test.want == "") || changes != test.changes || failures != test.errors {
				t.Fatalf("%v, %d changes, %d errors", err, changes, failures)
			}
			if err == nil {
				_ = response.Body.Close()
				if string(provider.last()) != test.want {
					t.Errorf("%s", provider.last())
				}
			}
			// For clients that sign.
			body, err := guard.Body(request, []byte(test.body))
			if (err != nil) != (test.want == "") || err == nil && string(body) != test.want {
				t.Errorf("%s %v", body, err)
			}
		})
	}
}

// A client that tries again, and a server that sends it elsewhere, get the repaired body each time.
func TestBodiesCanBeSentAgain(t *testing.T) {
	client := engineClient(t)
	provider := newProvider(t, client)
	redirecting := httptest.NewServer(http.RedirectHandler(provider.URL+"/v1/elsewhere", http.StatusTemporaryRedirect))
	defer redirecting.Close()
	response, err := (&http.Client{Transport: &Guard{Client: client}}).Post(redirecting.URL+"/v1/responses", "application/json", strings.NewReader(orphan))
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	// The redirection keeps the body of the caller, and its path is not guarded.
	if string(provider.last()) != orphan {
		t.Errorf("%s", provider.last())
	}
	var again []byte
	base := roundTripper(func(request *http.Request) (*http.Response, error) {
		for range 2 {
			body, err := request.GetBody()
			if err != nil {
				return nil, err
			}
			if again, err = io.ReadAll(body); err != nil || int64(len(again)) != request.ContentLength {
				t.Errorf("%d bytes, not %d: %v", len(again), request.ContentLength, err)
			}
		}
		return nil, errors.New("enough")
	})
	request, _ := http.NewRequest(http.MethodPost, provider.URL+"/v1/responses", bytes.NewBufferString(orphan))
	length := request.ContentLength
	if _, err := (&Guard{Client: client, Base: base}).RoundTrip(request); err == nil || bytes.Contains(again, []byte("c1")) {
		t.Errorf("%s %v", again, err)
	}
	if request.ContentLength != length {
		t.Error("the request of the caller was changed")
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }
