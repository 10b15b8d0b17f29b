package private

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// account is the system user that the server runs as. PostgreSQL refuses to be
// root, because a superuser of the database can do what its system user can.
type account struct {
	uid, gid int
	groups   []int
	name     string
	// drop says that we are root and the server must become this user.
	drop bool
}

// accountFor returns the user for a cluster: ourselves, or for root the owner
// of the first of the folders that is not root's, else postgres, else nobody.
// Missing folders are passed over, and so are owners without a passwd entry,
// because initdb refuses those.
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
			return lookedUp(u)
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			return lookedUp(u)
		}
	}
	return account{}, fmt.Errorf("postgres refuses to run as root, and this machine has " +
		"neither a user postgres nor a user nobody: create one, or start as another user")
}

// lookedUp turns what the system knows about a user into an account for root
// to become.
func lookedUp(u *user.User) (account, error) {
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return account{}, fmt.Errorf("read the uid of %s: %w", u.Username, err)
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return account{}, fmt.Errorf("read the gid of %s: %w", u.Username, err)
	}
	a := account{uid: uid, gid: gid, name: u.Username, drop: true}
	ids, err := u.GroupIds()
	if err != nil {
		return account{}, fmt.Errorf("list the groups of %s: %w", u.Username, err)
	}
	for _, id := range ids {
		// Group names where numbers should be are of no use to the kernel.
		if n, err := strconv.Atoi(id); err == nil {
			a.groups = append(a.groups, n)
		}
	}
	return a, nil
}

// run makes cmd run as the account.
func (a account) run(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	if !a.drop {
		return
	}
	groups := make([]uint32, len(a.groups))
	for i, id := range a.groups {
		groups[i] = uint32(id)
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid), Groups: groups}
}

// ownerOf returns the uid that owns path, without following a last link.
func ownerOf(path string) (int, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return 0, err
	}
	return owner(info), nil
}

// owner and group are the same on every Unix, which is all this compiles for.
func owner(info os.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Uid) }

func group(info os.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Gid) }

// userName returns a name for messages: the number where there is no name.
func userName(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return strconv.Itoa(uid)
}
