package page

import (
	"net/http"
	"net/url"

	"portico/model"
	"portico/web"
)

// request is a request for a page, with the language of its response.
type request struct {
	*http.Request
	language *language
	chosen   bool // whether the address names the language
	embedded bool // whether the page is for frames of other sites
}

// newRequest returns the request with its language.
func (p *Pages) newRequest(r *http.Request) *request {
	language, chosen := chooseLanguage(p.languages, r)
	return &request{Request: r, language: language, chosen: chosen}
}

// signedIn returns the handler of a page that knows who is signed in, and who has entered by a share
// link. It counts the request and shows errors as pages. web.Site.Page has read the session and refused
// forms of other sites.
func (p *Pages) signedIn(show func(w http.ResponseWriter, r *request) error) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		user, err := p.site.User(r)
		if err == nil && user != nil {
			r = r.WithContext(model.WithCaller(r.Context(), &model.Caller{UserID: user.ID}))
		}
		if err == nil {
			var visits []*model.LinkVisit
			visits, err = p.site.LinkVisits(r)
			r = r.WithContext(model.WithLinkVisits(r.Context(), visits))
		}
		p.show(w, p.newRequest(r), err, show)
		return nil
	}
}

// anonymous returns the handler of a page that is the same for everybody. Embedded pages ignore
// the session, so that the surrounding site cannot trick a signed-in visitor into a click.
func (p *Pages) anonymous(show func(w http.ResponseWriter, r *request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request := p.newRequest(r)
		request.embedded = true
		p.show(w, request, nil, show)
	})
}

// show counts the request and responds with the page, or with the page of the error.
func (p *Pages) show(w http.ResponseWriter, r *request, err error, show func(w http.ResponseWriter, r *request) error) {
	w.Header().Add("Vary", "Accept-Language, Accept-Encoding, Save-Data")
	if err == nil {
		err = p.countRequest(r.Request)
	}
	if err == nil {
		err = show(w, r)
	}
	if err != nil {
		p.fail(w, r, err)
	}
}

func (r *request) isSignedIn() bool { return model.CallerFrom(r.Context()) != nil }

// link returns the address of a page in the language that the address of this page names.
func (r *request) link(path string, query url.Values) string {
	if r.chosen {
		return r.inLanguage(path, query, r.language.tag)
	}
	return withQuery(path, query)
}

// inLanguage returns the address of a page in a language.
func (r *request) inLanguage(path string, query url.Values, tag string) string {
	named := url.Values{"lang": {tag}}
	for name, values := range query {
		named[name] = values
	}
	return withQuery(path, named)
}

// withQuery returns the path with the query, if there is one.
func withQuery(path string, query url.Values) string {
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}
