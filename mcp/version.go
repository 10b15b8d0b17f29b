package mcp

import (
	"context"
	"fmt"

	"portico/graph/view"
	"portico/model"
)

// listVersionsInput selects a page of the versions of a space.
type listVersionsInput struct {
	spaceInput
	pageInput
}

type versionListOutput struct{ view.VersionList }

func (o versionListOutput) summary() string {
	return fmt.Sprintf("%d of %d versions", o.Count, o.Total)
}

func (d *door) spaceVersions(ctx context.Context, in listVersionsInput) (versionListOutput, error) {
	page, err := d.Resolver.Query().SpaceVersions(ctx, in.SpaceID, in.args())
	if err != nil {
		return versionListOutput{}, err
	}
	return versionListOutput{view.NewVersionList(page)}, nil
}

// compareVersionsInput selects a page of the differences between two versions.
type compareVersionsInput struct {
	versionInput
	From *int `json:"from,omitempty" jsonschema:"The number of the earlier version; by default the one before number."`
	pageInput
}

type spaceChangeListOutput struct{ view.SpaceChangeList }

func (o spaceChangeListOutput) summary() string {
	return fmt.Sprintf("%d of %d differences", o.Count, o.Total)
}

func (d *door) spaceChanges(ctx context.Context, in compareVersionsInput) (spaceChangeListOutput, error) {
	found, err := d.Resolver.Query().SpaceChanges(ctx, in.SpaceID, in.From, in.Number, in.args())
	if err != nil {
		return spaceChangeListOutput{}, err
	}
	return spaceChangeListOutput{view.NewSpaceChangeList((*model.Connection[*model.SpaceChange])(found))}, nil
}

type versionInput struct {
	spaceInput
	Number int `json:"number" jsonschema:"The number of the version, as in list_versions."`
}

// nameVersionInput is the input of the tool that names a version. It has no lock: a name is not
// content, so it may change while another editor has the space locked.
type nameVersionInput struct {
	versionInput
	Name string `json:"name" jsonschema:"The name, at most 100 characters; empty removes it."`
}

type versionOutput struct{ view.Version }

func (o versionOutput) summary() string {
	return fmt.Sprintf("Version %d is called %q", o.Number, o.Name)
}

func (d *door) nameVersion(ctx context.Context, in nameVersionInput) (versionOutput, error) {
	version, err := d.Resolver.Mutation().NameVersion(ctx, model.NameVersion{SpaceID: in.SpaceID, Number: in.Number, Name: in.Name})
	if err != nil {
		return versionOutput{}, err
	}
	return versionOutput{view.NewVersion(version)}, nil
}

// restoreVersionInput selects the version to restore. It has a lock, because a restored version
// replaces the content.
type restoreVersionInput struct {
	versionInput
	lockInput
}

func (d *door) restoreVersion(ctx context.Context, in restoreVersionInput) (changesOutput, error) {
	result, err := d.Resolver.Mutation().RestoreVersion(in.context(ctx), in.SpaceID, in.Number)
	if err != nil {
		return changesOutput{}, err
	}
	return changesOutput{view.NewChanges(result)}, nil
}

// versionTools returns the tools of the history of spaces.
func (d *door) versionTools() []tool {
	return []tool{
		newQuickTool(toolSpec{
			name: "list_versions", title: "List the versions of a space", effect: readsOnly, operations: []string{"spaceVersions"},
			description: "Returns the history of a space, newest first. A version is a change set, or a burst of single changes.",
		}, d.spaceVersions),
		newQuickTool(toolSpec{
			name: "compare_versions", title: "Compare two versions of a space", effect: readsOnly, operations: []string{"spaceChanges"},
			description: "Returns what a version changed, or how a space differs between two versions, with the data before and after.",
		}, d.spaceChanges),
		newQuickTool(toolSpec{
			name: "name_version", title: "Name a version of a space", effect: updates, operations: []string{"nameVersion"},
			description: "Names a version, so that people find it again.",
		}, d.nameVersion),
		newQuickTool(toolSpec{
			name: "restore_version", title: "Restore a version of a space", effect: updates, operations: []string{"restoreVersion"},
			description: "Makes the content of a space what it was after a version, as a new version: all of it or nothing. To undo version 7, restore version 6.",
		}, d.restoreVersion),
	}
}
