package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// How ranges are read: for how long in a round, over how many connections, and how many bytes each.
const (
	rangeTime        = time.Second
	rangeConnections = 8
	rangeLength      = 256 << 10
)

// warmMemory leaves more memory behind than a side needs for the files that it writes, by writing
// a file and deleting it before the disk has it. The rest is for what other processes need. Call it right before a side is measured. A virtual
// machine gets memory from its host at the first use, which takes several times as long as the
// write: without this, a side takes longer if less was deleted before it.
func (f *fileWorld) warmMemory() error {
	name := filepath.Join(f.folder, "warm.bin")
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = io.CopyN(file, zeros{}, max(fileBytes, f.zipBytes())*3/2)
	return errors.Join(err, file.Close(), os.Remove(name))
}

// zeros is an endless reader of zero bytes.
type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// put announces a file and sends it, and returns its address and how long the PUT took.
func (f *fileWorld) put(ctx context.Context, name string) (address string, took time.Duration, err error) {
	file, err := os.Open(name)
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return "", 0, err
	}
	var promised struct {
		Data struct {
			Params struct {
				URL     string
				Headers map[string]string
			}
		}
	}
	body := fmt.Sprintf(`{"file_name": %q, "file_size": %d, "content_type": "application/octet-stream"}`, filepath.Base(name), info.Size())
	if err := f.call(ctx, http.MethodPost, "/v1/files/upload", body, &promised); err != nil {
		return "", 0, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, promised.Data.Params.URL, io.NopCloser(file))
	if err != nil {
		return "", 0, err
	}
	request.ContentLength = info.Size()
	for name, value := range promised.Data.Params.Headers {
		request.Header.Set(name, value)
	}
	if err := f.warmMemory(); err != nil {
		return "", 0, err
	}
	began := time.Now()
	if _, err := responseTo(request); err != nil {
		return "", 0, err
	}
	return promised.Data.Params.URL, time.Since(began), nil
}

// complete ends an upload with a status, and returns the response's data.
func (f *fileWorld) complete(ctx context.Context, address, status string) (id string, err error) {
	var completed struct {
		Data struct {
			JobID string `json:"job_id"`
		}
	}
	err = f.call(ctx, http.MethodPost, "/v1/files/upload-complete",
		fmt.Sprintf(`{"status": %q, "extra_info": {"file_url": %q}}`, status, address), &completed)
	return completed.Data.JobID, err
}

// confirm uploads a file and returns its address.
func (f *fileWorld) confirm(ctx context.Context, name string) (address string, err error) {
	signed, _, err := f.put(ctx, name)
	if err != nil {
		return "", err
	}
	_, err = f.complete(ctx, signed, "success")
	address, _, _ = strings.Cut(signed, "?")
	return address, err
}

// upload uploads the plain file and discards it.
func (f *fileWorld) upload(ctx context.Context) (time.Duration, int64, error) {
	address, took, err := f.put(ctx, f.plain)
	if err != nil {
		return 0, 0, err
	}
	_, err = f.complete(ctx, address, "canceled")
	return took, fileBytes, err
}

// copyFile copies the plain file to the disk.
func (f *fileWorld) copyFile(ctx context.Context) (time.Duration, int64, error) {
	if err := f.warmMemory(); err != nil {
		return 0, 0, err
	}
	began := time.Now()
	err := errors.Join(f.run(ctx, "cp", f.plain, "copy.bin"), f.run(ctx, "sync", "copy.bin"))
	took := time.Since(began)
	return took, fileBytes, errors.Join(err, os.Remove(filepath.Join(f.folder, "copy.bin")))
}

// readRanges reads ranges of the plain file from Portico.
func (f *fileWorld) readRanges(ctx context.Context) (time.Duration, int64, error) {
	return f.readRangesAt(ctx, f.served)
}

// readRangesOfNetHTTP reads the same from the server of net/http.
func (f *fileWorld) readRangesOfNetHTTP(ctx context.Context) (time.Duration, int64, error) {
	return f.readRangesAt(ctx, "http://"+f.ranges.address+"/"+filepath.Base(f.plain))
}

// readRangesAt reads ranges at an address. A redirect is an error: it would count as two requests.
func (f *fileWorld) readRangesAt(ctx context.Context, address string) (took time.Duration, size int64, err error) {
	transport := &http.Transport{MaxIdleConnsPerHost: rangeConnections}
	defer transport.CloseIdleConnections()
	client := &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	file, err := os.Open(f.plain)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	ranges := rangeReader{client, address, file}
	var read atomic.Int64
	var clients sync.WaitGroup
	errs := make([]error, rangeConnections)
	began := time.Now()
	for i := range rangeConnections {
		clients.Go(func() {
			want := make([]byte, rangeLength)
			for errs[i] == nil && time.Since(began) < rangeTime {
				start := rand.Int64N(fileBytes - rangeLength) //nolint:gosec // no secret
				errs[i] = ranges.read(ctx, start, want)
				read.Add(rangeLength)
			}
		})
	}
	clients.Wait()
	return time.Since(began), read.Load(), errors.Join(errs...)
}

// rangeReader reads ranges at an address, and compares them with the file.
type rangeReader struct {
	client  *http.Client
	address string
	file    io.ReaderAt
}

// read reads the range at start with the length of want, which is its buffer for the file.
func (r rangeReader) read(ctx context.Context, start int64, want []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.address, http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", start, start+int64(len(want))-1))
	got, err := responseFrom(r.client, request)
	if err != nil {
		return err
	}
	if _, err := r.file.ReadAt(want, start); err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("range from %d: got %d bytes that are not the file's", start, len(got))
	}
	return nil
}

// submitZip uploads the zip, and measures from the confirmation to the end of its job.
func (f *fileWorld) submitZip(ctx context.Context) (took time.Duration, size int64, err error) {
	address, _, err := f.put(ctx, f.zip)
	if err != nil {
		return 0, 0, err
	}
	if err := f.warmMemory(); err != nil {
		return 0, 0, err
	}
	began := time.Now()
	id, err := f.complete(ctx, address, "success")
	if err != nil {
		return 0, 0, err
	}
	var job struct {
		Data struct {
			Status string `json:"job_status"`
			Error  string
			Result struct {
				Key string `json:"resource_key"`
			}
		}
	}
	for job.Data.Status != "completed" {
		if err := f.call(ctx, http.MethodGet, "/v1/jobs/"+id, "", &job); err != nil {
			return 0, 0, err
		}
		if job.Data.Status == "failed" {
			return 0, 0, errors.New(job.Data.Error)
		}
		time.Sleep(5 * time.Millisecond) // of the measuring side only
	}
	took = time.Since(began)
	return took, f.zipBytes(), f.call(ctx, http.MethodDelete, "/v1/files?resource_key="+url.QueryEscape(job.Data.Result.Key), "", nil)
}

// extract extracts the zip to the disk.
func (f *fileWorld) extract(ctx context.Context) (took time.Duration, size int64, err error) {
	folder, err := os.MkdirTemp(f.folder, "extracted-")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	command := slices.Clone(f.zipExtractor)
	for i, argument := range command {
		switch argument {
		case "ZIP":
			command[i] = f.zip
		case "FOLDER":
			command[i] = folder
		}
	}
	if err := f.warmMemory(); err != nil {
		return 0, 0, err
	}
	began := time.Now()
	err = errors.Join(f.run(ctx, command...), f.run(ctx, "sync", "-f", folder))
	return time.Since(began), f.zipBytes(), err
}
