package input

import (
	"fmt"
	"unicode/utf8"
)

// maxShownName limits how much of a hostile name an error text shows, in bytes.
const maxShownName = 120

// The advice for a user whose file is damaged or incomplete.
const (
	exportAgain = "Export it again and upload the new file"
	copyAgain   = "Copy or download it again and upload the whole file"
)

// Error is a fault in the user's file. Its text becomes the job's error. It says in plain words
// which file has the fault, what the fault is and, if possible, what the user can do. It reveals
// nothing about the server.
type Error struct {
	// File is the name of the file or of the archive entry with the fault, or "" if the fault
	// is not in a single file. It may contain any bytes; the method Error quotes it.
	File string
	// Message completes the sentence that starts with the file's name, as in "is encrypted".
	// Without a file it is the whole sentence and starts with a capital. It has no full stop.
	Message string
	// Advice is a sentence that says what the user can do, without a full stop. "" means that
	// the message is enough.
	Advice string
}

// Error returns the text that the user reads.
func (e *Error) Error() string {
	text := e.Message
	if e.File != "" {
		text = Quote(e.File) + " " + text
	}
	if e.Advice != "" {
		text += ". " + e.Advice + "."
	}
	return text
}

// Advise sets the advice and returns the error itself.
func (e *Error) Advise(advice string) *Error {
	e.Advice = advice
	return e
}

// Errorf returns an Error about the file with this name.
func Errorf(name, format string, args ...any) *Error {
	return &Error{File: name, Message: fmt.Sprintf(format, args...)}
}

// Damaged returns an Error about a file whose content contradicts its format, and
// advises to export it again. The format completes "is damaged: ".
func Damaged(name, format string, args ...any) *Error {
	return Errorf(name, "is damaged: "+format, args...).Advise(exportAgain)
}

// CutOff returns an Error about a file whose end is missing, and advises to copy it again: the
// usual cause is an incomplete copy. The format completes "is cut off: ".
func CutOff(name, format string, args ...any) *Error {
	return Errorf(name, "is cut off: "+format, args...).Advise(copyAgain)
}

// Quote makes a name from a stranger safe to show: it escapes control characters
// and broken UTF-8 and shortens long names after a whole character.
func Quote(name string) string {
	if len(name) <= maxShownName {
		return fmt.Sprintf("%q", name)
	}
	end := maxShownName
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return fmt.Sprintf("%q...", name[:end])
}
