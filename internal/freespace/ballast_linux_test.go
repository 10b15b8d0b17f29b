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
	dir := smalldisk.New(t, Reserve+4*size)
	b := Ballast{Folder: dir, Logger: slog.New(slog.DiscardHandler), size: size}
	check := func() bool {
		t.Helper()
		if err := errors.Join(b.Free(), b.Fill()); err != nil {
			t.Fatal(err)
		}
		_, err := os.Stat(filepath.Join(dir, BallastName))
		return err == nil
	}
	if !check() || !check() {
		t.Fatal("an empty disk: got no ballast, want one")
	}
	rest, err := os.Create(filepath.Join(dir, "rest"))
	if err != nil {
		t.Fatal(err)
	}
	fill := struct{ io.Writer }{rest}
	if _, err := io.Copy(fill, rand.NewChaCha8([32]byte{})); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("fill the disk: got %v", err)
	}
	if check() {
		t.Error("a full disk: got ballast, want it deleted")
	}
	if err := os.WriteFile(filepath.Join(dir, "log"), make([]byte, size/2), 0o600); err != nil {
		t.Errorf("write on the full disk: %v", err)
	}
	if check() {
		t.Error("a disk that is nearly full: got ballast, want none")
	}
	if err := errors.Join(rest.Close(), os.Remove(rest.Name())); err != nil {
		t.Fatal(err)
	}
	if !check() {
		t.Error("after files were deleted: got no ballast, want one")
	}
}
