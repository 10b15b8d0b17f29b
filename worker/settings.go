package worker

import (
	"context"
	"io"
	"path"

	"portico/db"
	"portico/model"
	"portico/splat/archive"
	"portico/splat/experience"
)

// settingsName is the file with the settings of SuperSplat's viewer, beside a capture.
const settingsName = "settings.json"

// settingsBeside returns the settings of a viewer beside the capture of a zip; nil for none. They are a
// gift: what cannot be read is left out, and does not fail the job.
func settingsBeside(ctx context.Context, zip *archive.Zip, plan archive.Plan) []byte {
	file, err := zip.OpenFile(ctx, path.Join(plan.Root, path.Dir(plan.Primary), settingsName))
	if err != nil {
		return nil
	}
	content, err := io.ReadAll(io.LimitReader(file, experience.MaxStoredBytes+1))
	if err != nil {
		return nil
	}
	return storableSettings(content)
}

// storableSettings returns the settings if they can be kept with a file, and otherwise nil.
func storableSettings(content []byte) []byte {
	if len(content) > experience.MaxStoredBytes {
		return nil
	}
	if _, err := experience.Read(content); err != nil {
		return nil
	}
	return content
}

// addSettings adds the settings that came with the file to its space, which has been created before.
func (a *attempt) addSettings(ctx context.Context, tx *db.DB, spaceID string, shown model.Object) error {
	if a.settings == nil {
		return nil
	}
	settings, err := experience.Read(a.settings)
	if err != nil {
		return err // impossible: storableSettings has read them
	}
	frame := experience.FrameOf(shown)
	for _, entity := range settings.Entities(frame, model.NewModelID) {
		if _, err := tx.Entities().AddEntity(ctx, model.NewEntity(spaceID, entity.ID, entity.Type, entity.Data)); err != nil {
			return err
		}
	}
	_, err = tx.Entities().MergeEntity(ctx, model.UpdateEntity{SpaceID: spaceID, EntityID: model.RoomInfoID, Data: settings.Room(frame)})
	return err
}
