package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"portico/model"
)

// find stores facts of the file, as a worker does.
func (w *world) find(file *model.File, facts model.FileFacts) {
	w.t.Helper()
	check(w.t, w.db.Files().SetFacts(w.t.Context(), file.ResourceKey, &facts))
}

func TestConvertFile_returns_the_running_job_of_an_equal_request(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "scan.ply")
	job, err := w.Mutation().ConvertFile(w.alice.ctx, model.ConvertFile{ResourceKey: file.ResourceKey, To: model.ConvertToSOG})
	check(t, err)
	equal(t, "type", job.Type, model.JobFile)
	equal(t, "source", job.SourceKey, file.ResourceKey)
	equal(t, "queued for a worker", w.count("SELECT count(*) FROM river_job WHERE kind = 'job' AND args ->> 'job_id' = $1", job.ID), 1)
	equal(t, "used meanwhile", w.storage(w.alice).Used, file.Size)

	again, err := w.Mutation().ConvertFile(w.alice.ctx, model.ConvertFile{ResourceKey: file.ResourceKey, To: model.ConvertToSOG})
	check(t, err)
	equal(t, "job of a repeated request", again.ID, job.ID)
	other, err := w.Mutation().ConvertFile(w.alice.ctx, model.ConvertFile{ResourceKey: file.ResourceKey, To: model.ConvertToStreamedSOG})
	check(t, err)
	if other.ID == job.ID {
		t.Error("another target: got the same job, want one of its own")
	}
	w.finish(job)
	after, err := w.Mutation().ConvertFile(w.alice.ctx, model.ConvertFile{ResourceKey: file.ResourceKey, To: model.ConvertToSOG})
	check(t, err)
	if after.ID == job.ID {
		t.Error("after the end: got the same job, want a new one")
	}
}

func TestExtractCapture_takes_only_the_captures_of_the_zip(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "scans.glb") // its name decides nothing
	extract := func(name string) string {
		t.Helper()
		_, response := w.ask(w.alice, variables(`mutation($in: ExtractCaptureInput!) { extractCapture(input: $in) { job { id type status file { id } } } }`,
			`{"in":{"fileId":"`+file.NodeID()+`","name":"`+name+`"}}`))
		return response
	}
	if got := extract("hall.ply"); !strings.Contains(got, `"fileId must be a zip with several captures"`) {
		t.Errorf("before its captures are known: got %s, want it refused", got)
	}
	w.exec(`UPDATE files SET captures = '[{"name":"a/hall.ply","size":7,"splats":2},{"name":"b.lcc","size":9}]'`)
	equal(t, "captures", w.query(w.alice, `query($id: ID!) { file(id: $id) { captures { name size splats } } }`, map[string]any{"id": file.NodeID()}),
		`{"file":{"captures":[{"name":"a/hall.ply","size":7,"splats":2},{"name":"b.lcc","size":9,"splats":0}]}}`)
	for _, name := range []string{"", "hall.ply", "../a/hall.ply", "A/hall.ply", `a/hall.ply\u0000`} {
		if got := extract(name); !strings.Contains(got, `"name must be the name of one of the captures of the file"`) {
			t.Errorf("%q: got %s, want it refused", name, got)
		}
	}
	first := extract("a/hall.ply")
	if !strings.Contains(first, `"type":"ZIP_PROCESSING","status":"QUEUED","file":null`) {
		t.Fatalf("got %s, want a job", first)
	}
	equal(t, "job of a repeated request", extract("a/hall.ply"), first)
	if other := extract("b.lcc"); other == first || strings.Contains(other, "errors") {
		t.Errorf("another capture: got %s, want a job of its own", other)
	}
}

func TestConvertFile_with_changes_is_a_conversion_of_its_own(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "scan.ply")
	convert := func(edits string) string {
		t.Helper()
		return w.query(w.alice, `mutation($f: ID!) { convertFile(input: {fileId: $f, to: PLY`+edits+`}) { job { jobId } } }`, map[string]any{"f": file.NodeID()})
	}
	const edits = `, edits: [
		{rotate: [0, 0, 180]}, {translate: [0, 1.5, 0]}, {scale: 2}, {filterHarmonics: 1}, {filterNan: true},
		{filterBox: {min: [-1, -1, -1], max: [1, 1, 1]}}, {filterSphere: {center: [0, 0, 0], radius: 3}},
		{filterValue: {property: "opacity", comparison: GT, value: 0.1}}, {filterFloaters: {size: 0.1}}, {decimate: {percent: 50}}]`
	plain, changed := convert(""), convert(edits)
	if plain == changed {
		t.Error("with changes: got the job without, want one of its own")
	}
	equal(t, "job of a repeated request", convert(edits), changed)
	equal(t, "jobs", w.count("SELECT count(*) FROM jobs"), 2)
	equal(t, "jobs with the changes in their order", w.count("SELECT count(*) FROM jobs WHERE edits = $1",
		`[{"name":"rotate","value":"0,0,180"},{"name":"translate","value":"0,1.5,0"},{"name":"scale","value":"2"},`+
			`{"name":"filter-harmonics","value":"1"},{"name":"filter-nan","value":""},{"name":"filter-box","value":"-1,-1,-1,1,1,1"},`+
			`{"name":"filter-sphere","value":"0,0,0,3"},{"name":"filter-value","value":"opacity,gt,0.1"},`+
			`{"name":"filter-floaters","value":"0.1,0.1,0.004"},{"name":"decimate","value":"50%"}]`), 1)
}

func TestConvertFile_names_the_change_that_is_wrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "scan.ply")
	const mutation = `mutation($f: ID!, $e: [EditInput!]) { convertFile(input: {fileId: $f, to: SOG, edits: $e}) { job { jobId } } }`
	for _, test := range []struct {
		name    string
		edit    map[string]any
		message string
		field   string
	}{
		{
			"a box inside out", map[string]any{"filterBox": map[string]any{"min": []int{1, 0, 0}, "max": []int{0, 0, 0}}},
			"edits.1.filterBox must have a min that is not above its max", "[input edits 1 filterBox]",
		},
		{
			"a share of nothing", map[string]any{"decimate": map[string]any{"percent": 0}},
			"edits.1.decimate.percent must be above 0, and at most 100", "[input edits 1 decimate percent]",
		},
		{
			"a merge of an unknown file", map[string]any{"merge": map[string]any{"fileId": "api_uploads/x.ply"}},
			"File not found", "[input edits 1 merge fileId]",
		},
		{
			"a merge of a job", map[string]any{"merge": map[string]any{"fileId": model.NodeID(model.NodeJob, "x")}},
			"edits.1.merge.fileId is the id of a Job and must be the id of a File", "[input edits 1 merge fileId]",
		},
		{
			"an unknown property", map[string]any{"filterValue": map[string]any{"property": "-x", "comparison": "LT", "value": 1}},
			"edits.1.filterValue.property must be one of x, y, z, opacity, scale_0, scale_1, scale_2, f_dc_0, f_dc_1, f_dc_2, with or without _raw",
			"[input edits 1 filterValue property]",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, response := w.ask(w.alice, request(mutation, map[string]any{"f": file.NodeID(), "e": []any{map[string]any{"scale": 1}, test.edit}}))
			got := read(t, response)
			if len(got.Errors) != 1 {
				t.Fatalf("response: got %s, want one error", response)
			}
			equal(t, "message", got.Errors[0].Message, test.message)
			equal(t, "field", fmt.Sprint(got.Errors[0].Extensions["field"]), test.field)
		})
	}
	t.Run("two changes in one", func(t *testing.T) {
		t.Parallel()
		_, response := w.ask(w.alice, request(mutation, map[string]any{"f": file.NodeID(), "e": []any{map[string]any{"scale": 1, "filterNan": true}}}))
		if got := read(t, response); len(got.Errors) == 0 || got.Errors[0].Extensions["code"] != "INVALID" {
			t.Errorf("response: got %s, want it refused", response)
		}
	})
	equal(t, "jobs", w.count("SELECT count(*) FROM jobs"), 0)
}

func TestConvertFile_merges_files_of_the_caller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second, mesh, others := w.file(w.alice, "a.ply"), w.file(w.alice, "b.spz"), w.file(w.alice, "c.ply"), w.file(w.bob, "d.ply")
	w.find(mesh, model.FileFacts{Format: model.FormatMeshPLY})
	merge := func(file *model.File) (*model.Job, error) {
		return w.Mutation().ConvertFile(w.alice.ctx, model.ConvertFile{
			ResourceKey: first.ResourceKey, To: model.ConvertToPLY,
			Edits: []*model.EditInput{{Merge: &model.MergedFile{ResourceKey: file.ResourceKey, Translate: []float64{1, 0, 0}}}},
		})
	}
	job, err := merge(second)
	check(t, err)
	want := `[{"name":"merge","value":"` + second.ResourceKey + `","edits":[{"name":"translate","value":"1,0,0"}]}]`
	equal(t, "changes", string(job.Edits), want)
	_, err = merge(mesh)
	checkError(t, err, model.CodeInvalid, "edits.0.merge.resource_key: only files with Gaussians can be converted")
	_, err = merge(others)
	checkError(t, err, model.CodeNotFound, "File not found")

	const mutation = `mutation($f: ID!, $g: ID!) { convertFile(input: {fileId: $f, to: PLY, edits: [{merge: {fileId: $g, translate: [1, 0, 0]}}]}) { job { jobId } } }`
	got := w.query(w.alice, mutation, map[string]any{"f": first.NodeID(), "g": second.NodeID()})
	if !strings.Contains(got, job.ID) {
		t.Errorf("by GraphQL: got %s, want the same job %s", got, job.ID)
	}
}

func TestConvertFile_replaces_the_file_in_an_entity_of_the_caller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file, other := w.file(w.alice, "a.ply"), w.file(w.alice, "b.ply")
	space, others := w.space(w.alice, model.SpaceInfinite), w.space(w.bob, model.SpaceInfinite)
	show := func(id string, file *model.File) {
		t.Helper()
		_, err := w.Mutation().CreateEntity(w.alice.ctx, model.CreateEntity{SpaceID: space.ID, EntityID: &id, ResourceKey: &file.ResourceKey})
		check(t, err)
	}
	show("room", file)
	show("tree", other)
	convert := func(replaceIn string) string {
		t.Helper()
		_, response := w.ask(w.alice, request(`mutation($f: ID!) { convertFile(input: {fileId: $f, to: SOG, replaceIn: `+replaceIn+`}) { job { jobId } } }`,
			map[string]any{"f": file.NodeID()}))
		return response
	}
	in := func(space *model.Space, entity, data string) string {
		return fmt.Sprintf(`{spaceId: %q, entityId: %q, data: %s}`, space.NodeID(), entity, data)
	}
	for name, test := range map[string]struct{ replaceIn, want string }{
		"a space of somebody else": {in(others, "room", "{}"), `"code":"FORBIDDEN"`},
		"no entity":                {in(space, "chair", "{}"), `"field":["input","replaceIn","entityId"]`},
		"no id of an entity":       {in(space, "stühle", "{}"), `"field":["input","replaceIn","entityId"]`},
		"another file":             {in(space, "tree", "{}"), `"replaceIn.entityId: the entity does not show the file"`},
		"data that cannot be merged": {
			in(space, "room", `{dynamicGate: 1}`), `"replaceIn.data.dynamicGate must be an object"`,
		},
	} {
		if got := convert(test.replaceIn); !strings.Contains(got, test.want) {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
	equal(t, "jobs", w.count("SELECT count(*) FROM jobs"), 0)
	moved := convert(in(space, "room", `{position: [1, 2, 3]}`))
	equal(t, "job of a repeated request", convert(in(space, "room", `{position: [1, 2, 3]}`)), moved)
	if plain := convert("null"); plain == moved || strings.Contains(plain, "errors") {
		t.Errorf("without an entity: got %s, want a job of its own", plain)
	}
	equal(t, "jobs that replace the file", w.count("SELECT count(*) FROM jobs WHERE replacement->'entity_data' = '{\"position\":[1,2,3]}'"), 1)
	_, err := w.Mutation().LockSpace(w.alice.ctx, model.LockSpace{SpaceID: space.ID, Name: "Editor"})
	check(t, err)
	if got := convert(in(space, "room", "{}")); !strings.Contains(got, `"code":"LOCKED"`) {
		t.Errorf("locked by another editor: got %s, want it refused", got)
	}
}

// TestConvertFile_makes_a_new_file checks that the source stays, whatever happens to the result.
func TestConvertFile_makes_a_new_file(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "scan.ply")
	job, err := w.Mutation().ConvertFile(w.alice.ctx, model.ConvertFile{ResourceKey: file.ResourceKey, To: model.ConvertToSOG})
	check(t, err)
	w.finish(job)
	job, err = w.Query().Job(w.alice.ctx, job.ID)
	check(t, err)
	made, err := w.Query().File(w.alice.ctx, job.ResultKey)
	check(t, err)
	if made.ResourceKey == file.ResourceKey {
		t.Fatalf("result: got the source, want a new file")
	}
	_, err = w.Mutation().DeleteFile(w.alice.ctx, made.ResourceKey)
	check(t, err)
	_, err = w.Query().File(w.alice.ctx, file.ResourceKey)
	check(t, err)
	equal(t, "objects that are left", w.objects(), 1)
}

func TestConvertFile_by_concurrent_requests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "scan.spz")
	for _, err := range atOnce(10, func() error {
		_, err := w.Mutation().ConvertFile(w.alice.ctx, model.ConvertFile{ResourceKey: file.ResourceKey, To: model.ConvertToSOG})
		return err
	}) {
		check(t, err)
	}
	equal(t, "jobs", w.count("SELECT count(*) FROM jobs"), 1)
}

func TestConvertFile_can_be_canceled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.file(w.alice, "scan.spz")
	job, err := w.Mutation().ConvertFile(w.alice.ctx, model.ConvertFile{ResourceKey: file.ResourceKey, To: model.ConvertToSOG})
	check(t, err)
	canceled, err := w.Mutation().CancelJob(w.alice.ctx, job.ID)
	check(t, err)
	equal(t, "status", canceled.Status, model.JobFailed)
	_, err = w.Query().File(w.alice.ctx, file.ResourceKey)
	check(t, err)
	again, err := w.Mutation().ConvertFile(w.alice.ctx, model.ConvertFile{ResourceKey: file.ResourceKey, To: model.ConvertToSOG})
	check(t, err)
	if again.ID == job.ID {
		t.Error("after the cancel: got the same job, want a new one")
	}
}

func TestConvertFile_refuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	splat, mesh, damaged := w.file(w.alice, "a.ply"), w.file(w.alice, "b.ply"), w.file(w.alice, "c.ply")
	w.find(mesh, model.FileFacts{Format: model.FormatMeshPLY})
	w.find(damaged, model.FileFacts{Format: model.FormatInvalid, Fault: "the header has no end"})
	const only = "resource_key: only .ply, .spz, .splat, .ksplat, .sog and .html files with Gaussians can be converted; a zip with an LCC capture is converted automatically"
	for _, test := range []struct {
		name    string
		who     account
		key     string
		to      model.ConversionTarget
		code    model.Code
		message string
	}{
		{"another user's", w.bob, splat.ResourceKey, model.ConvertToSOG, model.CodeNotFound, "File not found"},
		{"an unknown file", w.alice, "api_uploads/x.ply", model.ConvertToSOG, model.CodeNotFound, "File not found"},
		{"a caller without a key", account{ctx: t.Context()}, splat.ResourceKey, model.ConvertToSOG, model.CodeUnauthenticated, "Invalid or expired API key"},
		{"an unknown target", w.alice, splat.ResourceKey, "obj", model.CodeInvalid, "to must be one of sog, streamed-sog, ply, compressed-ply, spz, glb, csv, turntable"},
		{"a mesh", w.alice, mesh.ResourceKey, model.ConvertToSOG, model.CodeInvalid, "resource_key: only files with Gaussians can be converted"},
		{"a damaged file", w.alice, damaged.ResourceKey, model.ConvertToSOG, model.CodeInvalid, "resource_key: the file is damaged: the header has no end"},
		{"an image", w.alice, w.file(w.alice, "d.png").ResourceKey, model.ConvertToSOG, model.CodeInvalid, only},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := w.Mutation().ConvertFile(test.who.ctx, model.ConvertFile{ResourceKey: test.key, To: test.to})
			checkError(t, err, test.code, test.message)
		})
	}
	equal(t, "jobs", w.count("SELECT count(*) FROM jobs"), 0)
}

func TestCompleteUpload_converts_files_of_any_size(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := createUpload("a.ply", 10)
	in.ConvertTo = model.ConvertToStreamedSOG
	params, err := w.Mutation().CreateUpload(w.alice.ctx, in)
	check(t, err)
	w.send(params.URL, 10)
	confirmation, err := w.complete(w.alice, params.URL)
	check(t, err)
	if confirmation.Job == nil || confirmation.Job.ConvertTo != model.ConvertToStreamedSOG || confirmation.Job.SourceKey != "" {
		t.Fatalf("confirmation: got %+v, want a job that converts the upload", confirmation.Job)
	}
	again, err := w.complete(w.alice, params.URL)
	check(t, err)
	equal(t, "job when confirmed again", again.Job.ID, confirmation.Job.ID)
	equal(t, "used meanwhile", w.storage(w.alice).Used, 10)
	_, err = w.Mutation().CancelJob(w.alice.ctx, again.Job.ID)
	check(t, err)
	equal(t, "used after the cancel", w.storage(w.alice).Used, 0)
}
