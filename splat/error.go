package splat

import "fmt"

// maxShownName bounds how much of a hostile name goes into an error text, in
// bytes.
const maxShownName = 120

// InputError is a fault in the user's file. Its text becomes the job's error,
// so it says in plain words which entry is at fault and why, and nothing of our
// insides.
type InputError struct {
	// Entry is the name as the archive has it, or "" when the fault is not in
	// one entry. It may hold anything; Error quotes it.
	Entry string
	// Message completes "Entry "name": ..."; without an entry it stands alone
	// and begins with a capital. No full stop.
	Message string
}

// Error returns the sentence that the user reads.
func (e *InputError) Error() string {
	if e.Entry == "" {
		return e.Message
	}
	return fmt.Sprintf("Entry %s: %s", quote(e.Entry), e.Message)
}

// entryError returns an InputError about the entry with this name.
func entryError(name, format string, args ...any) *InputError {
	return &InputError{Entry: name, Message: fmt.Sprintf(format, args...)}
}

// damaged returns an InputError about an archive that cannot be read at all.
func damaged(why string) *InputError {
	return &InputError{Message: "The archive is damaged: " + why}
}

// quote makes a name from the archive safe to show: control characters and
// broken UTF-8 are escaped, and what is too long is cut.
func quote(name string) string {
	if len(name) <= maxShownName {
		return fmt.Sprintf("%q", name)
	}
	return fmt.Sprintf("%q...", name[:maxShownName])
}
