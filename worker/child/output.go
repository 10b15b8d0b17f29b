package child

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

// The limits of a child's output. It reads a stranger's file, so it may print
// anything.
const (
	maxLine  = 256 << 10 // bytes
	maxLines = 1 << 20   // ten a second for more than a day
	maxText  = 500       // characters of a message, an error or a name
	maxNames = 100
)

// output reads the lines of a child as they come.
type output struct {
	progress func(percent float64, message string)
	alive    func()      // called for every line
	stop     func(error) // called once, for a child that breaks the protocol

	line   []byte // the beginning of an incomplete line
	lines  int
	result *Result
	fault  *string
	err    error // how the child broke the protocol
}

// Write implements io.Writer. It never fails: the child is stopped instead.
func (o *output) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0 && o.err == nil; {
		part, after, whole := bytes.Cut(rest, []byte("\n"))
		if len(o.line)+len(part) > maxLine {
			o.fail(fmt.Errorf("a line is longer than %d bytes", maxLine))
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
func (o *output) fail(err error) {
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("read the child's output: %w", err)
		o.stop(o.err)
	}
}

// take interprets one line.
func (o *output) take(text []byte) error {
	o.alive()
	if o.lines++; o.lines > maxLines {
		return fmt.Errorf("there are more than %d lines", maxLines)
	}
	var said line
	if err := json.Unmarshal(text, &said); err != nil {
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
		o.progress(math.Min(math.Max(*said.Percent, 0), 100), clean(said.Message))
	default:
		return errors.New("a line says nothing")
	}
	return nil
}

// cleanFacts makes facts safe to store and to show: their words come from the file.
func cleanFacts(facts *model.FileFacts) {
	if facts == nil {
		return
	}
	facts.Format = model.FileFormat(clean(string(facts.Format)))
	facts.Version, facts.Attribution, facts.Fault = clean(facts.Version), clean(facts.Attribution), clean(facts.Fault)
	facts.Extensions = facts.Extensions[:min(len(facts.Extensions), maxNames)]
	for i, name := range facts.Extensions {
		facts.Extensions[i] = clean(name)
	}
	facts.Levels = facts.Levels[:min(len(facts.Levels), maxNames)]
}

// clean returns the text as one line of limited length.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	if characters := []rune(text); len(characters) > maxText {
		return string(characters[:maxText]) + "..."
	}
	return text
}
