// Package world runs servers in the test process, wired like the program, so that a test can create
// accounts and read the database directly. Their workers are separate processes of the program,
// because workers start conversions as child processes. Tests of the process itself use package
// programtest.
package world

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"portico/internal/testkit/api"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/internal/testkit/program"
	"portico/internal/testkit/program/programtest"
	"portico/model"
	"portico/server"
	"portico/server/settings"
)

// World is a running server with its own database. It has the fields of the program: the
// database, the store, the keys.
type World struct{ *server.Program }

// Start starts a server without a worker and without rate limits. Its other settings are the
// defaults. Flags of portico serve override all settings. The server stops with the test.
func Start(t testing.TB, flags ...string) World {
	t.Helper()
	var config settings.Config
	parser, err := kong.New(&config, kong.Vars(settings.Defaults()))
	check(t, err)
	_, err = parser.Parse(append([]string{
		"--addr=127.0.0.1:0", "--data-dir=" + t.TempDir(), "--database-url=" + postgres.URL(t, testdb.Migrate), "--rate-limits=off", "--workers=0",
	}, flags...))
	check(t, err)
	p := &server.Program{Config: config, Logger: slog.New(slog.DiscardHandler)}
	listener, err := p.Listen(t.Context())
	check(t, err)
	check(t, p.Open(t.Context()))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		check(t, errors.Join(<-ended, p.Close()))
	})
	return World{p}
}

// StartWorker builds the program and starts a worker, which stops with the test. The worker has
// the server's settings of the database and the files. Further settings, such as the keys of a
// bucket, are variables, NAME=VALUE.
func (w World) StartWorker(t testing.TB, further ...string) {
	t.Helper()
	settings := append([]string{
		"PORTICO_DATABASE_URL=" + w.Config.DatabaseURL, "PORTICO_DATA_DIR=" + w.Config.DataDir, "PORTICO_BASE_URL=" + w.BaseURL(),
		"PORTICO_STORAGE_URL=" + w.Config.StorageURL, "PORTICO_FILES_ACCESS=" + string(w.Config.FilesAccess),
	}, further...)
	if w.Config.SMTPURL != "" {
		settings = append(settings, "PORTICO_SMTP_URL="+w.Config.SMTPURL, "PORTICO_SMTP_FROM="+w.Config.SMTPFrom)
	}
	installation := program.Installation{Program: programtest.Build(t), Settings: settings}
	programtest.Start(t, installation, nil, "worker").Logged("working")
}

// NewClient creates an account and returns its client. An account without a name is named after the
// first part of its address.
func (w World) NewClient(t testing.TB, in model.CreateUser) *api.Client {
	t.Helper()
	if in.Name == "" {
		in.Name, _, _ = strings.Cut(in.Email, "@")
	}
	check(t, in.Validate())
	user, err := w.DB.Accounts().CreateUser(t.Context(), in)
	check(t, err)
	key, err := w.Keys.EnsureKey(t.Context(), user.ID)
	check(t, err)
	return &api.Client{T: t, URL: w.BaseURL(), ID: user.ID, Key: key}
}

// check fails the test at once if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
