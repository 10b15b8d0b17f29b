// Command fetch downloads the files that package playground embeds from npm's registry. make
// playground runs it after a version below has changed. With the same Go it writes the
// same bytes each time.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"regexp"
)

// release is a package that the page needs.
type release struct {
	name, version string
	// integrity is the integrity hash in the registry, in the form of lock files.
	integrity string
	files     []file
}

// file is a file to extract from a package.
type file struct {
	path string // in the package
	name string // our name for it
}

// releases are the versions of GraphiQL and of its dependencies. Its 5.x edits with Monaco, which
// is large, and 4.x is larger than 3.x and does no more for the page. React 19 has no scripts for
// pages.
var releases = []release{
	{
		"graphiql", "3.9.0",
		"sha512-rJYFlHdBbug9+YbFSwRVvgfPjCayC7wHecZkx/qB4XLuQPFQZw/yB9pmHFtOJV6RiNBBHro3u1GdocKa3YcGRA==",
		[]file{{"graphiql.min.js", "graphiql.js"}, {"graphiql.min.css", "graphiql.css"}},
	},
	{
		"react", "18.3.1",
		"sha512-wS+hAgJShR0KhEvPJArfuPVN1+Hz1t0Y6n5jLrGQbkb4urgPE/0Rve+1kMB1v/oWgHgm4WIcV+i7F2pTVj+2iQ==",
		[]file{{"umd/react.production.min.js", "react.js"}},
	},
	{
		"react-dom", "18.3.1",
		"sha512-5m4nQKp+rZRb09LNH59GM4BxTh9251/ylbKIbpe7TpGxfJ+9kv6BLkLBXIjjspbgbnIBNqlI23tRnTWT0snUIw==",
		[]file{{"umd/react-dom.production.min.js", "react-dom.js"}},
	},
}

// unwanted are parts that the page does without: fonts, which are more than half of
// the bytes and have licences of their own, and the addresses of source maps.
var unwanted = regexp.MustCompile(`@font-face\s*\{[^}]*\}\s*|\n//# sourceMappingURL=[^\n]*`)

func main() {
	to := flag.String("to", "web/playground/files", "the folder to write into")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := fetch(ctx, releases, *to); err != nil {
		slog.Error("fetch", "error", err)
		os.Exit(1) //nolint:gocritic // the signal needs no more watching
	}
}

// fetch writes the files of all releases, compressed, and their licences.
func fetch(ctx context.Context, releases []release, to string) error {
	var licences []byte
	for _, r := range releases {
		members, err := r.members(ctx)
		if err != nil {
			return fmt.Errorf("%s@%s: %w", r.name, r.version, err)
		}
		for _, f := range r.files {
			if err := write(to, f.name, members[f.path]); err != nil {
				return err
			}
		}
		licences = fmt.Appendf(licences, "%s %s\n\n%s\n", r.name, r.version, members[licence])
	}
	return os.WriteFile(to+"/LICENSES", licences, 0o644) //nolint:gosec // for all to read
}
