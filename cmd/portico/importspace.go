package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path"
	"strings"

	"portico/model"
)

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
		if name := names[0]; len(names) == 1 && i.archive.sizes[space.Folder+name] > importBatchBytes && !isText(name) {
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
	stored, err := i.remote.upload(ctx, content, path.Base(name), i.uploadReporter(path.Base(name)))
	if err != nil {
		return fmt.Errorf("store %s: %w", name, err)
	}
	// undo deletes the file even if it does not become the asset.
	i.files = append(i.files, stored.ResourceKey)
	i.advance(i.archive.sizes[folder+name], "Stored "+path.Base(name))
	return i.sendChangeSet(ctx, id, changeSet{Puts: []filePut{{Path: name, ResourceKey: stored.ResourceKey}}})
}

// putSpaceFiles stores plugins and assets. It sends them as an archive, which is smaller than a
// change set in JSON. An archive replaces the content of the space, so it also contains the
// entities that the space has.
func (i *importer) putSpaceFiles(ctx context.Context, id string, files map[string][]byte) (err error) {
	present, err := i.pull(ctx, id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, present.close()) }()
	for name := range present.files {
		if !present.has(name) {
			continue // a plugin or an asset: the server keeps those that the archive lacks
		}
		if files[name], err = present.text(name); err != nil {
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
	return repeatUntilResponse(ctx, func() error {
		_, err := i.remote.send(ctx, http.MethodPost, i.remote.server+"/v1/spaces/"+id+"/apply",
			http.Header{"Content-Type": {"application/zip"}}, bytes.NewReader(b.Bytes()))
		return err
	})
}

// pull pulls a space without the bytes of its plugins and assets.
func (i *importer) pull(ctx context.Context, id string) (pulled *spaceArchive, err error) {
	err = repeatUntilResponse(ctx, func() (err error) {
		pulled, err = i.remote.pull(ctx, id, false)
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
			i.mapped.addFile("", old, &uploadResult{URL: file.URL})
		}
	}
	return err
}

// spaceURL is the address of a plugin or an asset.
type spaceURL struct{ File, URL string }

// spaceURLs returns the addresses of the plugins and assets of a pulled space, and closes it.
func spaceURLs(pulled *spaceArchive) (_ []spaceURL, err error) {
	defer func() { err = errors.Join(err, pulled.close()) }()
	text, err := pulled.text(model.ManifestFile)
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
	unwanted := pulled.files
	if err := pulled.close(); err != nil {
		return err
	}
	set, size := changeSet{}, 0
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
			set, size = changeSet{}, 0
		}
		text := string(content)
		set.Puts = append(set.Puts, filePut{Path: name, Content: &text})
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
func (i *importer) sendChangeSet(ctx context.Context, id string, set changeSet) error {
	body, err := encodePlain(set)
	if err != nil {
		return err
	}
	i.advance(int64(len(body)), "Filling spaces")
	return repeatUntilResponse(ctx, func() error {
		_, err := i.remote.send(ctx, http.MethodPost, i.remote.server+"/v1/spaces/"+id+"/changeset",
			http.Header{"Content-Type": {"application/octet-stream"}}, bytes.NewReader(body))
		return err
	})
}
