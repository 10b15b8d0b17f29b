package spatial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"portico/cmd/portico/command"
	"portico/model"
	"portico/server"
	"portico/splat"
)

// ViewCommand is "portico view". It shows a capture in a browser.
type ViewCommand struct {
	spatialFlags
	Path        string `arg:"" help:"The capture: a file that convert reads, a mesh (.glb .gltf), an image, or a folder with a capture." type:"path"`
	Port        int    `help:"Port on 127.0.0.1. Default: a free port."`
	NoOpen      bool   `help:"Print the address and do not open a browser."`
	NoCollision bool   `help:"Skip the floor to walk on, so that the capture appears sooner."`
	Scene       string `help:"Kind of the capture, for the floor: auto, indoor, outdoor or object." enum:"auto,indoor,outdoor,object" default:"auto"`
}

// viewResult is the result with --json.
type viewResult struct {
	URL      string   `json:"url"`
	Warnings []string `json:"warnings,omitempty"`
}

// Run shows the capture until ctx ends. It stores converted files in a temporary folder, which it
// removes. The child process of withMemoryLimit serves the page, too.
func (c *ViewCommand) Run(ctx context.Context, in *command.Invocation) error {
	p := command.NewProgress(in, c.JSON)
	err := c.withMemoryLimit(ctx, in, "", func(ctx context.Context) error {
		path, err := findCapture(c.Path)
		if err != nil {
			return err
		}
		temporary, err := os.MkdirTemp("", "portico-view-")
		if err != nil {
			return err
		}
		local, warnings, err := c.prepare(ctx, path, temporary, splat.ConvertOptions{Workers: in.Config.Workers, Progress: p.Report})
		if err == nil {
			err = c.serve(ctx, local, warnings, p)
		}
		return errors.Join(err, os.RemoveAll(temporary))
	})
	// Stopping the child is the normal end of this command.
	if !in.Supervised && errors.Is(err, context.Canceled) {
		return nil
	}
	return p.Finish(err)
}

// manifests are the names of the file to open in a folder, in the order of preference. A pattern
// counts only if it matches exactly one file.
var manifests = []string{splat.StreamedSOGName, "meta.json", "*.lcc", "*.lcc2", "*.gltf", "*.glb"}

// findCapture returns the file to open: the path itself, or the manifest in the folder.
func findCapture(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path, err
	}
	for _, pattern := range manifests {
		found, err := fs.Glob(os.DirFS(path), pattern)
		if err != nil {
			return "", err
		}
		if len(found) == 1 {
			return filepath.Join(path, found[0]), nil
		}
	}
	return "", fmt.Errorf("%s: no capture in this folder; name the file, or a folder with one of %s", path, strings.Join(manifests, ", "))
}

// prepare returns the files that the page loads. It converts Gaussians to streamed SOG unless they
// are in that format, and adds the floor to walk on. The files must exist as long as the page is
// served: they are in the folder of the capture, or in temporary. A collision that cannot be made
// is only a warning, because the capture can be shown without a floor.
//
// What the page loads:
//
//	streamed SOG         the folder of the file
//	other Gaussians      the folder "view" in temporary
//	glTF                 the folder of the file, which has the buffers and textures
//	GLB and images       the file alone
func (c *ViewCommand) prepare(ctx context.Context, path, temporary string, o splat.ConvertOptions) (local server.LocalCapture, warnings []string, err error) {
	capture, err := openCapture(ctx, path, splat.OpenOptions{}, o.Progress)
	if err != nil {
		return local, nil, err
	}
	defer func() { err = errors.Join(err, capture.Close()) }()
	local, err = directView(path, capture.Facts)
	if err != nil || !local.Gaussians {
		return local, nil, err
	}
	report := o.Progress
	if local.Files == nil {
		// The conversion is the first half of the progress, and the collision the second.
		o.Progress = func(percent float64, message string) { report(percent/2, message) }
		streamed, err := (target{path: filepath.Join(temporary, "view")}).convert(ctx, capture.Capture, o)
		if err != nil {
			return local, nil, err
		}
		local.Files, local.View, warnings = os.DirFS(filepath.Join(temporary, "view")), streamed.Primary, streamed.Warnings
	}
	if c.NoCollision {
		return local, warnings, nil
	}
	o.Progress = func(percent float64, message string) { report(50+percent/2, message) }
	if err := c.addCollision(ctx, &local, capture.Capture, temporary, o); err != nil {
		if ctx.Err() != nil {
			return local, warnings, err
		}
		warnings = append(warnings, fmt.Sprintf("There is no floor to walk on: %v", err))
	}
	return local, warnings, nil
}

// directView returns the files that the page loads if it can read the format of the file. Files
// is nil for Gaussians that must be converted first.
func directView(path string, facts splat.Facts) (server.LocalCapture, error) {
	name := filepath.Base(path)
	local := server.LocalCapture{Name: name, Gaussians: facts.Splats > 0, Attribution: facts.Attribution}
	folder := os.DirFS(filepath.Dir(path))
	switch {
	case name == splat.StreamedSOGName:
		local.Files, local.View = folder, name
	case local.Gaussians: // the page reads only streamed SOG
	case strings.EqualFold(filepath.Ext(name), ".zip"):
		return local, fmt.Errorf("%s: has no Gaussians; unpack it, and view the file in it", path)
	case facts.Format == splat.FormatGLTF:
		local.Files, local.View = folder, name // with its buffers and textures
	case slices.Contains([]splat.Format{splat.FormatGLB, splat.FormatJPEG, splat.FormatPNG, splat.FormatGIF, splat.FormatWebP}, facts.Format):
		local.Files, local.View = oneFile{folder, name}, name
	default:
		return local, fmt.Errorf("%s: cannot be shown: its format is %s", path, facts.Format)
	}
	return local, nil
}

// oneFile is a file system that gives access to one file of a folder.
type oneFile struct {
	fs.FS
	name string
}

// Open implements fs.FS.
func (f oneFile) Open(name string) (fs.File, error) {
	if name != f.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return f.FS.Open(name)
}

// addCollision adds the floor to walk on and the spawn point.
func (c *ViewCommand) addCollision(ctx context.Context, local *server.LocalCapture, capture *splat.Capture, temporary string, o splat.ConvertOptions) error {
	const name = "floor" + splat.CollisionSuffix
	to := target{path: filepath.Join(temporary, name), extension: splat.CollisionSuffix}
	if c.Scene != "auto" {
		to.collision.Scene = splat.Scene(c.Scene)
	}
	result, err := to.convert(ctx, capture, o)
	if err != nil {
		return err
	}
	local.Collisions, local.Collision = os.DirFS(temporary), name
	if s := result.Start; s != nil {
		local.Start = &model.Start{Position: s.Position, Target: s.Target, Up: s.Up, Scene: model.Scene(s.Scene)}
	}
	return nil
}

// serve serves the page until ctx ends, and then returns nil.
func (c *ViewCommand) serve(ctx context.Context, local server.LocalCapture, warnings []string, p *command.Progress) error {
	preview, err := server.OpenPreview(ctx, local, c.Port)
	if err != nil {
		return err
	}
	result := viewResult{URL: preview.URL, Warnings: warnings}
	err = p.PrintResult(result, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s%s is open at %s until you press Ctrl-C\n", command.JoinLines(warnings), local.Name, result.URL)
		return err
	})
	if err != nil {
		return errors.Join(err, preview.Close())
	}
	if !c.NoOpen {
		openBrowser(ctx, result.URL)
	}
	return preview.Serve(ctx)
}

// openBrowser opens the address in the default browser, if there is one. It ignores errors,
// because the address was printed too.
func openBrowser(ctx context.Context, address string) {
	opener := cmp.Or(map[string]string{"darwin": "open"}[runtime.GOOS], "xdg-open")
	if path, err := exec.LookPath(opener); err == nil {
		_ = exec.CommandContext(ctx, path, address).Start() // the address was printed
	}
}
