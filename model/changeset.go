package model

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of a change set, and of the export of a space.
const (
	MaxChanges    = 5000     // puts and deletes together, and expected files
	MaxAsset      = 25 << 20 // bytes of one plugin or asset that is sent with the change set
	MaxExport     = 32 << 20 // bytes of JSON of a space that is exported
	maxFileFaults = 50       // validation errors of one response
	// MaxUploadedAsset is the maximum size in bytes of an asset that was uploaded first and
	// is named by its resource key.
	MaxUploadedAsset = 256 << 20
	// MaxUploadedAssets is the maximum size in bytes of all such assets of a change set
	// together, because the server reads them to compute their hashes.
	MaxUploadedAssets = 1 << 30
)

// AssetTooLarge returns the message for a plugin or asset of more than MaxAsset bytes.
func AssetTooLarge() string { return fmt.Sprintf("The file has more than %d bytes", MaxAsset) }

// ChangeSet is a set of changes of a space, as changes of the files of its workspace. Either all
// of them are made or none.
type ChangeSet struct {
	SpaceID string
	Puts    []FilePut
	// Deletes are the paths of files to delete. A path without a file is ignored. Deletions come
	// first: a plugin folder that is deleted here has only the files of Puts afterwards.
	Deletes []string
	// Expected are files as the client last read them. If one of them has changed since then,
	// the change set is refused.
	Expected []ExpectedFile
	// DryRun asks only what the changes would do.
	DryRun bool
	// ReturnsContent asks for the content of the space after the changes. They are refused if it has
	// more than MaxExport bytes of JSON.
	ReturnsContent bool
}

// ExpectedFile is a file of a space as a client last read it.
type ExpectedFile struct {
	Path string `json:"path" jsonschema:"The path of the file."`
	// SHA256 is the hash of the content in hex; nil if there must be no such file.
	SHA256 *string `json:"sha256,omitempty" jsonschema:"The SHA-256 of its content in hex, as it was exported; left out for a file that must not exist."`
}

// FilePut is the new content of a file.
type FilePut struct {
	Path    string
	Content []byte
	// ResourceKey is an uploaded file of the account that becomes the asset. If it is set,
	// Content is empty.
	ResourceKey string
}

// NewFilePut returns the new content of a file as a client sends it: text, base64, or the
// resource key of an uploaded file. It adds what is wrong to the faults, so that a client learns
// about all files of a change set at once.
func (f *ChangeFaults) NewFilePut(path string, content *string, isBase64 bool, resourceKey *string) FilePut {
	put := FilePut{Path: path}
	isUploaded := resourceKey != nil && *resourceKey != ""
	hasContent := content != nil
	switch {
	case isUploaded == hasContent:
		f.Add(path, "The file needs either its content or the key of an uploaded file")
	case isUploaded:
		put.ResourceKey = *resourceKey
	case isBase64:
		decoded, err := base64.StdEncoding.DecodeString(*content)
		if err != nil {
			f.Add(path, "The content is not base64")
		}
		put.Content = decoded
	default:
		put.Content = []byte(*content)
	}
	return put
}

// ChangeOp is the operation of a change, as REST names it.
type ChangeOp = string

// The server derives the operation of a change from the path of its file.
const (
	OpCreateEntity ChangeOp = "create_entity"
	OpUpdateEntity ChangeOp = "update_entity"
	OpDeleteEntity ChangeOp = "delete_entity"
	OpUpdateRoom   ChangeOp = "update_room"
	OpPutPlugin    ChangeOp = "put_plugin"
	OpDeletePlugin ChangeOp = "delete_plugin"
	OpPutAsset     ChangeOp = "put_asset"
	OpDeleteAsset  ChangeOp = "delete_asset"
	// OpUpdateSettings changes the title, the description and the fields kept with a space.
	OpUpdateSettings ChangeOp = "update_settings"
)

// AppliedChange is a change that was made. Target is the id of an entity or the name of a
// file.
type AppliedChange struct {
	Op     ChangeOp `json:"op" jsonschema:"What was done, such as create_entity or put_asset."`
	Target string   `json:"target" jsonschema:"The id of the entity, or the name of the file."`
}

// ChangeResult is what a change set changed, or with DryRun would change.
type ChangeResult struct {
	DryRun  bool
	Applied []AppliedChange
	// Content is the content of the space after the change set, and before any later change. A dry run
	// returns the content that the space keeps. It is nil without ChangeSet.ReturnsContent.
	Content *SpaceFiles
}

// FileFault is a validation error of one file of a change set.
type FileFault struct {
	File    string `json:"file"`
	Message string `json:"message"`
}

// ChangeFaults are the validation errors of a change set.
type ChangeFaults []FileFault

// Add adds the error of a file, up to maxFileFaults.
func (f *ChangeFaults) Add(file, format string, args ...any) {
	if len(*f) < maxFileFaults {
		*f = append(*f, FileFault{strings.ToValidUTF8(file, "?"), fmt.Sprintf(format, args...)})
	}
}

// message returns all faults in one line.
func (f ChangeFaults) message() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.File + ": " + fault.Message
	}
	return strings.Join(lines, "; ")
}

// Refusal returns the error that refuses the change set; nil if there are no faults.
func (f ChangeFaults) Refusal() error {
	if len(f) == 0 {
		return nil
	}
	return &Error{Code: CodeInvalidFiles, Message: f.message(), Details: f}
}

// PlannedDeletes are the ids of the entities of a space that an archive would delete because it
// does not contain them.
type PlannedDeletes []string

// Refusal returns the error that refuses the archive.
func (p PlannedDeletes) Refusal() error {
	const format = "The archive lacks entities of the space, and would delete them (%d): send force=1 to do so"
	return &Error{Code: CodeConflict, Message: fmt.Sprintf(format, len(p)), Details: p}
}

// FileConflicts are the paths of the files that have changed since the client read them.
type FileConflicts []string

// Refusal returns the error that refuses the change set; nil if there are no conflicts.
func (c FileConflicts) Refusal() error {
	if len(c) == 0 {
		return nil
	}
	message := "The space has changed since it was read: " + strings.Join(c[:min(len(c), maxFileFaults)], ", ")
	return &Error{Code: CodeConflict, Reason: ReasonStale, Message: message, Details: c}
}

// SpaceFile is a plugin or an asset of a space.
type SpaceFile struct {
	SpaceID string `bun:",pk"`
	// Path is the path below space/, such as plugins/clock.mjs, or plugins/clock for a plugin folder.
	Path string `bun:",pk"`
	// ResourceKey is the key of the file, or of the file PluginIndex in a plugin folder.
	ResourceKey string
	// SHA256 is the hash of the content in hex; for a plugin folder, see FolderSHA256.
	SHA256 string `bun:"sha256"`
}

// SpaceFiles is what an export of a space reads: the rows that become its files.
type SpaceFiles struct {
	Space *Space
	// Entities include RoomInfo.
	Entities []*Entity
	Files    []*SpaceFile
}

// ExportedFile is a file of an exported space: its path, hash, and content or address.
type ExportedFile struct {
	Path   string `json:"path" jsonschema:"The path, such as space/entities/ID.json."`
	SHA256 string `json:"sha256" jsonschema:"The SHA-256 of the content in hex."`
	// Content is nil for plugins and assets, which have a URL.
	Content *string `json:"content" jsonschema:"The text of the file; null for plugins and assets."`
	URL     *string `json:"url" jsonschema:"The address of a plugin or an asset; null for other files."`
}

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
