package preview

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"portico/web/dist"
	"portico/web/style"
)

// Static is a space that any web server can show from a folder. The addresses in Space and Poster are
// relative to the folder.
type Static struct {
	Language     string
	Space        Space
	Poster       string
	Attributions []string
	About        About
}

// staticPolicy lets the page load its own folder alone, and run the WebAssembly of its decoders. A web
// server may send a policy of its own as well.
const staticPolicy = "default-src 'none'; font-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:; " +
	"connect-src 'self' blob: data:; media-src 'self' blob:; worker-src 'self' blob:; base-uri 'none'; form-action 'none'"

// The files of the page, beside index.html. viewerFolder has the built files below it.
const (
	viewerFolder = "viewer/"
	staticSheet  = viewerFolder + "page.css"
	staticFont   = viewerFolder + "font.woff2"
)

// Write writes the page and the viewer to the folder, which has the files of the space. It replaces no file.
func (s Static) Write(folder Folder) error {
	var text bytes.Buffer
	p := page{
		Language: s.Language, Title: s.Space.Title, Policy: staticPolicy, Sheet: staticSheet, Icon: viewerFolder + "icon.svg",
		Poster: s.Poster, Attributions: s.Attributions, About: &s.About,
	}
	if err := p.write(&text, s.Space, viewerFolder); err != nil {
		return err
	}
	files := map[string][]byte{
		"index.html": text.Bytes(), staticSheet: sheet, viewerFolder + "icon.svg": style.Icon,
		staticFont: style.FontFile(), viewerFolder + "font-licence.txt": style.FontLicenceText(),
	}
	built := dist.Files()
	err := fs.WalkDir(built, "space", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Base(name) == "manifest.json" {
			return err
		}
		content, err := fs.ReadFile(built, name)
		if err != nil {
			return err
		}
		if path.Ext(name) == ".css" { // its address of the font is of a Portico server
			up := strings.Repeat("../", strings.Count(name, "/"))
			content = bytes.ReplaceAll(content, []byte(style.FontPath), []byte(up+path.Base(staticFont)))
		}
		// Some web servers do not send files whose names start with a dot.
		files[viewerFolder+strings.ReplaceAll(name, "/.vite/", "/")] = content
		return nil
	})
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := folder.WriteNew(name, bytes.NewReader(content)); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}

// Folder is where a Static is written: a folder, or a zip.
type Folder interface {
	// WriteNew writes a new file, and the folders above it.
	WriteNew(name string, content io.Reader) error
}

// Dir is a Folder on this machine.
type Dir struct{ *os.Root }

// WriteNew implements Folder. It replaces no file.
func (d Dir) WriteNew(name string, content io.Reader) error {
	if err := d.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := d.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}
