package child

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/model"
)

func TestOutput_reads_lines_however_they_come(t *testing.T) {
	t.Parallel()
	const text = `{"percent":-5,"message":"a\u0000b"}` + "\n" + `{"percent":250,"message":"c"}` + "\n" + `{"result":{}}` + "\n"
	for size := 1; size <= len(text); size += 7 {
		var said []string
		o := &output{
			onLine: func() {}, stop: func(err error) { t.Errorf("stopped: %v", err) },
			progress: func(percent float64, message string) { said = append(said, fmt.Sprintf("%v %s", percent, message)) },
		}
		for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
			if n, err := o.Write([]byte(rest[:min(size, len(rest))])); n == 0 || err != nil {
				t.Fatalf("write: got %d, %v, want all taken", n, err)
			}
		}
		if diff := cmp.Diff([]string{"0 a b", "100 c"}, said); diff != "" || o.result == nil {
			t.Errorf("in pieces of %d: result %v, progress (-want +got):\n%s", size, o.result, diff)
		}
	}
}

func TestOutput_stops_a_child_that_never_ends(t *testing.T) {
	t.Parallel()
	stopped := 0
	o := &output{onLine: func() {}, progress: func(float64, string) {}, stop: func(error) { stopped++ }}
	o.lines = maxLines
	for range 3 {
		_, _ = o.Write([]byte(`{"percent":1}` + "\n"))
	}
	if stopped != 1 || o.err == nil {
		t.Errorf("stopped: got %d times with %v, want once with an error", stopped, o.err)
	}
}

func TestOutput_accepts_only_known_formats_models_and_scenes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ result, fault string }{
		{`{"facts":{"format":"ply","model":""}}`, ""},
		{`{"facts":{"format":"ply","model":"antialiased"}}`, ""},
		{`{"facts":{"format":"ply","model":"2dgs"}}`, ""},
		{`{"facts":{"format":"ply","model":"2dgs\u0000"}}`, "the facts have an unknown model"},
		{`{"facts":{"format":"streamed-sog"}}`, ""},
		{`{"facts":{"format":"other"}}`, ""},
		{`{"facts":{"format":"ply\u0000"}}`, "the facts have an unknown format"},
		{`{"facts":{"format":"voxels"}}`, "the facts have an unknown format"},
		{`{"facts":{"format":"invalid"}}`, "the facts have an unknown format"},
		{`{"facts":{}}`, "the facts have an unknown format"},
		{`{"start":{"scene":"indoor","up":[0,1,0],"set_by_owner":true}}`, ""},
		{`{"start":{"scene":"outdoor","up":[0,0.6,0.8],"certainty":1}}`, ""},
		{`{"start":{"scene":"object","up":[0,0,-1]}}`, ""},
		{`{"start":{"scene":"cellar\u0000","up":[0,1,0]}}`, "the start has an unknown scene"},
		{`{"start":{"up":[0,1,0]}}`, "the start has an unknown scene"},
		{`{"start":{"scene":"object"}}`, "the start has an up that is no direction"},
		{`{"start":{"scene":"object","up":[0,1,0],"certainty":1.5}}`, "the start has an up that is no direction"},
		{`{"facts":{"format":"ply","up":[0,0,1]}}`, ""},
		{`{"facts":{"format":"ply","up":[0,0,1e300]}}`, "the facts have an up that is no direction"},
	} {
		o := &output{onLine: func() {}, stop: func(error) {}}
		_, _ = o.Write([]byte(`{"result":` + test.result + "}\n"))
		switch {
		case test.fault == "" && o.err != nil:
			t.Errorf("%s: got %v, want no error", test.result, o.err)
		case test.fault != "" && (o.err == nil || !strings.HasSuffix(o.err.Error(), test.fault)):
			t.Errorf("%s: got %v, want %q", test.result, o.err, test.fault)
		case o.err == nil && o.result.Start != nil && o.result.Start.SetByOwner:
			t.Errorf("%s: got a start that is set by the owner", test.result)
		}
	}
}

func TestSanitiseFacts_limits_texts_of_a_file(t *testing.T) {
	t.Parallel()
	facts := &model.FileFacts{
		Format: "glb", Version: "2\x00.0", Fault: "a\x00b", Extensions: make([]string, 1000), Levels: make([]int64, 1000),
	}
	facts.Extensions[0] = strings.Repeat("é", 1000)
	sanitiseFacts(facts)
	if facts.Version != "2 .0" || facts.Fault != "a b" || len(facts.Extensions) != maxNames || len(facts.Levels) != maxNames {
		t.Errorf("facts: got version %q, %d extensions, %d levels", facts.Version, len(facts.Extensions), len(facts.Levels))
	}
	if got, want := facts.Extensions[0], strings.Repeat("é", maxText)+"..."; got != want {
		t.Errorf("extension: got %d bytes, want %d", len(got), len(want))
	}
}
