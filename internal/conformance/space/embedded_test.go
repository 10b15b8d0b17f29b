package space_test

import (
	"fmt"
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
