package mcp

import (
	"context"
	"fmt"

	"portico/graph/view"
	"portico/model"
)

type fileOutput struct{ view.File }

func (o fileOutput) summary() string {
	switch {
	case o.Facts == nil:
		return fmt.Sprintf("%s, %d bytes, not inspected yet", o.FileName, o.FileSize)
	case o.Facts.Fault != "":
		return fmt.Sprintf("%s, %d bytes, is damaged: %s", o.FileName, o.FileSize, o.Facts.Fault)
	case o.Facts.Splats > 0:
		return fmt.Sprintf("%s, %d bytes, %s, %d Gaussians", o.FileName, o.FileSize, o.Facts.Format, o.Facts.Splats)
	}
	return fmt.Sprintf("%s, %d bytes, %s", o.FileName, o.FileSize, o.Facts.Format)
}

type fileInput struct {
	ResourceKey string `json:"resource_key" jsonschema:"The file: resource_key of an upload tool or a completed job."`
}

func (d *door) file(ctx context.Context, in fileInput) (fileOutput, error) {
	file, err := d.Resolver.Query().File(ctx, in.ResourceKey)
	if err != nil {
		return fileOutput{}, err
	}
	return fileOutput{view.NewFile(ctx, d.Resolver, file)}, nil
}

// convertInput selects a file, the format to convert it to, and the changes.
type convertInput struct {
	fileInput
	To    fileTarget         `json:"to" jsonschema:"sog makes one bundle; streamed-sog makes levels of detail in chunks, for captures of a million Gaussians and more. The others are for editors, and hold the finest level."`
	Edits []*model.EditInput `json:"edits,omitempty" jsonschema:"Changes of the capture in this order, at most 16, each with exactly one field. They have the names of splat-transform."`

	ReplaceIn *model.ReplaceIn `json:"replace_in,omitempty" jsonschema:"An entity that shows the file. When the job is completed it shows the new file, as a version of its space. If it was deleted or shows another file by then, or another editor has locked the space, the job fails and nothing is changed."`
	lockInput
}

// fileTarget is the target of the conversion of a file. Uploads have fewer targets. Its type
// selects another schema (typeSchemas).
type fileTarget model.ConversionTarget

// convertFile has the output of an upload, because the result is a new file.
func (d *door) convertFile(ctx context.Context, in convertInput, p *progress) (uploadOutput, error) {
	job, err := d.Resolver.Mutation().ConvertFile(in.context(ctx), model.ConvertFile{
		ResourceKey: in.ResourceKey, To: model.ConversionTarget(in.To), Edits: in.Edits, ReplaceIn: in.ReplaceIn,
	})
	if err != nil {
		return uploadOutput{}, err
	}
	return d.confirmationOutput(ctx, &model.Confirmation{Job: job}, p)
}

// fileTools returns the tools of existing files.
func (d *door) fileTools() []tool {
	return []tool{
		newQuickTool(toolSpec{
			name: "get_file", title: "Get a file", effect: readsOnly, operations: []string{"file"},
			description: "Returns what is known about a file: its format by its content, number of Gaussians, levels of detail, bounds, image size, what is wrong with it, and its addresses.",
		}, d.file),
		newTool(toolSpec{
			name: "convert_file", title: "Convert a capture", effect: creates, operations: []string{"convertFile"},
			description: "Converts a file of Gaussians into a new file, for viewers (sog, streamed-sog) or for editors (ply, compressed-ply, spz, glb, csv), and returns its resource_key; the old file stays. edits move, rotate, scale, crop, filter, decimate and merge on the way. With replace_in, an entity shows the result instead of the file when it is ready. It waits a while and reports progress; if the conversion takes longer, it answers with a job_id. Zips with LCC captures are converted when they are uploaded.",
		}, d.convertFile),
	}
}
