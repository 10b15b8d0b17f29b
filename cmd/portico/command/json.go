package command

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"

	"portico/client"
)

// PrintJSON writes the value as one line of JSON, so that a script can read values line by line.
func PrintJSON(out io.Writer, v any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// ReportError prints an error as a JSON line with --json, including the details of a refusal by the
// server, and returns ErrLogged. Otherwise it returns the error. The line has:
//
//	error             the message
//	status            the HTTP status, if the server refused a request
//	validationErrors  the faults of single files, as the server sent them
//	conflicts         the paths that changed, as the server sent them
//
// The details are added to the line, and win over what the server sent. A command that a signal has
// stopped prints no line.
func ReportError(in *Invocation, asJSON bool, err error, details map[string]any) error {
	if !asJSON || err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	line := map[string]any{}
	if refused, ok := errors.AsType[*client.RefusedError](err); ok {
		var sent map[string]any
		_ = json.Unmarshal(refused.Body, &sent) // a response of a proxy need not be JSON
		for _, name := range []string{"validationErrors", "conflicts"} {
			if sent[name] != nil {
				line[name] = sent[name]
			}
		}
		line["status"] = refused.Status
	}
	maps.Copy(line, details)
	line["error"] = err.Error()
	return errors.Join(ErrLogged, PrintJSON(in.Out, line))
}
