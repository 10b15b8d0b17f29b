package oauth

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"portico/db"
	"portico/internal/counter"
	"portico/internal/publicnet"
	"portico/model"
)

// A client may use the https address of a document that describes it as its id, instead of
// registering (draft-ietf-oauth-client-id-metadata-document, MCP 2025-11-25).

// The limits of reading a document. A document of a few hundred bytes is enough for a client. An
// account that reads sixty in a quarter of an hour is a program.
const (
	documentTimeout = 5 * time.Second
	maxDocument     = 16 << 10 // bytes
	// maxFetches is the maximum number of documents that are read for one account in fetchWindow.
	maxFetches  = 60
	fetchWindow = 15 * time.Minute
)

// isDocumentAddress reports whether a client id is the address of a document: an https address with
// a path without dot segments, and without user and fragment (section 3 of the draft).
func isDocumentAddress(id string) bool {
	u := parseRedirectURI(id) // has the same rules, except for scheme and path
	return u != nil && u.Scheme == "https" && u.Path != "" && u.Path != "/" &&
		!slices.ContainsFunc(strings.Split(u.Path, "/"), func(s string) bool { return s == "." || s == ".." })
}

// documents reads and caches the documents of clients.
type documents struct {
	cache   documentCache
	fetches *counter.Attempts // by account; nil means no limit

	// Only tests replace the fields below. permits reports whether the server may connect to an
	// address.
	permits func(netip.Addr) bool
	ports   []string // nil means any
	base    *http.Transport
	timeout time.Duration
}

// newDocuments returns a reader of documents at public addresses, without a limit on fetches.
func newDocuments() *documents {
	return &documents{
		permits: publicnet.NewGuard().Permits, ports: []string{"", "443"}, base: &http.Transport{}, timeout: documentTimeout,
	}
}

// client returns the client that the document at the address describes. It needs a signed-in user,
// so that others cannot make the server send requests. For a document that cannot be used it
// returns CodeInvalid with a text for the user.
func (d *documents) client(ctx context.Context, address, userID string) (*db.OAuthClient, error) {
	if known := d.cache.client(address, time.Now()); known != nil {
		return known, nil
	}
	if wait := d.fetches.Take(userID); wait > 0 {
		return nil, &model.Error{Code: model.CodeRateLimited, Message: "You have connected too many apps in a short time. Try again later", RetryAfter: wait}
	}
	body, lifetime, err := d.fetch(ctx, address)
	if err != nil {
		return nil, err
	}
	client, err := readDocument(address, body)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	d.cache.add(client, now, now.Add(lifetime))
	return client, nil
}

// fetch returns the document and how long it may be cached. It follows no redirects, because
// the address is the client's identity (section 4 of the draft).
//
// What keeps it from reaching the server's own network: the guard looks at each address that is
// dialed, after DNS, so a name that changes its address in between is refused too.
func (d *documents) fetch(ctx context.Context, address string) ([]byte, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody) //nolint:gosec // publicnet.Control checks where it connects
	if err != nil {
		return nil, 0, unusableDocument("its address is not valid")
	}
	if d.ports != nil && !slices.Contains(d.ports, request.URL.Port()) {
		return nil, 0, unusableDocument("it must be at port 443")
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "Portico")
	response, err := d.httpClient().Do(request) //nolint:gosec // as above
	if err != nil {
		return nil, 0, unreachableDocument(err)
	}
	defer func() { _ = response.Body.Close() }() // the rest is not needed
	if err := ctx.Err(); err != nil {            // a response after the deadline may be incomplete
		return nil, 0, unreachableDocument(err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, 0, unusableDocument(fmt.Sprintf("its address answered with status %d", response.StatusCode))
	}
	if !isJSON(response.Header.Get("Content-Type")) {
		return nil, 0, unusableDocument("it must be sent as application/json")
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxDocument+1))
	if err != nil {
		return nil, 0, unreachableDocument(err)
	}
	if len(body) > maxDocument {
		return nil, 0, unusableDocument(fmt.Sprintf("it must have at most %d bytes", maxDocument))
	}
	return body, lifetime(response.Header), nil
}

// httpClient returns the client that sends the requests. It uses no proxy, because the server could
// not check the addresses to which a proxy connects. It keeps no cookies and no connections.
func (d *documents) httpClient() *http.Client {
	dialer := &net.Dialer{Timeout: d.timeout, Control: publicnet.Control(d.permits)}
	transport := d.base.Clone()
	transport.Proxy, transport.DialContext = nil, dialer.DialContext
	transport.DisableKeepAlives, transport.DisableCompression = true, true
	transport.ForceAttemptHTTP2, transport.MaxResponseHeaderBytes = true, 64<<10
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// isJSON reports whether the media type is JSON or a format based on it (RFC 6839 section 3.1).
func isJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == "application/json" || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json"))
}

// unusableDocument returns the error for a document with invalid content.
func unusableDocument(reason string) error {
	return model.Invalidf("The app that sent you here describes itself in a document that cannot be used: %s", reason)
}

// unreachableDocument returns the error for a document that cannot be read. The text has no reason,
// so that nobody can explore the network of the server with it.
func unreachableDocument(err error) error {
	return &model.Error{Code: model.CodeInvalid, Err: err,
		Message: "The app that sent you here describes itself in a document that could not be read. Try again later"}
}

// describedClient is the content of a document. Other members are ignored.
type describedClient struct {
	ClientID      string   `json:"client_id"`
	Name          string   `json:"client_name"`
	RedirectURIs  []string `json:"redirect_uris"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
	Secret        string   `json:"client_secret"`
}

// readDocument returns the client that the document at the address describes.
func readDocument(address string, body []byte) (*db.OAuthClient, error) {
	object, err := model.ParseObject(body)
	if err == nil {
		err = model.CheckSurrogates("the document", object)
	}
	if err != nil {
		return nil, unusableDocument("it must be a JSON object")
	}
	var m describedClient
	if err := model.Decode(object, "", &m); err != nil {
		return nil, unusableDocument(model.AsError(err).Message)
	}
	if m.ClientID != address { // compared exactly (section 4 of the draft)
		return nil, unusableDocument("client_id must be its own address")
	}
	if reason := m.check(); reason != "" {
		return nil, unusableDocument(reason)
	}
	return &db.OAuthClient{ID: address, Name: m.visibleName(), RedirectURIs: usableRedirectURIs(m.RedirectURIs), CreatedAt: model.Now()}, nil
}

// visibleName returns the name without invisible characters, which could disguise it in the audit
// trail and in the list of apps.
func (m *describedClient) visibleName() string { return model.RemoveInvisible(m.Name) }

// check returns the reason why the document cannot be used, or "". A document is for many
// authorization servers, so it may list flows that this server does not have.
func (m *describedClient) check() string {
	switch {
	case m.visibleName() == "" || !isName(m.Name):
		return fmt.Sprintf("client_name must be 1 to %d characters of plain text", maxName)
	case m.Secret != "":
		return "it must not contain a client_secret"
	case m.AuthMethod != "" && m.AuthMethod != "none" && !slices.Contains(m.AuthMethods, "none"):
		return "token_endpoint_auth_method must be none, or token_endpoint_auth_methods_supported must have it"
	case m.GrantTypes != nil && !slices.Contains(m.GrantTypes, "authorization_code"):
		return "grant_types must have authorization_code"
	case m.ResponseTypes != nil && !slices.Contains(m.ResponseTypes, "code"):
		return "response_types must have code"
	case len(usableRedirectURIs(m.RedirectURIs)) == 0 || len(m.RedirectURIs) > maxRedirectURIs:
		return fmt.Sprintf("redirect_uris must have 1 to %d addresses, one of them http or https", maxRedirectURIs)
	}
	return ""
}

// publisher returns the host of the document that describes a client, which TLS has verified;
// "" for a client that registered itself.
func publisher(client *db.OAuthClient) string {
	if !isDocumentAddress(client.ID) {
		return ""
	}
	u, err := url.Parse(client.ID)
	if err != nil {
		return ""
	}
	return u.Host
}
