package parity

import "net/url"

// screenshotRows returns the rows about pictures of spaces. What a response has differs with the
// door: the tests of the doors compare that.
func screenshotRows() []row {
	return []row{
		{"screenshot without a picture", func(p pair) (any, error) {
			space, err := p.alice.createSpace(spaceInput{Title: "Yard"})
			p.must(nil, err)
			return nil, p.alice.screenshot(space.ID, 320)
		}},
		{"screenshot of a bad width", func(p pair) (any, error) { return nil, p.alice.screenshot(p.hub(), 0) }},
		{"screenshot of another user", func(p pair) (any, error) { return nil, p.bob.screenshot(p.hub(), 320) }},
		{"screenshot of an unknown space", func(p pair) (any, error) { return nil, p.alice.screenshot("10000000_x", 320) }},
	}
}

func (d restDoor) screenshot(space string, width int) error {
	path := "/spaces/" + url.PathEscape(space) + "/screenshot?width=1"
	if width == 0 {
		path = "/spaces/" + url.PathEscape(space) + "/screenshot?width=0"
	}
	_, err := d.REST("GET", path, nil, nil)
	return err
}

func (d graphDoor) screenshot(space string, width int) error {
	var got struct{ URL string }
	return d.GraphQL(`query($id: ID!, $width: Int) { spaceScreenshot(spaceId: $id, width: $width) { url } }`,
		map[string]any{"id": space, "width": width}, &got)
}

func (d mcpDoor) screenshot(space string, width int) error {
	var got struct{ URL string }
	return d.Tool("get_space_screenshot", map[string]any{"spaceId": space, "width": width}, &got)
}
