package graph

import (
	"context"
	"encoding/json"
	"slices"

	"portico/db"
	"portico/model"
	"portico/splat/experience"
)

// maxSettingsRead is how many bytes of entities a space may have whose settings are read.
const maxSettingsRead = 16 << 20

// maxPathsRead is how many camera paths of a space are read: the settings have at most ten tracks.
const maxPathsRead = 10

// SupersplatSettings returns a space that the caller may read as the settings file of SuperSplat's
// viewer.
func (r Queries) SupersplatSettings(ctx context.Context, spaceID string) (model.Object, error) {
	space, err := r.access.ReadableSpace(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	entities, err := r.db.Entities().AllEntities(ctx, space.ID, maxSettingsRead)
	if err != nil {
		return nil, err
	}
	now, _, err := r.settingsOf(ctx, entities)
	if err != nil {
		return nil, err
	}
	return model.Object(now.Write()), nil
}

// settingsOf returns the settings that the entities of a space are, and where its first capture is.
func (r *Resolver) settingsOf(ctx context.Context, entities []*model.Entity) (*experience.Settings, experience.Frame, error) {
	frame, start, err := r.captureFrame(ctx, entities)
	if err != nil {
		return nil, frame, err
	}
	files, err := r.FilesOfEntities(ctx, entities)
	if err != nil {
		return nil, frame, err
	}
	var content []experience.Entity
	paths := 0
	for _, entity := range entities {
		read := settingsEntity(entity)
		if file := files[entity]; file != nil && file.IsPath() && file.Size <= experience.MaxPathBytes && paths < maxPathsRead {
			if read.Path, err = r.readObject(ctx, file.StorageKey()); err != nil {
				return nil, frame, err
			}
			paths++
		}
		content = append(content, read)
	}
	return experience.FromSpace(content, frame, start), frame, nil
}

func settingsEntity(entity *model.Entity) experience.Entity {
	return experience.Entity{ID: entity.EntityID, Type: entity.Type, Data: entity.Data}
}

// captureFrame returns where the first capture of the entities is, and the first view of its file in
// the coordinates of SuperSplat's viewer, if there is one.
func (r *Resolver) captureFrame(ctx context.Context, entities []*model.Entity) (experience.Frame, *experience.Viewpoint, error) {
	files, err := r.FilesOfEntities(ctx, entities)
	if err != nil {
		return experience.Frame{}, nil, err
	}
	for _, entity := range entities {
		file := files[entity]
		if file == nil || !file.IsSplat() {
			continue
		}
		var start *experience.Viewpoint
		if view := file.FirstView(); view != nil {
			start = &experience.Viewpoint{Position: view.Position, Target: view.Target}
		}
		return experience.FrameOf(entity.Data), start, nil
	}
	return experience.Frame{}, nil, nil
}

// ImportSupersplatSettings takes a settings file of SuperSplat's viewer into a space of the caller, in
// one change set.
func (r Mutations) ImportSupersplatSettings(ctx context.Context, in model.ImportSettings) (*model.ImportedSettings, error) {
	space, err := r.access.EditableSpace(ctx, in.SpaceID)
	if err != nil {
		return nil, err
	}
	settings, err := experience.Read(in.Settings)
	if err != nil {
		return nil, model.InvalidField("settings", err.Error())
	}
	written := func(*model.ImportedSettings) int { return len(in.Settings) + minWritten }
	return writeJSON(ctx, r.Resolver, written, func() (result *model.ImportedSettings, err error) {
		err = r.db.History().AsChangeSet(ctx, 0, func(tx *db.DB) error {
			result, err = r.importSettings(ctx, tx, space.ID, settings)
			return err
		})
		return result, err
	})
}

// importSettings writes the entities of the settings, in a transaction.
func (r *Resolver) importSettings(ctx context.Context, tx *db.DB, spaceID string, settings *experience.Settings) (*model.ImportedSettings, error) {
	if _, err := lockEditableSpace(ctx, tx, spaceID); err != nil {
		return nil, err
	}
	present, err := tx.Entities().AllEntities(ctx, spaceID, maxSettingsRead)
	if err != nil {
		return nil, err
	}
	now, frame, err := r.settingsOf(ctx, present)
	if err != nil {
		return nil, err
	}
	settings.Tracks = slices.DeleteFunc(settings.Tracks, now.HasPath)
	for _, imported := range settingsEntities(settings, frame, present) {
		if err := putSetting(ctx, tx, spaceID, imported); err != nil {
			return nil, err
		}
	}
	space, err := tx.Spaces().Space(ctx, spaceID)
	return &model.ImportedSettings{Space: space, AnnotationCount: len(settings.Annotations), TourCount: len(settings.Tracks)}, err
}

// settingsEntities returns the entities of the settings, each with the id of the present entity that it
// replaces, or with a new one. A present entity is replaced once.
func settingsEntities(settings *experience.Settings, frame experience.Frame, present []*model.Entity) []*model.Entity {
	present = slices.Clone(present)
	replaced := func(is func(*model.Entity) bool) *model.Entity {
		i := slices.IndexFunc(present, is)
		if i < 0 {
			return nil
		}
		found := present[i]
		present = slices.Delete(present, i, i+1)
		return found
	}
	entities := []*model.Entity{{EntityID: model.RoomInfoID, Data: settings.Room(frame)}}
	for i, annotation := range settings.AnnotationEntities(frame) {
		entity := &model.Entity{EntityID: model.NewModelID(), Type: annotation.Type, Data: annotation.Data}
		before := replaced(func(e *model.Entity) bool { return e.EntityID == annotation.ID && e.Type == experience.AnnotationType })
		if before == nil && annotation.ID == "" {
			before = replaced(func(e *model.Entity) bool { return settings.Annotations[i].Is(settingsEntity(e), frame) })
		}
		if before != nil {
			entity.EntityID = before.EntityID
		}
		entities = append(entities, entity)
	}
	for i, tour := range settings.TourEntities(frame) {
		entity := &model.Entity{EntityID: model.NewModelID(), Type: tour.Type, Data: tour.Data}
		before := replaced(func(e *model.Entity) bool {
			var tour struct{ Title string }
			return e.Type == experience.TourType && json.Unmarshal(e.Data, &tour) == nil && tour.Title == settings.Tracks[i].Name
		})
		if before != nil {
			entity.EntityID, entity.Data = before.EntityID, experience.MergeTour(before.Data, tour.Data)
		}
		entities = append(entities, entity)
	}
	return entities
}

// putSetting merges the data into the entity with this id, or adds the entity.
func putSetting(ctx context.Context, tx *db.DB, spaceID string, entity *model.Entity) error {
	change := model.UpdateEntity{SpaceID: spaceID, EntityID: entity.EntityID, Data: entity.Data}
	if err := change.Validate(); err != nil {
		return err
	}
	merged, err := tx.Entities().MergeEntity(ctx, change)
	if err != nil || merged != nil || entity.EntityID == model.RoomInfoID {
		return err
	}
	_, err = tx.Entities().AddEntity(ctx, model.NewEntity(spaceID, entity.EntityID, entity.Type, entity.Data))
	return err
}
