package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/http"
	"time"

	"portico/splat/splattest"
)

// detectionLimit is how long a hostile file may take until its owner knows.
const detectionLimit = time.Minute

// uploaders is how many files are sent at a time.
const uploaders = 4

// hostileFile is a file that wants more of the server than it is worth.
type hostileFile struct {
	what, name string
	bytes      []byte
}

// attackWithUploads uploads hostile archives, whose jobs must fail, and hostile
// captures and images, which must be found out.
func attackWithUploads(ctx context.Context, s *site) error {
	c, err := s.attacker(ctx, attackerQuota)
	if err != nil {
		return err
	}
	files := hostileFiles(s.scale)
	slowest, err := runInParallel(uploaders, files, func(f hostileFile) error {
		if err := c.uploadHostile(ctx, f); err != nil {
			return fmt.Errorf("%s: %w", f.what, err)
		}
		return nil
	})
	s.report.add("hostile files", float64(len(files)), "", 0)
	s.report.add("slowest to be found out", slowest.Seconds(), "s", detectionLimit.Seconds())
	return err
}

// hostileFiles returns a zip for each rule of archives, and bombs of other kinds. The small scale
// has only some of them.
func hostileFiles(size scale) []hostileFile {
	var files []hostileFile
	for i, h := range splattest.HostileZips() {
		// An upload without a byte is refused before there is one.
		// The small form keeps to seconds: every eighth archive, which still meets each
		// group of rules.
		if len(h.Zip) > 0 && (size.waitForTimeouts || i%8 == 0) {
			files = append(files, hostileFile{h.Name, "hostile.zip", h.Zip})
		}
	}
	files = append(files,
		hostileFile{"a zip that quotes itself", "quoted.zip", splattest.QuotedBomb(90, 4<<20)},
		// A few kilobytes of gzip that unpack to gigabytes.
		hostileFile{"an SPZ of zeros", "zeros.spz", zeros()},
		hostileFile{"an SPZ that claims four billion splats", "claims.spz", gzipOf(spzHeader(1<<32 - 1))},
		// 17 GB of pixels, if the header were believed.
		hostileFile{"a PNG of 65,000 by 65,000 pixels", "large.png", png(65_000, 65_000)},
	)
	if size.waitForTimeouts {
		files = append(files,
			hostileFile{"a PLY that claims a trillion splats", "claims.ply", []byte("ply\nformat binary_little_endian 1.0\nelement vertex 1000000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n")},
			hostileFile{"a PNG of two billion by one pixels", "wide.png", png(1<<31-1, 1)},
			hostileFile{"a glb that claims 4 GiB", "claims.glb", []byte("glTF\x02\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xffJSON")},
			hostileFile{"glTF nested deep", "deep.gltf", append(append([]byte(`{"asset":`), bytes.Repeat([]byte("["), jsonDepth)...), '}')},
		)
	}
	return files
}

// spzHeader returns the 16 bytes at the start of a file of version 2.
func spzHeader(points uint32) []byte {
	header := binary.LittleEndian.AppendUint32([]byte("NGSP\x02\x00\x00\x00"), points)
	return append(header, 3, 12, 0, 0) // degree, fractional bits, flags
}

// png returns a file whose header claims so many pixels, and which has none. The chunk IHDR has, in
// big endian, the width and the height as u32, then the bit depth 8, the colour type 6 (RGBA), and
// three zeros (PNG specification, 11.2.2).
func png(width, height uint32) []byte {
	header := binary.BigEndian.AppendUint32([]byte("IHDR"), width)
	header = append(binary.BigEndian.AppendUint32(header, height), 8, 6, 0, 0, 0)
	file := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), header...)
	return binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(header))
}

// uploadHostile sends a file and confirms it. The server must detect the fault: the job of the file
// fails, or its facts say that it is damaged.
func (c *client) uploadHostile(ctx context.Context, f hostileFile) error {
	address, err := c.promise(ctx, f.name, len(f.bytes))
	if err != nil {
		return err
	}
	if err := c.put(ctx, address, f.bytes); err != nil {
		return err
	}
	job, key, err := c.confirm(ctx, address)
	if err != nil {
		return err
	}
	// A job reads an archive. A single file is confirmed immediately and read afterwards.
	// Archives are looked into by a job. A single file is confirmed at once and looked into
	// afterwards.
	if job != "" {
		return c.awaitJob(ctx, job, "failed")
	}
	return c.awaitDamagedFacts(ctx, key)
}

// confirm confirms an upload. It returns the id of the job that processes it, or the resource key
// of the file if there is no job.
func (c *client) confirm(ctx context.Context, address string) (job, key string, err error) {
	var confirmed struct {
		JobID       string `json:"job_id"`
		ResourceKey string `json:"resource_key"`
	}
	err = c.call(ctx, http.MethodPost, "/v1/files/upload-complete", map[string]any{
		"status": "success", "extra_info": map[string]string{"file_url": address},
	}, &confirmed)
	return confirmed.JobID, confirmed.ResourceKey, err
}

// put sends the bytes of an upload, without the key.
func (c *client) put(ctx context.Context, address string, content []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, address, bytes.NewReader(content))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", mediaType)
	status, response, err := c.do(r)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("PUT: status %d: %.200s", status, response)
	}
	return err
}

// awaitJob waits until the job has ended with the status want. A failed job must have an error, and
// a completed one none.
func (c *client) awaitJob(ctx context.Context, id, want string) error {
	return awaitCondition(ctx, detectionLimit, "its job is "+want, func() (bool, error) {
		var job struct {
			Status string `json:"job_status"`
			Error  string
		}
		err := c.call(ctx, http.MethodGet, "/v1/jobs/"+id, nil, &job)
		ended := job.Status == "completed" || job.Status == "failed"
		if ended && (job.Status != want || (job.Error == "") != (want == "completed")) {
			return false, fmt.Errorf("its job is %s with the error %q, want %s", job.Status, job.Error, want)
		}
		return ended, err
	})
}

// awaitDamagedFacts waits until the facts of the file are known. They must contain a fault.
func (c *client) awaitDamagedFacts(ctx context.Context, key string) error {
	document, err := json.Marshal(map[string]any{
		"query":     "query($key: ID!) { file(id: $key) { facts { format ... on DamagedFacts { fault } } } }",
		"variables": map[string]string{"key": key},
	})
	if err != nil {
		return err
	}
	return awaitCondition(ctx, detectionLimit, "it is found to be invalid", func() (bool, error) {
		var found struct {
			File struct {
				Facts *struct{ Format, Fault string }
			}
		}
		if err := c.callRaw(ctx, "/graphql", document, &found); err != nil || found.File.Facts == nil {
			return false, err
		}
		if found.File.Facts.Fault == "" {
			return false, fmt.Errorf("it was taken for %s", found.File.Facts.Format)
		}
		return true, nil
	})
}

// callRaw sends a POST with a body that is JSON already.
func (c *client) callRaw(ctx context.Context, path string, body []byte, out any) error {
	return c.call(ctx, http.MethodPost, path, json.RawMessage(body), out)
}
