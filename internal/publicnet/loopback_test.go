package publicnet

import "testing"

func TestIsLoopback_includes_no_name_but_localhost(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost": true, "127.0.0.1": true, "127.8.8.8": true, "::1": true, "::1%lo": true,
		"": false, "localhost.": false, "localhost.example": false, "128.0.0.1": false, "::2": false, "0.0.0.0": false,
		"127.1": false, "127.0.0.1.example": false, "fe80::1%lo": false,
	} {
		if got := IsLoopback(host); got != want {
			t.Errorf("IsLoopback(%q): got %v, want %v", host, got, want)
		}
	}
}
