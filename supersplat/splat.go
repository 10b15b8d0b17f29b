package supersplat

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"portico/model"
)

// me handles GET /me.
func (d *door) me(w http.ResponseWriter, r *http.Request) error {
	user, err := d.Resolver.Query().Viewer(r.Context())
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, meView{user.ID, user.Name})
}

type meView struct {
	ID       string `json:"id"`
	Username string `json:"username"`
}

// splatView is a space as the API shows it. Format is null and Size 0 while the file is processed,
// and for a space that shows no file.
type splatView struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Status      string `json:"status"`
	Visibility  string `json:"visibility"`
	// Downloadable and License are not in the API's description, but in its text: whether visitors
	// may download it, and the part of Creative Commons' code that says how.
	Downloadable bool        `json:"downloadable"`
	License      string      `json:"license,omitempty"`
	Format       *string     `json:"format"`
	Size         int64       `json:"size"`
	ViewerURL    string      `json:"viewerUrl"`
	CreatedAt    model.Time  `json:"createdAt"`
	UpdatedAt    model.Time  `json:"updatedAt"`
	CompletedAt  *model.Time `json:"completedAt"`
}

// The states of a splat.
const (
	statusProcessing = "processing"
	statusCompleted  = "completed"
	statusFailed     = "failed"
)

// The words for the privacy of a splat.
const (
	listed   = "listed"
	unlisted = "unlisted"
)

func (d *door) newSplatView(s *model.Splat) splatView {
	v := splatView{
		ID: s.ID, Title: s.Title, Description: s.Description, Status: statusCompleted, Visibility: unlisted, Size: s.Size,
		ViewerURL: d.spaceURL(s.ID), CreatedAt: s.CreatedAt, UpdatedAt: s.TouchedAt, CompletedAt: &s.CreatedAt,
	}
	if licence := model.LicenceOf(s.Licence); licence != nil {
		v.Downloadable, v.License = true, strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(licence.Code, "CC-"), "-4.0"))
	}
	if s.Privacy == model.Public {
		v.Visibility = listed
	}
	if format := s.Format(); format != "" {
		v.Format, v.CompletedAt = &format, &s.StoredAt
	}
	switch s.UploadState {
	case model.UploadProcessing:
		v.Status, v.CompletedAt = statusProcessing, nil
	case model.UploadFailed:
		v.Status, v.CompletedAt = statusFailed, nil
	}
	return v
}

// spaceURL returns the address of the page of a space.
func (d *door) spaceURL(id string) string { return d.BaseURL + "/" + id }

// editURL returns the address at which the owner manages a space.
func (d *door) editURL(id string) string { return d.BaseURL + "/console/spaces/" + id }

// splat handles GET /splats/{splatId}.
func (d *door) splat(w http.ResponseWriter, r *http.Request) error {
	splat, err := d.Resolver.Splat(r.Context(), pathValue(r, "splatId"))
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, d.newSplatView(splat))
}

// settings handles GET /splats/{splatId}/settings. As in SuperSplat's older API, the body is the file.
func (d *door) settings(w http.ResponseWriter, r *http.Request) error {
	settings, err := d.Resolver.Query().SupersplatSettings(r.Context(), pathValue(r, "splatId"))
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, settings)
}

// importSettings handles PUT /splats/{splatId}/settings, and responds with the settings that the space
// has then.
func (d *door) importSettings(w http.ResponseWriter, r *http.Request) error {
	body, err := readObject(w, r)
	if err != nil {
		return err
	}
	in := model.ImportSettings{SpaceID: pathValue(r, "splatId"), Settings: body}
	if _, err := d.Resolver.Mutation().ImportSupersplatSettings(r.Context(), in); err != nil {
		return err
	}
	return d.settings(w, r)
}

// The bounds of the query of a list.
const (
	defaultLimit, maxLimit = 50, 128
	maxSkip                = 100_000
)

type listView struct {
	Data       []splatView    `json:"data"`
	Pagination paginationView `json:"pagination"`
}

type paginationView struct {
	Skip  int `json:"skip"`
	Limit int `json:"limit"`
	Total int `json:"total"`
}

// splats handles GET /splats.
func (d *door) splats(w http.ResponseWriter, r *http.Request) error {
	limit, err := number(r, "limit", defaultLimit, 1, maxLimit)
	if err != nil {
		return err
	}
	skip, err := number(r, "skip", 0, 0, maxSkip)
	if err != nil {
		return err
	}
	page, err := d.Resolver.Splats(r.Context(), limit, skip)
	if err != nil {
		return err
	}
	list := listView{Data: []splatView{}, Pagination: paginationView{skip, limit, page.Total}}
	for _, splat := range page.Splats {
		list.Data = append(list.Data, d.newSplatView(splat))
	}
	return respond(w, http.StatusOK, list)
}

// number returns a parameter of the query, or the default without one.
func number(r *http.Request, name string, byDefault, minimum, maximum int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return byDefault, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < minimum || n > maximum {
		return 0, model.InvalidField(name, "must be a whole number from "+strconv.Itoa(minimum)+" to "+strconv.Itoa(maximum))
	}
	return n, nil
}

// pathValue returns an unescaped parameter of the path.
func pathValue(r *http.Request, name string) string {
	value, err := url.PathUnescape(r.PathValue(name))
	if err != nil {
		return r.PathValue(name) // impossible: the path was escaped again before it was routed
	}
	return value
}
