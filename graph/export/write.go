package export

import (
	"archive/zip"
	"context"
	"io"

	"portico/graph"
	"portico/model"
)

// Options describe an export.
type Options struct {
	Resolver *graph.Resolver
	// User is the account to export.
	User *model.User
	// Check returns an error if the export must end, such as after a change of the password.
	// It is called before each file and each space; nil means that nothing ends the export early.
	Check func(context.Context) error
}

// Write writes the export. It reads page by page and file by file, so that its memory does not
// grow with the size of the files. After an error, the archive is incomplete and has no manifest.
// Changes during the export may be in it or not; a file that is deleted meanwhile is left out.
func Write(ctx context.Context, o Options, out io.Writer) error {
	now := model.Now()
	e := &exporter{
		Options: o, archive: &archive{zip: zip.NewWriter(out), now: now.Time}, placed: map[string]bool{},
		ctx: model.WithCaller(ctx, &model.Caller{UserID: o.User.ID}),
	}
	// Spaces come before files: plugins and assets are written with their space.
	for _, write := range []func() error{e.account, e.follows, e.notifications, e.securityEvents, e.spaces, e.files} {
		if err := write(); err != nil {
			return err
		}
	}
	return e.archive.close(model.AccountManifest{
		Format: model.ExportFormat, Version: model.ExportVersion, Server: o.Resolver.Settings.WebURL,
		UserID: o.User.ID, ExportedAt: now,
	})
}

// exporter writes one export.
type exporter struct {
	Options
	archive *archive
	ctx     context.Context //nolint:containedctx // of the one call of Write
	// placed are the resource keys of plugins and assets, which are written with their space.
	placed map[string]bool
}

// check returns the error of Check.
func (e *exporter) check() error {
	if e.Check == nil {
		return e.ctx.Err()
	}
	return e.Check(e.ctx)
}

func (e *exporter) account() error {
	u := e.User
	return e.archive.object(model.ExportAccountFile, model.ExportedAccount{
		ID: u.ID, Email: u.Email, Name: u.Name, Plan: u.Plan, Quota: u.Quota, CreatedAt: u.CreatedAt,
	})
}

func (e *exporter) follows() error {
	return e.archive.list(model.ExportFollowsFile, func(yield func(any) error) error {
		for after := ""; ; {
			found, err := e.Resolver.DB.Following(e.ctx, e.User.ID, after, model.MaxPageSize)
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

func (e *exporter) notifications() error {
	return e.archive.list(model.ExportNotificationsFile, func(yield func(any) error) error {
		return pages(func(page model.Page) (*model.Connection[*model.Notification], error) {
			found, err := e.Resolver.DB.Notifications(e.ctx, e.User.ID, page)
			return (*model.Connection[*model.Notification])(found), err
		}, func(n *model.Notification) error {
			return yield(model.ExportedNotification{Type: n.Type, SpaceID: n.SpaceID, CreatedAt: n.CreatedAt})
		})
	})
}

func (e *exporter) securityEvents() error {
	return e.archive.list(model.ExportSecurityFile, func(yield func(any) error) error {
		return pages(func(page model.Page) (*model.Connection[*model.SecurityEvent], error) {
			found, err := e.Resolver.DB.SecurityEvents(e.ctx, e.User.ID, page)
			return (*model.Connection[*model.SecurityEvent])(found), err
		}, func(s *model.SecurityEvent) error {
			return yield(model.ExportedEvent{
				Type: s.Type, Method: s.Method, Door: s.Door, Address: s.Address, Subject: s.Subject, Detail: s.Detail, CreatedAt: s.CreatedAt,
			})
		})
	})
}

// pages calls visit with each row of a list.
func pages[T any](read func(model.Page) (*model.Connection[T], error), visit func(T) error) error {
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
