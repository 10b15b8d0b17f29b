package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"portico/splat/splattest"
)

// nameFiles selects uploads, downloads and zips, which have their own table.
const nameFiles = "files"

// The files that are measured.
const (
	// The disk of a shared machine is even less steady than its processors. One more round warms up.
	fileRounds = 31
	fileBytes  = 256 << 20
	zipTiles   = 1000
	tileBytes  = 256 << 10
)

// filesResult compares an operation on files with the program that does the same.
type filesResult struct {
	Operation string  `json:"operation"`
	Reference string  `json:"reference"`
	Portico   float64 `json:"portico_bytes_per_second"`
	Other     float64 `json:"reference_bytes_per_second"`
	Ratio     float64 `json:"ratio"` // the geometric mean of the rounds
	Low       float64 `json:"low"`   // of the interval with the true mean, by 95 %
	High      float64 `json:"high"`
	Min       float64 `json:"min_ratio"`
}

// fileOperation is one operation on files. Both sides return how long one round took, and how many
// bytes it moved.
type fileOperation struct {
	name, reference string
	min             float64
	portico, other  func(ctx context.Context) (time.Duration, int64, error)
}

// fileWorld is what the operations on files share.
type fileWorld struct {
	*server
	folder       string // of the files of the other side
	plain, zip   string // the files that are uploaded
	served       string // the address of the uploaded plain file
	ranges       *child // serves the folder by net/http
	zipExtractor []string
}

// measureFiles measures uploads, ranges and zips, each alternately with the program that does the
// same.
func measureFiles(ctx context.Context, w *world, portico string) (all []filesResult, err error) {
	f, stop, err := openFiles(ctx, w, portico)
	defer stop()
	if err != nil {
		return nil, err
	}
	for _, op := range []fileOperation{
		{"PUT of 256 MiB", "cp and sync", 0.83, f.upload, f.copyFile},
		{"ranges of 256 KiB, 8 connections", "net/http", 0.94, f.readRanges, f.readRangesOfNetHTTP},
		{"a zip of 1,000 files and 250 MiB", f.zipExtractor[0] + " and sync", 1, f.submitZip, f.extract},
	} {
		fmt.Fprintf(os.Stderr, "load: %s\n", op.name)
		result, failed := op.measure(ctx)
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", op.name, failed))
			continue
		}
		all = append(all, result)
	}
	return all, err
}

// measure carries out the rounds, in which the two sides go first alternately.
func (op fileOperation) measure(ctx context.Context) (filesResult, error) {
	sides := []func(context.Context) (time.Duration, int64, error){op.portico, op.other}
	var rates [2][]float64
	for round := range fileRounds + 1 {
		for i := range sides {
			side := (i + round) % len(sides)
			took, bytes, err := sides[side](ctx)
			if err != nil {
				return filesResult{}, err
			}
			if round > 0 {
				rates[side] = append(rates[side], float64(bytes)/took.Seconds())
			}
		}
	}
	ratio, low, high := compareRates(rates[0], rates[1])
	return filesResult{
		Operation: op.name, Reference: op.reference,
		Portico: median(rates[0], mean), Other: median(rates[1], mean),
		Ratio: ratio, Low: low, High: high, Min: op.min,
	}, nil
}

// openFiles starts Portico with a worker, and a server of net/http, and makes the files.
func openFiles(ctx context.Context, w *world, portico string, env ...string) (f *fileWorld, stop func(), err error) {
	f = &fileWorld{}
	stop = func() {
		for _, c := range []*child{f.ranges, f.child} {
			if c != nil {
				c.stop()
			}
		}
	}
	if f.folder, err = os.MkdirTemp(w.cluster.Folder, "files-"); err != nil {
		return f, stop, err
	}
	f.plain, f.zip = filepath.Join(f.folder, "plain.bin"), filepath.Join(f.folder, "capture.zip")
	random := rand.NewChaCha8([32]byte{1})
	err = errors.Join(
		writeFile(f.plain, func(file io.Writer) error { _, err := io.CopyN(file, random, fileBytes); return err }),
		writeFile(f.zip, func(file io.Writer) error {
			_, err := splattest.Capture{Tiles: zipTiles, TileBytes: tileBytes}.WriteTo(file)
			return err
		}),
	)
	if err != nil {
		return f, stop, err
	}
	if f.zipExtractor, err = findExtractor(); err != nil {
		return f, stop, err
	}
	f.server = &server{world: w, title: nameFiles}
	if f.child, err = startPortico(ctx, w, portico, append(env, "PORTICO_WORKERS=1")...); err != nil {
		return f, stop, err
	}
	if f.ranges, err = startSelf(ctx, w, nameFiles, envFolder+"="+f.folder); err != nil {
		return f, stop, err
	}
	f.served, err = f.confirm(ctx, f.plain)
	return f, stop, err
}

// findExtractor returns the command that extracts a zip, without the zip and the folder.
func findExtractor() ([]string, error) {
	for _, command := range [][]string{{"bsdtar", "-xf", "ZIP", "-C", "FOLDER"}, {"unzip", "-q", "ZIP", "-d", "FOLDER"}} {
		if _, err := exec.LookPath(command[0]); err == nil {
			return command, nil
		}
	}
	return nil, errors.New("neither bsdtar nor unzip is installed")
}

func writeFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Sync(), file.Close())
}

// call sends a request of the REST API and decodes the data of the response.
func (f *fileWorld) call(ctx context.Context, method, path, body string, data any) error {
	answer, err := f.exchange(ctx, method, path, body)
	if err != nil || data == nil {
		return err
	}
	return json.Unmarshal(answer, data)
}

// run runs a command in the folder of the files and returns its output with the error.
func (f *fileWorld) run(ctx context.Context, command ...string) error {
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Dir = f.folder
	if output, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, output)
	}
	return nil
}

// serveFiles serves a folder by net/http.
func serveFiles() error { return serve(http.FileServer(http.Dir(os.Getenv(envFolder)))) }

func writeFiles(b *strings.Builder, all results) {
	if len(all.Files) == 0 {
		return
	}
	fmt.Fprintf(b, "\nFiles, %d rounds in turns: medians, and ratios with intervals of 95 %% confidence\n\n", fileRounds)
	b.WriteString("| operation | Portico, MB/s | reference | MB/s | ratio | at least |\n| --- | ---: | --- | ---: | ---: | ---: |\n")
	for _, r := range all.Files {
		ratio := fmt.Sprintf("%.2f", r.Ratio)
		if r.Ratio < r.Min {
			ratio = "**" + ratio + "**"
		}
		ratio += fmt.Sprintf(" (%.2f to %.2f)", r.Low, r.High)
		fmt.Fprintf(b, "| %s | %.0f | %s | %.0f | %s | %.2f |\n", r.Operation, r.Portico/1e6, r.Reference, r.Other/1e6, ratio, r.Min)
	}
}
