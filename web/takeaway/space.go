// Package takeaway writes a space into a folder that any web server can show, without Portico: for
// "portico export --static", and for owners who take a space away from its page.
package takeaway

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"portico/model"
	"portico/web/preview"
)

// Source is the server of a space: client.Client, or the server itself.
type Source interface {
	// CallGraphQL runs a document as who takes the space away, and decodes the data into v.
	CallGraphQL(ctx context.Context, document string, variables map[string]any, v any) error
	// Open reads a file by its address.
	Open(ctx context.Context, address string) (io.ReadCloser, error)
}

// Space is a space that was read, and whose files are still at the server.
type Space struct {
	source Source
	server string
	space  *remoteSpace
	room   map[string]any
}

// Read reads a space of the server at the address. It returns CodeForbidden for a space that its caller may
// not download.
func Read(ctx context.Context, source Source, server, id string) (*Space, error) {
	space, room, err := readSpace(ctx, source, id)
	if err != nil {
		return nil, err
	}
	if !space.ViewerMayDownload {
		return nil, model.Forbidden("the owner of this space offers no downloads; the owner's key can export it")
	}
	return &Space{source, server, space, room}, nil
}

// Title returns the title of the space.
func (s *Space) Title() string { return s.space.Title }

// Write writes the space to the folder, and returns a line for each thing that was left out.
func (s *Space) Write(ctx context.Context, folder preview.Folder) ([]string, error) {
	w := newWriter(s.source, s.server, folder, s.space)
	err := w.write(ctx, s.space, s.room)
	return w.warnings, err
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

// readSpace reads a space with all its entities, and the data of its RoomInfo.
func readSpace(ctx context.Context, source Source, id string) (*remoteSpace, map[string]any, error) {
	var all *remoteSpace
	for after := (*string)(nil); ; {
		var raw json.RawMessage
		if err := source.CallGraphQL(ctx, staticDocument, map[string]any{"id": id, "after": after}, &raw); err != nil {
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
func (w *writer) write(ctx context.Context, space *remoteSpace, room map[string]any) error {
	page := preview.Static{Language: "en"}
	page.Space.Title, page.Space.Type = space.Title, space.Type
	page.About.Description, page.About.Owner, page.About.Source = space.Description, space.Owner.Name, space.URL
	if licence := model.LicenceOf(space.Licence); licence != nil {
		page.About.LicenceName, page.About.LicenceURL = licence.Name, licence.URL
	}
	page.Space.Entities = []preview.Entity{}
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
func (w *writer) entity(ctx context.Context, e remoteEntity) (*preview.Entity, error) {
	written := &preview.Entity{EntityID: e.EntityID, Type: e.Type}
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
func (w *writer) file(ctx context.Context, file *remoteFile) error {
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
func (w *writer) leadOut(e remoteEntity) {
	link, _ := e.Data["link"].(string)
	link = strings.TrimPrefix(link, oldSpaceLink)
	if strings.HasSuffix(e.Type, "Gate") && spaceLink.MatchString(link) {
		e.Data["link"] = w.server + "/" + link
	}
}

// rewrite replaces the addresses of files of the server in data by those of their copies, at any depth.
// A file that cannot be read is left out, with a warning.
func (w *writer) rewrite(ctx context.Context, data map[string]any) {
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
