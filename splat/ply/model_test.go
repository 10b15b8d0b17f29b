package ply_test

import (
	"bytes"
	"slices"
	"testing"

	"portico/splat/ply"
)

func TestFacts_have_the_model_of_the_comments(t *testing.T) {
	t.Parallel()
	content := encode(ply.LittleEndian, gaussians(randomCloud(2, 0), typedProperties("float", names(0))...))
	flat := slices.DeleteFunc(names(0), func(p string) bool { return p == "scale_2" })
	discs := encode(ply.LittleEndian, gaussians(randomCloud(2, 0), typedProperties("float", flat)...))
	for _, test := range []struct {
		content  []byte
		comments string
		want     ply.Model
	}{
		{content, "", ""},
		{content, "comment SplatRenderMode: mip\n", ply.Antialiased},
		{content, "comment splatrendermode: 2DGS\n", ply.Discs},
		{content, "comment antialiased 1\n", ply.Antialiased},
		{content, "comment SplatRenderMode: mip\ncomment antialiased 0\n", ""},
		{content, "comment SplatRenderMode: new\ncomment antialiased\n", ""},
		{discs, "", ply.Discs},
	} {
		with := bytes.Replace(test.content, []byte("element"), []byte(test.comments+"element"), 1)
		if got := open(t, with).Facts().Model; got != test.want {
			t.Errorf("%q: got %q, want %q", test.comments, got, test.want)
		}
	}
}
