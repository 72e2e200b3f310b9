package replaylint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
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
	// Options are those of Fix. Format, As and Pointer are those of the URL.
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
	// Path is that of the URL, Endpoint the end of it that names what is asked for.
	Path     string
	Endpoint string
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
	if request.Method != http.MethodPost || !hasJSON(request) {
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
	repaired, err := g.repair(request, body)
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
	repaired, err := g.repair(request, body)
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
func (g *Guard) repair(request *http.Request, body []byte) (repaired []byte, err error) {
	defer func() {
		if err != nil && g.OnError != nil {
			g.OnError(err)
		}
	}()
	if g.Client == nil {
		return body, errors.New("replaylint: the guard has no client")
	}
	checked, err := g.Client.CheckRequest(request.Context(), addressOf(request), body, !g.ReportOnly, g.Options)
	if err != nil || checked == nil {
		return body, err
	}
	signed := isSigned(request)
	for n := range checked.Found {
		fixed := &checked.Found[n]
		repair := Repair{Path: request.URL.Path, Endpoint: checked.Endpoint, Fixed: fixed, Applied: fixed.Changed && !signed}
		if g.OnChange != nil {
			g.OnChange(repair)
		}
		if fixed.Summary.Errors > 0 && g.Strict && !g.ReportOnly && err == nil {
			err = &RejectedError{repair}
		}
	}
	switch {
	case err != nil:
		return body, err
	case checked.Body == nil:
		return body, nil
	case signed:
		return body, ErrSigned
	default:
		return checked.Body, nil
	}
}

// addressOf is the URL of a request, with its host.
func addressOf(request *http.Request) string {
	at := *request.URL
	if at.Host == "" {
		at.Host = request.Host
	}
	if at.Scheme == "" {
		at.Scheme = "https"
	}
	return at.String()
}
