package child

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"portico/internal/jsonlines"
	"portico/model"
	"portico/splat"
)

// The limits of a child's output. A hostile file may control the child, so its output is not
// trusted.
const (
	maxLine  = 256 << 10 // bytes
	maxLines = 1 << 20   // ten a second for more than a day
	maxText  = 500       // characters of a message, an error or a name
	maxNames = 100
)

// output reads the lines of a child while the child runs.
//
// Its methods run on the goroutine that package os/exec starts for the child's standard output. The
// fields may be read after cmd.Wait.
type output struct {
	progress func(percent float64, message string)
	onLine   func()      // called for every line
	stop     func(error) // called once if the child breaks the protocol

	line   []byte // the start of an incomplete line
	lines  int
	result *Result
	fault  *string
	err    error // how the child broke the protocol
}

// Write implements io.Writer. It never fails: it stops a child that breaks the protocol.
func (o *output) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0 && o.err == nil; {
		part, after, whole := bytes.Cut(rest, []byte("\n"))
		if len(o.line)+len(part) > maxLine {
			o.fail(fmt.Errorf("a line is longer than %d bytes", maxLine))
			break
		}
		o.line, rest = append(o.line, part...), after
		if whole {
			o.fail(o.readLine(o.line))
			o.line = o.line[:0]
		}
	}
	return len(p), nil
}

// fail stores the first error and stops the child.
func (o *output) fail(err error) {
	if err != nil && o.err == nil {
		o.err = fmt.Errorf("read the child's output: %w", err)
		o.stop(o.err)
	}
}

func (o *output) readLine(text []byte) error {
	o.onLine()
	if o.lines++; o.lines > maxLines {
		return fmt.Errorf("there are more than %d lines", maxLines)
	}
	var message jsonlines.Line
	if err := json.Unmarshal(text, &message); err != nil {
		return err
	}
	switch {
	case o.result != nil || o.fault != nil:
		return errors.New("there is a line after the result")
	case message.Result != nil:
		if err := json.Unmarshal(*message.Result, &o.result); err != nil {
			return err
		}
		if err := o.result.check(); err != nil {
			return err
		}
		o.result.normalise()
	case message.Error != nil:
		text := sanitise(*message.Error)
		o.fault = &text
	case message.Percent != nil:
		o.progress(math.Min(math.Max(*message.Percent, 0), 100), sanitise(message.Message))
	default:
		return errors.New("a line has neither progress nor a result")
	}
	return nil
}

// check refuses a format, a model or a scene that no capture has: GraphQL has no value for an
// unknown format or scene, and the texts would be stored with any content.
func (r *Result) check() error {
	if r.Facts != nil {
		// A child reports a damaged file as a fault, so its facts are never FormatInvalid.
		if r.Facts.Format == model.FormatInvalid || !slices.Contains(model.FileFormats(), r.Facts.Format) {
			return errors.New("the facts have an unknown format")
		}
		switch splat.Model(r.Facts.Model) {
		case "", splat.ModelAntialiased, splat.Model2DGS:
		default:
			return errors.New("the facts have an unknown model")
		}
	}
	if r.Facts != nil && r.Facts.Up != nil && !isDirection(*r.Facts.Up) {
		return errors.New("the facts have an up that is no direction")
	}
	if r.Start == nil {
		return nil
	}
	if !isDirection(r.Start.Up) || !(r.Start.Certainty >= 0 && r.Start.Certainty <= 1) {
		return errors.New("the start has an up that is no direction")
	}
	switch r.Start.Scene {
	case model.SceneIndoor, model.SceneOutdoor, model.SceneObject:
		return nil
	}
	return errors.New("the start has an unknown scene")
}

// isDirection reports whether a vector has a length of about 1.
func isDirection(v [3]float64) bool {
	return math.Abs(v[0]*v[0]+v[1]*v[1]+v[2]*v[2]-1) < 0.01
}

// normalise makes the result safe to store, and removes what only the owner of a file can choose.
func (r *Result) normalise() {
	sanitiseFacts(r.Facts)
	r.Pictures = r.Pictures[:min(len(r.Pictures), maxNames)]
	if r.Start != nil {
		r.Start.SetByOwner = false
	}
}

// sanitiseFacts makes facts safe to store and to show, since their texts come from the
// file.
func sanitiseFacts(facts *model.FileFacts) {
	if facts == nil {
		return
	}
	facts.Version, facts.Attribution, facts.Fault = sanitise(facts.Version), sanitise(facts.Attribution), sanitise(facts.Fault)
	facts.Extensions = facts.Extensions[:min(len(facts.Extensions), maxNames)]
	for i, name := range facts.Extensions {
		facts.Extensions[i] = sanitise(name)
	}
	facts.Levels = facts.Levels[:min(len(facts.Levels), maxNames)]
}

// sanitise returns the text as one line of limited length.
func sanitise(text string) string {
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
