package model

import (
	"cmp"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The folders and the file of a space in a workspace.
const (
	SpaceFolder  = "space/"
	entityFolder = "entities/"
	PluginFolder = "plugins/"
	AssetFolder  = "assets/"
	roomFile     = "room.json"
	// ManifestFile is the file beside the folder that lists the files with their hashes.
	ManifestFile = ".materialize-manifest.json"
)

// maxPath is the maximum number of bytes of a path.
const maxPath = 400

// ChangePath is the part of a space that a path of a change set names: an entity or a file. A path
// of neither, such as a client's own notes, is ignored.
type ChangePath struct {
	// EntityID is the id of an entity; RoomInfoID for the room.
	EntityID string
	// File is the path of a plugin or an asset below space/, such as plugins/clock for a plugin
	// folder (IsPluginFolder).
	File string
	// Inner is the name of a file in the plugin folder File, such as lib/hands.mjs; empty for the
	// folder itself.
	Inner string
}

// ParseChangePath parses a path that a client sent. The server never opens a file at that path.
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

// checkPath refuses a path that leads out of its folder on some system, and any path that is not
// in its shortest form, so that each file has exactly one path.
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

// entityPath parses the name of an entity's file.
func entityPath(name string) (ChangePath, error) {
	id, ok := strings.CutSuffix(name, ".json")
	if !ok || checkEntityID(id) != nil || id == RoomInfoID {
		return ChangePath{}, Invalidf("The file of an entity is named after its id, which has 1 to 128 letters, digits, dots, underscores or hyphens, and .json")
	}
	return ChangePath{EntityID: id}, nil
}

// pluginPath parses the path of a plugin, or of a file in a plugin folder.
func pluginPath(name string) (ChangePath, error) {
	folder, inner, isInner := strings.Cut(strings.TrimPrefix(name, PluginFolder), "/")
	target := ChangePath{File: PluginFolder + folder, Inner: inner}
	switch {
	case !isInner && path.Ext(name) == ".mjs":
		return target, nil
	case !IsPluginFolder(target.File):
		return ChangePath{}, Invalidf("A plugin is a .mjs file, or a folder whose name does not end in .mjs")
	}
	return target, cmp.Or(checkFolderName(folder), checkFolderName(inner))
}

// assetPath parses the path of an asset. It refuses folders: the addresses of assets are not below
// one another, so a relative address between two assets would not work.
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
