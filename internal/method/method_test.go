package method

import (
	"net/http"
	"testing"
)

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
