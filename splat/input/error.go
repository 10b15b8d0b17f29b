package input

import "fmt"

// maxShownName bounds how much of a hostile name goes into an error text, in
// bytes.
const maxShownName = 120

// Error is a fault in the user's file. Its text becomes the job's error, so it
// says in plain words which file or entry is at fault and why, and nothing of
// our insides.
type Error struct {
	// Entry is the name of the file or archive entry at fault, or "" when the
	// fault is not in one. It may hold anything; Error quotes it.
	Entry string
	// Message completes "Entry "name": ..."; without an entry it stands alone
	// and begins with a capital. No full stop.
	Message string
}

// Error returns the sentence that the user reads.
func (e *Error) Error() string {
	if e.Entry == "" {
		return e.Message
	}
	return fmt.Sprintf("Entry %s: %s", Quote(e.Entry), e.Message)
}

// Errorf returns an Error about the file or entry with this name.
func Errorf(name, format string, args ...any) *Error {
	return &Error{Entry: name, Message: fmt.Sprintf(format, args...)}
}

// Quote makes a name from a stranger safe to show: control characters and
// broken UTF-8 are escaped, and what is too long is cut.
func Quote(name string) string {
	if len(name) <= maxShownName {
		return fmt.Sprintf("%q", name)
	}
	return fmt.Sprintf("%q...", name[:maxShownName])
}
