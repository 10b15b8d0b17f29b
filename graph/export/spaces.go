package export

import (
	"errors"
	"path"
	"slices"

	"portico/model"
)

// writeSpaces writes the account's spaces, and then the list of the spaces.
func (e *exporter) writeSpaces() error {
	var written []model.ExportedSpace
	err := eachRow(func(page model.Page) (*model.Connection[*model.Space], error) {
		found, err := e.DB.Spaces().SpacesOf(e.ctx, e.User.ID, model.SpaceFilter{}, page)
		return (*model.Connection[*model.Space])(found), err
	}, func(space *model.Space) error {
		if err := e.check(); err != nil {
			return err
		}
		exported, err := e.writeSpace(space)
		if err == nil {
			written = append(written, *exported)
		}
		if model.CodeOf(err) == model.CodeNotFound { // the space was deleted since the list was read
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.Reverse(written) // oldest first, so that an import keeps the order
	return e.archive.addList(model.ExportSpacesFile, func(yield func(any) error) error {
		for _, exported := range written {
			if err := yield(exported); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeSpace writes the files of a space, in the form of a workspace, and its history.
//
// RoomInfo is read by itself, because lists leave it out.
func (e *exporter) writeSpace(space *model.Space) (*model.ExportedSpace, error) {
	exported := &model.ExportedSpace{
		ID: space.ID, Folder: model.ExportSpacesFolder + space.ID + "/", SpaceTexts: space.SpaceTexts,
		Type: space.Type, Privacy: space.Privacy, PluginsForVisitors: space.PluginsForVisitors,
		CopiesAllowed: space.CopiesAllowed, Template: space.Template, OriginID: space.OriginID, Presence: space.Presence(),
		Data: space.Data.OrEmpty(), VisitCount: space.VisitCount, CreatedAt: space.CreatedAt, ChangedAt: space.ChangedAt,
		Files: map[string]string{},
	}
	links, err := e.DB.ShareLinks().ShareLinksOf(e.ctx, []string{space.ID})
	if err != nil {
		return nil, err
	}
	for _, link := range links[space.ID] {
		exported.Links = append(exported.Links, model.NewExportedLink(link))
	}
	names, err := e.DB.Handles().NamesOfSpaces(e.ctx, []string{space.ID})
	if err != nil {
		return nil, err
	}
	exported.Slug = names[space.ID].Slug
	info, err := e.Resolver.Query().Entity(e.ctx, space.ID, model.RoomInfoID)
	if err != nil {
		return nil, err
	}
	if err := e.writeEntity(exported, info); err != nil {
		return nil, err
	}
	err = eachRow(func(page model.Page) (*model.Connection[*model.Entity], error) {
		found, err := e.DB.Entities().Entities(e.ctx, space.ID, page)
		return (*model.Connection[*model.Entity])(found), err
	}, func(entity *model.Entity) error { return e.writeEntity(exported, entity) })
	if err != nil {
		return nil, err
	}
	if err := e.writeStatistics(exported); err != nil {
		return nil, err
	}
	keys, err := e.writeSpaceFiles(space, exported)
	if err == nil {
		err = e.writeHistory(exported)
	}
	if err != nil {
		return nil, err
	}
	// Only now is it certain that the list of spaces will have this one.
	for _, key := range keys {
		e.inSpaces[key] = true
	}
	return exported, nil
}

func (e *exporter) writeEntity(exported *model.ExportedSpace, entity *model.Entity) error {
	return e.archive.addText(exported.Folder+model.EntityPath(entity.EntityID), entity.EntityFile())
}

// writeStatistics writes what came of the space in the last days.
func (e *exporter) writeStatistics(exported *model.ExportedSpace) error {
	rows, err := e.DB.Spaces().StatisticsOf(e.ctx, exported.ID)
	if err != nil {
		return err
	}
	return e.archive.addJSON(exported.Folder+"statistics.json", rows)
}

// writeSpaceFiles writes the plugins and assets of the space, and the README of its workspace. It
// returns the resource keys of the plugins and assets.
func (e *exporter) writeSpaceFiles(space *model.Space, exported *model.ExportedSpace) (keys []string, err error) {
	files, err := e.DB.Spaces().SpaceFiles(e.ctx, space.ID)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		err := e.writeSpaceFile(exported.Folder+model.SpaceFolder+file.Path, space.OwnerID+"/"+file.ResourceKey, file)
		if errors.Is(err, errDeleted) {
			continue
		}
		if err != nil {
			return nil, err
		}
		keys = append(keys, file.ResourceKey)
		exported.Files[file.Path] = e.Resolver.SpaceFileURL(space, file)
	}
	for _, file := range e.Resolver.ExportedFiles(&model.SpaceFiles{Space: space, Files: files}) {
		if file.Content == nil {
			continue
		}
		if err := e.archive.addText(exported.Folder+file.Path, []byte(*file.Content)); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// writeSpaceFile writes a plugin or an asset, or all files of a plugin folder.
func (e *exporter) writeSpaceFile(name, key string, file *model.SpaceFile) error {
	if !file.IsFolder() {
		return e.writeObject(name, key)
	}
	_, err := e.writeExtracted(name+"/", path.Dir(key)+"/")
	return err
}

// writeHistory writes the versions of the space, oldest first, and the changes of each version.
//
// The changes are a file of their own, because they may be a hundred times as large as the list of
// versions.
func (e *exporter) writeHistory(exported *model.ExportedSpace) error {
	size := model.MaxPageSize
	var versions []model.ExportedVersion
	for cursor := ""; ; {
		found, err := e.Resolver.Query().SpaceVersions(e.ctx, exported.ID, model.PageArgs{Limit: &size, Cursor: cursor})
		if err != nil {
			return err
		}
		for _, v := range found.Nodes {
			versions = append(versions, model.ExportedVersion{
				Number: v.Number, Name: v.Name, Door: v.Door, UserID: v.UserID, IsChangeSet: v.IsChangeSet,
				RestoredNumber: v.RestoredNumber, StartedAt: v.StartedAt, EndedAt: v.EndedAt,
			})
		}
		if !found.PageInfo.HasNextPage {
			break
		}
		cursor = *found.PageInfo.EndCursor
	}
	slices.Reverse(versions)
	if err := e.archive.addJSON(exported.Folder+"history.json", versions); err != nil {
		return err
	}
	return e.archive.addList(exported.Folder+"changes.json", func(yield func(any) error) error {
		for _, version := range versions {
			if err := e.yieldChanges(exported, version.Number, yield); err != nil {
				return err
			}
		}
		return nil
	})
}

// yieldChanges yields the changes of a version; none if the version was deleted since the list was
// read. It compares the version with the one before it.
func (e *exporter) yieldChanges(exported *model.ExportedSpace, number int, yield func(any) error) error {
	size := model.MaxPageSize
	for cursor := ""; ; {
		found, err := e.Resolver.Query().SpaceChanges(e.ctx, exported.ID, nil, number, model.PageArgs{Limit: &size, Cursor: cursor})
		if model.CodeOf(err) == model.CodeNotFound {
			return nil
		}
		if err != nil {
			return err
		}
		for _, c := range found.Nodes {
			change := model.ExportedChange{
				Version: number, Target: c.Target, BeforeType: c.BeforeType, Before: c.Before, AfterType: c.AfterType, After: c.After,
			}
			if err := yield(change); err != nil {
				return err
			}
		}
		if !found.PageInfo.HasNextPage {
			return nil
		}
		cursor = *found.PageInfo.EndCursor
	}
}
