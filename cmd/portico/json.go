package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
)

// printJSON writes the value as one line of JSON, so that a script can read values line by line.
func printJSON(out io.Writer, v any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// reportError prints an error as a JSON line with --json, including the details of a refusal by the
// server, and returns errLogged. Otherwise it returns the error. The line has:
//
//	error             the message
//	status            the HTTP status, if the server refused a request
//	validationErrors  the faults of single files, as the server sent them
//	conflicts         the paths that changed on both sides, or what the server sent
//	applied           the changes of a push that could not update the folder afterwards
//
// A command that a signal has stopped prints no line.
func reportError(in *invocation, asJSON bool, err error) error {
	if !asJSON || err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	line := map[string]any{}
	if refused, ok := errors.AsType[*refusedError](err); ok {
		var details map[string]any
		_ = json.Unmarshal(refused.body, &details) // a response of a proxy need not be JSON
		for _, name := range []string{"validationErrors", "conflicts"} {
			if details[name] != nil {
				line[name] = details[name]
			}
		}
		line["status"] = refused.status
	}
	if found, ok := errors.AsType[conflictError](err); ok {
		line["conflicts"] = found
	}
	if failed, ok := errors.AsType[*notUpdatedError](err); ok {
		line["applied"] = failed.pushed.Applied
	}
	line["error"] = err.Error()
	return errors.Join(errLogged, printJSON(in.out, line))
}
