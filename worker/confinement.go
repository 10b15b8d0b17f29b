package worker

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"portico/worker/sandbox"
)

// confinement is what confines children here.
type confinement struct {
	measures []sandbox.Measure
	// missing says why each of the other measures does not work.
	missing map[sandbox.Measure]string
}

// has reports whether children are confined by the measure.
func (c *confinement) has(m sandbox.Measure) bool { return slices.Contains(c.measures, m) }

// flag is the value of the child's flag.
func (c *confinement) flag() string {
	names := []string{"limits"}
	for _, measure := range c.measures {
		names = append(names, string(measure))
	}
	return strings.Join(names, ",")
}

// confinementTime is how long a child may take to try all measures.
const confinementTime = time.Minute

// tryConfinement finds out what confines children here, by having one try. What
// works is asked of every child from then on, and a child in which it fails does
// no work: no conversion runs with less than was found here.
func (w *Worker) tryConfinement(ctx context.Context) error {
	missing := map[sandbox.Measure]string{}
	result, err := w.askConfinement(ctx, true)
	// Not permitted, not in this kernel, or one namespace too many.
	refused, ok := errors.AsType[syscall.Errno](err)
	if ok && slices.Contains([]syscall.Errno{syscall.EPERM, syscall.EINVAL, syscall.ENOSPC}, refused) {
		missing[sandbox.Network] = refused.Error()
		result, err = w.askConfinement(ctx, false)
	}
	if err != nil {
		return fmt.Errorf("ask what confines conversions: %w", err)
	}
	for name, why := range result.Missing {
		missing[sandbox.Measure(name)] = clean(why)
	}
	if err := sandbox.MayChangeUser(); err != nil {
		missing[sandbox.User] = err.Error()
	}
	w.confined = confinement{missing: missing}
	for _, measure := range sandbox.Measures() {
		if _, ok := missing[measure]; !ok {
			w.confined.measures = append(w.confined.measures, measure)
		}
	}
	w.logConfinement()
	return nil
}

// logConfinement names what is missing, in one line.
func (w *Worker) logConfinement() {
	if len(w.confined.missing) == 0 {
		w.Logger.Info("conversions are confined", "by", w.confined.flag())
		return
	}
	missing := []any{"by", w.confined.flag()}
	for _, measure := range sandbox.Measures() {
		if why, ok := w.confined.missing[measure]; ok {
			missing = append(missing, "no_"+string(measure), why)
		}
	}
	w.Logger.Warn("conversions are confined in part, see docs/operations.md", missing...)
}

// askConfinement runs the child that tries. It makes no file: a server must start
// where the disk is full.
func (w *Worker) askConfinement(ctx context.Context, network bool) (*childResult, error) {
	ctx, cancel := context.WithTimeout(ctx, confinementTime)
	defer cancel()
	said := &childOutput{stop: func(error) { cancel() }, alive: func() {}, report: func(float64, string) {}}
	var complaints excerpt
	cmd := w.command(ctx, &workFolder{path: "/"}, "confinement")
	cmd.Stdout, cmd.Stderr = said, &complaints
	if network {
		sandbox.Separate(cmd.SysProcAttr)
	}
	if err := live(cmd); err != nil {
		if _, ended := errors.AsType[*exec.ExitError](err); ended {
			return nil, crashed(err, complaints.String())
		}
		return nil, err
	}
	if said.result == nil {
		return nil, crashed(errors.New("it ended without a result"), complaints.String())
	}
	return said.result, nil
}

// Confinement reports for each measure whether it confines this worker's children;
// nil where it has none.
func (w *Worker) Confinement() map[string]bool {
	if len(w.Program) == 0 {
		return nil
	}
	measures := map[string]bool{}
	for _, measure := range sandbox.Measures() {
		measures[string(measure)] = w.confined.has(measure)
	}
	return measures
}
