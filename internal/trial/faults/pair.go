package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"portico/internal/testkit/program"
)

// pair is a Postgres with a synchronous standby, either of which may be the primary. It promotes
// what a person or Patroni would promote, and makes the other server a standby of the new primary.
type pair struct {
	w       *world
	members [2]*member
	primary int // index of the member that takes writes
	// programs is the folder of initdb and postgres, and owner the user that runs them, nil for the
	// user of this process.
	programs string
	owner    *syscall.Credential
}

// member is one server of a pair.
type member struct {
	name, folder, address string
	clock                 string // the file with the offset of its clock
	postmaster            *exec.Cmd
	ended                 chan struct{}
}

// newPair creates and starts a primary and its standby. The standby streams through the relay that
// replicate returns for the address of the primary.
func newPair(ctx context.Context, w *world) (*pair, error) {
	p := &pair{w: w}
	var err error
	if p.programs, err = findPrograms(); err != nil {
		return nil, err
	}
	if p.owner, err = findOwner(); err != nil {
		return nil, err
	}
	for i, name := range []string{"db1", "db2"} {
		address, err := program.FreeAddress(ctx)
		if err != nil {
			return nil, err
		}
		p.members[i] = &member{name: name, folder: filepath.Join(w.dir, name), address: address, clock: filepath.Join(w.dir, name+".clock")}
	}
	w.onClose(func() error {
		for _, m := range p.members {
			m.kill()
		}
		return nil
	})
	if err := p.create(ctx); err != nil {
		return nil, err
	}
	w.database = &database{adminURL: func() string { return p.members[p.primary].url("postgres", "portico") }}
	return p, nil
}

// findPrograms returns the newest folder with the programs of a Postgres server.
func findPrograms() (string, error) {
	folders, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if path, lookErr := exec.LookPath("pg_basebackup"); lookErr == nil {
		folders = append(folders, filepath.Dir(path))
	}
	for i := len(folders) - 1; i >= 0; i-- {
		if _, err := os.Stat(filepath.Join(folders[i], "postgres")); err == nil {
			return folders[i], nil
		}
	}
	return "", errors.Join(errSkipped{"the programs of PostgreSQL are missing, with pg_basebackup"}, err)
}

// findOwner returns the user that runs Postgres, which refuses to run as root.
func findOwner() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // the user of this process
	}
	found, err := user.Lookup("postgres")
	if err != nil {
		found, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, err
	}
	uid, uidErr := strconv.ParseUint(found.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(found.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(uidErr, gidErr)
}

// create creates the primary with the roles of docs/operations.md, and its standby.
func (p *pair) create(ctx context.Context) error {
	first := p.members[0]
	if err := p.prepareFolder(first); err != nil {
		return err
	}
	if err := p.run(ctx, "initdb", "--no-sync", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-D", first.folder); err != nil {
		return err
	}
	for file, text := range map[string]string{
		"pg_hba.conf": "host all,replication all 127.0.0.1/32 trust\n",
		"postgresql.auto.conf": "fsync = off\nmax_connections = 300\nshared_buffers = 64MB\nunix_socket_directories = ''\n" +
			"wal_keep_size = 512MB\nwal_sender_timeout = 5s\nwal_receiver_timeout = 5s\nwal_retrieve_retry_interval = 200ms\n",
	} {
		if err := os.WriteFile(filepath.Join(first.folder, file), []byte(text), 0o600); err != nil {
			return err
		}
		if p.owner != nil {
			if err := os.Chown(filepath.Join(first.folder, file), int(p.owner.Uid), int(p.owner.Gid)); err != nil {
				return err
			}
		}
	}
	if err := p.start(ctx, first); err != nil {
		return err
	}
	if err := first.exec(ctx, "postgres", "CREATE ROLE portico_owner LOGIN", "CREATE ROLE portico_app LOGIN", "CREATE DATABASE portico OWNER portico_owner"); err != nil {
		return err
	}
	return first.exec(ctx, "portico", "REVOKE ALL ON DATABASE portico FROM PUBLIC", "GRANT CONNECT ON DATABASE portico TO portico_app",
		"ALTER SCHEMA public OWNER TO portico_owner", "REVOKE ALL ON SCHEMA public FROM PUBLIC")
}

// prepareFolder makes an empty folder for the data of a member.
func (p *pair) prepareFolder(m *member) error {
	err := errors.Join(os.RemoveAll(m.folder), os.Mkdir(m.folder, 0o700))
	if err == nil && p.owner != nil {
		err = os.Chown(m.folder, int(p.owner.Uid), int(p.owner.Gid))
	}
	if err == nil {
		err = os.WriteFile(m.clock, []byte("+0\n"), 0o644) //nolint:gosec // another user reads it
	}
	return err
}

// run runs a program of Postgres to its end.
func (p *pair) run(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(p.programs, name), args...)
	cmd.Dir = p.w.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.owner, Setpgid: true}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

// start starts a member and waits until it accepts connections.
func (p *pair) start(ctx context.Context, m *member) error {
	log, err := os.OpenFile(filepath.Join(p.w.dir, m.name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(m.address)
	if err != nil {
		return err
	}
	cmd := exec.Command(filepath.Join(p.programs, "postgres"), "-D", m.folder, "-c", "listen_addresses="+host, "-c", "port="+port) //nolint:noctx // killed with the world
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, p.w.dir
	cmd.Env = append(os.Environ(), clockVariables(m.clock)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.owner, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return errors.Join(err, log.Close())
	}
	m.postmaster, m.ended = cmd, make(chan struct{})
	go func(ended chan struct{}) {
		_ = cmd.Wait() // it was killed
		_ = log.Close()
		close(ended)
	}(m.ended)
	return awaitCondition(ctx, startTimeout, m.name+" accepts connections", func() (bool, error) { return m.exec(ctx, "postgres", "SELECT 1") == nil, nil })
}

// standBy makes the member that is not the primary a new standby of it, which streams through the
// relay, and waits until commits wait for it.
func (p *pair) standBy(ctx context.Context, link string) error {
	standby, primary := p.members[1-p.primary], p.members[p.primary]
	if err := p.prepareFolder(standby); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(link)
	if err != nil {
		return err
	}
	err = p.run(ctx, "pg_basebackup", "--no-sync", "--checkpoint=fast", "--wal-method=stream", "--write-recovery-conf", "-D", standby.folder,
		"-d", "host="+host+" port="+port+" user=postgres application_name="+standby.name+" connect_timeout=3")
	if err != nil {
		return err
	}
	if err := p.start(ctx, standby); err != nil {
		return err
	}
	if err := primary.exec(ctx, "postgres", "ALTER SYSTEM SET synchronous_standby_names = '"+standby.name+"'", "SELECT pg_reload_conf()"); err != nil {
		return err
	}
	return p.awaitSynchronous(ctx)
}

// awaitSynchronous waits until commits wait for the standby.
func (p *pair) awaitSynchronous(ctx context.Context) error {
	return awaitCondition(ctx, time.Minute, "the standby is synchronous", func() (bool, error) {
		n, err := p.w.database.queryInt(ctx, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'")
		return n == 1, err
	})
}

// promote makes the standby the primary, which waits for no standby, and returns when that was.
func (p *pair) promote(ctx context.Context) (time.Time, error) {
	next := p.members[1-p.primary]
	err := next.exec(ctx, "postgres", "SELECT pg_promote(wait => true, wait_seconds => 60)")
	promoted := time.Now()
	p.primary = 1 - p.primary
	return promoted, err
}

// url returns the address of a database, without a relay.
func (m *member) url(role, name string) string {
	return "postgres://" + role + "@" + m.address + "/" + name + "?sslmode=disable&connect_timeout=3"
}

// exec runs statements at the member one after the other.
func (m *member) exec(ctx context.Context, name string, statements ...string) error {
	d := database{adminURL: func() string { return m.url("postgres", name) }}
	return d.exec(ctx, statements...)
}

// processes returns the ids of the postmaster and of its children, which are sessions of their own.
func (m *member) processes() ([]int, error) {
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	pids := []int{m.postmaster.Process.Pid}
	for _, file := range all {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue
		}
		if err != nil {
			return nil, err
		}
		_, fields, _ := strings.Cut(string(text), ") ") // the name of the program may have blanks
		if columns := strings.Fields(fields); len(columns) > 1 && columns[1] == strconv.Itoa(pids[0]) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			if err != nil {
				return nil, err
			}
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// signal sends a signal to all processes of the member.
func (m *member) signal(s syscall.Signal) error {
	pids, err := m.processes()
	for _, pid := range pids {
		if killErr := syscall.Kill(pid, s); killErr != nil && !errors.Is(killErr, syscall.ESRCH) {
			err = errors.Join(err, killErr)
		}
	}
	return err
}

// kill ends the member as a lost machine ends, whether it was stopped before or not.
func (m *member) kill() {
	if m.postmaster == nil {
		return
	}
	_ = m.signal(syscall.SIGKILL) // it may have ended
	<-m.ended
}

// shutDown ends the member as an operator does: all that was committed reaches the standby.
func (m *member) shutDown() error {
	err := m.postmaster.Process.Signal(syscall.SIGINT)
	<-m.ended
	return err
}

// clockVariables returns the variables by which libfaketime moves the clock of a program of C, none
// where it is not installed. The file has the offset, which may change while the program runs.
func clockVariables(file string) []string {
	library := clockLibrary()
	if library == "" {
		return nil
	}
	return []string{"LD_PRELOAD=" + library, "FAKETIME_TIMESTAMP_FILE=" + file, "FAKETIME_CACHE_DURATION=1",
		"FAKETIME_DONT_FAKE_MONOTONIC=1", "DONT_FAKE_MONOTONIC=1", "FAKETIME_DONT_RESET=1"}
}

// clockLibrary returns the path of libfaketime, "" where it is not installed.
func clockLibrary() string {
	for _, pattern := range []string{"/usr/lib/*/faketime/libfaketime.so.1", "/usr/lib/faketime/libfaketime.so.1", "/usr/lib64/faketime/libfaketime.so.1"} {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	return ""
}

// moveClock sets how far the clock of the member is ahead; negative is behind.
func (m *member) moveClock(ahead time.Duration) error {
	return os.WriteFile(m.clock, fmt.Appendf(nil, "%+d\n", int(ahead.Seconds())), 0o644) //nolint:gosec // another user reads it
}
