// Package access has the rules of who may use what. Every resolver asks them first: for the caller,
// and for the object that the request names. The table in the documentation of package graph shows
// what each refuses.
package access

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"portico/db"
	"portico/model"
	"portico/storage"
)

// Proof finds out whether a caller has just proved who they are; *account.Registry implements it.
type Proof interface {
	// RequireProof returns nil if the caller has a session, and has just proved that the
	// account is theirs: with the password, or by a recent sign-in.
	RequireProof(ctx context.Context, caller *model.Caller, password string) error
}

// Rules decide what a caller may use. They load it too, so that nobody has what was not checked.
type Rules struct {
	db      *db.DB
	store   storage.Store
	proof   Proof
	uploads string
}

// NewRules returns rules for the rows of a database. store knows the addresses of uploads, and
// uploads is what the addresses of resumable ones begin with. proof may be nil if nobody asks for
// a proven caller.
func NewRules(rows *db.DB, store storage.Store, proof Proof, uploads string) *Rules {
	return &Rules{db: rows, store: store, proof: proof, uploads: uploads}
}

// SpaceForbidden is the text for a caller who may not use a space: the API leaves it to us.
const SpaceForbidden = "You are not authorized to access this space"

// IsCaller reports whether the account is the caller's own. It returns false for a nil caller. Every
// space, file, job and webhook has the id of its account, so this comparison decides who owns it.
func IsCaller(c *model.Caller, userID string) bool { return c != nil && c.UserID == userID }

// Owns reports whether the caller owns the space. db/owner.go repeats the rule as SQL, which saves
// the most frequent operations a round trip: CONTRIBUTING.md, Shape, lists all forms. Change them
// together: tests compare them with one table, internal/testkit/access.
func Owns(c *model.Caller, space *model.Space) bool { return IsCaller(c, space.OwnerID) }

// OwnerOf returns the id of the owner of a space: the first part of the id of the space (API
// section 1). A space keeps its owner. An id without an underscore is returned unchanged. No
// account has such an id.
func OwnerOf(spaceID string) string {
	owner, _, _ := strings.Cut(spaceID, "_")
	return owner
}

// OwnedKey returns the resource key of an object in the store, whose key is the id of its owner, a
// slash and the resource key. It returns "" if the object is not the account's.
func OwnedKey(userID, key string) string {
	if owner, resourceKey, _ := strings.Cut(key, "/"); owner == userID {
		return resourceKey
	}
	return ""
}

// OfOwnAccount returns what read returns for the account, if it is the caller's own, and the zero
// value for other accounts. It decides for each field that only the account itself may read.
func OfOwnAccount[T any](ctx context.Context, id string, read func(context.Context, string) (T, error)) (value T, err error) {
	if !IsCaller(model.CallerFrom(ctx), id) {
		return value, nil
	}
	return read(ctx, id)
}

// Reader is who wants to read a space: the caller, nil for nobody who is signed in, and what the
// browser got by share links.
type Reader struct {
	Caller *model.Caller
	Visits []*model.LinkVisit
}

// ReaderFrom returns the reader of a request.
func ReaderFrom(ctx context.Context) Reader {
	return Reader{Caller: model.CallerFrom(ctx), Visits: model.LinkVisitsFrom(ctx)}
}

// VisitOf returns the visit of a space by a share link that has not ended; nil for none.
func (r Reader) VisitOf(spaceID string) *model.LinkVisit {
	for _, visit := range r.Visits {
		if visit.SpaceID == spaceID && !visit.HasEnded() {
			return visit
		}
	}
	return nil
}

// LinksOf returns the open share links by which the reader has entered spaces of an account, sorted,
// each as a text (model.LinkAccess).
func (r Reader) LinksOf(ownerID string) []string {
	var links []string
	for _, visit := range r.Visits {
		if OwnerOf(visit.SpaceID) == ownerID && !visit.HasEnded() {
			links = append(links, visit.String())
		}
	}
	slices.Sort(links)
	return links
}

// MayRead reports whether the reader may read the space: everybody may, even without a key, unless
// it is Private. Anyone who knows the id of a Link Only space has its link (API section 2, Privacy
// options). A Private space is for its owner, and for who has entered it by a share link. Everything
// that a space contains follows its space: entities, the files that they show, its visitors and its
// pictures.
func MayRead(r Reader, space *model.Space) bool {
	return Owns(r.Caller, space) || space.Privacy != model.Private || r.VisitOf(space.ID) != nil
}

// RunsPlugins reports whether pages run the plugins of a space for the caller, who may read the
// space. Plugins are programs of the owner, who decides whether visitors run them.
func RunsPlugins(c *model.Caller, space *model.Space) bool {
	return Owns(c, space) || space.PluginsForVisitors
}

// MayDownload reports whether the reader may download what is in a space: its owner may, who may read a
// space with a licence, and who has entered by a share link that allows it. It decides for the page of
// the space and for its downloads. A browser that shows a capture has read it, so this is no protection
// of the content.
func MayDownload(r Reader, space *model.Space) bool {
	visit := r.VisitOf(space.ID)
	return Owns(r.Caller, space) || MayRead(r, space) && space.Licence != "" || visit != nil && visit.AllowsDownload
}

// MayCopy reports whether the reader may copy the space: its owner may, and if the owner allows copies,
// everybody who may open it. Who can open it only by a share link needs one that allows downloads. A
// reader without an account may, once signed in.
func MayCopy(r Reader, space *model.Space) bool {
	if Owns(r.Caller, space) {
		return true
	}
	visit := r.VisitOf(space.ID)
	return space.CopiesAllowed && (space.Privacy != model.Private || visit != nil && visit.AllowsDownload)
}

// CopyForbidden is the text for a caller who may open a space and not copy it.
const CopyForbidden = "The owner of this space does not allow copies"

// CopyableSpace returns a space that the caller may copy. It refuses the space as ReadableSpaceWithKey
// does, and then a copy that the owner does not allow.
func (r *Rules) CopyableSpace(ctx context.Context, id string) (*model.Space, error) {
	space, err := r.ReadableSpaceWithKey(ctx, id)
	if err == nil && !MayCopy(ReaderFrom(ctx), space) {
		err = model.Forbidden(CopyForbidden)
	}
	if err != nil {
		return nil, err
	}
	return space, nil
}

// OwnedSpace returns the caller's space. Changing a space, and reading an entity by its id over
// REST and MCP, require it.
func (r *Rules) OwnedSpace(ctx context.Context, id string) (*model.Space, error) {
	return r.AuthorizedSpace(ctx, id, Owns, SpaceForbidden)
}

// ReadableSpaceWithKey returns a space that the caller may read. It refuses a request without a
// caller, even for a Public space: REST and MCP need a key for a space, except for a shared one
// (LinkedSpace).
func (r *Rules) ReadableSpaceWithKey(ctx context.Context, id string) (*model.Space, error) {
	visits := model.LinkVisitsFrom(ctx)
	mayRead := func(c *model.Caller, space *model.Space) bool { return MayRead(Reader{c, visits}, space) }
	return r.AuthorizedSpace(ctx, id, mayRead, SpaceForbidden)
}

// ReadableSpace returns a space that the caller, or everybody, may read. GraphQL and the pages call
// it: a Public or Link Only space needs no caller there.
//
// For a Private space an anonymous caller gets 401, because signing in may help; another account
// gets 403.
func (r *Rules) ReadableSpace(ctx context.Context, id string) (*model.Space, error) {
	if model.CallerFrom(ctx) != nil {
		return r.ReadableSpaceWithKey(ctx, id)
	}
	space, err := r.space(ctx, id)
	if err == nil && !MayRead(ReaderFrom(ctx), space) {
		_, err = Caller(ctx)
	}
	if err != nil {
		return nil, err
	}
	return space, nil
}

// LinkedSpace returns a space for everybody who has its link, even without a key. A Private space
// is not found, even for its owner: the response for a link does not depend on who asks.
func (r *Rules) LinkedSpace(ctx context.Context, id string) (*model.Space, error) {
	space, err := r.space(ctx, id)
	if err == nil && !MayRead(Reader{}, space) {
		err = model.NotFound(model.SpaceNotFound)
	}
	if err != nil {
		return nil, err
	}
	return space, nil
}

// MayFind reports whether the reader may learn of the space otherwise than by its id: by the names of
// it and its owner, which are easy to guess, and by a copy of it. So a space that is not Public, which
// strangers need the id or a link for, is found by its owner, and by who has entered it by a share link.
func MayFind(r Reader, space *model.Space) bool {
	return Owns(r.Caller, space) || space.Privacy == model.Public || r.VisitOf(space.ID) != nil
}

// NamedSpace returns the space that an address with names leads to. A space that the caller may not
// find is not found, as if nobody had given the name: the response tells strangers nothing about it.
func (r *Rules) NamedSpace(ctx context.Context, named model.Named) (*model.Space, error) {
	space, err := r.db.Handles().SpaceOfNames(ctx, named)
	if err == nil && !MayFind(ReaderFrom(ctx), space) {
		err = model.NotFound(model.SpaceNotFound)
	}
	if err != nil {
		return nil, err
	}
	return space, nil
}

// AuthorizedSpace returns the space. It refuses a request without a caller (401), then an
// unknown space (404, for everybody), then a caller who may not use the space (403, with the text
// forbidden). The API sets this order.
func (r *Rules) AuthorizedSpace(
	ctx context.Context, id string, allowed func(*model.Caller, *model.Space) bool, forbidden string,
) (*model.Space, error) {
	c, err := Caller(ctx)
	if err != nil {
		return nil, err
	}
	space, err := r.space(ctx, id)
	if err != nil {
		return nil, err
	}
	if !allowed(c, space) {
		return nil, model.Forbidden(forbidden)
	}
	return space, nil
}

// space returns the space with this id. It checks no rights.
//
// An id that is not printable ASCII belongs to no space, and Postgres fails on some such texts.
func (r *Rules) space(ctx context.Context, id string) (*model.Space, error) {
	if !IsPrintableASCII(id) {
		return nil, model.NotFound(model.SpaceNotFound)
	}
	return r.db.Spaces().Space(ctx, id)
}

// EditableSpace is OwnedSpace, but refuses a space that another editor has locked. The lock is read
// without FOR UPDATE, so a caller that writes in a transaction checks it again there.
func (r *Rules) EditableSpace(ctx context.Context, id string) (*model.Space, error) {
	space, err := r.OwnedSpace(ctx, id)
	if err == nil {
		err = space.LockRefusal(model.LockToken(ctx))
	}
	if err != nil {
		return nil, err
	}
	return space, nil
}

// OwnedJob returns the caller's job. A job of another user is not found instead of forbidden:
// the ids of jobs are private.
func (r *Rules) OwnedJob(ctx context.Context, id string) (*model.Job, error) {
	c, err := Caller(ctx)
	if err != nil {
		return nil, err
	}
	if !IsPrintableASCII(id) {
		return nil, model.NotFound(model.JobNotFound)
	}
	job, err := r.db.Jobs().Job(ctx, id)
	if err != nil {
		return nil, err
	}
	if !IsCaller(c, job.UserID) {
		return nil, model.NotFound(model.JobNotFound)
	}
	return job, nil
}

// OwnedFile returns the caller's file. A file of another user is not found.
func (r *Rules) OwnedFile(ctx context.Context, resourceKey string) (*model.File, error) {
	c, err := Caller(ctx)
	if err != nil {
		return nil, err
	}
	// A resource key contains the name of a file, so it may have letters of any script.
	if storage.CheckKey(resourceKey) != nil {
		return nil, model.NotFound(model.FileNotFound)
	}
	return r.db.Files().FileOf(ctx, c.UserID, resourceKey)
}

// OwnedFilesByKey returns the caller's files with these resource keys, by key: OwnedFile for many.
// It leaves out files of other accounts, keys that no file can have, and keys of files that do not
// exist. Compare the result with the keys.
func (r *Rules) OwnedFilesByKey(ctx context.Context, keys []string) (map[string]*model.File, error) {
	c, err := Caller(ctx)
	if err != nil {
		return nil, err
	}
	valid := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return storage.CheckKey(key) != nil })
	files, err := r.db.Files().FilesByKey(ctx, valid)
	maps.DeleteFunc(files, func(_ string, file *model.File) bool { return !IsCaller(c, file.UserID) })
	return files, err
}

// OwnedUpload returns the caller's upload that the input names by its address. It validates the
// input first, because an input without an address names no upload. An upload of another user is
// not found, and neither is an address of another server.
//
// A client names its upload by the address that it sent the bytes to (API section 4,
// upload-complete): without its query, or the address of a resumable upload.
func (r *Rules) OwnedUpload(ctx context.Context, in model.CompleteUpload) (*model.Upload, error) {
	c, err := Caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	address := in.FileURL
	if id, ok := strings.CutPrefix(address, r.uploads); ok {
		return r.OwnedResumable(ctx, id)
	}
	// The address for the upload and the public address of the file have the same key.
	key, _ := r.store.KeyOf(address)
	resourceKey := OwnedKey(c.UserID, key)
	if resourceKey == "" {
		return nil, model.NotFound(model.UploadNotFound)
	}
	return r.db.Uploads().UploadOf(ctx, c.UserID, resourceKey)
}

// OwnedWebhook returns the caller's webhook. A webhook of another user is not found.
func (r *Rules) OwnedWebhook(ctx context.Context, id string) (*model.Webhook, error) {
	c, err := Caller(ctx)
	if err != nil {
		return nil, err
	}
	if !IsPrintableASCII(id) {
		return nil, model.NotFound(model.WebhookNotFound)
	}
	return r.db.Webhooks().Webhook(ctx, c.UserID, id)
}

// OwnedShareLink returns a link of a space of the caller. A link of another account is not found.
func (r *Rules) OwnedShareLink(ctx context.Context, id string) (*model.ShareLink, error) {
	c, err := Caller(ctx)
	if err != nil {
		return nil, err
	}
	if !IsPrintableASCII(id) {
		return nil, model.NotFound(model.ShareLinkNotFound)
	}
	link, err := r.db.ShareLinks().ShareLink(ctx, id)
	if err != nil {
		return nil, err
	}
	if !IsCaller(c, OwnerOf(link.SpaceID)) {
		return nil, model.NotFound(model.ShareLinkNotFound)
	}
	return link, nil
}

// OwnedAvatar returns the caller's avatar. An avatar of another user is not found.
func (r *Rules) OwnedAvatar(ctx context.Context, id string) (*model.Avatar, error) {
	c, err := Caller(ctx)
	if err != nil {
		return nil, err
	}
	if !IsPrintableASCII(id) {
		return nil, model.NotFound(model.AvatarNotFound)
	}
	return r.db.Accounts().Avatar(ctx, c.UserID, id)
}

// OwnedResumable returns the caller's resumable upload. An upload of another user is not
// found.
func (r *Rules) OwnedResumable(ctx context.Context, id string) (*model.Upload, error) {
	c, err := Caller(ctx)
	if err != nil {
		return nil, err
	}
	if !IsPrintableASCII(id) {
		return nil, model.NotFound(model.UploadNotFound)
	}
	return r.db.Uploads().ResumableUpload(ctx, c.UserID, id)
}

// AddressedUpload returns the resumable upload of a signed address. It needs no caller: the address
// was given to the owner of the upload, whom it replaces. It ends with the key that asked for it,
// because the end of a key discards its uploads.
func (r *Rules) AddressedUpload(ctx context.Context, id string) (*model.Upload, error) {
	if !IsPrintableASCII(id) {
		return nil, model.NotFound(model.UploadNotFound)
	}
	upload, err := r.db.Uploads().Upload(ctx, id)
	if err == nil && !upload.Resumable {
		err = model.NotFound(model.UploadNotFound)
	}
	if err != nil {
		return nil, err
	}
	return upload, nil
}

// ReadableSpaces is ReadableSpace for many ids. It returns the spaces by id, without those that the
// Caller may not read.
func (r *Rules) ReadableSpaces(ctx context.Context, ids []string) (map[string]*model.Space, error) {
	spaces, err := r.db.Spaces().SpacesByID(ctx, PrintableIDs(ids))
	reader := ReaderFrom(ctx)
	maps.DeleteFunc(spaces, func(_ string, space *model.Space) bool { return !MayRead(reader, space) })
	return spaces, err
}

// ReadableEntities is ReadableEntity for many ids, each with the id of its space:
// "space/entity". It leaves out the entities that the caller may not read.
func (r *Rules) ReadableEntities(ctx context.Context, ids []string) (map[string]*model.Entity, error) {
	entities, spaces, err := r.db.Entities().EntitiesWithSpaces(ctx, PrintableIDs(ids))
	reader := ReaderFrom(ctx)
	maps.DeleteFunc(entities, func(_ string, entity *model.Entity) bool { return !MayRead(reader, spaces[entity.SpaceID]) })
	return entities, err
}

// ReadableEntity returns an entity of a space that the caller, or everybody, may read. One
// statement reads the entity with what MayRead needs of its space. Where it finds nothing to show,
// ReadableSpace returns the refusal.
//
// It is one round trip for most requests. The refusal of the space comes before the refusal of the
// entity, as the API requires.
func (r *Rules) ReadableEntity(ctx context.Context, spaceID, entityID string) (*model.Entity, error) {
	invalid := CheckFindable(entityID)
	if invalid == nil && IsPrintableASCII(spaceID) {
		entity, space, err := r.db.Entities().EntityWithSpace(ctx, spaceID, entityID)
		if err != nil || entity != nil && MayRead(ReaderFrom(ctx), space) {
			return entity, err
		}
	}
	if _, err := r.ReadableSpace(ctx, spaceID); err != nil {
		return nil, err
	}
	return nil, cmp.Or(invalid, error(model.NotFound(model.EntityNotFound)))
}

// AttachSpaces sets the spaces of the notifications, with one query. It leaves out spaces that the
// caller may no longer read.
func (r *Rules) AttachSpaces(ctx context.Context, c *model.Caller, notifications []*model.Notification) error {
	if len(notifications) == 0 {
		return nil
	}
	ids := make([]string, len(notifications))
	for i, notification := range notifications {
		ids[i] = notification.SpaceID
	}
	spaces, err := r.db.Spaces().SpacesByID(ctx, ids)
	if err != nil {
		return err
	}
	for _, notification := range notifications {
		if space := spaces[notification.SpaceID]; space != nil && MayRead(Reader{Caller: c}, space) {
			notification.Space = space
		}
	}
	return nil
}
