package graph

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"portico/model"
)

// ExportedFiles returns the files of an exported space: its entities, then its plugins and
// assets, and a README.
//
// Entities come with their content and files with their address, so an export stays small. The
// hashes are what ApplyChanges expects back (checkExpected).
func (r *Resolver) ExportedFiles(export *model.SpaceFiles) []model.ExportedFile {
	files := make([]model.ExportedFile, 0, len(export.Entities)+len(export.Files)+1)
	add := func(path, content string) {
		sum := sha256.Sum256([]byte(content))
		files = append(files, model.ExportedFile{Path: path, SHA256: hex.EncodeToString(sum[:]), Content: &content})
	}
	tokens := tokensOf(export.Files, r.urlOf(export.Space))
	for _, entity := range export.Entities {
		add(model.EntityPath(entity.EntityID), string(entity.WorkspaceFile(export.Space, tokens)))
	}
	for _, file := range export.Files {
		address := r.SpaceFileURL(export.Space, file)
		files = append(files, model.ExportedFile{Path: model.SpaceFolder + file.Path, SHA256: file.SHA256, URL: &address})
	}
	add(model.SpaceFolder+"README.md", r.workspaceReadme(export))
	return files
}

// workspaceReadme returns the file that explains the others.
func (r *Resolver) workspaceReadme(export *model.SpaceFiles) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", strings.Join(strings.Fields(export.Space.Title), " "), r.SpaceURL(export.Space))
	b.WriteString("- `room.json`: the room. Its data has the title, the description and the privacy of the space.\n" +
		"- `entities/ID.json`: an entity, with its id, type and data.\n" +
		"- `plugins/NAME.mjs`: a plugin. An entity with `\"glbUrl\": \"plugins/NAME.mjs\"` runs it.\n" +
		"- `plugins/NAME/`: a plugin of several files. An entity with `\"glbUrl\": \"plugins/NAME/index.mjs\"` runs it.\n" +
		"- `assets/NAME`: a file that entities show. Their data name it as `\"assets/NAME\"`.\n\nThis file is generated; changes of it are ignored.\n")
	if len(export.Files) == 0 {
		return b.String()
	}
	b.WriteString("\n| file | address |\n| --- | --- |\n")
	for _, file := range export.Files {
		fmt.Fprintf(&b, "| `%s` | %s |\n", file.Path, r.SpaceFileURL(export.Space, file))
	}
	return b.String()
}
