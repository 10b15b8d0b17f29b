package dial

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Address is what the address of a database says. It is parsed once, by pgconn, which knows the
// rules of libpq (PostgreSQL documentation, Connection Strings), and both drivers are configured
// from it.
//
// A parameter has the meaning that it has in libpq, or Parse refuses it by its name. Errors
// never contain a value: a password whose special characters are not escaped can end up in any part
// of the address.
type Address struct {
	config *pgconn.Config // without run-time parameters
	// parameters are the run-time parameters of each session, such as search_path.
	parameters      map[string]string
	applicationName string // "" for none
	dialer          *net.Dialer
	hosts           *hosts
	// acceptable is a query that returns whether the server may be used; "" accepts every server.
	acceptable string
}

// dialTimeout limits dialing if the address has no connect_timeout, which limits dialing and the
// sign-in. The default of libpq is infinite.
const dialTimeout = 5 * time.Second

// Parse parses an address of the form postgres://user:password@host:port/name?parameters, or
// unix://user:password@name/folder/.s.PGSQL.port. It connects to nothing.
func Parse(text string) (*Address, error) {
	u, err := parseURL(text)
	if err != nil {
		return nil, err
	}
	query := parameters(u)
	if err := checkParameters(query); err != nil {
		return nil, err
	}
	if query.Get("ssl") == "" && query.Get("sslmode") == "" && os.Getenv("PGSSLMODE") == "" {
		query.Set("sslmode", defaultTLS(u, query))
	}
	config, err := parseConfig(u, query)
	if err != nil {
		return nil, err
	}
	if !query.Has("timezone") {
		delete(config.RuntimeParams, "timezone") // from PGTZ, which is meant for programs that show local times
	}
	a := &Address{config: config, parameters: config.RuntimeParams}
	config.RuntimeParams = map[string]string{}
	if err := a.readParameters(query); err != nil {
		return nil, err
	}
	// With sslmode=prefer there are two attempts for each host: one with TLS, and one without.
	a.hosts = newHosts(append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig}}, config.Fallbacks...))
	if a.hosts.areSeveral() && a.acceptable == "" {
		return nil, errAnyHost
	}
	if err := errors.Join(a.readTLSVersions(), a.readKeepalives()); err != nil {
		return nil, err
	}
	if query.Get("connect_timeout") == "" && os.Getenv("PGCONNECT_TIMEOUT") == "" {
		a.dialer.Timeout = dialTimeout
		if a.hosts.areSeveral() {
			config.ConnectTimeout = hostTimeout
		}
	}
	// The dialer resolves the names, so that DialFunc knows to which server a connection leads.
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	config.DialFunc = a.dialTarget
	config.AfterNetConnect = func(_ context.Context, _ *pgconn.Config, conn net.Conn) (net.Conn, error) {
		return &replicated{Conn: conn}, nil
	}
	return a, nil
}

// checkParameters refuses parameters that cannot be read, and files of services.
func checkParameters(query url.Values) error {
	for name := range query {
		switch {
		case !parameterName.MatchString(name):
			return errEscape
		case name == "service", name == "servicefile":
			return refuseParameter(name)
		}
	}
	if os.Getenv("PGSERVICE") != "" {
		return refuseParameter("PGSERVICE (an environment variable)")
	}
	return nil
}

// parameterName matches names of parameters. What follows a question mark in a password is none.
var parameterName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*$`)

var (
	errEscape = errors.New("the database address is not a URL. Percent-encode the special characters " +
		"of the user and the password, for example # as %23, / as %2F, ? as %3F and @ as %40")
	errAnyHost = errors.New("the database address names several hosts, of which only the primary can be used. Add target_session_attrs=read-write to its parameters")
)

func refuseParameter(parameter string) error {
	return fmt.Errorf("the database address cannot have the parameter %s", parameter)
}

func refuseValue(parameter string, accepted ...string) error {
	return fmt.Errorf("the parameter %s of the database address must be %s", parameter, strings.Join(accepted, " or "))
}

// severalHosts matches addresses whose authority has a comma behind the password: what is before
// the hosts, the hosts, and what is behind them.
var severalHosts = regexp.MustCompile(`^(postgres(?:ql)?://(?:[^/?#]*@)?)([^/?#@]*,[^/?#@]*)((?s:[/?#].*)?)$`)

// splitHosts moves several hosts from the authority of an address, where a URL has only one, to its
// parameters, where libpq knows them, too.
func splitHosts(text string) (*url.URL, error) {
	match := severalHosts.FindStringSubmatch(text)
	if match == nil {
		return url.Parse(text)
	}
	u, err := url.Parse(match[1] + match[3])
	if err != nil {
		return nil, err
	}
	var names, ports []string
	for host := range strings.SplitSeq(match[2], ",") {
		name, port := host, "5432"
		if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
			name, port = host[:colon], host[colon+1:] // parseConfig refuses a port that is none
		}
		names, ports = append(names, strings.Trim(name, "[]")), append(ports, port)
	}
	query := parameters(u)
	query.Set("host", strings.Join(names, ","))
	query.Set("port", strings.Join(ports, ","))
	u.RawQuery = encode(query)
	return u, nil
}

// parseURL returns the address in the form postgres://.
func parseURL(text string) (*url.URL, error) {
	u, err := splitHosts(text)
	switch {
	case err != nil:
		return nil, errEscape
	case u.Scheme == "unix":
		return socketURL(u)
	case u.Scheme != "postgres" && u.Scheme != "postgresql":
		return nil, errors.New("the database address must begin with postgres:// or unix://")
	}
	// A password with one of / ? # ends the authority before the @ in front of the host.
	rest := u.EscapedPath()
	if !parameters(u).Has("user") {
		rest += u.RawQuery
	}
	if u.Fragment != "" || u.Opaque != "" || strings.Contains(rest, "@") {
		return nil, errEscape
	}
	return u, nil
}

// socketURL turns the address of a socket into the form of libpq.
func socketURL(u *url.URL) (*url.URL, error) {
	if path.Ext(u.Path) == "" || u.Host == "" {
		return nil, errors.New("the database address must be unix://name/folder/.s.PGSQL.port")
	}
	query := parameters(u)
	query.Set("host", path.Dir(u.Path))
	query.Set("port", strings.TrimPrefix(path.Ext(u.Path), "."))
	return &url.URL{Scheme: "postgres", User: u.User, Path: "/" + u.Host, RawQuery: encode(query)}, nil
}

// parameters returns the parameters of an address, in which a plus sign is not a blank.
func parameters(u *url.URL) url.Values {
	with := *u
	with.RawQuery = strings.ReplaceAll(u.RawQuery, "+", "%2B")
	return with.Query()
}

// encode is the opposite of parameters.
func encode(query url.Values) string { return strings.ReplaceAll(query.Encode(), "+", "%20") }

// defaultTLS returns the sslmode of an address without one: a connection to this machine is not
// encrypted, and the certificate of every other host is verified. The default of libpq, prefer,
// protects from no attack.
func defaultTLS(u *url.URL, query url.Values) string {
	for host := range strings.SplitSeq(cmp.Or(query.Get("host"), u.Hostname(), os.Getenv("PGHOST")), ",") {
		if !isLocal(host) || query.Get("sslrootcert") != "" {
			return "verify-full"
		}
	}
	return "disable"
}

// isLocal reports whether a host of an address is this machine.
func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || host == "localhost" || strings.HasPrefix(host, "/") || (ip != nil && ip.IsLoopback())
}

// parseConfig parses the address with these parameters. Errors of pgconn quote the address, so a
// parameter that it refuses is found by trying without it.
func parseConfig(u *url.URL, query url.Values) (*pgconn.Config, error) {
	parse := func(query url.Values) (*pgconn.Config, error) {
		with := *u
		with.RawQuery = encode(query)
		return pgconn.ParseConfig(with.String())
	}
	config, err := parse(query)
	if err == nil {
		return config, nil
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		without := maps.Clone(query)
		delete(without, name)
		if _, otherErr := parse(without); otherErr == nil {
			return nil, fmt.Errorf("the parameter %s of the database address has a value that cannot be used%s", name, fileTrouble(err))
		}
	}
	return nil, fmt.Errorf("the database address, or an environment variable of PostgreSQL beside it, has a value that cannot be used%s", fileTrouble(err))
}

// fileTrouble returns why a file could not be read, without its name.
func fileTrouble(err error) string {
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		return ": the file cannot be read: " + file.Err.Error()
	}
	return ""
}

// readParameters moves the parameters that pgconn passes to the server, but that libpq does not,
// from parameters to where they belong. It returns an error for those that one of the two drivers
// cannot have.
func (a *Address) readParameters(query url.Values) error {
	for name, accepted := range parametersWithoutEffect() {
		if value := a.take(name); value != "" && !slices.Contains(accepted, strings.ToLower(value)) {
			if len(accepted) == 0 {
				return refuseParameter(name)
			}
			return refuseValue(name, accepted...)
		}
	}
	if err := a.refuseOfPgconn(); err != nil {
		return err
	}
	switch cmp.Or(query.Get("target_session_attrs"), os.Getenv("PGTARGETSESSIONATTRS")) {
	case "", "any":
	case "read-write":
		a.acceptable = "SELECT current_setting('transaction_read_only') = 'off'"
	case "primary":
		a.acceptable = "SELECT NOT pg_is_in_recovery()"
	default:
		return refuseValue("target_session_attrs", "any", "read-write", "primary")
	}
	a.applicationName = a.take("application_name")
	a.applicationName = cmp.Or(a.applicationName, a.take("fallback_application_name"))
	delete(a.parameters, "fallback_application_name")
	if err := a.readOptions(a.take("options")); err != nil {
		return err
	}
	for name := range a.parameters {
		if _, ours := SessionParameters()[strings.ToLower(name)]; ours {
			return fmt.Errorf("the database address cannot set %s: the server sets it for each connection", name)
		}
	}
	return nil
}

// refuseOfPgconn returns an error for the parameters that pgconn has, and pgdriver has not.
func (a *Address) refuseOfPgconn() error {
	switch {
	case a.config.ChannelBinding == "require":
		return refuseValue("channel_binding", "prefer", "disable")
	case a.config.RequireAuth != "":
		return refuseParameter("require_auth")
	case a.config.KerberosSrvName != "":
		return refuseParameter("krbsrvname")
	case a.config.KerberosSpn != "":
		return refuseParameter("krbspn")
	case a.config.MinProtocolVersion != "3.0":
		return refuseValue("min_protocol_version", "3.0")
	case !slices.Contains([]string{"", "postgres", "direct"}, a.config.SSLNegotiation):
		return refuseValue("sslnegotiation", "postgres", "direct")
	}
	return nil
}

// parametersWithoutEffect returns the parameters of libpq that neither driver has. With these
// values they ask for what the drivers do anyway; the address is refused with any other.
func parametersWithoutEffect() map[string][]string {
	return map[string][]string{
		"gssencmode": {"disable", "prefer"}, "gsslib": nil, "gssdelegation": {"0"},
		"client_encoding": {"utf8", "utf-8", "auto"}, "replication": {"false", "off", "no", "0"},
		"load_balance_hosts": {"disable", "random"}, "hostaddr": nil, "requirepeer": nil, "tcp_user_timeout": {"0"},
		"requiressl": {"0"}, "sslcompression": {"0", "1"}, "sslcertmode": {"allow"}, "sslcrl": nil, "sslcrldir": nil, "sslkeylogfile": nil,
		"scram_client_key": nil, "scram_server_key": nil, "oauth_issuer": nil, "oauth_client_id": nil, "oauth_client_secret": nil, "oauth_scope": nil,
	}
}

// take removes a run-time parameter and returns its value.
func (a *Address) take(name string) string {
	value := a.parameters[name]
	delete(a.parameters, name)
	return value
}

// option matches one switch of the parameter options, with its name and its value.
var option = regexp.MustCompile(`^--([A-Za-z_][A-Za-z0-9_.-]*)=((?s).*)$`)

// readOptions reads -c name=value and --name=value, which may stand several times, separated by
// blanks. A backslash escapes a blank and itself. Postgres has further switches, which nobody uses
// for a session. A parameter of the same name wins, as in Postgres.
func (a *Address) readOptions(options string) error {
	words := splitOptions(options)
	for i := 0; i < len(words); i++ {
		word := words[i]
		if word == "-c" && i+1 < len(words) {
			i++
			word = "--" + words[i]
		} else if after, ok := strings.CutPrefix(word, "-c"); ok {
			word = "--" + after
		}
		match := option.FindStringSubmatch(word)
		if match == nil {
			return refuseValue("options", "-c name=value, once or several times")
		}
		name := strings.ReplaceAll(match[1], "-", "_")
		if _, given := a.parameters[name]; !given {
			a.parameters[name] = match[2]
		}
	}
	return nil
}

// splitOptions splits options at blanks that no backslash escapes.
func splitOptions(options string) (words []string) {
	var word strings.Builder
	inWord, escaped := false, false
	for _, c := range options {
		switch {
		case !escaped && c == '\\':
			escaped, inWord = true, true
			continue
		case !escaped && strings.ContainsRune(" \t\n\v\f\r", c):
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
			continue
		}
		word.WriteRune(c)
		escaped, inWord = false, true
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}

// readTLSVersions reads the limits of the TLS version.
func (a *Address) readTLSVersions() error {
	versions := map[string]uint16{"": 0, "tlsv1": tls.VersionTLS10, "tlsv1.1": tls.VersionTLS11, "tlsv1.2": tls.VersionTLS12, "tlsv1.3": tls.VersionTLS13}
	minVersion, knownMin := versions[strings.ToLower(a.take("ssl_min_protocol_version"))]
	maxVersion, knownMax := versions[strings.ToLower(a.take("ssl_max_protocol_version"))]
	if !knownMin {
		return refuseValue("ssl_min_protocol_version", "TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3")
	}
	if !knownMax {
		return refuseValue("ssl_max_protocol_version", "TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3")
	}
	for _, attempt := range slices.Concat(a.hosts.servers...) {
		if attempt.TLSConfig != nil {
			attempt.TLSConfig.MinVersion, attempt.TLSConfig.MaxVersion = cmp.Or(minVersion, tls.VersionTLS12), maxVersion
		}
	}
	return nil
}

// readKeepalives configures the dialer. The defaults of Go, probes after 15 seconds, find a peer
// that has vanished sooner than the two hours of most systems.
func (a *Address) readKeepalives() error {
	seconds := func(name string) (n int, err error) {
		if value := a.take(name); value != "" {
			if n, err = strconv.Atoi(value); err != nil || n < 0 {
				return 0, refuseValue(name, "a whole number")
			}
		}
		return n, nil
	}
	keepalives := cmp.Or(a.take("keepalives"), "1")
	idle, idleErr := seconds("keepalives_idle")
	interval, intervalErr := seconds("keepalives_interval")
	count, countErr := seconds("keepalives_count")
	if err := errors.Join(idleErr, intervalErr, countErr); err != nil {
		return err
	}
	if keepalives != "0" && keepalives != "1" {
		return refuseValue("keepalives", "0", "1")
	}
	a.dialer = &net.Dialer{KeepAlive: -1} // unless KeepAliveConfig is enabled
	a.dialer.KeepAliveConfig = net.KeepAliveConfig{
		Enable: keepalives == "1", Count: count,
		Idle: time.Duration(idle) * time.Second, Interval: time.Duration(interval) * time.Second,
	}
	return nil
}

// dialTarget opens a connection to an address of the network.
func (a *Address) dialTarget(ctx context.Context, network, target string) (net.Conn, error) {
	conn, err := a.dialer.DialContext(ctx, network, target)
	if err != nil {
		return nil, err
	}
	server := slices.IndexFunc(a.hosts.servers, func(attempts []*pgconn.FallbackConfig) bool {
		_, other := pgconn.NetworkAddress(attempts[0].Host, attempts[0].Port)
		return other == target
	})
	return a.hosts.newLink(conn, server), nil
}

// configOf returns the configuration of pgx for one server.
func (a *Address) configOf(server int) *pgconn.Config {
	config, attempts := a.config.Copy(), a.hosts.servers[server]
	config.Host, config.Port, config.TLSConfig, config.Fallbacks = attempts[0].Host, attempts[0].Port, attempts[0].TLSConfig, attempts[1:]
	return config
}

// dial opens a connection, with TLS if the attempt has it.
func (a *Address) dial(ctx context.Context, attempt *pgconn.FallbackConfig) (net.Conn, error) {
	network, target := pgconn.NetworkAddress(attempt.Host, attempt.Port)
	conn, err := a.dialTarget(ctx, network, target)
	if err != nil || attempt.TLSConfig == nil {
		return conn, err
	}
	secured, err := a.secure(ctx, conn, attempt)
	if err != nil {
		return nil, errors.Join(tlsError{err}, conn.Close())
	}
	return secured, nil
}

// tlsError is the error of a server with which TLS is not possible.
type tlsError struct{ error }

// Unwrap implements the interface of package errors.
func (e tlsError) Unwrap() error { return e.error }

// sslRequest asks the server for TLS (PostgreSQL documentation, Message Formats, SSLRequest).
const sslRequest = "\x00\x00\x00\x08\x04\xd2\x16\x2f"

// secure starts TLS on the connection.
func (a *Address) secure(ctx context.Context, conn net.Conn, attempt *pgconn.FallbackConfig) (net.Conn, error) {
	if a.config.SSLNegotiation != "direct" {
		if deadline, ok := ctx.Deadline(); ok {
			_ = conn.SetDeadline(deadline) // if it is closed, Write fails
		}
		var response [1]byte
		_, err := conn.Write([]byte(sslRequest))
		if err == nil {
			_, err = conn.Read(response[:])
		}
		_ = conn.SetDeadline(time.Time{})
		if err != nil {
			return nil, fmt.Errorf("ask for TLS: %w", err)
		}
		if response[0] != 'S' {
			return nil, fmt.Errorf("the server %s has no TLS. Enable TLS there, or add sslmode=disable to the address "+
				"if nobody else can read what goes over the network in between", attempt.Host)
		}
	}
	secured := tls.Client(conn, attempt.TLSConfig)
	err := secured.HandshakeContext(ctx)
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return nil, fmt.Errorf("the certificate of the server %s cannot be trusted. Add sslrootcert=FILE to the address, with the certificate "+
			"of the authority that has signed it, or sslmode=require, which encrypts but trusts every server: %w", attempt.Host, err)
	}
	return secured, err
}
