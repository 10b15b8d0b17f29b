package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/picture"
	"portico/splat/sog"
)

// viewpoints is the number of viewpoints around a capture.
const viewpoints = 10

// studio takes pictures of a capture and of its levels, from the same viewpoints. A picture of a
// level is compared with the picture of the finest level from the same viewpoint.
type studio struct {
	cameras  []picture.Camera
	original []*image.RGBA // of the finest level
}

// newStudio returns a studio whose viewpoints are around a capture, at several heights and
// slightly nearer than the whole capture needs.
func newStudio(ctx context.Context, cloud *gaussian.Cloud) (s *studio, err error) {
	const nearer = 0.8
	s = &studio{}
	facing := picture.Facing(cloud, picture.DefaultWidth, picture.DefaultHeight)
	distance := 0.0
	for k, v := range facing.Eye {
		distance += (v - facing.Target[k]) * (v - facing.Target[k])
	}
	distance = nearer * math.Sqrt(distance)
	elevations := [...]float64{0.15, 0.5, 0.3, 0.8, 0.05}
	for i := range viewpoints {
		up, along := math.Sincos(elevations[i%len(elevations)])
		x, z := math.Sincos(2 * math.Pi * float64(i) / viewpoints)
		camera := facing
		for k, v := range [3]float64{x * along, -up, -z * along} {
			camera.Eye[k] = camera.Target[k] + distance*v
		}
		s.cameras = append(s.cameras, camera)
	}
	s.original, err = s.shoot(ctx, cloud)
	return s, err
}

// shoot takes a picture from each viewpoint.
func (s *studio) shoot(ctx context.Context, cloud *gaussian.Cloud) (pictures []*image.RGBA, err error) {
	for i := range s.cameras {
		drawn, err := picture.Render(ctx, cloud, picture.Options{Camera: &s.cameras[i]})
		if err != nil {
			return nil, err
		}
		pictures = append(pictures, drawn)
	}
	return pictures, nil
}

// similarity returns the mean signal-to-noise ratio of the pictures of a level, in dB.
func (s *studio) similarity(ctx context.Context, level *gaussian.Cloud) (mean float64, err error) {
	pictures, err := s.shoot(ctx, level)
	return meanSignalToNoise(s.original, pictures), err
}

// meanSignalToNoise returns the mean signal-to-noise ratio of pairs of pictures, in dB.
func meanSignalToNoise(want, got []*image.RGBA) (mean float64) {
	for i := range got {
		mean += signalToNoise(want[i], got[i]) / float64(len(got))
	}
	return mean
}

// compareLevels compares the levels of detail that Portico makes of a PLY file with
// splat-transform's --decimate to the same count, and with a random selection. Portico's
// cost is of the whole conversion, splat-transform's of --decimate alone.
func (w *benchmark) compareLevels(ctx context.Context, path string) error {
	if strings.EqualFold(filepath.Ext(path), lccExtension) {
		return w.compareOwnLevels(ctx, path)
	}
	original, err := readPLY(ctx, path)
	if err != nil {
		return err
	}
	s, err := newStudio(ctx, original)
	if err != nil {
		return err
	}
	d := dataset{name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
	out := w.output(d, namePortico)
	cost, err := w.contenders[len(w.contenders)-1].convert(ctx, d, path, out)
	if err != nil {
		return err
	}
	levels, err := readLevels(ctx, out)
	if err != nil {
		return err
	}
	fmt.Printf("%s, %d Gaussians\n", d.name, original.Len())
	theirs := time.Duration(0)
	for i, level := range levels[1:] {
		row, used, err := w.compareLevel(ctx, s, path, original, level)
		if err != nil {
			return err
		}
		theirs += used
		fmt.Printf("  level %d, %d Gaussians: %s\n", i+1, level.Len(), row)
	}
	fmt.Printf("  CPU: portico %.1f s with all images, splat-transform %.1f s\n", cost.CPU.Seconds(), theirs.Seconds())
	return nil
}

// compareLevel returns the figures of a level, and the CPU time of splat-transform.
func (w *benchmark) compareLevel(ctx context.Context, s *studio, path string, original, level *gaussian.Cloud) (row string, used time.Duration, err error) {
	ours, err := s.similarity(ctx, level)
	if err != nil {
		return "", 0, err
	}
	plain, err := s.similarity(ctx, randomSelection(original, level.Len()))
	if err != nil {
		return "", 0, err
	}
	row = fmt.Sprintf("portico %.2f dB, a random selection %.2f dB", ours, plain)
	if w.transform == nil {
		return row, 0, nil
	}
	made := filepath.Join(w.folder, "level.ply")
	cost, err := measure(ctx, w.transform.command("-w", path, "--decimate", strconv.Itoa(level.Len()), made))
	if err != nil {
		return "", 0, err
	}
	decimated, err := readPLY(ctx, made)
	if err := errors.Join(err, os.Remove(made)); err != nil {
		return "", 0, err
	}
	theirs, err := s.similarity(ctx, decimated)
	return fmt.Sprintf("%s, splat-transform %.2f dB", row, theirs), cost.CPU, err
}

// readLevels reads all levels of a streamed SOG.
func readLevels(ctx context.Context, at string) (levels []*gaussian.Cloud, err error) {
	files, err := folder.OpenLocal(at)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	reader, err := sog.Open(ctx, files, streamName)
	if err != nil {
		return nil, err
	}
	levels, err = readAllLevels(ctx, reader)
	return levels, errors.Join(err, reader.Close())
}

// randomSelection returns n Gaussians of a cloud, the same ones in every run.
func randomSelection(from *gaussian.Cloud, n int) *gaussian.Cloud {
	to := &gaussian.Cloud{}
	to.Resize(n, from.Degree)
	random := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // a sample, not a secret
	for i, k := range random.Perm(from.Len())[:n] {
		to.Set(i, from, k)
	}
	return to
}
