package model

import (
	"bytes"
	"encoding/json"
)

// ShareField is the field of a space's data in which the browser splat trainer stores an object. A
// space with that object is a shared space.
const ShareField = "splatjs"

// ShareBlock returns the object of ShareField, or nil for a space that is not shared.
func (s *Space) ShareBlock() json.RawMessage {
	if !s.Data.mayContain(ShareField) {
		return nil
	}
	block := s.Data.Fields()[ShareField]
	if !bytes.HasPrefix(block, []byte("{")) {
		return nil
	}
	return block
}

// SharedSpace is a shared space with the name of its owner.
type SharedSpace struct {
	Space     *Space
	OwnerName string
}
