package archive

import "portico/splat/input"

// damaged returns an error about an archive that cannot be read at all.
func damaged(why string) *input.Error {
	return (&input.Error{Message: "The archive is damaged: " + why}).
		Advise(adviceToZipAgain)
}
