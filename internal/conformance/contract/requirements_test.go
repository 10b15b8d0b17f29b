package contract

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root             = "../../.."
	requirementsFile = root + "/testdata/requirements.md"
)

// requirement is a row of the table.
type requirement struct{ id, text, tests string }

// requirements reads the rows.
func requirements(t *testing.T) []requirement {
	t.Helper()
	text, err := os.ReadFile(requirementsFile)
	check(t, err)
	var rows []requirement
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if !strings.HasPrefix(line, "|") || len(cells) == 1 || strings.TrimSpace(cells[0]) == "id" || strings.HasPrefix(line, "| ---") {
			continue
		}
		if len(cells) != 3 {
			t.Errorf("row: got %d cells, want 3: %s", len(cells), line)
			continue
		}
		rows = append(rows, requirement{strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])})
	}
	return rows
}

var reference = regexp.MustCompile("`([^`]+)`")

func TestRequirements_have_tests_that_exist(t *testing.T) {
	t.Parallel()
	known := sources{}
	seen := map[string]bool{}
	rows := requirements(t)
	if len(rows) < 200 {
		t.Errorf("rows: got %d, want at least 200", len(rows))
	}
	for _, row := range rows {
		t.Run(row.id, func(t *testing.T) {
			if seen[row.id] {
				t.Error("the id is taken")
			}
			seen[row.id] = true
			names := reference.FindAllStringSubmatch(row.tests, -1)
			if len(names) == 0 {
				t.Errorf("%q has no test", row.text)
			}
			for _, name := range names {
				if !known.have(t, name[1]) {
					t.Errorf("%s: there is no such test", name[1])
				}
			}
		})
	}
}

// source is what is known of a package's tests.
type source struct{ functions, literals map[string]bool }

// sources are the packages that were read, by their folders.
type sources map[string]source

// have reports whether there is a test of this name: package.Test/subtest, or the
// path of a golden file.
func (s sources) have(t *testing.T, name string) bool {
	t.Helper()
	if golden, ok := strings.CutSuffix(name, ".http"); ok {
		folder, file, _ := strings.Cut(golden, "/")
		_, err := os.Stat(filepath.Join(goldenFolder, name))
		return err == nil && s.have(t, "internal/conformance/contract.TestGolden_"+folder+"/"+file)
	}
	pkg, test, ok := strings.Cut(name, ".Test")
	if !ok {
		return false
	}
	function, subtest, nested := strings.Cut("Test"+test, "/")
	found := s.read(t, pkg)
	return found.functions[function] && (!nested || found.literals[subtest])
}

// read returns the test functions of a package and the texts in them.
func (s sources) read(t *testing.T, pkg string) source {
	t.Helper()
	if found, ok := s[pkg]; ok {
		return found
	}
	found := source{functions: map[string]bool{}, literals: map[string]bool{}}
	files, err := filepath.Glob(filepath.Join(root, pkg, "*_test.go"))
	check(t, err)
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		check(t, err)
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.FuncDecl:
				found.functions[node.Name.Name] = node.Recv == nil
			case *ast.BasicLit:
				if text, err := strconv.Unquote(node.Value); err == nil && node.Kind == token.STRING {
					found.literals[text] = true
				}
			}
			return true
		})
	}
	s[pkg] = found
	return found
}

func TestGoldenFiles_belong_to_a_test(t *testing.T) {
	t.Parallel()
	known := sources{}
	files, err := filepath.Glob(filepath.Join(goldenFolder, "*", "*"))
	check(t, err)
	if len(files) == 0 {
		t.Fatalf("%s: found no golden files", goldenFolder)
	}
	for _, file := range files {
		name, err := filepath.Rel(goldenFolder, file)
		check(t, err)
		if !known.have(t, filepath.ToSlash(name)) {
			t.Errorf("%s: no test writes it", file)
		}
	}
}

// The texts that the specification and the contract fix, to the letter.
func TestGoldenFiles_hold_every_text_that_is_fixed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(goldenFolder, "*", "*.http"))
	check(t, err)
	var all []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(t, err)
		all = append(all, string(text))
	}
	for _, want := range []string{
		"Space not found", "You are not authorized to update the privacy of this space", "Invalid privacy option",
		"You need to be a Pro user to set a space to Link Only", "Entity not found", "Uploaded file not found", "Job not found",
	} {
		if !slices.ContainsFunc(all, func(text string) bool { return strings.Contains(text, `"message": "`+want+`"`) }) {
			t.Errorf("%q is in no golden file", want)
		}
	}
}
