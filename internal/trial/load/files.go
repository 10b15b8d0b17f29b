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

// How files are measured. The disk of a shared machine is even less steady than its processors.
const (
	fileRounds = 120
	// One more round warms up at each start.
	roundsOfFileStart = 20
	fileBytes         = 256 << 20
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
	rates           [2][]float64 // of both sides, by round, in bytes per second
}

// fileWorld is what the operations on files share.
type fileWorld struct {
	*server
	folder       string            // of the files of the other side
	plain, zip   string            // the files that are uploaded
	capture      splattest.Capture // in the zip
	served       string            // the address of the uploaded plain file
	ranges       *child            // serves the folder by net/http
	zipExtractor []string
}

// measureFiles measures uploads, ranges and zips, each alternately with the program that does the
// same. Both servers are started several times, as the contenders are.
func measureFiles(ctx context.Context, w *world, portico string, capture splattest.Capture) (all []filesResult, err error) {
	f, err := newFileWorld(w, capture)
	if err != nil {
		return nil, err
	}
	operations := []*fileOperation{
		{name: "PUT of 256 MiB", reference: "cp and sync", min: 0.83, portico: f.upload, other: f.copyFile},
		{name: "ranges of 256 KiB, 8 connections", reference: "net/http", min: 0.94, portico: f.readRanges, other: f.readRangesOfNetHTTP},
		{
			name:      fmt.Sprintf("a zip of %d files and %d MiB", capture.Tiles, f.zipBytes()>>20),
			reference: f.zipExtractor[0] + " and sync", min: 1, portico: f.submitZip, other: f.extract,
		},
	}
	for range fileRounds / roundsOfFileStart {
		if err := f.measureStart(ctx, portico, operations); err != nil {
			return nil, err
		}
	}
	for _, op := range operations {
		all = append(all, op.result())
	}
	return all, nil
}

// measureStart starts both servers, carries out the rounds of one start, and stops the servers.
func (f *fileWorld) measureStart(ctx context.Context, portico string, operations []*fileOperation) error {
	defer f.stop()
	if err := f.start(ctx, portico); err != nil {
		return err
	}
	for _, op := range operations {
		fmt.Fprintf(os.Stderr, "load: %s, round %d of %d\n", op.name, len(op.rates[0]), fileRounds)
		if err := op.measure(ctx); err != nil {
			return fmt.Errorf("%s: %w", op.name, err)
		}
	}
	return nil
}

// measure carries out the rounds of one start, in which the two sides go first alternately.
func (op *fileOperation) measure(ctx context.Context) error {
	sides := []func(context.Context) (time.Duration, int64, error){op.portico, op.other}
	for round := range roundsOfFileStart + 1 {
		for i := range sides {
			side := (i + round) % len(sides)
			took, bytes, err := sides[side](ctx)
			if err != nil {
				return err
			}
			if round > 0 {
				op.rates[side] = append(op.rates[side], float64(bytes)/took.Seconds())
			}
		}
	}
	return nil
}

// result compares both sides in all rounds.
func (op *fileOperation) result() filesResult {
	ratio, low, high := compareRates(op.rates[0], op.rates[1])
	return filesResult{
		Operation: op.name, Reference: op.reference,
		Portico: median(op.rates[0], mean), Other: median(op.rates[1], mean),
		Ratio: ratio, Low: low, High: high, Min: op.min,
	}
}

// newFileWorld makes the files. Call start before anything is measured.
func newFileWorld(w *world, capture splattest.Capture) (*fileWorld, error) {
	folder, err := os.MkdirTemp(w.cluster.Folder, "files-")
	if err != nil {
		return nil, err
	}
	f := &fileWorld{
		server: &server{world: w, title: nameFiles}, folder: folder, capture: capture,
		plain: filepath.Join(folder, "plain.bin"), zip: filepath.Join(folder, "capture.zip"),
	}
	random := rand.NewChaCha8([32]byte{1})
	err = errors.Join(
		writeFile(f.plain, func(file io.Writer) error { _, err := io.CopyN(file, random, fileBytes); return err }),
		writeFile(f.zip, func(file io.Writer) error { _, err := capture.WriteTo(file); return err }),
	)
	if err != nil {
		return nil, err
	}
	f.zipExtractor, err = findExtractor()
	return f, err
}

// start starts Portico with a worker, and a server of net/http, and uploads the plain file. Call stop
// afterwards, after an error too.
func (f *fileWorld) start(ctx context.Context, portico string, env ...string) (err error) {
	if f.child, err = startPortico(ctx, f.world, portico, append(env, "PORTICO_WORKERS=1")...); err != nil {
		return err
	}
	if f.ranges, err = startSelf(ctx, f.world, nameFiles, envFolder+"="+f.folder); err != nil {
		return err
	}
	f.served, err = f.confirm(ctx, f.plain)
	return err
}

// stop stops the servers that were started.
func (f *fileWorld) stop() {
	for _, c := range []**child{&f.ranges, &f.child} {
		if *c != nil {
			(*c).stop()
			*c = nil
		}
	}
}

// zipBytes returns the size of the extracted tiles, in bytes.
func (f *fileWorld) zipBytes() int64 { return int64(f.capture.Tiles) * f.capture.TileBytes }

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
	response, err := f.exchange(ctx, method, path, body)
	if err != nil || data == nil {
		return err
	}
	return json.Unmarshal(response, data)
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
