package replaylint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"testing"
)

var ctx = context.Background()

// clients are both kinds: the engine of this build, and a worker of the program that REPLAYLINT names.
var clients = map[string]func(testing.TB) *Client{"engine": engineClient, "worker": workerClient}

var shared struct {
	once   sync.Once
	client *Client
	err    error
}

// The engine is compiled once for all tests.
func engineClient(t testing.TB) *Client {
	t.Helper()
	shared.once.Do(func() {
		shared.client, shared.err = New(ctx, Config{CacheDir: os.Getenv("REPLAYLINT_GO_CACHE")})
	})
	if errors.Is(shared.err, ErrNoEngine) {
		t.Skip(shared.err)
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.client
}

func workerClient(t testing.TB) *Client {
	t.Helper()
	program := os.Getenv("REPLAYLINT")
	if program == "" {
		t.Skip("REPLAYLINT does not name the program")
	}
	client, err := NewWorker(ctx, program)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func each(t *testing.T, test func(*testing.T, *Client)) {
	for name, client := range clients {
		t.Run(name, func(t *testing.T) { test(t, client(t)) })
	}
}

const orphan = `{"model":"gpt-5","input":[{"role":"user","content":"Hi"},{"type":"function_call_output","call_id":"c1","output":"x"}]}`

func TestMethods(t *testing.T) {
	each(t, func(t *testing.T, client *Client) {
		report, err := client.Check(ctx, []byte(orphan), Options{})
		if err != nil || len(report.Errors()) != 1 || report.Errors()[0].Rule != "RL102" || report.Errors()[0].Pointer != "/input/1" {
			t.Errorf("check: %+v %v", report, err)
		}
		refusal, err := client.Validate(ctx, []byte(orphan), Options{})
		if err != nil || refusal == nil || refusal.Status != 400 || refusal.Error() != "No tool call found for function call output with call_id c1." {
			t.Errorf("validate: %+v %v", refusal, err)
		}
		accepted, err := client.Validate(ctx, []byte(`{"messages":[{"role":"user","content":"Hi"}]}`), Options{Target: "chat"})
		if err != nil || accepted != nil {
			t.Errorf("validate: %+v %v", accepted, err)
		}
		fixed, err := client.Fix(ctx, []byte(orphan), Options{})
		if err != nil || string(fixed.Document) != `{"model":"gpt-5","input":[{"role":"user","content":"Hi"}]}` || fixed.Changes[0].Pointer != "/input/1" || fixed.Fixed.Dropped != 1 {
			t.Errorf("fix: %+v %v", fixed, err)
		}
		converted, err := client.Convert(ctx, []byte(`[{"role":"user","content":"Hi"}]`), Gemini, Options{Dialect: Chat})
		if err != nil || len(converted.Requests) != 1 || string(converted.Requests[0]) != `{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}` {
			t.Errorf("convert: %+v %v", converted, err)
		}
		diff, err := client.Diff(ctx, []byte(orphan), fixed.Document, Options{})
		if err != nil || !bytes.Contains(diff, []byte(`"removed":1`)) {
			t.Errorf("diff: %s %v", diff, err)
		}
		explained, err := client.ExplainError(ctx, "No tool output found for function call c1.")
		if err != nil || !bytes.Contains(explained, []byte(`"rule":"RL101"`)) {
			t.Errorf("explain: %s %v", explained, err)
		}
		if version, err := client.Version(ctx); err != nil || version == "" {
			t.Errorf("version: %q %v", version, err)
		}
	})
}

// What is not changed stays byte for byte: line feeds, escapes, numbers, and lines of a session.
func TestDocumentsKeepTheirBytes(t *testing.T) {
	documents := map[string]string{
		"pretty":          "{\n  \"model\": \"gpt-5\",\n  \"temperature\": 1.0e0,\n  \"input\": [{\"role\": \"user\", \"content\": \"<\\u00e9 \\ud83d\\ude00 \\ud800>\"}]\n}\n",
		"one line":        `{"model":"gpt-5","temperature":1.0e0,"input":[{"role":"user","content":"<\u00e9 \ud83d\ude00 \ud800>"}]}`,
		"JSON Lines":      "{\"role\":\"user\",\"content\":\"Hi\"}\r\n{\"role\":\"assistant\",\"content\":\"é 😀  \"}\r\n",
		"damaged":         "{\"messages\": [",
		"nothing":         "",
		"not JSON at all": "Dear diary,",
	}
	each(t, func(t *testing.T, client *Client) {
		for name, document := range documents {
			fixed, err := client.Fix(ctx, []byte(document), Options{})
			if err != nil || fixed.Changed || string(fixed.Document) != document {
				t.Errorf("%s: %+v %v", name, fixed, err)
			}
		}
		pretty := "{\n  \"input\": [\n    {\"role\": \"user\", \"content\": \"\\u00e9\"},\n    {\"type\": \"function_call_output\", \"call_id\": \"c\", \"output\": \"x\"}\n  ]\n}\n"
		fixed, err := client.Fix(ctx, []byte(pretty), Options{})
		if want := "{\n  \"input\": [\n    {\"role\": \"user\", \"content\": \"\\u00e9\"}\n  ]\n}\n"; err != nil || string(fixed.Document) != want {
			t.Errorf("%q %v", fixed.Document, err)
		}
	})
}

func TestErrors(t *testing.T) {
	each(t, func(t *testing.T, client *Client) {
		var failure *Error
		if _, err := client.Check(ctx, []byte("{}"), Options{Target: "antropic"}); !errors.As(err, &failure) || failure.Code != "invalid_request" || failure.Help == "" {
			t.Errorf("%v", err)
		}
		if _, err := client.Convert(ctx, []byte("{}"), "latin", Options{}); !errors.As(err, &failure) || failure.Message != "unknown dialect 'latin'" {
			t.Errorf("%v", err)
		}
		if _, err := client.Check(ctx, []byte("{\"a\":\"\xff\"}"), Options{}); err == nil {
			t.Error("text that is not UTF-8 was sent")
		}
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		for n := 0; n < 50; n++ {
			if _, err := client.Check(cancelled, []byte("{}"), Options{}); err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		}
		// Whatever happened before, an answer is that of its own question.
		if report, err := client.Check(ctx, []byte(orphan), Options{Name: "after"}); err != nil || report.Inputs[0].Path != "after" {
			t.Errorf("%+v %v", report, err)
		}
	})
}

// Every option of the struct is one that the engine knows.
func TestOptionsAreKnown(t *testing.T) {
	yes, one := true, 1
	all := Options{
		Target: "openai", Format: "responses-request", Store: &yes, Model: "gpt-5", Effort: "high", As: "request", Pointer: "/body",
		Select: []string{"RL1"}, Ignore: []string{"RL102"}, Name: "n", ForModel: "openai", AccountChanged: true, Orphans: "drop",
		Reasoning: "keep", Lossless: true, FixWarnings: true, Images: "drop", MaxImages: &one, MaxImageBytes: 1, MaxImagePixels: 1,
		MaxTokens: 1000, Keep: "last=3",
	}
	given, _ := json.Marshal(all)
	var members map[string]any
	_ = json.Unmarshal(given, &members)
	if len(members) != 22 {
		t.Errorf("%d options are set: %s", len(members), given)
	}
	each(t, func(t *testing.T, client *Client) {
		if _, err := client.Fix(ctx, []byte(`{"body":`+orphan+`}`), all); err != nil {
			t.Error(err)
		}
	})
}

// Many goroutines, more than there are instances: each gets the answer to its own question.
func TestConcurrentCalls(t *testing.T) {
	each(t, func(t *testing.T, client *Client) {
		var group sync.WaitGroup
		for worker := 0; worker < 8; worker++ {
			group.Add(1)
			go func() {
				defer group.Done()
				for n := 0; n < 50; n++ {
					name := string(rune('a' + worker))
					report, err := client.Check(ctx, []byte(orphan), Options{Name: name})
					if err != nil || report.Inputs[0].Path != name {
						t.Errorf("%+v %v", report, err)
						return
					}
				}
			}()
		}
		group.Wait()
	})
}

func TestClosedClients(t *testing.T) {
	client, err := New(ctx, Config{CacheDir: os.Getenv("REPLAYLINT_GO_CACHE"), Instances: 1})
	if errors.Is(err, ErrNoEngine) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, client := range []*Client{client, workerClient(t)} {
		if err := errors.Join(client.Close(), client.Close()); err != nil {
			t.Error(err)
		}
		if _, err := client.Version(ctx); !errors.Is(err, errClosed) {
			t.Errorf("%v", err)
		}
	}
}

// A trap costs the call, and no other one.
func TestAnInstanceIsReplacedAfterATrap(t *testing.T) {
	client := engineClient(t)
	engine := client.transport.(*engine)
	for range cap(engine.free) {
		instance, err := engine.instance(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if old := <-engine.free; old != nil {
			_ = old.Close(ctx)
		}
		// A request outside of the memory is a fault.
		if _, err := instance.answer.Call(ctx, 0xffff0000, 1<<16); err == nil {
			t.Fatal("no trap")
		}
		_ = instance.Close(ctx)
		engine.free <- instance
	}
	failed := 0
	for n := 0; n < 2*cap(engine.free); n++ {
		var failure *Error
		if _, err := client.Version(ctx); errors.As(err, &failure) && failure.Code == "internal" {
			failed++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if failed != cap(engine.free) {
		t.Errorf("%d calls failed", failed)
	}
	// Memory that a large document took is given back.
	large := []byte(`{"messages":[{"role":"user","content":"` + string(bytes.Repeat([]byte("x"), 40<<20)) + `"}]}`)
	if report, err := client.Check(ctx, large, Options{}); err != nil || report.Summary.Items != 1 {
		t.Fatalf("%v", err)
	}
	for range cap(engine.free) {
		instance := <-engine.free
		if instance != nil && instance.Memory().Size() > maxIdleMemory {
			t.Errorf("an instance keeps %d bytes", instance.Memory().Size())
		}
		engine.free <- instance
	}
}

// A worker that dies costs the calls that wait for it; the next one starts another.
func TestAWorkerIsStartedAgain(t *testing.T) {
	client := workerClient(t)
	worker := client.transport.(*worker)
	_ = worker.process.command.Process.Kill()
	<-worker.process.ended
	if _, err := client.Version(ctx); err != nil {
		t.Error(err)
	}
	if _, err := NewWorker(ctx, "/nonexistent/replaylint"); err == nil {
		t.Error("a program that does not exist was started")
	}
}

func BenchmarkCalls(b *testing.B) {
	items := []string{`{"role":"user","content":"What is the weather in Rome and in Oslo today, please?"}`}
	document := func() []byte { return []byte(`{"model":"gpt-5","input":[` + join(items) + `]}`) }
	small := document()
	for len(document()) < 2000 {
		items = append(items, `{"type":"function_call","call_id":"c`+string(rune('a'+len(items)))+`","name":"weather","arguments":"{\"city\":\"Rome\",\"unit\":\"celsius\"}"}`,
			`{"type":"function_call_output","call_id":"c`+string(rune('a'+len(items)))+`","output":"22 degrees, sunny, with a light wind from the west"}`)
	}
	for name, client := range clients {
		for _, size := range []struct {
			name     string
			document []byte
		}{{"small", small}, {"2KB", document()}} {
			b.Run(name+"/check/"+size.name, func(b *testing.B) {
				client := client(b)
				b.ResetTimer()
				for n := 0; n < b.N; n++ {
					if _, err := client.Check(ctx, size.document, Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(name+"/fix/"+size.name, func(b *testing.B) {
				client := client(b)
				b.ResetTimer()
				for n := 0; n < b.N; n++ {
					if _, err := client.Fix(ctx, size.document, Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func join(items []string) string {
	var text []byte
	for n, item := range items {
		if n > 0 {
			text = append(text, ',')
		}
		text = append(text, item...)
	}
	return string(text)
}
