package view

import "portico/model"

// Version is an entry in the history of a space: who changed it, when, and how much.
type Version struct {
	Number      int        `json:"number" jsonschema:"The number of the version, which counts from 1."`
	Name        string     `json:"name" jsonschema:"What the owner called it; empty for none."`
	Door        string     `json:"door" jsonschema:"The interface that made the changes: rest, graphql, mcp or pages; empty for changes of the server itself."`
	UserID      string     `json:"user_id" jsonschema:"The account that made the changes; empty for changes of the server itself."`
	IsChangeSet bool       `json:"is_change_set" jsonschema:"Whether the changes were made at once."`
	Restored    *int       `json:"restored_number" jsonschema:"The version that this one restored; null for none."`
	StartedAt   model.Time `json:"started_at" jsonschema:"When the first change was made."`
	EndedAt     model.Time `json:"ended_at" jsonschema:"When the last change was made."`
	Created     int        `json:"created" jsonschema:"How many things were created: entities, plugins and assets."`
	Updated     int        `json:"updated" jsonschema:"How many things were changed. The settings of the space are one."`
	Deleted     int        `json:"deleted" jsonschema:"How many things were deleted."`
	Bytes       int64      `json:"bytes" jsonschema:"The storage of the owner that the version uses, in bytes."`
}

// VersionList is one page of a space's versions, newest first.
type VersionList struct {
	Versions []Version `json:"versions" jsonschema:"The versions of this page, newest first."`
	Page
}

// NewVersion returns an item of NewVersionList, and the response to a change of the version's name.
func NewVersion(v *model.SpaceVersion) Version {
	return Version{
		Number: v.Number, Name: v.Name, Door: v.Door, UserID: v.UserID, IsChangeSet: v.IsChangeSet, Restored: v.RestoredNumber,
		StartedAt: v.StartedAt, EndedAt: v.EndedAt, Created: v.Created, Updated: v.Updated, Deleted: v.Deleted, Bytes: v.Bytes,
	}
}

// NewVersionList returns the response of the history of a space.
func NewVersionList(page *model.SpaceVersionConnection) VersionList {
	versions := make([]Version, len(page.Nodes))
	for i, version := range page.Nodes {
		versions[i] = NewVersion(version)
	}
	return VersionList{versions, NewPage(len(versions), page.TotalCount, page.PageInfo)}
}

// SpaceChange is the difference of one object of a space between two versions.
type SpaceChange struct {
	Target     string        `json:"target" jsonschema:"The id of an entity, the path of a plugin or an asset, or empty for the settings of the space."`
	BeforeType *string       `json:"before_type" jsonschema:"The type before: of an entity, file or space; null where it did not exist."`
	Before     *model.Object `json:"before" jsonschema:"The data before; null where it did not exist."`
	AfterType  *string       `json:"after_type" jsonschema:"The type after; null where it was deleted."`
	After      *model.Object `json:"after" jsonschema:"The data after; null where it was deleted."`
}

// SpaceChangeList is one page of differences, by target.
type SpaceChangeList struct {
	Changes []SpaceChange `json:"changes" jsonschema:"The differences of this page, by target."`
	Page
}

// NewSpaceChangeList returns the response of a comparison of two versions.
func NewSpaceChangeList(page *model.Connection[*model.SpaceChange]) SpaceChangeList {
	changes := make([]SpaceChange, len(page.Nodes))
	for i, c := range page.Nodes {
		changes[i] = SpaceChange{c.Target, c.BeforeType, objectOrNull(c.Before), c.AfterType, objectOrNull(c.After)}
	}
	return SpaceChangeList{changes, NewPage(len(changes), page.TotalCount, page.PageInfo)}
}

// objectOrNull returns nil for no object. A field that may be null is a pointer, which the schemas of
// MCP are made from.
func objectOrNull(object model.Object) *model.Object {
	if object == nil {
		return nil
	}
	return &object
}
