package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"portico/model"
)

// importSettings stores the settings of a space, except its privacy, which publishSpaces sets.
func (i *importer) importSettings(ctx context.Context, id string, space model.ExportedSpace) error {
	content, err := json.Marshal(space.Data.OrEmpty())
	if err != nil {
		return err
	}
	data, err := i.mapped.mapJSON(content)
	if err != nil {
		return err
	}
	return i.callGraphQL(ctx, `mutation ($in: UpdateSpaceInput!) { updateSpace(input: $in) { space { id } } }`, map[string]any{"in": map[string]any{
		"spaceId": id, "title": space.Title, "description": space.Description, "pluginsForVisitors": space.PluginsForVisitors,
		"presence": space.Presence, "data": json.RawMessage(data),
	}}, nil)
}

// publishSpaces sets the privacy of the spaces. They stay Private until all of them are complete.
//
// The plan is not imported, so a space that was Link Only stays Private in a Free account, with a
// note.
func (i *importer) publishSpaces(ctx context.Context) error {
	for _, space := range i.archive.spaces {
		if space.Privacy == model.Private {
			continue
		}
		err := i.call(ctx, http.MethodPost, "/v1/spaces/update-privacy",
			map[string]any{"spaceId": i.mapped.spaces[space.ID], "roomPrivacy": space.Privacy}, nil)
		if refused, ok := errors.AsType[*refusedError](err); ok && refused.message == model.PrivacyNeedsPro {
			i.note("The space %q stays Private: Link Only requires the Pro plan", space.Title)
			continue
		}
		if err != nil {
			return fmt.Errorf("publish the space %q: %w", space.Title, err)
		}
	}
	return nil
}
