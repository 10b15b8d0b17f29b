package model

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// EntityFile returns the entity as a file: JSON, indented by two spaces, with the id, type and data.
func (e *Entity) EntityFile() []byte {
	content := struct {
		ID   string `json:"id"`
		Type string `json:"type"`
		Data Object `json:"data"`
	}{e.EntityID, e.Type, e.Data.OrEmpty()}
	var b bytes.Buffer
	if err := json.Indent(&b, NewObject(content), "", "  "); err != nil {
		panic("model: the file of an entity: " + err.Error()) // its data was validated when it was stored
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// WorkspaceFile returns the entity as the file of a workspace of the space: EntityFile with tokens
// instead of the addresses of the space's files, and for RoomInfo with the settings of the space.
// The tokens are by their addresses.
func (e *Entity) WorkspaceFile(space *Space, tokens map[string]string) []byte {
	shown := *e
	shown.Data = e.Data.OrEmpty()
	if len(tokens) > 0 {
		shown.Data = shown.Data.replaceStrings(func(text string) (string, bool) {
			token, ok := tokens[text]
			return token, ok
		})
	}
	if e.EntityID == RoomInfoID {
		shown.Data = shown.Data.With(newRoomSettings(space))
	}
	return shown.EntityFile()
}

// ParseEntityFile reads the file of the entity with this id.
func ParseEntityFile(spaceID, id string, content []byte) (*Entity, error) {
	if !utf8.Valid(content) {
		return nil, Invalidf("The file must be valid UTF-8")
	}
	object, err := ParseObject(content)
	if err != nil {
		return nil, Invalidf("The file must be a JSON object")
	}
	if err := CheckSurrogates("The file", object); err != nil {
		return nil, err
	}
	if id == RoomInfoID && !isEntityFile(object) {
		return NewRoomInfo(spaceID, object), checkData(object)
	}
	var file struct {
		ID   *string `json:"id"`
		Type *string `json:"type"`
		Data Object  `json:"data"`
	}
	if err := Decode(object, "", &file); err != nil {
		return nil, err
	}
	if file.ID != nil && *file.ID != id {
		return nil, InvalidField("id", "must be the name of the file without .json")
	}
	if file.Type == nil && id != RoomInfoID {
		return nil, InvalidField("type", "is required")
	}
	if file.Data == nil {
		return nil, InvalidField("data", "is required and must be an object")
	}
	if id == RoomInfoID {
		return NewRoomInfo(spaceID, file.Data), checkData(file.Data)
	}
	in := CreateEntity{SpaceID: spaceID, EntityID: &id, Type: file.Type, Data: file.Data}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	return completeFile(in)
}

// completeFile returns the entity of a valid file, and adds the defaults of fields that gates may
// omit.
func completeFile(in CreateEntity) (*Entity, error) {
	entity := in.Entity(nil)
	if !entity.IsGate() {
		if IsStaticGateID(entity.EntityID) {
			return nil, Invalidf(GateNotCreatable)
		}
		return entity, nil
	}
	entity.Data = FillPlatform(entity.Data)
	if entity.Type == TypeDynamicGate {
		entity.Data = CompleteGate(entity.Data)
	}
	return entity, ValidateGate(entity.Type, entity.Data)
}

// isEntityFile reports whether the file of the room is like the file of any entity. Older clients
// send only the data of the room, and new ones may leave out the id or the type.
func isEntityFile(file Object) bool {
	fields := file.Fields()
	if text(fields["id"]) == RoomInfoID {
		return true
	}
	for name := range fields {
		if name != "id" && name != "type" && name != "data" {
			return false
		}
	}
	return rawKind(fields["data"]) == "object"
}
