package mcp

import (
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"portico/model"
)

func TestSpaceScreenshot_is_an_image(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	space, key := w.space(w.alice, `{}`), w.file(w.alice, "view.jpg")
	check(t, w.db.Files().SetFacts(t.Context(), key, &model.FileFacts{Format: model.FormatJPEG, Width: 640, Height: 400}))
	arguments := `{"spaceId":"` + space + `"}`
	w.call(w.alice, "get_space_screenshot", arguments).refused(model.CodeNotFound, "The space has no picture yet")
	data := model.Object(`{"picture":"` + key + `"}`)
	_, err := w.db.Spaces().UpdateSpace(t.Context(), model.UpdateSpace{SpaceID: space, Data: data})
	check(t, err)
	got := w.call(w.alice, "get_space_screenshot", arguments)
	var response screenshotOutput
	text, err := json.Marshal(got.StructuredContent)
	check(t, err)
	check(t, json.Unmarshal(text, &response))
	if response.Width != 640 || response.Height != 400 || response.URL == "" {
		t.Errorf("response: got %+v, want 640 x 400 with an address", response)
	}
	image, ok := got.Content[len(got.Content)-1].(*sdk.ImageContent)
	if !ok || image.MIMEType != "image/jpeg" || len(image.Data) == 0 {
		t.Errorf("content: got %+v, want a JPEG", got.Content)
	}
}
