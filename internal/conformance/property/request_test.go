package property

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"
)

// request is a request before it is bytes. It need not be valid, and all of it may have
// placeholders.
type request struct {
	method, target string
	headers        []string // whole lines, without Authorization and Host, which are added automatically
	body           string
	chunked        bool
	key            string // of the caller, "" for none
}

// streamTimeout is how long a client waits for a stream that need not end.
const streamTimeout = 100 * time.Millisecond

func (q request) String() string {
	text := string(q.bytes())
	if q.key != "" {
		text = strings.ReplaceAll(text, q.key, "KEY")
	}
	if len(text) > 3000 {
		text = fmt.Sprintf("%s... (%d bytes)", text[:3000], len(text))
	}
	return fmt.Sprintf("%q", text)
}

// targetBytes escapes the bytes that would end the request line.
func (q request) targetBytes() string {
	var b strings.Builder
	for i := range len(q.target) {
		if c := q.target[i]; c <= ' ' || c == 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func (q request) bytes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: portico.test\r\n", q.method, q.targetBytes())
	if q.key != "" {
		fmt.Fprintf(&b, "Authorization: Bearer %s\r\n", q.key)
	}
	for _, line := range q.headers {
		b.WriteString(line + "\r\n")
	}
	if q.chunked {
		half := len(q.body) / 2
		b.WriteString("Transfer-Encoding: chunked\r\n\r\n")
		for _, chunk := range []string{q.body[:half], q.body[half:]} {
			if chunk != "" {
				fmt.Fprintf(&b, "%x\r\n%s\r\n", len(chunk), chunk)
			}
		}
		b.WriteString("0\r\n\r\n")
		return b.Bytes()
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(q.body), q.body)
	return b.Bytes()
}

// read parses the request as a server does. It returns nil for a request that net/http
// refuses, which never reaches a handler.
func (q request) read(ctx context.Context) *http.Request {
	parsed, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(q.bytes())))
	if err != nil || parsed.Method == http.MethodConnect {
		return nil
	}
	for name, values := range parsed.Header {
		for _, value := range append(values, name) {
			if strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
				return nil
			}
		}
	}
	// Sockets have tests of their own, and a recorder cannot become one.
	parsed.Header.Del("Upgrade")
	parsed.RemoteAddr = "192.0.2.1:1234"
	return parsed.WithContext(ctx)
}

// exchange sends the request. A request that never reaches a handler has no response. The
// client leaves a stream that continues, and the response is what came until then.
func (s *server) exchange(q request) (got response, ok, left bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	parsed := q.read(ctx)
	if parsed == nil {
		return response{}, false, false
	}
	if strings.Contains(q.target, "graphql") && strings.Contains(strings.Join(parsed.Header.Values("Accept"), ","), "event-stream") {
		defer time.AfterFunc(streamTimeout, cancel).Stop()
	}
	recorder := httptest.NewRecorder()
	s.ServeHTTP(recorder, parsed)
	return response{recorder.Code, recorder.Header(), recorder.Body.String()}, true, ctx.Err() != nil
}
