package view

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"portico/internal/freespace"
	"portico/model"
)

// errDiskFull refuses bytes that the disk of their temporary file has no room for.
var errDiskFull = &model.Error{Code: model.CodeQuotaExceeded, Message: model.DiskFull}

// TempFile is a file without a name, for bytes that no account has paid for: the body of a request,
// or a download. It is deleted when it is closed, even if the process is killed.
type TempFile struct {
	*os.File
}

// NewTempFile creates a file in a folder; empty means os.TempDir. The caller must close it. A full
// disk is a *model.Error, as for Fill.
func NewTempFile(folder, pattern string) (TempFile, error) {
	file, err := os.CreateTemp(folder, pattern)
	if err != nil {
		return TempFile{}, fmt.Errorf("create a temporary file: %w", translateFull(err))
	}
	if err := os.Remove(file.Name()); err != nil {
		return TempFile{}, fmt.Errorf("remove the name of a temporary file: %w", errors.Join(err, file.Close()))
	}
	return TempFile{file}, nil
}

// Fill appends the content to the file and returns its size. It leaves freespace.Reserve free on
// the disk: otherwise a few clients could fill the disk of the database. It returns a *model.Error
// if there is no room, a *fs.PathError for another error of the file, and the errors of content as
// they are.
func (f TempFile) Fill(content io.Reader) (size int64, err error) {
	size, err = io.Copy(&freespace.Writer{File: f.File}, content)
	return size, translateFull(err)
}

// translateFull returns errDiskFull for the errors of a full disk and an exceeded disk quota, and
// any other error unchanged.
func translateFull(err error) error {
	if errors.Is(err, freespace.ErrFull) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return errDiskFull
	}
	return err
}
