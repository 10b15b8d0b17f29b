package input

import (
	"path"
	"strings"
)

// HasExtension reports whether a name has the extension, which includes its dot,
// in upper or lower case, as file systems on desktops compare them.
func HasExtension(name, extension string) bool {
	return strings.EqualFold(path.Ext(name), extension)
}
