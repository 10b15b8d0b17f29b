package page

import (
	"net/http"
	"net/url"
	"strings"

	"portico/model"
	"portico/web/style"
)

// brandingPath is where operators try a name, a colour and texts.
const brandingPath = "/branding"

// maxBrandingText is the maximum number of bytes of a text that is tried.
const maxBrandingText = 1000

// brandingPage is the content of branding.html.
type brandingPage struct {
	Action                    string
	Name, Colour, Title, Text string
	Style                     string // the address of the style sheet of the colour
	Problem                   string // why the colour is refused; "" for none
	Settings                  string
}

// showBranding handles GET /branding: a preview of settings, which it does not change. It is for operators:
// a page of ours with texts from its address would say what anybody wants.
func (p *Pages) showBranding(w http.ResponseWriter, r *request) error {
	allowed, err := p.isOperator(r.Context())
	if err != nil {
		return err
	}
	if !allowed {
		return model.NotFound("Page not found")
	}
	query := r.URL.Query()
	value := func(name, current string) string {
		if !query.Has(name) {
			return current
		}
		text := query.Get(name)
		return strings.Join(strings.Fields(text[:min(len(text), maxBrandingText)]), " ")
	}
	colour := string(p.brand.Colour)
	if colour == "" {
		colour = style.DefaultColour
	}
	content := brandingPage{
		Action: brandingPath, Name: value("name", p.brand.Called()), Colour: value("colour", colour),
		Title: value("title", p.brand.Title), Text: value("text", p.brand.Text),
	}
	checked, err := style.ParseColour(content.Colour)
	if err != nil {
		content.Problem = err.Error()
	} else {
		content.Style = style.StylePath + "?" + url.Values{"colour": {string(checked)}}.Encode()
		content.Settings = brandSettings(content)
	}
	f := p.newFrame(r, brandingPath, nil)
	f.NoIndex, f.Canonical, f.Content = true, "", content
	if f.Title, err = r.language.text("branding.title"); err != nil {
		return err
	}
	return p.respond(w, r, pageResponse{status: http.StatusOK, page: "branding", policy: p.policies.list, cache: cacheNever, frame: f})
}

// brandSettings returns the settings of what is tried, as a file of environment variables has them.
func brandSettings(b brandingPage) string {
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace
	var lines strings.Builder
	for _, setting := range [][2]string{
		{"NAME", b.Name}, {"COLOUR", b.Colour}, {"TITLE", b.Title}, {"TEXT", b.Text},
	} {
		if setting[1] != "" {
			lines.WriteString("PORTICO_BRAND_" + setting[0] + `="` + quote(setting[1]) + "\"\n")
		}
	}
	return lines.String()
}
