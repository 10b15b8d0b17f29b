package splat_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"io"
	"strings"
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
		// A renamed file is recognised by its content.
		"d.splat":  {splattest.KSplat(cloud, 1), splat.Facts{Format: splat.FormatKSplat, Version: "0.1", Splats: 300, Degree: 2}},
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
	var bundle bytes.Buffer
	if _, _, err := c.WriteSOG(t.Context(), &bundle, splat.ConvertOptions{}); err != nil {
		t.Fatal(err)
	}
	if facts, err := splat.Inspect(t.Context(), folder.Memory{"a.sog": bundle.Bytes()}, "a.sog"); err != nil || facts.Model != splat.ModelAntialiased {
		t.Errorf("the file: got the model %q, %v, want %q", facts.Model, err, splat.ModelAntialiased)
	}
}

func TestCapture_in_a_page_is_read_like_a_file(t *testing.T) {
	t.Parallel()
	from := openCapture(t, folder.Memory(scene().Memory()), splattest.LCCManifest)
	var bundle bytes.Buffer
	if _, _, err := from.WriteSOG(t.Context(), &bundle, splat.ConvertOptions{}); err != nil {
		t.Fatal(err)
	}
	page := func(content []byte) []byte {
		return fmt.Appendf(nil, `<!DOCTYPE html><script>fetch("data:application/octet-stream;base64,%s")</script>`, base64.StdEncoding.EncodeToString(content))
	}
	compressed, _, _ := export(t, from, splat.FormatCompressedPLY, splat.ConvertOptions{})
	for name, content := range map[string][]byte{"SOG": bundle.Bytes(), "compressed PLY": compressed} {
		files := folder.Memory{"viewer.HTML": page(content)}
		facts, err := splat.Inspect(t.Context(), files, "viewer.HTML")
		if err != nil || facts.Format != splat.FormatHTML || facts.Splats != 600 || facts.Degree != 3 {
			t.Errorf("%s: got %+v, %v, want a page of 600 splats", name, facts, err)
			continue
		}
		c := openCapture(t, files, "viewer.HTML")
		if written, _, err := c.WriteSOG(t.Context(), io.Discard, splat.ConvertOptions{}); err != nil || written.Splats != 600 {
			t.Errorf("%s converted: got %+v, %v, want 600 splats", name, written, err)
		}
	}
	damaged := folder.Memory{"a.html": page(bundle.Bytes()[:bundle.Len()/2])}
	if _, err := splat.Open(t.Context(), damaged, "a.html"); err == nil || !strings.Contains(err.Error(), `"a.html/capture.sog" is not a SOG bundle`) {
		t.Errorf("half a capture: got %v, want an error about it", err)
	}
	if facts, err := splat.Inspect(t.Context(), folder.Memory{"a.html": []byte("<p>PK")}, "a.html"); err != nil || facts.Format != splat.FormatOther {
		t.Errorf("another page: got %+v, %v, want another file", facts, err)
	}
}
