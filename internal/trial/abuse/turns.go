package main

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"portico/splat/splattest"
)

const (
	// zipTileBytes is the size of each of the four tiles of a large zip.
	zipTileBytes = 2_000_000
	// maxWait is how long a zip of 22 bytes may wait behind another user's zips.
	maxWait = 10 * time.Second
	// maxBefore is how many of these zips may end while it waits: those that run, and
	// some that end while the attack asks how many there are.
	maxBefore = 8
)

// attackTheQueue has one user confirm many large zips, and another one a zip of 22 bytes
// after them. The jobs of the two take turns.
func attackTheQueue(ctx context.Context, s *site) error {
	c, err := s.attacker(ctx, attackerQuota)
	if err != nil {
		return err
	}
	other, err := s.attacker(ctx, attackerQuota)
	if err != nil {
		return err
	}
	// The smallest zip there is: the end of a directory without an entry.
	small, err := other.uploadZip(ctx, append([]byte("PK\x05\x06"), make([]byte, 18)...))
	if err != nil {
		return err
	}
	var capture bytes.Buffer
	if _, err := (splattest.Capture{Tiles: 4, TileBytes: zipTileBytes}).WriteTo(&capture); err != nil {
		return err
	}
	var uploads []string
	for range s.scale.zips {
		address, err := c.uploadZip(ctx, capture.Bytes())
		if err != nil {
			return err
		}
		uploads = append(uploads, address)
	}
	start := time.Now()
	if _, err := runInParallel(uploaders, uploads, func(address string) error {
		_, _, err := c.confirm(ctx, address)
		return err
	}); err != nil {
		return err
	}
	before, waited, err := c.measureWait(ctx, other, small)
	if err != nil {
		return err
	}
	s.report.add("zips of one user", float64(s.scale.zips), "", 0)
	s.report.add("zips that ended before another user's", before, "", maxBefore)
	s.report.add("wait of the other user's 22 bytes", waited.Seconds(), "s", maxWait.Seconds())
	err = awaitCondition(ctx, 5*time.Minute, "all zips were processed", func() (bool, error) {
		ended, err := c.endedJobs(ctx)
		return ended == s.scale.zips, err
	})
	s.report.add("all zips of the one user", time.Since(start).Seconds(), "s", 0)
	return err
}

// uploadZip sends the bytes of a zip and returns the address to confirm.
func (c *client) uploadZip(ctx context.Context, content []byte) (address string, err error) {
	if address, err = c.promise(ctx, "scan.zip", len(content)); err != nil {
		return "", err
	}
	return address, c.put(ctx, address, content)
}

// measureWait confirms the upload of another user. It returns how many jobs of the client ended
// until the job of that upload ended, and how long this took. The figure of jobs may be too high,
// because jobs end while the counts are read.
func (c *client) measureWait(ctx context.Context, other *client, upload string) (jobs float64, took time.Duration, err error) {
	first, err := c.endedJobs(ctx)
	if err != nil {
		return 0, 0, err
	}
	start := time.Now()
	if _, _, err = other.confirm(ctx, upload); err != nil {
		return 0, 0, err
	}
	err = awaitCondition(ctx, time.Minute, "the small zip was processed", func() (bool, error) {
		ended, err := other.endedJobs(ctx)
		return ended == 1, err
	})
	took = time.Since(start)
	if err != nil {
		return 0, took, err
	}
	last, err := c.endedJobs(ctx)
	return float64(last - first), took, err
}

// endedJobs returns how many jobs of the account have ended, well or not.
func (c *client) endedJobs(ctx context.Context) (ended int, err error) {
	var list struct {
		Jobs []struct {
			Status string `json:"job_status"`
		}
	}
	if err := c.call(ctx, http.MethodGet, "/v1/jobs", nil, &list); err != nil {
		return 0, err
	}
	for _, job := range list.Jobs {
		if job.Status == "completed" || job.Status == "failed" {
			ended++
		}
	}
	return ended, nil
}
