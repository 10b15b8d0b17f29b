package private

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root becomes another user")
	}
}

// closedFolder returns a folder that only root can enter.
func closedFolder(t *testing.T) string {
	t.Helper()
	dir := openFolder(t)
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatalf("Chmod: %v", err)
	}
	return dir
}

func TestStart_uses_the_fallback_when_the_data_folder_is_closed(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir, fallback := filepath.Join(closedFolder(t), "data"), filepath.Join(openFolder(t), "portico")
	var log bytes.Buffer
	c, err := Start(deadline(t), Options{
		DataFolder: dir, FastUnsafe: true, fallback: fallback, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	mustExec(t, open(t, c), "SELECT 1")
	stop(t, c)
	if got, want := filepath.Dir(c.Folder()), fallback; got != want {
		t.Errorf("folder: got %q, want one in %q", c.Folder(), want)
	}
	if got, want := log.String(), "dir="+c.Folder(); !strings.Contains(got, want) {
		t.Errorf("log: got %q, want %q in it", got, want)
	}

	t.Run("and_stays_there_when_the_folder_opens", func(t *testing.T) {
		if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
			t.Fatalf("Chmod: %v", err)
		}
		p, err := findLocation(dir, fallback)
		if got, want := p.folder, c.Folder(); err != nil || got != want {
			t.Errorf("findLocation: got %q, %v, want %q", got, err, want)
		}
	})
	t.Run("and_begins_anew_with_a_new_data_folder", func(t *testing.T) {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatalf("RemoveAll: %v", err)
		}
		p, err := findLocation(dir, fallback)
		if got := p.folder; err != nil || got == c.Folder() {
			t.Errorf("findLocation: got %q, %v, want another folder", got, err)
		}
	})
}

func TestFindLocation_refuses(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		root  bool
		setUp func(t *testing.T, dir string) error
		want  string
	}{
		"a_dangling_link": {false, func(_ *testing.T, dir string) error {
			return os.Symlink("/nowhere/cluster", filepath.Join(dir, "postgres"))
		}, "move it back"},
		"a_file": {false, func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, "postgres"), nil, 0o600)
		}, "not a directory"},
		"a_link_of_another_user": {true, func(_ *testing.T, dir string) error {
			link := filepath.Join(dir, "postgres")
			if err := os.Symlink("/etc", link); err != nil {
				return err
			}
			return os.Lchown(link, 65534, 65534)
		}, "not followed"},
		"to_give_away_a_folder_of_root": {true, func(_ *testing.T, dir string) error {
			return os.MkdirAll(filepath.Join(dir, "postgres", "precious"), 0o755)
		}, "belongs to root and is not empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if row.root {
				needRoot(t)
			}
			dir := openFolder(t)
			if err := row.setUp(t, dir); err != nil {
				t.Fatalf("set up: %v", err)
			}
			_, err := findLocation(dir, t.TempDir())
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("findLocation: got %v, want %q in it", err, row.want)
			}
		})
	}
}

func TestFindLocation_belongs_to_the_owner_of_the_data_folder(t *testing.T) {
	t.Parallel()
	needRoot(t)
	nobody := 65534
	dir := openFolder(t)
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatalf("Chown: %v", err)
	}
	p, err := findLocation(dir, t.TempDir())
	if err != nil {
		t.Fatalf("findPlace: %v", err)
	}
	uid, err := ownerOf(p.folder)
	if err != nil || uid != nobody || p.account.uid != nobody {
		t.Errorf("owner: got %d and account %d, %v, want %d", uid, p.account.uid, err, nobody)
	}
}

func TestCheckReachable_names_the_closed_folder(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := openFolder(t)
	p, err := findLocation(filepath.Join(dir, "data"), t.TempDir())
	if err != nil {
		t.Fatalf("findPlace: %v", err)
	}
	if err := p.checkReachable(); err != nil {
		t.Errorf("open folder: got %v, want no error", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatalf("Chmod: %v", err)
	}
	if err := p.checkReachable(); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("closed folder: got %v, want %q in it", err, dir)
	}
}

func TestCanEnter_follows_the_mode_of_a_folder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatalf("Stat: %v", err)
	}
	uid, gid := owner(info), group(info)
	for _, row := range []struct {
		name    string
		mode    fs.FileMode
		account account
		want    bool
	}{
		{"owner", 0o700, account{uid: uid, gid: gid + 1}, true},
		{"owner shut out", 0o077, account{uid: uid, gid: gid}, false},
		{"group", 0o710, account{uid: uid + 1, gid: gid}, true},
		{"further group", 0o710, account{uid: uid + 1, gid: gid + 1, groups: []int{gid}}, true},
		{"group shut out", 0o701, account{uid: uid + 1, gid: gid}, false},
		{"others", 0o701, account{uid: uid + 1, gid: gid + 1}, true},
		{"others shut out", 0o776, account{uid: uid + 1, gid: gid + 1}, false},
	} {
		if err := os.Chmod(dir, row.mode); err != nil {
			t.Fatalf("Chmod: %v", err)
		}
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatalf("Stat: %v", err)
		}
		if got := row.account.canEnter(info); got != row.want {
			t.Errorf("%s, mode %o: got %t, want %t", row.name, row.mode, got, row.want)
		}
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatalf("Chmod: %v", err)
	}
}
