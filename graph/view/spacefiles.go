package view

import (
	"strings"

	"portico/graph"
	"portico/model"
)

// SpaceFiles is an exported space.
type SpaceFiles struct {
	Files []model.ExportedFile `json:"files" jsonschema:"All files of the space."`
}

// NewSpaceFiles returns the exported files with their addresses and hashes.
func NewSpaceFiles(r *graph.Resolver, export *model.SpaceFiles) SpaceFiles {
	return SpaceFiles{Files: r.ExportedFiles(export)}
}

// Manifest lists the files of an exported space with their hashes.
type Manifest struct {
	SpaceID  string           `json:"spaceId"`
	Entities []ManifestEntity `json:"entities"`
	Plugins  []ManifestFile   `json:"plugins"`
	Assets   []ManifestFile   `json:"assets"`
}

// ManifestEntity is the file of one entity in a Manifest, with the entity's id and type.
type ManifestEntity struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	ManifestFile
}

// ManifestFile is a file in a manifest, or a plugin folder, whose SHA is model.FolderSHA256. URL is
// empty for an entity.
type ManifestFile struct {
	File  string `json:"file"`
	SHA   string `json:"sha"`
	IsDir bool   `json:"isDir,omitempty"`
	URL   string `json:"url,omitempty"`
}

// NewManifest lists the files of the space by kind: entities, plugins and assets.
func NewManifest(export *model.SpaceFiles, shown SpaceFiles) Manifest {
	m := Manifest{SpaceID: export.Space.ID, Entities: []ManifestEntity{}, Plugins: []ManifestFile{}, Assets: []ManifestFile{}}
	for i, entity := range export.Entities {
		file := ManifestFile{File: shown.Files[i].Path, SHA: shown.Files[i].SHA256}
		m.Entities = append(m.Entities, ManifestEntity{entity.EntityID, entity.Type, file})
	}
	for i, stored := range export.Files {
		found := shown.Files[len(export.Entities)+i]
		file := ManifestFile{File: found.Path, SHA: found.SHA256, IsDir: stored.IsFolder(), URL: *found.URL}
		if strings.HasPrefix(found.Path, model.SpaceFolder+model.PluginFolder) {
			m.Plugins = append(m.Plugins, file)
		} else {
			m.Assets = append(m.Assets, file)
		}
	}
	return m
}

// Changes is the response to a change set.
type Changes struct {
	DryRun    bool                  `json:"dryRun,omitempty" jsonschema:"Whether this was a dry run: nothing was changed."`
	NoChanges bool                  `json:"noChanges,omitempty" jsonschema:"Whether the space already matches the files."`
	Applied   []model.AppliedChange `json:"applied" jsonschema:"What was changed, or would be."`
	// Failed is always empty: a change set is applied as a whole or refused.
	Failed []model.AppliedChange `json:"failed" jsonschema:"Always empty: a change set is applied whole or refused."`
}

// NewChanges returns the response to a change set. Its lists are empty, and never null.
func NewChanges(result *model.ChangeResult) Changes {
	applied := result.Applied
	if applied == nil {
		applied = []model.AppliedChange{}
	}
	return Changes{DryRun: result.DryRun, NoChanges: len(applied) == 0, Applied: applied, Failed: []model.AppliedChange{}}
}
