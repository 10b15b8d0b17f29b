package page

import (
	"cmp"
	"net/http"
	"net/url"

	"portico/model"
	"portico/web"
)

// failure is the content of failure.html.
type failure struct {
	Kind   string // a part of the keys of its messages
	Status int
	// SignIn is the address of the sign-in page if signing in may help; otherwise empty.
	SignIn string
}

// showUnknown responds to a path without a page.
func (p *Pages) showUnknown(_ http.ResponseWriter, _ *request) error {
	return model.NotFound("Page not found")
}

// fail shows an error as a page, and logs it if it is a fault of ours.
//
// As in the API, a Private space gets 403 and an unknown space 404 (docs/rest.md, Entities). The
// page shows nothing of the space.
//
// The pages by code:
//
//	UNAUTHENTICATED, FORBIDDEN   403 private, with a link to sign in; or down, if an operator took it down;
//	                             or ended, if the browser has entered by a share link that has ended
//	NOT_FOUND                    404 missing
//	INVALID                      400 invalid
//	RATE_LIMITED                 429 busy, with Retry-After
//	others                       the status of their code, broken
func (p *Pages) fail(w http.ResponseWriter, r *request, err error) {
	shown := model.AsError(err)
	p.logFault(r.Request, err)
	content := failure{Status: shown.HTTPStatus()}
	// Escaped, and without empty segments: links to the page in other languages must not lead to
	// another host.
	address := url.URL{Path: cmp.Or(web.WithoutEmptySegments(r.URL.Path), "/")}
	f := p.newFrame(r, address.EscapedPath(), nil)
	switch shown.Code {
	case model.CodeUnauthenticated, model.CodeForbidden:
		content.Kind, content.Status = "private", http.StatusForbidden
		if shown.Reason == model.ReasonTakenDown {
			content.Kind = "down"
		} else if p.site.HadVisit(r.Request, r.PathValue("id")) {
			content.Kind = "ended"
		}
		if !r.embedded {
			content.SignIn = f.SignIn
		}
	case model.CodeNotFound:
		content.Kind = "missing"
	case model.CodeInvalid:
		content.Kind = "invalid"
	case model.CodeRateLimited:
		content.Kind = "busy"
		web.SetRetryAfter(w.Header(), shown.RetryAfter)
	default:
		content.Kind = "broken"
		if shown.IsOutage() {
			web.SetRetryAfter(w.Header(), shown.RetryAfter)
		}
	}
	f.NoIndex, f.Canonical, f.Content = true, "", content
	f.Title = r.language.texts["failure."+content.Kind+".title"]
	policy := p.policies.list
	if r.embedded {
		policy = p.policies.embedPolicy(nil)
		allowIsolatedFrames(w.Header(), nil)
	}
	if err := p.respond(w, r, pageResponse{status: content.Status, page: "failure", policy: policy, cache: cacheNever, frame: f}); err != nil {
		p.logFault(r.Request, err)
		web.RefuseInText(w, err)
	}
}
