package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"portico/model"
)

// importCommand is "portico import". It is a client of the API with a key, so that the same
// quotas, formats and rules of spaces apply as to every upload.
//
// An import that fails is undone. After a crash or a second signal, what was stored until then
// remains in the account.
type importCommand struct {
	Path   string `arg:"" help:"The zip of an export." type:"existingfile"`
	Server string `help:"Address of the server." env:"PORTICO_URL" default:"http://127.0.0.1:8080"`
	Key    string `help:"API key of the account." env:"PORTICO_KEY" required:""`
	JSON   bool   `help:"Print JSON lines: progress, then the result or the error."`
}

// importResult is what portico import prints.
type importResult struct {
	Files  int `json:"files"`
	Spaces int `json:"spaces"`
	// SpaceIDs are the new ids of the spaces, by their exported ids.
	SpaceIDs map[string]string `json:"space_ids"`
	// Notes name what could not be imported unchanged.
	Notes []string `json:"notes"`
}

// importer carries out one import.
type importer struct {
	remote   *remote
	archive  *exportArchive
	progress *progress
	// mapped has the new addresses, keys and ids of what was imported so far.
	mapped *importMap
	userID string // the id of the account that gets the files
	result importResult
	// files and spaces are the resource keys and ids that undo deletes after an error.
	files, spaces []string
	// sent are the bytes that were stored so far, of total. Both count files and spaces, and
	// exclude the lists of the archive.
	sent, total int64 // bytes
}

// Run checks the whole archive before it stores anything.
func (c *importCommand) Run(ctx context.Context, in *invocation) error {
	p := newProgress(in, c.JSON)
	result, err := c.importAll(ctx, p)
	p.bar.clear()
	if err != nil {
		return reportError(in, c.JSON, err)
	}
	return p.printResult(result, func(out io.Writer) error {
		_, err := fmt.Fprintf(out, "Imported %d files and %d spaces\n%s", result.Files, result.Spaces, joinLines(result.Notes))
		return err
	})
}

// joinLines returns the texts with a newline after each.
func joinLines(texts []string) string {
	var b strings.Builder
	for _, text := range texts {
		b.WriteString(text + "\n")
	}
	return b.String()
}

// importAll checks the archive and the account, and then imports in steps. If a step fails, it
// undoes all of them, so that the account keeps nothing of the archive.
func (c *importCommand) importAll(ctx context.Context, p *progress) (result *importResult, err error) {
	p.report(0, "Checking the archive")
	archive, err := openExport(ctx, c.Path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, archive.close()) }()
	i := &importer{
		remote: &remote{server: strings.TrimRight(c.Server, "/"), key: c.Key}, archive: archive, progress: p,
		mapped: newImportMap(archive.manifest.UserID), result: importResult{SpaceIDs: map[string]string{}, Notes: []string{}},
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
	if err := i.remote.call(ctx, "GET", "/v1/user/me", nil, &me); err != nil {
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
		case isFinalResponse(err):
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
			// It was tried for maxStall. The others are tried once, so that a fault that concerns
			// all of them does not take hours.
			call = i.remote.callGraphQL
		case !isFollowed:
			missing++
		}
	}
	if missing > 0 {
		i.note("%d accounts that you followed are not on this server", missing)
	}
	return nil
}

// graphQLCaller executes a document, like remote.callGraphQL.
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
	if isFinalResponse(err) {
		err = nil
	}
	return isFollowed, err
}

// note adds a note to the result.
func (i *importer) note(format string, args ...any) {
	i.result.Notes = append(i.result.Notes, fmt.Sprintf(format, args...))
}

// uploadReporter returns a reporter for the upload of one file.
func (i *importer) uploadReporter(name string) reporter {
	return func(sent int64, message string) {
		i.progress.report(percentage(min(i.total, i.sent+sent), i.total), name+": "+message)
	}
}

// advance adds stored bytes to the progress.
func (i *importer) advance(bytes int64, message string) {
	i.sent += bytes
	i.progress.report(percentage(min(i.total, i.sent), i.total), message)
}
