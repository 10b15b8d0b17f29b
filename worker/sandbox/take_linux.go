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

// take confines all threads of the process by one measure.
func take(m Measure, o Options) error {
	switch m {
	case Network:
		return nil // its parent's work
	case User:
		return changeUser()
	case Files:
		return restrictFiles(o.Folder)
	case Calls:
		return restrictCalls()
	}
	return fmt.Errorf("%q is no measure", m)
}

// refusePrivileges keeps the process, and what it might start, from getting
// privileges from a program's file. Landlock and seccomp ask for it as well.
func refusePrivileges() error {
	return landlockcalls.AllThreadsPrctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// Separate has the process that the attributes are for started in a network
// namespace of its own. It needs CAP_SYS_ADMIN.
func Separate(attr *syscall.SysProcAttr) { attr.Cloneflags |= syscall.CLONE_NEWNET }

// MayChangeUser returns why a process of this one cannot be given another user
// and folders of that user; nil where it can.
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

// changeUser gives up root with its capabilities. It also bounds the processes
// and threads of the new user, all conversions together.
func changeUser() error {
	parent := os.Getppid()
	if err := syscall.Setgroups(nil); err != nil {
		return fmt.Errorf("leave the groups: %w", err)
	}
	if err := syscall.Setresgid(ID, ID, ID); err != nil {
		return fmt.Errorf("change the group: %w", err)
	}
	if err := syscall.Setresuid(ID, ID, ID); err != nil {
		return fmt.Errorf("change the user: %w", err)
	}
	// The kernel forgets with the old user that the process is to die with its
	// parent. Threads that come later need not know: the first one stays.
	if err := landlockcalls.AllThreadsPrctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("ask to die with the parent: %w", err)
	}
	if os.Getppid() != parent {
		return errors.New("the parent has ended")
	}
	processes := uint64(512 + 256*runtime.NumCPU())
	return lower(unix.RLIMIT_NPROC, processes, processes)
}

// restrictFiles lets the process open files of one folder only, if any. Files that
// are open stay so. The process can get no privileges from now on.
func restrictFiles(folder string) error {
	// Before version 2 no file can be moved between folders, as a result is that
	// is whole.
	const oldest = 2
	if version, err := landlockcalls.LandlockGetABIVersion(); err != nil {
		return fmt.Errorf("ask for Landlock: %w", err)
	} else if version < oldest {
		return fmt.Errorf("version %d of Landlock is too old", version)
	}
	var rules []landlock.Rule
	if folder != "" {
		rules = append(rules, landlock.RWDirs(folder).WithRefer())
	}
	// What a newer kernel restricts besides is taken along.
	return landlock.V11.BestEffort().Restrict(rules...)
}
