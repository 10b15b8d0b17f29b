package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"maps"
	"path"
	"runtime/debug"
	"strings"
	"testing"

	"portico/splat"
	"portico/splat/archive"
	"portico/splat/folder"
)

// read runs in this process what the program runs on a capture.
func read(ctx context.Context, c capture, files folder.Memory) (facts splat.Facts, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	primary := c.primary
	if path.Ext(primary) == ".zip" {
		if files, primary, err = extract(ctx, files[primary]); err != nil {
			return facts, err
		}
	}
	opened, err := splat.Open(ctx, files, primary)
	if err != nil {
		return facts, err
	}
	defer opened.Close()
	if err := opened.Measure(ctx); err != nil {
		return opened.Facts, err
	}
	if c.gaussians {
		if _, _, err = opened.WriteStreamedSOG(ctx, folder.Memory{}, splat.ConvertOptions{Workers: 1}); err != nil {
			return opened.Facts, err
		}
	}
	if _, err = opened.Picture(ctx, image.Pt(64, 40)); err == nil {
		return opened.Facts, nil
	}
	if fault, ok := errors.AsType[*splat.InputError](err); ok && !c.gaussians && strings.Contains(fault.Message, "holds neither") {
		err = nil // a mesh
	}
	return opened.Facts, err
}

// extract extracts a zip like an upload.
func extract(ctx context.Context, content []byte) (folder.Memory, string, error) {
	zip, err := archive.Open(bytes.NewReader(content), int64(len(content)), archive.DefaultLimits())
	if err != nil {
		return nil, "", err
	}
	plan, err := zip.Plan(ctx)
	if err != nil {
		return nil, "", err
	}
	files := folder.Memory{}
	if plan.Kind == archive.KindWhole {
		return files, "", &splat.InputError{Message: "no capture"}
	}
	return files, plan.Primary, zip.Extract(ctx, plan, files, nil)
}

// TestCaptures is a small version of the command in one process.
func TestCaptures(t *testing.T) {
	t.Parallel()
	all, err := captures(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("are valid", func(t *testing.T) {
		t.Parallel()
		testValid(t, all)
	})
	t.Run("are read or refused after mutations", func(t *testing.T) {
		t.Parallel()
		testMutated(t, all)
	})
	t.Run("have the same mutations with the same seed", func(t *testing.T) {
		t.Parallel()
		testSeed(t, all)
	})
}

func testValid(t *testing.T, all []capture) {
	seen := map[string]bool{}
	for _, c := range all {
		facts, err := read(t.Context(), c, c.files)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.gaussians != (facts.Splats > 0) {
			t.Errorf("%s: got %d splats", c.name, facts.Splats)
		}
		if seen[c.name] {
			t.Errorf("two captures are called %s", c.name)
		}
		seen[c.name] = true
	}
}

func testMutated(t *testing.T, all []capture) {
	runs, faults := 3*len(all), 0
	for number := range runs {
		c, m := all[number%len(all)], newMutator(2, uint64(number))
		_, err := read(t.Context(), c, m.mutate(c))
		if _, ok := errors.AsType[*splat.InputError](err); ok {
			faults++
		} else if err != nil {
			t.Errorf("run %d, %s %q: got %v, want an *InputError or none", number, c.name, m.changes, err)
		}
	}
	if faults < runs/4 || faults == runs {
		t.Errorf("got a fault in %d of %d, want some with and some without", faults, runs)
	}
}

func testSeed(t *testing.T, all []capture) {
	changed := 0
	for i, c := range all {
		before := map[string]string{}
		for name, content := range c.files {
			before[name] = string(content)
		}
		first, second := newMutator(1, uint64(i)).mutate(c), newMutator(1, uint64(i)).mutate(c)
		if !maps.EqualFunc(first, second, bytes.Equal) {
			t.Errorf("%s: got two captures from one seed", c.name)
		}
		for name, content := range c.files {
			if before[name] != string(content) {
				t.Errorf("%s: %s was changed itself", c.name, name)
			}
		}
		if !maps.EqualFunc(first, c.files, bytes.Equal) {
			changed++
		}
	}
	if changed < len(all)*3/4 {
		t.Errorf("got %d of %d captures changed, want most", changed, len(all))
	}
}
