package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// dataset is a capture to convert.
type dataset struct {
	name string
	// splats is the number of Gaussians of the finest level. Each other level has half
	// of the previous level's.
	splats, levels int
	// environment is the number of Gaussians of the sky.
	environment int
	harmonics   bool
	// large captures are skipped with -quick.
	large bool
	// single captures are one plain PLY, which becomes one .sog without levels.
	single bool
	// porticoOnly captures would take splat-transform hours.
	porticoOnly bool
}

// datasets returns all datasets in the order of their comparison. The first letter of a name is p
// without harmonics and q with them; the number is the number of Gaussians.
func datasets() []dataset {
	return []dataset{
		{name: "p200k", splats: 200_000, levels: 5, environment: 4000},
		{name: "q24k", splats: 24_000, levels: 3, environment: 4000, harmonics: true},
		{name: "p2m", splats: 2_000_000, levels: 5, environment: 4000, large: true},
		{name: "ply2m", splats: 2_000_000, levels: 1, large: true, single: true},
		{name: "q200k", splats: 200_000, levels: 5, environment: 4000, harmonics: true, large: true, porticoOnly: true},
	}
}

// datasetNames returns the names for -only.
func datasetNames() []string {
	var names []string
	for _, d := range datasets() {
		names = append(names, d.name)
	}
	return names
}

const (
	// extent is the side of the scene, and cell the side of the capture's cells, in
	// metres.
	extent = 60
	cell   = 15
	// seed makes all captures the same in every run.
	seed = 1
)

// total returns the number of Gaussians of all levels and the environment.
func (d dataset) total() int {
	n := d.environment
	for level := range d.levels {
		n += d.splats >> level
	}
	return n
}

// generate writes the capture into its own folder, unless an earlier run has done so, and
// returns its manifest and its size in bytes.
func (d dataset) generate(ctx context.Context, folder string) (manifest string, size int64, err error) {
	captureFolder := filepath.Join(folder, d.name)
	name, write := manifestName, writeCapture
	if d.single {
		name, write = plyName, writeSingle
	}
	manifest = filepath.Join(captureFolder, name)
	if _, err := os.Stat(manifest); errors.Is(err, fs.ErrNotExist) {
		if err := write(ctx, captureFolder, newScene(d)); err != nil {
			return "", 0, fmt.Errorf("write the capture: %w", err)
		}
	} else if err != nil {
		return "", 0, err
	}
	size, err = folderSize(captureFolder)
	return manifest, size, err
}

// result returns the file that a contender writes in the folder out: the .sog, or the manifest of a
// streamed SOG.
func (d dataset) result(out string) string {
	if d.single {
		return filepath.Join(out, singleName)
	}
	return filepath.Join(out, streamName)
}

// folderSize returns the total size of the files in a folder.
func folderSize(folder string) (size int64, err error) {
	err = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
