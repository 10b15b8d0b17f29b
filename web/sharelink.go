package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"portico/auth"
	"portico/model"
)

const (
	// visitCookie is the prefix of the names of cookies of share links. The id of the space follows,
	// so that a browser keeps one link of each space.
	visitCookie = "portico_link_"
	// VisitLifetime is how long a browser stays in a space before it must enter by the link again,
	// which then counts as another visit.
	VisitLifetime = 24 * time.Hour
	// maxVisits is the maximum number of links of a browser that a request can use.
	maxVisits = 20
	// graphQLPath is where the scripts of the page of a space read it.
	graphQLPath = "/graphql"
)

// The messages for a link that opens nothing, and for its password.
const (
	linkNotFound  = "This link does not exist. Check that you have copied the whole address"
	linkEnded     = "This link has ended. Ask whoever sent it to you for a new one"
	linkUsedUp    = "This link was used as often as it allows. Ask whoever sent it to you for a new one"
	wrongPassword = "The password is wrong"
)

// sharePage is the content of share.html.
type sharePage struct {
	Secret string // "" before the script of the page has sent it
	Error  string
	Fields []field
}

// showShare handles GET /share, which is the same page for every link: its script sends the secret
// from the fragment of the address. So the secret is in no log of a proxy and in no Referer, and a
// program that looks at the address for a preview makes no visit.
func (s *Site) showShare(w http.ResponseWriter, r *http.Request) error {
	return s.renderShare(w, r, http.StatusOK, sharePage{})
}

func (s *Site) renderShare(w http.ResponseWriter, r *http.Request, status int, page sharePage) error {
	return s.render(w, r, pageResponse{status, "share", s.withProblem(r, "Open a shared space", page.Error != "")}, page)
}

// enterByLink handles POST /share: it exchanges the secret of a link, and the password if it has one,
// for a cookie.
//
// The steps: count the attempt, find the link, compare the password, count the visit, set the cookies.
// An attempt that succeeds is taken off the count, and so is the question for the password.
func (s *Site) enterByLink(w http.ResponseWriter, r *http.Request) error {
	ctx, secret, ip := r.Context(), r.PostForm.Get("secret"), s.AttemptSubject(r)
	if wait := s.limits.linksByAddress.Take(ip); wait > 0 {
		return s.renderShare(w, r, http.StatusTooManyRequests, sharePage{Error: s.tooManyAttempts(w, r, wait)})
	}
	link, err := s.db.ShareLinks().ShareLinkBySecret(ctx, auth.LinkSecretHash(secret))
	if model.CodeOf(err) == model.CodeNotFound {
		return s.renderShare(w, r, http.StatusNotFound, sharePage{Error: linkNotFound})
	}
	if err != nil {
		return err
	}
	visits, err := s.LinkVisits(r)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(visits, func(v *model.LinkVisit) bool { return v.LinkID == link.ID }) { // the browser is inside
		s.limits.linksByAddress.Refund(ip)
		return Redirect(w, r, "/"+link.SpaceID)
	}
	if refused := refusalOf(link); refused != "" {
		return s.renderShare(w, r, http.StatusGone, sharePage{Error: refused})
	}
	if link.HasPassword() {
		if _, sent := r.PostForm["password"]; !sent {
			s.limits.linksByAddress.Refund(ip)
			return s.askForPassword(w, r, http.StatusOK, "")
		}
		matches, err := s.isLinkPassword(w, r, link)
		if err != nil || !matches {
			return err
		}
	}
	return s.enter(w, r, link)
}

// isLinkPassword reports whether the form has the password of the link. Otherwise it asks again. Wrong
// passwords are counted for each link too, so that many addresses together cannot try many.
func (s *Site) isLinkPassword(w http.ResponseWriter, r *http.Request, link *model.ShareLink) (bool, error) {
	if wait := s.limits.passwordsByLink.Take(link.ID); wait > 0 {
		return false, s.askForPassword(w, r, http.StatusTooManyRequests, s.tooManyAttempts(w, r, wait))
	}
	matches, err := s.accounts.IsLinkPassword(r.Context(), r.PostForm.Get("password"), link.PasswordHash)
	if err != nil {
		return false, err
	}
	if !matches {
		return false, s.askForPassword(w, r, http.StatusUnprocessableEntity, wrongPassword)
	}
	s.limits.passwordsByLink.Refund(link.ID)
	return true, nil
}

func (s *Site) askForPassword(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	return s.renderShare(w, r, status, sharePage{
		Secret: r.PostForm.Get("secret"),
		Fields: withFocus([]field{{Name: "password", Label: "Password", Type: "password", Error: problem, Autocomplete: "off"}}),
	})
}

// enter counts a visit and lets the browser in. The database decides whether the link has a visit left,
// because others may enter at the same time.
func (s *Site) enter(w http.ResponseWriter, r *http.Request, link *model.ShareLink) error {
	access := model.LinkAccess{LinkID: link.ID, Version: link.Version}
	entered, err := s.db.ShareLinks().Enter(r.Context(), access)
	if err != nil {
		return err
	}
	if !entered {
		return s.renderShare(w, r, http.StatusGone, sharePage{Error: s.newRefusalOf(r.Context(), link.ID)})
	}
	s.limits.linksByAddress.Refund(s.AttemptSubject(r))
	s.setVisit(w, link, access)
	return Redirect(w, r, "/"+link.SpaceID)
}

// refusalOf returns why the link lets nobody in; "" if it does.
func refusalOf(link *model.ShareLink) string {
	switch link.State() {
	case model.ShareLinkOpen:
		return ""
	case model.ShareLinkUsedUp:
		return linkUsedUp
	}
	return linkEnded
}

// newRefusalOf is refusalOf for a link that was open a moment ago.
func (s *Site) newRefusalOf(ctx context.Context, id string) string {
	link, err := s.db.ShareLinks().ShareLink(ctx, id)
	if err != nil || refusalOf(link) == "" { // the space is hidden, or the password is another one now
		return linkEnded
	}
	return refusalOf(link)
}

// setVisit sets the cookies of a visit: for the page of the space and its downloads, for what its
// scripts read, and for the page that enters, so that it does not count the browser again. No other
// request has them.
func (s *Site) setVisit(w http.ResponseWriter, link *model.ShareLink, access model.LinkAccess) {
	until := time.Now().Add(VisitLifetime)
	if link.EndsAt != nil && link.EndsAt.Before(until) {
		until = link.EndsAt.Time
	}
	for _, path := range []string{"/" + link.SpaceID, "/download/" + link.SpaceID, graphQLPath, sharePath} {
		http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure with https; a laptop has none
			Name: s.visitCookieOf(link.SpaceID), Value: s.keys.SealVisit(access, until), Path: path, Expires: until,
			HttpOnly: true, Secure: s.base.Scheme == "https", SameSite: http.SameSiteLaxMode,
		})
	}
}

// visitCookieOf returns the name of the cookie for a space. With https, only this site can set it
// (RFC 6265bis section 4.1.3).
func (s *Site) visitCookieOf(spaceID string) string {
	if s.base.Scheme == "https" {
		return "__Secure-" + visitCookie + spaceID
	}
	return visitCookie + spaceID
}

// HadVisit reports whether the browser has entered the space by a link, which may have ended since.
func (s *Site) HadVisit(r *http.Request, spaceID string) bool {
	_, err := r.Cookie(s.visitCookieOf(spaceID))
	return err == nil
}

// LinkVisits returns what the browser has got by share links that are open now. A request without
// the cookie of a link costs nothing. It is for pages, which other sites cannot read.
func (s *Site) LinkVisits(r *http.Request) ([]*model.LinkVisit, error) {
	visits := s.visitsOf(r)
	if len(visits) == 0 {
		return nil, nil
	}
	return s.db.ShareLinks().LinkVisits(r.Context(), visits)
}

// maxBuffered is the maximum number of bytes of a body that PageVisits buffers. It is the maximum size
// of a body that the doors accept.
const maxBuffered = 1 << 20

// PageVisits is LinkVisits for requests of the scripts of our own pages: as Caller does, it refuses
// what another site sends. It reads the body first: the body may arrive minutes after the headers, and a
// link that has ended by then gives no access.
func (s *Site) PageVisits(r *http.Request) ([]*model.LinkVisit, error) {
	if len(s.visitsOf(r)) == 0 || !s.isFromOwnPage(r) {
		return nil, nil
	}
	if r.Method == http.MethodPost {
		bufferBody(r)
	}
	return s.LinkVisits(r)
}

// bufferBody reads the body of the request into memory, from which the door reads it. The door
// also gets the error of the read.
func bufferBody(r *http.Request) {
	start, err := io.ReadAll(io.LimitReader(r.Body, maxBuffered+1))
	r.Body = bufferedBody{io.MultiReader(bytes.NewReader(start), &errorReader{err}, r.Body), r.Body}
}

// bufferedBody reads from the Reader, and closes the original body of the request.
type bufferedBody struct {
	io.Reader
	io.Closer
}

// errorReader is an empty reader that returns err at its end.
type errorReader struct{ err error }

// Read implements io.Reader.
func (e *errorReader) Read([]byte) (int, error) {
	if e.err == nil || errors.Is(e.err, io.EOF) {
		return 0, io.EOF
	}
	return 0, e.err
}

// visitsOf returns the visits that this server has sealed for the browser.
func (s *Site) visitsOf(r *http.Request) []model.LinkAccess {
	var visits []model.LinkAccess
	for _, cookie := range r.Cookies() {
		if len(visits) == maxVisits {
			break
		}
		if !strings.HasPrefix(cookie.Name, s.visitCookieOf("")) {
			continue
		}
		if visit, ok := s.keys.OpenVisit(cookie.Value, time.Now()); ok && !slices.Contains(visits, visit) {
			visits = append(visits, visit)
		}
	}
	return visits
}
