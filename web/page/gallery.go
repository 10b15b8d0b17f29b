package page

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"portico/model"
)

// cardsPerPage fills whole rows of one, two, three and four cards.
const cardsPerPage = 24

// galleryPage is the content of gallery.html.
type galleryPage struct {
	Title, Lead string
	Search      string
	Orders      []choice
	// Order and Language keep the choices of this page in the search form; empty for the
	// defaults.
	Order, Language string
	Cards           cards
	Many            bool // whether a search may have more results than Cards.Total
}

// cards are spaces in a list, and the addresses of the pages beside them.
type cards struct {
	Spaces         []card
	Total          int64
	Previous, Next string // "" for none
}

// card is a space in a list.
type card struct {
	Title        string
	Address      string
	OwnerName    string
	OwnerAddress string // "" on the page of the owner
	Poster       string // "" for none
	PosterSizes  string // the poster's sizes as srcset has them; "" for one size
	Turntable    string // the strip of frames that moves the poster; "" for none
	Visits       int64
	First, Eager bool // whether the card is the first, or on the first screen
}

const (
	paramSearch = "q"
	paramOrder  = "order"
	paramAfter  = "after"
	paramBefore = "before"
	orderVisits = "visits" // a value of paramOrder; the default is newest
)

// showHome handles GET /. A server without accounts offers to create the first one.
func (p *Pages) showHome(w http.ResponseWriter, r *request) error {
	if empty, err := p.site.HasNoAccounts(r.Context()); err != nil {
		return err
	} else if empty {
		w.Header().Set("Cache-Control", cacheNever)
		return p.site.RedirectToWelcome(w, r.Request)
	}
	return p.showGallery(w, r)
}

// showGallery shows a page of the Public spaces that the parameters select.
//
// It needs two statements, whatever the number of cards: the page of spaces, and their covers.
func (p *Pages) showGallery(w http.ResponseWriter, r *request) error {
	query := r.URL.Query()
	args := pageArgs(query)
	args.Search = query.Get(paramSearch)
	kept := url.Values{} // the parameters that other pages of the list share
	if args.Search != "" {
		kept.Set(paramSearch, args.Search)
	}
	byVisits := query.Get(paramOrder) == orderVisits
	content := galleryPage{Search: args.Search}
	if byVisits {
		args.Order = model.Order{Field: model.OrderByVisits, Direction: model.Descending}
		content.Order = orderVisits
	}
	if r.chosen {
		content.Language = r.language.tag
	}
	content.Title = cmp.Or(p.brand.Title, r.language.texts["gallery.title"])
	content.Lead = cmp.Or(p.brand.Text, r.language.texts["gallery.lead"])
	content.Orders = []choice{
		{Name: "gallery.newest", Address: r.link("/", kept), Current: !byVisits},
		{Name: "gallery.visited", Address: r.link("/", withParameter(kept, paramOrder, orderVisits)), Current: byVisits},
	}
	if byVisits {
		kept.Set(paramOrder, orderVisits)
	}
	gallery, err := p.queries.Gallery(r.Context(), args)
	if err != nil {
		return err
	}
	content.Cards = p.cardsOf(r, gallery, "/", kept, true)
	content.Many = args.Search != "" && gallery.Spaces.TotalCount == model.MaxCounted
	f := p.newFrame(r, "/", kept)
	f.Title, f.Description, f.Content = content.Title, content.Lead, content
	f.Script = p.gallery
	// Search engines index only the first page of the unfiltered list.
	f.NoIndex = args.Search != "" || byVisits || args.After != nil || args.Before != nil
	return p.respond(w, r, pageResponse{
		status: http.StatusOK, page: "gallery", policy: p.policies.gallery, cache: cacheFor(r), frame: f,
	})
}

// pageArgs returns the page of a list that the parameters select.
func pageArgs(query url.Values) model.ConnectionArgs {
	size := cardsPerPage
	if before := query.Get(paramBefore); before != "" {
		return model.ConnectionArgs{Last: &size, Before: &before}
	}
	args := model.ConnectionArgs{First: &size}
	if after := query.Get(paramAfter); after != "" {
		args.After = &after
	}
	return args
}

// eagerPosters is how many posters browsers load without scrolling: about the first screen.
const eagerPosters = 8

// cardsOf returns the cards of a page of spaces. The list is at the path, and its other
// pages share the parameters.
func (p *Pages) cardsOf(r *request, gallery *model.Gallery, path string, query url.Values, withOwners bool) cards {
	page := gallery.Spaces
	list := cards{Total: int64(page.TotalCount), Spaces: make([]card, len(page.Nodes))}
	for i, space := range page.Nodes {
		shown := gallery.Cards[space.ID]
		list.Spaces[i] = card{
			Title: space.Title, Address: r.link("/"+space.ID, nil), OwnerName: shown.OwnerName,
			Poster: shown.Poster, Visits: space.VisitCount, PosterSizes: sourceSet(shown.Posters),
			First: i == 0, Eager: i < eagerPosters,
		}
		// Save-Data is a client hint (draft-grigorik-http-client-hints, section 3.1): no more bytes than needed.
		if shown.Turntable != nil && r.Header.Get("Save-Data") != "on" {
			list.Spaces[i].Turntable = shown.Turntable.URL
		}
		if withOwners {
			list.Spaces[i].OwnerAddress = r.link(personPath+space.OwnerID, nil)
		}
	}
	if page.PageInfo.HasPreviousPage && page.PageInfo.StartCursor != nil {
		list.Previous = r.link(path, withParameter(query, paramBefore, *page.PageInfo.StartCursor))
	}
	if page.PageInfo.HasNextPage && page.PageInfo.EndCursor != nil {
		list.Next = r.link(path, withParameter(query, paramAfter, *page.PageInfo.EndCursor))
	}
	return list
}

// sourceSet returns pictures as the attribute srcset has them, so that browsers load the
// smallest that is sharp on their screen.
func sourceSet(posters []*model.Poster) string {
	sources := make([]string, len(posters))
	for i, poster := range posters {
		sources[i] = poster.URL + " " + strconv.Itoa(poster.Width) + "w"
	}
	return strings.Join(sources, ", ")
}

// withParameter returns a copy of the query in which the parameter has this value.
func withParameter(query url.Values, name, value string) url.Values {
	more := url.Values{}
	maps.Copy(more, query) // query may be nil
	more.Set(name, value)
	return more
}
