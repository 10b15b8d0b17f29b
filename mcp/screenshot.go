package mcp

import (
	"context"
	"fmt"
)

type screenshotInput struct {
	spaceInput
	Width *int `json:"width,omitempty" jsonschema:"The width in pixels that is needed, 1 to 4096; 1280 by default. The picture may be smaller or larger."`
}

// screenshotOutput is the output of get_space_screenshot. The result also has the picture as an
// image.
type screenshotOutput struct {
	URL    string `json:"url" jsonschema:"The address of the picture."`
	Width  int    `json:"width" jsonschema:"The width in pixels; 0 if it is not known."`
	Height int    `json:"height" jsonschema:"The height in pixels; 0 if it is not known."`

	jpeg []byte
}

func (o screenshotOutput) summary() string {
	return fmt.Sprintf("A picture of the space, %d x %d pixels", o.Width, o.Height)
}

// picture implements pictured.
func (o screenshotOutput) picture() []byte { return o.jpeg }

func (d *door) spaceScreenshot(ctx context.Context, in screenshotInput) (screenshotOutput, error) {
	found, err := d.Resolver.Query().SpaceScreenshot(ctx, in.SpaceID, in.Width)
	if err != nil {
		return screenshotOutput{}, err
	}
	jpeg, err := found.Read(ctx)
	return screenshotOutput{URL: found.URL, Width: found.Width, Height: found.Height, jpeg: jpeg}, err
}

// screenshotTool returns get_space_screenshot.
func (d *door) screenshotTool() tool {
	return newQuickTool(toolSpec{
		name: "get_space_screenshot", title: "Look at a space", effect: readsOnly, operations: []string{"spaceScreenshot"},
		description: "Returns a JPEG picture of a space: the one that its owner chose, the first poster of a file in it, or the room of a hub. " +
			"A space with nothing to draw, or whose files are still being prepared, has none.",
	}, d.spaceScreenshot)
}
