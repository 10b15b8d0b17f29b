package child

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"portico/internal/subprocess"
	"portico/worker/sandbox"
)

// confinement is the list of measures that work on this machine.
type confinement struct {
	measures []sandbox.Measure
	// missing maps each measure that does not work to the reason.
	missing map[sandbox.Measure]string
}

// has reports whether the measure confines children.
func (c *confinement) has(m sandbox.Measure) bool { return slices.Contains(c.measures, m) }

// String returns the measures for the log. Limits of resources work on all systems.
func (c *confinement) String() string {
	names := []string{"limits"}
	for _, measure := range c.measures {
		names = append(names, string(measure))
	}
	return strings.Join(names, ",")
}

// confinementTimeout is the time limit for trying all measures.
const confinementTimeout = time.Minute

// FindConfinement has a child try every measure. Every later child must apply the measures
// that work: if one fails, the child refuses its request, so that no conversion runs with
// fewer measures than were found here. Call it once, before Run.
//
// folder is an empty folder on the disk of the jobs, or "" if none could be created. Shares of NFS and
// SMB let no owner be changed, and then children run as the user of the server.
//
// Network is tried separately: the kernel refuses to start a process in a namespace that it cannot
// create, so there is no child that could report it.
func (r *Runner) FindConfinement(ctx context.Context, folder string) error {
	missing := map[sandbox.Measure]string{}
	result, err := r.tryMeasures(ctx, true)
	// The server lacks the right, the kernel lacks the feature, or there are too many
	// namespaces.
	refused, ok := errors.AsType[syscall.Errno](err)
	if ok && slices.Contains([]syscall.Errno{syscall.EPERM, syscall.EINVAL, syscall.ENOSPC}, refused) {
		missing[sandbox.Network] = refused.Error()
		result, err = r.tryMeasures(ctx, false)
	}
	if err != nil {
		return fmt.Errorf("find out how conversions can be confined: %w", err)
	}
	for measure, why := range result.Missing {
		missing[measure] = sanitise(why)
	}
	if err := sandbox.MayChangeUser(); err != nil {
		missing[sandbox.User] = err.Error()
	} else if err := tryGiving(folder); err != nil {
		missing[sandbox.User] = "the data folder keeps its owners: " + err.Error()
	}
	r.confinement = confinement{missing: missing}
	for _, measure := range sandbox.Measures() {
		if _, ok := missing[measure]; !ok {
			r.confinement.measures = append(r.confinement.measures, measure)
		}
	}
	r.logConfinement()
	return nil
}

// logConfinement logs what confines children and what is missing, in one line.
func (r *Runner) logConfinement() {
	c := &r.confinement
	if len(c.missing) == 0 {
		r.Logger.Info("conversions are confined", "by", c.String())
		return
	}
	attributes := []any{"by", c.String()}
	for _, measure := range sandbox.Measures() {
		if why, ok := c.missing[measure]; ok {
			attributes = append(attributes, "no_"+string(measure), why)
		}
	}
	r.Logger.Warn("conversions are confined only in part, see docs/operations.md", attributes...)
}

// tryMeasures has a child try the measures; network selects whether sandbox.Network is among
// them. It creates no file, because a server must start even if the disk is full.
func (r *Runner) tryMeasures(ctx context.Context, network bool) (*Result, error) {
	ctx, cancel := context.WithTimeout(ctx, confinementTimeout)
	defer cancel()
	cmd, err := r.command(ctx, "/", Request{Task: TaskConfinement})
	if err != nil {
		return nil, err
	}
	out := &output{stop: func(error) { cancel() }, onLine: func() {}, progress: func(float64, string) {}}
	var stderr subprocess.Excerpt
	cmd.Stdout, cmd.Stderr = out, &stderr
	if network {
		sandbox.Separate(cmd.SysProcAttr)
	}
	if err := runOnOwnThread(cmd, func(int) {}); err != nil {
		if _, ended := errors.AsType[*exec.ExitError](err); ended {
			return nil, crashed(err, stderr.String())
		}
		return nil, err
	}
	if out.result == nil {
		return nil, crashed(errors.New("the child ended without a result"), stderr.String())
	}
	return out.result, nil
}

// Confinement reports for each measure whether it confines children.
func (r *Runner) Confinement() map[string]bool {
	measures := map[string]bool{}
	for _, measure := range sandbox.Measures() {
		measures[string(measure)] = r.confinement.has(measure)
	}
	return measures
}

// GiveFolder lets children create files in the folder. If children run as another user, it
// makes that user the owner of the folder.
func (r *Runner) GiveFolder(path string) error {
	if !r.confinement.has(sandbox.User) {
		return nil
	}
	return giveFolder(path)
}

func giveFolder(path string) error {
	if err := os.Chown(path, sandbox.UserID, sandbox.UserID); err != nil {
		return fmt.Errorf("give a folder to the child: %w", err)
	}
	return nil
}

// tryGiving gives a folder to the user of children, and returns an error if the folder does not belong
// to that user then, or if this process can no longer use it: a server of NFS takes root for nobody, and
// SMB accepts and ignores every owner.
func tryGiving(path string) error {
	if path == "" {
		return nil
	}
	if err := giveFolder(path); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || owner.Uid != sandbox.UserID {
		return errors.New("a change of the owner has no effect")
	}
	inner := filepath.Join(path, "inner")
	if err := os.Mkdir(inner, 0o700); err != nil {
		return err
	}
	return os.Remove(inner)
}
