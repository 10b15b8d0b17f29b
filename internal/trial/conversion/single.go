package main

import (
	"archive/zip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"portico/splat/folder"
	"portico/splat/gaussian"
)

// The names of the input and of the result of a single dataset.
const (
	plyName    = "scan.ply"
	singleName = "scan.sog"
)

// plyHeader is the header of a plain PLY (INRIA, gaussian-splatting, scene/gaussian_model.py,
// save_ply), without normals and harmonics.
const plyHeader = `ply
format binary_little_endian 1.0
element vertex %d
property float x
property float y
property float z
property float f_dc_0
property float f_dc_1
property float f_dc_2
property float opacity
property float scale_0
property float scale_1
property float scale_2
property float rot_0
property float rot_1
property float rot_2
property float rot_3
end_header
`

// writeSingle writes the finest level of the scene's capture as a PLY in random order, as trainers
// do. Its values equal the capture's, so errors can be compared with the other datasets.
func writeSingle(ctx context.Context, at string, s *scene) (err error) {
	scan := filepath.Join(at, "scan")
	if err := writeCapture(ctx, scan, s); err != nil {
		return err
	}
	cloud, err := readLCC(ctx, filepath.Join(scan, manifestName))
	if err != nil {
		return err
	}
	f, err := create(at, plyName)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	f.write(fmt.Appendf(nil, plyHeader, cloud.Len()))
	random := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // the same in every run
	for _, i := range random.Perm(cloud.Len()) {
		f.write(plyRow(cloud, i))
	}
	return os.RemoveAll(scan)
}

// plyRow returns the row of Gaussian i, in the order of plyHeader.
func plyRow(c *gaussian.Cloud, i int) (row []byte) {
	q := c.Rotations[4*i:]
	for _, values := range [][]float32{
		c.Positions[3*i : 3*i+3], c.Colours[3*i : 3*i+3], {gaussian.Logit(c.Opacities[i])}, c.Scales[3*i : 3*i+3], {q[3], q[0], q[1], q[2]},
	} {
		for _, v := range values {
			row = binary.LittleEndian.AppendUint32(row, math.Float32bits(v))
		}
	}
	return row
}

// readResult reads the finest level of what a contender wrote in a folder.
func readResult(ctx context.Context, path string) (*stream, error) {
	single := filepath.Join(path, singleName)
	if _, err := os.Stat(single); err == nil {
		return readSingle(ctx, single)
	}
	return readStream(ctx, path)
}

// readSingle reads a .sog with Portico's reader. It extracts the files, because only the manifest
// has the steps of positions.
func readSingle(ctx context.Context, path string) (s *stream, err error) {
	extracted, err := os.MkdirTemp(filepath.Dir(path), "extracted-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(extracted)) }()
	if err := extract(path, extracted); err != nil {
		return nil, err
	}
	files, err := folder.OpenLocal(extracted)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	s = &stream{cloud: &gaussian.Cloud{}}
	err = s.add(ctx, files, extracted, "meta.json")
	s.levels = []int{s.cloud.Len()}
	return s, err
}

// extract extracts the files of a zip that a contender has just written, all without folders.
func extract(path, at string) (err error) {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	for _, entry := range archive.File {
		from, err := entry.Open()
		if err != nil {
			return err
		}
		data, err := io.ReadAll(from)
		if err := errors.Join(err, from.Close()); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(at, filepath.Base(entry.Name)), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}
