package transport

import (
	"encoding/json"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"
)

func TestDecodeParams(t *testing.T) {
	t.Parallel()
	number := map[string]any{"n": json.Number("12345678901234567890"), "x": json.Number("1.10")}
	for _, test := range []struct {
		name, body string
		want       graphql.RawParams
	}{
		{"reads all four", `{"query":"q","operationName":"o","variables":{"n":12345678901234567890,"x":1.10},"extensions":{"n":12345678901234567890,"x":1.10}}`,
			graphql.RawParams{Query: "q", OperationName: "o", Variables: number, Extensions: number}},
		{"takes null for nothing", `{"query":"q","operationName":null,"variables":null,"extensions":null}`, graphql.RawParams{Query: "q"}},
		{"ignores what it does not know", `{"query":"q","id":1}`, graphql.RawParams{Query: "q"}},
		{"takes an empty document", `{"query":""}`, graphql.RawParams{}},
		{"takes a persisted query for one", `{"extensions":{"persistedQuery":null}}`,
			graphql.RawParams{Extensions: map[string]any{"persistedQuery": nil}}},
		{"takes the last of two members", `{"query":"a","query":"b"}`, graphql.RawParams{Query: "b"}},
		{"reads escapes", `{"query":"\u007b<&>\n"}`, graphql.RawParams{Query: "{<&>\n"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := decodeParams([]byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, *got); diff != "" {
				t.Errorf("params differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeParams_refuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ body, want string }{
		{``, "The request is not valid JSON"},
		{`{`, "The request is not valid JSON"},
		{`{}{}`, "The request is not valid JSON"},
		{`1 {}`, "The request is not valid JSON"},
		{`{"query":"q"`, "The request is not valid JSON"},
		{"{\"\xff\":1}", "The request must be valid UTF-8"},
		{`1`, "The request must be a JSON object"},
		{` null `, "The request must be a JSON object"},
		{`["query"]`, "The request must be a JSON object"},
		{`{"QUERY":"q"}`, "query must be a string"},
		{`{"query":["q"]}`, "query must be a string"},
		{`{"query":"q","operationName":{}}`, "operationName must be a string"},
		{`{"query":"q","variables":"{}"}`, "variables must be an object"},
		{`{"query":"q","extensions":false}`, "extensions must be an object"},
		{`{"extensions":{"tracing":{}}}`, "query must be a string"},
		{`{"query":"q","variables":{"input":{"title":"\ud800"}}}`, "title must not contain half of a surrogate pair"},
		{`{"query":"q","variables":{"a":{"b":"\ude00"}},"variables":{"title":"\ud83d"}}`, "title must not contain half of a surrogate pair"},
		{`{"query":"{a(b:\"\\ud800\")}"}`, "b must not contain half of a surrogate pair"},
	} {
		t.Run(test.body, func(t *testing.T) {
			t.Parallel()
			_, err := decodeParams([]byte(test.body))
			if err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestIsJSON_refuses_types_that_a_form_can_send(t *testing.T) {
	t.Parallel()
	for contentType, want := range map[string]bool{
		"application/json":                         true,
		"Application/JSON":                         true,
		"application/json; charset=utf-8":          true,
		"application/json;charset=UTF-8;x=y":       true,
		"application/json; charset=utf-16":         false,
		"application/json, text/plain":             false,
		"application/graphql":                      false,
		"application/graphql-response+json":        false,
		"multipart/form-data; boundary=x":          false,
		"application/x-www-form-urlencoded":        false,
		"text/plain; charset=application/json":     false,
		"text/plain;application/json":              false,
		"application/json; charset=utf-8; charset": false,
		"": false,
	} {
		if got := isJSON(contentType); got != want {
			t.Errorf("%q: got %t, want %t", contentType, got, want)
		}
	}
}
