package graph_test

import (
	"context"
	"maps"
	"reflect"
	"strings"
	"testing"

	"portico/graph"
	"portico/graph/live"
	"portico/model"
)

// calls are calls of operations, by name. Their caller is the caller of ctx, and the names of
// subscriptions start with watch.
type calls map[string]func(ctx context.Context) error

// operations returns the calls of the operations on spaces, entities, files, jobs and uploads, for
// the objects with these ids.
func operations(w *world, space, entity, resourceKey, job, address string) calls {
	all := readsOfSpace(w, space, entity)
	maps.Copy(all, changesOfSpace(w, space, entity))
	maps.Copy(all, operationsOnFile(w, resourceKey, job, address))
	return all
}

func readsOfSpace(w *world, space, entity string) calls {
	query, subscription := w.Query(), w.Subscription()
	return calls{
		"space": func(ctx context.Context) error { _, err := query.Space(ctx, space); return err },
		"visitSpace": func(ctx context.Context) error {
			_, err := w.Mutation().VisitSpace(ctx, space)
			return err
		},
		"entity":     func(ctx context.Context) error { _, err := query.Entity(ctx, space, entity); return err },
		"watchSpace": func(ctx context.Context) error { _, err := subscription.Space(ctx, space); return err },
		"watchSpacePresence": func(ctx context.Context) error {
			_, err := subscription.SpacePresence(ctx, model.JoinSpace{SpaceID: space})
			return err
		},
		"ownedEntities": func(ctx context.Context) error {
			_, err := query.OwnedEntities(ctx, space, nil, nil)
			return err
		},
		"exportSpace":     func(ctx context.Context) error { _, err := query.ExportSpace(ctx, space); return err },
		"spacePage":       func(ctx context.Context) error { _, err := query.SpacePage(ctx, space); return err },
		"spaceScreenshot": func(ctx context.Context) error { _, err := query.SpaceScreenshot(ctx, space, nil); return err },
		"spaceStatistics": func(ctx context.Context) error {
			_, err := query.SpaceStatistics(ctx, space, 30)
			return err
		},
		"recordStay": func(ctx context.Context) error {
			return w.Mutation().RecordStay(ctx, model.Stay{SpaceID: space, Place: "page", Device: "phone"})
		},
		"spaceVersions": func(ctx context.Context) error {
			_, err := query.SpaceVersions(ctx, space, pageOf(nil, nil))
			return err
		},
		"spaceChanges": func(ctx context.Context) error {
			_, err := query.SpaceChanges(ctx, space, nil, 1, pageOf(nil, nil))
			return err
		},
	}
}

func changesOfSpace(w *world, space, entity string) calls {
	mutation := w.Mutation()
	title := "A title"
	return calls{
		"recordVisit": func(ctx context.Context) error { _, err := mutation.RecordVisit(ctx, space); return err },
		"requestDownload": func(ctx context.Context) error {
			_, err := mutation.RequestDownload(ctx, model.RequestDownload{SpaceID: space, EntityID: entity, Format: model.ConvertToSPZ})
			return err
		},
		"formatDownload": func(ctx context.Context) error {
			_, err := w.Query().FormatDownload(ctx, model.RequestDownload{SpaceID: space, EntityID: entity, Format: model.ConvertToSPZ})
			return err
		},
		"removeVisitor": func(ctx context.Context) error {
			return mutation.RemoveVisitor(ctx, model.RemoveVisitor{SpaceID: space, VisitorID: "x"})
		},
		"applyChanges": func(ctx context.Context) error {
			_, err := mutation.ApplyChanges(ctx, model.ChangeSet{SpaceID: space})
			return err
		},
		"applyArchive": func(ctx context.Context) error {
			_, err := mutation.ApplyArchive(ctx, model.ChangeSet{SpaceID: space}, noFiles, true)
			return err
		},
		"lockSpace": func(ctx context.Context) error {
			_, err := mutation.LockSpace(ctx, model.LockSpace{SpaceID: space, Name: "Editor"})
			return err
		},
		"unlockSpace": func(ctx context.Context) error {
			_, err := mutation.UnlockSpace(ctx, model.UnlockSpace{SpaceID: space, Force: true})
			return err
		},
		"restoreVersion": func(ctx context.Context) error { _, err := mutation.RestoreVersion(ctx, space, 1); return err },
		"nameVersion": func(ctx context.Context) error {
			_, err := mutation.NameVersion(ctx, model.NameVersion{SpaceID: space, Number: 1})
			return err
		},
		"spaceToTakeAway":    func(ctx context.Context) error { _, err := w.Query().SpaceToTakeAway(ctx, space); return err },
		"supersplatSettings": func(ctx context.Context) error { _, err := w.Query().SupersplatSettings(ctx, space); return err },
		"importSupersplatSettings": func(ctx context.Context) error {
			_, err := mutation.ImportSupersplatSettings(ctx, model.ImportSettings{SpaceID: space})
			return err
		},
		"updateSpace": func(ctx context.Context) error {
			_, err := mutation.UpdateSpace(ctx, model.UpdateSpace{SpaceID: space, SpaceTextInput: model.SpaceTextInput{Title: &title}})
			return err
		},
		"updateSpacePrivacy": func(ctx context.Context) error {
			_, err := mutation.UpdateSpacePrivacy(ctx, model.UpdateSpacePrivacy{SpaceID: space, Privacy: model.Private})
			return err
		},
		"duplicateSpace": func(ctx context.Context) error {
			_, err := mutation.DuplicateSpace(ctx, model.DuplicateSpace{SpaceID: space})
			return err
		},
		"deleteSpace": func(ctx context.Context) error { _, err := mutation.DeleteSpace(ctx, space); return err },
		"createEntity": func(ctx context.Context) error {
			_, err := mutation.CreateEntity(ctx, model.CreateEntity{SpaceID: space})
			return err
		},
		"updateEntity": func(ctx context.Context) error {
			_, err := mutation.UpdateEntity(ctx, model.UpdateEntity{SpaceID: space, EntityID: entity, Data: model.Object(`{}`)})
			return err
		},
		"deleteEntity": func(ctx context.Context) error {
			_, err := mutation.DeleteEntity(ctx, space, entity)
			return err
		},
	}
}

func operationsOnFile(w *world, resourceKey, job, address string) calls {
	query, mutation, subscription := w.Query(), w.Mutation(), w.Subscription()
	return calls{
		"file":     func(ctx context.Context) error { _, err := query.File(ctx, resourceKey); return err },
		"job":      func(ctx context.Context) error { _, err := query.Job(ctx, job); return err },
		"watchJob": func(ctx context.Context) error { _, err := subscription.Job(ctx, job); return err },
		"convertFile": func(ctx context.Context) error {
			_, err := mutation.ConvertFile(ctx, model.ConvertFile{ResourceKey: resourceKey})
			return err
		},
		"extractCapture": func(ctx context.Context) error {
			_, err := mutation.ExtractCapture(ctx, model.ExtractCapture{ResourceKey: resourceKey})
			return err
		},
		"updateFile": func(ctx context.Context) error {
			_, err := mutation.UpdateFile(ctx, model.UpdateFile{ResourceKey: resourceKey, SetStart: true})
			return err
		},
		"deleteFile": func(ctx context.Context) error {
			_, err := mutation.DeleteFile(ctx, resourceKey)
			return err
		},
		"cancelJob": func(ctx context.Context) error {
			_, err := mutation.CancelJob(ctx, job)
			return err
		},
		"completeUpload": func(ctx context.Context) error {
			_, err := mutation.CompleteUpload(ctx, model.CompleteUpload{Status: "success", FileURL: address})
			return err
		},
		"discardUpload": func(ctx context.Context) error {
			_, err := mutation.CompleteUpload(ctx, model.CompleteUpload{Status: "aborted", FileURL: address})
			return err
		},
		"createSpace": func(ctx context.Context) error {
			_, err := mutation.CreateSpace(ctx, model.CreateSpace{ResourceKey: &resourceKey})
			return err
		},
		"createAvatar": func(ctx context.Context) error {
			_, err := mutation.CreateAvatar(ctx, model.CreateAvatar{GLB: resourceKey, Splat: resourceKey, Binding: resourceKey, Fit: resourceKey})
			return err
		},
	}
}

// withoutAccess are the resolvers that operations does not call, with the reason.
var withoutAccess = map[string]string{
	"viewer": listed, "spaces": listed, "files": listed, "avatars": listed, "jobs": listed, "createUpload": listed, "user": listed, "followUser": listed,
	"unfollowUser": listed, "watchJobs": listed, "watchViewerSpaces": listed, "watchViewerFiles": listed, "watchNotifications": listed,
	"ownSharedSpaces": "it lists the spaces of the caller",
	"deleteAvatar":    "parity.TestOwnership_of_every_operation_of_REST",
	"exportAccount":   "it is about the account of the caller",
	"generateAPIKey":  "it is about the account of the caller",
	"revokeAPIKey":    "it is about the account of the caller",
	"moveInSpace":     "the ticket of the visitor is the right: TestMoveInSpace_is_refused",
	"sharedSpace":     "a Private space is not found, even for its owner: linkedSpace",
	"gallery":         "it lists Public spaces",
	"sharedSpaces":    "it lists Public spaces",
	"download":        "it reads the space as spacePage does; parity and web/page try who may download",
	"writeDownload":   "it writes what Download has returned",
	"sitemapPage":     "it lists Public spaces",
	"sitemapParts":    "it counts Public spaces",
	"profilePage":     "everybody may see a profile",
	"accountOf":       "everybody may see a profile",
	"namedSpace":      "a space is not found by names, even for a stranger of a Link Only space: web/page.TestNames_open_Public_spaces_to_strangers_and_others_to_nobody",
}

// listed is the reason for a resolver that names no owned object.
const listed = "TestLists_need_a_caller"

// TestAccess_covers_every_resolver compares operations and withoutAccess with the methods of the
// resolvers, so that a new one cannot be forgotten.
func TestAccess_covers_every_resolver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	calls := operations(w, "", "", "", "", "")
	shared := reflect.TypeFor[*graph.Resolver]() // is embedded, and has no resolvers
	exists := map[string]bool{}
	for _, resolvers := range []reflect.Type{reflect.TypeFor[graph.Queries](), reflect.TypeFor[graph.Mutations](), reflect.TypeFor[*live.Service]()} {
		for i := range resolvers.NumMethod() {
			method := resolvers.Method(i).Name
			if _, ok := shared.MethodByName(method); ok && resolvers != reflect.TypeFor[*live.Service]() || resolvers.Method(i).Type.NumIn() == 1 {
				continue // an operation has a context
			}
			name := strings.ToLower(method[:1]) + method[1:]
			if resolvers == reflect.TypeFor[*live.Service]() {
				name = "watch" + method
			}
			exists[name] = true
			if _, called := calls[name]; called == (withoutAccess[name] != "") {
				t.Errorf("%v.%s: want it in operations or in withoutAccess", resolvers, method)
			}
		}
	}
	for name := range withoutAccess {
		if !exists[name] {
			t.Errorf("%s: got a reason, but no such resolver", name)
		}
	}
}

// noFiles returns the files of an empty archive.
func noFiles() ([]model.FilePut, error) { return nil, nil }
