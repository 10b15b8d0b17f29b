package sog_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"portico/splat/folder"
	"portico/splat/sog"
)

func TestOpen_refuses_hostile_indexes(t *testing.T) {
	t.Parallel()
	files := smallFolder(t)
	chunk := folder.Memory{}
	for name, content := range files {
		chunk["0_0/"+name] = content
	}
	leaf := func(level string, file, offset, count int) string {
		return fmt.Sprintf(`{"bound":{"min":[0,0,0],"max":[1,1,1]},"lods":{%q:{"file":%d,"offset":%d,"count":%d}}}`, level, file, offset, count)
	}
	index := func(levels, counts, names, tree string) string {
		return fmt.Sprintf(`{"version":1,"lodLevels":%s,"counts":%s,"filenames":%s,"tree":%s}`, levels, counts, names, tree)
	}
	const one = `["0_0/meta.json"]`
	good := index("1", "[100]", one, leaf("0", 0, 0, 100))
	for name, test := range map[string]struct{ data, reason string }{
		"good":                     {good, ""},
		"two leaves":               {index("1", "[100]", one, `{"children":[`+leaf("0", 0, 60, 40)+","+leaf("0", 0, 0, 60)+"]}"), ""},
		"a gap":                    {index("1", "[90]", one, `{"children":[`+leaf("0", 0, 60, 40)+","+leaf("0", 0, 0, 50)+"]}"), ""},
		"old, without counts":      {`{"lodLevels":1,"filenames":` + one + `,"tree":` + leaf("0", 0, 0, 100) + `}`, ""},
		"a byte order mark":        {"\xef\xbb\xbf" + good, ""},
		"version 2":                {strings.Replace(good, `"version":1`, `"version":2`, 1), "is a streamed SOG of version 2"},
		"no levels":                {index("0", "[]", one, leaf("0", 0, 0, 100)), "has 0 levels"},
		"65 levels":                {index("65", "[100]", one, leaf("0", 0, 0, 100)), "has 65 levels, not 1 to 64"},
		"half a level":             {index("1.5", "[100]", one, leaf("0", 0, 0, 100)), "its JSON cannot be read"},
		"other counts":             {index("1", "[99]", one, leaf("0", 0, 0, 100)), "has 100 Gaussians in its leaves at level 0, but its counts say 99"},
		"more counts":              {index("1", "[100,0]", one, leaf("0", 0, 0, 100)), "has 1 levels but counts for 2"},
		"a level too many":         {index("1", "[100]", one, leaf("1", 0, 0, 100)), "has a leaf with level 1 among 1"},
		"a level that is none":     {index("1", "[100]", one, leaf("x", 0, 0, 100)), "its JSON cannot be read"},
		"level 64":                 {index("1", "[100]", one, leaf("64", 0, 0, 100)), "its JSON cannot be read"},
		"no tree":                  {index("1", "[100]", one, "{}"), "has no Gaussians"},
		"no such chunk":            {index("1", "[100]", one, leaf("0", 1, 0, 100)), "refers to chunk 1 among 1"},
		"chunk -1":                 {index("1", "[100]", one, leaf("0", -1, 0, 100)), "its JSON cannot be read"},
		"no chunk":                 {index("1", "[100]", one, `{"lods":{"0":{"count":3}}}`), "refers to chunk -1 among 1"},
		"a chunk of 2^40":          {index("1", "[100]", one, leaf("0", 1<<40, 0, 100)), "refers to chunk 2147483647 among 1"},
		"more than the chunk":      {index("1", "[101]", one, leaf("0", 0, 0, 101)), `has 100 Gaussians, but "lod-meta.json" refers to 101`},
		"more than is allowed":     {index("1", "[1]", one, leaf("0", 0, 0, 1<<40)), "has more than the 536870912 Gaussians"},
		"leaves that overlap":      {index("1", "[100]", one, `{"children":[`+leaf("0", 0, 0, 60)+","+leaf("0", 0, 50, 40)+"]}"), "has leaves that share Gaussians"},
		"a chunk named twice":      {index("1", "[200]", `["0_0/meta.json","./0_0//meta.json"]`, `{"children":[`+leaf("0", 0, 0, 100)+","+leaf("0", 1, 0, 100)+"]}"), "has leaves that share Gaussians"},
		"a level twice":            {index("1", "[100]", one, `{"lods":{"0":{"file":0,"offset":0,"count":100},"0":{"file":0,"offset":0,"count":100}}}`), "has leaves that share Gaussians"},
		"a deep tree":              {index("1", "[100]", one, strings.Repeat(`{"children":[`, 100_000)), "its JSON cannot be read"},
		"a deep stranger":          {`{"x":` + strings.Repeat("[", 100_000), "its JSON cannot be read"},
		"a tree of text":           {index("1", "[100]", one, `"tree"`), "its JSON cannot be read"},
		"a name of numbers":        {index("1", "[100]", "[1]", leaf("0", 0, 0, 100)), "its JSON cannot be read"},
		"a way out":                {index("1", "[100]", `["../meta.json"]`, leaf("0", 0, 0, 100)), "which is not a file in its folder"},
		"a missing chunk":          {index("1", "[100]", `["0_1/meta.json"]`, leaf("0", 0, 0, 100)), "is missing, although"},
		"a missing environment":    {strings.Replace(good, "{", `{"environment":"env/meta.json",`, 1), `"env/meta.json" is missing`},
		"a chunk that is an index": {index("1", "[100]", `["lod-meta.json"]`, leaf("0", 0, 0, 100)), "is not a SOG manifest"},
		"a bundle that is none":    {index("1", "[100]", `["0_0/quats.webp.sog"]`, leaf("0", 0, 0, 100)), "is missing"},
		"bounds of four":           {index("1", "[100]", one, `{"bound":{"min":[0,0,0,0]}}`), "its JSON cannot be read"},
		"a count of text":          {strings.Replace(good, `"count":100`, `"count":"100"`, 1), "its JSON cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := maps.Clone(chunk)
			files["lod-meta.json"] = []byte(test.data)
			reader, err := sog.Open(t.Context(), files, "lod-meta.json")
			if test.reason != "" {
				wantInputError(t, err, test.reason)
				return
			}
			if err != nil {
				t.Fatalf("got %v, want it accepted", err)
			}
			if got, want := readAll(t, reader, 0).Len(), reader.Levels()[0]; got != want || want < 90 {
				t.Errorf("Gaussians: got %d, want %d", got, want)
			}
		})
	}
}
