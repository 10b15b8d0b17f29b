package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"

	"portico/model"
)

// The bounds of what a child may say. It reads a stranger's file, so it may say
// anything.
const (
	longestLine = 256 << 10 // bytes
	mostLines   = 1 << 20   // ten a second for more than a day
	longestText = 500       // characters of a message, an error or a name
	mostNames   = 100
)

// childLine is one line of a child's standard output: how far it has come, or,
// as the last one, what came of it.
type childLine struct {
	// Percent of the child's own work; nil in the last line.
	Percent *float64 `json:"percent"`
	Message string   `json:"message"`
	// Result is what was made or found.
	Result *childResult `json:"result"`
	// Error is what is wrong with the user's file.
	Error *string `json:"error"`
}

// childResult is how the work of a child ended.
type childResult struct {
	// Facts are what was found in the input, or in the output where there is one.
	Facts *model.FileFacts `json:"facts"`
	// Missing says why a measure does not confine children here.
	Missing map[string]string `json:"missing"`
}

// childOutput reads what a child says, while it says it.
type childOutput struct {
	report func(percent float64, message string)
	alive  func()      // called for every line
	stop   func(error) // called once, for a child that does not keep to the protocol

	line   []byte // the beginning of the one that is not complete
	lines  int
	result *childResult
	fault  *string
	err    error // what broke the protocol
}

// Write implements io.Writer. It never fails: the child is stopped instead.
func (o *childOutput) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0 && o.err == nil; {
		part, after, whole := bytes.Cut(rest, []byte("\n"))
		if len(o.line)+len(part) > longestLine {
			o.fail(fmt.Errorf("a line is longer than %d bytes", longestLine))
			break
		}
		o.line, rest = append(o.line, part...), after
		if whole {
			o.fail(o.take(o.line))
			o.line = o.line[:0]
		}
	}
	return len(p), nil
}

// fail keeps the first error and stops the child.
func (o *childOutput) fail(err error) {
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("read what the child says: %w", err)
		o.stop(o.err)
	}
}

// take carries out one line.
func (o *childOutput) take(line []byte) error {
	o.alive()
	if o.lines++; o.lines > mostLines {
		return fmt.Errorf("there are more than %d lines", mostLines)
	}
	var said childLine
	if err := json.Unmarshal(line, &said); err != nil {
		return err
	}
	switch {
	case o.result != nil || o.fault != nil:
		return errors.New("it goes on after the result")
	case said.Result != nil:
		o.result = said.Result
		cleanFacts(o.result.Facts)
	case said.Error != nil:
		text := clean(*said.Error)
		o.fault = &text
	case said.Percent != nil:
		o.report(math.Min(math.Max(*said.Percent, 0), 100), clean(said.Message))
	default:
		return errors.New("a line says nothing")
	}
	return nil
}

// cleanFacts makes facts fit to be stored and shown: their words come from the
// file.
func cleanFacts(facts *model.FileFacts) {
	if facts == nil {
		return
	}
	facts.Format = model.FileFormat(clean(string(facts.Format)))
	facts.Version, facts.Attribution, facts.Fault = clean(facts.Version), clean(facts.Attribution), clean(facts.Fault)
	facts.Extensions = facts.Extensions[:min(len(facts.Extensions), mostNames)]
	for i, name := range facts.Extensions {
		facts.Extensions[i] = clean(name)
	}
	facts.Levels = facts.Levels[:min(len(facts.Levels), mostNames)]
}

// clean makes one line of bounded length of a text.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	if characters := []rune(text); len(characters) > longestText {
		return string(characters[:longestText]) + "..."
	}
	return text
}
