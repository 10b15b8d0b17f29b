package limit

import "context"

// operations maps each root field of schema.graphqls to the scope of the equivalent REST
// endpoint (requirements.md, Rate limits). It is the only table of scopes: REST, MCP and the
// account page look up the equivalent operation. A subscription counts once, at its start,
// like the query of the same name where there is one. entities is the list of REST and MCP;
// in GraphQL it is a field of a space, and counts with the space.
var operations = map[string]Scope{
	"node":          All,
	"nodes":         All,
	"viewer":        All,
	"user":          All,
	"space":         All,
	"spaces":        All,
	"publicSpaces":  All,
	"entity":        Entities,
	"entities":      Entities,
	"file":          All,
	"files":         All,
	"job":           Job,
	"jobs":          All,
	"notifications": All,
	"viewerSpaces":  All,
	"viewerFiles":   All,
	"spacePresence": All,

	"createUpload":          Upload,
	"completeUpload":        UploadComplete,
	"abandonUpload":         UploadComplete,
	"convertFile":           Upload,
	"cancelJob":             All,
	"createSpace":           CreateSpace,
	"recordVisit":           All,
	"updateSpace":           All,
	"moveInSpace":           Move,
	"removeVisitor":         All,
	"lockSpace":             All,
	"unlockSpace":           All,
	"deleteSpace":           All,
	"updateSpacePrivacy":    UpdatePrivacy,
	"createEntity":          Entities,
	"updateEntity":          Entities,
	"deleteEntity":          Entities,
	"exportSpace":           Workspace,
	"applyChanges":          Workspace,
	"spaceVersions":         All,
	"spaceChanges":          All,
	"spaceScreenshot":       All,
	"nameVersion":           All,
	"restoreVersion":        Workspace,
	"generateApiKey":        Key,
	"revokeApiKey":          Key,
	"updateAccount":         All,
	"setAccountPicture":     Upload,
	"removeAccountPicture":  All,
	"changePassword":        Key,
	"startPasskey":          Key,
	"addPasskey":            Key,
	"removePasskey":         Key,
	"startOneTimeCodes":     Key,
	"confirmOneTimeCodes":   Key,
	"endOneTimeCodes":       Key,
	"changeEmail":           Key,
	"resendEmailChange":     Key,
	"cancelEmailChange":     Key,
	"deleteAccount":         Key,
	"exportAccount":         Key,
	"sendEmailConfirmation": Key,
	"endSession":            All,
	"endOtherSessions":      Key,
	"disconnectApp":         Key,
	"connectIdentity":       Key,
	"disconnectIdentity":    Key,
	"updateFile":            All,
	"deleteFile":            All,
	"followUser":            All,
	"unfollowUser":          All,
	"operator":              All,
	"reportSpace":           Report,
	"setAccountLimits":      All,
	"disableAccount":        All,
	"enableAccount":         All,
	"removeAccount":         Key,
	"takeDownSpace":         All,
	"restoreSpace":          All,
	"closeReports":          All,
	"retryJob":              All,
	"cancelAnyJob":          All,
	"retryQueue":            All,
	"retryFile":             All,
	"createWebhook":         Key,
	"updateWebhook":         All,
	"deleteWebhook":         All,
	"testWebhook":           Key,
	"rotateWebhookSecret":   Key,
}

// ScopeOf returns the scope of an operation by its GraphQL name, such as "createUpload". An
// unknown name, such as __schema, counts in All only.
func ScopeOf(operation string) Scope {
	if scope, ok := operations[operation]; ok {
		return scope
	}
	return All
}

// TakeOperation is Take for a request of an account that has the effect of a GraphQL operation,
// such as "viewer".
func (l *Limiter) TakeOperation(ctx context.Context, userID, operation string) error {
	return l.Take(ctx, UserSubject(userID), ScopeOf(operation))
}
