package archive

import "portico/splat/input"

// entryError returns an InputError about the entry with this name.
func entryError(name, format string, args ...any) *input.Error {
	return input.Errorf(name, format, args...)
}

// damaged returns an InputError about an archive that cannot be read at all.
func damaged(why string) *input.Error {
	return &input.Error{Message: "The archive is damaged: " + why}
}

// quote makes a name from the archive safe to show.
func quote(name string) string { return input.Quote(name) }
