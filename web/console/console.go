package console

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"portico/web"
	"portico/web/dist"
	"portico/web/style"
)

//go:embed page.html
var source string

// Options are the dependencies and settings of the console.
type Options struct {
	// Site knows who is signed in.
	Site *web.Site
	// BaseURL is the public address of the server.
	BaseURL string
	// FileOrigins are the origins from which browsers load files and to which they upload
	// them, besides the origin of BaseURL.
	FileOrigins []string
	// Brand is how the server calls itself and looks.
	Brand style.Brand
	// Version is the version of the server, and Notes what is new in it, in Markdown.
	Version, Notes string
}

// notesPath is where Notes are.
const notesPath = "/console/notes.txt"

// page is the content of page.html.
type page struct {
	Script, Version, Font string
	Styles                []string
	Imports               []string // what Script imports: the browser loads them at the same time
	Brand                 style.Brand
}

// New returns the handler of the path /console and of all paths below it. The same page
// is at all of them except the addresses of the sample capture and of the notes: its script reads the address.
// A person who is not signed in goes to the sign-in page first, and then to the address. An
// error means that an embedded file is invalid.
//
// The page contains no data of the person, so it is made once. Its script reads everything over
// GraphQL.
func New(o Options) (http.Handler, error) {
	script, styles, err := dist.Entry("console")
	if err != nil {
		return nil, fmt.Errorf("find the script of the console: %w", err)
	}
	loaded := page{Script: dist.Path + script, Version: o.Version, Font: style.FontPath, Brand: o.Brand}
	for _, style := range styles {
		loaded.Styles = append(loaded.Styles, dist.Path+style)
	}
	imports, err := dist.Imports("console")
	if err != nil {
		return nil, fmt.Errorf("find what the script of the console imports: %w", err)
	}
	for _, script := range imports {
		loaded.Imports = append(loaded.Imports, dist.Path+script)
	}
	var html bytes.Buffer
	parsed, err := template.New("page").Parse(source)
	if err != nil {
		return nil, fmt.Errorf("read the page of the console: %w", err)
	}
	if err := parsed.Execute(&html, loaded); err != nil {
		return nil, fmt.Errorf("make the page of the console: %w", err)
	}
	policy, err := policy(o.BaseURL, o.FileOrigins)
	if err != nil {
		return nil, err
	}
	var sample sampleHandler
	return o.Site.Page(web.Methods{"GET": func(w http.ResponseWriter, r *http.Request) error {
		user, err := o.Site.User(r)
		if err != nil {
			return err
		}
		if user == nil {
			return o.Site.RedirectToSignIn(w, r)
		}
		switch web.WithoutEmptySegments(r.URL.Path) {
		case samplePath:
			return sample.serve(w, r)
		case notesPath:
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			_, _ = w.Write([]byte(o.Notes)) // fails only when the browser has left
			return nil
		}
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(html.Bytes()) // fails only when the browser has left
		return nil
	}}), nil
}

// policy returns the Content-Security-Policy of the console. It allows no inline code, no
// eval and nothing from other hosts but files. Not all browsers take 'self' for the
// address of a socket.
func policy(base string, origins []string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("the base URL %q is not an address", base)
	}
	socket := "ws://" + u.Host
	if u.Scheme == "https" {
		socket = "wss://" + u.Host
	}
	files := strings.Join(append([]string{""}, origins...), " ")
	return "default-src 'none'; font-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:" + files +
		"; connect-src 'self' " + socket + files + "; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'", nil
}
