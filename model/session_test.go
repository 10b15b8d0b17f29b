package model_test

import (
	"testing"

	"portico/model"
)

func TestNetwork_leaves_out_the_end_of_an_address(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"203.0.113.9": "203.0.113.0/24", "127.0.0.1": "127.0.0.0/24", "::ffff:203.0.113.9": "203.0.113.0/24",
		"2001:db8:1:2::3": "2001:db8:1::/48", "fe80::1%eth0": "fe80::/48", "::1": "::1", "::1%lo": "::1",
		"": "", "localhost": "",
	} {
		if got := model.Network(address); got != want {
			t.Errorf("%q: got %q, want %q", address, got, want)
		}
	}
}
