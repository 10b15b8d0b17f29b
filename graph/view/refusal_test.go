package view_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"portico/graph/view"
	"portico/internal/envelope"
	"portico/model"
)

const metadataURL = "https://portico.example/.well-known/oauth-protected-resource/v1"

// Three codes have headers of their own; all others are the message alone.
func TestRefuse_sets_the_headers_of_each_code(t *testing.T) {
	t.Parallel()
	for _, code := range model.Codes() {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			want, wantHeader := envelope.Refusal{Status: "error", Message: "Refused"}, http.Header{}
			switch code {
			case model.CodeUnauthenticated:
				wantHeader.Set("WWW-Authenticate", `Bearer resource_metadata="`+metadataURL+`"`)
			case model.CodeRateLimited:
				wantHeader.Set("Retry-After", "3")
				want.RetryAfterSeconds = 3
			case model.CodeInternal: // an outage of the database
				wantHeader.Set("Retry-After", "3")
			}
			header := http.Header{}
			e := &model.Error{Code: code, Message: "Refused", RetryAfter: 2001 * time.Millisecond}
			got := view.Refuse(header, httptest.NewRequest("GET", "/v1/spaces", nil), e, metadataURL)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(wantHeader, header); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
		})
	}
}

// A program mends the files, entities or conflicts that the body lists.
func TestRefuse_lists_what_is_wrong_with_a_change_set(t *testing.T) {
	t.Parallel()
	faults := model.ChangeFaults{{File: "space/room.json", Message: "The file is not JSON"}}
	deletes, conflicts := model.PlannedDeletes{"chair"}, model.FileConflicts{"space/room.json"}
	for _, test := range []struct {
		name string
		err  error
		want envelope.Refusal
	}{
		{"invalid files", faults.Refusal(), envelope.Refusal{Status: "error", Message: "space/room.json: The file is not JSON", ValidationErrors: faults}},
		{"entities that it would delete", deletes.Refusal(), envelope.Refusal{
			Status: "error", PlannedDeletes: deletes,
			Message: "The archive lacks entities of the space, and would delete them (1): send force=1 to do so",
		}},
		{"files that have changed", conflicts.Refusal(), envelope.Refusal{
			Status: "error", Message: "The space has changed since it was read: space/room.json", Conflicts: conflicts,
		}},
		{"another conflict", model.Conflict(model.ReasonEnded, "Ended", nil), envelope.Refusal{Status: "error", Message: "Ended"}},
	} {
		got := view.Refuse(http.Header{}, httptest.NewRequest("POST", "/v1/spaces", nil), model.AsError(test.err), metadataURL)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// RFC 6750 section 3.1: a request without a key has made no mistake that could be named.
func TestRefuse_names_an_invalid_token_only_where_one_was_sent(t *testing.T) {
	t.Parallel()
	for authorization, want := range map[string]bool{"": false, "Bearer wrong": true, "Basic x": true} {
		r, header := httptest.NewRequest("GET", "/v1/spaces", nil), http.Header{}
		if authorization != "" {
			r.Header.Set("Authorization", authorization)
		}
		view.Refuse(header, r, &model.Error{Code: model.CodeUnauthenticated}, metadataURL)
		challenge := header.Get("WWW-Authenticate")
		if got := strings.HasSuffix(challenge, `, error="invalid_token"`); got != want {
			t.Errorf("Authorization %q: got challenge %s, want an error in it: %v", authorization, challenge, want)
		}
	}
}

func TestReadBody(t *testing.T) {
	t.Parallel()
	revoked := &model.Error{Code: model.CodeUnauthenticated, Message: "Key revoked"}
	for _, test := range []struct {
		name    string
		body    io.Reader
		want    string
		code    model.Code
		message string
	}{
		{"returns a body of the maximum size", strings.NewReader("12345678"), "12345678", "", ""},
		{"returns an empty body", strings.NewReader(""), "", "", ""},
		{"refuses a byte more", strings.NewReader("123456789"), "", model.CodeTooLarge, "Request body is over the maximum of 8 bytes"},
		{"refuses a body that the server ends", iotest.ErrReader(os.ErrDeadlineExceeded), "", model.CodeInvalid,
			"Request body arrived too slowly, or the server is receiving too many bodies: send it again"},
		{"refuses a body that ends early", iotest.ErrReader(io.ErrUnexpectedEOF), "", model.CodeInvalid, "Request body ended early"},
		{"refuses other bytes than UTF-8", strings.NewReader("\xff"), "", model.CodeInvalid, "Request body must be valid UTF-8"},
		{"passes on that the key was revoked", iotest.ErrReader(revoked), "", model.CodeUnauthenticated, "Key revoked"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := view.ReadBody(httptest.NewRecorder(), httptest.NewRequest("POST", "/v1/spaces", test.body), 8)
			if string(got) != test.want || model.CodeOf(err) != test.code {
				t.Errorf("got %q, %v, want %q, %s", got, err, test.want, test.code)
			}
			if refused, ok := errors.AsType[*model.Error](err); test.code != "" && (!ok || refused.Message != test.message) {
				t.Errorf("message: got %v, want %s", err, test.message)
			}
		})
	}
}
