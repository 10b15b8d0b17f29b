package console_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"portico/internal/testkit/browser"
	"portico/internal/testkit/mailbox"
	"portico/internal/testkit/world"
)

// TestSignIn_by_keyboard_alone visits the pages of sign-in, consent, errors, reset and
// verification with Tab and Enter. Each element has a visible focus in both themes, wide and
// narrow, and axe finds nothing. With PORTICO_PICTURES=FOLDER it stores pictures of all pages.
func TestSignIn_by_keyboard_alone(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser", Packages: "../playground/browser"})
	post := mailbox.Start(t)
	w := world.Start(t, "--addr=localhost:0", "--smtp-url="+post.URL(), "--smtp-from=Portico <portico@example.com>")
	w.StartWorker(t)
	arguments := []string{w.BaseURL(), serveLinks(t, post)}
	if pictures := os.Getenv("PORTICO_PICTURES"); pictures != "" {
		arguments = append(arguments, pictures)
	}
	out, err := scripts.Run(t.Context(), browser.Command{Script: "signin.mjs", Args: arguments})
	if err != nil || out.Text() != "done\n" {
		t.Errorf("got %v and\n%swant nothing that is wrong", err, out.Text())
	}
}

// serveLinks returns the address of a server for scripts: it responds to a request for /ADDRESS
// with the link in the next mail to ADDRESS.
func serveLinks(t *testing.T, post *mailbox.Server) string {
	t.Helper()
	mails := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		mail := post.Next()
		for mail.To != strings.TrimPrefix(r.URL.Path, "/") || mail.Link() == "" {
			mail = post.Next()
		}
		_, _ = io.WriteString(rw, mail.Link()) // the script reports that the link is missing
	}))
	t.Cleanup(mails.Close)
	return mails.URL
}
