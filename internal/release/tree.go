package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
)

// file is a file, a folder or a link that a release has.
type file struct {
	path   string // with slashes, without one at its start
	mode   fs.FileMode
	source string // where the content is, unless it is in data
	data   []byte
	link   string // the target of a symbolic link
	owner  int    // uid and gid
}

// tree is a list of files in any order.
type tree []file

// below returns the files in a folder.
func (t tree) below(folder string) tree {
	moved := slices.Clone(t)
	for i := range moved {
		moved[i].path = path.Join(folder, moved[i].path)
	}
	return moved
}

// withFolders returns the files with the folders that they are in, in the order of their paths.
func (t tree) withFolders() tree {
	all := slices.Clone(t)
	known := map[string]bool{".": true}
	for _, f := range t {
		known[f.path] = true
	}
	for _, f := range t {
		for folder := path.Dir(f.path); !known[folder]; folder = path.Dir(folder) {
			known[folder] = true
			all = append(all, file{path: folder, mode: fs.ModeDir | 0o755})
		}
	}
	slices.SortFunc(all, compareFiles)
	return all
}

// open opens the content of the file, and returns its size.
func (f file) open() (io.ReadCloser, int64, error) {
	if f.source == "" {
		return io.NopCloser(bytes.NewReader(f.data)), int64(len(f.data)), nil
	}
	content, err := os.Open(f.source)
	if err != nil {
		return nil, 0, err
	}
	info, err := content.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, content.Close())
	}
	return content, info.Size(), nil
}

// writeArchive writes a compressed archive in which nothing depends on the machine.
func (r *release) writeArchive(name string, t tree) error {
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	compressed := gzip.NewWriter(out)
	return errors.Join(r.writeTar(compressed, t), compressed.Close(), out.Close())
}

// writeTar writes the files in the order of their paths, all with the time of the release.
func (r *release) writeTar(out io.Writer, t tree) error {
	archive := tar.NewWriter(out)
	for _, f := range t.withFolders() {
		if err := r.writeFile(archive, f); err != nil {
			return err
		}
	}
	return archive.Close()
}

// writeFile adds one file to an archive.
func (r *release) writeFile(archive *tar.Writer, f file) error {
	header := &tar.Header{
		Name: f.path, Linkname: f.link, ModTime: r.time, Uid: f.owner, Gid: f.owner,
		Typeflag: tar.TypeReg, Mode: int64(f.mode.Perm()),
	}
	if f.mode&fs.ModeSticky != 0 {
		header.Mode |= 0o1000
	}
	switch {
	case f.mode.IsDir():
		header.Typeflag, header.Name = tar.TypeDir, f.path+"/"
	case f.link != "":
		header.Typeflag, header.Mode = tar.TypeSymlink, 0o777
	}
	if header.Typeflag != tar.TypeReg {
		return archive.WriteHeader(header)
	}
	content, size, err := f.open()
	if err != nil {
		return err
	}
	defer content.Close() //nolint:errcheck // read only
	header.Size = size
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(archive, content)
	return err
}
