package parity

import (
	"maps"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/operations"
	"portico/model"
)

// mcpAccess has a row for each tool.
func mcpAccess() map[string]access {
	return map[string]access{
		"list_spaces": ownList, "get_space": forbidden, "create_space": notFound, "update_space": forbidden,
		"update_space_privacy": {stranger: model.CodeForbidden, values: map[string]any{"roomPrivacy": model.Private}},
		"delete_space":         {stranger: model.CodeForbidden, turn: spaceTurn},
		"list_entities":        forbidden, "get_entity": forbidden, "update_entity": forbidden,
		"create_entity": {stranger: model.CodeForbidden, values: map[string]any{"entity_id": "table", "resource_key": nil}},
		"delete_entity": {stranger: model.CodeForbidden, turn: endTurn},
		"export_space":  forbidden,
		"apply_changes": {stranger: model.CodeForbidden, values: map[string]any{"deletes": []string{"space/entities/none.json"}}},
		"lock_space":    {stranger: model.CodeForbidden, turn: lockTurn},
		"unlock_space":  {stranger: model.CodeForbidden, values: map[string]any{"force": true}, turn: unlockTurn},
		"list_versions": forbidden, "compare_versions": forbidden, "name_version": forbidden, "restore_version": forbidden,
		"get_space_screenshot": {stranger: model.CodeForbidden, owner: model.CodeNotFound}, // it has none
		"upload_text_file":     adds, "upload_file_from_url": adds,
		"get_file": notFound, "convert_file": {stranger: model.CodeNotFound, owner: model.CodeInvalid}, // it is not a capture
		"list_jobs": ownList, "get_job": notFound, "get_user_info": ownAccount,
	}
}

func TestOwnership_of_every_tool_of_MCP(t *testing.T) {
	t.Parallel()
	o := newOwned(t)
	table := mcpAccess()
	var attempts []attempt
	for _, tool := range operations.MCP(o.owner) {
		values := map[string]any{
			"spaceId": o.space, "entity_id": o.entity, "resource_key": o.file, "job_id": o.job, "number": 1,
		}
		maps.Copy(values, table[tool.Name].values)
		arguments := tool.Arguments(values)
		attempts = append(attempts, attempt{tool.Name, table[tool.Name], func(c *api.Client) error { return c.Tool(tool.Name, arguments, nil) }})
	}
	o.check(t, table, attempts)
}
