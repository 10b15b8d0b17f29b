package envelope_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/internal/envelope"
	"portico/model"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		body envelope.Refusal
		want string
	}{
		{"a message", envelope.NewRefusal("Refused"), `{"status":"error","message":"Refused"}`},
		{"a text of the client", envelope.NewRefusal("Entry <../x> leads out"), `{"status":"error","message":"Entry <../x> leads out"}`},
		{"a time to wait", envelope.Refusal{Status: "error", Message: "Busy", RetryAfterSeconds: 3},
			`{"status":"error","message":"Busy","retry_after_seconds":3}`},
		{"entities to delete", envelope.Refusal{Status: "error", Message: "Would delete", PlannedDeletes: model.PlannedDeletes{"chair"}},
			`{"status":"error","message":"Would delete","plannedDeletes":["chair"]}`},
	} {
		w := httptest.NewRecorder()
		w.Header().Set("Content-Length", "1000") // of the file that is not sent
		envelope.Write(w, http.StatusConflict, test.body)
		if got, want := w.Body.String(), test.want+"\n"; w.Code != http.StatusConflict || got != want {
			t.Errorf("%s: got %d %q, want %d %q", test.name, w.Code, got, http.StatusConflict, want)
		}
		wantHeader := http.Header{"Content-Type": {"application/json; charset=utf-8"}, "X-Content-Type-Options": {"nosniff"}}
		if diff := cmp.Diff(wantHeader, w.Header()); diff != "" {
			t.Errorf("%s: headers (-want +got):\n%s", test.name, diff)
		}
	}
}

// The response to HEAD has no body, and the headers of the response to GET.
func TestWriteStatus_sends_no_body(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	envelope.WriteStatus(w, http.StatusNotFound)
	if w.Code != http.StatusNotFound || w.Body.Len() != 0 || w.Header().Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("got %d %q with %v, want 404 without a body", w.Code, w.Body, w.Header())
	}
}
