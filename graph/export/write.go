package export

import (
	"archive/zip"
	"context"
	"io"
	"slices"

	"portico/db"
	"portico/graph"
	"portico/model"
	"portico/storage"
)

// Options are what Write reads an account from, and what it includes.
type Options struct {
	// DB has the rows of the account. Write reads most of them without resolvers, because the
	// rights were checked before it was called.
	DB *db.DB
	// Store has the bytes of the files.
	Store storage.Store
	// Resolver reads what the API shows in the same form: workspaces and histories.
	Resolver *graph.Resolver
	// ServerURL is the address of the server, without a final slash, for the manifest.
	ServerURL string
	// User is the account to export.
	User *model.User
	// Check returns an error if the export must end, such as after a change of the password. Write
	// calls it before each file, each object of a file that has several, and each space. Nil means
	// no check: only the context can stop the export.
	Check func(context.Context) error
}

// Write writes the export as a zip to out. It reads page by page and file by file, so its memory
// does not grow with the size of the files. After an error the archive is incomplete and has no
// manifest. The export may or may not have the changes that are made while it runs. A file that is
// deleted in this time is left out.
func Write(ctx context.Context, o Options, out io.Writer) error {
	now := model.Now()
	e := &exporter{
		Options: o, archive: &archive{zip: zip.NewWriter(out), now: now.Time}, inSpaces: map[string]bool{},
		ctx: model.WithCaller(ctx, &model.Caller{UserID: o.User.ID}),
	}
	// writeSpaces must run before writeFiles, which leaves out the plugins and assets that
	// writeSpaces has written, but not the files of avatars.
	for _, write := range []func() error{
		e.writeAccount, e.writeFollows, e.writeNotifications, e.writeSecurityEvents, e.writeSpaces, e.writeAvatars, e.writeFiles,
	} {
		if err := write(); err != nil {
			return err
		}
	}
	return e.archive.close(model.AccountManifest{
		Format: model.ExportFormat, Version: model.ExportVersion, Server: o.ServerURL,
		UserID: o.User.ID, ExportedAt: now,
	})
}

// exporter writes one export.
//
// One goroutine uses it. Each list is read page by page while the archive is sent, so a slow client
// keeps no transaction open.
type exporter struct {
	Options
	archive *archive
	ctx     context.Context //nolint:containedctx // of the one call of Write
	// inSpaces has the resource keys of the plugins and assets that were written with their space.
	inSpaces map[string]bool
}

// check returns why the export must stop: ctx has ended, or Check refuses it.
func (e *exporter) check() error {
	if e.Check == nil {
		return e.ctx.Err()
	}
	return e.Check(e.ctx)
}

func (e *exporter) writeAccount() error {
	u := e.User
	handles, err := e.DB.Handles().HandlesOf(e.ctx, []string{u.ID})
	if err != nil {
		return err
	}
	former, err := e.DB.Handles().FormerHandles(e.ctx, u.ID)
	if err != nil {
		return err
	}
	return e.archive.addJSON(model.ExportAccountFile, model.ExportedAccount{
		ID: u.ID, Email: u.Email, Name: u.Name, Plan: u.Plan, Quota: u.Quota, Handle: handles[u.ID], FormerHandles: former, CreatedAt: u.CreatedAt,
	})
}

func (e *exporter) writeFollows() error {
	return e.archive.addList(model.ExportFollowsFile, func(yield func(any) error) error {
		for after := ""; ; {
			found, err := e.DB.Accounts().Following(e.ctx, e.User.ID, after, model.MaxPageSize)
			if err != nil {
				return err
			}
			for _, followed := range found {
				if err := yield(model.ExportedFollow{ID: followed.ID, Name: followed.Name}); err != nil {
					return err
				}
				after = followed.ID
			}
			if len(found) < model.MaxPageSize {
				return nil
			}
		}
	})
}

func (e *exporter) writeNotifications() error {
	return e.archive.addList(model.ExportNotificationsFile, func(yield func(any) error) error {
		return eachRow(func(page model.Page) (*model.Connection[*model.Notification], error) {
			found, err := e.DB.Notifications().Notifications(e.ctx, e.User.ID, page)
			return (*model.Connection[*model.Notification])(found), err
		}, func(n *model.Notification) error {
			return yield(model.ExportedNotification{Type: n.Type, SpaceID: n.SpaceID, Text: n.Text, CreatedAt: n.CreatedAt})
		})
	})
}

func (e *exporter) writeSecurityEvents() error {
	return e.archive.addList(model.ExportSecurityFile, func(yield func(any) error) error {
		return eachRow(func(page model.Page) (*model.Connection[*model.SecurityEvent], error) {
			found, err := e.DB.Audit().SecurityEvents(e.ctx, e.User.ID, page)
			return (*model.Connection[*model.SecurityEvent])(found), err
		}, func(s *model.SecurityEvent) error {
			return yield(model.ExportedEvent{
				Type: s.Type, Method: s.Method, Door: s.Door, Address: s.Address, Subject: s.Subject,
				Title: s.Title, Reason: s.Reason, TakedownReason: s.TakedownReason, Changes: s.Changes,
				Detail: s.Detail(), CreatedAt: s.CreatedAt,
			})
		})
	})
}

// writeAvatars writes the list of avatars, oldest first, so that an import keeps the order. Their
// files are written as files, even if a space has them too.
func (e *exporter) writeAvatars() error {
	avatars, err := e.DB.Accounts().Avatars(e.ctx, e.User.ID)
	if err != nil {
		return err
	}
	return e.archive.addList(model.ExportAvatarsFile, func(yield func(any) error) error {
		for _, a := range slices.Backward(avatars) {
			for _, key := range a.Files() {
				delete(e.inSpaces, key)
			}
			err := yield(model.ExportedAvatar{
				OriginalName: a.OriginalName, GLB: a.GLB, Splat: a.Splat, Binding: a.Binding, Fit: a.Fit,
				Thumbnail: a.Thumbnail, Assigned: a.Assigned, CreatedAt: a.CreatedAt,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// eachRow reads a list page by page, and calls visit with each row.
func eachRow[T any](read func(model.Page) (*model.Connection[T], error), visit func(T) error) error {
	size := model.MaxPageSize
	for args := (model.PageArgs{Limit: &size}); ; {
		page, err := args.Page()
		if err != nil {
			return err
		}
		found, err := read(page)
		if err != nil {
			return err
		}
		for _, row := range found.Nodes {
			if err := visit(row); err != nil {
				return err
			}
		}
		if !found.PageInfo.HasNextPage || found.PageInfo.EndCursor == nil {
			return nil
		}
		args.Cursor = *found.PageInfo.EndCursor
	}
}
