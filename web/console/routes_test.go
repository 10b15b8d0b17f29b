package console_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// routePath matches the path of a route in its source.
var routePath = regexp.MustCompile(`\{ path: '([^']+)'`)

// planted is the path of a route that the console does not have.
const planted = "/planted/:id"

// routes returns the variable that gives a script the paths of all routes of the console, and the
// planted one. The script reports a route that it has not visited, so it must report the planted
// one.
func routes(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile("src/routes.ts")
	check(t, err)
	_, table, _ := strings.Cut(string(source), "\nconst routes")
	table, _, _ = strings.Cut(table, "\n];\n")
	paths := []string{}
	for _, match := range routePath.FindAllStringSubmatch(table, -1) {
		paths = append(paths, match[1])
	}
	if rows := strings.Count(table, "\n  {"); rows == 0 || len(paths) != rows {
		t.Fatalf("routes: got the paths %q of %d rows", paths, rows)
	}
	list, err := json.Marshal(append(paths, planted))
	check(t, err)
	return "ROUTES=" + string(list)
}
