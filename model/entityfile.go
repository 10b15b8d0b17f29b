package model

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// The maximum numbers of characters of RoomInfo's texts.
const (
	maxRoomTitle       = 50
	maxRoomDescription = 2048
)

// EntityFile returns the entity as a file of a workspace: JSON, indented by two spaces, with the
// id, type and data, or for RoomInfo only the data.
func (e *Entity) EntityFile() []byte {
	var content any = e.Data.OrEmpty()
	if e.EntityID != RoomInfoID {
		content = struct {
			ID   string `json:"id"`
			Type string `json:"type"`
			Data Object `json:"data"`
		}{e.EntityID, e.Type, e.Data.OrEmpty()}
	}
	var b bytes.Buffer
	if err := json.Indent(&b, NewObject(content), "", "  "); err != nil {
		panic("model: the file of an entity: " + err.Error()) // its data was validated when it was stored
	}
	b.WriteByte('\n')
	return b.Bytes()
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
	if id == RoomInfoID {
		return parseRoom(spaceID, object)
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
	if file.Type == nil {
		return nil, InvalidField("type", "is required")
	}
	if file.Data == nil {
		return nil, InvalidField("data", "is required and must be an object")
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

// parseRoom returns RoomInfo with the data of its file.
func parseRoom(spaceID string, data Object) (*Entity, error) {
	if err := checkData(data); err != nil {
		return nil, err
	}
	fields := data.Fields()
	for _, field := range []struct {
		name string
		max  int
	}{{"roomTitle", maxRoomTitle}, {"roomDescription", maxRoomDescription}} {
		if utf8.RuneCountInString(text(fields[field.name])) > field.max {
			return nil, Invalidf("%s has more than %d characters", field.name, field.max)
		}
	}
	return NewRoomInfo(spaceID, data), nil
}
