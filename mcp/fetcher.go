package mcp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"portico/internal/publicnet"
	"portico/model"
)

// The bounds of a download.
const (
	mostRedirects  = 5
	dialTime       = 10 * time.Second
	headerTime     = 30 * time.Second
	stallTime      = 30 * time.Second // without a single byte
	downloadTime   = 30 * time.Minute
	mostHeaderSize = 64 << 10
)

// fetcher downloads files from addresses that clients name.
type fetcher struct {
	// The bounds above that tests shorten.
	stall, total time.Duration

	// What only tests replace: which addresses may be connected to, which ports
	// may be named, and who answers for names. No port but the web's own two: a
	// client is not to try out what else listens at a host.
	permits  func(netip.Addr) bool
	ports    []string // nil is any
	resolver *net.Resolver
	tls      *tls.Config
}

func newFetcher() *fetcher {
	return &fetcher{
		stall: stallTime, total: downloadTime,
		permits: publicnet.NewGuard().Permits, ports: []string{"", "80", "443"},
	}
}

// client returns what sends the requests. It uses no proxy, which would connect
// where we do not see it, keeps no cookies, and no connections: each download is
// checked anew.
func (f *fetcher) client() *http.Client {
	dialer := &net.Dialer{Timeout: dialTime, Resolver: f.resolver, Control: publicnet.Control(f.permits)}
	return &http.Client{
		CheckRedirect: f.redirect,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, ForceAttemptHTTP2: true, DisableKeepAlives: true,
			TLSClientConfig: f.tls, TLSHandshakeTimeout: dialTime, ResponseHeaderTimeout: headerTime,
			MaxResponseHeaderBytes: mostHeaderSize,
			DisableCompression:     true, // a bomb would be unpacked on the way
		},
	}
}

// get asks for the file. The caller closes the body.
func (f *fetcher) get(ctx context.Context, address string) (*http.Response, error) {
	target, err := url.Parse(address)
	if err != nil {
		return nil, model.Invalidf("source_url must be an http or https address")
	}
	if err := f.check(target); err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, model.Invalidf("source_url must be an http or https address")
	}
	request.Header.Set("User-Agent", "Portico")
	response, err := f.client().Do(request)
	if err != nil {
		return nil, sourceError(ctx, err)
	}
	if err := acceptable(response); err != nil {
		_ = response.Body.Close() // nothing of it is wanted
		return nil, err
	}
	return response, nil
}

// check refuses addresses by what is written in them.
func (f *fetcher) check(target *url.URL) error {
	switch {
	case (target.Scheme != "http" && target.Scheme != "https") || target.Hostname() == "":
		return model.Invalidf("source_url must be an http or https address")
	case target.User != nil:
		return model.Invalidf("source_url must not hold a user name or password")
	case !f.permitsLiteral(target.Hostname()):
		return model.Invalidf("source_url must lead to a public address")
	case f.ports != nil && !slices.Contains(f.ports, target.Port()):
		return model.Invalidf("source_url must use port 80 or 443")
	}
	return nil
}

// permitsLiteral refuses addresses that are written as numbers with a reason,
// which tells a client nothing that it did not know. Names pass here.
func (f *fetcher) permitsLiteral(host string) bool {
	address, err := netip.ParseAddr(host)
	return err != nil || f.permits(address)
}

// redirect checks where an answer leads on to, as if the client had named it.
func (f *fetcher) redirect(request *http.Request, via []*http.Request) error {
	if len(via) > mostRedirects {
		return model.Invalidf("source_url redirects more than %d times", mostRedirects)
	}
	request.Header.Del("Referer") // may hold the secrets of a signed address
	return f.check(request.URL)
}

// acceptable refuses answers that are not the file.
func acceptable(response *http.Response) error {
	if response.StatusCode != http.StatusOK {
		return model.Invalidf("source_url answered with status %d", response.StatusCode)
	}
	if encoding := response.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return model.Invalidf("source_url answered with compressed content, which was not asked for")
	}
	if mediaType(response) == "text/html" {
		return model.Invalidf("source_url leads to a web page, not to a file")
	}
	return nil
}

// sourceError returns what a client may know of a failed request. A name that
// does not exist, one that leads into a private network and a host that is silent
// look alike; only what a public host has said is told.
func sourceError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if e, ok := errors.AsType[*model.Error](err); ok { // of a redirect
		return e
	}
	message := "source_url could not be reached at a public address"
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		message = "source_url has a certificate that is not valid"
	}
	return &model.Error{Code: model.CodeInvalid, Message: message, Err: err}
}
