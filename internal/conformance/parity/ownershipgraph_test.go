package parity

import (
	"bufio"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"portico/internal/testkit/api"
	"portico/internal/testkit/operations"
	"portico/model"
)

// byKey is an operation that requires a browser session. It refuses every API key, the owner's too.
// console.TestAccount_is_its_owner_s_in_a_browser calls the operations on an account with the
// sessions of its owner and of another account.
var byKey = access{stranger: model.CodeForbidden, owner: model.CodeForbidden}

// graphAccess has a row for each field of Query, Mutation and Subscription. The names of
// subscriptions start with "subscription ".
func graphAccess(o owned) map[string]access {
	id := func(stranger model.Code, id string) access {
		return access{stranger: stranger, values: map[string]any{"id": id}}
	}
	none := access{public: true, noOwner: "it returns null instead of a refusal: graph.TestNode_returns_null_to_those_who_may_not_read_it"}
	return map[string]access{
		"node": none, "nodes": none,
		"viewer": ownAccount, "operator": byKey,
		"space": id(model.CodeForbidden, o.space), "spaces": ownList,
		"publicSpaces":    {public: true, noOwner: "it lists Public spaces"},
		"user":            {public: true, noOwner: "everybody may see the profile of an owner of Public spaces"},
		"notifications":   ownList,
		"entity":          forbidden,
		"exportSpace":     forbidden,
		"spaceScreenshot": {stranger: model.CodeForbidden, owner: model.CodeNotFound}, // it has none
		"spaceStatistics": forbidden,
		"spaceVersions":   forbidden, "spaceChanges": {stranger: model.CodeForbidden, values: map[string]any{"to": 1}},
		"file": id(model.CodeNotFound, o.file), "files": ownList,
		"job": id(model.CodeNotFound, o.job), "jobs": ownList,

		"reportSpace":      forbidden,
		"requestDownload":  {stranger: model.CodeForbidden, owner: model.CodeNotFound, values: map[string]any{"format": "SPZ"}}, // it shows no capture
		"setAccountLimits": byKey, "disableAccount": byKey, "enableAccount": byKey, "removeAccount": byKey, "takeDownSpace": byKey,
		"restoreSpace": byKey, "closeReports": byKey, "retryJob": byKey, "cancelAnyJob": byKey, "retryQueue": byKey, "retryFile": byKey,
		"createUpload": adds, "completeUpload": notFound, "abandonUpload": {stranger: model.CodeNotFound, values: map[string]any{"fileUrl": o.discarded}},
		"updateFile": notFound, "deleteFile": {stranger: model.CodeNotFound, turn: endTurn},
		"convertFile":    {stranger: model.CodeNotFound, owner: model.CodeInvalid}, // it is not a capture
		"extractCapture": {stranger: model.CodeNotFound, owner: model.CodeInvalid}, // it is not a zip
		"cancelJob":      notFound, "createSpace": notFound, "recordVisit": forbidden, "updateSpace": forbidden,
		"moveInSpace":   {public: true, noOwner: "the ticket of a visitor is the right: graph.TestMoveInSpace_is_refused"},
		"removeVisitor": forbidden, "applyChanges": forbidden, "lockSpace": {stranger: model.CodeForbidden, turn: lockTurn},
		"unlockSpace": {stranger: model.CodeForbidden, values: map[string]any{"force": true}, turn: unlockTurn}, "restoreVersion": forbidden, "nameVersion": forbidden,
		"supersplatSettings": forbidden, "importSupersplatSettings": {stranger: model.CodeForbidden, owner: model.CodeInvalid}, // an empty file
		"deleteSpace": {stranger: model.CodeForbidden, turn: spaceTurn}, "updateSpacePrivacy": {stranger: model.CodeForbidden, values: map[string]any{"privacy": "PRIVATE"}},
		"generateApiKey": ownAccount, "revokeApiKey": ownAccount, "exportAccount": ownAccount,
		"updateAccount": ownAccount, "updateHandle": ownAccount, "updateSlug": forbidden, "duplicateSpace": forbidden, "setAccountPicture": ownAccount, "removeAccountPicture": ownAccount, "changePassword": byKey, "changeEmail": byKey,
		"startPasskey": byKey, "addPasskey": byKey, "removePasskey": byKey, "startOneTimeCodes": byKey, "confirmOneTimeCodes": byKey,
		"endOneTimeCodes": byKey, "resendEmailChange": byKey, "cancelEmailChange": byKey, "sendEmailConfirmation": byKey,
		"deleteAccount": byKey, "endSession": byKey, "endOtherSessions": byKey, "disconnectApp": byKey, "connectIdentity": byKey,
		"disconnectIdentity": byKey,
		"createEntity":       {stranger: model.CodeForbidden, values: map[string]any{"entityId": "table"}}, "updateEntity": forbidden,
		"deleteEntity": {stranger: model.CodeForbidden, turn: endTurn}, "followUser": anybody, "unfollowUser": anybody,
		"createWebhook": adds, "updateWebhook": notFound, "testWebhook": notFound, "rotateWebhookSecret": notFound,
		"deleteWebhook":   {stranger: model.CodeNotFound, turn: endTurn},
		"createShareLink": forbidden, "updateShareLink": notFound, "revokeShareLink": {stranger: model.CodeNotFound, turn: endTurn},
		"createAvatar": {stranger: model.CodeNotFound, values: o.avatarFiles}, "deleteAvatar": {stranger: model.CodeNotFound, turn: endTurn},

		"subscription job": id(model.CodeNotFound, o.job), "subscription jobs": ownList, "subscription notifications": ownList,
		"subscription space": id(model.CodeForbidden, o.space), "subscription spacePresence": forbidden,
		"subscription viewerSpaces": ownList, "subscription viewerFiles": ownList,
	}
}

func TestOwnership_of_every_operation_of_GraphQL(t *testing.T) {
	t.Parallel()
	o := newOwned(t)
	table := graphAccess(o)
	var attempts []attempt
	for _, field := range operations.GraphQL(t, "../../../schema.graphqls") {
		name, call := field.Name, (*api.Client).GraphQL
		if field.Kind == ast.Subscription {
			name, call = "subscription "+name, subscribe
		}
		values := map[string]any{
			"spaceId": o.space, "entityId": o.entity, "fileId": o.file, "fileUrl": o.upload, "jobId": o.job, "webhookId": o.webhook, "shareLinkId": o.link, "avatarId": o.avatar,
			"accountId": o.owner.ID, "userId": o.owner.ID, "number": 1,
		}
		maps.Copy(values, table[name].values)
		document := field.Document(values)
		attempts = append(attempts, attempt{name, table[name], func(c *api.Client) error { return call(c, document, nil, nil) }})
	}
	o.check(t, table, attempts)
}

// subscribe reads the first event of a subscription, and returns its error as a *api.Refusal.
func subscribe(c *api.Client, document string, _ map[string]any, _ any) error {
	c.T.Helper()
	ctx, cancel := context.WithCancel(c.T.Context())
	defer cancel()
	body, err := json.Marshal(map[string]string{"query": document})
	check(c.T, err)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+"/graphql", strings.NewReader(string(body)))
	check(c.T, err)
	request.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}}
	if c.Key != "" {
		request.Header.Set("Authorization", "Bearer "+c.Key)
	}
	response, err := http.DefaultClient.Do(request)
	check(c.T, err)
	defer func() { _ = response.Body.Close() }() // the stream has not ended
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data:")
		if !ok {
			continue
		}
		var event struct {
			Errors []struct {
				Message    string
				Extensions struct{ Code string }
			}
		}
		check(c.T, json.Unmarshal([]byte(data), &event))
		if len(event.Errors) == 0 {
			return nil
		}
		return &api.Refusal{Code: model.ParseGraphQLConstant(event.Errors[0].Extensions.Code), Message: event.Errors[0].Message}
	}
	c.T.Fatalf("%s: got no event, want one", document)
	return nil
}
