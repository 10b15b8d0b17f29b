package preview

import (
	_ "embed"
	"encoding/json"
	"html/template"
	"io"

	"portico/web/dist"
)

// Space is a space as the script of a page reads it that has no server of spaces (web/space/src/local.ts).
type Space struct {
	Title    string   `json:"title"`
	Type     string   `json:"type,omitempty"`
	Entities []Entity `json:"entities"`
	// Room is the data of RoomInfo.
	Room json.RawMessage `json:"room,omitempty"`
}

// Entity is an entity of a Space. File has the fields of the type File in GraphQL that the script of a
// space selects, so one script serves all pages. Fields that a file does not have are null.
type Entity struct {
	EntityID string          `json:"entityId"`
	Type     string          `json:"type"`
	Data     json.RawMessage `json:"data"`
	ReadURL  *string         `json:"readUrl"`
	File     any             `json:"file"`
}

// About is what a page says of its space besides the title, in the panel "About".
type About struct {
	Description, Owner, Source string
	// LicenceName and LicenceURL are empty for a space without a licence.
	LicenceName, LicenceURL string
}

// page is the content of page.html. Addresses are relative to the page, or absolute paths.
type page struct {
	Language, Title string
	Policy          string // of a page without a server that sends one; otherwise empty
	Sheet, Script   string
	Styles          []string
	Icon            string
	Poster          string
	Space           string
	Attributions    []string
	About           *About
}

var (
	//go:embed page.html
	pageText string
	//go:embed preview.css
	sheet []byte

	pageTemplate = template.Must(template.New("page").Parse(pageText))
)

// write writes the page of a space. The built files are below the address dist.
func (p page) write(w io.Writer, space Space, distPath string) error {
	described, err := json.Marshal(space)
	if err != nil {
		return err
	}
	script, styles, err := dist.Entry("space")
	if err != nil {
		return err
	}
	p.Space, p.Script = string(described), distPath+script
	for _, name := range styles {
		p.Styles = append(p.Styles, distPath+name)
	}
	return pageTemplate.Execute(w, p)
}
