package archive_test

import (
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

func TestPlan_refuses_two_manifests(t *testing.T) {
	t.Parallel()
	for _, pairs := range [][]string{
		{"a.lcc2", "{}", "b.lcc2", "{}"},
		{"x/a.lcc2", "{}", "y/b.lcc2", "{}"},
		{"a.lcc", "{}", "b.LCC", "{}"},
		{"x/lod-meta.json", "{}", "y/lod-meta.json", "{}"},
		{"a.gltf", "{}", "b.gltf", "{}"},
		append(append(sogFiles("x/")[:2:2], sogFiles("y/")[:2]...), "x/z", ""),
	} {
		_, _, err := unpack(t, splattest.Zip(files(pairs...)...))
		wantInputError(t, err, pairs[2], "is a second capture beside")
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
		if err != nil || plan.Root != "out/point_cloud/iteration_30000" || plan.Primary != "point_cloud.ply" || len(plan.Others) != 2 || !slices.Contains(plan.Others, first) {
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
	if plan, err := a.Plan(t.Context()); err != nil || plan.Kind != archive.KindWhole || !slices.Equal(plan.Others, []string{"hall.ply", "room.spz"}) {
		t.Errorf("two captures: got %+v, %v, want both named", plan, err)
	}
}
