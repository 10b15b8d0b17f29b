package model

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The folders of a space that is kept as files.
const (
	SpaceFolder  = "space/"
	entityFolder = "entities/"
	PluginFolder = "plugins/"
	AssetFolder  = "assets/"
	roomFile     = "room.json"
)

// maxPath is the maximum number of bytes of a path.
const maxPath = 400

// ChangePath is what a path of a change set names. At most one field is set; a path without
// one names nothing of a space, such as a note of the client's, and is ignored.
type ChangePath struct {
	// EntityID is the id of an entity, with RoomInfo for the room.
	EntityID string
	// File is the path of a plugin or an asset below space/.
	File string
}

// ParseChangePath reads a path that a client sent. It only names a part of the space: the
// server opens no file by it.
func ParseChangePath(text string) (ChangePath, error) {
	if err := checkPath(text); err != nil {
		return ChangePath{}, err
	}
	name, ok := strings.CutPrefix(text, SpaceFolder)
	switch {
	case !ok:
		return ChangePath{}, nil
	case name == roomFile:
		return ChangePath{EntityID: RoomInfoID}, nil
	case strings.HasPrefix(name, entityFolder):
		return entityPath(strings.TrimPrefix(name, entityFolder))
	case strings.HasPrefix(name, PluginFolder):
		return pluginPath(name)
	case strings.HasPrefix(name, AssetFolder):
		return assetPath(name)
	}
	return ChangePath{}, nil
}

// checkPath refuses paths that leave their folder on some system, and other spellings of a
// path that has one.
func checkPath(text string) error {
	switch {
	case text == "" || len(text) > maxPath:
		return Invalidf("The path must have 1 to %d bytes", maxPath)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return Invalidf("The path must be text without control characters")
	case strings.ContainsAny(text, `\:`):
		return Invalidf("The path must not contain backslashes or colons")
	case path.Clean(text) != text || path.IsAbs(text) || text == ".." || strings.HasPrefix(text, "../"):
		return Invalidf("The path must be relative, without empty, . and .. parts")
	}
	return nil
}

// entityPath reads the name of an entity's file.
func entityPath(name string) (ChangePath, error) {
	id, ok := strings.CutSuffix(name, ".json")
	if !ok || checkEntityID(id) != nil || id == RoomInfoID {
		return ChangePath{}, Invalidf("The file of an entity is named after its id, which has 1 to 128 letters, digits, dots, underscores or hyphens, and .json")
	}
	return ChangePath{EntityID: id}, nil
}

// pluginPath reads the path of a plugin.
func pluginPath(name string) (ChangePath, error) {
	if strings.Count(name, "/") > 1 || path.Ext(name) != ".mjs" {
		return ChangePath{}, Invalidf("A plugin is one .mjs file: bundle its modules into one")
	}
	return ChangePath{File: name}, nil
}

// assetPath reads the path of an asset. Each asset has an address of its own, so a folder
// would promise relative addresses that do not work.
func assetPath(name string) (ChangePath, error) {
	if strings.Count(name, "/") > 1 {
		return ChangePath{}, Invalidf("Assets are files directly in space/assets")
	}
	return ChangePath{File: name}, nil
}

// RoomPath is the path of the room's file.
const RoomPath = SpaceFolder + roomFile

// EntityPath returns the path of an entity's file.
func EntityPath(id string) string {
	if id == RoomInfoID {
		return RoomPath
	}
	return SpaceFolder + entityFolder + id + ".json"
}

// PutOp returns the operation that stores a file of a space, and the file's name.
func PutOp(file string) AppliedChange {
	if name, ok := strings.CutPrefix(file, PluginFolder); ok {
		return AppliedChange{OpPutPlugin, name}
	}
	return AppliedChange{OpPutAsset, strings.TrimPrefix(file, AssetFolder)}
}

// DeleteOp returns the operation that removes a file from a space, and the file's name.
func DeleteOp(file string) AppliedChange {
	if name, ok := strings.CutPrefix(file, PluginFolder); ok {
		return AppliedChange{OpDeletePlugin, name}
	}
	return AppliedChange{OpDeleteAsset, strings.TrimPrefix(file, AssetFolder)}
}
