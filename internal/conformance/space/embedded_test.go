package space_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"testing"
)

// newPage starts another site. Its page shows the referrer and the cookies that it received, and
// tries to reach the page around it in each way.
func newPage(t *testing.T) string {
	t.Helper()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!DOCTYPE html><title>Elsewhere</title><p id="received">referrer %q, cookie %q</p><p id="open"></p>
<script>
const attempts = {
  cookie: () => document.cookie,
  storage: () => localStorage.length,
  parent: () => parent.document.title,
  top: () => { top.location = 'about:blank'; },
  popup: () => { if (!open('about:blank')) throw new Error('blocked'); },
  camera: () => { if (!document.featurePolicy.allowsFeature('camera')) throw new Error('blocked'); },
  fullscreen: () => { if (!document.fullscreenEnabled) throw new Error('blocked'); },
};
const ways = Object.entries(attempts).filter(([, attempt]) => { try { attempt(); return true; } catch { return false; } });
document.getElementById('open').textContent = 'open: ' + (ways.map(([name]) => name).join(', ') || 'none');
</script>`, r.Referer(), r.Header.Get("Cookie"))
	}))
	t.Cleanup(other.Close)
	return other.URL + "/page"
}

// newHost starts a site that shows a page of the server in a frame: below /sandbox in a frame without
// an origin, below /isolated on a page that requires every frame to be isolated, and below /both both.
// Below /element it shows the page by the element portico-space.
func newHost(t *testing.T, server string) string {
	t.Helper()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/element" {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, `<!DOCTYPE html><html lang="en"><title>Host</title><script type="module" src="%s/pages/portico-space-1.js"></script><portico-space ui="0" watch-view src="%s" style="width: 480px"></portico-space>`,
				server, html.EscapeString(server+r.URL.Query().Get("embed")))
			return
		}
		attributes := map[string]string{"/sandbox": `sandbox="allow-scripts"`, "/isolated": `class="plain"`, "/both": `sandbox="allow-scripts"`}[r.URL.Path]
		if attributes == "" { // the icon
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if r.URL.Path != "/sandbox" {
			w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
			w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!DOCTYPE html><title>Host</title><iframe %s allow="xr-spatial-tracking *" src="%s" width="480" height="400"></iframe><p style="height: 3000px">Below</p>`,
			attributes, html.EscapeString(server+r.URL.Query().Get("embed")))
	}))
	t.Cleanup(host.Close)
	return host.URL
}
