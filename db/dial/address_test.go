package dial

import (
	"bufio"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"portico/internal/testkit/postgres"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, address, want string }{
		{"verifies_a_remote_host", "postgres://u:p@db.example/x", "u:p@db.example:5432/x verify-full"},
		{"keeps_the_sslmode_that_is_given", "postgres://u:p@db.example:6/x?sslmode=require", "u:p@db.example:6/x require"},
		{"takes_JDBC's_ssl_for_require", "postgres://u:p@db.example:6/x?ssl=true", "u:p@db.example:6/x require"},
		{"verifies_when_the_sslmode_is_empty", "postgres://u:p@db.example/x?sslmode=", "u:p@db.example:5432/x verify-full"},
		{"trusts_localhost", "postgresql://u:p@localhost/x", "u:p@localhost:5432/x disable"},
		{"verifies_localhost_with_a_certificate", "postgres://u:p@localhost/x?sslrootcert=system", "u:p@localhost:5432/x verify-full"},
		{"trusts_127.0.0.1", "postgres://u:p@127.0.0.1:7/x", "u:p@127.0.0.1:7/x disable"},
		{"trusts_the_loopback_of_IPv6", "postgres://u:p@[::1]/x", "u:p@::1:5432/x disable"},
		{"verifies_a_private_network", "postgres://u:p@10.0.0.5/x", "u:p@10.0.0.5:5432/x verify-full"},
		{"verifies_a_host_in_the_query", "postgres:///x?host=db.example&port=7&user=u&password=p", "u:p@db.example:7/x verify-full"},
		{"takes_the_database_from_the_query", "postgres://u:p@localhost?dbname=x", "u:p@localhost:5432/x disable"},
		{"keeps_escapes_of_the_password", "postgres://u:p%40%2F@localhost/x", "u:p@/@localhost:5432/x disable"},
		{"keeps_a_plain_comma_of_the_password", "postgres://u:p,q@localhost/x", "u:p,q@localhost:5432/x disable"},
		{"tries_without_TLS_after_it", "postgres://u:p@db.example/x?sslmode=prefer", "u:p@db.example:5432/x require, disable"},
		{"tries_with_TLS_after_it", "postgres://u:p@db.example/x?sslmode=allow", "u:p@db.example:5432/x disable, require"},
		{"needs_no_TLS_on_a_socket", "unix://u:p@x/run/.s.PGSQL.5433?sslmode=require", "u:p@/run:5433/x disable"},
		{"knows_several_hosts", "postgres://u:p@[::1]:7,localhost/x?target_session_attrs=read-write", "u:p@::1:7/x disable, disable"},
		{"verifies_several_hosts_unless_all_are_local", "postgres://u:p@localhost,db.example/x?target_session_attrs=primary", "u:p@localhost:5432/x verify-full, verify-full"},
		{"knows_libpq's_form_of_a_socket", "postgres://u:p@/x?host=/run&port=7", "u:p@/run:7/x disable"},
		{"keeps_run-time_parameters", "postgres://u:p@localhost/x?search_path=a,b", "u:p@localhost:5432/x disable search_path=a,b"},
		{"reads_options", `postgres://u:p@localhost/x?options=-c%20geqo%3Doff%20--work-mem=1MB%20-csearch_path=a%5C%20b`,
			"u:p@localhost:5432/x disable geqo=off search_path=a b work_mem=1MB"},
		{"prefers_a_parameter_to_options", "postgres://u:p@localhost/x?options=-c%20geqo=off&geqo=on", "u:p@localhost:5432/x disable geqo=on"},
		{"keeps_a_plus_sign", "postgres://u@localhost/x?password=a+b", "u:a+b@localhost:5432/x disable"},
		{"leaves_out_what_has_no_effect", "postgres://u:p@localhost/x?gssencmode=prefer&sslcompression=1&client_encoding=UTF8" +
			"&target_session_attrs=read-write&load_balance_hosts=disable&channel_binding=prefer&application_name=a&fallback_application_name=b" +
			"&keepalives=1&keepalives_idle=30&keepalives_interval=5&keepalives_count=3&ssl_min_protocol_version=TLSv1.3&tcp_user_timeout=0",
			"u:p@localhost:5432/x disable"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a, err := Parse(test.address)
			check(t, err)
			if got := describe(a); got != test.want {
				t.Errorf("address: got %s, want %s", got, test.want)
			}
		})
	}
}

// describe returns what both drivers use of an address.
func describe(a *Address) string {
	var modes []string
	for _, attempt := range slices.Concat(a.hosts.servers...) {
		switch {
		case attempt.TLSConfig == nil:
			modes = append(modes, "disable")
		case attempt.TLSConfig.InsecureSkipVerify:
			modes = append(modes, "require")
		default:
			modes = append(modes, "verify-full")
		}
	}
	parts := []string{strings.Join(modes, ", ")}
	for _, name := range []string{"geqo", "search_path", "work_mem"} {
		if value, ok := a.parameters[name]; ok {
			parts = append(parts, name+"="+value)
			delete(a.parameters, name)
		}
	}
	for name, value := range a.parameters {
		parts = append(parts, name+"="+value)
	}
	c := a.config
	return fmt.Sprintf("%s:%s@%s:%d/%s %s", c.User, c.Password, c.Host, c.Port, c.Database, strings.Join(parts, " "))
}

func TestParse_keeps_probes_and_timeouts(t *testing.T) {
	t.Parallel()
	a, err := Parse("postgres://u:p@h/x?keepalives_idle=30&keepalives_interval=5&keepalives_count=3&connect_timeout=9&ssl_min_protocol_version=TLSv1.3")
	check(t, err)
	want := net.KeepAliveConfig{Enable: true, Idle: 30 * time.Second, Interval: 5 * time.Second, Count: 3}
	if a.dialer.KeepAliveConfig != want || a.config.ConnectTimeout != 9*time.Second || a.hosts.servers[0][0].TLSConfig.MinVersion != tls.VersionTLS13 {
		t.Errorf("dialer: got %+v, %v, TLS from %x, want %+v, 9s, TLS 1.3", a.dialer.KeepAliveConfig, a.config.ConnectTimeout, a.hosts.servers[0][0].TLSConfig.MinVersion, want)
	}
	if a, err = Parse("postgres://u:p@h/x?keepalives=0"); err != nil || a.dialer.KeepAliveConfig.Enable {
		t.Errorf("keepalives=0: got %v, want no probes", err)
	}
}

// The address has a password, so no error may repeat any part of it.
func TestAddresses_are_refused_without_their_values(t *testing.T) {
	t.Parallel()
	const several, escape = "Add target_session_attrs=read-write", "Percent-encode"
	for _, test := range []struct{ address, want string }{
		{"", "must begin with postgres://"}, {"SECRET", "must begin with postgres://"},
		{"host=h password=SECRET", "must begin with postgres://"}, {"SECRET://u:p@h/x", "must begin with postgres://"},
		{"mysql://u:SECRET@h/x", "must begin with postgres://"}, {"://SECRET", escape},
		{"unix://u:SECRET@x", "unix://name/folder/.s.PGSQL.port"}, {"unix:///SECRET.1", "unix://name/folder/.s.PGSQL.port"},
		{"postgres://u:SECRET@h:port/x", escape}, {"postgres://u:SECRET@h:99999/x", "a value that cannot be used"},
		{"postgres://u:SECRET@h1:5432,h2:5432/x", several}, {"postgres://u:SECRET@h1,h2/x", several},
		{"postgres://u:SECRET@h1:5432,h2/x", several}, {"postgres://u:SECRET@h1,h2:5432/x?sslmode=disable", several},
		{"postgres://u:SECRET@[::1]:5432,[::2]:5432/x", several}, {"postgres://u:SECRET@/x?host=h1,h2", several},
		{"postgres://u:SECRET@h1:SECRET,h2/x", "the parameter port"}, {"postgres://u:SECRET@h1:99999,h2/x", "the parameter port"}, {"postgres://u:12,3#SECRET@h/x", escape}, {"postgres://u:12,3/SECRET@h/x", escape},
		{"postgres://u:12#SECRET@h/x", escape}, {"postgres://u:12/SECRET@h/x", escape}, {"postgres://u:12?SECRET@h/x", escape},
		{"postgres://u:SE#CRET@h/x", escape}, {"postgres://u:SE/CRET@h/x", escape}, {"postgres://u:SE?CRET@h/x", escape}, {"postgres://u:SE%CRET@h/x", escape},
		{"postgres://u:12?a=SECRET@h/x", escape}, {"postgres://u:p@1?SECRET@h/x", escape},
		{"postgres://u:SECRET@h/x?sslmode=SECRET", "sslmode"}, {"postgres://u:SECRET@h/x?sslrootcert=/SECRET", "sslrootcert of the database address has a value that cannot be used: the file cannot be read: no such file"},
		{"postgres://u:SECRET@h/x?sslcert=/SECRET&sslkey=/SECRET", "the file cannot be read: no such file"},
		{"postgres://u:SECRET@h/x?sslnegotiation=SECRET", "sslnegotiation"}, {"postgres://u:SECRET@h/x?ssl_min_protocol_version=SECRET", "ssl_min_protocol_version"},
		{"postgres://u:SECRET@h/x?connect_timeout=SECRET", "connect_timeout"}, {"postgres://u:SECRET@h/x?keepalives_idle=SECRET", "keepalives_idle"},
		{"postgres://u:SECRET@h/x?keepalives=SECRET", "keepalives"}, {"postgres://u:SECRET@h/x?tcp_user_timeout=5", "tcp_user_timeout"},
		{"postgres://u:SECRET@h/x?target_session_attrs=standby", "target_session_attrs"}, {"postgres://u:SECRET@h/x?target_session_attrs=SECRET", "target_session_attrs"},
		{"postgres://u:SECRET@h/x?gssencmode=require", "gssencmode"}, {"postgres://u:SECRET@h/x?krbsrvname=SECRET", "krbsrvname"},
		{"postgres://u:SECRET@h/x?channel_binding=require", "channel_binding"}, {"postgres://u:SECRET@h/x?require_auth=md5", "require_auth"},
		{"postgres://u:SECRET@h/x?hostaddr=10.0.0.1", "hostaddr"}, {"postgres://u:SECRET@h/x?sslcrl=/SECRET", "sslcrl"},
		{"postgres://u:SECRET@h/x?service=SECRET", "service"}, {"postgres://u:SECRET@h/x?replication=database", "replication"},
		{"postgres://u:SECRET@h/x?client_encoding=LATIN1", "client_encoding"}, {"postgres://u:SECRET@h/x?min_protocol_version=3.2", "min_protocol_version"},
		{"postgres://u:SECRET@h/x?options=-c%20DateStyle=SECRET", "DateStyle"}, {"postgres://u:SECRET@h/x?options=endpoint=SECRET", "options"},
		{"postgres://u:SECRET@h/x?statement_timeout=5", "statement_timeout"}, {"postgres://u:SECRET@h/x?TimeZone=SECRET", "TimeZone"},
	} {
		_, parsed := Parse(test.address)
		_, queue := OpenQueue(t.Context(), test.address, 1)
		_, driver := Open(test.address, Pool{})
		for name, err := range map[string]error{"Parse": parsed, "OpenQueue": queue, "Open": driver} {
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), "CRET") {
				t.Errorf("%s(%q): got %v, want %q and no value", name, test.address, err, test.want)
			}
		}
	}
}

// tlsServer is how a server answers the request for TLS.
type tlsServer int

const (
	withoutTLS tlsServer = iota // as Postgres without ssl
	withTLS
	onlyTLS   // refuses sessions that are not encrypted, as hostssl in pg_hba.conf
	brokenTLS // promises TLS and closes the connection
)

func TestSSLMode(t *testing.T) {
	t.Parallel()
	issuer := httptest.NewTLSServer(nil)
	t.Cleanup(issuer.Close)
	root := filepath.Join(t.TempDir(), "root.crt")
	check(t, os.WriteFile(root, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: issuer.Certificate().Raw}), 0o600))
	socket := postgres.URL(t, nothing)
	for _, test := range []struct {
		server     tlsServer
		parameters string
		want       string // "" means that it connects
	}{
		{withoutTLS, "sslmode=disable", ""}, {withoutTLS, "sslmode=prefer", ""}, {withoutTLS, "sslmode=allow", ""},
		{withoutTLS, "sslmode=require", "has no TLS"}, {withoutTLS, "sslmode=verify-full", "add sslmode=disable"},
		{withTLS, "sslmode=prefer", ""}, {withTLS, "sslmode=require", ""}, {withTLS, "sslmode=verify-full", "Add sslrootcert=FILE"},
		{withTLS, "sslmode=verify-full&sslrootcert=" + root, ""}, {withTLS, "sslmode=verify-ca&sslrootcert=" + root, ""}, {withTLS, "sslrootcert=" + root, ""},
		{withTLS, "sslmode=verify-full&sslrootcert=system", "Add sslrootcert=FILE"}, {withTLS, "sslmode=require&sslnegotiation=direct", ""},
		{onlyTLS, "sslmode=disable", "no encryption"}, {onlyTLS, "sslmode=allow", ""}, {onlyTLS, "sslmode=prefer", ""},
		{brokenTLS, "sslmode=prefer", ""}, {brokenTLS, "sslmode=require", "EOF"},
	} {
		t.Run(fmt.Sprint(int(test.server), " ", strings.ReplaceAll(test.parameters, "/", "_")), func(t *testing.T) {
			t.Parallel()
			address := postgres.Relay(t, socket, func(server, conn net.Conn) {
				client, err := test.server.accept(conn, issuer.TLS.Certificates)
				if err != nil {
					_ = conn.(*net.TCPConn).CloseWrite()
					postgres.Copy(server, conn) // what was not read would make the close a reset
					_ = conn.Close()
					return
				}
				go postgres.Copy(server, client)
				postgres.Copy(client, server)
			})
			address = strings.Replace(address, "sslmode=disable", test.parameters, 1)
			root, err := Open(address, Pool{Connections: 1, StatementTimeout: time.Minute})
			check(t, err)
			defer func() { check(t, root.Close()) }()
			err = root.PingContext(t.Context())
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("the server's driver: got %v, want %q", err, test.want)
			}
			pool, err := OpenQueue(t.Context(), address, 1)
			check(t, err)
			defer pool.Close()
			if err := pool.Ping(t.Context()); (err == nil) != (test.want == "") {
				t.Errorf("the queue's driver: got %v, want %q", err, test.want)
			}
		})
	}
}

// accept reads the first message of a client. It returns the connection on which the session goes
// on, with the message if that is the start of the session.
func (s tlsServer) accept(client net.Conn, certificates []tls.Certificate) (net.Conn, error) {
	in := bufio.NewReader(client)
	first, err := in.Peek(8)
	plain := buffered{client, in}
	config := &tls.Config{Certificates: certificates, NextProtos: []string{"postgresql"}, MinVersion: tls.VersionTLS12}
	switch {
	case err != nil || s == withoutTLS:
		return plain, err
	case first[0] == 22: // TLS without a request
		return tls.Server(plain, config), nil
	case string(first) != sslRequest && s == onlyTLS:
		refusal, _ := (&pgproto3.ErrorResponse{Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: invalidAuthorization, Message: "no pg_hba.conf entry, no encryption"}).Encode(nil)
		_, err := client.Write(refusal)
		return plain, errors.Join(err, io.EOF)
	case string(first) != sslRequest:
		return plain, nil
	}
	_, err = in.Discard(8)
	if _, writeErr := client.Write([]byte("S")); err == nil {
		err = writeErr
	}
	if s == brokenTLS {
		return plain, errors.Join(err, io.EOF)
	}
	return tls.Server(plain, config), err
}

// buffered is a connection with what was read ahead.
type buffered struct {
	net.Conn
	in *bufio.Reader
}

// Read implements io.Reader.
func (b buffered) Read(p []byte) (int, error) { return b.in.Read(p) }
