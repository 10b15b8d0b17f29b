package graph_test

import (
	"context"
	"testing"

	"portico/graph"
	"portico/graph/access"
	"portico/model"
)

// refusals has the code and the text of the refusal of each operation.
type refusals map[string]struct {
	code    model.Code
	message string
}

func checkRefusals(ctx context.Context, t *testing.T, calls map[string]func(context.Context) error, want refusals) {
	t.Helper()
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			checkError(t, call(ctx), want[name].code, want[name].message)
		})
	}
}

func TestAccess_depends_on_the_caller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space := w.space(w.alice, model.SpaceHub)
	entity := model.StaticGateIDs[0]
	file, job := w.file(w.alice, "model.glb"), w.job(w.alice)
	address := w.upload(w.alice, "other.glb", 10)
	mine := operations(w, space.ID, entity, file.ResourceKey, job.ID, address)

	t.Run("refuses everything without a caller", func(t *testing.T) {
		want := refusals{}
		for name := range mine {
			want[name] = struct {
				code    model.Code
				message string
			}{model.CodeUnauthenticated, "Invalid or expired API key"}
		}
		checkRefusals(t.Context(), t, mine, want)
	})
	t.Run("refuses a space of another user without a detail", func(t *testing.T) {
		checkRefusals(w.bob.ctx, t, mine, refusalsOfAnotherUser())
	})
	for name, id := range map[string]string{
		"an unknown id": "no such thing", "an empty id": "", "a NUL": "a\x00b", "no UTF-8": "a\xffb",
	} {
		t.Run("does not find "+name, func(t *testing.T) {
			unknown := operations(w, id, entity, id, id, "https://portico.example/files/"+w.alice.id+"/"+id)
			delete(unknown, "completeUpload") // a NUL there is a wrong request: TestCompleteUpload
			delete(unknown, "discardUpload")
			if id == "" {
				delete(unknown, "createSpace") // it names no resource key
				delete(unknown, "createAvatar")
			}
			checkRefusals(w.alice.ctx, t, unknown, refusalsOfAnUnknownID())
		})
	}
	t.Run("does not find an unknown entity of the caller's space", func(t *testing.T) {
		for _, id := range []string{"no such entity", "", "a\x00b"} {
			calls := operations(w, space.ID, id, "", "", "")
			for _, name := range []string{"entity", "updateEntity", "deleteEntity"} {
				checkError(t, calls[name](w.alice.ctx), model.CodeNotFound, "Entity not found")
			}
		}
	})
	t.Run("changed nothing for any of these", func(t *testing.T) {
		equal(t, "title", w.mustSpace(space).Title, "Untitled space")
		got, err := w.Query().Job(w.alice.ctx, job.ID)
		check(t, err)
		equal(t, "job's status", got.Status, model.JobQueued)
		equal(t, "gate's type", w.entity(space, entity).Type, model.TypeGate)
	})
}

// refusalsOfAnotherUser returns the refusals of operations on the objects of another user.
func refusalsOfAnotherUser() refusals {
	return refusals{
		"space":                    {model.CodeForbidden, access.SpaceForbidden},
		"visitSpace":               {model.CodeForbidden, access.SpaceForbidden},
		"entity":                   {model.CodeForbidden, access.SpaceForbidden},
		"ownedEntities":            {model.CodeForbidden, access.SpaceForbidden},
		"watchSpacePresence":       {model.CodeForbidden, access.SpaceForbidden},
		"exportSpace":              {model.CodeForbidden, access.SpaceForbidden},
		"spacePage":                {model.CodeForbidden, access.SpaceForbidden},
		"spaceScreenshot":          {model.CodeForbidden, access.SpaceForbidden},
		"spaceStatistics":          {model.CodeForbidden, access.SpaceForbidden},
		"recordStay":               {model.CodeForbidden, access.SpaceForbidden},
		"spaceVersions":            {model.CodeForbidden, access.SpaceForbidden},
		"spaceChanges":             {model.CodeForbidden, access.SpaceForbidden},
		"recordVisit":              {model.CodeForbidden, access.SpaceForbidden},
		"removeVisitor":            {model.CodeForbidden, access.SpaceForbidden},
		"requestDownload":          {model.CodeForbidden, access.SpaceForbidden},
		"formatDownload":           {model.CodeForbidden, access.SpaceForbidden},
		"applyChanges":             {model.CodeForbidden, access.SpaceForbidden},
		"applyArchive":             {model.CodeForbidden, access.SpaceForbidden},
		"lockSpace":                {model.CodeForbidden, access.SpaceForbidden},
		"unlockSpace":              {model.CodeForbidden, access.SpaceForbidden},
		"restoreVersion":           {model.CodeForbidden, access.SpaceForbidden},
		"nameVersion":              {model.CodeForbidden, access.SpaceForbidden},
		"spaceToTakeAway":          {model.CodeForbidden, access.SpaceForbidden},
		"supersplatSettings":       {model.CodeForbidden, access.SpaceForbidden},
		"importSupersplatSettings": {model.CodeForbidden, access.SpaceForbidden},
		"convertFile":              {model.CodeNotFound, "File not found"},
		"extractCapture":           {model.CodeNotFound, "File not found"},
		"watchSpace":               {model.CodeForbidden, access.SpaceForbidden},
		"updateFile":               {model.CodeNotFound, "File not found"},
		"deleteFile":               {model.CodeNotFound, "File not found"},
		"file":                     {model.CodeNotFound, "File not found"},
		"job":                      {model.CodeNotFound, "Job not found"},
		"watchJob":                 {model.CodeNotFound, "Job not found"},
		"cancelJob":                {model.CodeNotFound, "Job not found"},
		"completeUpload":           {model.CodeNotFound, "Uploaded file not found"},
		"discardUpload":            {model.CodeNotFound, "Uploaded file not found"},
		"createSpace":              {model.CodeNotFound, "File not found"},
		"createAvatar":             {model.CodeNotFound, "File not found"},
		"updateSpace":              {model.CodeForbidden, access.SpaceForbidden},
		"updateSpacePrivacy":       {model.CodeForbidden, "You are not authorized to update the privacy of this space"},
		"duplicateSpace":           {model.CodeForbidden, access.SpaceForbidden},
		"deleteSpace":              {model.CodeForbidden, access.SpaceForbidden},
		"createEntity":             {model.CodeForbidden, access.SpaceForbidden},
		"updateEntity":             {model.CodeForbidden, access.SpaceForbidden},
		"deleteEntity":             {model.CodeForbidden, access.SpaceForbidden},
	}
}

// refusalsOfAnUnknownID returns the refusals of operations on objects that do not exist.
func refusalsOfAnUnknownID() refusals {
	return refusals{
		"space":                    {model.CodeNotFound, "Space not found"},
		"visitSpace":               {model.CodeNotFound, "Space not found"},
		"entity":                   {model.CodeNotFound, "Space not found"},
		"ownedEntities":            {model.CodeNotFound, "Space not found"},
		"watchSpacePresence":       {model.CodeNotFound, "Space not found"},
		"exportSpace":              {model.CodeNotFound, "Space not found"},
		"spacePage":                {model.CodeNotFound, "Space not found"},
		"spaceScreenshot":          {model.CodeNotFound, "Space not found"},
		"spaceStatistics":          {model.CodeNotFound, "Space not found"},
		"recordStay":               {model.CodeNotFound, "Space not found"},
		"spaceVersions":            {model.CodeNotFound, "Space not found"},
		"spaceChanges":             {model.CodeNotFound, "Space not found"},
		"recordVisit":              {model.CodeNotFound, "Space not found"},
		"removeVisitor":            {model.CodeNotFound, "Space not found"},
		"requestDownload":          {model.CodeNotFound, "Space not found"},
		"formatDownload":           {model.CodeNotFound, "Space not found"},
		"applyChanges":             {model.CodeNotFound, "Space not found"},
		"applyArchive":             {model.CodeNotFound, "Space not found"},
		"lockSpace":                {model.CodeNotFound, "Space not found"},
		"unlockSpace":              {model.CodeNotFound, "Space not found"},
		"restoreVersion":           {model.CodeNotFound, "Space not found"},
		"nameVersion":              {model.CodeNotFound, "Space not found"},
		"spaceToTakeAway":          {model.CodeNotFound, "Space not found"},
		"supersplatSettings":       {model.CodeNotFound, "Space not found"},
		"importSupersplatSettings": {model.CodeNotFound, "Space not found"},
		"convertFile":              {model.CodeNotFound, "File not found"},
		"extractCapture":           {model.CodeNotFound, "File not found"},
		"watchSpace":               {model.CodeNotFound, "Space not found"},
		"updateFile":               {model.CodeNotFound, "File not found"},
		"deleteFile":               {model.CodeNotFound, "File not found"},
		"file":                     {model.CodeNotFound, "File not found"},
		"job":                      {model.CodeNotFound, "Job not found"},
		"watchJob":                 {model.CodeNotFound, "Job not found"},
		"cancelJob":                {model.CodeNotFound, "Job not found"},
		"createSpace":              {model.CodeNotFound, "File not found"},
		"createAvatar":             {model.CodeNotFound, "File not found"},
		"updateSpace":              {model.CodeNotFound, "Space not found"},
		"updateSpacePrivacy":       {model.CodeNotFound, "Space not found"},
		"duplicateSpace":           {model.CodeNotFound, "Space not found"},
		"deleteSpace":              {model.CodeNotFound, "Space not found"},
		"createEntity":             {model.CodeNotFound, "Space not found"},
		"updateEntity":             {model.CodeNotFound, "Space not found"},
		"deleteEntity":             {model.CodeNotFound, "Space not found"},
	}
}

// mustSpace returns the current state of the space, as its owner reads it.
func (w *world) mustSpace(space *model.Space) *model.Space {
	w.t.Helper()
	got, err := w.Query().Space(w.as(space.OwnerID), space.ID)
	check(w.t, err)
	return got
}

// TestLists_need_a_caller calls the operations that name no thing.
func TestLists_need_a_caller(t *testing.T) {
	t.Parallel()
	r := &graph.Resolver{} // the operations are refused before they use it
	for name, call := range map[string]func(context.Context) error{
		"viewer":  func(ctx context.Context) error { _, err := r.Query().Viewer(ctx); return err },
		"spaces":  func(ctx context.Context) error { _, err := r.Query().Spaces(ctx, nil, nil, nil); return err },
		"files":   func(ctx context.Context) error { _, err := r.Query().Files(ctx, nil, nil); return err },
		"avatars": func(ctx context.Context) error { _, err := r.Query().Avatars(ctx); return err },
		"jobs":    func(ctx context.Context) error { _, err := r.Query().Jobs(ctx); return err },
		"notifications": func(ctx context.Context) error {
			_, err := r.Notifications(ctx, pageOf(nil, nil))
			return err
		},
		"user":       func(ctx context.Context) error { _, err := r.Query().User(ctx, ""); return err },
		"followUser": func(ctx context.Context) error { _, err := r.Mutation().FollowUser(ctx, ""); return err },
		"unfollowUser": func(ctx context.Context) error {
			_, err := r.Mutation().UnfollowUser(ctx, "")
			return err
		},
		"watchJobs":   func(ctx context.Context) error { _, err := r.Subscription().Jobs(ctx); return err },
		"watchSpaces": func(ctx context.Context) error { _, err := r.Subscription().ViewerSpaces(ctx); return err },
		"watchFiles":  func(ctx context.Context) error { _, err := r.Subscription().ViewerFiles(ctx); return err },
		"watchNotifications": func(ctx context.Context) error {
			_, err := r.Subscription().Notifications(ctx, nil)
			return err
		},
		"createUpload": func(ctx context.Context) error {
			_, err := r.Mutation().CreateUpload(ctx, model.CreateUpload{})
			return err
		},
		"createSpace": func(ctx context.Context) error {
			_, err := r.Mutation().CreateSpace(ctx, model.CreateSpace{})
			return err
		},
		"completeUpload": func(ctx context.Context) error {
			_, err := r.Mutation().CompleteUpload(ctx, model.CompleteUpload{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkError(t, call(t.Context()), model.CodeUnauthenticated, model.KeyInvalid)
		})
	}
}

func TestViewer_shows_the_plan_and_the_storage_of_the_caller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	user, err := w.Query().Viewer(w.alice.ctx)
	check(t, err)
	equal(t, "email", user.Email, "alice@example.com")
	equal(t, "plan", user.Plan, model.PlanPro)
	w.file(w.alice, "model.glb")
	w.reserved(w.alice, "other.glb", 7)
	equal(t, "storage", w.storage(w.alice), model.Storage{Used: 10, Reserved: 7, Quota: testQuota})
	equal(t, "free", w.storage(w.alice).Free(), testQuota-17)
	equal(t, "another's storage", w.storage(w.bob), model.Storage{Quota: testQuota})
}
