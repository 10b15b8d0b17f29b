package observe

import "testing"

func TestRouteLabel_is_a_known_route_or_other(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ path, pattern, want string }{
		{"/v1/spaces/1", "/v1/spaces/{spaceId}", "/v1/spaces/{spaceId}"},
		{"/api/v1/spaces/1", "/api/v1/spaces/{spaceId}", "/v1/spaces/{spaceId}"},
		{"/api/v1/mcp/", "", "/v1/mcp"},
		{"/v1//mcp", "", "/v1/mcp"},
		{"/api//v1/mcp", "", "/v1/mcp"},
		{"/api/token", "", "/token"},
		{"/token/of/mine", "", "other"},
		{"/", "", "/"},
		{"/10000000_abc", "", "/{spaceId}"},
		{"/embed/10000000_abc", "", "/embed/*"},
		{"/uploads/abc", "/uploads/*", "/uploads/*"},
		{"/uploads/abc", "", "/uploads/*"},
		{"/api/supersplat/v1/splats/1", "/api/supersplat/v1/splats/{splatId}", "/supersplat/v1/splats/{splatId}"},
		{"/api/supersplat/v1/nothing", "", "/supersplat/*"},
		{"/files/a/b", "/files/*", "/files/*"},
		{"/exports/abc", "", "/exports/*"},
		{"/console", "", "/console"},
		{"/console/sample.sog", "", "/console/*"},
		{"/welcome", "", "/welcome"},
		{"/welcome/abc", "", "other"},
		{"/wp-login.php", "", "other"},
	} {
		if got := routeLabel(test.path, test.pattern); got != test.want {
			t.Errorf("routeLabel(%q, %q): got %q, want %q", test.path, test.pattern, got, test.want)
		}
	}
}

func TestMethodLabel_is_a_known_method_or_other(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]string{"GET": "GET", "PATCH": "PATCH", "PROPFIND": "other", "patch": "other"} {
		if got := methodLabel(method); got != want {
			t.Errorf("methodLabel(%q): got %q, want %q", method, got, want)
		}
	}
}
