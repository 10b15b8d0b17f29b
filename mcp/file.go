package mcp

import (
	"context"
	"fmt"

	"portico/model"
)

// fileView is a file, with the names of REST's GET /files.
type fileView struct {
	ResourceKey  string     `json:"resource_key" jsonschema:"What create_space and create_entity take."`
	FileName     string     `json:"file_name" jsonschema:"The file's name as it was uploaded."`
	FileSize     int64      `json:"file_size" jsonschema:"Bytes of all that the file is made of."`
	DerivedBytes int64      `json:"derived_bytes" jsonschema:"Bytes that poster and view take besides; they count as used storage."`
	ContentType  string     `json:"content_type" jsonschema:"The media type."`
	URL          string     `json:"url" jsonschema:"The file's public address."`
	ReadURL      string     `json:"read_url,omitempty" jsonschema:"Where files are protected: a signed address that works for an hour or two."`
	ViewURL      string     `json:"view_url" jsonschema:"What a viewer should load: a form of the file made for viewing where there is one, else the file itself."`
	PosterURL    *string    `json:"poster_url" jsonschema:"A picture of the file; null while there is none."`
	Attribution  *string    `json:"attribution" jsonschema:"The line that must be shown with the file wherever it is; null for none."`
	CreatedAt    model.Time `json:"created_at" jsonschema:"When the file was confirmed."`
	Facts        *factsView `json:"facts" jsonschema:"What was found in the file; null until it was looked into, seconds after the upload."`
}

// factsView is model.FileFacts with descriptions.
type factsView struct {
	Format      model.FileFormat `json:"format" jsonschema:"What the file is, by its content. invalid: see fault. other: not looked into."`
	Version     string           `json:"version,omitempty" jsonschema:"The format's own version."`
	Splats      int64            `json:"splats,omitempty" jsonschema:"How many Gaussians the finest level has."`
	LeftOut     int64            `json:"left_out,omitempty" jsonschema:"How many Gaussians are broken: they are neither drawn nor converted."`
	Degree      int              `json:"degree,omitempty" jsonschema:"The degree of the Gaussians' spherical harmonics, 0 to 4."`
	Levels      []int64          `json:"levels,omitempty" jsonschema:"How many Gaussians each level of detail has, the finest first."`
	Environment int64            `json:"environment,omitempty" jsonschema:"How many Gaussians are around the capture."`
	Bounds      *model.Bounds    `json:"bounds,omitempty" jsonschema:"The box around the content, in the file's own coordinates."`
	Width       int              `json:"width,omitempty" jsonschema:"The width of an image in pixels."`
	Height      int              `json:"height,omitempty" jsonschema:"The height of an image in pixels."`
	Meshes      int              `json:"meshes,omitempty" jsonschema:"How many meshes there are."`
	Vertices    int64            `json:"vertices,omitempty" jsonschema:"How many vertices or points there are."`
	Triangles   int64            `json:"triangles,omitempty" jsonschema:"How many triangles there are."`
	Materials   int              `json:"materials,omitempty" jsonschema:"How many materials there are."`
	Animations  int              `json:"animations,omitempty" jsonschema:"How many animations there are."`
	Extensions  []string         `json:"extensions,omitempty" jsonschema:"The glTF extensions that the file uses."`
	Attribution string           `json:"attribution,omitempty" jsonschema:"The line that must be shown with the file."`
	Fault       string           `json:"fault,omitempty" jsonschema:"What is wrong with a file whose format is invalid. It is served all the same."`
}

// summary says what the file is, as far as that is known.
func (v fileView) summary() string {
	switch {
	case v.Facts == nil:
		return fmt.Sprintf("%s, %d bytes, not looked into yet", v.FileName, v.FileSize)
	case v.Facts.Fault != "":
		return fmt.Sprintf("%s, %d bytes, is damaged: %s", v.FileName, v.FileSize, v.Facts.Fault)
	case v.Facts.Splats > 0:
		return fmt.Sprintf("%s, %d bytes, %s, %d splats", v.FileName, v.FileSize, v.Facts.Format, v.Facts.Splats)
	}
	return fmt.Sprintf("%s, %d bytes, %s", v.FileName, v.FileSize, v.Facts.Format)
}

// fileInput names a file.
type fileInput struct {
	ResourceKey string `json:"resource_key" jsonschema:"The file: resource_key of an upload tool or a completed job."`
}

func (d *door) file(ctx context.Context, in fileInput) (fileView, error) {
	file, err := d.Resolver.Query().File(ctx, in.ResourceKey)
	if err != nil {
		return fileView{}, err
	}
	return d.viewFile(ctx, file), nil
}

func (d *door) viewFile(ctx context.Context, file *model.File) fileView {
	view := fileView{
		ResourceKey: file.ResourceKey, FileName: file.Name, FileSize: file.Size, DerivedBytes: file.DerivedBytes,
		ContentType: file.ContentType, CreatedAt: file.CreatedAt, Facts: (*factsView)(file.Facts),
		URL: d.Resolver.FileURL(file), ReadURL: d.Resolver.FileReadURL(ctx, file), ViewURL: d.Resolver.FileViewURL(ctx, file),
		PosterURL: d.Resolver.FilePosterURL(ctx, file), Attribution: file.AttributionLine(),
	}
	if view.ReadURL == view.URL {
		view.ReadURL = ""
	}
	return view
}

// convertInput asks for a file in another format.
type convertInput struct {
	fileInput
	To model.ConversionTarget `json:"to" jsonschema:"sog makes one bundle; streamed-sog makes levels of detail in chunks, for captures of a million splats and more."`
}

// convertFile answers like an upload: what comes of it is a new file.
func (d *door) convertFile(ctx context.Context, in convertInput, p *progress) (uploadView, error) {
	job, err := d.Resolver.Mutation().ConvertFile(ctx, in.ResourceKey, in.To)
	if err != nil {
		return uploadView{}, err
	}
	return d.confirmed(ctx, &model.Confirmation{Job: job}, nil, p)
}

// fileTools are the tools of files that are there.
func (d *door) fileTools() []tool {
	return []tool{
		quick(card{
			name: "get_file", title: "Get a file", effect: reads, operations: []string{"file"},
			description: "Returns what is known of a file: its format by its content, number of splats, levels of detail, bounds, image size, what is wrong with it, and its addresses.",
		}, d.file),
		newTool(card{
			name: "convert_file", title: "Convert a capture", effect: adds, operations: []string{"convertFile"},
			description: "Converts a .ply, .spz, .splat, .ksplat or .sog file of Gaussians into a new file in a format for viewers, and returns its resource_key; the old one stays. It waits a while and reports progress, then answers with a job_id. Zips with LCC captures are converted when they are uploaded.",
		}, d.convertFile),
	}
}
