package splat

import "portico/splat/input"

// InputError is a fault in the user's file. Its text becomes the job's error.
type InputError = input.Error

// entryError returns an InputError about the entry with this name.
func entryError(name, format string, args ...any) *InputError {
	return input.Errorf(name, format, args...)
}

// damaged returns an InputError about an archive that cannot be read at all.
func damaged(why string) *InputError {
	return &InputError{Message: "The archive is damaged: " + why}
}

// quote makes a name from the archive safe to show.
func quote(name string) string { return input.Quote(name) }
