package db

import (
	"strings"
	"testing"
)

func TestDriverURL(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, address, want string }{
		{"verifies_a_remote_host", "postgres://u:p@db.example/x", "postgres://u:p@db.example:5432/x?sslmode=verify-full"},
		{"keeps_the_sslmode_that_is_given", "postgres://u:p@db.example:6/x?sslmode=require", "postgres://u:p@db.example:6/x?sslmode=require"},
		{"verifies_when_the_sslmode_is_empty", "postgres://db.example/x?sslmode=", "postgres://db.example:5432/x?sslmode=verify-full"},
		{"trusts_localhost", "postgresql://localhost/x", "postgresql://localhost:5432/x?sslmode=disable"},
		{"trusts_127.0.0.1", "postgres://127.0.0.1:7/x", "postgres://127.0.0.1:7/x?sslmode=disable"},
		{"trusts_the_loopback_of_IPv6", "postgres://[::1]/x", "postgres://[::1]:5432/x?sslmode=disable"},
		{"takes_no_host_for_localhost", "postgres:///x", "postgres://localhost:5432/x?sslmode=disable"},
		{"verifies_a_private_network", "postgres://10.0.0.5/x", "postgres://10.0.0.5:5432/x?sslmode=verify-full"},
		{"verifies_a_host_in_the_query", "postgres:///x?host=db.example&port=7", "postgres://db.example:7/x?sslmode=verify-full"},
		{"keeps_other_parameters", "postgres://localhost/x?search_path=a", "postgres://localhost:5432/x?search_path=a&sslmode=disable"},
		{"keeps_escapes_of_the_password", "postgres://u:p%40%2F@localhost/x", "postgres://u:p%40%2F@localhost:5432/x?sslmode=disable"},
		{"needs_no_TLS_on_a_socket", "unix://u:p@x/run/.s.PGSQL.5432?sslmode=require", "unix://u:p@x/run/.s.PGSQL.5432?sslmode=disable"},
		{"knows_libpq's_form_of_a_socket", "postgres://u:p@/x?host=/run&port=7", "unix://u:p@x/run/.s.PGSQL.7?sslmode=disable"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := driverURL(test.address)
			check(t, err)
			if got != test.want {
				t.Errorf("driverURL: got %s, want %s", got, test.want)
			}
		})
	}
}

func TestPoolURL(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, address, want string }{
		{"verifies_a_remote_host", "postgres://u:p@db.example/x", "postgres://u:p@db.example/x?sslmode=verify-full"},
		{"keeps_the_sslmode_that_is_given", "postgres://db.example/x?sslmode=require", "postgres://db.example/x?sslmode=require"},
		{"trusts_localhost", "postgres://localhost/x", "postgres://localhost/x?sslmode=disable"},
		{"verifies_a_host_in_the_query", "postgres:///x?host=db.example", "postgres:///x?host=db.example&sslmode=verify-full"},
		{"turns_a_socket_into_its_folder", "unix://u:p@x/run/pg/.s.PGSQL.5433", "postgres://u:p@/x?host=%2Frun%2Fpg&port=5433&sslmode=disable"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := PoolURL(test.address)
			check(t, err)
			if got != test.want {
				t.Errorf("PoolURL: got %s, want %s", got, test.want)
			}
		})
	}
}

func TestURLs_that_are_invalid(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "SECRET", "mysql://u:SECRET@h/x", "://SECRET", "postgres://u:SECRET@h:port/x", "unix://u:SECRET@x", "unix:///SECRET.1",
	} {
		_, driver := driverURL(address)
		_, pool := PoolURL(address)
		_, opened := Pool(t.Context(), address, 1)
		for name, err := range map[string]error{"driverURL": driver, "PoolURL": pool, "Pool": opened} {
			if err == nil || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("%s(%q): got %v, want an error without the address", name, address, err)
			}
		}
	}
}
