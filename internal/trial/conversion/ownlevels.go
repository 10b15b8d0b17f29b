package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"path/filepath"
	"strings"

	"portico/splat/gaussian"
)

// lccExtension is the extension of the manifest of an LCC capture.
const lccExtension = ".lcc"

// compareOwnLevels compares the levels of an LCC capture, which it brings along, with the
// same levels after each contender's conversion. It shows two ratios for each level: the
// first compares with the level of the capture, which is the loss of the conversion, and
// the second with the finest level, which is what a visitor sees.
func (w *benchmark) compareOwnLevels(ctx context.Context, path string) error {
	original, err := readLCCLevels(ctx, path)
	if err != nil {
		return err
	}
	s, err := newStudio(ctx, original[0])
	if err != nil {
		return err
	}
	d := dataset{name: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
	var converted [][]*gaussian.Cloud // of each contender
	for _, contender := range w.contenders {
		out := w.output(d, contender.name)
		if _, err := contender.convert(ctx, d, path, out); err != nil {
			return err
		}
		levels, err := readLevels(ctx, out)
		if err != nil {
			return fmt.Errorf("read the result of %s: %w", contender.name, err)
		}
		if len(levels) != len(original) {
			return fmt.Errorf("%s made %d levels of %d", contender.name, len(levels), len(original))
		}
		converted = append(converted, levels)
	}
	fmt.Printf("%s, %d Gaussians\n", path, original[0].Len())
	for i, level := range original {
		own, err := s.shoot(ctx, level)
		if err != nil {
			return err
		}
		fmt.Printf("  level %d, %d Gaussians:", i, level.Len())
		for k, contender := range w.contenders {
			if err := s.printOwnLevel(ctx, contender.name, own, converted[k][i]); err != nil {
				return err
			}
		}
		fmt.Println()
	}
	return nil
}

// printOwnLevel prints the figures of a converted level. Own has the pictures of the level
// before.
func (s *studio) printOwnLevel(ctx context.Context, name string, own []*image.RGBA, converted *gaussian.Cloud) error {
	pictures, err := s.shoot(ctx, converted)
	if err != nil {
		return err
	}
	fmt.Printf(" %s %.2f dB of the level, %.2f dB of the finest;", name,
		meanSignalToNoise(own, pictures), meanSignalToNoise(s.original, pictures))
	return nil
}

func readLCCLevels(ctx context.Context, manifest string) ([]*gaussian.Cloud, error) {
	return openLCC(ctx, manifest, func(ctx context.Context, capture gaussian.Source) ([]*gaussian.Cloud, error) {
		levels, err := readAllLevels(ctx, capture)
		return levels, errors.Join(err, capture.Close())
	})
}

func readAllLevels(ctx context.Context, source gaussian.Source) (levels []*gaussian.Cloud, err error) {
	for level, n := range source.Levels() {
		indices := make([]uint32, n)
		for i := range indices {
			indices[i] = uint32(i)
		}
		cloud := &gaussian.Cloud{}
		if err := source.Read(ctx, level, indices, cloud); err != nil {
			return nil, err
		}
		levels = append(levels, cloud)
	}
	return levels, nil
}
