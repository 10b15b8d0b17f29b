package server

import (
	"context"
	"fmt"
	"path/filepath"

	"portico/graph"
	"portico/storage"
)

// store is what a program opens and closes of a storage.Store.
type store interface {
	storage.Store
	Close() error
}

// openStore opens the bucket that is configured, or the files in the data
// folder. It asks a bucket for nothing: that it answers is what readyz is for.
func (p *Program) openStore(ctx context.Context) error {
	var shown storage.Shown
	if p.Config.FilesAccess == FilesProtected {
		shown = (&graph.ShownFiles{DB: p.DB}).Shown
	}
	if p.Config.StorageURL == "" {
		disk, err := storage.OpenDisk(storage.DiskOptions{
			Dir: filepath.Join(p.Config.DataDir, "files"), BaseURL: p.BaseURL(), FilesURL: p.FilesURL(),
			Secret: p.secret, UploadLifetime: p.Config.UploadTTL, Shown: shown, Logger: p.Logger,
			Receiving: p.DB.ReceivingUpload, Received: p.DB.ReceivedUpload,
		})
		if err == nil { // a nil *Disk would be no nil store
			p.store = disk
		}
		return err
	}
	bucket, err := storage.OpenS3(ctx, storage.S3Options{
		URL: p.Config.StorageURL, BaseURL: p.BaseURL(), FilesURL: p.bucketFilesURL(), Shown: shown, Secret: p.secret,
		Logger: p.Logger, Tracer: p.tracing.tracer(),
	})
	if err != nil {
		return fmt.Errorf("PORTICO_STORAGE_URL: %w", err)
	}
	p.store = bucket
	if p.Config.MaxFileSize > storage.S3MaxUpload {
		p.Logger.Warn("uploads are limited to what one PUT to S3 carries", "bytes", int64(storage.S3MaxUpload))
	}
	return nil
}

// maxFileSize returns the largest upload, in bytes, that the settings and the store
// allow: a file goes to S3 in one PUT, to this machine in one of any size.
func (p *Program) maxFileSize() int64 {
	if p.Config.StorageURL != "" {
		return min(int64(p.Config.MaxFileSize), storage.S3MaxUpload)
	}
	return int64(p.Config.MaxFileSize)
}
