package rest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/model"
)

// response is what the server sent, with its whole body.
type response struct {
	t      testing.TB
	status int
	header http.Header
	body   string
}

// want checks status and body, in which tests write ' for ".
func (r response) want(status int, body string) {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("status: got %d, want %d; body %s", r.status, status, r.body)
	}
	if diff := cmp.Diff(strings.ReplaceAll(body, "'", `"`), compact(r.body)); diff != "" {
		r.t.Errorf("body: (-want +got)\n%s", diff)
	}
}

// compact leaves out the blanks that Postgres puts into JSON.
func compact(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return text
	}
	return b.String()
}

// status2xx asserts that the request was carried out.
func (r response) status2xx() {
	r.t.Helper()
	if r.status/100 != 2 {
		r.t.Fatalf("status: got %d, want 2xx; body %.300s", r.status, r.body)
	}
}

// refused checks an error response.
func (r response) refused(status int, message string) {
	r.t.Helper()
	quoted, err := json.Marshal(message)
	check(r.t, err)
	r.want(status, `{"status":"error","message":`+string(quoted)+`}`)
}

// read decodes the response, which must have the status.
func read[T any](r response, status int) T {
	r.t.Helper()
	var got struct{ Data T }
	if r.status != status {
		r.t.Fatalf("status: got %d, want %d; body %s", r.status, status, r.body)
	}
	if err := json.Unmarshal([]byte(r.body), &got); err != nil {
		r.t.Fatalf("decode %s: %v", r.body, err)
	}
	return got.Data
}

// quotes lets tests write ' for ".
func quotes(s string) string { return strings.ReplaceAll(s, "'", `"`) }

// rawFields are the fields of a response as they were sent.
type rawFields = map[string]json.RawMessage

// sortedObject is an object of a response whose order is Postgres's business.
type sortedObject struct{ model.Object }

func (o sortedObject) String() string {
	return string(sorted(json.RawMessage(o.Object)))
}

// sorted returns a JSON value with the names of every object in order. Numbers
// keep their text.
func sorted(raw json.RawMessage) json.RawMessage {
	if fields := model.Object(raw).Fields(); len(fields) > 0 {
		for name, value := range fields {
			fields[name] = sorted(value)
		}
		return json.RawMessage(model.NewObject(fields))
	}
	return raw
}
