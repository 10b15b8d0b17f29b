package server

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/db/migrations"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
)

// A migration that fills the disk would stop the older version too.
func TestPrepareMigration_refuses_a_disk_without_room(t *testing.T) {
	t.Parallel()
	p := &Program{Logger: slog.New(slog.DiscardHandler), clusterFolder: t.TempDir()}
	p.Config.DataDir, p.Config.MigrateBackup = t.TempDir(), "on"
	url := postgres.AdminURL(t, postgres.URL(t, testdb.Migrate))
	err := p.prepareMigration(t.Context(), url, migrations.Plan{Bytes: 1 << 60})
	if err == nil || !strings.Contains(err.Error(), "Make room and start again: nothing has changed") {
		t.Errorf("without room: got %v, want how much is needed", err)
	}
	if entries, err := os.ReadDir(p.Config.DataDir); err != nil || len(entries) > 0 {
		t.Errorf("data folder: got %v, %v, want nothing in it", entries, err)
	}
}

func TestPrepareMigration_backs_up_only_a_private_database(t *testing.T) {
	t.Parallel()
	url := postgres.AdminURL(t, postgres.URL(t, testdb.Migrate))
	for name, test := range map[string]struct {
		isPrivate bool
		setting   string
		want      bool
	}{"private": {true, "on", true}, "private, told not to": {true, "off", false}, "of the operator": {false, "on", false}} {
		p := &Program{Logger: slog.New(slog.DiscardHandler), secret: []byte("a secret of the tests")}
		p.Config.DataDir = t.TempDir()
		check(t, p.Config.MigrateBackup.UnmarshalText([]byte(test.setting)))
		if test.isPrivate {
			p.clusterFolder = t.TempDir()
		}
		check(t, p.prepareMigration(t.Context(), url, migrations.Plan{Bytes: 1}))
		_, err := os.Stat(filepath.Join(p.Config.DataDir, migrationBackup, "backup.json"))
		if (err == nil) != test.want {
			t.Errorf("%s: got a backup: %v, want %v", name, err == nil, test.want)
		}
	}
}
