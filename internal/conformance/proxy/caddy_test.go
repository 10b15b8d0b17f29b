package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestCaddy_forwards_what_the_documents_promise(t *testing.T) {
	t.Parallel()
	caddy := find(t, "caddy")
	address, port := freePort(t)
	p, server := newProxied(t, "http://localhost:"+port, dialer(map[string]string{port: address}), "--files-url=http://localhost:"+port+"/files")
	// The bucket of the example, which says what reaches it.
	bucket := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprintf(w, "%s %s %d %v", r.Method, r.Host, n, err)
	}))
	t.Cleanup(bucket.Close)
	file := filepath.Join(t.TempDir(), "Caddyfile")
	configure(t, "Caddyfile", file,
		"http://localhost:8080 {", "http://localhost:"+port+" {", "http://s3.localhost:8080", "http://s3.localhost:"+port,
		"a:8080 b:8080", server+" "+server, "s3:7070", hostOf(t, bucket.URL))
	p.start(t, syscall.SIGQUIT, caddy, "run", "--adapter", "caddyfile", "--config", file)
	p.check(t)

	t.Run("files of the bucket under its own name", func(t *testing.T) {
		const size = 40 << 20
		_, got := p.send(t, http.MethodPut, "http://s3.localhost:"+port+"/spaces/a", nil, strings.NewReader(strings.Repeat("x", size)), size)
		if want := fmt.Sprintf("PUT s3.localhost:%s %d <nil>", port, size); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
