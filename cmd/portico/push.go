package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"

	"portico/model"
)

type pushCommand struct {
	Dir string `arg:"" optional:"" help:"The folder of the space." default:"." type:"path"`
	workspaceFlags
	DryRun bool   `help:"Show the changes without making them."`
	Lock   string `help:"Token of your lock of the space." placeholder:"TOKEN"`
}

// pushResult is the response to a change set.
type pushResult struct {
	DryRun    bool                  `json:"dryRun,omitempty"`
	NoChanges bool                  `json:"noChanges,omitempty"`
	Applied   []model.AppliedChange `json:"applied"`
}

// Run sends the local changes. The server refuses them if it has other versions of these files
// than the last pull.
func (c *pushCommand) Run(ctx context.Context, in *invocation) error {
	result := &pushResult{DryRun: c.DryRun, NoChanges: true, Applied: []model.AppliedChange{}}
	err := c.withSpace(c.Dir, func(w *workspace) error {
		local, err := w.scan()
		if err != nil {
			return err
		}
		changes := changesBetween(w.state.Files, local)
		if len(changes) == 0 {
			return nil
		}
		var sent map[string]string
		if result, sent, err = w.push(ctx, c, changes, func() *progress { return c.newProgress(in) }); err != nil || c.DryRun {
			return err
		}
		// Both sides now have the files that were sent. A file that was saved between the scan and
		// the upload of a large asset was sent in its new form. The pull fetches the form in which
		// the server writes them, and the new addresses of plugins and assets. If the process ends
		// before this state is written, the next pull finds the same content on both sides, which
		// is not a conflict.
		maps.Copy(local, sent)
		w.state.Files = local
		if err = w.writeState(); err == nil {
			_, err = w.pull(ctx, false)
		}
		if err != nil {
			return &notUpdatedError{pushed: result, cause: err}
		}
		return nil
	})
	if failed, ok := errors.AsType[*notUpdatedError](err); ok && !c.JSON {
		err = errors.Join(failed.pushed.print(in.out), err)
	}
	return c.finish(in, err, result, result.print)
}

// notUpdatedError says that a push has changed the space, and then could not update the folder. A
// user who saw the cause alone would believe that nothing was changed.
type notUpdatedError struct {
	pushed *pushResult
	cause  error
}

// Error implements error.
func (e *notUpdatedError) Error() string {
	return "the space was changed, but the folder was not updated: run portico pull: " + e.cause.Error()
}

// Unwrap lets errors.Is find the cause.
func (e *notUpdatedError) Unwrap() error { return e.cause }

// newProgress returns the output for the upload of an asset: a bar on a terminal. --json prints
// one line, the result.
func (c *pushCommand) newProgress(in *invocation) *progress {
	if c.JSON {
		return &progress{out: in.out}
	}
	return newProgress(in, false)
}

// print prints a line for each change.
func (p *pushResult) print(out io.Writer) error {
	for _, change := range p.Applied {
		if _, err := fmt.Fprintf(out, "  %s %s\n", change.Op, change.Target); err != nil {
			return err
		}
	}
	count, verb := fmt.Sprintf("%d changes", len(p.Applied)), "were"
	if len(p.Applied) == 1 {
		count, verb = "1 change", "was"
	}
	if p.DryRun {
		verb = "would be"
	}
	line := count + " " + verb + " made"
	if p.NoChanges {
		line = "Nothing to push"
	}
	_, err := fmt.Fprintln(out, line)
	return err
}

// push sends the changes, with the hashes of the versions that they replace, and returns the
// response and the SHA-256 of the files that it sent, by path. If the server refuses the changes,
// push deletes the assets that it has uploaded for them.
//
// What is known after sending:
//
//	a response of 200            applied
//	a response of 4xx            not applied; the uploaded assets are deleted
//	a response of 5xx or none    unknown; the assets stay, because the space may use them
func (w *workspace) push(ctx context.Context, c *pushCommand, changes []fileChange, newProgress func() *progress) (_ *pushResult, sent map[string]string, err error) {
	b := &changeSetBuilder{
		folder: w, isDryRun: c.DryRun, newProgress: newProgress,
		set: changeSet{Puts: []filePut{}, Deletes: []string{}}, sent: map[string]string{},
	}
	if err := b.add(ctx, changes); err != nil {
		return nil, nil, errors.Join(err, b.discard(ctx))
	}
	result, err := w.sendChanges(ctx, c, b.set)
	if err != nil {
		// Without a response, or after an internal error, the server may have applied the changes.
		if refused, ok := errors.AsType[*refusedError](err); ok && refused.status < http.StatusInternalServerError {
			err = errors.Join(err, b.discard(ctx))
		}
		return nil, nil, err
	}
	return result, b.sent, nil
}

func (w *workspace) sendChanges(ctx context.Context, c *pushCommand, set changeSet) (*pushResult, error) {
	body, err := json.Marshal(set)
	if err != nil {
		return nil, err
	}
	query := url.Values{"lock": {c.Lock}}
	if c.DryRun {
		query.Set("dryRun", "1")
	}
	address := w.remote.server + "/v1/spaces/" + w.state.Space + "/changeset?" + query.Encode()
	_, response, err := w.remote.do(ctx, http.MethodPost, address, http.Header{"Content-Type": {"application/octet-stream"}}, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	result := &pushResult{}
	return result, json.Unmarshal(response, result)
}
