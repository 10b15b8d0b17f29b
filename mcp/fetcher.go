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

const (
	maxRedirects    = 5
	dialTimeout     = 10 * time.Second
	headerTimeout   = 30 * time.Second
	stallTimeout    = 30 * time.Second // between two bytes
	downloadTimeout = 30 * time.Minute
	storeTimeout    = 10 * time.Minute // added to downloadTimeout, for the store and the confirmation
	maxHeaderBytes  = 64 << 10
)

// errNotHTTP refuses a text that is not an http or https address.
var errNotHTTP = model.InvalidField("source_url", "must be an http or https address")

// fetcher downloads files from addresses that clients choose.
//
// What keeps a client from reaching the network of the server (SSRF):
//
//	the text of the address   scheme, port, no credentials, no private IP address (check)
//	each redirect             the same checks, at most maxRedirects
//	each connection           the IP address from DNS, before it is dialed (publicnet.Control)
//	a proxy                   none is used
//	the response              one text for everything that is not public (sourceError)
type fetcher struct {
	// Tests shorten the timeouts and replace the other fields.
	stallTimeout, totalTimeout, storeTimeout time.Duration
	// withTimeout is context.WithTimeoutCause.
	withTimeout func(parent context.Context, timeout time.Duration, cause error) (context.Context, context.CancelFunc)

	// permits reports whether the fetcher may connect to an address.
	permits func(netip.Addr) bool
	// ports are the ports that an address may have; nil means any port. Only the two ports of the
	// web are allowed, so that nobody can scan the ports of a host through the server.
	ports    []string
	resolver *net.Resolver // nil means the system's
	tls      *tls.Config
}

func newFetcher() *fetcher {
	return &fetcher{
		stallTimeout: stallTimeout, totalTimeout: downloadTimeout, storeTimeout: storeTimeout,
		withTimeout: context.WithTimeoutCause,
		permits:     publicnet.NewGuard().Permits, ports: []string{"", "80", "443"},
	}
}

// client returns the client that sends the requests. It uses no proxy, because the server could not
// check the addresses to which a proxy connects. It keeps no cookies and no connections: the
// address of each download is checked when it connects.
func (f *fetcher) client() *http.Client {
	dialer := &net.Dialer{Timeout: dialTimeout, Resolver: f.resolver, Control: publicnet.Control(f.permits)}
	return &http.Client{
		CheckRedirect: f.redirect,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, ForceAttemptHTTP2: true, DisableKeepAlives: true,
			TLSClientConfig: f.tls, TLSHandshakeTimeout: dialTimeout, ResponseHeaderTimeout: headerTimeout,
			MaxResponseHeaderBytes: maxHeaderBytes,
			DisableCompression:     true, // the transport would unpack a compression bomb
		},
	}
}

// request requests the file. The caller closes the body.
func (f *fetcher) request(ctx context.Context, address string) (*http.Response, error) {
	target, err := url.Parse(address)
	if err != nil {
		return nil, errNotHTTP
	}
	if err := f.check(target); err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errNotHTTP
	}
	request.Header.Set("User-Agent", "Portico")
	response, err := f.client().Do(request)
	if err != nil {
		return nil, sourceError(ctx, err)
	}
	if err := checkResponse(response); err != nil {
		_ = response.Body.Close() // not needed
		return nil, err
	}
	return response, nil
}

// check refuses an address by its text. publicnet.Control checks the IP address of a name when the
// connection is made, because the answer of DNS may change before.
func (f *fetcher) check(target *url.URL) error {
	switch {
	case (target.Scheme != "http" && target.Scheme != "https") || target.Hostname() == "":
		return errNotHTTP
	case target.User != nil:
		return model.InvalidField("source_url", "must not contain a user name or password")
	case !f.permitsLiteral(target.Hostname()):
		return model.InvalidField("source_url", "must lead to a public address")
	case f.ports != nil && !slices.Contains(f.ports, target.Port()):
		return model.InvalidField("source_url", "must use port 80 or 443")
	}
	return nil
}

// permitsLiteral reports whether the host is a name or a permitted IP address. The client may see
// the reason of the refusal, because it knows the IP address.
func (f *fetcher) permitsLiteral(host string) bool {
	address, err := netip.ParseAddr(host)
	return err != nil || f.permits(address)
}

// redirect checks the target of a redirect in the same way as the address of the client.
func (f *fetcher) redirect(request *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return model.Invalidf("source_url redirects more than %d times", maxRedirects).WithField("source_url")
	}
	request.Header.Del("Referer") // may contain the signature of the previous address
	return f.check(request.URL)
}

// checkResponse refuses responses that are not the file.
func checkResponse(response *http.Response) error {
	if response.StatusCode != http.StatusOK {
		return model.Invalidf("source_url answered with status %d", response.StatusCode).WithField("source_url")
	}
	if encoding := response.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return model.InvalidField("source_url", "answered with compressed content, which was not requested")
	}
	if mediaType(response) == "text/html" {
		return model.InvalidField("source_url", "leads to a web page, not to a file")
	}
	return nil
}

// sourceError returns the error of a failed request that the client sees. An unknown name, a name
// in a private network and a host that does not answer have the same text, so that nobody can
// explore the network of the server. Only errors of a public host have other texts.
func sourceError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if e, ok := errors.AsType[*model.Error](err); ok { // from redirect
		return e
	}
	message := "source_url could not be reached at a public address"
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		message = "source_url has a certificate that is not valid"
	}
	return &model.Error{Code: model.CodeInvalid, Message: message, Field: "source_url", Err: err}
}
