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

// oldestMajor is the oldest PostgreSQL that still had fixes when this was
// written and that our statements were tried with.
const oldestMajor = 14

// programs is a folder with initdb and postgres of one version.
type programs struct {
	dir   string
	major int
}

// path returns the path of a program. It is always started by its full path,
// from which it finds its libraries and templates.
func (p programs) path(name string) string { return filepath.Join(p.dir, name) }

// search says where to look for the programs.
type search struct {
	only  string   // the one folder that was named, or empty
	globs []string // folders of packages
	path  string   // folders as in $PATH
}

// newSearch looks in the named folder alone, else in the one that
// $PORTICO_PG_BIN names, else in all usual places.
func newSearch(named string) search {
	return search{
		only: cmp.Or(named, os.Getenv("PORTICO_PG_BIN")),
		path: os.Getenv("PATH"),
		globs: []string{
			"/usr/lib/postgresql/*/bin",                          // Debian, Ubuntu
			"/usr/lib/postgresql*/bin",                           // SUSE
			"/usr/pgsql-*/bin",                                   // postgresql.org for Fedora, RHEL
			"/usr/libexec/postgresql*",                           // Alpine
			"/opt/homebrew/opt/postgresql*/bin",                  // Homebrew, Apple silicon
			"/usr/local/opt/postgresql*/bin",                     // Homebrew, Intel
			"/Applications/Postgres.app/Contents/Versions/*/bin", // Postgres.app
		},
	}
}

// find returns the newest programs, or those of one major version when want is
// not 0. The error says what was looked at and what to install.
func (s search) find(ctx context.Context, want int, a account) (programs, error) {
	var usable []programs
	var seen []string
	for _, dir := range s.folders() {
		major, err := majorOf(ctx, dir, a)
		switch {
		case err != nil:
			seen = append(seen, fmt.Sprintf("%s (%v)", dir, err))
		case major < oldestMajor || want != 0 && major != want:
			seen = append(seen, fmt.Sprintf("%s (version %d)", dir, major))
		default:
			usable = append(usable, programs{dir: dir, major: major})
		}
	}
	if len(usable) == 0 {
		return programs{}, s.notFound(want, seen)
	}
	return slices.MaxFunc(usable, func(a, b programs) int { return cmp.Compare(a.major, b.major) }), nil
}

// folders lists the folders that have a postgres, links resolved: Homebrew and
// Alpine put links on the PATH, and initdb stands beside the real one.
func (s search) folders() []string {
	if s.only != "" {
		return []string{s.only}
	}
	var candidates []string
	for _, glob := range s.globs {
		matches, _ := filepath.Glob(filepath.Join(glob, "postgres")) // fails on a bad pattern only
		candidates = append(candidates, matches...)
	}
	for _, dir := range filepath.SplitList(s.path) {
		candidates = append(candidates, filepath.Join(dir, "postgres"))
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

// versionLine is what `postgres --version` prints, up to the major version.
var versionLine = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// majorOf asks the postgres in dir for its version, as the user that is to run
// it, and checks that initdb is there too: some packages have it in another.
func majorOf(ctx context.Context, dir string, a account) (int, error) {
	if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
		return 0, errors.New("no initdb")
	}
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version")
	cmd.Dir, cmd.Env = "/", childEnvironment()
	a.run(cmd)
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
