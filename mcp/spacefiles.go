package mcp

import (
	"context"
	"fmt"

	"portico/graph/view"
	"portico/model"
)

type spaceFilesOutput struct{ view.SpaceFiles }

func (o spaceFilesOutput) summary() string { return counted(len(o.Files), "file") }

func (d *door) exportSpace(ctx context.Context, in spaceInput) (spaceFilesOutput, error) {
	export, err := d.Resolver.Query().ExportSpace(ctx, in.SpaceID)
	if err != nil {
		return spaceFilesOutput{}, err
	}
	return spaceFilesOutput{view.NewSpaceFiles(d.Resolver, export)}, nil
}

// putFile is a file to create or replace, with its text, its bytes as base64, or an uploaded file.
type putFile struct {
	Path        string  `json:"path" jsonschema:"The path: space/room.json, space/entities/ID.json, space/plugins/NAME.mjs, a file of the plugin folder space/plugins/NAME/ with its index.mjs, or space/assets/NAME."`
	Content     *string `json:"content,omitempty" jsonschema:"The content: text, or base64 where that is set. The file of an entity has id, type and data. Leave it out for an asset that resource_key names."`
	Base64      *bool   `json:"base64,omitempty" jsonschema:"Whether the content is base64; false by default."`
	ResourceKey *string `json:"resource_key,omitempty" jsonschema:"A file of this account, from an upload tool or a completed job, that becomes the asset of this path."`
}

type changesInput struct {
	spaceInput
	lockInput
	Puts     []putFile            `json:"puts,omitempty" jsonschema:"The files to create or replace. The file of an entity replaces its whole data."`
	Deletes  []string             `json:"deletes,omitempty" jsonschema:"The paths of the files to delete."`
	Expected []model.ExpectedFile `json:"expected,omitempty" jsonschema:"Files as you know them: if one has changed since, nothing is changed."`
	DryRun   *bool                `json:"dryRun,omitempty" jsonschema:"Whether only to return what the changes would do; false by default."`
}

// changesOutput is the output of apply_changes and of restore_version, which is a change set too.
type changesOutput struct{ view.Changes }

func (o changesOutput) summary() string {
	switch {
	case o.NoChanges:
		return "The space is already as the files say"
	case o.DryRun:
		return "It would make " + counted(len(o.Applied), "change")
	}
	return "Made " + counted(len(o.Applied), "change")
}

// counted returns the number with its noun, such as "1 file" or "2 files".
func counted(number int, noun string) string {
	if number != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", number, noun)
}

// applyChanges returns the faults of all files together, before it changes anything, so that an
// agent can correct them in one call.
func (d *door) applyChanges(ctx context.Context, in changesInput) (changesOutput, error) {
	set := model.ChangeSet{SpaceID: in.SpaceID, Deletes: in.Deletes, Expected: in.Expected, DryRun: in.DryRun != nil && *in.DryRun}
	var faults model.ChangeFaults
	for _, put := range in.Puts {
		set.Puts = append(set.Puts, faults.NewFilePut(put.Path, put.Content, put.Base64 != nil && *put.Base64, put.ResourceKey))
	}
	if err := faults.Refusal(); err != nil {
		return changesOutput{}, err
	}
	result, err := d.Resolver.Mutation().ApplyChanges(in.context(ctx), set)
	if err != nil {
		return changesOutput{}, err
	}
	return changesOutput{view.NewChanges(result)}, nil
}

// spaceFileTools returns the tools of spaces as files.
func (d *door) spaceFileTools() []tool {
	return []tool{
		newQuickTool(toolSpec{
			name: "export_space", title: "Export a space as files", effect: readsOnly, operations: []string{"exportSpace"},
			description: "Returns everything in a space as files: the room, one JSON file for each entity, and the plugins and assets. Use it to work on many entities at once. In the data of an entity, assets/NAME, plugins/NAME.mjs and plugins/NAME/index.mjs are files of the space; a plugin folder is one file of the list, and the room has the title, description and privacy of the space.",
		}, d.exportSpace),
		newQuickTool(toolSpec{
			name: "apply_changes", title: "Apply changes of files", effect: upserts, operations: []string{"applyChanges"},
			description: "Creates, replaces and deletes files of a space, all of them or none. Files that are left out stay. Use dryRun first to see what would change.",
		}, d.applyChanges),
		newQuickTool(toolSpec{
			name: "lock_space", title: "Lock a space", effect: upserts, operations: []string{"lockSpace"},
			description: "Lets you alone change what is in a space, for a while. Pass the lock_token to each tool that changes the space, and renew the lock before it ends.",
		}, d.lockSpace),
		newQuickTool(toolSpec{
			name: "unlock_space", title: "Unlock a space", effect: updates, operations: []string{"unlockSpace"},
			description: "Ends a lock, so that other editors can change the space.",
		}, d.unlockSpace),
	}
}
