package contract

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/model"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata/rest")

// goldenFolder contains one folder for each test whose name starts with TestGolden_.
const goldenFolder = "../../../testdata/rest"

// everyResponse contains the headers of every response of a versioned endpoint. Golden files
// leave them out.
var everyResponse = map[string]string{
	"Access-Control-Allow-Origin":   "*",
	"Access-Control-Expose-Headers": "Retry-After, WWW-Authenticate, Mcp-Session-Id, X-Request-Id",
	"Cache-Control":                 "no-store",
	"Content-Type":                  "application/json; charset=utf-8",
	"X-Content-Type-Options":        "nosniff",
}

// shownHeaders are the headers of responses that golden files show, in their order.
var shownHeaders = []string{"Content-Type", "Allow", "WWW-Authenticate", "Retry-After"}

// golden sends the request and compares the exchange with its golden file. The code has
// the status too, so that -update cannot record a mistake.
func (w *world) golden(name string, status int, what string, request *http.Request) response {
	w.t.Helper()
	got, sent := w.exchange(name, status, request)
	w.t.Run(name, func(t *testing.T) {
		for header, want := range everyResponse {
			if got := got.header.Get(header); got != want {
				t.Errorf("%s: got %q, want %q", header, got, want)
			}
		}
		if got.header.Get("X-Request-Id") == "" {
			t.Error("X-Request-Id: got none")
		}
		w.contract.checkExchange(t, request, sent, got)
		w.compare(t, name, what, render(request, sent, got, shownHeaders))
	})
	return got
}

// goldenFile is golden for responses of the store, which OpenAPI cannot describe: a
// resource key is more than one segment of a path.
func (w *world) goldenFile(name string, status int, what string, request *http.Request) response {
	w.t.Helper()
	got, sent := w.exchange(name, status, request)
	w.t.Run(name, func(t *testing.T) {
		if got, want := got.header.Get("Access-Control-Allow-Origin"), "*"; got != want {
			t.Errorf("Access-Control-Allow-Origin: got %q, want %q", got, want)
		}
		w.compare(t, name, what, render(request, sent, got, fileHeaders))
	})
	return got
}

// fileHeaders are the shown headers of the store's responses and of preflights.
var fileHeaders = []string{
	"Content-Type", "Allow", "Content-Disposition", "Content-Range", "Cache-Control", "Content-Security-Policy",
	"Cross-Origin-Resource-Policy", "X-Content-Type-Options", "Access-Control-Allow-Origin",
	"Access-Control-Expose-Headers", "Access-Control-Allow-Methods", "Access-Control-Allow-Headers", "Access-Control-Max-Age",
}

// exchange sends the request and returns the response and what was sent.
func (w *world) exchange(name string, status int, request *http.Request) (got response, sent []byte) {
	w.t.Helper()
	if body, err := request.GetBody(); err == nil {
		sent, err = io.ReadAll(body)
		check(w.t, err)
	}
	got = w.send(w.t, request)
	if got.status != status {
		w.t.Fatalf("%s: status: got %d, want %d; body %s", name, got.status, status, got.body)
	}
	return got, sent
}

// compare compares the exchange with its golden file, or writes the file.
func (w *world) compare(t *testing.T, name, what, exchange string) {
	t.Helper()
	_, folder, _ := strings.Cut(strings.Split(t.Name(), "/")[0], "_")
	path := filepath.Join(goldenFolder, folder, name+".http")
	got := "# " + what + "\n\n" + w.stable(exchange)
	if *update {
		check(t, os.MkdirAll(filepath.Dir(path), 0o750))
		check(t, os.WriteFile(path, []byte(got), 0o600))
		return
	}
	want, err := os.ReadFile(path)
	check(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got, rewrite with -update)\n%s", path, diff)
	}
}

// render writes an exchange as it is on the wire, but for the indented bodies.
func render(request *http.Request, sent []byte, got response, shown []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\n", request.Method, request.URL.RequestURI())
	for _, name := range slices.Sorted(maps.Keys(request.Header)) {
		fmt.Fprintf(&b, "%s: %s\n", name, request.Header.Get(name))
	}
	writeBody(&b, sent)
	fmt.Fprintf(&b, "\nHTTP/1.1 %d %s\n", got.status, http.StatusText(got.status))
	for _, name := range shown {
		if value := got.header.Get(name); value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	writeBody(&b, got.body)
	return b.String()
}

func writeBody(b *strings.Builder, body []byte) {
	if len(body) > 0 {
		fmt.Fprintf(b, "\n%s\n", pretty(body))
	}
}

// Short things stay on one line: lists of plain values, objects of numbers.
var (
	shortList   = regexp.MustCompile(`\[\n(?:[^\[\]{}\n]+\n)+\s*\]`)
	shortObject = regexp.MustCompile(`\{\n(?:\s*"\w+": [-0-9.eE+]+,?\n)+\s*\}`)
	lineBreak   = regexp.MustCompile(`\n\s*`)
)

// pretty indents JSON, whose numbers and texts keep their spelling, and leaves
// everything else as it is.
func pretty(body []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, body, "", "  ") != nil {
		return string(body)
	}
	short := func(found string) string {
		inside := lineBreak.ReplaceAllString(strings.TrimSpace(found[1:len(found)-1]), " ")
		if found[0] == '[' {
			return "[" + inside + "]"
		}
		return "{ " + inside + " }"
	}
	return shortList.ReplaceAllStringFunc(shortObject.ReplaceAllStringFunc(b.String(), short), short)
}

// The parts that differ from run to run, with the stable forms of the first, second and
// further values in a file. The forms keep the shape of the real values.
var unstable = []struct {
	found *regexp.Regexp
	form  string
}{
	{regexp.MustCompile(`\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z\b`), "2026-01-27T09:30:00.000Z"},
	{regexp.MustCompile(`user-model-[0-9a-f]{16}`), "user-model-%016d"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`), "00000000-0000-4000-8000-%012d"},
	{regexp.MustCompile(`[a-z2-7]{26}`), "unguessable%015d"},
	{regexp.MustCompile(`YWZ0ZXI6[A-Za-z0-9_-]+`), "cursor%d"},
	{regexp.MustCompile(`expires=[0-9]+`), "expires=1769507100"},
	{regexp.MustCompile(`signature=[A-Za-z0-9_-]+`), "signature=SIGNATURE"},
}

// stable replaces the parts that differ from run to run.
func (w *world) stable(text string) string {
	text = strings.NewReplacer(
		w.alice.key, "portico_alice", w.bob.key, "portico_bob", w.base, "https://portico.example",
	).Replace(text)
	for _, kind := range unstable {
		var seen []string
		text = kind.found.ReplaceAllStringFunc(text, func(found string) string {
			if model.IsStaticGateID(found) {
				return found
			}
			if !strings.Contains(kind.form, "%") {
				return kind.form
			}
			if !slices.Contains(seen, found) {
				seen = append(seen, found)
			}
			return fmt.Sprintf(kind.form, slices.Index(seen, found)+1)
		})
	}
	return strings.NewReplacer(w.alice.id, "10000001", w.bob.id, "10000002").Replace(text)
}
