package private

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// minMajor is the oldest major version that is supported: it still got fixes when this was
// written, and the statements were tested with it.
const minMajor = 14

// programs is a folder with initdb and postgres of the same version.
type programs struct {
	folder string
	major  int
}

// path returns the full path of a program. PostgreSQL finds its libraries and templates by
// that path.
func (p programs) path(name string) string { return filepath.Join(p.folder, name) }

// search lists the folders to search for the programs.
type search struct {
	named string   // the only folder to search, if not empty
	globs []string // patterns of the folders of packages
	path  string   // folders as in $PATH
}

// newSearch returns a search of the named folder only, else of $PORTICO_PG_BIN only, else
// of all usual folders.
func newSearch(named string) search {
	return search{
		named: cmp.Or(named, os.Getenv("PORTICO_PG_BIN")),
		path:  os.Getenv("PATH"),
		globs: append(besideProgram(),
			"/usr/lib/postgresql/*/bin",                          // Debian, Ubuntu
			"/usr/lib/postgresql*/bin",                           // SUSE
			"/usr/pgsql-*/bin",                                   // postgresql.org for Fedora, RHEL
			"/usr/libexec/postgresql*",                           // Alpine
			"/opt/homebrew/opt/postgresql*/bin",                  // Homebrew, Apple silicon
			"/usr/local/opt/postgresql*/bin",                     // Homebrew, Intel
			"/Applications/Postgres.app/Contents/Versions/*/bin", // Postgres.app
		),
	}
}

// besideProgram returns where the archives and the packages of a release have PostgreSQL's programs:
// beside the program, or in the folder lib/portico beside its folder.
func besideProgram() []string {
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		return nil
	}
	folder := filepath.Dir(program)
	return []string{filepath.Join(folder, "postgresql/bin"), filepath.Join(folder, "../lib/portico/postgresql/bin")}
}

// find returns the newest programs, or the programs of the major version want if it is not
// 0. The error says where it looked and what to install.
func (s search) find(ctx context.Context, want int, a account) (programs, error) {
	var usable []programs
	var rejected []string
	for _, folder := range s.folders() {
		major, err := majorOf(ctx, folder, a)
		switch {
		case err != nil:
			rejected = append(rejected, fmt.Sprintf("%s (%v)", folder, err))
		case major < minMajor || want != 0 && major != want:
			rejected = append(rejected, fmt.Sprintf("%s (version %d)", folder, major))
		default:
			usable = append(usable, programs{folder: folder, major: major})
		}
	}
	if len(usable) == 0 {
		return programs{}, s.notFound(want, rejected)
	}
	return slices.MaxFunc(usable, func(a, b programs) int { return cmp.Compare(a.major, b.major) }), nil
}

// folders returns the folders with a postgres, with links resolved: Homebrew and Alpine
// have only links in the PATH, and initdb is beside the real program.
func (s search) folders() []string {
	if s.named != "" {
		return []string{s.named}
	}
	var candidates []string
	for _, glob := range s.globs {
		matches, _ := filepath.Glob(filepath.Join(glob, "postgres")) // fails on a bad pattern only
		candidates = append(candidates, matches...)
	}
	for _, folder := range filepath.SplitList(s.path) {
		candidates = append(candidates, filepath.Join(folder, "postgres"))
	}
	var folders []string
	for _, candidate := range candidates {
		real, err := filepath.EvalSymlinks(candidate)
		if err == nil && !slices.Contains(folders, filepath.Dir(real)) {
			folders = append(folders, filepath.Dir(real))
		}
	}
	return folders
}

// versionLine matches the output of `postgres --version` up to the major version.
var versionLine = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// majorOf returns the major version of the postgres in the folder. It runs postgres as the
// server's user, to check that this user can. It also checks that initdb exists, which
// some distributions have in another package.
func majorOf(ctx context.Context, folder string, a account) (int, error) {
	if _, err := os.Stat(filepath.Join(folder, "initdb")); err != nil {
		return 0, errors.New("no initdb")
	}
	cmd := exec.CommandContext(ctx, filepath.Join(folder, "postgres"), "--version")
	cmd.Dir, cmd.Env = "/", childEnvironment()
	a.applyTo(cmd)
	output, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("user %s cannot run it: %w", a.name, err)
	}
	match := versionLine.FindSubmatch(output)
	if match == nil {
		return 0, errors.New("not a PostgreSQL")
	}
	return strconv.Atoi(string(match[1]))
}
