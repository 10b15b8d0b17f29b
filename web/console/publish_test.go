package console_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"portico/internal/testkit/browser"
	"portico/internal/testkit/program"
	"portico/internal/testkit/program/programtest"
	"portico/internal/testkit/world"
	"portico/splat/splattest"
)

// TestConsole_publishes_captures_of_each_kind drops a capture of each kind, as a file or a folder.
// What is refused says what to do: how much storage is missing, what to export instead, and which
// entry of a zip is damaged.
func TestConsole_publishes_captures_of_each_kind(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser", Packages: "../playground/browser"})
	w := world.Start(t, "--addr=localhost:0")
	w.StartWorker(t)
	files, folders, refused := t.TempDir(), t.TempDir(), t.TempDir()
	writeCaptures(t, files, folders)
	writeRefused(t, refused, filepath.Join(files, "scan.ply"))
	arguments := []string{w.BaseURL(), files, folders, refused}
	if pictures := os.Getenv("PORTICO_PICTURES"); pictures != "" {
		arguments = append(arguments, pictures)
	}
	out, err := scripts.Run(t.Context(), browser.Command{Script: "publish.mjs", Args: arguments})
	if err != nil || out.Text() != "done\n" {
		t.Errorf("got %v and\n%swant nothing that is wrong", err, out.Text())
	}
}

// writeCaptures writes one scan in each format that is a file, and in each that is a folder.
func writeCaptures(t *testing.T, files, folders string) {
	t.Helper()
	scan := splattest.LCCCapture{Splats: 2000, Levels: 2, Columns: 1, Rows: 1, Seed: 1}
	lcc := filepath.Join(folders, "lcc")
	check(t, os.Mkdir(lcc, 0o755))
	check(t, scan.WriteFolder(lcc))
	installation := program.Installation{Program: programtest.Build(t)}
	convert := func(from, to string) {
		t.Helper()
		if out, err := installation.Command(nil, "convert", from, to).CombinedOutput(); err != nil {
			t.Fatalf("convert %s to %s: %v\n%s", from, to, err, out)
		}
	}
	ply := filepath.Join(files, "scan.ply")
	convert(filepath.Join(lcc, splattest.LCCManifest), ply)
	for _, name := range []string{"scan.compressed.ply", "scan.spz", "scan.sog", "scan.glb"} {
		convert(ply, filepath.Join(files, name))
	}
	convert(ply, filepath.Join(folders, "streamed"))
	cloud := splattest.Cloud(2000)
	check(t, os.WriteFile(filepath.Join(files, "scan.splat"), splattest.SplatFile(cloud), 0o600))
	check(t, os.WriteFile(filepath.Join(files, "scan.ksplat"), splattest.KSplat(cloud, 1), 0o600))
	var archive bytes.Buffer
	check(t, scan.Zip(&archive))
	check(t, os.WriteFile(filepath.Join(files, "lcc-export.zip"), archive.Bytes(), 0o600))
}

// writeRefused writes files that cannot be shown, one of them a zip with half of a capture, and one
// with two captures, of which one has to be chosen.
func writeRefused(t *testing.T, folder, ply string) {
	t.Helper()
	content, err := os.ReadFile(ply)
	check(t, err)
	check(t, os.WriteFile(filepath.Join(folder, "damaged.zip"), splattest.Zip(splattest.Entry{Name: "scan/scan.ply", Body: content[:len(content)/2]}), 0o600))
	check(t, os.WriteFile(filepath.Join(folder, "several.zip"), splattest.Zip(
		splattest.Entry{Name: "hall/scan.ply", Body: content}, splattest.Entry{Name: "room/scan.ply", Body: content}), 0o600))
	for _, name := range []string{"scan.e57", "walls.bin"} {
		check(t, os.WriteFile(filepath.Join(folder, name), []byte("no capture"), 0o600))
	}
}
