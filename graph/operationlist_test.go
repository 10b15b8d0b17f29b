package graph

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

const listedQuery = "query Mine { viewer { email } }"

// signedList returns a list of documents with its signature, and the key that verifies it.
func signedList(t *testing.T, list string) (signature []byte, key ed25519.PublicKey) {
	t.Helper()
	key, private, err := ed25519.GenerateKey(nil)
	check(t, err)
	return []byte(base64.StdEncoding.EncodeToString(ed25519.Sign(private, []byte(list))) + "\n"), key
}

func TestParseOperationList(t *testing.T) {
	t.Parallel()
	hash := hashOf(listedQuery)
	for _, test := range []struct{ name, list, fault string }{
		{"a list of Relay", `{"` + hash + `":"` + listedQuery + `"}`, ""},
		{"a manifest of Apollo", `{"format":"apollo-persisted-query-manifest","version":1,"operations":[{"id":"` + hash + `","name":"Mine","type":"query","body":"` + listedQuery + `"}]}`, ""},
		{"another hash", `{"abc":"` + listedQuery + `"}`, "SHA-256"},
		{"another manifest", `{"format":"x","version":2}`, "unknown"},
		{"no list", `[]`, "read the operations"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			signature, key := signedList(t, test.list)
			got, err := ParseOperationList([]byte(test.list), signature, key)
			if test.fault != "" {
				if err == nil || !strings.Contains(err.Error(), test.fault) {
					t.Errorf("error: got %v, want one about %q", err, test.fault)
				}
				return
			}
			check(t, err)
			equal(t, "document", got.documents[hash], listedQuery)
		})
	}
}

func TestParseOperationList_refuses_a_list_that_was_changed(t *testing.T) {
	t.Parallel()
	list := `{"` + hashOf(listedQuery) + `":"` + listedQuery + `"}`
	signature, key := signedList(t, list)
	_, otherKey := signedList(t, list)
	for name, parse := range map[string]func() (*OperationList, error){
		"another text":      func() (*OperationList, error) { return ParseOperationList([]byte(list+" "), signature, key) },
		"another key":       func() (*OperationList, error) { return ParseOperationList([]byte(list), signature, otherKey) },
		"no key":            func() (*OperationList, error) { return ParseOperationList([]byte(list), signature, nil) },
		"an empty file":     func() (*OperationList, error) { return ParseOperationList([]byte(list), nil, key) },
		"no base64 at all":  func() (*OperationList, error) { return ParseOperationList([]byte(list), []byte("!"), key) },
		"a short signature": func() (*OperationList, error) { return ParseOperationList([]byte(list), signature[:20], key) },
	} {
		if _, err := parse(); err == nil || !strings.Contains(err.Error(), "signature") {
			t.Errorf("%s: got error %v, want one about the signature", name, err)
		}
	}
}

// byHash returns a request that names an operation by its hash alone.
func byHash(t *testing.T, hash string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"extensions": map[string]any{
		"persistedQuery": map[string]any{"version": 1, "sha256Hash": hash},
	}})
	check(t, err)
	return string(body)
}

func TestListedOperations(t *testing.T) {
	t.Parallel()
	const want = `{"data":{"viewer":{"email":"alice@example.com"}}}`
	list := &OperationList{map[string]string{hashOf(listedQuery): listedQuery}}
	t.Run("are run by their hash", func(t *testing.T) {
		t.Parallel()
		w := serveWorld(t, HandlerOptions{Operations: list})
		_, response := w.ask(w.alice, byHash(t, hashOf(listedQuery)))
		equal(t, "response", response, want)
		w.query(w.alice, "{ viewer { id } }", nil) // others are run too
	})
	t.Run("can be the only ones", func(t *testing.T) {
		t.Parallel()
		w := serveWorld(t, HandlerOptions{Operations: list, OnlyListed: true})
		for _, body := range []string{byHash(t, hashOf(listedQuery)), request(listedQuery, nil)} {
			_, response := w.ask(w.alice, body)
			equal(t, "response", response, want)
		}
		for _, body := range []string{
			request("{ viewer { id } }", nil), byHash(t, hashOf("{ viewer { id } }")), request(listedQuery+" ", nil),
			strings.Replace(byHash(t, hashOf(listedQuery)), `{"ext`, `{"query":"{ viewer { id } }","ext`, 1),
		} {
			code, _ := w.refused(w.alice, body)
			equal(t, "code of "+body, code, codeNotListed)
		}
		// A socket takes the same way.
		s := w.dial(t, http.Header{"Authorization": {"Bearer " + w.alice.key}})
		s.send(t, `{"type":"connection_init"}`)
		s.until(t, `"type":"connection_ack"`)
		s.send(t, `{"id":"1","type":"subscribe","payload":`+request("subscription { jobs { id } }", nil)+`}`)
		s.until(t, codeNotListed)
	})
}
