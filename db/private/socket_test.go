package private

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSocketFolder(t *testing.T) {
	t.Parallel()
	long := "/" + strings.Repeat("x", maxSocketPath-len("//"+socketName))
	for _, row := range []struct {
		name, dir string
		inside    bool
	}{
		{"short", "/srv/data/postgres", true},
		{"just short enough", long, true},
		{"a byte too long", long + "x", false},
		{"space", "/srv/my data/postgres", false},
		{"comma, which separates folders", "/srv/a,b/postgres", false},
		{"percent, which URLs use", "/srv/a%20b/postgres", false},
		{"not ASCII", "/srv/dañado/postgres", false},
	} {
		p := location{folder: row.dir}
		if got, want := p.socketFolder() == row.dir, row.inside; got != want {
			t.Errorf("%s: folder %q is the place: got %t, want %t", row.name, p.socketFolder(), got, want)
		}
		if got := len(p.socket()); got > maxSocketPath {
			t.Errorf("%s: length of %q: got %d, want at most %d", row.name, p.socket(), got, maxSocketPath)
		}
	}
}

func TestURL_names_the_role_and_the_socket(t *testing.T) {
	t.Parallel()
	c := &Cluster{location: location{folder: "/srv/data/postgres"}, password: "SECRET"}
	for _, row := range []struct{ role, got string }{
		{"portico", c.AdminURL()}, {"portico_owner", c.OwnerURL()}, {"portico_app", c.URL()},
	} {
		want := "unix://" + row.role + ":" + rolePassword("SECRET", row.role) +
			"@postgres/srv/data/postgres/.s.PGSQL.5432?sslmode=disable"
		if row.got != want {
			t.Errorf("address of %s: got %q, want %q", row.role, row.got, want)
		}
	}
	got := c.AdminPostgresURL()
	want := "postgres://portico:SECRET@/postgres?host=%2Fsrv%2Fdata%2Fpostgres&port=5432&sslmode=disable"
	if got != want {
		t.Errorf("AdminPostgresURL: got %q, want %q", got, want)
	}
}

func TestStart_with_a_long_and_odd_path(t *testing.T) {
	t.Parallel()
	c := start(t, Options{DataFolder: filepath.Join(openFolder(t), "my, data "+strings.Repeat("x", 120))})
	mustExec(t, open(t, c), "SELECT 1")
	folder := c.location.socketFolder()
	if got, want := filepath.Dir(folder), "/tmp"; got != want {
		t.Errorf("socket folder: got %q, want one in %q", folder, want)
	}
	stop(t, c)
	if _, err := os.Lstat(folder); !os.IsNotExist(err) {
		t.Errorf("socket folder after Stop: got %v, want it gone", err)
	}
}

func TestOwnFolder_refuses_what_another_user_made(t *testing.T) {
	t.Parallel()
	mine := account{uid: os.Geteuid(), gid: os.Getegid(), name: "me"}
	other := account{uid: mine.uid + 1, gid: mine.gid, name: "other"}
	dir := filepath.Join(t.TempDir(), "socket")
	if err := mine.ownFolder(dir); err != nil {
		t.Fatalf("ownFolder: %v", err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatalf("Chmod: %v", err)
	}
	if err := other.ownFolder(dir); err == nil || !strings.Contains(err.Error(), "belongs to user") {
		t.Errorf("of another user: got %v, want a refusal", err)
	}
	if err := mine.ownFolder(dir); err != nil {
		t.Errorf("own: got %v, want no error", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatalf("Stat: %v", err)
	}
	if got, want := info.Mode().Perm(), os.FileMode(0o700); got != want {
		t.Errorf("mode: got %o, want %o", got, want)
	}
	link := dir + "-link"
	if err := os.Symlink(dir, link); err != nil {
		t.Fatalf("Symlink: %v", err)
	}
	if err := mine.ownFolder(link); err == nil {
		t.Error("a link: got no error, want a refusal")
	}
}
