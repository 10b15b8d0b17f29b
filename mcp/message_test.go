package mcp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestReadMessage_finds_calls_and_streams(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, body          string
		valid, call, stream bool
	}{
		{"a call", `{"id":1,"method":"tools/call","params":{"name":"x"}}`, true, true, false},
		{"a call with a token", `{"id":1,"method":"tools/call","params":{"_meta":{"progressToken":"t"}}}`, true, true, true},
		{"a call with a number for a token", `{"id":1,"method":"tools/call","params":{"_meta":{"progressToken":0}}}`, true, true, true},
		{"another method with a token", `{"id":1,"method":"tools/list","params":{"_meta":{"progressToken":"t"}}}`, true, false, false},
		{"a batch", `[{"id":1,"method":"tools/call"}]`, true, false, false},
		{"a method that is not a string", `{"id":1,"method":5}`, true, false, false},
		{"a method of another case", `{"id":1,"METHOD":"tools/call"}`, true, false, false},
		{"an unknown field", `{"-":1,"method":"tools/call"}`, true, true, false},
		{"no object", `"tools/call"`, true, false, false},
		{"no JSON", `{"method":"tools/call"`, false, false, false},
		{"nothing", ``, false, false, false},
	} {
		got := readMessage([]byte(test.body))
		equal(t, test.name+": valid", got.valid, test.valid)
		equal(t, test.name+": call", got.isCall(), test.call)
		equal(t, test.name+": stream", got.wantsProgress(), test.stream)
	}
}

func TestReply_holds_back_only_text_that_refuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, kind, text string
		status           int
		want             string
		wantStatus       int
	}{
		{"an answer", "application/json", `{}`, 200, `{}`, 200},
		{"a refusal in JSON", "application/json", `{}`, 404, `{}`, 404},
		{"text that is not a refusal", "text/plain", `ok`, 200, `ok`, 200},
		{"a refusal", "text/plain; charset=utf-8", "malformed payload\n", 400,
			`{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"malformed payload"}}` + "\n", 400},
		{"an unknown method", "text/plain", `JSON RPC not handled: "a/b" unsupported`, 400,
			`{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found: a/b"}}` + "\n", 200},
	} {
		recorder := httptest.NewRecorder()
		response := &reply{ResponseWriter: recorder, to: readMessage([]byte(`{"id":7,"method":"a/b"}`))}
		response.Header().Set("Content-Type", test.kind)
		response.WriteHeader(test.status)
		_, err := io.WriteString(response, test.text)
		check(t, err)
		response.finish()
		equal(t, test.name+": status", recorder.Code, test.wantStatus)
		equal(t, test.name+": body", recorder.Body.String(), test.want)
	}
}

// Without a way to the connection below, events would wait in a buffer.
func TestReply_can_be_flushed(t *testing.T) {
	t.Parallel()
	recorder := httptest.NewRecorder()
	check(t, http.NewResponseController(&reply{ResponseWriter: recorder}).Flush())
	equal(t, "flushed", recorder.Flushed, true)
}

func TestReply_writes_angle_brackets_and_ampersands_as_they_are(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":"\u003cb\u003e \u0026"}`:       `{"a":"<b> &"}`,
		`{"a":"\\u003c \\\u003c \\\\u003c"}`: `{"a":"\\u003c \\< \\\\u003c"}`,
		`{"a":"\"\u003c\"\n\u2028\u0000"}`:   `{"a":"\"<\"\n\u2028\u0000"}`,
		`{"a":"\u003`:                        `{"a":"\u003`,
		`\u00\`:                              `\u00\`,
		`{}`:                                 `{}`,
	} {
		recorder := httptest.NewRecorder()
		response := &reply{ResponseWriter: recorder}
		n, err := io.WriteString(response, text)
		check(t, err)
		equal(t, "length of "+text, n, len(text))
		equal(t, text, recorder.Body.String(), want)
	}
}
