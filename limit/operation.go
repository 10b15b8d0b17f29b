package limit

// operations gives each root field of schema.graphqls the scope of the REST
// endpoint that it equals (contract, Rate limits). It is the one table of scopes:
// REST, MCP and the account page look up the operation that they equal. Where a name is both read once
// and subscribed to, the start of the subscription counts like the reading.
// Entities is the list of REST and MCP; in GraphQL it is a field of a space, and
// counts with the space.
var operations = map[string]Scope{
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

	"createUpload":       Upload,
	"completeUpload":     UploadComplete,
	"convertFile":        Upload,
	"cancelJob":          All,
	"createSpace":        CreateSpace,
	"updateSpace":        All,
	"deleteSpace":        All,
	"updateSpacePrivacy": UpdatePrivacy,
	"createEntity":       Entities,
	"updateEntity":       Entities,
	"deleteEntity":       Entities,
	"generateApiKey":     Key,
	"revokeApiKey":       Key,
	"deleteFile":         All,
	"followUser":         All,
	"unfollowUser":       All,
}

// PrivacyChange is the operation that updateSpace equals where it sets privacy: a
// change of privacy counts the same by whatever route it comes.
const PrivacyChange = "updateSpacePrivacy"

// ScopeOf returns the scope of an operation by its GraphQL name, "createUpload"
// for one. What has no name there, such as __schema, counts in All only.
func ScopeOf(operation string) Scope {
	if scope, ok := operations[operation]; ok {
		return scope
	}
	return All
}
