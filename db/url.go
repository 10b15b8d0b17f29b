package db

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"strings"
)

// defaultPort is the port of a URL without one, as in libpq.
const defaultPort = "5432"

// driverURL returns the address in the form of pgdriver, with an explicit sslmode: by
// default the certificate of a remote host is verified, and a connection to this machine
// is not encrypted. The default of pgdriver is TLS without verification.
func driverURL(address string) (string, error) {
	u, err := parse(address)
	if err != nil {
		return "", err
	}
	query := u.Query()
	host := cmp.Or(query.Get("host"), u.Hostname(), "localhost")
	switch {
	case u.Scheme == "unix":
		query.Set("sslmode", "disable")
	case strings.HasPrefix(host, "/"): // the form of libpq: the folder of the socket
		socket := path.Join(host, ".s.PGSQL."+portOf(u))
		u = &url.URL{Scheme: "unix", User: u.User, Host: strings.Trim(u.Path, "/"), Path: socket}
		query.Del("host")
		query.Del("port")
		query.Set("sslmode", "disable")
	default:
		// Always with a port: without one pgdriver cuts an IPv6 address apart.
		u.Host = net.JoinHostPort(host, portOf(u))
		query.Del("host")
		query.Del("port")
		query.Set("sslmode", cmp.Or(query.Get("sslmode"), defaultTLS(host)))
	}
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// PoolURL returns the address in the form of libpq, for River's pool.
func PoolURL(address string) (string, error) {
	u, err := parse(address)
	if err != nil {
		return "", err
	}
	query := u.Query()
	if u.Scheme == "unix" {
		query.Set("host", path.Dir(u.Path))
		query.Set("port", strings.TrimPrefix(path.Ext(u.Path), "."))
		query.Set("sslmode", "disable")
		u.Scheme, u.Path, u.Host = "postgres", "/"+u.Host, ""
	} else if !query.Has("sslmode") {
		query.Set("sslmode", defaultTLS(cmp.Or(query.Get("host"), u.Hostname())))
	}
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// parse parses the address. Its errors never contain the address, which has a password.
func parse(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the database address is not a URL")
	}
	switch u.Scheme {
	case "postgres", "postgresql":
		return u, nil
	case "unix":
		if path.Ext(u.Path) == "" || u.Host == "" {
			return nil, errors.New("the database address must be unix://name/folder/.s.PGSQL.port")
		}
		return u, nil
	}
	return nil, fmt.Errorf("the database address must begin with postgres:// or unix://, not %q", u.Scheme+"://")
}

// portOf returns the port, which the form of libpq may have as a parameter.
func portOf(u *url.URL) string { return cmp.Or(u.Query().Get("port"), u.Port(), defaultPort) }

// defaultTLS returns the sslmode of a host for an address without one.
func defaultTLS(host string) string {
	ip := net.ParseIP(host)
	if host == "" || host == "localhost" || strings.HasPrefix(host, "/") || (ip != nil && ip.IsLoopback()) {
		return "disable"
	}
	return "verify-full"
}
