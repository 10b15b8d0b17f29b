package private

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// notFound returns the error for missing programs, which says where it looked and what to
// install.
func (s search) notFound(want int, rejected []string) error {
	var b strings.Builder
	version := ""
	if want == 0 {
		fmt.Fprintf(&b, "no PostgreSQL %d or newer found", minMajor)
	} else {
		version = strconv.Itoa(want)
		fmt.Fprintf(&b, "the data was created by PostgreSQL %d, and that version was not found", want)
	}
	looked := append(slices.Clone(s.globs), "PATH")
	if s.named != "" {
		looked = []string{s.named}
	}
	fmt.Fprintf(&b, ". Looked in: %s.", strings.Join(looked, ", "))
	if len(rejected) > 0 {
		fmt.Fprintf(&b, " Not usable: %s.", strings.Join(rejected, ", "))
	}
	b.WriteString(" " + installHint(version))
	return errors.New(b.String())
}

// installHint names the packages to install. Version is a major version, or empty for any.
// Portico itself installs PostgreSQL only into a cache, see installPrograms.
func installHint(version string) string {
	debian, fedora, brew := "postgresql", "postgresql-server", "postgresql@17"
	advice := ""
	if version != "" {
		debian, fedora, brew = "postgresql-"+version, "postgresql"+version+"-server", "postgresql@"+version
		advice = " The data is unchanged. To upgrade it to a newer version, use pg_upgrade."
	}
	return fmt.Sprintf("Install it with `apt install %s`, `dnf install %s` or `brew install %s`; "+
		"or set PORTICO_PG_BIN to the folder of initdb and postgres, "+
		"or PORTICO_DATABASE_URL to the address of your own server.%s", debian, fedora, brew, advice)
}
