package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// The sizes of the disks: for files 24 MB more than uploads leave free; for the work on captures first less than the
// quarter of a gigabyte that the worker leaves free, then enough.
const (
	filesSize = "280m"
	workSize  = "64m"
	workRoom  = "600m"
	// fillSize is the size of the files that fill the disk, in bytes.
	fillSize = 2 << 20
)

// noStorage is the error of jobs that find a full disk.
const noStorage = "The server has no storage left for this file"

// runDisk fills the disks of the files and of the work folder, checks the responses to
// clients, and makes room again.
func runDisk(ctx context.Context, w *world, _ int) error {
	files, work := filepath.Join(w.data, "files"), filepath.Join(w.data, "work")
	if err := errors.Join(w.mount(ctx, files, filesSize), w.mount(ctx, work, workSize)); err != nil {
		return err
	}
	server, err := w.newServer(ctx, "server")
	if err != nil {
		return err
	}
	services := []*service{server, w.newWorker("worker1")}
	if err := startAll(ctx, services...); err != nil {
		return err
	}
	user, err := w.addUser(ctx, "publisher")
	if err != nil {
		return err
	}
	c := user.at(server, true)
	all, err := c.fillFiles(ctx)
	if err != nil {
		return err
	}
	some, err := c.fillWork(ctx, work)
	if err != nil {
		return err
	}
	return w.audit(ctx, []*client{c}, append(all, some...), services...)
}

// mount mounts a disk of this size, in memory.
func (w *world) mount(ctx context.Context, folder, size string) error {
	if os.Getuid() != 0 {
		return errSkipped{"only root may mount a small disk"}
	}
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, "mount", "-t", "tmpfs", "-o", "mode=750,size="+size, "tmpfs", folder).CombinedOutput(); err != nil {
		return errSkipped{"a small disk cannot be mounted: " + strings.TrimSpace(string(out))}
	}
	w.onClose(func() error {
		if out, err := exec.Command("umount", folder).CombinedOutput(); err != nil { //nolint:noctx // to be done in any case
			return fmt.Errorf("unmount %s: %w\n%s", folder, err, out)
		}
		return nil
	})
	return nil
}

// fillFiles fills the disk of the files in two ways, by an upload and by a job, and
// makes room after each.
func (c *client) fillFiles(ctx context.Context) ([]*published, error) {
	kept, err := c.publishNumber(ctx, 0)
	if err != nil {
		return nil, err
	}
	fillers, err := c.fill(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.fillRest(ctx, filepath.Join(c.data, "files", "ballast")); err != nil {
		return nil, err
	}
	// With one file less, a zip fits that unpacks to more than the room that is left.
	if err := c.remove(ctx, fillers[0].resourceKey); err != nil {
		return nil, err
	}
	fillers = fillers[1:]
	bomb, err := bombMaterial()
	if err != nil {
		return nil, err
	}
	if err := c.expectFailure(ctx, bomb, noStorage); err != nil {
		return nil, err
	}
	for _, filler := range fillers {
		if err := c.remove(ctx, filler.resourceKey); err != nil {
			return nil, err
		}
	}
	c.expectReady(ctx, http.StatusOK)
	after, err := c.publishNumber(ctx, 4)
	return []*published{kept, after}, err
}

// fill uploads files until the server refuses one because the disk is full, with a
// response that a client can read.
func (c *client) fill(ctx context.Context) ([]*published, error) {
	var all []*published
	for number := 1; ; number++ {
		m := singleFile("filler", fmt.Sprintf("Filler %d.bin", number), []byte(strings.Repeat(string(rune('a'+number%26)), fillSize)))
		p := &published{material: m}
		err := c.upload(ctx, p, poll)
		var refused errRefused
		if errors.As(err, &refused) {
			c.add(countFaults, 1)
			c.add("uploads refused", 1)
			if refused.status != http.StatusInsufficientStorage || !strings.Contains(refused.body, `"error"`) {
				c.addViolation("an upload to a full disk: %v, want 507 and JSON", err)
			}
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

// fillRest fills the rest of the disk with a file that is not Portico's, checks the
// responses to probes, and removes the file.
func (c *client) fillRest(ctx context.Context, ballast string) error {
	file, err := os.Create(ballast)
	if err != nil {
		return err
	}
	for err == nil {
		_, err = file.Write(make([]byte, os.Getpagesize()))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		return errors.Join(err, file.Close())
	}
	c.expectReady(ctx, http.StatusOK) // files can still be read and deleted
	return errors.Join(file.Close(), os.Remove(ballast))
}

// expectFailure uploads a file whose job must fail for this reason.
func (c *client) expectFailure(ctx context.Context, m material, reason string) error {
	c.allowFailure(reason)
	err := c.upload(ctx, &published{material: m}, poll)
	c.add(countFaults, 1)
	c.add("jobs refused", 1)
	if err == nil || !strings.Contains(err.Error(), reason) {
		c.addViolation("%s: got %v, want %q", m.name, err, reason)
	}
	return ctx.Err()
}

// probeAge is how long the server may answer probes by one check of its dependencies, with
// room for the check itself.
const probeAge = 5 * time.Second

// expectReady waits for the status that probes get once the server has checked again.
func (c *client) expectReady(ctx context.Context, want int) {
	for deadline := time.Now().Add(probeAge); ; {
		got, err := c.once(ctx, http.MethodGet, c.url+"/readyz", http.Header{}, nil)
		if err == nil && got.status == want {
			return
		}
		if time.Now().After(deadline) || pause(ctx, 100*time.Millisecond) != nil {
			c.addViolation("readyz: got %d %q, %v, want %d", got.status, got.body, err, want)
			return
		}
	}
}

// remove deletes a file.
func (c *client) remove(ctx context.Context, resourceKey string) error {
	err := c.call(ctx, http.MethodDelete, "/v1/files?resource_key="+url.QueryEscape(resourceKey), nil, nil, http.StatusOK)
	return err
}

// fillWork converts a scan where there is no room for it, and again when there is.
func (c *client) fillWork(ctx context.Context, folder string) ([]*published, error) {
	scan, err := scanMaterial(1)
	if err != nil {
		return nil, err
	}
	if err := c.expectFailure(ctx, scan, noStorage); err != nil {
		return nil, err
	}
	if out, err := exec.CommandContext(ctx, "mount", "-o", "remount,size="+workRoom, folder).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("enlarge %s: %w\n%s", folder, err, out)
	}
	after, err := c.publish(ctx, scan, poll)
	return []*published{after}, err
}
