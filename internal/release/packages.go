package main

import (
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // a kind of package
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // a kind of package
)

//go:embed package/portico.env
var packageSettings []byte

//go:embed package/postinstall.sh
var postInstall []byte

//go:embed package/preremove.sh
var preRemove []byte

// kinds are the kinds of packages, with the packages that they need: what PostgreSQL's programs are
// linked with, and useradd.
var kinds = map[string][]string{
	"deb": {"libc6 (>= 2.27)", "libgcc-s1", "libstdc++6", "passwd"},
	"rpm": {"glibc >= 2.27", "libgcc", "libstdc++", "shadow-utils"},
}

// packages writes the packages for Linux.
func (r *release) packages(trees map[string]tree) error {
	for _, p := range platforms {
		if p.os != "linux" {
			continue
		}
		for kind, depends := range kinds {
			if err := r.writePackage(kind, depends, p, trees[p.String()]); err != nil {
				return fmt.Errorf("%s for %s: %w", kind, p, err)
			}
		}
	}
	return nil
}

// writePackage writes one package.
func (r *release) writePackage(kind string, depends []string, p platform, archive tree) error {
	contents, err := r.packageContents(archive)
	if err != nil {
		return err
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "portico", Arch: p.arch, Platform: p.os, Version: r.version, MTime: r.time, DisableGlobbing: true,
		Maintainer: "The Portico authors <portico@localhost>", License: "Apache-2.0", Section: "web",
		Description: "Server for publishing 3D spaces\nIt stores and converts captures of rooms, and serves them to browsers.",
		Overridables: nfpm.Overridables{
			Depends: depends, Contents: contents,
			Scripts: nfpm.Scripts{PostInstall: filepath.Join(r.work, "postinstall.sh"), PreRemove: filepath.Join(r.work, "preremove.sh")},
			RPM:     nfpm.RPM{BuildHost: "localhost", Summary: "Server for publishing 3D spaces"},
		},
	})
	packager, err := nfpm.Get(kind)
	if err != nil {
		return err
	}
	out, err := os.Create(r.file(p.String() + "." + kind))
	if err != nil {
		return err
	}
	defer out.Close() //nolint:errcheck // the success of Close is the last line
	if err := packager.Package(info, out); err != nil {
		return err
	}
	return out.Sync()
}

// packageContents returns where the files of an archive and the files of the service are on a system.
func (r *release) packageContents(archive tree) (files.Contents, error) {
	t := tree{{path: "etc/portico/portico.env", mode: 0o600, source: filepath.Join(r.work, "portico.env")}}
	texts := map[string][]byte{"portico.env": packageSettings, "postinstall.sh": postInstall, "preremove.sh": preRemove}
	for _, name := range []string{"portico.service", "portico-backup.service", "portico-backup.timer"} {
		unit, err := r.unit(name)
		if err != nil {
			return nil, err
		}
		texts[name] = unit
		t = append(t, tree{{path: "usr/lib/systemd/system/" + name, mode: 0o644, source: filepath.Join(r.work, name)}}...)
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(r.work, name), text, 0o600); err != nil {
			return nil, err
		}
	}
	for _, f := range archive {
		switch {
		case f.path == "portico":
			f.path = "bin/portico"
		case strings.HasPrefix(f.path, "postgresql/"):
			f.path = "lib/portico/" + f.path
		default:
			f.path = "share/doc/portico/" + f.path
		}
		if f.source == "" {
			f.source = filepath.Join(r.work, "packaged", f.path)
			if err := os.MkdirAll(filepath.Dir(f.source), 0o700); err != nil {
				return nil, err
			}
			if err := os.WriteFile(f.source, f.data, 0o600); err != nil {
				return nil, err
			}
		}
		t = append(t, tree{f}.below("usr")...)
	}
	var contents files.Contents
	for _, f := range t.withFolders() {
		content := &files.Content{Source: f.source, Destination: "/" + f.path, FileInfo: &files.ContentFileInfo{
			Owner: "root", Group: "root", Mode: f.mode.Perm(), MTime: r.time,
		}}
		switch {
		case f.mode&fs.ModeDir != 0 && !strings.Contains(f.path, "portico"):
			continue // the system's folders
		case f.mode&fs.ModeDir != 0:
			content.Type = files.TypeDir
		case strings.HasPrefix(f.path, "etc/"):
			content.Type = files.TypeConfigNoReplace
		}
		contents = append(contents, content)
	}
	return contents, nil
}

// unit returns a unit of docs/deploy, with the program where packages install programs.
func (r *release) unit(name string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(r.source, "docs/deploy", name))
	if err != nil {
		return nil, err
	}
	_, unit, found := strings.Cut(string(text), "[Unit]\n") // the comment before it installs by hand
	if isService := strings.HasSuffix(name, ".service"); !found || isService && !strings.Contains(unit, "\nExecStart=/usr/local/bin/portico ") {
		return nil, fmt.Errorf("docs/deploy/%s starts another program", name)
	}
	return []byte("[Unit]\n" + strings.Replace(unit, "/usr/local/bin/", "/usr/bin/", 1)), nil
}
