package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"portico/graph/transport"
)

// outsideTimeout limits each request through the public address.
const outsideTimeout = 15 * time.Second

// forged is an address that nobody has (RFC 5737). A proxy that passes it on lets clients choose their
// address.
const forged = "192.0.2.77"

// lookFromOutside sends requests through the public address, as clients do.
func (e *examination) lookFromOutside(ctx context.Context) {
	if e.PublicURL == "" {
		return
	}
	if strings.HasPrefix(e.PublicURL, "https:") && len(e.TrustedProxies) == 0 {
		e.problem("PORTICO_BASE_URL is https, and PORTICO_TRUSTED_PROXIES is empty: all clients without a key share the limits of the proxy",
			"Set PORTICO_TRUSTED_PROXIES to the address of the proxy that ends TLS")
	}
	if !e.lookAtProbe(ctx) {
		return
	}
	e.lookAtMetrics(ctx)
	e.lookAtBodies(ctx)
	e.lookAtSocket(ctx)
	e.lookAtFilesHost(ctx)
}

// send sends a request through the public address. own is the address that it came from.
func send(ctx context.Context, method, address string, header http.Header, body io.Reader) (status int, text string, own netip.Addr, err error) {
	ctx, cancel := context.WithTimeout(ctx, outsideTimeout)
	defer cancel()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if local, err := netip.ParseAddrPort(info.Conn.LocalAddr().String()); err == nil {
			own = local.Addr().Unmap()
		}
	}})
	r, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return 0, "", own, err
	}
	r.Header = header.Clone()
	client := &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, ExpectContinueTimeout: outsideTimeout},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(r)
	if err != nil {
		return 0, "", own, err
	}
	defer response.Body.Close() //nolint:errcheck // read only
	content, err := io.ReadAll(io.LimitReader(response.Body, 4<<10))
	return response.StatusCode, string(content), own, err
}

// lookAtProbe asks the server what the proxy makes of a request. It reports whether the server
// answers.
func (e *examination) lookAtProbe(ctx context.Context) bool {
	status, text, own, err := send(ctx, http.MethodGet, e.PublicURL+"/readyz", http.Header{"X-Forwarded-For": {forged}}, http.NoBody)
	lines := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		lines[name] = value
	}
	switch {
	case err != nil:
		e.problem(fmt.Sprintf("the server cannot be reached at PORTICO_BASE_URL: %v", err), "Check its DNS name, its certificate, the proxy, and that the server runs")
		return false
	case status == http.StatusServiceUnavailable || status == http.StatusBadGateway || status == http.StatusGatewayTimeout:
		e.problem(fmt.Sprintf("the server is not ready: %s/readyz returns %d", e.PublicURL, status), "Start it, and look into its log")
		return false
	case status != http.StatusOK || lines["version"] == "":
		e.problem(fmt.Sprintf("%s/readyz returns %d and is not this server", e.PublicURL, status), "Let the proxy pass all paths on, and check PORTICO_BASE_URL")
		return false
	}
	e.lookAtForwarding(lines, own)
	return true
}

// lookAtForwarding compares what the server says about a request, by the first word of each line, with
// what was sent from our own address.
func (e *examination) lookAtForwarding(lines map[string]string, own netip.Addr) {
	if lines["version"] != e.Version {
		e.note(fmt.Sprintf("the server that answers is version %s, and this program %s", lines["version"], e.Version), "")
	}
	if base, err := url.Parse(e.PublicURL); err == nil && hostName(lines["host"]) != hostName(base.Host) {
		e.problem(fmt.Sprintf("the proxy sends the host %q to the server, and not %q", lines["host"], base.Host),
			"Let it forward the header Host, in nginx by proxy_set_header Host $host")
	}
	seen, _ := netip.ParseAddr(lines["address"])
	// From the address of a proxy, this machine may say who the client is.
	isProxy := slices.ContainsFunc(e.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(own) })
	switch {
	case lines["address"] == forged && !isProxy:
		e.problem("the proxy passes on X-Forwarded-For as clients send it, so they choose their address",
			"Let it set the header or add to it, in nginx by proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for")
	case len(e.TrustedProxies) > 0 && !isProxy && seen != own && (seen.IsLoopback() || seen.IsPrivate()):
		e.note(fmt.Sprintf("the server takes this machine (%s) for %s", own, seen),
			"If that is the address of a proxy, add it to PORTICO_TRUSTED_PROXIES, and let the proxy set X-Forwarded-For")
	}
}

// hostName returns the name of a host without its port, which proxies may leave out.
func hostName(host string) string { return strings.ToLower((&url.URL{Host: host}).Hostname()) }

func (e *examination) lookAtMetrics(ctx context.Context) {
	status, text, _, err := send(ctx, http.MethodGet, e.PublicURL+"/metrics", http.Header{}, http.NoBody)
	if err == nil && status == http.StatusOK && strings.Contains(text, "# HELP") {
		e.problem("everybody can read "+e.PublicURL+"/metrics", "Let the proxy return 404 there")
	}
}

// maxBody is the largest request that is no upload (docs/operations.md, Behind a proxy).
const maxBody = 36 << 20

// lookAtBodies announces a large request. The server refuses it for want of a key before it is sent; a
// proxy with a lower limit refuses its length.
func (e *examination) lookAtBodies(ctx context.Context) {
	header := http.Header{"Content-Type": {"application/json"}, "Expect": {"100-continue"}}
	status, _, _, err := send(ctx, http.MethodPost, e.PublicURL+"/v1/spaces", header, bytes.NewReader(make([]byte, maxBody)))
	if err == nil && status == http.StatusRequestEntityTooLarge {
		e.problem("the proxy refuses requests of 36 MiB, which change sets of spaces may have", "Raise its limit, in nginx by client_max_body_size 36m")
	}
}

// lookAtSocket opens a WebSocket, and sends a message there and back.
func (e *examination) lookAtSocket(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, outsideTimeout)
	defer cancel()
	err := pingSocket(ctx, "ws"+strings.TrimPrefix(e.PublicURL, "http")+"/graphql")
	if err != nil {
		e.problem(fmt.Sprintf("no WebSocket gets through the public address: %v", err),
			"Let the proxy forward upgrades at /graphql, in nginx by proxy_http_version 1.1 and the headers Upgrade and Connection")
	}
}

func pingSocket(ctx context.Context, address string) error {
	socket, _, err := websocket.Dial(ctx, address, &websocket.DialOptions{Subprotocols: []string{transport.Subprotocol}}) //nolint:bodyclose // the library closes it
	if err != nil {
		return err
	}
	defer socket.CloseNow() //nolint:errcheck // it may be closed
	for _, step := range []struct{ send, want string }{{"connection_init", "connection_ack"}, {"ping", "pong"}} {
		if err := wsjson.Write(ctx, socket, map[string]string{"type": step.send}); err != nil {
			return err
		}
		for {
			var got struct{ Type string }
			if err := wsjson.Read(ctx, socket, &got); err != nil {
				return err
			}
			if got.Type == step.want {
				break
			}
			if got.Type != "ping" { // of the server
				return errors.New("the answer to " + step.send + " is " + got.Type)
			}
		}
	}
	return socket.Close(websocket.StatusNormalClosure, "")
}

// lookAtFilesHost checks that requests for the host of files reach the server too.
func (e *examination) lookAtFilesHost(ctx context.Context) {
	files, err := url.Parse(e.FilesURL)
	if err != nil || e.FilesURL == "" {
		return
	}
	status, text, _, err := send(ctx, http.MethodGet, files.Scheme+"://"+files.Host+"/readyz", http.Header{}, http.NoBody)
	switch {
	case err != nil:
		e.problem(fmt.Sprintf("the server cannot be reached at PORTICO_FILES_URL: %v", err), "Send requests for its host to the server too")
	case status != http.StatusOK || !strings.Contains(text, "version "):
		e.problem(fmt.Sprintf("PORTICO_FILES_URL leads to another server, which returns %d", status), "Send requests for its host to the server too")
	case !strings.Contains(text, "host ") || hostName(afterHost(text)) != hostName(files.Host):
		e.problem("the proxy does not send the host of PORTICO_FILES_URL to the server, which takes requests for files for others",
			"Let it forward the header Host")
	}
}

func afterHost(text string) string {
	_, rest, _ := strings.Cut(text, "\nhost ")
	host, _, _ := strings.Cut(rest, "\n")
	return host
}
