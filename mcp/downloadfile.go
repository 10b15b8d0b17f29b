package mcp

import (
	"errors"
	"os"
	"syscall"

	"portico/internal/freespace"
	"portico/model"
)

// errDiskFull refuses a download that the disk of its temporary file has no room for.
var errDiskFull = &model.Error{Code: model.CodeQuotaExceeded, Message: model.DiskFull}

// freeSpaceInterval is how many bytes of a download are written between two checks of the free
// space. It is so small that maxDownloads downloads, which all check at the same moment, leave half
// of freespace.Reserve free.
const freeSpaceInterval = 4 << 20

// downloadFile writes a download of unknown length to its temporary file. It leaves
// freespace.Reserve free on the disk. Without it, one account could fill the disk with four
// downloads of the largest size.
type downloadFile struct {
	file      *os.File // not embedded: io.Copy would call its ReadFrom instead of Write
	unchecked int64    // how many bytes may be written before the next check
}

// Write implements io.Writer. It returns errDiskFull if there is no room for the next bytes.
func (d *downloadFile) Write(p []byte) (int, error) {
	if d.unchecked < int64(len(p)) {
		free, err := freespace.For(d.file)
		if err != nil {
			return 0, err
		}
		if free < freeSpaceInterval {
			return 0, errDiskFull
		}
		d.unchecked = freeSpaceInterval
	}
	n, err := d.file.Write(p)
	d.unchecked -= int64(n)
	return n, translateFull(err)
}

// translateFull returns errDiskFull for the errors of a full disk and an exceeded disk quota, and
// any other error unchanged.
func translateFull(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return errDiskFull
	}
	return err
}
