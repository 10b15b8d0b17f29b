package limit

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Scope names a limit: its requests are counted together.
type Scope string

// The scopes of API section 8, by their endpoints, and Key, SpaceFiles, Report and Move,
// which are ours.
const (
	All            Scope = "all"             // every request, whatever else it counts in
	Upload         Scope = "upload"          // POST /files/upload
	UploadComplete Scope = "upload-complete" // POST /files/upload-complete
	Job            Scope = "job"             // GET /jobs/:jobId, but not the list
	CreateSpace    Scope = "create-space"    // POST /user/create-space
	UpdatePrivacy  Scope = "update-privacy"  // POST /spaces/update-privacy
	Entities       Scope = "entities"        // /spaces/:spaceId/entities and all below
	Key            Scope = "key"             // changes of an account's keys, sign-ins, mail and webhooks, and its export and deletion
	SpaceFiles     Scope = "workspace"       // spaces as files: POST /spaces/:spaceId/pull, /changeset, /apply and /versions/:number/restore
	Report         Scope = "report"          // reports of spaces
	Move           Scope = "move"            // moves of visitors in spaces, which do not count in All
	Written        Scope = "json"            // KiB of JSON that an account writes; see TakeWrite
)

// window is the period of the limits.
const window = time.Minute

// defaultLimits returns how many requests of each scope a subject may make in a window, unless the
// operator sets another limit.
func defaultLimits() map[Scope]int {
	return map[Scope]int{
		All:            300,
		Upload:         20,
		UploadComplete: 20,
		Job:            120,
		CreateSpace:    60,
		UpdatePrivacy:  60,
		Entities:       300,
		Key:            20,
		SpaceFiles:     30,
		Report:         10,
		Move:           30_000, // 50 visitors of one address, each 10 times a second
		// 32 MiB: each of 300 changes in a minute may write an entity of 100 KiB.
		Written: 32 << 10,
	}
}

// charge is the number of requests to count in a scope.
type charge struct {
	scope Scope
	count int
	// forced means that the charge counts also where it does not fit: it is for what has happened.
	forced bool
}

// CheckScope returns an error that lists all scopes unless name is one of them.
func CheckScope(name string) error {
	limits := defaultLimits()
	if _, ok := limits[Scope(name)]; !ok {
		return fmt.Errorf("%q is not one of %s", name, slices.Sorted(maps.Keys(limits)))
	}
	return nil
}

// withDefaults returns the limits of all scopes: set, and the defaults of scopes that it omits.
func withDefaults(set map[Scope]int) map[Scope]int {
	all := defaultLimits()
	maps.Copy(all, set)
	return all
}

// countsInAll reports whether requests in the scope count in All, too.
func (s Scope) countsInAll() bool { return s != Move && s != Written }

// charges returns the charges of one request in each of the scopes, whose limits are given. Most
// count in All too, which is the first charge.
func charges(limits map[Scope]int, scopes []Scope) []charge {
	charged := []charge{{scope: All}}
	for _, scope := range scopes {
		if scope.countsInAll() {
			charged[0].count++
		}
	}
	if charged[0].count == 0 {
		charged = nil
	}
	for _, scope := range scopes {
		if scope == All || limits[scope] == 0 { // a scope without a limit of its own
			continue
		}
		i := slices.IndexFunc(charged, func(c charge) bool { return c.scope == scope })
		if i < 0 {
			charged = append(charged, charge{scope: scope, count: 1})
			continue
		}
		charged[i].count++
	}
	return charged
}
