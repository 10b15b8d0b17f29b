package archive_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"testing"

	"portico/splat/archive"
	"portico/splat/splattest"
)

// sogMeta is the meta.json of a SOG without higher bands.
const sogMeta = `{"version":2,"count":1,"means":{"files":["l.webp","u.webp"]},"scales":{"files":["s.webp"]},
"quats":{"files":["q.webp"]},"sh0":{"files":["c.webp"]}}`

// sogFiles returns a SOG in a folder, which ends in a slash or is empty.
func sogFiles(folder string) []string {
	all := []string{folder + "meta.json", sogMeta}
	for _, name := range []string{"l.webp", "u.webp", "s.webp", "q.webp", "c.webp"} {
		all = append(all, folder+name, name)
	}
	return all
}

// chunkNames are the files of sogFiles as they lie in the archive.
func chunkNames(folder string) []string {
	names := []string{}
	for i, pairs := 0, sogFiles(folder); i < len(pairs); i += 2 {
		names = append(names, pairs[i])
	}
	return names
}

// The headers of a PLY of Gaussians and of a mesh.
const (
	pointsPLY   = "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty uchar red\nend_header\n"
	gaussianPLY = "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float f_dc_0\nend_header\n"
	meshPLY     = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n"
)

func TestPlanKinds(t *testing.T) {
	t.Parallel()
	for _, test := range append(capturesOfFolders(), capturesOfOneFile()...) {
		t.Run("knows "+test.name, func(t *testing.T) {
			t.Parallel()
			plan, extracted, err := unpack(t, splattest.Zip(files(test.files...)...))
			if err != nil {
				t.Fatalf("unpack: %v", err)
			}
			if plan.Kind != test.kind || plan.Primary != test.primary {
				t.Errorf("got %q with %q, want %q with %q", plan.Kind, plan.Primary, test.kind, test.primary)
			}
			if n := len(extracted.names); test.primary != "" && extracted.names[n-1] != test.primary {
				t.Errorf("last file: got %q, want %q", extracted.names[n-1], test.primary)
			}
		})
	}
}

// archiveKind is an archive, and what it is planned as.
type archiveKind struct {
	name    string
	files   []string
	kind    archive.Kind
	primary string
}

// capturesOfFolders are archives with captures of several files, and with files that only look like
// one.
func capturesOfFolders() []archiveKind {
	lcc := []string{"a.lcc", "{}", "index.bin", "i", "data.bin", "d"}
	lcc2 := []string{"a.lcc2", "{}", "0.sog", tile}
	gltf := []string{"a.gltf", "{}"}
	streamed := append(sogFiles("0_0/"), "lod-meta.json", `{"filenames":["0_0/meta.json"]}`)
	return []archiveKind{
		{"an LCC2 capture", lcc2, archive.KindLCC2, "a.lcc2"},
		{"an LCC2 capture before all others", slices.Concat(lcc, gltf, sogFiles(""), lcc2), archive.KindLCC2, "a.lcc2"},
		{"an LCC2 capture that lies deeper", append(slices.Clone(lcc), "deep/a.lcc2", "{}", "deep/0.sog", tile), archive.KindLCC2, "a.lcc2"},
		{"an LCC capture", lcc, archive.KindLCC, "a.lcc"},
		{"an LCC capture before a glTF", slices.Concat(gltf, streamed, lcc), archive.KindLCC, "a.lcc"},
		{"a streamed SOG", streamed, archive.KindStreamedSOG, "lod-meta.json"},
		{"a SOG", sogFiles(""), archive.KindSOG, "meta.json"},
		{"a SOG before a glTF", slices.Concat(gltf, sogFiles("sub/")), archive.KindSOG, "meta.json"},
		{"a glTF", gltf, archive.KindGLTF, "a.gltf"},
		{"a glTF beside another tool's meta.json", slices.Concat([]string{"meta.json", `{"title":"x"}`}, gltf), archive.KindGLTF, "a.gltf"},
		{"another tool's meta.json", []string{"meta.json", `{"means":1}`}, archive.KindWhole, ""},
		{"a file of another case", []string{"LOD-META.json", "{}"}, archive.KindWhole, ""},
		{"litter that is named like a capture", []string{"__MACOSX/._a.lcc2", "x", "._b.lcc2", "x"}, archive.KindWhole, ""},
		{"a folder that is named like a capture", []string{"a.lcc2/readme", "x"}, archive.KindWhole, ""},
		{"a manifest's name as an extension only", []string{"lcc2", "x", "a.lcc2.bak", "x"}, archive.KindWhole, ""},
		{"a model", []string{"model.glb", "glTF"}, archive.KindWhole, ""},
	}
}

// capturesOfOneFile are archives with captures of one file beside other files.
func capturesOfOneFile() []archiveKind {
	return []archiveKind{
		{"a PLY of Gaussians", []string{"a/room.PLY", gaussianPLY, "a/readme.txt", "x", "mesh.ply", meshPLY}, archive.KindSingle, "room.PLY"},
		{"a packed PLY", []string{"room.ply", "ply\nelement vertex 1\nproperty uint packed_position\nend_header\n"}, archive.KindSingle, "room.ply"},
		{"an SPZ", []string{"room.spz", "\x1f\x8b", "shot.jpg", "x"}, archive.KindSingle, "room.spz"},
		{"a .splat", []string{"room.splat", "x"}, archive.KindSingle, "room.splat"},
		{"a .ksplat", []string{"room.ksplat", "x", "room.splat", ""}, archive.KindSingle, "room.ksplat"},
		{"a SOG bundle", []string{"x/room.sog", tile}, archive.KindSingle, "room.sog"},
		{"a GLB of Gaussians", []string{"room.glb", "glTF....{\"extensionsUsed\":[\"KHR_gaussian_splatting\"]}", "room.html", "<p>"}, archive.KindSingle, "room.glb"},
		{"a GLB of a draft", []string{"room.GLB", "glTF {\"KHR_spz_gaussian_splats_compression\":{}}"}, archive.KindSingle, "room.GLB"},
		{"a page with a capture", []string{"x/room.html", "<p>;base64,UEsDBAAA", "a.html", "<p>;base64,iVBORw0K"}, archive.KindSingle, "room.html"},
		{"a page and its capture", []string{"room.html", "<p>;base64,UEsDBAAA", "a.sog", tile}, archive.KindWhole, ""},
		{"pages of a web site", []string{"index.html", "<p>;base64,UEsD", "b.html", ""}, archive.KindWhole, ""},
		{"a SOG before a PLY", append(sogFiles(""), "a.ply", gaussianPLY), archive.KindSOG, "meta.json"},
		{"two captures", []string{"a.ply", gaussianPLY, "b/b.spz", "NGSP"}, archive.KindWhole, ""},
		{
			"the iterations of a trainer", []string{
				"out/point_cloud/iteration_7000/point_cloud.ply", gaussianPLY, "out/point_cloud/iteration_30000/point_cloud.ply", gaussianPLY + " ",
				"out/input.ply", pointsPLY, "out/cameras.json", "[]", "out/cfg_args", "Namespace()",
			}, archive.KindSingle, "point_cloud.ply",
		},
		{"the steps of a trainer", []string{"ply/step-000029999.ply", gaussianPLY, "ply/step-000006999.ply", gaussianPLY}, archive.KindSingle, "step-000029999.ply"},
		{"a PLY beside an SPZ and a SOG of it", []string{"a/room.spz", "NGSP", "a/room.sog", tile, "a/room.PLY", gaussianPLY, "a/room.compressed.ply", gaussianPLY}, archive.KindSingle, "room.PLY"},
		{"points alone", []string{"scan.ply", pointsPLY, "readme.txt", "x"}, archive.KindSingle, "scan.ply"},
		{"captures of two rooms", []string{"room1.ply", gaussianPLY, "room2.ply", gaussianPLY}, archive.KindWhole, ""},
		{"an export of Brush", []string{"export_5000.ply", gaussianPLY, "export_30000.ply", gaussianPLY}, archive.KindSingle, "export_30000.ply"},
		{"numbered captures", []string{"splat_1.ply", gaussianPLY, "splat_2.ply", gaussianPLY}, archive.KindWhole, ""},
		{"one name in two folders", []string{"kitchen/point_cloud.ply", gaussianPLY, "hall/point_cloud.ply", gaussianPLY}, archive.KindWhole, ""},
		{"a mesh", []string{"mesh.ply", meshPLY}, archive.KindWhole, ""},
		{"Gaussians that only a comment names", []string{"a.ply", "ply\nend_header\n f_dc_0"}, archive.KindWhole, ""},
		{"files that only their names call captures", []string{"a.sog", "x", "b.spz", "x", "c.ply", "x"}, archive.KindWhole, ""},
		{"nothing", nil, archive.KindWhole, ""},
	}
}

func TestPlan_takes_the_shallowest_manifest(t *testing.T) {
	t.Parallel()
	plan, extracted, err := unpack(t, splattest.Zip(files(
		"a/old/b.lcc2", "{}", "a/old/1.sog", tile, "a/x.lcc2", "{}", "a/0.sog", tile, "2.sog", tile)...))
	if err != nil {
		t.Fatalf("unpack: %v", err)
	}
	if want := []string{"old/1.sog", "0.sog", "x.lcc2"}; plan.Root != "a" || !slices.Equal(extracted.names, want) {
		t.Errorf("got %q below %q, want %q below %q", extracted.names, plan.Root, want, "a")
	}
}

// The user could mean either.
func TestPlan_offers_two_manifests(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pairs []string
		want  []archive.Candidate
	}{
		{[]string{"a.lcc2", `{"totalSplats":7}`, "b.lcc2", "{}", "0.sog", tile}, []archive.Candidate{{"a.lcc2", 17 + int64(len(tile)), 7}, {"b.lcc2", 2 + int64(len(tile)), 0}}},
		{[]string{"x/a.lcc2", "{}", "x/0.sog", tile, "y/b.lcc2", "{}", "y/0.sog", tile}, []archive.Candidate{{"x/a.lcc2", 2 + int64(len(tile)), 0}, {"y/b.lcc2", 2 + int64(len(tile)), 0}}},
		{
			[]string{"x/a.lcc", `{"splats":[9,4]}`, "x/index.bin", "123", "x/data.bin", "4567", "y/b.LCC", "{}", "y/index.bin", "", "y/data.bin", ""},
			[]archive.Candidate{{"x/a.lcc", 23, 9}, {"y/b.LCC", 2, 0}},
		},
		{[]string{"a.gltf", "{}", "b.gltf", "{}", "c.gltf", `{"buffers":[{"uri":"missing.bin"}]}`}, []archive.Candidate{{"a.gltf", 2, 0}, {"b.gltf", 2, 0}}},
		{append(sogFiles("x/"), sogFiles("y/")...), nil},
	} {
		a, err := open(splattest.Zip(files(test.pairs...)...), archive.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		plan, err := a.Plan(t.Context())
		if err != nil || plan.Kind != archive.KindWhole || len(plan.Files) > 0 || (test.want != nil && !slices.Equal(plan.Others, test.want)) {
			t.Errorf("%v: got %+v, %v, want the zip itself, and %v", test.pairs, plan, err, test.want)
		}
		for _, c := range plan.Others {
			chosen, err := a.PlanCapture(t.Context(), c.Name)
			if err != nil || path.Join(chosen.Root, chosen.Primary) != c.Name || chosen.Bytes != c.Size || chosen.Kind == archive.KindWhole || chosen.Kind == archive.KindSingle {
				t.Errorf("%s: got %+v, %v, want its own files of %d bytes", c.Name, chosen, err, c.Size)
			}
		}
	}
	a, err := open(splattest.Zip(files("x/lod-meta.json", "{}", "y/lod-meta.json", "{}")...), archive.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Plan(t.Context())
	wantInputError(t, err, "x/lod-meta.json", "it names no chunks") // neither is a capture
}

// Each start is as short as it can be and still be recognised.
func TestPlan_counts_the_Gaussians_that_the_starts_state(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	header := "NGSP\x03\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00"
	if _, err := io.WriteString(zipped, header); err != nil || zipped.Close() != nil {
		t.Fatal(err)
	}
	a, err := open(splattest.Zip(files(
		"a.ply", "ply\nformat binary_little_endian 1.0\nelement vertex 42\nproperty float f_dc_0\nend_header\n",
		"b.spz", packed.String(), "c.spz", "NGSP\x04\x00\x00\x00\x06\x00\x00\x00", "d.splat", strings.Repeat("x", 96),
		"e.ksplat", strings.Repeat("\x00", 16)+"\x08\x00\x00\x00", "f.sog", "PK\x03\x04", "g.spz", "NGSP",
	)...), archive.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	plan, err := a.Plan(t.Context())
	var got []int64
	for _, c := range plan.Others {
		got = append(got, c.Splats)
	}
	if want := []int64{42, 5, 6, 3, 8, 0, 0}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, name := range []string{"nowhere.ply", "../a.ply", ""} {
		if plan, err := a.PlanCapture(t.Context(), name); err == nil {
			t.Errorf("%q: got %+v, want an error", name, plan)
		}
	}
}

func TestPlan_offers_the_first_files_of_a_collection(t *testing.T) {
	t.Parallel()
	var pairs []string
	for i := range 100 {
		pairs = append(pairs, fmt.Sprintf("iteration_%d.ply", i), gaussianPLY)
	}
	a, err := open(splattest.Zip(files(pairs...)...), archive.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if plan, err := a.Plan(t.Context()); err != nil || plan.Kind != archive.KindWhole || len(plan.Others) != 64 || plan.Others[0].Name != "iteration_0.ply" {
		t.Errorf("got %+v, %v, want 64 captures", plan, err)
	}
}

func TestPlan_lists_the_files_of_an_LCC_capture(t *testing.T) {
	t.Parallel()
	a, err := open(splattest.LCC("scan"), archive.DefaultLimits())
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	plan, err := a.Plan(t.Context())
	if err != nil {
		t.Fatalf("Plan: %v", err)
	}
	var got []string
	for _, f := range plan.Files {
		got = append(got, f.Name)
	}
	want := []string{"index.bin", "data.bin", "collision.lci", "meta.lcc"}
	if plan.Root != "scan" || !slices.Equal(got, want) {
		t.Errorf("got %q below %q, want %q below %q", got, plan.Root, want, "scan")
	}
}

func TestLCC_refuses_a_capture_without_its_data(t *testing.T) {
	t.Parallel()
	_, _, err := unpack(t, splattest.Zip(files("a.lcc", "{}", "index.bin", "i", "sub/data.bin", "d")...))
	wantInputError(t, err, "a.lcc", `"data.bin", which is not in the archive`)
}

func TestPlan_refuses_a_manifest_that_is_too_large(t *testing.T) {
	t.Parallel()
	limits := archive.DefaultLimits()
	limits.ManifestBytes = 1
	a, err := open(splattest.Zip(files("a.lcc2", "{}")...), limits)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	_, err = a.Plan(t.Context())
	wantInputError(t, err, "a.lcc2", "too large to read: 2 bytes, at most 1")
}

// An output folder of a trainer has several versions of one capture.
func TestPlan_takes_the_last_iteration_and_names_the_others(t *testing.T) {
	t.Parallel()
	first, last := "out/point_cloud/iteration_7000/point_cloud.ply", "out/point_cloud/iteration_30000/point_cloud.ply"
	for _, names := range [][]string{{first, last}, {last, first}} {
		a, err := open(splattest.Zip(files(names[0], gaussianPLY, names[1], gaussianPLY, "out/point_cloud/iteration_30000/point_cloud.spz", "NGSP")...), archive.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		plan, err := a.Plan(t.Context())
		if err != nil || plan.Root != "out/point_cloud/iteration_30000" || plan.Primary != "point_cloud.ply" || len(plan.Others) != 2 || !slices.ContainsFunc(plan.Others, func(c archive.Candidate) bool { return c.Name == first }) {
			t.Errorf("%v: got %+v, %v, want iteration 30000 and two others", names, plan, err)
		}
		if note := plan.Note(); !strings.Contains(note, `"`+last+`" was taken, and these were left out: "`) || !strings.Contains(note, `"`+first+`"`) {
			t.Errorf("got the note %s", note)
		}
	}
	a, err := open(splattest.Zip(files("hall.ply", gaussianPLY, "room.spz", "NGSP")...), archive.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	if plan, err := a.Plan(t.Context()); err != nil || plan.Kind != archive.KindWhole || len(plan.Others) != 2 || plan.Others[0].Name != "hall.ply" || plan.Others[1].Name != "room.spz" {
		t.Errorf("two captures: got %+v, %v, want both named", plan, err)
	}
}
