package splat_test

import (
	"bytes"
	"image"
	"io"
	"testing"

	"portico/splat"
	"portico/splat/folder"
	"portico/splat/splattest"
)

// One row for each format of records: its facts, its conversion and its picture.
func TestCapture_of_records_is_converted_and_drawn(t *testing.T) {
	t.Parallel()
	cloud := splattest.Cloud(300)
	for name, test := range map[string]struct {
		content []byte
		want    splat.Facts
	}{
		"a.splat":  {splattest.SplatFile(cloud), splat.Facts{Format: splat.FormatSplat, Splats: 300}},
		"b.ksplat": {splattest.KSplat(cloud, 0), splat.Facts{Format: splat.FormatKSplat, Version: "0.1", Splats: 300, Degree: 2}},
		"c.KSPLAT": {splattest.KSplat(cloud, 2), splat.Facts{Format: splat.FormatKSplat, Version: "0.1", Splats: 300, Degree: 2}},
	} {
		files := folder.Memory{name: test.content}
		facts, err := splat.Inspect(t.Context(), files, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if facts.Bounds == nil || facts.Format != test.want.Format || facts.Version != test.want.Version ||
			facts.Splats != test.want.Splats || facts.Degree != test.want.Degree {
			t.Errorf("%s: got %+v, want %+v with bounds", name, facts, test.want)
		}
		c := openCapture(t, files, name)
		if written, _, err := c.WriteSOG(t.Context(), io.Discard, splat.ConvertOptions{}); err != nil || written.Splats != 300 {
			t.Errorf("%s converted: got %+v, %v, want 300 splats", name, written, err)
		}
		if _, err := c.Picture(t.Context(), image.Pt(32, 32)); err != nil {
			t.Errorf("%s drawn: %v", name, err)
		}
	}
}

func TestCapture_carries_the_model_to_the_result(t *testing.T) {
	t.Parallel()
	content := bytes.Replace(plyOf(100, 0), []byte("element"), []byte("comment SplatRenderMode: mip\nelement"), 1)
	c := openCapture(t, folder.Memory{"a.ply": content}, "a.ply")
	written, _, err := c.WriteSOG(t.Context(), io.Discard, splat.ConvertOptions{})
	if err != nil || c.Facts.Model != splat.ModelAntialiased || written.Model != splat.ModelAntialiased {
		t.Errorf("got the models %q and %q, %v, want %q twice", c.Facts.Model, written.Model, err, splat.ModelAntialiased)
	}
}
