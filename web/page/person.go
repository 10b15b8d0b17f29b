package page

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"portico/model"
	"portico/web"
)

// personPage is the content of person.html.
type personPage struct {
	Name string
	// Picture is the address of the person's picture; nil for none.
	Picture *string
	Initial string // of the name, where there is no picture
	// Backdrop is the address of the picture of the newest space that has one; empty for none.
	Backdrop string
	Cards    cards
	// CanFollow reports whether the visitor is signed in and somebody else. Otherwise
	// SignIn is the address of the sign-in page; empty for the person's own page.
	CanFollow bool
	Followed  bool
	SignIn    string
	Action    string // the address that the form is sent to
}

// showPerson handles GET /u/{userId}. The canonical address of the page has the name of the account,
// if there is one.
func (p *Pages) showPerson(w http.ResponseWriter, r *request) error {
	args := pageArgs(r.URL.Query())
	profile, gallery, err := p.queries.ProfilePage(r.Context(), r.PathValue("id"), args)
	if err != nil {
		return err
	}
	return p.respondPerson(w, r, profile, gallery, args)
}

// respondPerson responds with the page of an account.
func (p *Pages) respondPerson(w http.ResponseWriter, r *request, profile *model.Profile, gallery *model.Gallery, args model.ConnectionArgs) (err error) {
	path := cmp.Or(model.Named{Handle: profile.Handle}.Path(), personPath+profile.ID)
	f := p.newFrame(r, path, nil)
	content := personPage{
		Name: profile.Name, Picture: p.queries.PictureURL(profile.PictureKey), Followed: profile.Followed, SignIn: f.SignIn, Action: r.link(personPath+profile.ID, nil),
		Cards: p.cardsOf(r, gallery, path, nil, false),
	}
	content.Initial = initial(profile.Name)
	if i := slices.IndexFunc(content.Cards.Spaces, func(c card) bool { return c.Poster != "" }); i >= 0 {
		content.Backdrop = content.Cards.Spaces[i].Poster
		f.Image = content.Backdrop
	}
	if caller := model.CallerFrom(r.Context()); caller != nil {
		content.CanFollow = caller.UserID != profile.ID
	}
	f.Title, f.Content = profile.Name, content
	if f.Description, err = r.language.text("person.description", "name", profile.Name); err != nil {
		return err
	}
	// Search engines index only the first page of a list with spaces: an account whose spaces
	// are all Private did not ask to be found.
	f.NoIndex = len(content.Cards.Spaces) == 0 || args.After != nil || args.Before != nil
	return p.respond(w, r, pageResponse{
		status: http.StatusOK, page: "person", policy: p.policies.list, cache: cacheFor(r), frame: f,
	})
}

// initial returns the first character of a name.
func initial(name string) string {
	for _, r := range name {
		return strings.ToUpper(string(r))
	}
	return ""
}

// follow handles POST /u/{userId}: the forms of a person's page. web.Site.Page has refused
// forms of other sites.
//
// It works without a script. The redirect shows the page with the new state.
func (p *Pages) follow(w http.ResponseWriter, r *request) error {
	id, change := r.PathValue("id"), p.mutations.FollowUser
	if r.PostForm.Get("action") == "unfollow" {
		change = p.mutations.UnfollowUser
	}
	if !r.isSignedIn() {
		return p.site.RedirectToSignIn(w, r.Request)
	}
	if _, err := change(r.Context(), id); err != nil {
		return err
	}
	return web.Redirect(w, r.Request, r.link(personPath+id, nil))
}
