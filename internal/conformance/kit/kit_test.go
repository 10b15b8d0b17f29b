package kit

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/browser"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/world"
	"portico/model"
)

func TestMain(m *testing.M) { postgres.Main(m) }

const source = "../../../web/client"

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// trial is a folder of scripts with the kit in examples/node_modules, and the client of a server.
type trial struct {
	*browser.Scripts
	client *api.Client
}

// kit returns the folder of the package in a folder of scripts.
func (s trial) kit() string {
	return filepath.Join(s.Folder, "examples", "node_modules", "@portico", "client")
}

// newTrial builds the package, as a release has it, and starts a server with a worker.
func newTrial(t *testing.T, start func(testing.TB, browser.Options) *browser.Scripts) trial {
	t.Helper()
	s := trial{Scripts: start(t, browser.Options{Name: "kit", Scripts: "node"})}
	output, err := exec.CommandContext(t.Context(), source+"/build.sh", "0.1.0", s.kit()).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 3 && os.Getenv("CI") == "" {
		t.Skipf("the package cannot be built: %s", output)
	}
	if err != nil {
		t.Fatalf("build: got %v\n%s", err, output)
	}
	w := world.Start(t)
	w.StartWorker(t)
	s.client = w.NewClient(t, model.CreateUser{Email: "ada@example.com", Name: "Ada", Plan: model.PlanPro, Quota: 1e9})
	check(t, os.WriteFile(filepath.Join(s.Folder, "room.ply"), room(100), 0o600))
	return s
}

// room returns a capture with this number of Gaussians.
func room(gaussians int) []byte {
	names := strings.Fields("x y z f_dc_0 f_dc_1 f_dc_2 opacity scale_0 scale_1 scale_2 rot_0 rot_1 rot_2 rot_3")
	var b bytes.Buffer
	fmt.Fprintf(&b, "ply\nformat binary_little_endian 1.0\nelement vertex %d\nproperty float %s\nend_header\n", gaussians, strings.Join(names, "\nproperty float "))
	for i := range gaussians {
		x, z := float32(i%100)/25, float32(i/100%100)/25
		_ = binary.Write(&b, binary.LittleEndian, []float32{x, 0, z, 1, 0, 0, 4, -3, -3, -3, 1, 0, 0, 0}) // a buffer takes everything
	}
	return b.Bytes()
}

// run runs a script with the address of the server and a key, and returns its output.
func (s trial) run(t *testing.T, script string, args ...string) string {
	t.Helper()
	out, err := s.Run(t.Context(), browser.Command{Script: script, Args: args, Env: []string{"PORTICO_URL=" + s.client.URL, "PORTICO_KEY=" + s.client.Key}})
	if err != nil {
		t.Errorf("%s %q: got %v, want it to end with code 0\n%s", script, args, err, out.Text())
	}
	return out.Text()
}

// examples returns the blocks of the README in a language, by their names.
func examples(t *testing.T, language string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(source + "/README.md")
	check(t, err)
	found := map[string]string{}
	for _, block := range regexp.MustCompile("(?s)```"+language+" ([a-z]+)\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		found[block[1]] = block[2]
	}
	return found
}

func TestExamples_of_the_README_run_in_Node(t *testing.T) {
	t.Parallel()
	s := newTrial(t, browser.NewWithout)
	wants := map[string]string{
		"publish": `(?s)\A0 % sent\n.*100 % sent\n.*http\S+\n\z`,
		"spaces":  `\Achair \{ label: 'Armchair'.*\}\nThe hall With an armchair\n\z`,
		"convert": `(?s)COMPLETED 100\nhttp\S+\n\z`,
		"follow":  `(?s)\ASpaceSnapshot\n.*SpaceChanged\n.*SpaceDeleted\nTimeoutError\n\z`,
		"errors":  `\ACONFLICT STALE Steps\n\z`,
	}
	programs := examples(t, "js")
	for name, program := range programs {
		check(t, os.WriteFile(filepath.Join(s.Folder, "examples", name+".mjs"), []byte(program), 0o600))
	}
	for name, program := range examples(t, "ts") {
		check(t, os.WriteFile(filepath.Join(s.Folder, "examples", name+".mts"), []byte(program), 0o600))
	}
	const mistaken = `import { graphql, Portico } from '@portico/client';
const portico = new Portico({ url: '' });
const space = graphql('query ($id: ID!) { space(id: $id) { title } }');
// @ts-expect-error a variable is missing
void portico.run(space);
// @ts-expect-error a variable has another type
void portico.run(space, { id: 7 });
// @ts-expect-error the title is a text
void portico.run(space, { id: '7' }).then(({ space }) => space?.title.toFixed());
`
	check(t, os.WriteFile(filepath.Join(s.Folder, "examples", "mistaken.mts"), []byte(mistaken), 0o600))
	s.run(t, filepath.Join("node_modules", "typescript", "bin", "tsc"))
	for name := range programs {
		if got := s.run(t, filepath.Join("examples", name+".mjs")); !regexp.MustCompile(wants[name]).MatchString(got) || wants[name] == "" {
			t.Errorf("%s: got\n%s\nwant %s", name, got, wants[name])
		}
	}
	if len(programs) != len(wants) {
		t.Errorf("examples: got %d, want %d", len(programs), len(wants))
	}
}

func TestExamples_of_the_README_run_in_a_browser(t *testing.T) {
	t.Parallel()
	s := newTrial(t, browser.New)
	check(t, os.WriteFile(filepath.Join(s.Folder, "large.ply"), room(200_000), 0o600))
	var made struct{ SpaceID string }
	check(t, s.client.GraphQL(`mutation { createSpace(input: {title: "The yard", privacy: PUBLIC}) { space { spaceId } } }`, nil, &made))
	s.client.Call("POST", "/v1/spaces/"+made.SpaceID+"/entities", map[string]any{
		"entity_id": "fountain", "entity_type": "AnnotationEntity",
		"entity_data": map[string]any{"title": "Fountain", "position": []float64{0, 1.5, 0}},
	}).Want(201, nil)
	pages := examples(t, "html")
	files := http.StripPrefix("/portico-client/", http.FileServerFS(os.DirFS(s.kit())))
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, found := pages[strings.TrimPrefix(r.URL.Path, "/")]
		switch {
		case found:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, err := io.WriteString(w, strings.NewReplacer("https://portico.example", s.client.URL, "SPACE_ID", made.SpaceID).Replace(page))
			check(t, err)
		case strings.HasPrefix(r.URL.Path, "/portico-client/"):
			files.ServeHTTP(w, r)
		default: // the icon
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	t.Cleanup(host.Close)
	for _, name := range []string{"publish", "embed"} {
		got := s.run(t, "browser.mjs", name, host.URL+"/"+name)
		if name == "publish" && !strings.HasPrefix(got, s.client.URL+"/") {
			t.Errorf("publish: got %q, want the address of a space", got)
		}
	}
}

func TestUploads_and_subscriptions_survive_trouble(t *testing.T) {
	t.Parallel()
	t.Log(newTrial(t, browser.NewWithout).run(t, "trouble.mjs"))
}
