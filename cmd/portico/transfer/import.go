package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cenkalti/backoff/v5"

	"portico/client"
	"portico/cmd/portico/command"
	"portico/model"
)

// ImportCommand is "portico import". It is a client of the API with a key, so that the same
// quotas, formats and rules of spaces apply as to every upload.
//
// An import that fails is undone. After a crash or a second signal, what was stored until then
// remains in the account.
type ImportCommand struct {
	Path string `arg:"" help:"The zip of an export." type:"existingfile"`
	command.ServerFlags
	JSON bool `help:"Print JSON lines: progress, then the result or the error."`
}

// ImportResult is what portico import prints.
type ImportResult struct {
	Files  int `json:"files"`
	Spaces int `json:"spaces"`
	// SpaceIDs are the new ids of the spaces, by their exported ids.
	SpaceIDs map[string]string `json:"space_ids"`
	// Notes name what could not be imported unchanged.
	Notes []string `json:"notes"`
}

// importer carries out one import.
type importer struct {
	remote   *client.Client
	archive  *exportArchive
	progress *command.Progress
	// mapped has the new addresses, keys and ids of what was imported so far.
	mapped *importMap
	userID string // the id of the account that gets the files
	result ImportResult
	// files and spaces are the resource keys and ids that undo deletes after an error.
	files, spaces []string
	// sent are the bytes that were stored so far, of total. Both count files and spaces, and
	// exclude the lists of the archive.
	sent, total int64 // bytes
}

// Run checks the whole archive before it stores anything.
func (c *ImportCommand) Run(ctx context.Context, in *command.Invocation) error {
	p := command.NewProgress(in, c.JSON)
	result, err := c.importAll(ctx, p)
	p.Clear()
	if err != nil {
		return command.ReportError(in, c.JSON, err, nil)
	}
	return p.PrintResult(result, func(out io.Writer) error {
		_, err := fmt.Fprintf(out, "Imported %d files and %d spaces\n%s", result.Files, result.Spaces, command.JoinLines(result.Notes))
		return err
	})
}

// importAll checks the archive and the account, and then imports in steps. If a step fails, it
// undoes all of them, so that the account keeps nothing of the archive.
func (c *ImportCommand) importAll(ctx context.Context, p *command.Progress) (result *ImportResult, err error) {
	p.Report(0, "Checking the archive")
	archive, err := openExport(ctx, c.Path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, archive.close()) }()
	i := &importer{
		remote: c.Client(), archive: archive, progress: p,
		mapped: newImportMap(archive.manifest.UserID), result: ImportResult{SpaceIDs: map[string]string{}, Notes: []string{}},
	}
	if err := i.checkStorage(ctx); err != nil {
		return nil, err
	}
	// The order matters: entities refer to files and to other spaces, so both exist, and have their
	// new names in mapped, before the first entity is stored. Nothing is public before all of it is
	// stored. The profile is last, because undo cannot restore it.
	for _, step := range []func(context.Context) error{i.importFiles, i.createSpaces, i.fillSpaces, i.publishSpaces, i.importAvatars, i.importProfile} {
		if err := step(ctx); err != nil {
			return nil, errors.Join(err, i.undo(ctx))
		}
	}
	return &i.result, nil
}

// checkStorage returns an error if the account has too little storage for the archive. It runs
// before anything is sent.
func (i *importer) checkStorage(ctx context.Context) error {
	var me struct {
		ID      string
		Storage struct{ Used, Quota int64 }
	}
	if err := i.remote.Call(ctx, "GET", "/v1/user/me", nil, &me); err != nil {
		return err
	}
	for _, part := range i.archive.manifest.Files {
		if strings.HasPrefix(part.Path, model.ExportFilesFolder) || strings.HasPrefix(part.Path, model.ExportSpacesFolder) {
			i.total += part.Size
		}
	}
	i.userID = me.ID
	if missing := i.total - (me.Storage.Quota - me.Storage.Used); missing > 0 {
		return fmt.Errorf("the archive needs %d bytes, %d more than the account has free: delete files, or ask the operator for a larger quota", i.total, missing)
	}
	return nil
}

// importAvatars stores the avatars. A file that the archive lists no more, because it was deleted
// during the export, has no new key: then the server refuses the avatar, and a note says so. Undoing
// the import deletes the avatars with their files.
func (i *importer) importAvatars(ctx context.Context) error {
	for _, avatar := range i.archive.avatars {
		err := i.callGraphQL(ctx, `mutation ($input: CreateAvatarInput!) { createAvatar(input: $input) { avatar { id } } }`,
			map[string]any{"input": map[string]any{
				"glb": i.mapped.keys[avatar.GLB], "splat": i.mapped.keys[avatar.Splat], "binding": i.mapped.keys[avatar.Binding],
				"fit": i.mapped.keys[avatar.Fit], "thumbnail": i.mapped.keys[avatar.Thumbnail],
				"originalName": avatar.OriginalName, "assign": avatar.Assigned,
			}}, nil)
		switch {
		case client.IsFinalResponse(err):
			i.note("The avatar %q could not be stored: %v", avatar.OriginalName, err)
		case err != nil:
			return err
		}
	}
	return nil
}

// importProfile sets the name of the account, and follows the accounts that exist on this server
// with the exported id and name. A note names each account that the server fails to follow: the
// import is not undone, because its spaces are already public.
func (i *importer) importProfile(ctx context.Context) error {
	err := i.callGraphQL(ctx, `mutation ($name: String) { updateAccount(input: {name: $name}) { user { id } } }`,
		map[string]any{"name": i.archive.account.Name}, nil)
	if err != nil {
		return err
	}
	missing, call := 0, i.callGraphQL
	for _, followed := range i.archive.follows {
		isFollowed, err := i.follow(ctx, call, followed)
		switch {
		case err != nil && ctx.Err() != nil:
			return err
		case err != nil:
			i.note("The account %q could not be followed: %v", followed.Name, err)
			// It was tried for client.MaxStall. The others are tried once, so that a fault that concerns
			// all of them does not take hours.
			call = i.remote.CallGraphQL
		case !isFollowed:
			missing++
		}
	}
	if missing > 0 {
		i.note("%d accounts that you followed are not on this server", missing)
	}
	return nil
}

// graphQLCaller executes a document, like CallGraphQL of the client.
type graphQLCaller func(ctx context.Context, document string, variables map[string]any, v any) error

// follow follows an account, and reports whether the server has it and allows that. It returns an
// error only if the server does not answer or has a fault.
func (i *importer) follow(ctx context.Context, call graphQLCaller, followed model.ExportedFollow) (isFollowed bool, err error) {
	var found struct{ User *struct{ ID, Name string } }
	err = call(ctx, `query ($id: ID!) { user(id: $id) { id name } }`, map[string]any{"id": followed.ID}, &found)
	if err == nil && found.User != nil && found.User.Name == followed.Name {
		err = call(ctx, `mutation ($id: ID!) { followUser(input: {userId: $id}) { user { id } } }`, map[string]any{"id": followed.ID}, nil)
		isFollowed = err == nil
	}
	if client.IsFinalResponse(err) {
		err = nil
	}
	return isFollowed, err
}

// note adds a note to the result.
func (i *importer) note(format string, args ...any) {
	i.result.Notes = append(i.result.Notes, fmt.Sprintf(format, args...))
}

// uploadReporter returns a reporter for the upload of one file.
func (i *importer) uploadReporter(name string) client.Reporter {
	return func(sent int64, message string) {
		i.progress.Report(command.Percentage(min(i.total, i.sent+sent), i.total), name+": "+message)
	}
}

// advance adds stored bytes to the progress.
func (i *importer) advance(bytes int64, message string) {
	i.sent += bytes
	i.progress.Report(command.Percentage(min(i.total, i.sent), i.total), message)
}

// call is Call of the client that repeats the request until there is a response. The server may get it
// twice.
func (i *importer) call(ctx context.Context, method, path string, body, v any) error {
	return client.RepeatUntilResponse(ctx, func() error { return i.remote.Call(ctx, method, path, body, v) })
}

// createSpace creates an empty space and returns its id. If the response is lost, nobody knows the
// id, so undo cannot delete the space: another space of the account may have its title.
func (i *importer) createSpace(ctx context.Context, space model.ExportedSpace) (id string, err error) {
	var made struct{ SpaceID string }
	err = client.RetryWhenLimited(ctx, func() error { // not call: it could create a second space
		return i.remote.Call(ctx, http.MethodPost, "/v1/spaces", map[string]any{"title": space.Title, "space_type": space.Type}, &made)
	})
	if err == nil {
		return made.SpaceID, nil
	}
	err = fmt.Errorf("create the space %q: %w", space.Title, err)
	if !client.IsFinalResponse(err) {
		err = fmt.Errorf("%w\nThe account may have a new, empty space %q, which the import could not delete: delete it in the console", err, space.Title)
	}
	return "", err
}

// callGraphQL executes a document that the server may get twice, and decodes its data into v, which
// may be nil. It repeats the request until there is a response.
func (i *importer) callGraphQL(ctx context.Context, document string, variables map[string]any, v any) error {
	return client.UntilResponse(ctx, func() error { return i.remote.CallGraphQL(ctx, document, variables, v) })
}

// undo deletes the created spaces and files, and returns an error that names those that remain. It
// also runs after ctx has ended.
func (i *importer) undo(ctx context.Context) error {
	return client.DeleteInRounds(ctx, func(ctx context.Context, d *client.Deletions) {
		for _, id := range i.spaces {
			d.Try(ctx, "delete the space "+id, func() error { return i.deleteSpace(ctx, id) })
		}
		for _, key := range i.files {
			d.Try(ctx, "delete the file "+key, func() error { return i.remote.DeleteFile(ctx, key) })
		}
	})
}

// addFilesOf adds the plugins and assets of a created space to the files that undo deletes: they
// are files of the account, which outlive the space.
func (i *importer) addFilesOf(ctx context.Context, space string) error {
	pulled, err := i.remote.Pull(ctx, space, false)
	if err != nil {
		return err
	}
	files, err := spaceURLs(pulled)
	errs := []error{err}
	for _, file := range files {
		_, path, ok := strings.Cut(file.URL, "/"+i.userID+"/")
		key, err := url.PathUnescape(path)
		errs = append(errs, err)
		if ok && err == nil && !slices.Contains(i.files, key) {
			i.files = append(i.files, key)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return backoff.Permanent(err)
	}
	return nil
}

// deleteSpace deletes a space, if it exists, and adds its files to the files that undo deletes.
//
// The files outlive the space, and only the space has their keys. So it is kept until all of them
// are known.
func (i *importer) deleteSpace(ctx context.Context, id string) error {
	err := i.addFilesOf(ctx, id)
	if err != nil && !client.HasStatus(err, http.StatusNotFound) {
		return fmt.Errorf("it is kept, because its files are unknown: %w", err)
	}
	err = i.remote.Call(ctx, http.MethodDelete, "/v1/spaces/"+id, nil, nil)
	if client.HasStatus(err, http.StatusNotFound) { // the response to an earlier deletion was lost
		return nil
	}
	return err
}
