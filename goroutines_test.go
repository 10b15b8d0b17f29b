package portico_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"
	"testing"
)

// ownGoroutines lists the files of the server and the command line that start goroutines without a
// background.Group, and what ends each of these goroutines. A loop that has an owner is not among
// them: it runs in a Group.
var ownGoroutines = map[string]string{
	"internal/background/group.go": "it is the Group",

	// The function that starts them waits for them.
	"cmd/portico/transfer.go":       "the transfer waits for its parts",
	"db/private/process.go":         "the process waits for its child on a thread of its own",
	"internal/subprocess/thread.go": "the thread of a child ends with the child",
	"server/program.go":             "Run waits for the worker",
	"splat/collision.go":            "the pipe is closed after the file was written",
	"splat/decimate/decimate.go":    "the workers of a loop over Gaussians",
	"splat/palette/workers.go":      "the workers of a loop over Gaussians",
	"splat/picture/render.go":       "the workers of a loop over rows",
	"splat/sog/taskgroup.go":        "the conversion waits for its tasks",
	"splat/sog/tree.go":             "the two halves of a tree",
	"splat/voxel/dilate.go":         "the workers of a loop over blocks",
	"splat/voxel/sampler.go":        "the workers of a loop over blocks",
	"worker/child/runner.go":        "Run waits for the watch of its child",
	"worker/uploadfolder.go":        "the conversion waits for the files that it stores",

	// They end with a request, a subscription or a socket.
	"graph/feed.go":                    "the reader sees the end of its subscription by the closed channel",
	"graph/sharedsubscription.go":      "the reader sees the end of its subscription by the closed channel",
	"graph/transport/init.go":          "socket.serve waits for the tasks of its socket",
	"graph/transport/socket.go":        "socket.serve waits for the tasks of its socket",
	"graph/transport/socketreceive.go": "socket.serve waits for the tasks of its socket",

	// They end with a listener or with the process.
	"cmd/portico/main.go":      "it waits for signals as long as the process runs",
	"server/metricsserver.go":  "Program.Close closes its listener",
	"server/serve.go":          "Program.stopServing closes its listeners",
	"server/stop.go":           "a step of the stop that hangs is left alone after its time, and the process ends",
	"worker/sandbox/limits.go": "it waits for the CPU limit as long as the process runs",
}

// A loop that nobody stops outlives its owner, and one that nobody waits for uses what its owner
// has closed. A Group does both, so every other way to start a goroutine needs a reason.
func TestGoroutines_start_in_a_group_or_in_listed_files(t *testing.T) {
	t.Parallel()
	starting := map[string]bool{}
	for folder, files := range productionFiles(t) {
		groups := groupNames(files)
		for name, file := range files {
			path := filepath.Join(folder, name)
			ast.Inspect(file, func(node ast.Node) bool {
				if startsGoroutine(node) && !startsInGroup(node, groups) {
					starting[path] = true
				}
				return true
			})
		}
	}
	for path := range starting {
		if ownGoroutines[path] == "" {
			t.Errorf("%s starts a goroutine: start it with a background.Group, or list what ends it in ownGoroutines", path)
		}
	}
	for path := range ownGoroutines {
		if !starting[path] {
			t.Errorf("ownGoroutines lists %s, which starts no goroutine of its own", path)
		}
	}
}

// productionFiles returns the parsed files of the server and the command line, by folder and name.
func productionFiles(t *testing.T) map[string]map[string]*ast.File {
	t.Helper()
	folders := map[string]map[string]*ast.File{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && isForTests(path) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, name := filepath.Split(path)
		folder = filepath.Clean(folder)
		if folders[folder] == nil {
			folders[folder] = map[string]*ast.File{}
		}
		folders[folder][name] = file
		return nil
	})
	if err != nil {
		t.Fatalf("read the code: %v", err)
	}
	return folders
}

// isForTests reports whether the code in a folder is only for tests, trials and tools, or is not
// ours.
func isForTests(folder string) bool {
	switch folder {
	case "internal/conformance", "internal/testkit", "internal/trial", "splat/splattest", "worker/child/childtest":
		return true
	}
	name := filepath.Base(folder)
	return name == "node_modules" || name == "testdata" || len(name) > 1 && strings.HasPrefix(name, ".")
}

// groupNames returns the names of the fields and variables of a package that are a
// background.Group. It leaves out names that a sync.WaitGroup or an errgroup.Group has too.
func groupNames(files map[string]*ast.File) map[string]bool {
	names, ambiguous := map[string]bool{}, map[string]bool{}
	add := func(kind ast.Expr, named []*ast.Ident) {
		if pointer, ok := kind.(*ast.StarExpr); ok {
			kind = pointer.X
		}
		selector, ok := kind.(*ast.SelectorExpr)
		if !ok || !strings.HasSuffix(selector.Sel.Name, "Group") {
			return
		}
		qualifier, ok := selector.X.(*ast.Ident)
		for _, name := range named {
			if ok && qualifier.Name == "background" {
				names[name.Name] = true
			} else {
				ambiguous[name.Name] = true
			}
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.Field:
				add(node.Type, node.Names)
			case *ast.ValueSpec:
				add(node.Type, node.Names)
			}
			return true
		})
	}
	maps.DeleteFunc(names, func(name string, _ bool) bool { return ambiguous[name] })
	return names
}

func TestGroupNames_leaves_out_the_name_of_another_group(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "", `package any
		type a struct { loops, reads background.Group }
		type b struct { loops sync.WaitGroup }`, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := groupNames(map[string]*ast.File{"": file}), (map[string]bool{"reads": true}); !maps.Equal(got, want) {
		t.Errorf("names of a background.Group: got %v, want %v", got, want)
	}
}

// startsInGroup reports whether the node calls the method Go of a field or variable with one of
// these names.
func startsInGroup(node ast.Node, groups map[string]bool) bool {
	call, ok := node.(*ast.CallExpr)
	if !ok {
		return false
	}
	switch receiver := call.Fun.(*ast.SelectorExpr).X.(type) {
	case *ast.Ident:
		return groups[receiver.Name]
	case *ast.SelectorExpr:
		return groups[receiver.Sel.Name]
	}
	return false
}
