package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"portico/auth"
	"portico/db/migrations"
	"portico/db/private"
	"portico/limit"
	"portico/server/backup"
	"portico/server/doctor"
	"portico/storage"
)

// Backup copies the tables, the secret and the files into a folder, while servers go on. It changes
// nothing in the database: it may be of another version than the program.
func (p *Program) Backup(ctx context.Context, folder string, verify bool, progress func(done, total int64)) (*backup.Result, error) {
	owner, store, err := p.openExisting(ctx)
	if err != nil {
		return nil, err
	}
	return backup.Write(ctx, backup.Options{
		Folder: folder, Database: owner, Store: store, Secret: p.secret, Version: Version(),
		Verify: verify, Logger: p.Logger, Progress: progress,
	})
}

// openExisting opens the database and the store that a server has used, with its secret. The address is
// that of the owner of the tables.
func (p *Program) openExisting(ctx context.Context) (owner string, _ storage.Store, err error) {
	if err := p.requireServer(); err != nil {
		return "", nil, err
	}
	if p.secret, err = p.Config.LoadSecret(); err != nil {
		return "", nil, err
	}
	if owner, err = p.startDatabase(ctx); err != nil {
		return "", nil, err
	}
	store, err := p.openStore(ctx)
	return owner, store, err
}

// requireServer returns an error unless a server has used the data folder: in a wrong folder, a
// command must create neither a database nor a secret.
func (p *Program) requireServer() error {
	if p.Config.DatabaseURL == "" && !private.Exists(p.Config.DataDir) {
		return fmt.Errorf("there is no database in %s: set PORTICO_DATA_DIR to the data folder of the server, "+
			"or PORTICO_DATABASE_URL to its database", p.Config.DataDir)
	}
	if _, err := os.Stat(p.Config.SecretFile()); p.Config.Secret == "" && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no secret in %s: set PORTICO_DATA_DIR to the data folder of the server, or PORTICO_SECRET", p.Config.DataDir)
	}
	return nil
}

// RestoreFiles puts back the files that rows name and the store lacks, from a backup. It changes no row,
// so servers may run.
func (p *Program) RestoreFiles(ctx context.Context, folder string) (*backup.Result, error) {
	if err := p.requireServer(); err != nil {
		return nil, err
	}
	b, err := backup.Open(folder)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if err := p.Config.CheckRestoredSecret(b.Secret()); err != nil {
		return nil, err
	}
	p.secret = b.Secret()
	owner, err := p.startDatabase(ctx)
	if err != nil {
		return nil, err
	}
	store, err := p.openStore(ctx)
	if err != nil {
		return nil, err
	}
	return b.RestoreObjects(ctx, backup.Options{Database: owner, Store: store})
}

// Examine returns what is wrong with the database, the store, the settings and the proxy. With fix it
// corrects what is safe to correct.
func (p *Program) Examine(ctx context.Context, fix bool) (*doctor.Report, error) {
	owner, store, err := p.openExisting(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := auth.NewKeys(nil, p.secret)
	if err != nil {
		return nil, err
	}
	defer keys.Close()
	proxies, err := limit.ParseNetworks(p.Config.TrustedProxies)
	if err != nil {
		return nil, err
	}
	options := doctor.Options{
		Database: owner, Store: store, OpensKey: keys.Opens, TrustedProxies: proxies,
		Version: Version(), Fix: fix,
	}
	if p.Config.BaseURL != "" {
		options.PublicURL = p.BaseURL()
	}
	if p.Config.FilesURL != "" && p.servesFiles() {
		options.FilesURL = p.FilesURL()
	}
	return doctor.Examine(ctx, options)
}

// Restore fills an empty database, the store and the secret from a backup. The server must not run.
//
// The secret comes before the files and the tables: a restore that did not end is started again, and
// finds the same one.
func (p *Program) Restore(ctx context.Context, folder string, progress func(done, total int64)) (*backup.Result, error) {
	b, err := backup.Open(folder)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if err := p.makeDataFolder(); err != nil {
		return nil, err
	}
	if err := p.Config.CheckRestoredSecret(b.Secret()); err != nil {
		return nil, err
	}
	owner, err := p.startDatabase(ctx)
	if err != nil {
		return nil, err
	}
	restoration, err := b.Prepare(ctx, owner, p.Logger)
	if errors.Is(err, migrations.ErrNotOwner) {
		return nil, fmt.Errorf("PORTICO_MIGRATE_DATABASE_URL: %w", err)
	}
	if err != nil {
		return nil, err
	}
	defer restoration.Close()
	if err := p.Config.RestoreSecret(b.Secret()); err != nil {
		return nil, err
	}
	p.secret = b.Secret()
	options := backup.Options{Progress: progress}
	if b.HasObjects() {
		if options.Store, err = p.openStore(ctx); err != nil {
			return nil, err
		}
	}
	return restoration.Run(ctx, options)
}
