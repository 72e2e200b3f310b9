package replaylint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// ErrSigned says that a request has a signature of its body, so that it could not be repaired.
var ErrSigned = errors.New("replaylint: the request was signed before it could be repaired; repair its body with Guard.Body before")

// Guard is an [http.RoundTripper] that repairs requests to LLM APIs right before they are sent. It knows them by the path of
// their URL; all others pass as they are.
//
// A repair is made only if nothing remains that the provider would reject. Unless the guard is strict, it has no errors of its
// own: what it cannot read or repair is sent as it is.
type Guard struct {
	Client *Client
	// Base sends the requests; nil is [http.DefaultTransport].
	Base http.RoundTripper
	// Options are those of Fix. Format, As and Pointer are those of the endpoint.
	Options Options
	// OnChange is called for each request that was repaired, or would still be rejected. It may be called from several
	// goroutines at once.
	OnChange func(Repair)
	// OnError is called for a request that could not be judged, and was sent as it is.
	OnError func(error)
	// ReportOnly repairs nothing, and only calls OnChange.
	ReportOnly bool
	// Strict returns an error instead of sending a request that would be rejected, or that cannot be judged.
	Strict bool
}

// Repair is what a guard found in a request.
type Repair struct {
	// Path is that of the URL, Format the format that the request was read as.
	Path   string
	Format string
	*Fixed
	// Applied says whether the repaired body was sent.
	Applied bool
}

// RejectedError is the error of a strict guard: the provider would reject the request, and no repair helps.
type RejectedError struct {
	Repair
}

func (e *RejectedError) Error() string {
	first := e.Errors()[0]
	return fmt.Sprintf("replaylint: the request would be rejected, and cannot be repaired: %s at %s", first.Rule, first.Pointer)
}

// RoundTrip sends a request, with its body repaired.
func (g *Guard) RoundTrip(request *http.Request) (*http.Response, error) {
	base := g.Base
	if base == nil {
		base = http.DefaultTransport
	}
	endpoint, known := endpointOf(request.URL)
	if !known || request.Method != http.MethodPost || !hasJSON(request) {
		return base.RoundTrip(request)
	}
	body, err := io.ReadAll(request.Body)
	if closing := request.Body.Close(); err == nil {
		err = closing
	}
	if err != nil {
		// The request could not have been sent, either.
		return nil, err
	}
	repaired, err := g.repair(request, endpoint, body)
	if err != nil && g.Strict {
		return nil, err
	}
	// The request belongs to the caller, who may look at it while it is sent.
	sent := request.Clone(request.Context())
	sent.Body = io.NopCloser(bytes.NewReader(repaired))
	sent.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(repaired)), nil }
	if !bytes.Equal(body, repaired) {
		sent.ContentLength = int64(len(repaired))
		sent.TransferEncoding = nil
		if sent.Header.Get("Content-Length") != "" {
			sent.Header.Set("Content-Length", fmt.Sprint(len(repaired)))
		}
	}
	return base.RoundTrip(sent)
}

// Body repairs the body of a request to this URL, for clients that sign requests: before they do.
func (g *Guard) Body(request *http.Request, body []byte) ([]byte, error) {
	endpoint, known := endpointOf(request.URL)
	if !known {
		return body, nil
	}
	repaired, err := g.repair(request, endpoint, body)
	if !g.Strict {
		err = nil
	}
	return repaired, err
}

// hasJSON is true if the body can be read as JSON: it is not packed, and not of another type.
func hasJSON(request *http.Request) bool {
	kind := request.Header.Get("Content-Type")
	isJSON := kind == "" || strings.Contains(strings.ToLower(kind), "json")
	return request.Body != nil && request.Body != http.NoBody && isJSON && request.Header.Get("Content-Encoding") == ""
}

// A signature of AWS covers the body.
func isSigned(request *http.Request) bool {
	return strings.HasPrefix(request.Header.Get("Authorization"), "AWS4-")
}

// repair returns the body to be sent. Its error is for OnError, and for a strict guard.
func (g *Guard) repair(request *http.Request, endpoint endpoint, body []byte) (repaired []byte, err error) {
	defer func() {
		if err != nil && g.OnError != nil {
			g.OnError(err)
		}
	}()
	if g.Client == nil {
		return body, errors.New("replaylint: the guard has no client")
	}
	pointers, err := endpoint.pointers(body)
	if err != nil {
		return body, err
	}
	repaired = body
	for _, pointer := range pointers {
		options := g.Options
		options.Format, options.As, options.Pointer = endpoint.format, "request", pointer
		if options.Target == "" {
			options.Target = endpoint.target
		}
		if options.Model == "" {
			options.Model = endpoint.model
		}
		fixed, err := g.Client.Fix(request.Context(), repaired, options)
		if err != nil {
			return body, err
		}
		signed := isSigned(request) && fixed.Changed
		repair := Repair{Path: request.URL.Path, Format: endpoint.format, Fixed: fixed}
		repair.Applied = fixed.Changed && fixed.Summary.Errors == 0 && !signed && !g.ReportOnly
		if g.OnChange != nil && (fixed.Changed || fixed.Summary.Errors > 0) {
			g.OnChange(repair)
		}
		switch {
		case g.ReportOnly:
		case fixed.Summary.Errors > 0:
			if g.Strict {
				return body, &RejectedError{repair}
			}
		case signed:
			return body, ErrSigned
		default:
			repaired = fixed.Document
		}
	}
	return repaired, nil
}

// endpointOf is the endpoint of a URL.
func endpointOf(at *url.URL) (endpoint, bool) {
	path := strings.TrimSuffix(at.EscapedPath(), "/")
	for _, known := range endpoints {
		match := known.path.FindStringSubmatch(path)
		if match == nil || known.not != nil && known.not.MatchString(path) {
			continue
		}
		if n := known.path.SubexpIndex("model"); n >= 0 {
			if model, err := url.PathUnescape(match[n]); err == nil {
				known.model = model
			}
		}
		if known.format == "responses-request" && azure.MatchString(at.Hostname()) {
			known.target = "azure"
		}
		return known, true
	}
	return endpoint{}, false
}

// pointers lead to the conversations of a body.
func (e endpoint) pointers(body []byte) ([]string, error) {
	if len(e.inside) == 0 && e.needs == "" {
		return []string{""}, nil
	}
	var value map[string]any
	if err := json.Unmarshal(body, &value); err != nil {
		return nil, fmt.Errorf("replaylint: the body is not JSON: %w", err)
	}
	if _, has := value[e.needs]; e.needs != "" && !has {
		return nil, nil
	}
	if len(e.inside) == 0 {
		return []string{""}, nil
	}
	for _, path := range e.inside {
		if found := expand(value, path, ""); len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}

// expand follows names into a value.
func expand(value any, names []string, before string) []string {
	if len(names) == 0 {
		if _, isObject := value.(map[string]any); isObject {
			return []string{before}
		}
		return nil
	}
	var found []string
	switch value := value.(type) {
	case map[string]any:
		if inner, has := value[names[0]]; has {
			found = expand(inner, names[1:], before+"/"+names[0])
		}
	case []any:
		if names[0] != "*" {
			return nil
		}
		for n, inner := range value {
			found = append(found, expand(inner, names[1:], fmt.Sprintf("%s/%d", before, n))...)
		}
	}
	return found
}
