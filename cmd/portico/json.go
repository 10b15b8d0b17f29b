package main

import (
	"encoding/json"
	"io"
)

// printJSON writes one line, so that a script can read each value as it comes.
func printJSON(out io.Writer, v any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}
