package view

import (
	"context"

	"portico/graph"
	"portico/model"
)

// Resource identifies the file that an upload or a job produced.
type Resource struct {
	ResourceKey string `json:"resource_key" jsonschema:"The key to pass to create_space and create_entity."`
	URL         string `json:"url" jsonschema:"The file's public address."`
}

// File is a file. The specification does not define this response, so the names are the names of
// the same values in its responses about uploads and jobs.
type File struct {
	ResourceKey string `json:"resource_key" jsonschema:"The key to pass to create_space and create_entity."`
	FileName    string `json:"file_name" jsonschema:"The file's name as it was uploaded."`
	// FileSize is the total size of all objects of an extracted zip.
	FileSize    int64  `json:"file_size" jsonschema:"The total size in bytes of all its objects."`
	ContentType string `json:"content_type" jsonschema:"The media type."`
	// URL never changes. Everybody who may read the file can read it there.
	URL string `json:"url" jsonschema:"The file's public address."`
	// ReadURL is empty if everybody may read URL.
	ReadURL   string     `json:"read_url,omitempty" jsonschema:"Where files are protected: a signed address that works for an hour or two."`
	CreatedAt model.Time `json:"created_at" jsonschema:"When the file was confirmed."`
	// Facts is null until a worker has read the file.
	Facts *Facts `json:"facts" jsonschema:"What was found in the file; null until the file is inspected, seconds after the upload."`
	// PosterURL is null while there is no poster.
	PosterURL *string         `json:"poster_url" jsonschema:"A picture of the file; null while there is none."`
	Posters   []*model.Poster `json:"posters" jsonschema:"The picture in each size, smallest first."`
	// ViewURL equals URL if viewers load the file itself.
	ViewURL string `json:"view_url" jsonschema:"What a viewer should load: a form of the file made for viewing where there is one, else the file itself."`
	// CollisionURL and Start are null while there are none.
	CollisionURL *string `json:"collision_url" jsonschema:"What visitors walk on: a .voxel.json, with a .voxel.bin beside it; null while there is none."`
	Start        *Start  `json:"start" jsonschema:"The view that a visitor has first; null while none was found."`
	// Attribution is null if no line must be shown.
	Attribution *string `json:"attribution" jsonschema:"The line that must be shown with the file wherever it is; null for none."`
	// DerivedBytes is the size of poster, view and collision, in addition to FileSize.
	DerivedBytes int64 `json:"derived_bytes" jsonschema:"The storage of poster, view and collision in bytes, in addition to file_size; it counts as used storage."`
}

// Facts is model.FileFacts with descriptions.
type Facts struct {
	Format        model.FileFormat       `json:"format" jsonschema:"What the file is, by its content. invalid: see fault. other: not inspected."`
	Version       string                 `json:"version,omitempty" jsonschema:"The format's own version."`
	Splats        int64                  `json:"splats,omitempty" jsonschema:"How many Gaussians the finest level has."`
	LeftOut       int64                  `json:"left_out,omitempty" jsonschema:"How many Gaussians are broken: they are neither drawn nor converted."`
	Degree        int                    `json:"degree,omitempty" jsonschema:"The degree of the Gaussians' spherical harmonics, 0 to 4."`
	Model         string                 `json:"model,omitempty" jsonschema:"The renderer that the Gaussians were trained for: antialiased or 2dgs; left out for the one of 3DGS."`
	Levels        []int64                `json:"levels,omitempty" jsonschema:"How many Gaussians each level of detail has, the finest first."`
	Environment   int64                  `json:"environment,omitempty" jsonschema:"How many Gaussians are around the capture."`
	Bounds        *model.Bounds          `json:"bounds,omitempty" jsonschema:"The box around the content, in the file's own coordinates."`
	Offset        *[3]float64            `json:"offset,omitempty" jsonschema:"What was subtracted from the positions of a file whose coordinates are far from the origin, such as coordinates of a map."`
	SuggestedView *model.SuggestedView   `json:"view,omitempty" jsonschema:"The first view that the exporter of the capture suggests, in the file's own coordinates."`
	Up            *[3]float64            `json:"up,omitempty" jsonschema:"The direction that the file declares as up, in the file's own coordinates; left out where it declares none."`
	Outliers      int64                  `json:"outliers,omitempty" jsonschema:"How many Gaussians the view leaves out because they are far outside."`
	Collision     *model.CollisionMeshes `json:"collision,omitempty" jsonschema:"The meshes for collision that the file contains."`
	Width         int                    `json:"width,omitempty" jsonschema:"The width of an image in pixels."`
	Height        int                    `json:"height,omitempty" jsonschema:"The height of an image in pixels."`
	Meshes        int                    `json:"meshes,omitempty" jsonschema:"How many meshes there are."`
	Instances     int64                  `json:"instances,omitempty" jsonschema:"How many times the file shows a mesh, if it repeats one (EXT_mesh_gpu_instancing)."`
	Vertices      int64                  `json:"vertices,omitempty" jsonschema:"How many vertices or points there are."`
	Triangles     int64                  `json:"triangles,omitempty" jsonschema:"How many triangles there are."`
	Materials     int                    `json:"materials,omitempty" jsonschema:"How many materials there are."`
	Animations    int                    `json:"animations,omitempty" jsonschema:"How many animations there are."`
	Extensions    []string               `json:"extensions,omitempty" jsonschema:"The glTF extensions that the file uses."`
	Attribution   string                 `json:"attribution,omitempty" jsonschema:"The line that must be shown with the file."`
	Fault         string                 `json:"fault,omitempty" jsonschema:"What is wrong with a file whose format is invalid. It is still served."`
}

// Start is model.Start with descriptions.
type Start struct {
	Position      [3]float64  `json:"position" jsonschema:"The place of the eye: x, y, z in metres, y up, as in SuperSplat's viewer."`
	Target        [3]float64  `json:"target" jsonschema:"What the eye looks at."`
	Up            [3]float64  `json:"up" jsonschema:"The axis that is up in the capture. Where it is not y, people walk once the capture is turned."`
	Certainty     float64     `json:"certainty,omitempty" jsonschema:"How sure the search is that up is right, 0 to 1. Below 0.85 up is that of the file's axes."`
	Scene         model.Scene `json:"scene" jsonschema:"indoor, outdoor, or object, which is looked at from outside."`
	WalkableArea  float64     `json:"walkable_area" jsonschema:"The square metres that can be walked on from there; 0 for an object."`
	DoubtfulScale bool        `json:"doubtful_scale,omitempty" jsonschema:"Whether the unit of the capture is probably not the metre."`
	SetByOwner    bool        `json:"set_by_owner,omitempty" jsonschema:"Whether the owner of the file chose the position and the target."`
}

// NewFile returns a file with the addresses at which the caller of ctx can read it now.
func NewFile(ctx context.Context, r *graph.Resolver, file *model.File) File {
	view := File{
		ResourceKey: file.ResourceKey, FileName: file.Name, FileSize: file.Size, ContentType: file.ContentType,
		CreatedAt: file.CreatedAt, Facts: (*Facts)(file.Facts), DerivedBytes: file.DerivedBytes,
		URL: r.FileURL(file), ReadURL: r.FileReadURL(ctx, file), ViewURL: r.FileViewURL(ctx, file),
		PosterURL: r.FilePosterURL(ctx, file), Posters: r.FilePosters(ctx, file), CollisionURL: r.FileCollisionURL(ctx, file), Start: (*Start)(file.FirstView()),
		Attribution: file.AttributionLine(),
	}
	if view.ReadURL == view.URL {
		view.ReadURL = ""
	}
	return view
}

// NewResource returns the resource key and the public address of a file.
func NewResource(r *graph.Resolver, file *model.File) Resource {
	return Resource{ResourceKey: file.ResourceKey, URL: r.FileURL(file)}
}
