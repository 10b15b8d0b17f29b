package main

import (
	"bytes"
	"context"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"time"
)

const (
	// smallQuota is the storage of the account, and uploadSize the size of each upload,
	// in bytes: three fit.
	smallQuota = 10_000_000
	uploadSize = 3_000_000
	// parallelUploads is how many uploads run at a time.
	parallelUploads = 4
	// freeTimeout is how long removed bytes may keep counting.
	freeTimeout = time.Minute
	// settledStatus is the response to bytes for an upload that is not pending.
	settledStatus = http.StatusConflict
)

// attackTheQuota sends the bytes of uploads again after they were discarded, or after their
// file was deleted. The store never has more bytes than the account's storage.
func attackTheQuota(ctx context.Context, s *site) error {
	c, err := s.attacker(ctx, smallQuota)
	if err != nil {
		return err
	}
	watched, stop := context.WithCancel(ctx)
	defer stop()
	largest := make(chan int64, 1)
	go func() { largest <- s.server.watchStore(watched) }()
	var stored, full, again atomic.Int64
	_, err = runInParallel(parallelUploads, numbers(s.scale.uploads), func(i int) error {
		address, err := c.promise(ctx, "again.ply", uploadSize)
		if refusedWith(err, http.StatusInsufficientStorage) {
			full.Add(1)
			return nil
		}
		if err != nil {
			return err
		}
		content := bytes.Repeat([]byte{byte(i)}, uploadSize)
		if err := c.put(ctx, address, content); err != nil {
			return err
		}
		stored.Add(1)
		if err := c.giveUp(ctx, address, i%2 == 0); err != nil {
			return err
		}
		status, err := c.putAgain(ctx, address, content)
		if err == nil && status != settledStatus {
			again.Add(1)
		}
		return err
	})
	stop()
	s.report.add("uploads stored, then given up", float64(stored.Load()), "", 0)
	s.report.add("uploads refused because the storage was full", float64(full.Load()), "", 0)
	s.report.add("bytes taken again", float64(again.Load()), "", none)
	s.report.add("storage of the account", smallQuota/1e6, "MB", 0)
	s.report.add("bytes in the store at any time", float64(<-largest)/1e6, "MB", smallQuota/1e6)
	if err == nil {
		err = awaitCondition(ctx, freeTimeout, "the storage of what was given up is free again", func() (bool, error) {
			_, err := c.promise(ctx, "free.ply", uploadSize)
			if refusedWith(err, http.StatusInsufficientStorage) {
				return false, nil
			}
			return err == nil, err
		})
	}
	return err
}

// giveUp discards the upload, or confirms it and deletes its file.
func (c *client) giveUp(ctx context.Context, address string, discard bool) error {
	if discard {
		return c.call(ctx, http.MethodPost, "/v1/files/upload-complete", map[string]any{
			"status": "failed", "extra_info": map[string]string{"file_url": address},
		}, &struct{}{})
	}
	_, key, err := c.confirm(ctx, address)
	if err != nil {
		return err
	}
	return c.call(ctx, http.MethodDelete, "/v1/files?resource_key="+url.QueryEscape(key), nil, &struct{}{})
}

// putAgain sends bytes and returns the status of the response. A server that refuses without
// reading may close the connection before all is sent, which counts as the refusal.
func (c *client) putAgain(ctx context.Context, address string, content []byte) (int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, address, bytes.NewReader(content))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", mediaType)
	status, _, err := c.do(r)
	if err != nil && ctx.Err() == nil {
		return settledStatus, nil
	}
	return status, err
}

// watchStore returns the largest total size of the objects in the server's store, in bytes, until
// ctx ends.
func (s *server) watchStore(ctx context.Context) (largest int64) {
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for ctx.Err() == nil {
		var total int64
		// Objects may be deleted while they are counted. They count as nothing.
		_ = filepath.WalkDir(filepath.Join(s.data, "files", "objects"), func(_ string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return nil //nolint:nilerr // see above
			}
			if info, err := entry.Info(); err == nil {
				total += info.Size()
			}
			return nil
		})
		largest = max(largest, total)
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
	return largest
}
