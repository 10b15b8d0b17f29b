package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"portico/internal/testkit/program"
)

// measurement is a part of the run with tables of its own.
type measurement struct {
	names   []string // as -only knows them
	measure func(ctx context.Context, all *results) error
	write   func(b *strings.Builder, all results)
}

// measurements returns the parts of a run in their order. Files are first: their server has a worker,
// which would record the changes that the contenders leave, and use a core for that.
func measurements(w *world, o options) []measurement {
	porticoOnly := func(name string, measure func(ctx context.Context, portico string, all *results) error, write func(*strings.Builder, results)) measurement {
		return measurement{[]string{name}, func(ctx context.Context, all *results) error {
			portico, err := program.Build(ctx, program.BuildOptions{Module: o.source})
			if err != nil {
				return err
			}
			return measure(ctx, portico, all)
		}, write}
	}
	return []measurement{
		porticoOnly(nameFiles, func(ctx context.Context, portico string, all *results) (err error) {
			all.Files, err = measureFiles(ctx, w, portico, o.capture())
			return err
		}, writeFiles),
		{contenderNames(), func(ctx context.Context, all *results) error { return measureContenders(ctx, w, o, all) }, writeContenders},
		porticoOnly(nameFanout, func(ctx context.Context, portico string, all *results) (err error) {
			all.Fanouts, err = measureFanouts(ctx, w, portico)
			return err
		}, writeFanouts),
		porticoOnly(nameSockets, func(ctx context.Context, portico string, all *results) (err error) {
			all.Sockets, err = measureSockets(ctx, w, portico)
			return err
		}, writeSockets),
		porticoOnly(nameGrowth, func(ctx context.Context, portico string, all *results) (err error) {
			all.Growth, err = measureGrowth(ctx, w, portico)
			return err
		}, writeGrowth),
	}
}

// measuredNames returns the names that -only knows.
func measuredNames() (names []string) {
	for _, m := range measurements(nil, options{}) {
		names = append(names, m.names...)
	}
	return names
}

// measureAll carries out the wanted parts, and prints the tables of each as soon as it has them. An
// error of one part does not end the others.
func measureAll(ctx context.Context, w *world, o options, out io.Writer) (all results, err error) {
	for _, m := range measurements(w, o) {
		if !slices.ContainsFunc(m.names, o.wants) {
			continue
		}
		failed := m.measure(ctx, &all)
		var tables strings.Builder
		m.write(&tables, all)
		_, writeErr := io.WriteString(out, tables.String())
		failed = errors.Join(failed, writeErr)
		err = errors.Join(err, failed)
		if ctx.Err() != nil {
			return all, err
		}
		if failed != nil {
			fmt.Fprintf(os.Stderr, "load: %s: %v\n", m.names[0], failed)
		}
	}
	return all, err
}
