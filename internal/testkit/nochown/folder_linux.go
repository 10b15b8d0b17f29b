package nochown

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Folder returns a folder in memory that knows no user but root: every change of an owner fails. It
// skips the test if this process may not mount one.
func Folder(t testing.TB) string {
	t.Helper()
	disk, folder := t.TempDir(), t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "mode=0755"); err != nil {
		t.Skipf("mount: %v", err)
	}
	unmount(t, disk)
	if err := mountForRoot(t.Context(), disk, folder); err != nil {
		t.Skipf("mount without owners: %v", err)
	}
	unmount(t, folder)
	return folder
}

// unmount unmounts the folder at the end of the test.
func unmount(t testing.TB, folder string) {
	t.Helper()
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
}

// mountForRoot mounts a folder at another place, with the users of a namespace that has only root
// (mount_setattr(2), "ID-mapped mounts").
func mountForRoot(ctx context.Context, disk, folder string) error {
	only := []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}}
	holder := exec.CommandContext(ctx, "sleep", "60")
	holder.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER, UidMappings: only, GidMappings: only, Pdeathsig: syscall.SIGKILL,
	}
	if err := holder.Start(); err != nil {
		return err
	}
	defer func() {
		_ = holder.Process.Kill() // fails if it has ended
		_ = holder.Wait()         // it was killed
	}()
	users, err := os.Open(fmt.Sprintf("/proc/%d/ns/user", holder.Process.Pid))
	if err != nil {
		return err
	}
	defer users.Close() //nolint:errcheck // read only
	tree, err := unix.OpenTree(unix.AT_FDCWD, disk, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(tree) //nolint:errcheck // the mount stays
	attributes := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_IDMAP, Userns_fd: uint64(users.Fd())}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH, attributes); err != nil {
		return err
	}
	return unix.MoveMount(tree, "", unix.AT_FDCWD, folder, unix.MOVE_MOUNT_F_EMPTY_PATH)
}
