package private

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// notFound tells a newcomer what to do.
func (s search) notFound(want int, seen []string) error {
	var b strings.Builder
	version := ""
	if want == 0 {
		fmt.Fprintf(&b, "no PostgreSQL %d or newer found", oldestMajor)
	} else {
		version = strconv.Itoa(want)
		fmt.Fprintf(&b, "the data was made by PostgreSQL %d, and that version was not found", want)
	}
	looked := append(slices.Clone(s.globs), "PATH")
	if s.only != "" {
		looked = []string{s.only}
	}
	fmt.Fprintf(&b, ". Looked in: %s.", strings.Join(looked, ", "))
	if len(seen) > 0 {
		fmt.Fprintf(&b, " Not usable: %s.", strings.Join(seen, ", "))
	}
	b.WriteString(" " + installHint(version))
	return errors.New(b.String())
}

// installHint names the packages; version is empty or a major version. Nothing
// is ever downloaded or installed from here: that is for the user to decide.
func installHint(version string) string {
	debian, fedora, brew := "postgresql", "postgresql-server", "postgresql@17"
	advice := ""
	if version != "" {
		debian, fedora, brew = "postgresql-"+version, "postgresql"+version+"-server", "postgresql@"+version
		advice = " The data is left as it is; to move it to a newer version use pg_upgrade."
	}
	return fmt.Sprintf("Install it with `apt install %s`, `dnf install %s` or `brew install %s`; "+
		"or name the folder of initdb and postgres in PORTICO_PG_BIN, "+
		"or a server of your own in PORTICO_DATABASE_URL.%s", debian, fedora, brew, advice)
}
