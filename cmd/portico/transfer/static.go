package transfer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"portico/client"
	"portico/cmd/portico/command"
	"portico/model"
	"portico/server"
)

// StaticExport is "portico export --static". It writes a space that the account of the key, or
// everybody, may download into a folder that any web server can show.
type StaticExport struct {
	Server, Key string
	Space       string // its id, or its address on the server
	Folder      string
}

// staticDocument reads what the page of a space reads.
const staticDocument = `query Static($id: ID!, $after: String) {
	space(id: $id) {
		title description licence type viewerMayDownload url owner { name }
		entities(first: 200, after: $after) {
			nodes {
				entityId type data readUrl
				file {
					name url viewUrl readUrl posterUrl collisionUrl attribution
					start { position target up certainty doubtfulScale scene }
					facts { format ... on GaussianFacts { splats } ... on MeshFacts { splats triangles } ... on DamagedFacts { fault } }
				}
			}
			pageInfo { hasNextPage endCursor }
		}
	}
	room: entity(spaceId: $id, entityId: "RoomInfo") { data }
}`

// remoteSpace is a space as the server describes it.
type remoteSpace struct {
	Title, Description, Licence, Type, URL string
	ViewerMayDownload                      bool
	Owner                                  struct{ Name string }
	Entities                               struct {
		Nodes    []remoteEntity
		PageInfo struct {
			HasNextPage bool
			EndCursor   *string
		}
	}
}

// remoteEntity is an entity as the server describes it.
type remoteEntity struct {
	EntityID, Type string
	Data           map[string]any
	ReadURL        *string
	File           *remoteFile
}

// remoteFile is the file of an entity: what the page reads of it, and its public address.
type remoteFile struct {
	Name         string          `json:"name"`
	URL          string          `json:"url,omitempty"`
	ViewURL      string          `json:"viewUrl"`
	ReadURL      string          `json:"readUrl"`
	PosterURL    *string         `json:"posterUrl"`
	CollisionURL *string         `json:"collisionUrl"`
	Attribution  *string         `json:"attribution"`
	Start        json.RawMessage `json:"start"`
	Facts        json.RawMessage `json:"facts"`
}

// Run writes the folder under a temporary name until it is complete.
func (e *StaticExport) Run(ctx context.Context, in *command.Invocation) error {
	remote := client.New(e.Server, e.Key)
	id := strings.TrimPrefix(e.Space, remote.Server+"/")
	if !model.IsSpaceID(id) {
		return fmt.Errorf("name a space of %s: its id is the last part of its address", remote.Server)
	}
	if err := command.CheckNew(e.Folder); err != nil {
		return err
	}
	space, room, err := readSpace(ctx, remote, id)
	if err != nil {
		return err
	}
	if !space.ViewerMayDownload {
		return errors.New("the owner of this space offers no downloads; the owner's key can export it")
	}
	temporary, err := os.MkdirTemp(filepath.Dir(e.Folder), ".portico-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary) //nolint:errcheck // it was moved, or the command has failed anyway
	root, err := os.OpenRoot(temporary)
	if err != nil {
		return err
	}
	w := newStaticWriter(remote, root, space)
	err = w.write(ctx, space, room)
	if err = errors.Join(err, root.Close()); err != nil {
		return err
	}
	if err := errors.Join(os.Chmod(temporary, 0o755), command.MoveNew(temporary, e.Folder)); err != nil { // a web server reads it
		return err
	}
	for _, warning := range w.warnings {
		if in.Terminal == nil {
			break
		}
		if _, err := fmt.Fprintln(in.Terminal, "warning: "+warning); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(in.Out, e.Folder)
	return err
}

// readSpace reads a space with all its entities, and the data of its RoomInfo.
func readSpace(ctx context.Context, remote *client.Client, id string) (*remoteSpace, map[string]any, error) {
	var all *remoteSpace
	for after := (*string)(nil); ; {
		var raw json.RawMessage
		if err := remote.CallGraphQL(ctx, staticDocument, map[string]any{"id": id, "after": after}, &raw); err != nil {
			return nil, nil, err
		}
		var page struct {
			Space *remoteSpace
			Room  *struct{ Data map[string]any }
		}
		decoder := json.NewDecoder(bytes.NewReader(raw))
		decoder.UseNumber() // the numbers of entities are written as they were read
		if err := decoder.Decode(&page); err != nil {
			return nil, nil, err
		}
		if page.Space == nil {
			return nil, nil, model.NotFound(model.SpaceNotFound)
		}
		nodes := page.Space.Entities.Nodes
		if all == nil {
			all = page.Space
		} else {
			all.Entities.Nodes = append(all.Entities.Nodes, nodes...)
		}
		if after = page.Space.Entities.PageInfo.EndCursor; !page.Space.Entities.PageInfo.HasNextPage || after == nil {
			var room map[string]any
			if page.Room != nil {
				room = page.Room.Data
			}
			return all, room, nil
		}
	}
}

// write writes the files of the space, and then its page.
func (w *staticWriter) write(ctx context.Context, space *remoteSpace, room map[string]any) error {
	page := server.StaticSpace{Language: "en"}
	page.Space.Title, page.Space.Type = space.Title, space.Type
	page.About.Description, page.About.Owner, page.About.Source = space.Description, space.Owner.Name, space.URL
	if licence := model.LicenceOf(space.Licence); licence != nil {
		page.About.LicenceName, page.About.LicenceURL = licence.Name, licence.URL
	}
	page.Space.Entities = []server.StaticEntity{}
	for _, entity := range space.Entities.Nodes {
		if isHidden(entity.Data) {
			continue
		}
		written, err := w.entity(ctx, entity)
		if err != nil {
			return fmt.Errorf("export %s: %w", entity.EntityID, err)
		}
		if written == nil {
			continue
		}
		page.Space.Entities = append(page.Space.Entities, *written)
		if file, ok := written.File.(*remoteFile); ok {
			if file.PosterURL != nil {
				page.Poster = cmp.Or(page.Poster, *file.PosterURL)
			}
			if file.Attribution != nil {
				page.Attributions = append(page.Attributions, *file.Attribution)
			}
		}
	}
	w.rewrite(ctx, room)
	if err := ctx.Err(); err != nil {
		return err
	}
	var err error
	if page.Space.Room, err = json.Marshal(room); err != nil {
		return err
	}
	return page.Write(w.folder)
}

// isHidden reports whether the entity is not shown.
func isHidden(data map[string]any) bool {
	gate, _ := data["dynamicGate"].(map[string]any)
	return data["hidden"] == true || gate["hidden"] == true
}

// entity writes the files of an entity and returns it with their new addresses; nil for an entity that
// does not work without a server.
func (w *staticWriter) entity(ctx context.Context, e remoteEntity) (*server.StaticEntity, error) {
	written := &server.StaticEntity{EntityID: e.EntityID, Type: e.Type}
	if file := e.File; file != nil {
		if strings.HasSuffix(pathOf(file.URL), ".mjs") {
			w.warn("%s is a plugin, which needs a server", e.EntityID)
			return nil, nil
		}
		if err := w.file(ctx, file); err != nil {
			return nil, err
		}
		written.File, written.ReadURL = file, &file.ReadURL
	} else if e.ReadURL != nil {
		if local := w.take(ctx, *e.ReadURL); local != "" {
			written.ReadURL = &local
		}
	}
	if written.ReadURL != nil {
		e.Data["glbUrl"] = *written.ReadURL
	}
	w.leadOut(e)
	w.rewrite(ctx, e.Data)
	var err error
	written.Data, err = json.Marshal(e.Data)
	return written, err
}

// file writes what the page shows of a file: its view, and not the file itself, which may be much larger.
func (w *staticWriter) file(ctx context.Context, file *remoteFile) error {
	view, err := w.takeAll(ctx, file.ViewURL)
	if err != nil {
		return err
	}
	file.URL, file.ViewURL, file.ReadURL = "", view, view
	if poster := file.PosterURL; poster != nil {
		file.PosterURL = nil
		if poster := w.take(ctx, *poster); poster != "" {
			file.PosterURL = &poster
		}
	}
	if file.CollisionURL != nil {
		collision, err := w.takeAll(ctx, *file.CollisionURL)
		if err != nil {
			return err
		}
		file.CollisionURL = &collision
	}
	return ctx.Err()
}

// oldSpaceLink precedes the id of a space in old links.
const oldSpaceLink = "custom.travel.center."

var spaceLink = regexp.MustCompile(`^[\w.-]+$`)

// leadOut makes the gates to spaces lead to their pages on the server. Visitors are asked first.
func (w *staticWriter) leadOut(e remoteEntity) {
	link, _ := e.Data["link"].(string)
	link = strings.TrimPrefix(link, oldSpaceLink)
	if strings.HasSuffix(e.Type, "Gate") && spaceLink.MatchString(link) {
		e.Data["link"] = w.remote.Server + "/" + link
	}
}

// rewrite replaces the addresses of files of the server in data by those of their copies, at any depth.
// A file that cannot be read is left out, with a warning.
func (w *staticWriter) rewrite(ctx context.Context, data map[string]any) {
	for name, value := range data {
		switch value := value.(type) {
		case map[string]any:
			w.rewrite(ctx, value)
		case []any:
			for _, element := range value {
				if object, ok := element.(map[string]any); ok {
					w.rewrite(ctx, object)
				}
			}
		case string:
			if !w.isFile(value) || strings.Contains(strings.ToLower(name), "link") {
				continue
			}
			if local := w.take(ctx, value); local != "" {
				data[name] = local
			} else {
				delete(data, name)
			}
		}
	}
}
