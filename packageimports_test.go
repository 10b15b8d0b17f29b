package portico_test

import (
	"slices"
	"strings"
	"testing"
)

// mayImport lists, for each package, the other packages of this module that its code, without
// tests, imports. A door cannot import db, and graph imports no door.
var mayImport = map[string][]string{
	"model":                {},
	"splat":                {"splat/folder", "splat/input", "splat/gaussian", "splat/lcc", "splat/lcc2", "splat/sog", "splat/ply", "splat/spz", "splat/splatfile", "splat/ksplat", "splat/records", "splat/gltf", "splat/picture", "splat/csv", "splat/edit", "splat/html", "splat/voxel", "splat/vp8l"},
	"splat/folder":         {},
	"splat/input":          {"splat/folder"},
	"splat/archive":        {"splat/folder", "splat/input", "splat/gltf", "splat/html", "splat/lcc2"},
	"splat/gaussian":       {},
	"splat/decimate":       {"splat/gaussian"},
	"splat/vp8l":           {},
	"splat/palette":        {},
	"splat/lcc":            {"splat/folder", "splat/input", "splat/gaussian"},
	"splat/lcc2":           {"splat/folder", "splat/input", "splat/gaussian", "splat/ply", "splat/sog", "splat/spz"},
	"splat/sog":            {"splat/folder", "splat/input", "splat/gaussian", "splat/vp8l", "splat/palette", "splat/decimate"},
	"splat/ply":            {"splat/folder", "splat/input", "splat/gaussian", "splat/records"},
	"splat/edit":           {"splat/input", "splat/gaussian", "splat/decimate", "splat/voxel"},
	"splat/html":           {"splat/folder"},
	"splat/csv":            {"splat/input", "splat/gaussian", "splat/ply"},
	"splat/records":        {"splat/folder", "splat/input", "splat/gaussian"},
	"splat/splatfile":      {"splat/folder", "splat/input", "splat/gaussian", "splat/records"},
	"splat/ksplat":         {"splat/folder", "splat/input", "splat/gaussian", "splat/records"},
	"splat/spz":            {"splat/folder", "splat/input", "splat/gaussian"},
	"splat/gltf":           {"splat/folder", "splat/input", "splat/gaussian", "splat/meshopt", "splat/records", "splat/spz"},
	"splat/meshopt":        {"splat/folder", "splat/input"},
	"splat/picture":        {"splat/folder", "splat/input", "splat/gaussian"},
	"splat/voxel":          {"splat/gaussian", "splat/input"},
	"splat/splattest":      {},
	"storage":              {"model", "internal/cors", "internal/envelope", "internal/negotiate", "internal/semaphore"},
	"db":                   {"model", "db/migrations", "internal/background"},
	"db/migrations":        {},
	"db/private":           {"internal/background", "internal/durable", "internal/npm"},
	"auth":                 {"model", "db", "internal/background", "internal/semaphore"},
	"auth/account":         {"model", "db", "auth", "internal/counter"},
	"graph/presence":       {"model", "internal/background"},
	"graph":                {"model", "db", "storage", "graph/presence", "splat", "auth", "limit", "graph/schema", "graph/transport", "internal/background", "internal/semaphore"},
	"graph/transport":      {"model", "internal/background", "internal/method"},
	"graph/schema":         {"model"},
	"graph/view":           {"model", "graph", "splat/archive", "splat/input", "internal/envelope", "internal/freespace", "internal/method"},
	"graph/export":         {"model", "db", "storage", "graph"},
	"worker":               {"model", "db", "storage", "splat", "splat/archive", "splat/folder", "worker/child", "worker/mail", "worker/webhook", "internal/background", "internal/freespace"},
	"worker/mail":          {"model", "internal/publicnet"},
	"worker/webhook":       {"model", "internal/publicnet"},
	"worker/child":         {"model", "splat", "splat/folder", "storage", "worker/sandbox", "internal/jsonlines", "internal/subprocess"},
	"worker/sandbox":       {},
	"rest/tus":             {"model", "graph", "graph/view", "auth", "limit", "internal/cors", "internal/counter", "internal/envelope", "internal/semaphore"},
	"limit":                {"model", "internal/background", "internal/counter"},
	"rest":                 {"model", "graph", "graph/view", "auth", "limit", "internal/cors", "internal/semaphore"},
	"mcp":                  {"model", "graph", "graph/view", "auth", "limit", "internal/cors", "internal/envelope", "internal/method", "internal/publicnet", "internal/semaphore"},
	"web":                  {"model", "db", "auth", "auth/account", "internal/background", "internal/counter", "internal/method", "internal/publicnet"},
	"web/dist":             {},
	"web/asset":            {"internal/negotiate"},
	"web/console":          {"web", "web/dist"},
	"web/page":             {"model", "internal/cors", "internal/method", "internal/negotiate", "web", "web/asset", "web/dist"},
	"web/playground":       {"web/asset", "internal/method"},
	"web/plugin":           {"internal/method"},
	"web/preview":          {"model", "internal/publicnet", "web/asset", "web/dist"},
	"web/playground/fetch": {},
	"web/unit":             {},
	"oauth":                {"model", "db", "web", "internal/cors", "internal/counter", "internal/method", "internal/publicnet"},
	"docs":                 {"internal/method"},
	"server": {"model", "db", "db/private", "storage", "graph/presence", "limit", "auth", "auth/account", "graph", "graph/export", "graph/transport", "splat", "worker", "worker/child", "worker/mail",
		"rest", "rest/tus", "mcp", "web", "web/console", "web/page", "web/playground", "web/plugin", "web/preview", "oauth", "docs", "internal/background", "internal/cors", "internal/durable", "internal/method", "internal/publicnet", "internal/semaphore"},
	"cmd/portico": {"server", "model", "splat", "splat/archive", "splat/folder", "internal/jsonlines", "internal/subprocess"},

	// What several packages of the server share.
	"internal/background":  {},
	"internal/counter":     {},
	"internal/cors":        {},
	"internal/durable":     {},
	"internal/envelope":    {"model"},
	"internal/freespace":   {},
	"internal/jsonlines":   {},
	"internal/method":      {},
	"internal/negotiate":   {},
	"internal/npm":         {},
	"internal/plainfields": {},
	"internal/publicnet":   {},
	"internal/schemadiff":  {},
	"internal/semaphore":   {},
	"internal/subprocess":  {},

	// What tests, trials and conformance are made of; no program of users imports it.
	"internal/conformance/frontends":       {},
	"internal/conformance/clients":         {},
	"internal/conformance/contract":        {},
	"internal/conformance/outage":          {},
	"internal/conformance/parity":          {},
	"internal/conformance/property":        {},
	"internal/conformance/replicas":        {},
	"internal/conformance/space":           {},
	"internal/conformance/viewer":          {},
	"internal/testkit/access":              {"model"},
	"internal/testkit/api":                 {"model", "splat/splattest"},
	"internal/testkit/browser":             {"internal/testkit/npm", "internal/testkit/race"},
	"internal/testkit/cluster":             {"db/private"},
	"internal/testkit/command":             {},
	"internal/testkit/leak":                {},
	"internal/testkit/mailbox":             {},
	"internal/testkit/npm":                 {"internal/npm"},
	"internal/testkit/openid":              {},
	"internal/testkit/operations":          {"docs", "internal/testkit/api"},
	"internal/testkit/postgres":            {"db/private", "internal/testkit/leak"},
	"internal/testkit/postgres/testdb":     {"model", "db", "internal/testkit/postgres"},
	"internal/testkit/program":             {},
	"internal/testkit/program/programtest": {"internal/testkit/api", "internal/testkit/program", "internal/testkit/race"},
	"internal/testkit/race":                {},
	"internal/testkit/s3":                  {"internal/testkit/program"},
	"internal/testkit/scenery":             {},
	"internal/testkit/smalldisk":           {},
	"internal/testkit/usage":               {},
	"internal/testkit/world":               {"server", "model", "internal/testkit/api", "internal/testkit/postgres", "internal/testkit/postgres/testdb", "internal/testkit/program", "internal/testkit/program/programtest"},
	"internal/trial/abuse":                 {"model", "db", "db/private", "auth", "splat/splattest", "internal/testkit/cluster", "internal/testkit/command", "internal/testkit/program"},
	"internal/trial/conversion":            {"splat/gaussian", "splat/folder", "splat/lcc", "splat/picture", "splat/ply", "splat/sog", "internal/testkit/command", "internal/testkit/npm", "internal/testkit/program"},
	"internal/trial/faults":                {"db/private", "splat", "splat/folder", "splat/splattest", "internal/testkit/command", "internal/testkit/program", "internal/testkit/usage"},
	"internal/trial/load":                  {"model", "db", "db/private", "auth", "splat/splattest", "internal/freespace", "internal/testkit/cluster", "internal/testkit/command", "internal/testkit/program"},
	"internal/trial/mutation":              {"splat", "splat/folder", "splat/gaussian", "splat/splattest", "worker/child", "internal/jsonlines", "internal/testkit/command", "internal/testkit/program"},
	"worker/child/childtest":               {"worker/child", "worker/sandbox"},
}

func TestImports_of_packages(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, "portico/")
		if p.ImportPath == "portico" {
			continue
		}
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("package %s has no row in the table of imports", name)
		}
		for _, imported := range p.Imports {
			ours, ok := strings.CutPrefix(imported, "portico/")
			if ok && !slices.Contains(allowed, ours) {
				t.Errorf("package %s imports %s, which the table does not allow", name, ours)
			}
		}
		for _, ours := range allowed {
			if !slices.Contains(p.Imports, "portico/"+ours) {
				t.Errorf("the table allows package %s to import %s, which it does not import", name, ours)
			}
		}
		seen[name] = true
	}
	for name := range mayImport {
		if !seen[name] {
			t.Errorf("the table has a row for package %s, which does not exist", name)
		}
	}
}
