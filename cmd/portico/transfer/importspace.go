package transfer

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path"
	"strings"

	"portico/client"
	"portico/model"
)

// importFiles uploads the files, oldest first. The archive lists the newest file first, and the
// account lists its files in the order of their uploads.
func (i *importer) importFiles(ctx context.Context) error {
	for n := len(i.archive.files) - 1; n >= 0; n-- {
		file := i.archive.files[n]
		i.advance(0, "Storing "+file.Name)
		stored, err := i.importFile(ctx, file)
		if err != nil {
			return fmt.Errorf("store %s: %w", file.Name, err)
		}
		i.mapped.addFile(file.ResourceKey, file.URL, stored)
		i.advance(file.Size, "Stored "+file.Name)
		i.result.Files++
	}
	return nil
}

// importFile uploads one file. It zips a file of several objects, which the server extracts again.
// The content is first written to a temporary file, because a resumable upload may send any part of
// it again.
func (i *importer) importFile(ctx context.Context, file model.ExportedUpload) (stored *client.StoredFile, err error) {
	packed, err := os.CreateTemp("", "portico-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, packed.Close(), os.Remove(packed.Name())) }()
	name := path.Base(file.Primary)
	if file.Objects > 1 {
		name = strings.TrimSuffix(file.Name, path.Ext(file.Name)) + ".zip"
		err = i.pack(ctx, packed, file)
	} else {
		// The server recognises some formats by the extension, so a name with another extension,
		// such as the name of a converted file, is not used.
		if strings.EqualFold(path.Ext(file.Name), path.Ext(name)) {
			name = file.Name // the name that the owner chose
		}
		err = i.unpack(ctx, packed, file.Folder+file.Primary)
	}
	if err != nil {
		return nil, err
	}
	if stored, err = i.remote.Upload(ctx, packed, name, i.uploadReporter(name)); err != nil {
		return nil, err
	}
	i.files = append(i.files, stored.ResourceKey)
	if file.Start == nil {
		return stored, nil
	}
	return stored, i.callGraphQL(ctx, `mutation ($id: ID!, $start: StartInput) { updateFile(input: {fileId: $id, start: $start}) { file { id } } }`,
		map[string]any{"id": stored.ResourceKey, "start": map[string]any{"position": file.Start.Position, "target": file.Start.Target}}, nil)
}

// unpack writes the content of a file of the archive to out.
func (i *importer) unpack(ctx context.Context, out io.Writer, name string) error {
	content, err := i.archive.zip.OpenFile(ctx, name)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	return err
}

// pack writes a zip with all objects of a file to out. It does not compress: captures compress very
// little, and the zip lives only for the upload.
func (i *importer) pack(ctx context.Context, out io.Writer, file model.ExportedUpload) error {
	packed := zip.NewWriter(out)
	for _, name := range i.archive.folders[file.Folder] {
		entry, err := packed.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			return err
		}
		if err := i.unpack(ctx, entry, file.Folder+name); err != nil {
			return err
		}
	}
	return packed.Close()
}

// The maximum size of one request of an import, in bytes and in entities. With the overhead of
// JSON, they are below the limits of the server.
const (
	importBatchBytes    = 8 << 20
	importBatchEntities = 1000
)

// createSpaces creates all spaces, empty and Private, before any is filled, because the gates of
// one space may lead to another.
//
// If the process is killed here or later, the account keeps what was made so far, because undo runs
// in this process. Importing again makes other spaces.
func (i *importer) createSpaces(ctx context.Context) error {
	for _, space := range i.archive.spaces {
		id, err := i.createSpace(ctx, space)
		if err != nil {
			return err
		}
		i.spaces = append(i.spaces, id)
		i.mapped.spaces[space.ID], i.result.SpaceIDs[space.ID] = id, id
	}
	return nil
}

// fillSpaces stores the plugins, assets, entities and settings of the spaces. The plugins and
// assets come first, because entities and settings contain their addresses, which importSpaceFiles
// maps.
func (i *importer) fillSpaces(ctx context.Context) error {
	for _, space := range i.archive.spaces {
		id := i.mapped.spaces[space.ID]
		for _, fill := range []func(context.Context, string, model.ExportedSpace) error{i.importSpaceFiles, i.importEntities, i.importSettings} {
			if err := fill(ctx, id, space); err != nil {
				return fmt.Errorf("fill the space %q: %w", space.Title, err)
			}
		}
		i.result.Spaces++
	}
	return nil
}

// importSpaceFiles stores the plugins and assets of a space, and maps their addresses.
//
// What happens to a file by its size:
//
//	up to importBatchBytes     in a batch of putSpaceFiles
//	an asset above it          as a file of the account, by putLargeAsset
//	a plugin above it          in a batch of its own, because plugins are texts or folders
func (i *importer) importSpaceFiles(ctx context.Context, id string, space model.ExportedSpace) error {
	units, err := i.spaceFileUnits(space)
	if err != nil || len(units) == 0 {
		return err
	}
	batch, size := map[string][]byte{}, 0
	for _, names := range units {
		if name := names[0]; len(names) == 1 && i.archive.sizes[space.Folder+name] > importBatchBytes && !client.IsText(name) {
			if err := i.putLargeAsset(ctx, id, space.Folder, name); err != nil {
				return err
			}
			continue
		}
		added := map[string][]byte{}
		addedSize := 0
		for _, name := range names {
			content, err := i.archive.content(ctx, space.Folder+name, model.MaxAsset)
			if err != nil {
				return err
			}
			added[name] = content
			addedSize += len(content)
		}
		if size > 0 && size+addedSize > importBatchBytes {
			if err := i.putSpaceFiles(ctx, id, batch); err != nil {
				return err
			}
			batch, size = map[string][]byte{}, 0
		}
		maps.Copy(batch, added)
		size += addedSize
	}
	if len(batch) > 0 {
		if err := i.putSpaceFiles(ctx, id, batch); err != nil {
			return err
		}
	}
	return i.mapSpaceFiles(ctx, id, space)
}

// spaceFileUnits returns the paths of the plugins and assets of a space. The files of a plugin
// folder are together, because an archive replaces a folder as a whole.
func (i *importer) spaceFileUnits(space model.ExportedSpace) (units [][]string, err error) {
	folders := map[string]int{} // the places of plugin folders in units
	for _, name := range i.archive.folders[space.Folder] {
		target, err := model.ParseChangePath(name)
		if err != nil {
			return nil, archiveError(space.Folder+name, err.Error())
		}
		place, isKnown := folders[target.File]
		switch {
		case target.File == "": // neither a plugin nor an asset
		case isKnown:
			units[place] = append(units[place], name)
		default:
			if target.Inner != "" {
				folders[target.File] = len(units)
			}
			units = append(units, []string{name})
		}
	}
	return units, nil
}

// putLargeAsset uploads an asset as a file of the account, and makes that file the asset.
func (i *importer) putLargeAsset(ctx context.Context, id, folder, name string) (err error) {
	content, err := os.CreateTemp("", "portico-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, content.Close(), os.Remove(content.Name())) }()
	if err := i.unpack(ctx, content, folder+name); err != nil {
		return err
	}
	stored, err := i.remote.Upload(ctx, content, path.Base(name), i.uploadReporter(path.Base(name)))
	if err != nil {
		return fmt.Errorf("store %s: %w", name, err)
	}
	// undo deletes the file even if it does not become the asset.
	i.files = append(i.files, stored.ResourceKey)
	i.advance(i.archive.sizes[folder+name], "Stored "+path.Base(name))
	return i.sendChangeSet(ctx, id, client.ChangeSet{Puts: []client.FilePut{{Path: name, ResourceKey: stored.ResourceKey}}})
}

// putSpaceFiles stores plugins and assets. It sends them as an archive, which is smaller than a
// change set in JSON. An archive replaces the content of the space, so it also contains the
// entities that the space has.
func (i *importer) putSpaceFiles(ctx context.Context, id string, files map[string][]byte) (err error) {
	present, err := i.pull(ctx, id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, present.Close()) }()
	for name := range present.Files {
		if !present.Has(name) {
			continue // a plugin or an asset: the server keeps those that the archive lacks
		}
		if files[name], err = present.Text(name); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	packed := zip.NewWriter(&b)
	for name, content := range files {
		entry, err := packed.Create(name)
		if err != nil {
			return err
		}
		if _, err := entry.Write(content); err != nil {
			return err
		}
	}
	if err := packed.Close(); err != nil {
		return err
	}
	return client.RepeatUntilResponse(ctx, func() error {
		_, err := i.remote.Send(ctx, http.MethodPost, i.remote.Server+"/v1/spaces/"+id+"/apply",
			http.Header{"Content-Type": {"application/zip"}}, bytes.NewReader(b.Bytes()))
		return err
	})
}

// pull pulls a space without the bytes of its plugins and assets.
func (i *importer) pull(ctx context.Context, id string) (pulled *client.PulledSpace, err error) {
	err = client.RepeatUntilResponse(ctx, func() (err error) {
		pulled, err = i.remote.Pull(ctx, id, false)
		return err
	})
	return pulled, err
}

// mapSpaceFiles maps the exported addresses of plugins and assets to the new ones.
func (i *importer) mapSpaceFiles(ctx context.Context, id string, space model.ExportedSpace) error {
	pulled, err := i.pull(ctx, id)
	if err != nil {
		return err
	}
	files, err := spaceURLs(pulled)
	for _, file := range files {
		if old := space.Files[strings.TrimPrefix(file.File, model.SpaceFolder)]; old != "" {
			i.mapped.addFile("", old, &client.StoredFile{URL: file.URL})
		}
	}
	return err
}

// spaceURL is the address of a plugin or an asset.
type spaceURL struct{ File, URL string }

// spaceURLs returns the addresses of the plugins and assets of a pulled space, and closes it.
func spaceURLs(pulled *client.PulledSpace) (_ []spaceURL, err error) {
	defer func() { err = errors.Join(err, pulled.Close()) }()
	text, err := pulled.Text(model.ManifestFile)
	if err != nil {
		return nil, err
	}
	var manifest struct{ Plugins, Assets []spaceURL }
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, fmt.Errorf("read the response of the server: %w", err)
	}
	return append(manifest.Plugins, manifest.Assets...), nil
}

// importEntities stores the entities in batches. It deletes the entities that every new space has,
// unless the exported space has them too. The last batch also has the deletions, and may be empty.
//
// A batch ends before an entity that would exceed importBatchBytes, or when it has
// importBatchEntities. Batches are independent: the server applies each one as a whole or not at
// all.
func (i *importer) importEntities(ctx context.Context, id string, space model.ExportedSpace) error {
	pulled, err := i.pull(ctx, id)
	if err != nil {
		return err
	}
	unwanted := pulled.Files
	if err := pulled.Close(); err != nil {
		return err
	}
	set, size := client.ChangeSet{}, 0
	literal := map[string]model.Object{} // the data of entities by id
	for _, name := range i.archive.folders[space.Folder] {
		// importSpaceFiles has checked the path.
		target, _ := model.ParseChangePath(name)
		if target.EntityID == "" {
			continue
		}
		delete(unwanted, name)
		content, data, err := i.entityFile(ctx, space.Folder+name, target.EntityID)
		if err != nil {
			return err
		}
		if data != nil {
			literal[target.EntityID] = data
		}
		if size+len(content) > importBatchBytes || len(set.Puts) == importBatchEntities {
			if err := i.sendChangeSet(ctx, id, set); err != nil {
				return err
			}
			set, size = client.ChangeSet{}, 0
		}
		text := string(content)
		set.Puts = append(set.Puts, client.FilePut{Path: name, Content: &text})
		size += len(content)
	}
	for name := range unwanted {
		if target, err := model.ParseChangePath(name); err == nil && target.EntityID != "" {
			set.Deletes = append(set.Deletes, name)
		}
	}
	if err := i.sendChangeSet(ctx, id, set); err != nil {
		return err
	}
	return i.storeLiteral(ctx, id, literal)
}

// entityFile returns the file of an entity for a change set, and the data that the change set cannot
// have; nil for none (withoutTokens).
func (i *importer) entityFile(ctx context.Context, path, entityID string) (content []byte, data model.Object, err error) {
	if content, err = i.archive.content(ctx, path, importBatchBytes); err != nil {
		return nil, nil, err
	}
	if content, err = i.mapped.mapJSON(content); err != nil {
		return nil, nil, archiveError(path, "is not JSON")
	}
	if entityID == model.RoomInfoID {
		if content, err = withoutRoomSettings(content); err != nil {
			return nil, nil, archiveError(path, err.Error())
		}
	}
	if content, data, err = withoutTokens(content); err != nil {
		return nil, nil, archiveError(path, err.Error())
	}
	return content, data, nil
}

// storeLiteral stores the data of entities, by their ids, as they are.
func (i *importer) storeLiteral(ctx context.Context, id string, literal map[string]model.Object) error {
	for entityID, data := range literal {
		err := i.call(ctx, http.MethodPut, "/v1/spaces/"+id+"/entities/"+entityID, map[string]any{"entity_data": data}, nil)
		if err != nil {
			return fmt.Errorf("store the entity %s: %w", entityID, err)
		}
	}
	return nil
}

// withoutTokens returns the file of an entity without the strings that a change set takes for
// tokens of files, and the data that has them; nil for none. An export has addresses, not tokens,
// so these are texts of the owner. A request that changes the entity stores them as they are.
func withoutTokens(content []byte) (file []byte, data model.Object, err error) {
	var entity struct{ Data model.Object }
	if err := json.Unmarshal(content, &entity); err != nil {
		return nil, nil, err
	}
	without, hadTokens := entity.Data.WithoutTokens()
	if !hadTokens {
		return content, nil, nil
	}
	return model.Object(content).With(model.NewObject(map[string]model.Object{"data": without})), entity.Data, nil
}

// withoutRoomSettings returns the file of a room without the title, the description and the privacy
// of the space, which importSettings sets.
func withoutRoomSettings(content []byte) ([]byte, error) {
	room, err := model.ParseEntityFile("", model.RoomInfoID, content)
	if err != nil {
		return nil, err
	}
	if _, room.Data, err = model.CutRoomSettings(room.Data); err != nil {
		return nil, err
	}
	return room.EntityFile(), nil
}

// sendChangeSet applies a change set to a new space. If its response is lost, it is applied again,
// which changes nothing more.
func (i *importer) sendChangeSet(ctx context.Context, id string, set client.ChangeSet) error {
	body, err := encodePlain(set)
	if err != nil {
		return err
	}
	i.advance(int64(len(body)), "Filling spaces")
	return client.RepeatUntilResponse(ctx, func() error {
		_, err := i.remote.Send(ctx, http.MethodPost, i.remote.Server+"/v1/spaces/"+id+"/changeset",
			http.Header{"Content-Type": {"application/octet-stream"}}, bytes.NewReader(body))
		return err
	})
}

// importSettings stores the settings of a space, except its privacy, which publishSpaces sets.
func (i *importer) importSettings(ctx context.Context, id string, space model.ExportedSpace) error {
	content, err := json.Marshal(space.Data.OrEmpty())
	if err != nil {
		return err
	}
	data, err := i.mapped.mapJSON(content)
	if err != nil {
		return err
	}
	return i.callGraphQL(ctx, `mutation ($in: UpdateSpaceInput!) { updateSpace(input: $in) { space { id } } }`, map[string]any{"in": map[string]any{
		"spaceId": id, "title": space.Title, "description": space.Description, "pluginsForVisitors": space.PluginsForVisitors,
		"copiesAllowed": space.CopiesAllowed, "template": space.Template, "presence": space.Presence, "data": json.RawMessage(data),
	}}, nil)
}

// publishSpaces sets the privacy of the spaces. They stay Private until all of them are complete.
//
// The plan is not imported, so a space that was Link Only stays Private in a Free account, with a
// note.
func (i *importer) publishSpaces(ctx context.Context) error {
	for _, space := range i.archive.spaces {
		if space.Privacy == model.Private {
			continue
		}
		err := i.call(ctx, http.MethodPost, "/v1/spaces/update-privacy",
			map[string]any{"spaceId": i.mapped.spaces[space.ID], "roomPrivacy": space.Privacy}, nil)
		if refused, ok := errors.AsType[*client.RefusedError](err); ok && refused.Message == model.PrivacyNeedsPro {
			i.note("The space %q stays Private: Link Only requires the Pro plan", space.Title)
			continue
		}
		if err != nil {
			return fmt.Errorf("publish the space %q: %w", space.Title, err)
		}
	}
	return nil
}
