package page_test

import (
	"regexp"
	"testing"

	"portico/model"
)

// TestPolicy_names_what_gates_show: the policy of a space allows frames of plugins and of the
// pages that its own gates show, and no others.
func TestPolicy_names_what_gates_show(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	id, bare := p.space(ada, "Space", "", model.Public), p.space(ada, "Space", "", model.Public)
	gate := func(link string, embedded bool) {
		p.entity(ada, id, "DynamicGate", map[string]any{
			"link": link, "embeddedEnabled": embedded,
			"dynamicGate": map[string]any{"position": map[string]int{"x": 0, "y": 0, "z": 0}, "rotation": map[string]int{"x": 0, "y": 0, "z": 0}},
		})
	}
	gate("https://shown.example/page?a=b;c", true)
	gate("https://shown.example/other", true)
	gate("http://plain.example:8080/", true) // this server has no TLS either
	gate("https://linked.example/", false)
	gate("https://a;script-src.example/", true) // its host would end the directive
	gate(p.BaseURL()+"/account/key", true)
	gate("", true)
	frames := func(path string) string {
		policy := p.stranger().get(path).header.Get("Content-Security-Policy")
		found := regexp.MustCompile(`; frame-src ([^;]*)`).FindAllStringSubmatch(policy, -1)
		if len(found) != 1 {
			t.Fatalf("policy of %s: got %q, want one frame-src", path, policy)
		}
		return found[0][1]
	}
	plugins := p.FilesURL()[:len(p.FilesURL())-len("/files")] + "/plugin-frame"
	const shown = "http://plain.example:8080 https://shown.example"
	for path, want := range map[string]string{"/" + id: plugins + " " + shown, "/embed/" + id: plugins + " " + shown, "/" + bare: plugins} {
		if got := frames(path); got != want {
			t.Errorf("frames of %s: got %q, want %q", path, got, want)
		}
	}
	wantText(t, p.stranger().get("/"+id), `data-frames="`+shown+`"`, `data-plugins="`+plugins+`"`)
}
