package private

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// account is the system user that the server runs as. PostgreSQL refuses to run as root,
// because a superuser of the database has all rights of the server's system user.
type account struct {
	uid, gid int
	groups   []int
	name     string
	// dropsRoot reports whether this process is root and the server must change to
	// this user.
	dropsRoot bool
}

// accountFor returns the user for a cluster: the current user, or for root the owner of
// the first folder that does not belong to root, else postgres, else nobody. It skips
// missing folders, and owners without a passwd entry, because initdb refuses them.
func accountFor(folders ...string) (account, error) {
	if uid := os.Geteuid(); uid != 0 {
		return account{uid: uid, gid: os.Getegid(), name: userName(uid)}, nil
	}
	for _, folder := range folders {
		uid, err := ownerOf(folder)
		if err != nil || uid == 0 {
			continue
		}
		if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
			return accountOf(u)
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			return accountOf(u)
		}
	}
	return account{}, fmt.Errorf("postgres refuses to run as root, and this machine has " +
		"neither a user postgres nor a user nobody: create one of them, or start as another user")
}

// accountOf returns the account of a user, for root to change to.
func accountOf(u *user.User) (account, error) {
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return account{}, fmt.Errorf("read the uid of %s: %w", u.Username, err)
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return account{}, fmt.Errorf("read the gid of %s: %w", u.Username, err)
	}
	a := account{uid: uid, gid: gid, name: u.Username, dropsRoot: true}
	ids, err := u.GroupIds()
	if err != nil {
		return account{}, fmt.Errorf("list the groups of %s: %w", u.Username, err)
	}
	for _, id := range ids {
		// Skip ids that are not numbers, because the kernel takes numbers only.
		if n, err := strconv.Atoi(id); err == nil {
			a.groups = append(a.groups, n)
		}
	}
	return a, nil
}

// applyTo makes cmd run as the account. It changes nothing if the process is not root.
func (a account) applyTo(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	if !a.dropsRoot {
		return
	}
	groups := make([]uint32, len(a.groups))
	for i, id := range a.groups {
		groups[i] = uint32(id)
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid), Groups: groups}
}

// ownerOf returns the uid of the owner of path. It does not follow a link at its end.
func ownerOf(path string) (int, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return 0, err
	}
	return owner(info), nil
}

// owner and group work on every Unix; the package does not compile for other systems.
func owner(info os.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Uid) }

func group(info os.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Gid) }

// userName returns the name of a user for messages, or the uid if it has no name.
func userName(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return strconv.Itoa(uid)
}
