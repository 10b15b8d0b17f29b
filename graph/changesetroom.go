package graph

import (
	"context"
	"maps"
	"slices"
	"strings"

	"portico/db"
	"portico/model"
)

// allowRoomPrivacy refuses a plan whose room has a privacy that the owner's plan does not allow.
func (r *Resolver) allowRoomPrivacy(ctx context.Context, p *changePlan) error {
	change, err := p.room.Change(p.space)
	if err == nil {
		err = r.allowPrivacy(ctx, p.space.OwnerID, change.Privacy)
	}
	if model.CodeOf(err) == model.CodeInvalid {
		return model.ChangeFaults{{File: model.RoomPath, Message: model.AsError(err).Message}}.Refusal()
	}
	return err
}

// applyRoom changes the title, the description and the privacy of the space as the file of the room
// has them. With the data of RoomInfo, that is one change of the room.
func (p *changePlan) applyRoom(ctx context.Context, tx *db.DB, result *model.ChangeResult) error {
	change, err := p.room.Change(p.space)
	if err != nil || change.IsEmpty() {
		return err
	}
	room := model.AppliedChange{Op: model.OpUpdateRoom, Target: model.RoomInfoID}
	if !slices.Contains(result.Applied, room) {
		result.Applied = append(result.Applied, room)
	}
	if p.isDryRun {
		return nil
	}
	const informFollowers = false // only the operation UpdateSpacePrivacy offers it
	p.space, err = tx.Spaces().UpdateSpacePrivacy(ctx, change, informFollowers)
	return err
}

// replaceAddresses makes the entities of the space name the new addresses of files that were
// replaced. It reads a few entities at a time, because each may have 1 MiB.
func replaceAddresses(ctx context.Context, tx *db.DB, spaceID string, moved map[string]string) error {
	if len(moved) == 0 {
		return nil
	}
	common := commonPrefix(slices.Collect(maps.Keys(moved)))
	for after := int64(0); ; {
		entities, err := tx.Entities().EntitiesNaming(ctx, spaceID, common, after)
		if err != nil || len(entities) == 0 {
			return err
		}
		after = entities[len(entities)-1].Sequence
		entities = slices.DeleteFunc(entities, func(entity *model.Entity) bool { return !entity.ReplaceAddresses(moved) })
		if len(entities) == 0 {
			continue
		}
		if _, err := tx.Entities().ReplaceEntities(ctx, spaceID, entities); err != nil {
			return err
		}
	}
}

// commonPrefix returns the longest text with which all of these start.
func commonPrefix(texts []string) string {
	prefix := texts[0]
	for _, text := range texts {
		for !strings.HasPrefix(text, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return prefix
}
