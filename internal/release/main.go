// Command release makes the files of a release, the same bytes each time from the same sources: archives
// with PostgreSQL's programs, packages for Debian and Fedora, container images, the package for npm, the
// list of their components, checksums, a signature and the notes. It is a module of its own, so that the
// program does not depend on the libraries that write packages.
//
//	make release VERSION=0.1.0 KEY=minisign.key
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// release is a release that is being made.
type release struct {
	version string
	time    time.Time // of all files
	source  string    // the source tree
	out     string    // the folder of the finished files
	work    string    // a folder for everything else, which is deleted at the end
	key     string    // the file of the minisign key; empty for no signature
}

// platform is a system that a release has files for.
type platform struct {
	os, arch   string // as Go names them
	npmOS, cpu string // as npm names them
}

var platforms = []platform{
	{"linux", "amd64", "linux", "x64"},
	{"linux", "arm64", "linux", "arm64"},
	{"darwin", "amd64", "darwin", "x64"},
	{"darwin", "arm64", "darwin", "arm64"},
}

// String returns the name of the platform in the names of files.
func (p platform) String() string { return p.os + "-" + p.arch }

func main() {
	var r release
	flag.StringVar(&r.version, "version", "", "`version` of the release, for example 0.1.0")
	flag.StringVar(&r.source, "source", ".", "`folder` of the sources")
	flag.StringVar(&r.out, "out", "release", "`folder` for the files, which is created again")
	flag.StringVar(&r.key, "key", "", "`file` of the minisign key that signs the checksums; PORTICO_RELEASE_PASSWORD has its password")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := r.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1) //nolint:gocritic // there is nothing left to stop
	}
}

// versionForm is a semantic version. Packages and tags need one.
var versionForm = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9a-z.]+)?$`)

// run makes the release.
func (r *release) run(ctx context.Context) (err error) {
	if !versionForm.MatchString(r.version) {
		return fmt.Errorf("the version %q is not one such as 0.1.0", r.version)
	}
	if r.time, err = r.sourceTime(ctx); err != nil {
		return err
	}
	if r.work, err = os.MkdirTemp("", "portico-release-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.work) //nolint:errcheck // a temporary folder
	if err := errors.Join(os.RemoveAll(r.out), os.MkdirAll(r.out, 0o755)); err != nil {
		return err
	}
	notes, err := r.notes() // first, because a release without notes is a mistake
	if err != nil {
		return err
	}
	trees := map[string]tree{}
	for _, p := range platforms {
		if trees[p.String()], err = r.tree(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	for _, step := range []func() error{
		func() error { return r.archives(trees) },
		func() error { return r.packages(trees) },
		func() error { return r.images(ctx, trees) },
		func() error { return r.kit(ctx) },
		func() error { return r.components(ctx) },
		func() error { return os.WriteFile(r.file("notes.md"), notes, 0o644) },
		r.checksums,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// file returns the path of a finished file.
func (r *release) file(suffix string) string {
	return filepath.Join(r.out, "portico-"+r.version+"-"+suffix)
}

// sourceTime returns SOURCE_DATE_EPOCH, or else the time of the last commit.
func (r *release) sourceTime(ctx context.Context) (time.Time, error) {
	seconds := os.Getenv("SOURCE_DATE_EPOCH")
	if seconds == "" {
		output, err := r.command(ctx, "git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, fmt.Errorf("read the time of the last commit (or set SOURCE_DATE_EPOCH): %w", err)
		}
		seconds = strings.TrimSpace(string(output))
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	return time.Unix(n, 0).UTC(), err
}

// command returns a command that runs in the source tree.
func (r *release) command(ctx context.Context, name string, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, arguments...)
	cmd.Dir, cmd.Stderr = r.source, os.Stderr
	return cmd
}

// tree returns the files of the archive of a platform: the program with PostgreSQL's programs beside it.
func (r *release) tree(ctx context.Context, p platform) (tree, error) {
	program := filepath.Join(r.work, "portico-"+p.String())
	if err := r.build(ctx, p, program); err != nil {
		return nil, err
	}
	t := tree{
		{path: "portico", mode: 0o755, source: program},
		{path: "LICENSE", mode: 0o644, source: filepath.Join(r.source, "LICENSE")},
		{path: "CHANGELOG.md", mode: 0o644, source: filepath.Join(r.source, "CHANGELOG.md")},
	}
	licences, err := r.licences(ctx, program)
	if err != nil {
		return nil, err
	}
	t = append(t, file{path: "THIRD-PARTY-LICENSES", mode: 0o644, data: licences})
	postgres, err := r.postgres(ctx, p)
	return append(t, postgres.below("postgresql")...), err
}

// build compiles the program. Nothing of the machine or of the environment gets into it.
func (r *release) build(ctx context.Context, p platform, program string) error {
	cmd := r.command(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false",
		"-ldflags=-s -w -X portico/server.version="+r.version, "-o", program, "./cmd/portico")
	cmd.Env = append(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off")
	return cmd.Run()
}

// archives writes an archive for each platform.
func (r *release) archives(trees map[string]tree) error {
	for name, t := range trees {
		if err := r.writeArchive(r.file(name+".tar.gz"), t.below("portico-"+r.version+"-"+name)); err != nil {
			return fmt.Errorf("archive for %s: %w", name, err)
		}
	}
	return nil
}

// kit writes the package @portico/client for npm.
func (r *release) kit(ctx context.Context) error {
	folder := filepath.Join(r.work, "kit")
	if err := r.command(ctx, filepath.Join("web", "client", "build.sh"), r.version, folder).Run(); err != nil {
		return fmt.Errorf("build @portico/client: %w", err)
	}
	t, err := readTree(folder)
	if err != nil {
		return err
	}
	return r.writeArchive(filepath.Join(r.out, "portico-client-"+r.version+".tgz"), t.below("package"))
}

// readTree returns all files below a folder.
func readTree(folder string) (tree, error) {
	var t tree
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		t = append(t, file{path: filepath.ToSlash(name), mode: mode, source: path})
		return nil
	})
	return t, err
}

// notes returns the section of the changelog about the release. The notes of a version before it, such
// as 0.1.0-test, are those of the release.
func (r *release) notes() ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(r.source, "CHANGELOG.md"))
	if err != nil {
		return nil, err
	}
	final, _, _ := strings.Cut(r.version, "-")
	_, section, found := strings.Cut(string(text), "\n## "+final+" ")
	if !found {
		return nil, fmt.Errorf("CHANGELOG.md has no section %s", final)
	}
	_, section, _ = strings.Cut(section, "\n") // the rest of the heading
	section, _, _ = strings.Cut(section, "\n## ")
	return []byte("# Portico " + r.version + "\n\n" + strings.TrimSpace(section) + "\n"), nil
}

// compareFiles orders files by their path.
func compareFiles(a, b file) int { return cmp.Compare(a.path, b.path) }
