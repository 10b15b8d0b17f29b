package main

import (
	"strings"
	"testing"

	portico "portico/server"
)

func TestHealth_reports_whether_the_server_is_ready(t *testing.T) {
	t.Parallel()
	server := serve(t, dataDir(t))
	address := strings.TrimPrefix(server.URL, "http://")
	out, errs, code := runCommand(t, t.TempDir(), []string{"PORTICO_ADDR=" + address}, "health")
	if want := "ok\nversion " + portico.Version() + "\naddress 127.0.0.1\nhost " + address + "\n"; out != want || errs != "" || code != 0 {
		t.Errorf("while it serves: got %q, %q, %d, want %q and 0", out, errs, code, want)
	}
	server.Stop()
	out, errs, code = runCommand(t, t.TempDir(), []string{"PORTICO_ADDR=" + address}, "health")
	if out != "" || !strings.Contains(errs, "connection refused") || code != 1 {
		t.Errorf("after it stopped: got %q, %q, %d, want that the connection is refused, and 1", out, errs, code)
	}
}
