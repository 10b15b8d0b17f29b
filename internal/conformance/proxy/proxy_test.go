package proxy_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"portico/internal/testkit/api"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/program"
	"portico/internal/testkit/world"
	"portico/model"
)

func TestMain(m *testing.M) { postgres.Main(m) }

// The limits of docs/operations.md and docs/rest.md.
const (
	maxBody      = 1 << 20
	maxMCPBody   = 8 << 20
	maxChangeSet = 36 << 20
)

// proxied is a server behind a proxy.
type proxied struct {
	world  world.World
	key    string
	client *http.Client
}

// newProxied starts a server at an address that a proxy forwards to. Its addresses lead to the proxy.
func newProxied(t *testing.T, baseURL string, client *http.Client, flags ...string) (p proxied, address string) {
	t.Helper()
	address, err := program.FreeAddress(t.Context())
	check(t, err)
	w := world.Start(t, append([]string{"--addr=" + address, "--base-url=" + baseURL, "--trusted-proxies=127.0.0.1"}, flags...)...)
	user := w.NewClient(t, model.CreateUser{Email: "ada@example.com", Name: "Ada", Plan: model.PlanPro, Quota: 50 << 30})
	return proxied{w, user.Key, client}, address
}

// start starts a proxy, and returns when it forwards requests. At the end of the test it gets the signal
// that ends it at once.
func (p proxied) start(t *testing.T, end syscall.Signal, program string, args ...string) {
	t.Helper()
	var log bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = &log, &log
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: end}
	check(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(end) // fails if it has ended, which the log shows
		<-ended
		if t.Failed() {
			t.Logf("log of %s:\n%s", program, &log)
		}
	})
	api.Eventually(t, "the proxy forwards requests", func() bool {
		response, err := p.client.Get(p.world.BaseURL() + "/livez")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

// send sends a request with the key, and returns the response with its body.
func (p proxied) send(t *testing.T, method, address string, header http.Header, body io.Reader, size int64) (*http.Response, string) {
	t.Helper()
	response := p.open(t, method, address, header, body, size)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	check(t, err)
	return response, string(content)
}

// open is send for a body that does not end.
func (p proxied) open(t *testing.T, method, address string, header http.Header, body io.Reader, size int64) *http.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, address, body)
	check(t, err)
	if header != nil {
		r.Header = header
	}
	r.Header.Set("Authorization", "Bearer "+p.key)
	r.ContentLength = size
	response, err := p.client.Do(r)
	check(t, err)
	return response
}

// check sends what docs/operations.md demands of every proxy.
func (p proxied) check(t *testing.T) {
	t.Run("bodies of all sizes", p.checkBodies)
	t.Run("uploads while they arrive", p.checkUpload)
	t.Run("events", p.checkEvents)
	t.Run("sockets", p.checkSockets)
	t.Run("no metrics", p.checkMetrics)
}

// checkBodies sends the largest documented bodies, and larger ones. Only the server refuses any.
func (p proxied) checkBodies(t *testing.T) {
	_, made := p.send(t, http.MethodPost, p.world.BaseURL()+"/v1/spaces", jsonHeader(), strings.NewReader(`{"title":"Hall"}`), 16)
	var created struct{ Data struct{ SpaceID string } }
	check(t, json.Unmarshal([]byte(made), &created))
	for _, test := range []struct {
		name, path, start string
		size              int
		status            int
	}{
		{"a body", "/v1/spaces", `{"title":"Hall"`, maxBody, 201},
		{"a body over the limit", "/v1/spaces", `{"title":"Hall"`, maxBody + 1, 413},
		{"a body of MCP", "/v1/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"`, maxMCPBody, 200},
		{"a change set", "/v1/spaces/" + created.Data.SpaceID + "/changeset?dryRun=1", `{"puts":[],"deletes":[]`, maxChangeSet, 200},
	} {
		body := test.start + strings.Repeat(" ", test.size-len(test.start)-1) + "}"
		header := jsonHeader()
		header.Set("Accept", "application/json, text/event-stream")
		response, content := p.send(t, http.MethodPost, p.world.BaseURL()+test.path, header, strings.NewReader(body), int64(test.size))
		if response.StatusCode != test.status || !isJSON(response) {
			t.Errorf("%s: got %d %.200s, want %d of the server", test.name, response.StatusCode, content, test.status)
		}
	}
}

// checkUpload sends half of a file, which reaches the server before the rest.
func (p proxied) checkUpload(t *testing.T) {
	const size = 200_000
	upload := p.create(t, true, size)
	body, rest := io.Pipe()
	status := make(chan int, 1)
	go func() {
		response, content := p.send(t, http.MethodPatch, upload.URL, tusHeader(), body, size)
		if response.StatusCode != http.StatusNoContent {
			t.Errorf("upload: got %d %s", response.StatusCode, content)
		}
		status <- response.StatusCode
	}()
	_, err := rest.Write(make([]byte, size/2))
	check(t, err)
	api.Eventually(t, "the server has half of the file", func() bool {
		files, err := filepath.Glob(filepath.Join(p.world.Config.DataDir, "files", "partial", "*"))
		check(t, err)
		for _, file := range files {
			if info, err := os.Stat(file); err == nil && info.Size() == size/2 {
				return true
			}
		}
		return false
	})
	_, err = rest.Write(make([]byte, size/2))
	check(t, err)
	check(t, rest.Close())
	<-status

	signed := p.create(t, false, size)
	header := http.Header{}
	for name, value := range signed.Headers {
		header.Set(name, value)
	}
	response, content := p.send(t, signed.Method, signed.URL, header, bytes.NewReader(make([]byte, size)), size)
	if response.StatusCode != http.StatusOK {
		t.Errorf("PUT: got %d %s", response.StatusCode, content)
	}
}

// checkEvents reads the first bytes of a stream that does not end.
func (p proxied) checkEvents(t *testing.T) {
	header := jsonHeader()
	header.Set("Accept", "text/event-stream")
	body := `{"query":"subscription { jobs { __typename } }"}`
	response := p.open(t, http.MethodPost, p.world.BaseURL()+"/graphql", header, strings.NewReader(body), int64(len(body)))
	defer response.Body.Close()
	first := make([]byte, 1)
	if _, err := io.ReadFull(response.Body, first); err != nil || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		t.Errorf("events: got %d %v, %v, want the start of a stream", response.StatusCode, response.Header, err)
	}
}

// checkSockets signs in on a WebSocket.
func (p proxied) checkSockets(t *testing.T) {
	address := strings.Replace(p.world.BaseURL(), "http", "ws", 1) + "/graphql"
	socket, _, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{
		HTTPClient: p.client, Subprotocols: []string{"graphql-transport-ws"},
	})
	check(t, err)
	defer socket.CloseNow()
	check(t, socket.Write(t.Context(), websocket.MessageText, fmt.Appendf(nil, `{"type":"connection_init","payload":{"Authorization":"Bearer %s"}}`, p.key)))
	_, answer, err := socket.Read(t.Context())
	if err != nil || !strings.Contains(string(answer), "connection_ack") {
		t.Errorf("socket: got %s, %v, want an acknowledgement", answer, err)
	}
}

func (p proxied) checkMetrics(t *testing.T) {
	for _, path := range []string{"/metrics", "/metrics/", "//metrics", "/metrics%2f", "/%6detrics"} {
		if response, content := p.send(t, http.MethodGet, p.world.BaseURL()+path, nil, http.NoBody, 0); response.StatusCode != http.StatusNotFound {
			t.Errorf("%s: got %d %.100s, want 404", path, response.StatusCode, content)
		}
	}
}

// upload is the address of an upload, and how it is sent.
type upload struct {
	URL, Method string
	Headers     map[string]string
}

// create creates an upload.
func (p proxied) create(t *testing.T, resumable bool, size int) upload {
	t.Helper()
	body, err := json.Marshal(map[string]any{"file_name": "hall.bin", "file_size": size, "content_type": "a/b", "resumable": resumable})
	check(t, err)
	_, content := p.send(t, http.MethodPost, p.world.BaseURL()+"/v1/files/upload", jsonHeader(), bytes.NewReader(body), int64(len(body)))
	var created struct{ Data struct{ Params upload } }
	check(t, json.Unmarshal([]byte(content), &created))
	if created.Data.Params.URL == "" {
		t.Fatalf("upload: got %s", content)
	}
	return created.Data.Params
}

func jsonHeader() http.Header { return http.Header{"Content-Type": {"application/json"}} }

func tusHeader() http.Header {
	return http.Header{"Tus-Resumable": {"1.0.0"}, "Upload-Offset": {"0"}, "Content-Type": {"application/offset+octet-stream"}}
}

// isJSON reports whether the server has responded. The pages of proxies are HTML.
func isJSON(response *http.Response) bool {
	return strings.HasPrefix(response.Header.Get("Content-Type"), "application/json")
}

// dialer returns a client whose connections all go to one address, by the port that they are for.
func dialer(addresses map[string]string) *http.Client {
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // the certificate is made for the test
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			return new(net.Dialer).DialContext(ctx, network, addresses[port])
		},
	}
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// find returns the path of a program, or skips the test.
func find(t *testing.T, name string) string {
	t.Helper()
	for _, folder := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/usr/local/sbin") {
		path := filepath.Join(folder, name)
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 {
			return path
		}
	}
	t.Skipf("%s is missing", name)
	return ""
}

// configure writes a file of docs/deploy with these replacements, each of which it must contain.
func configure(t *testing.T, name, to string, replacements ...string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "deploy", name))
	check(t, err)
	for i := 0; i < len(replacements); i += 2 {
		if !bytes.Contains(content, []byte(replacements[i])) {
			t.Fatalf("%s does not contain %q", name, replacements[i])
		}
	}
	check(t, os.WriteFile(to, []byte(strings.NewReplacer(replacements...).Replace(string(content))), 0o600))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// freePort returns an address that nothing listens at, and its port.
func freePort(t *testing.T) (address, port string) {
	t.Helper()
	address, err := program.FreeAddress(t.Context())
	check(t, err)
	_, port, err = net.SplitHostPort(address)
	check(t, err)
	return address, port
}

func hostOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	check(t, err)
	return u.Host
}
