package console_test

import (
	"net"
	"strings"
	"testing"

	"portico/internal/testkit/browser"
)

// TestCopy_over_plain_HTTP copies the API key on pages that have no clipboard, because the server
// has a name and no TLS, as in a home network.
func TestCopy_over_plain_HTTP(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser", Packages: "../playground/browser"})
	listener, err := net.Listen("tcp", "127.0.0.1:0") // finds a port that is free
	check(t, err)
	address := listener.Addr().String()
	check(t, listener.Close())
	base := strings.Replace("http://"+address, "127.0.0.1", "portico.test", 1)
	_, _ = open(t, "--addr="+address, "--base-url="+base)
	out, err := scripts.Run(t.Context(), browser.Command{Script: "copy.mjs", Args: []string{base, email, password}})
	if err != nil || out.Text() != "done\n" {
		t.Errorf("got %v and\n%swant nothing that is wrong", err, out.Text())
	}
}
