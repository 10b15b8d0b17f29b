package publicnet

import (
	"errors"
	"net/netip"
	"testing"
)

// permission is whether the server may connect to an address.
type permission struct {
	address, class string
	want           bool
}

func TestGuard_permits_only_public_IPv4(t *testing.T) {
	t.Parallel()
	checkPermissions(t, []permission{
		{"93.184.215.14", "public", true},
		{"1.1.1.1", "public", true},
		{"100.63.255.255", "below the carriers'", true},
		{"100.128.0.0", "above the carriers'", true},
		{"172.15.255.255", "below the private", true},
		{"172.32.0.0", "above the private", true},
		{"0.0.0.0", "unspecified", false},
		{"0.1.2.3", "this network", false},
		{"10.0.0.1", "private", false},
		{"172.16.0.1", "private", false},
		{"172.31.255.255", "private", false},
		{"192.168.1.1", "private", false},
		{"100.64.0.1", "carriers'", false},
		{"100.100.100.200", "metadata of Alibaba", false},
		{"127.0.0.1", "loopback", false},
		{"127.255.255.254", "loopback", false},
		{"169.254.0.1", "link-local", false},
		{"169.254.169.254", "metadata of AWS, GCP and others", false},
		{"168.63.129.16", "metadata of Azure", false},
		{"192.0.0.192", "metadata of Oracle", false},
		{"192.0.0.8", "protocols' own", false},
		{"192.0.2.1", "documentation", false},
		{"198.51.100.1", "documentation", false},
		{"203.0.113.1", "documentation", false},
		{"192.88.99.1", "6to4 relay", false},
		{"198.18.0.1", "benchmark", false},
		{"198.19.255.255", "benchmark", false},
		{"224.0.0.1", "multicast", false},
		{"239.255.255.255", "multicast", false},
		{"240.0.0.1", "reserved", false},
		{"255.255.255.255", "broadcast", false},
	})
}

func TestGuard_permits_only_public_IPv6(t *testing.T) {
	t.Parallel()
	checkPermissions(t, []permission{
		{"2606:4700:4700::1111", "public", true},
		{"2a00:1450:4001:82b::200e", "public", true},
		{"::", "unspecified", false},
		{"::1", "loopback", false},
		{"::ffff:127.0.0.1", "loopback, mapped", false},
		{"::ffff:10.0.0.1", "private, mapped", false},
		{"::ffff:1.1.1.1", "public, mapped", true},
		{"::127.0.0.1", "loopback, compatible", false},
		{"64:ff9b::7f00:1", "loopback by NAT64", false},
		{"64:ff9b:1::a00:1", "private by local NAT64", false},
		{"2002:7f00:1::", "loopback by 6to4", false},
		{"2002:a00:1::1", "private by 6to4", false},
		{"2001::1", "Teredo", false},
		{"2001:db8::1", "documentation", false},
		{"3fff::1", "documentation", false},
		{"5f00::1", "segment routing", false},
		{"100::1", "discard", false},
		{"fc00::1", "unique local", false},
		{"fd00:ec2::254", "metadata of Amazon", false},
		{"fe80::1", "link-local", false},
		{"fe80::1%eth0", "link-local with its interface", false},
		{"2606:4700:4700::1111%eth0", "public by an interface", false},
		{"fec0::1", "site-local", false},
		{"ff02::1", "multicast", false},
	})
	if NewGuard().Permits(netip.Addr{}) {
		t.Error("no address: got true, want false")
	}
}

// checkPermissions compares the guard's decision on each address.
func checkPermissions(t *testing.T, permissions []permission) {
	t.Helper()
	for _, test := range permissions {
		if got := NewGuard().Permits(netip.MustParseAddr(test.address)); got != test.want {
			t.Errorf("%s (%s): got %t, want %t", test.address, test.class, got, test.want)
		}
	}
}

func TestControl_permits_only_public_addresses_over_TCP(t *testing.T) {
	t.Parallel()
	refuse := Control(NewGuard().Permits)
	for _, test := range []struct {
		network, address string
		want             error
	}{
		{"tcp4", "1.1.1.1:443", nil},
		{"tcp6", "[2606:4700:4700::1111]:80", nil},
		{"tcp4", "127.0.0.1:80", ErrRefused},
		{"tcp6", "[::1]:80", ErrRefused},
		{"udp4", "1.1.1.1:443", ErrRefused},
		{"unix", "/run/docker.sock:1", ErrRefused},
		{"tcp4", "localhost:80", ErrRefused},
	} {
		if got := refuse(test.network, test.address, nil); !errors.Is(got, test.want) {
			t.Errorf("%s %s: got %v, want %v", test.network, test.address, got, test.want)
		}
	}
	if refuse("tcp4", "nonsense", nil) == nil {
		t.Error("nonsense: got nil, want an error")
	}
}
