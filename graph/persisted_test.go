package graph_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"testing"
)

func TestPersistedQuery_is_found_by_its_hash(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const query = "{ viewer { email } }"
	const want = `{"data":{"viewer":{"email":"alice@example.com"}}}`
	persisted := func(text, hash string) string {
		body := map[string]any{"extensions": map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hash}}}
		if text != "" {
			body["query"] = text
		}
		b, err := json.Marshal(body)
		check(t, err)
		return string(b)
	}
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(query)))
	code, message := w.refused(w.alice, persisted("", hash))
	equal(t, "code", code, "PERSISTED_QUERY_NOT_FOUND")
	equal(t, "message", message, "PersistedQueryNotFound")
	code, _ = w.refused(w.alice, persisted("{ jobs { id } }", hash))
	equal(t, "code for another hash", code, "INVALID")
	for _, text := range []string{query, "", ""} {
		_, response := w.ask(w.alice, persisted(text, hash))
		equal(t, "response", response, want)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.server.URL+"?extensions="+
		url.QueryEscape(`{"persistedQuery":{"version":1,"sha256Hash":"`+hash+`"}}`), nil)
	check(t, err)
	r.Header.Set("Authorization", "Bearer "+w.alice.key)
	_, response := w.do(r)
	equal(t, "response by GET", response, want)
}
