package method

import (
	"net/http"
	"slices"
	"testing"
)

func TestWithHead_adds_HEAD_only_to_GET(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ methods, want []string }{
		{[]string{"GET", "POST"}, []string{"GET", "POST", "HEAD"}},
		{[]string{"HEAD", "GET"}, []string{"HEAD", "GET"}},
		{[]string{"POST"}, []string{"POST"}},
	} {
		if got := WithHead(test.methods...); !slices.Equal(got, test.want) {
			t.Errorf("%v: got %v, want %v", test.methods, got, test.want)
		}
	}
}

func TestRefuse_names_the_allowed_methods(t *testing.T) {
	t.Parallel()
	header := http.Header{}
	if got, want := Refuse(header, http.MethodPut, http.MethodGet), 405; got != want {
		t.Errorf("status: got %d, want %d", got, want)
	}
	if got, want := header.Get("Allow"), "GET, PUT"; got != want {
		t.Errorf("Allow: got %q, want %q", got, want)
	}
}
