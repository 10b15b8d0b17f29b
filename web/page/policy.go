package page

import (
	"net/http"
	"strings"

	"portico/web/asset"
)

// policies are the Content-Security-Policies of the pages. None allows inline code or eval. They
// differ in what the page does: a list loads pictures, a space also runs the engine, and its form
// for other sites may be framed.
type policies struct {
	// list is for pages without a script, which show pictures of spaces.
	list string
	// gallery is for the gallery, which searches with a script.
	gallery string
	// scene is the common part of the policies of the pages of a space.
	scene string
	// plugins is the address of the frame of plugins; empty for none.
	plugins string
}

// newPolicies returns the policies of a server with these settings.
func newPolicies(o Options) policies {
	files := ""
	for _, origin := range o.FileOrigins {
		files += " " + origin
	}
	// Lists run no script. Lighthouse reads robots.txt as if the page did.
	list := "default-src 'none'; font-src 'self'; style-src 'self'; img-src 'self' data:" + files + "; connect-src 'self'; base-uri 'none'; form-action 'self'"
	// The engine sorts Gaussians in a worker and reads the pictures of models, both from
	// addresses that it makes itself.
	scene := "default-src 'none'; font-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:" + files +
		"; connect-src 'self' blob: data:" + files + "; media-src 'self' blob:" + files +
		"; worker-src 'self' blob:; base-uri 'none'; form-action 'self'"
	list += "; frame-ancestors 'none'"
	return policies{list: list, gallery: "script-src 'self'; " + list, scene: scene, plugins: o.PluginFrame}
}

// framedAnywhere ends the policy of a page that other sites may show in a frame.
const framedAnywhere = "; frame-ancestors *"

// space returns the policy of the page of a space whose gates show web pages of these origins.
func (p policies) space(origins []string) string {
	return p.scene + p.frameDirective(origins) + "; frame-ancestors 'none'"
}

// embedPolicy returns the policy of the page's form in frames of other sites.
//
// A frame with the attribute sandbox cannot start a worker from a file, only from a blob, which has the
// policy of the page. So this policy allows the WebAssembly of the workers that decode models (see
// asset.Tree), but no other code.
func (p policies) embedPolicy(origins []string) string {
	return strings.Replace(p.scene, "script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'", 1) + p.frameDirective(origins) + framedAnywhere
}

// frameDirective returns the directive for the frames in the page of a space: of plugins, and of
// pages that its gates show.
func (p policies) frameDirective(origins []string) string {
	if p.plugins == "" && len(origins) == 0 {
		return ""
	}
	return strings.TrimRight("; frame-src "+p.plugins, " ") + strings.TrimRight(" "+strings.Join(origins, " "), " ")
}

func setSecurityHeaders(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	// The address of a Link Only space is a secret that links must not give away.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY") // for browsers that do not know frame-ancestors
	if strings.HasSuffix(policy, framedAnywhere) {
		h.Del("X-Frame-Options")
	}
}

// allowIsolatedFrames lets a site with a Cross-Origin-Embedder-Policy show the page in a frame. Such
// sites require the same policy of the page, and then of each frame in it. The web pages that gates
// show have none, so a page with such gates is not for these sites.
func allowIsolatedFrames(h http.Header, origins []string) {
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	if len(origins) == 0 {
		h.Set("Cross-Origin-Embedder-Policy", asset.RequireCORP)
	}
}
