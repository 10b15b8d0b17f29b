package sandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	landlockcalls "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// apply confines all threads of the process by one measure. The measures cannot be undone.
func apply(m Measure, o Options) error {
	switch m {
	case Network:
		return nil // the parent has applied it
	case User:
		return changeUser()
	case Files:
		return restrictFiles(o.Folder)
	case Calls:
		return restrictCalls()
	}
	return fmt.Errorf("%q is not a measure", m)
}

// refusePrivileges keeps the process and its children from gaining privileges from a
// program's file (setuid). Landlock and seccomp require it.
func refusePrivileges() error {
	return landlockcalls.AllThreadsPrctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// Separate makes a process start in a new network namespace. Starting it needs CAP_SYS_ADMIN.
func Separate(attr *syscall.SysProcAttr) { attr.Cloneflags |= syscall.CLONE_NEWNET }

// MayChangeUser returns nil if this process can start others as another user and give
// folders to that user. Otherwise it returns the reason.
func MayChangeUser() error {
	if os.Geteuid() != 0 {
		return errors.New("the server does not run as root")
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var capabilities [2]unix.CapUserData
	if err := unix.Capget(&header, &capabilities[0]); err != nil {
		return fmt.Errorf("read the capabilities: %w", err)
	}
	for name, bit := range map[string]int{
		"CAP_CHOWN": unix.CAP_CHOWN, "CAP_DAC_OVERRIDE": unix.CAP_DAC_OVERRIDE, "CAP_KILL": unix.CAP_KILL,
		"CAP_SETGID": unix.CAP_SETGID, "CAP_SETUID": unix.CAP_SETUID,
	} {
		if capabilities[0].Effective&(1<<bit) == 0 {
			return fmt.Errorf("the server lacks %s", name)
		}
	}
	return nil
}

// changeUser gives up root with its capabilities. It also limits the number of processes and
// threads of the new user, which all conversions share.
func changeUser() error {
	parent := os.Getppid()
	if err := syscall.Setgroups(nil); err != nil {
		return fmt.Errorf("leave the groups: %w", err)
	}
	if err := syscall.Setresgid(UserID, UserID, UserID); err != nil {
		return fmt.Errorf("change the group: %w", err)
	}
	if err := syscall.Setresuid(UserID, UserID, UserID); err != nil {
		return fmt.Errorf("change the user: %w", err)
	}
	// Changing the user clears the parent-death signal (prctl(2)), so it is set again, for the
	// threads that exist. The main thread is among them and does not end before the process.
	if err := landlockcalls.AllThreadsPrctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("ask to die with the parent: %w", err)
	}
	if os.Getppid() != parent {
		return errors.New("the parent has ended")
	}
	processes := uint64(512 + 256*runtime.NumCPU())
	return lowerLimit(unix.RLIMIT_NPROC, processes, processes)
}

// restrictFiles lets the process open files in one folder only; "" means in none. Open
// files stay open.
func restrictFiles(folder string) error {
	// Version 1 refuses to move files between folders, which is how a complete result gets its
	// final name.
	const minVersion = 2
	if version, err := landlockcalls.LandlockGetABIVersion(); err != nil {
		return fmt.Errorf("read the version of Landlock: %w", err)
	} else if version < minVersion {
		return fmt.Errorf("version %d of Landlock is too old", version)
	}
	var rules []landlock.Rule
	if folder != "" {
		rules = append(rules, landlock.RWDirs(folder).WithRefer())
	}
	// BestEffort applies every restriction of these that the kernel supports.
	return landlock.V11.BestEffort().Restrict(rules...)
}
