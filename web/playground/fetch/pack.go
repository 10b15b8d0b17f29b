package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// licence is the file that every package has.
const licence = "LICENSE"

// members returns the files of the release that are wanted, and its licence.
func (r release) members(ctx context.Context) (map[string][]byte, error) {
	archive, err := r.pack(ctx)
	if err != nil {
		return nil, err
	}
	members, err := unpack(archive)
	if err != nil {
		return nil, err
	}
	for _, f := range append([]file{{path: licence}}, r.files...) {
		if len(members[f.path]) == 0 {
			return nil, fmt.Errorf("has no %s", f.path)
		}
	}
	return members, nil
}

// pack has npm download the release's archive, from the registry that npm is
// configured with, and returns it when it is the one that we know.
func (r release) pack(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "playground-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	cmd := exec.CommandContext(ctx, "npm", "pack", "--ignore-scripts", "--pack-destination="+dir, r.name+"@"+r.version)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack: %w\n%s", err, out)
	}
	archive, err := os.ReadFile(filepath.Join(dir, r.name+"-"+r.version+".tgz"))
	if err != nil {
		return nil, err
	}
	sum := sha512.Sum512(archive)
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); got != r.integrity {
		return nil, fmt.Errorf("integrity: got %s, want %s", got, r.integrity)
	}
	return archive, nil
}

// unpack returns the files of a package by their paths.
func unpack(archive []byte) (map[string][]byte, error) {
	plain, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	members := map[string][]byte{}
	for reader := tar.NewReader(plain); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return members, nil
		}
		if err != nil {
			return nil, err
		}
		_, path, _ := strings.Cut(header.Name, "/") // "package/"
		if members[path], err = io.ReadAll(reader); err != nil {
			return nil, err
		}
	}
}

// write writes a file compressed, without what is unwanted in it. The header of
// gzip has no time and no name, so the bytes depend on nothing else.
func write(dir, name string, content []byte) error {
	var b bytes.Buffer
	compressor, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	_, err = compressor.Write(unwanted.ReplaceAll(content, nil))
	if err := errors.Join(err, compressor.Close()); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name+".gz"), b.Bytes(), 0o644) //nolint:gosec // for all to read
}
