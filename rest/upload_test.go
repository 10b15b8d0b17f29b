package rest

import (
	"net/http"
	"path"
	"strings"
	"testing"

	"portico/model"
)

func TestCreateUpload_gives_a_presigned_URL(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := w.call(w.alice, "POST", "/v1/files/upload", quotes(`{'file_name':'My scan.PLY','file_size':10,'content_type':'model/ply'}`))
	view := read[uploadView](got, 200)
	address, query, _ := strings.Cut(view.Params.URL, "?")
	if !strings.HasPrefix(address, w.base+"/files/"+w.alice.id+"/api_uploads/") || path.Ext(address) != ".PLY" || query == "" {
		t.Errorf("url: got %s, want one of the caller's, with the extension and a signature", view.Params.URL)
	}
	// The signature is the only part that a test cannot know.
	got.want(200, `{'status':'ok','data':{'upload_type':'presigned_url','params':{'url':'`+view.Params.URL+
		`','method':'PUT','headers':{'Content-Type':'model/ply'}}}}`)
}

func TestCreateUpload_refuses_what_cannot_be_uploaded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec("UPDATE users SET quota = 100 WHERE id = '" + w.bob.id + "'")
	for _, c := range []struct {
		name, body string
		who        account
		status     int
		want       string
	}{
		{"a format that is not accepted", `{'file_name':'a.exe','file_size':1,'content_type':'x/y'}`, w.alice, 400,
			"file_name must end in one of ." + strings.Join(model.DefaultFormats, ", .")},
		{"an invalid media type", `{'file_name':'a.glb','file_size':1,'content_type':'glb'}`, w.alice, 400,
			"content_type must be a media type such as application/zip"},
		{"an unknown target", `{'file_name':'a.ply','file_size':1,'content_type':'x/y','convert_to':'ply'}`, w.alice, 400,
			"convert_to must be one of sog, streamed-sog"},
		{"a target that is not a string", `{'file_name':'a.ply','file_size':1,'content_type':'x/y','convert_to':1}`, w.alice, 400,
			"convert_to must be a string"},
		{"a file over the maximum", `{'file_name':'a.glb','file_size':5001,'content_type':'x/y'}`, w.alice, 413,
			"file_size is over the maximum of 5000 bytes"},
		{"a file over the quota", `{'file_name':'a.glb','file_size':101,'content_type':'x/y'}`, w.bob, 507, "Storage quota exceeded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.call(c.who, "POST", "/v1/files/upload", quotes(c.body)).refused(c.status, c.want)
		})
	}
}

func TestCompleteUpload_confirms_a_file_at_once(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	address := w.sendFile(w.alice, "scan.spz", strings.Repeat("a", testThreshold))
	key := strings.TrimPrefix(address, w.base+"/files/"+w.alice.id+"/")
	want := `{'status':'confirmed','data':{'resource_key':'` + key + `','url':'` + address + `'}}`
	for range 2 { // the same again gets the same response
		w.call(w.alice, "POST", "/v1/files/upload-complete", completion(address)).want(200, want)
	}
	// The public address serves the bytes to everybody.
	request, err := http.NewRequest("GET", address, nil)
	check(t, err)
	w.send(request).want(200, strings.Repeat("a", testThreshold))
}

func TestCompleteUpload_starts_a_job(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct{ name, file, content, prefix string }{
		{"for a zip", "a.zip", "PK", "/v1"},
		{"for a zip in capitals", "a.ZIP", "PK", "/api/v1"},
		{"for a large file", "a.ply", strings.Repeat("a", testThreshold+1), "/v1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := completion(w.sendFile(w.alice, c.file, c.content))
			first := w.call(w.alice, "POST", c.prefix+"/files/upload-complete", body)
			job := read[struct {
				JobID string `json:"job_id"`
			}](first, 202).JobID
			first.want(202, `{'status':'processing','message':'File is being processed, poll poll_url until the job has ended',`+
				`'data':{'job_id':'`+job+`','poll_url':'`+c.prefix+`/jobs/`+job+`'}}`)
			w.call(w.alice, "POST", c.prefix+"/files/upload-complete", body).want(202, first.body)
			if got := w.call(w.alice, "GET", c.prefix+"/jobs/"+job, ""); got.status != 200 {
				t.Errorf("poll_url: got %d, want 200", got.status)
			}
		})
	}
}

func TestCompleteUpload_discards_what_did_not_succeed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	address := w.sendFile(w.alice, "a.glb", "glTF")
	body := strings.Replace(completion(address), "success", "failed", 1)
	for range 2 {
		w.call(w.alice, "POST", "/v1/files/upload-complete", body).want(200, `{'status':'ok','message':'Upload discarded'}`)
	}
	w.call(w.alice, "POST", "/v1/files/upload-complete", completion(address)).refused(404, "Uploaded file not found")
}

func TestCompleteUpload_does_not_find(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	promised := read[uploadView](w.call(w.alice, "POST", "/v1/files/upload",
		quotes(`{'file_name':'a.glb','file_size':4,'content_type':'x/y'}`)), 200).Params.URL
	for name, address := range map[string]string{
		"bytes that were not sent":         promised,
		"another user's file":              w.sendFile(w.bob, "a.glb", "glTF"),
		"an address of another server":     "https://elsewhere.example/files/" + w.alice.id + "/api_uploads/a.glb",
		"an address that was never issued": w.base + "/files/" + w.alice.id + "/api_uploads/a.glb",
		"not an address":                   "a.glb",
		"an invalid address":               "%zz://",
		"an address with a NUL":            w.base + "/files/" + w.alice.id + "/a%00b.glb",
		"an address with invalid UTF-8":    w.base + "/files/" + w.alice.id + "/a%FFb.glb",
	} {
		t.Run(name, func(t *testing.T) {
			w.call(w.alice, "POST", "/v1/files/upload-complete", completion(address)).refused(404, "Uploaded file not found")
		})
	}
}

// A size beyond 64 bits is too large like any other.
func TestCreateUpload_refuses_sizes_of_any_length(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for size, want := range map[string]int{
		"5001": 413, "9223372036854775807": 413, "9223372036854775808": 413, "1" + strings.Repeat("0", 400): 413,
		"-9223372036854775809": 400, "0": 400, "1.5": 400, `"1"`: 400, "1e400": 400,
		"3.0": 200, "1e3": 200, "5.001e3": 413,
	} {
		got := w.call(w.alice, "POST", "/v1/files/upload", `{"file_name":"a.ply","content_type":"a/b","file_size":`+size+`}`)
		if got.status != want {
			t.Errorf("file_size %.40s: got %d %s, want %d", size, got.status, got.body, want)
		}
	}
}
