package ply

import "strings"

// Model is the renderer that Gaussians were trained for.
type Model string

// The models. An empty one is the renderer of 3DGS.
const (
	Antialiased Model = "antialiased" // Gaussians are at least a pixel wide (Mip-Splatting)
	Discs       Model = "2dgs"        // flat, without a third scale
)

// readComment sets the model from a comment: "SplatRenderMode: mip" as Brush and
// splat-transform write it, or "antialiased 1" as Postshot does. The last one counts.
func (h *header) readComment(words []string) {
	if len(words) != 2 {
		return
	}
	value := strings.ToLower(words[1])
	switch strings.ToLower(words[0]) {
	case "splatrendermode:":
		models := map[string]Model{"default": "", "mip": Antialiased, "2dgs": Discs}
		if model, ok := models[value]; ok {
			h.model = model
		}
	case "antialiased":
		models := map[string]Model{"0": "", "1": Antialiased}
		if model, ok := models[value]; ok {
			h.model = model
		}
	}
}
