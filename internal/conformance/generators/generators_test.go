package generators

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/internal/testkit/browser"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/world"
	"portico/model"
)

func TestMain(m *testing.M) { postgres.Main(m) }

const (
	root     = "../../.."
	document = root + "/docs/openapi.yaml"
	// maxCommand limits one generator, and the compiler of what it generated, on a busy machine.
	maxCommand = 5 * time.Minute
)

// run runs a command in a folder and returns its output.
func run(t *testing.T, folder string, env []string, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), maxCommand)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Env, command.WaitDelay = folder, append(os.Environ(), env...), time.Second
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: got %v, want it to end with code 0\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// copyFile copies a file into a folder, under a name.
func copyFile(t *testing.T, from, folder, name string) {
	t.Helper()
	content, err := os.ReadFile(from)
	check(t, err)
	check(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755))
	check(t, os.WriteFile(filepath.Join(folder, name), content, 0o600))
}

// site starts a server, and returns the environment of a client that publishes on it.
func site(t *testing.T) []string {
	t.Helper()
	w := world.Start(t)
	client := w.NewClient(t, model.CreateUser{Email: "ada@example.com", Name: "Ada", Plan: model.PlanFree, Quota: 100e6})
	return []string{"PORTICO_URL=" + client.URL + "/v1", "PORTICO_KEY=" + client.Key}
}

// published checks that the client has printed the address of the space that it made.
func published(t *testing.T, out string) {
	t.Helper()
	if lines := strings.Fields(out); len(lines) == 0 || !strings.HasPrefix(lines[len(lines)-1], "http") {
		t.Errorf("client: got %q, want the address of a space", out)
	}
}

// The generators are in openapi.mod, beside what their clients import.
func TestGo_clients_publish(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles two generators")
	}
	folder := t.TempDir()
	copyFile(t, root+"/openapi.mod", folder, "go.mod")
	copyFile(t, root+"/openapi.sum", folder, "go.sum")
	copyFile(t, document, folder, "openapi.yaml")
	copyFile(t, "testdata/publish.go.txt", folder, "publish.go")
	check(t, os.Mkdir(filepath.Join(folder, "oapi"), 0o755))
	run(t, folder, nil, "go", "tool", "oapi-codegen", "-generate", "types,client", "-package", "oapi", "-o", "oapi/api.go", "openapi.yaml")
	run(t, folder, nil, "go", "tool", "ogen", "--target", "ogen", "--package", "ogen", "openapi.yaml")
	env := site(t)
	for _, client := range []string{"oapi-codegen", "ogen"} {
		published(t, run(t, folder, env, "go", "run", ".", client))
	}
}

// The document has no error and no warning, each generator takes it, and what it generates has no
// errors of types.
func TestTypeScript_clients_publish(t *testing.T) {
	t.Parallel()
	folder := browser.NewWithout(t, browser.Options{Name: "generators", Scripts: "node"}).Folder
	copyFile(t, document, folder, "openapi.yaml")
	tool := func(env []string, name string, args ...string) string {
		t.Helper()
		return run(t, folder, env, filepath.Join("node_modules", ".bin", name), args...)
	}
	if out := tool([]string{"REDOCLY_TELEMETRY=off"}, "redocly", "lint", "openapi.yaml", "--format=stylish"); strings.Contains(out, "  warning  ") {
		t.Errorf("redocly: got %s, want no warning", out)
	}
	tool(nil, "openapi-typescript", "openapi.yaml", "-o", "generated/schema.ts")
	tool(nil, "orval", "--config", "orval.config.cjs")
	tool(nil, "openapi-ts", "-i", "openapi.yaml", "-o", "generated/hey", "-c", "@hey-api/client-fetch")
	tool(nil, "tsc", "--noEmit")
	tool(nil, "esbuild", "publish.ts", "--bundle", "--platform=node", "--format=esm", "--outfile=publish.mjs")
	env := site(t)
	for _, client := range []string{"openapi-typescript", "orval", "hey-api"} {
		published(t, run(t, folder, env, "node", "publish.mjs", client))
	}
}
