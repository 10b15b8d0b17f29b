package graph

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"portico/model"
)

// changePlan is a change set whose files were decoded and checked.
type changePlan struct {
	space    *model.Space
	isDryRun bool
	// returnsContent means that the client asked for the content of the space after the changes.
	returnsContent bool
	// entities are stored in this order; RoomInfo is among them. Their data has tokens for files of
	// the space.
	entities []*model.Entity
	// room has the settings in the file of the room.
	room  model.RoomSettings
	files []*plannedFile
	// folders are the changes of plugin folders by path. Resolver.mergeFolders adds the folders as
	// they become to files or deletedFiles.
	folders map[string]*plannedFolder
	// unchanged are the files of the client that the space had before the transaction.
	unchanged []*plannedFile
	// The ids of entities, and the paths of files, that are deleted.
	deletedEntities []string
	deletedFiles    []string
	expected        []expectedFile
}

// expectedFile is a file with the hash that it had when the client read it.
type expectedFile struct {
	model.ChangePath
	path, sha256 string // sha256 is empty for a file that must not exist
}

// plannedFile is a plugin or an asset to store.
type plannedFile struct {
	model.SpaceFile
	content []byte
	// isUploaded means that content comes from one of the caller's files, which the change set
	// names by its resource key.
	isUploaded bool
	// folder are the files of a plugin folder, which has no content.
	folder []folderFile
}

// name returns the last part of the file's path.
func (f *plannedFile) name() string { return path.Base(f.Path) }

// planChanges decodes and checks the files of a change set. Its error has a fault for each file
// that is wrong.
//
// It needs no database, so a wrong change set costs nothing but its decoding. It does not stop at
// the first fault, because people correct all files of a folder at once.
func planChanges(space *model.Space, in model.ChangeSet, settings Settings) (*changePlan, error) {
	switch {
	case len(in.Puts)+len(in.Deletes) > model.MaxChanges:
		return nil, model.TooLargef("A change set puts and deletes at most %d files", model.MaxChanges)
	case len(in.Expected) > model.MaxChanges:
		return nil, model.TooLargef("A change set expects at most %d files", model.MaxChanges)
	}
	plan := &changePlan{space: space, isDryRun: in.DryRun, returnsContent: in.ReturnsContent}
	var faults model.ChangeFaults
	seen := map[string]bool{}
	// isRepeated reports whether the path was sent before. If it was, it adds the fault.
	isRepeated := func(name string) bool {
		if seen[name] {
			faults.Add(name, "The path is sent twice")
			return true
		}
		seen[name] = true
		return false
	}
	for _, put := range in.Puts {
		if isRepeated(put.Path) {
			continue
		}
		if err := plan.planPut(put, settings); err != nil {
			faults.Add(put.Path, "%s", err)
		}
	}
	for _, name := range in.Deletes {
		if isRepeated(name) {
			continue
		}
		if err := plan.planDeletion(name); err != nil {
			faults.Add(name, "%s", err)
		}
	}
	for _, file := range in.Expected {
		target, err := model.ParseChangePath(file.Path)
		if err == nil && target.Inner != "" {
			err = model.Invalidf("A plugin folder changes as a whole. Expect %s%s", model.SpaceFolder, target.File)
		}
		if err != nil {
			faults.Add(file.Path, "%s", err)
		}
		if target != (model.ChangePath{}) {
			plan.expected = append(plan.expected, expectedFile{target, file.Path, strings.ToLower(model.Deref(file.SHA256))})
		}
	}
	return plan, faults.Refusal()
}

// planPut adds a file to the plan.
//
// A path outside of the files of a space, such as the README, gives an empty target and is ignored.
func (p *changePlan) planPut(put model.FilePut, settings Settings) error {
	target, err := model.ParseChangePath(put.Path)
	switch {
	case err != nil:
		return err
	case target.EntityID != "" && put.ResourceKey != "":
		return model.Invalidf("Send the content of an entity's file, not an uploaded file")
	case target.EntityID != "":
		return p.planEntity(target.EntityID, put.Content)
	case model.IsPluginFolder(target.File):
		return p.planFolderFile(target, put, settings)
	case target.File != "" && put.ResourceKey != "":
		p.files = append(p.files, &plannedFile{
			SpaceFile: model.SpaceFile{SpaceID: p.space.ID, Path: target.File, ResourceKey: put.ResourceKey}, isUploaded: true,
		})
		return checkUploadedPath(target.File, put.ResourceKey, settings.Formats)
	case target.File != "":
		file, err := newPlannedFile(p.space.ID, target.File, put.Content, settings)
		p.files = append(p.files, file)
		return err
	}
	return nil
}

// planEntity adds the file of an entity to the plan.
func (p *changePlan) planEntity(id string, content []byte) error {
	entity, err := model.ParseEntityFile(p.space.ID, id, content)
	if err == nil && id == model.RoomInfoID {
		p.room, entity.Data, err = model.CutRoomSettings(entity.Data)
		if err == nil {
			_, err = p.room.Change(p.space)
		}
	}
	p.entities = append(p.entities, entity)
	return err
}

// newPlannedFile returns a plugin or an asset with this content.
func newPlannedFile(spaceID, name string, content []byte, settings Settings) (*plannedFile, error) {
	extension := strings.ToLower(path.Ext(name))
	switch {
	case len(content) == 0:
		return nil, model.Invalidf("The file is empty")
	case len(content) > model.MaxAsset:
		return nil, model.Invalidf("%s", model.AssetTooLarge())
	}
	if err := checkAssetFormat(extension, settings.Formats); err != nil {
		return nil, err
	}
	if int64(len(content)) > settings.AsyncThreshold { // a job would store the file after the transaction
		return nil, model.Invalidf("The file has more than %d bytes. Upload it first, and send its resource_key", settings.AsyncThreshold)
	}
	// The hash is of the normalised bytes, which are also what is stored.
	if extension == ".mjs" { // clients hash plugins with LF line ends, on every system
		content = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	}
	sum := sha256.Sum256(content)
	return &plannedFile{
		SpaceFile: model.SpaceFile{SpaceID: spaceID, Path: name, SHA256: hex.EncodeToString(sum[:])}, content: content,
	}, nil
}

// planDeletion adds a deletion to the plan.
func (p *changePlan) planDeletion(name string) error {
	target, err := model.ParseChangePath(name)
	switch {
	case err != nil:
		return err
	case target.EntityID == model.RoomInfoID:
		return model.Invalidf(model.RoomInfoNotDeletable)
	case target.EntityID != "":
		p.deletedEntities = append(p.deletedEntities, target.EntityID)
	case model.IsPluginFolder(target.File):
		p.planFolderDeletion(target)
	case target.File != "":
		p.deletedFiles = append(p.deletedFiles, target.File)
	}
	return nil
}

// entityIDs returns the ids of all entities that the plan writes, deletes or expects.
func (p *changePlan) entityIDs() []string {
	ids := append(p.expectedIDs(), p.deletedEntities...)
	for _, entity := range p.entities {
		ids = append(ids, entity.EntityID)
	}
	return ids
}

// entitiesWithAddresses returns the entities of the plan with the addresses of files instead of
// tokens, in a space that has these files. A file that the plan replaces still has its old address:
// replaceAddresses gives all entities the new one. A file that a dry run would add has no address
// yet, so its token stays.
func (p *changePlan) entitiesWithAddresses(filesBefore map[string]*model.SpaceFile, urlOf func(*model.SpaceFile) string) ([]*model.Entity, error) {
	addresses := make(map[string]string, len(filesBefore)+len(p.files))
	for _, file := range p.files {
		for _, token := range file.Tokens() {
			addresses[token] = token
			if file.ResourceKey != "" {
				addresses[token] = urlOf(&file.SpaceFile)
			}
		}
	}
	for name, file := range filesBefore {
		if slices.Contains(p.deletedFiles, name) {
			continue
		}
		for _, token := range file.Tokens() {
			addresses[token] = urlOf(file)
		}
	}
	entities := make([]*model.Entity, 0, len(p.entities))
	var faults model.ChangeFaults
	for _, planned := range p.entities {
		entity := *planned
		if err := entity.ReplaceTokens(addresses); err != nil {
			faults.Add(model.EntityPath(entity.EntityID), "%s", err)
		}
		entities = append(entities, &entity)
	}
	return entities, faults.Refusal()
}

// checkGates refuses entities that would break the rules of gates in a space that has
// entities with these types.
//
// types are the types of the stored entities by id. A static gate exists already or is refused (API
// section 2), and a gate stays a gate, because its data follows other rules.
func (p *changePlan) checkGates(types map[string]string) error {
	var faults model.ChangeFaults
	for _, entity := range p.entities {
		before, exists := types[entity.EntityID]
		file := model.EntityPath(entity.EntityID)
		previous := &model.Entity{Type: before}
		switch {
		case entity.Type == model.TypeGate && before != model.TypeGate:
			faults.Add(file, "%s", model.GateNotCreatable)
		case exists && before != entity.Type && (previous.IsGate() || entity.IsGate()):
			faults.Add(file, "%s", model.GateTypeFixed)
		}
	}
	return faults.Refusal()
}
