package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// A server may name a part in any form of an address; the key goes to the named server only.
func TestTransfer_finds_the_parts_beside_the_upload(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]string{
		"a path": "/uploads/abc", "a full address": "https://elsewhere.example/uploads/abc", "without a slash": "abc",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Upload-Length", "3")
				if r.URL.Path == "/uploads/whole" {
					w.Header().Set("Upload-Concat", "final;"+part)
				}
			}))
			t.Cleanup(server.Close)
			upload := &transfer{remote: &remote{server: server.URL, key: "k"}, address: server.URL + "/uploads/whole", size: 3}
			parts, err := upload.parts(t.Context())
			check(t, err)
			if want := server.URL + "/uploads/abc"; len(parts) != 1 || parts[0].address != want {
				t.Errorf("parts: got %+v, want one at %s", parts, want)
			}
		})
	}
}
