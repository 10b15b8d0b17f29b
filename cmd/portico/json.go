package main

import (
	"encoding/json"
	"io"
)

// printJSON writes the value as one line, so that a script can read each value when it is
// printed.
func printJSON(out io.Writer, v any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}
