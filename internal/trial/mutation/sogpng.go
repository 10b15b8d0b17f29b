package main

import (
	"bytes"
	"image/png"
	"strings"

	"golang.org/x/image/webp"

	"portico/splat/folder"
)

// sogPNG returns a SOG folder with PNG images instead of WebP ones.
func sogPNG(c capture) (capture, error) {
	made := capture{"sog-png", folder.Memory{}, c.primary, true}
	for name, content := range c.files {
		stem, isImage := strings.CutSuffix(name, ".webp")
		if !isImage {
			made.files[name] = bytes.ReplaceAll(content, []byte(".webp"), []byte(".png"))
			continue
		}
		picture, err := webp.Decode(bytes.NewReader(content))
		if err != nil {
			return capture{}, err
		}
		var out bytes.Buffer
		if err := png.Encode(&out, picture); err != nil {
			return capture{}, err
		}
		made.files[stem+".png"] = out.Bytes()
	}
	return made, nil
}
