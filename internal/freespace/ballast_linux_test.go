package freespace

import (
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"portico/internal/testkit/smalldisk"
)

func TestBallast_makes_room_on_a_full_disk(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	dir := smalldisk.New(t, Reserve+(ballastFiles+4)*size)
	b := Ballast{Folder: dir, Logger: slog.New(slog.DiscardHandler), size: size}
	look := func() int {
		t.Helper()
		if _, err := b.Free(); err != nil {
			t.Fatal(err)
		}
		if err := b.Fill(); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "ballast*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	for i := range ballastFiles + 1 {
		if got, want := look(), min(i+1, ballastFiles); got != want {
			t.Fatalf("an empty disk: got %d files of ballast, want %d", got, want)
		}
	}
	rest, err := os.Create(filepath.Join(dir, "rest"))
	if err != nil {
		t.Fatal(err)
	}
	fill := struct{ io.Writer }{rest}
	if _, err := io.Copy(fill, rand.NewChaCha8([32]byte{})); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("fill the disk: got %v", err)
	}
	if got := look(); got != ballastFiles-1 {
		t.Errorf("a full disk: got %d files of ballast, want one less", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "log"), make([]byte, size/2), 0o600); err != nil {
		t.Errorf("write on the full disk: %v", err)
	}
	if got := look(); got != ballastFiles-1 {
		t.Errorf("a disk with half of a file free: got %d files of ballast, want the others kept", got)
	}
	if err := errors.Join(rest.Close(), os.Remove(rest.Name())); err != nil {
		t.Fatal(err)
	}
	if got := look(); got != ballastFiles {
		t.Errorf("after files were deleted: got %d files of ballast, want all", got)
	}
}
