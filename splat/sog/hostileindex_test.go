package sog_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"portico/splat/folder"
	"portico/splat/sog"
)

func TestOpen_reads_indexes(t *testing.T) {
	t.Parallel()
	files := chunkFolder(t)
	for name, data := range map[string]string{
		"good":                goodIndex(),
		"two leaves":          indexJSON("1", "[100]", oneChunk, `{"children":[`+leafJSON("0", 0, 60, 40)+","+leafJSON("0", 0, 0, 60)+"]}"),
		"a gap":               indexJSON("1", "[90]", oneChunk, `{"children":[`+leafJSON("0", 0, 60, 40)+","+leafJSON("0", 0, 0, 50)+"]}"),
		"old, without counts": `{"lodLevels":1,"filenames":` + oneChunk + `,"tree":` + leafJSON("0", 0, 0, 100) + `}`,
		"a byte order mark":   "\xef\xbb\xbf" + goodIndex(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reader, err := openIndex(t, files, data)
			if err != nil {
				t.Fatalf("got %v, want it accepted", err)
			}
			if got, want := readAll(t, reader, 0).Len(), reader.Levels()[0]; got != want || want < 90 {
				t.Errorf("Gaussians: got %d, want %d", got, want)
			}
		})
	}
}

func TestOpen_refuses_hostile_indexes(t *testing.T) {
	t.Parallel()
	files := chunkFolder(t)
	for name, test := range hostileIndexes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := openIndex(t, files, test.data)
			wantInputError(t, err, test.reason)
		})
	}
}

// hostileIndexes returns indexes, and why each is refused.
func hostileIndexes() map[string]struct{ data, reason string } {
	return map[string]struct{ data, reason string }{
		"version 2":                    {strings.Replace(goodIndex(), `"version":1`, `"version":2`, 1), "is a streamed SOG of version 2"},
		"no levels":                    {indexJSON("0", "[]", oneChunk, leafJSON("0", 0, 0, 100)), "has 0 levels"},
		"65 levels":                    {indexJSON("65", "[100]", oneChunk, leafJSON("0", 0, 0, 100)), "has 65 levels, not 1 to 64"},
		"half a level":                 {indexJSON("1.5", "[100]", oneChunk, leafJSON("0", 0, 0, 100)), "its JSON cannot be read"},
		"other counts":                 {indexJSON("1", "[99]", oneChunk, leafJSON("0", 0, 0, 100)), "has 100 Gaussians in its leaves at level 0, but its counts say 99"},
		"more counts":                  {indexJSON("1", "[100,0]", oneChunk, leafJSON("0", 0, 0, 100)), "has 1 levels but counts for 2"},
		"a level too many":             {indexJSON("1", "[100]", oneChunk, leafJSON("1", 0, 0, 100)), "has a leaf with level 1 among 1"},
		"a level that is not a number": {indexJSON("1", "[100]", oneChunk, leafJSON("x", 0, 0, 100)), "its JSON cannot be read"},
		"level 64":                     {indexJSON("1", "[100]", oneChunk, leafJSON("64", 0, 0, 100)), "its JSON cannot be read"},
		"no tree":                      {indexJSON("1", "[100]", oneChunk, "{}"), "has no Gaussians"},
		"no such chunk":                {indexJSON("1", "[100]", oneChunk, leafJSON("0", 1, 0, 100)), "refers to chunk 1 among 1"},
		"chunk -1":                     {indexJSON("1", "[100]", oneChunk, leafJSON("0", -1, 0, 100)), "its JSON cannot be read"},
		"no chunk":                     {indexJSON("1", "[100]", oneChunk, `{"lods":{"0":{"count":3}}}`), "refers to chunk -1 among 1"},
		"a chunk of 2^40":              {indexJSON("1", "[100]", oneChunk, leafJSON("0", 1<<40, 0, 100)), "refers to chunk 2147483647 among 1"},
		"more than the chunk":          {indexJSON("1", "[101]", oneChunk, leafJSON("0", 0, 0, 101)), `has 100 Gaussians, but "lod-meta.json" refers to 101`},
		"more than is allowed":         {indexJSON("1", "[1]", oneChunk, leafJSON("0", 0, 0, 1<<40)), "has more than the 536870912 Gaussians"},
		"leaves that overlap":          {indexJSON("1", "[100]", oneChunk, `{"children":[`+leafJSON("0", 0, 0, 60)+","+leafJSON("0", 0, 50, 40)+"]}"), "has leaves that share Gaussians"},
		"a chunk named twice":          {indexJSON("1", "[200]", `["0_0/meta.json","./0_0//meta.json"]`, `{"children":[`+leafJSON("0", 0, 0, 100)+","+leafJSON("0", 1, 0, 100)+"]}"), "has leaves that share Gaussians"},
		"a level twice":                {indexJSON("1", "[100]", oneChunk, `{"lods":{"0":{"file":0,"offset":0,"count":100},"0":{"file":0,"offset":0,"count":100}}}`), "has leaves that share Gaussians"},

		"a deep tree":              {indexJSON("1", "[100]", oneChunk, strings.Repeat(`{"children":[`, 100_000)), "its JSON cannot be read"},
		"a deep stranger":          {`{"x":` + strings.Repeat("[", 100_000), "its JSON cannot be read"},
		"a tree of text":           {indexJSON("1", "[100]", oneChunk, `"tree"`), "its JSON cannot be read"},
		"a name of numbers":        {indexJSON("1", "[100]", "[1]", leafJSON("0", 0, 0, 100)), "its JSON cannot be read"},
		"a way out":                {indexJSON("1", "[100]", `["../meta.json"]`, leafJSON("0", 0, 0, 100)), "which is not a file in its folder"},
		"a missing chunk":          {indexJSON("1", "[100]", `["0_1/meta.json"]`, leafJSON("0", 0, 0, 100)), "is missing, although"},
		"a missing environment":    {strings.Replace(goodIndex(), "{", `{"environment":"env/meta.json",`, 1), `"env/meta.json" is missing`},
		"a chunk that is an index": {indexJSON("1", "[100]", `["lod-meta.json"]`, leafJSON("0", 0, 0, 100)), "is not a SOG manifest"},
		"a missing bundle":         {indexJSON("1", "[100]", `["0_0/quats.webp.sog"]`, leafJSON("0", 0, 0, 100)), "is missing"},
		"bounds of four":           {indexJSON("1", "[100]", oneChunk, `{"bound":{"min":[0,0,0,0]}}`), "its JSON cannot be read"},
		"a count of text":          {strings.Replace(goodIndex(), `"count":100`, `"count":"100"`, 1), "its JSON cannot be read"},
	}
}

// chunkFolder returns a folder with one chunk of 100 Gaussians, and without an index.
func chunkFolder(t *testing.T) folder.Memory {
	t.Helper()
	chunk := folder.Memory{}
	for name, content := range smallFolder(t) {
		chunk["0_0/"+name] = content
	}
	return chunk
}

func openIndex(t *testing.T, chunk folder.Memory, data string) (*sog.Reader, error) {
	t.Helper()
	files := maps.Clone(chunk)
	files["lod-meta.json"] = []byte(data)
	return sog.Open(t.Context(), files, "lod-meta.json")
}

// oneChunk has the name of the only chunk.
const oneChunk = `["0_0/meta.json"]`

// goodIndex returns an index of all Gaussians of the chunk.
func goodIndex() string { return indexJSON("1", "[100]", oneChunk, leafJSON("0", 0, 0, 100)) }

func leafJSON(level string, file, offset, count int) string {
	return fmt.Sprintf(`{"bound":{"min":[0,0,0],"max":[1,1,1]},"lods":{%q:{"file":%d,"offset":%d,"count":%d}}}`, level, file, offset, count)
}

func indexJSON(levels, counts, names, tree string) string {
	return fmt.Sprintf(`{"version":1,"lodLevels":%s,"counts":%s,"filenames":%s,"tree":%s}`, levels, counts, names, tree)
}
