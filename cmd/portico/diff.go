package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

type diffCommand struct {
	Dir string `arg:"" optional:"" help:"The folder of the space." default:"." type:"path"`
	workspaceFlags
}

// Run prints the differences between the files of the server and the local files.
//
// It collects the output in memory, so that an error in a later file is not preceded by a part of
// the result.
func (c *diffCommand) Run(ctx context.Context, in *invocation) error {
	var shown strings.Builder
	err := c.withSpace(c.Dir, func(w *workspace) error {
		return w.compare(ctx, func(local map[string]string, archive *spaceArchive) error {
			for _, change := range changesBetween(archive.files, local) {
				if err := w.showChange(&shown, archive, change.Path); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return c.finish(in, err, map[string]string{"diff": shown.String()}, func(out io.Writer) error {
		_, err := io.WriteString(out, shown.String())
		return err
	})
}

// showChange writes the difference of one file: line by line if the file is text. The server's
// version is the old one. Of a plugin or an asset that the server has, the archive contains only
// the hash, so no lines are shown.
//
// Of a plugin folder that only the local folder has, each file is shown.
func (w *workspace) showChange(out *strings.Builder, archive *spaceArchive, name string) error {
	if isFolder(name) {
		if archive.files[name] != "" {
			out.WriteString("Folders server/" + name + " and here/" + name + " differ\n")
			return nil
		}
		return w.walk(name, func(file string) error { return w.showChange(out, archive, file) })
	}
	var before, after []byte
	var err error
	if archive.has(name) {
		if before, err = archive.text(name); err != nil {
			return err
		}
	} else if archive.files[name] != "" || !isText(name) {
		out.WriteString("Binary files server/" + name + " and here/" + name + " differ\n")
		return nil
	}
	if after, err = w.read(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	from, to := "server/"+name, "here/"+name
	header := "--- " + from + "\n+++ " + to + "\n" // not in the difference of two empty files
	out.WriteString(header + strings.TrimPrefix(udiff.Unified(from, to, string(before), string(after)), header))
	return nil
}
