package negotiate

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAcceptsGzip_reads_Accept_Encoding(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		headers []string
		want    bool
	}{
		{nil, false},
		{[]string{""}, false},
		{[]string{"gzip"}, true},
		{[]string{"GZIP"}, true},
		{[]string{"br, gzip;q=0.5"}, true},
		{[]string{"br", "gzip"}, true},
		{[]string{"gzip;q=0"}, false},
		{[]string{"gzip ; q = 0.000"}, false},
		{[]string{"gzip;q=-1"}, false},
		{[]string{"gzip;q=NaN"}, false},
		{[]string{"gzip;q=x"}, true},
		{[]string{"*"}, true},
		{[]string{"*;q=0"}, false},
		{[]string{"*;q=0, gzip"}, true},
		{[]string{"gzip;q=0, *"}, false},
		{[]string{"identity"}, false},
		{[]string{"xgzip, gzipx, x-gzip"}, false},
		{[]string{",,;q=,gzip,"}, true},
		{[]string{strings.Repeat("br,", 20_000)}, false},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		if test.headers != nil {
			r.Header["Accept-Encoding"] = test.headers
		}
		if got := AcceptsGzip(r); got != test.want {
			t.Errorf("Accept-Encoding %.60q: got %t, want %t", test.headers, got, test.want)
		}
	}
}
