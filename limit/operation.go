package limit

import "context"

// ScopeOf returns the scope of an operation by its GraphQL name, such as "createUpload". An
// unknown name, such as __schema, counts in All only.
func ScopeOf(operation string) Scope {
	scope, _ := scopeOf(operation)
	return scope
}

// scopeOf returns the scope of a root field of schema.graphqls: the scope of the equivalent REST
// endpoint (requirements.md, Rate limits). It returns All and false for an unknown name. It is the
// only table of scopes: REST, MCP and the account page look up the equivalent operation.
//
// A subscription counts once, at its start, like the query of the same name where there is one.
// entities is the list of REST and MCP; in GraphQL it is a field of a space, and counts with the
// space.
func scopeOf(operation string) (scope Scope, known bool) {
	switch operation {
	case "createUpload", "convertFile", "extractCapture", "requestDownload", "setAccountPicture":
		return Upload, true
	case "completeUpload", "abandonUpload":
		return UploadComplete, true
	case "job":
		return Job, true
	case "createSpace", "duplicateSpace":
		return CreateSpace, true
	case "updateSpacePrivacy":
		return UpdatePrivacy, true
	case "entity", "entities", "createEntity", "updateEntity", "deleteEntity":
		return Entities, true
	case "generateApiKey", "revokeApiKey", "changePassword", "startPasskey", "addPasskey",
		"removePasskey", "startOneTimeCodes", "confirmOneTimeCodes", "endOneTimeCodes", "changeEmail",
		"resendEmailChange", "cancelEmailChange", "deleteAccount", "exportAccount",
		"sendEmailConfirmation", "endOtherSessions", "disconnectApp", "connectIdentity",
		"disconnectIdentity", "removeAccount", "updateHandle", "createShareLink", "updateShareLink", "createWebhook", "testWebhook", "rotateWebhookSecret":
		return Key, true
	case "exportSpace", "applyChanges", "restoreVersion":
		return SpaceFiles, true
	case "reportSpace":
		return Report, true
	case "moveInSpace":
		return Move, true
	case "supersplatSettings", "importSupersplatSettings", "node", "nodes", "viewer", "user", "space", "spaces", "publicSpaces", "file", "files",
		"jobs", "notifications", "viewerSpaces", "viewerFiles", "spacePresence", "cancelJob",
		"recordVisit", "updateSpace", "removeVisitor", "lockSpace", "unlockSpace", "deleteSpace",
		"spaceVersions", "spaceStatistics", "spaceChanges", "spaceScreenshot", "nameVersion", "updateAccount", "updateSlug",
		"removeAccountPicture", "endSession", "updateFile", "deleteFile", "followUser", "unfollowUser",
		"operator", "setAccountLimits", "disableAccount", "enableAccount", "takeDownSpace",
		"restoreSpace", "closeReports", "retryJob", "cancelAnyJob", "retryQueue", "retryFile",
		"updateWebhook", "deleteWebhook", "revokeShareLink", "createAvatar", "deleteAvatar", "avatars":
		return All, true
	}
	return All, false
}

// TakeOperation counts a request of an account that has the effect of a GraphQL operation, such as
// "viewer", in the scope of the operation.
func (l *Limiter) TakeOperation(ctx context.Context, userID, operation string) error {
	return l.Take(ctx, UserSubject(userID), ScopeOf(operation))
}

// UpdateSpaceOperation returns the operation that an update of a space counts as. An update that
// sets the privacy counts as updateSpacePrivacy, so that no route avoids the stricter limit of that
// scope.
func UpdateSpaceOperation(setsPrivacy bool) string {
	if setsPrivacy {
		return "updateSpacePrivacy"
	}
	return "updateSpace"
}
