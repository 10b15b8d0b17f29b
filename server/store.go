package server

import (
	"context"
	"fmt"
	"path/filepath"

	"portico/graph"
	"portico/model"
	"portico/server/settings"
	"portico/storage"
	"portico/storage/disk"
	"portico/storage/door"
	"portico/storage/s3"
)

// openStore opens the configured bucket, or the files in the data folder. A bucket that does not
// answer is logged but is not an error: it may start after the server, and readyz reports whether
// it answers.
//
// Which of the two it is decides the rest: files in the data folder are served by this process, and
// files in a bucket by the bucket, unless they are protected.
func (p *Program) openStore(ctx context.Context) (storage.Store, error) {
	shown, byLink := p.readRules()
	if p.Config.StorageURL == "" {
		files, err := disk.Open(disk.Options{
			Folder: filepath.Join(p.Config.DataDir, "files"), BaseURL: p.BaseURL(), FilesURL: p.FilesURL(),
			Secret: p.secret, UploadLifetime: p.Config.UploadTTL, Shown: shown, ByLink: byLink, Open: p.Config.FilesAccess != settings.FilesProtected, KeyVersion: p.keyVersion, Logger: p.Logger,
			KeepReserved: p.DB.Uploads().ExtendReservation, AcceptStored: p.DB.Uploads().KeepReceived,
		})
		if err != nil {
			return nil, err
		}
		p.onClose("storage", files.Close)
		return files, nil
	}
	bucket, err := s3.Open(ctx, s3.Options{
		URL: p.Config.StorageURL, BaseURL: p.BaseURL(), FilesURL: p.bucketFilesURL(), Shown: shown, ByLink: byLink, KeyVersion: p.keyVersion, Secret: p.secret,
		Logger: p.Logger, Tracer: p.tracing.Tracer(),
	})
	if err != nil {
		return nil, fmt.Errorf("PORTICO_STORAGE_URL: %w", err)
	}
	p.checkBucket(ctx, bucket)
	if p.Config.MaxFileSize > s3.MaxUpload {
		p.Logger.Info("S3 accepts at most 5 GiB in one PUT: larger files need resumable uploads", "bytes", int64(s3.MaxUpload))
	}
	return bucket, nil
}

// readRules returns who may read files. Even where files are not protected, the files of a Private space
// with a share link are: the address of a file must not replace the password of the link. A public
// bucket decides itself, so that there are no rules.
func (p *Program) readRules() (door.ReadRule, door.LinkRule) {
	files := &graph.ShownFiles{DB: p.DB}
	if p.Config.FilesAccess == settings.FilesProtected {
		return files.Shown, files.ShownByLink
	}
	if !p.servesFiles() {
		return nil, nil
	}
	linked := &graph.LinkedFiles{Shown: files, Linked: &graph.ShownFiles{DB: p.DB, OnlyLinked: true}}
	return linked.IsOpen, linked.Linked.ShownByLink
}

// keyVersion returns the version of an account that its signed addresses contain. For the caller of
// a request, it is read once for all addresses of the response.
func (p *Program) keyVersion(ctx context.Context, userID string) (int64, error) {
	if caller := model.CallerFrom(ctx); caller != nil && caller.UserID == userID {
		return caller.KeyVersion(ctx, p.DB.Keys().KeyVersion)
	}
	return p.DB.Keys().KeyVersion(ctx, userID)
}

// checkBucket logs a bucket that does not answer in time, or refuses to store.
func (p *Program) checkBucket(ctx context.Context, bucket storage.Store) {
	ctx, cancel := context.WithTimeout(ctx, dependencyTimeout)
	defer cancel()
	if err := bucket.Ping(ctx); err != nil {
		p.Logger.Warn("the bucket cannot be used", "error", err,
			"hint", "Uploads and files fail until it answers. Check PORTICO_STORAGE_URL and AWS_ACCESS_KEY_ID.")
	}
}

// maxFileSize returns the maximum size of an upload in bytes. A bucket limits the number of parts;
// the data folder has no limit of its own.
func (p *Program) maxFileSize() int64 {
	if p.Config.StorageURL != "" {
		return min(int64(p.Config.MaxFileSize), s3.MaxAppended)
	}
	return int64(p.Config.MaxFileSize)
}

// maxPutSize returns the maximum size of an upload by one PUT in bytes.
func (p *Program) maxPutSize() int64 {
	if p.Config.StorageURL != "" {
		return min(p.maxFileSize(), s3.MaxUpload)
	}
	return p.maxFileSize()
}
