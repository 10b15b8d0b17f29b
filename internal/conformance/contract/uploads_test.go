package contract

import (
	"strings"
	"testing"
	"time"
)

func TestGolden_upload(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	const path = "/v1/files/upload"
	w.golden("presigned", 200, "A presigned URL for one file. It takes exactly this size and content type for 15 minutes.",
		w.call(w.alice, "POST", path, `{'file_name':'chair.glb','file_size':52310,'content_type':'model/gltf-binary'}`))
	w.golden("name-made-safe", 200, "What is not safe in an address becomes an underscore; the extension stays as it is.",
		w.call(w.alice, "POST", path, `{'file_name':'Mein Wohnzimmer (2).PLY','file_size':1,'content_type':'application/octet-stream'}`))
	w.golden("name-missing", 400, "A missing field is named.",
		w.call(w.alice, "POST", path, `{'file_size':1,'content_type':'model/gltf-binary'}`))
	w.golden("size-missing", 400, "A missing field is named.",
		w.call(w.alice, "POST", path, `{'file_name':'chair.glb','content_type':'model/gltf-binary'}`))
	w.golden("type-missing", 400, "A missing field is named.",
		w.call(w.alice, "POST", path, `{'file_name':'chair.glb','file_size':1}`))
	w.golden("name-empty", 400, "An empty text is a missing one.",
		w.call(w.alice, "POST", path, `{'file_name':'','file_size':1,'content_type':'model/gltf-binary'}`))
	w.golden("name-too-long", 400, "A file name has at most 255 characters.",
		w.call(w.alice, "POST", path, `{'file_name':'`+strings.Repeat("x", 252)+`.glb','file_size':1,'content_type':'model/gltf-binary'}`))
	w.golden("size-a-string", 400, "A field of another JSON type is named.",
		w.call(w.alice, "POST", path, `{'file_name':'chair.glb','file_size':'52310','content_type':'model/gltf-binary'}`))
	w.golden("size-a-fraction", 400, "A whole number may be written as 10.0, but not 10.5.",
		w.call(w.alice, "POST", path, `{'file_name':'chair.glb','file_size':10.5,'content_type':'model/gltf-binary'}`))
	w.golden("size-zero", 400, "A file has at least one byte.",
		w.call(w.alice, "POST", path, `{'file_name':'chair.glb','file_size':0,'content_type':'model/gltf-binary'}`))
	w.golden("type-no-media-type", 400, "The content type is a media type.",
		w.call(w.alice, "POST", path, `{'file_name':'chair.glb','file_size':1,'content_type':'glb'}`))
	w.golden("format-not-accepted", 400, "The accepted formats, which are a setting.",
		w.call(w.alice, "POST", path, `{'file_name':'setup.exe','file_size':1,'content_type':'application/octet-stream'}`))
	w.golden("over-the-maximum-size", 413, "The maximum file size is 20 GB; it is a setting.",
		w.call(w.alice, "POST", path, `{'file_name':'room.ply','file_size':20000000001,'content_type':'application/octet-stream'}`))
	w.golden("over-the-quota", 507, "The account has 10 GB, of which 52311 bytes are promised to the uploads before.",
		w.call(w.alice, "POST", path, `{'file_name':'room.ply','file_size':9999947690,'content_type':'application/octet-stream'}`))
	w.golden("to-be-converted", 200, "The file will be converted before it is stored.",
		w.call(w.alice, "POST", path, `{'file_name':'room.ply','file_size':1,'content_type':'application/octet-stream','convert_to':'streamed-sog'}`))
	w.golden("target-unknown", 400, "There are two targets.",
		w.call(w.alice, "POST", path, `{'file_name':'room.ply','file_size':1,'content_type':'application/octet-stream','convert_to':'spz'}`))
	w.golden("target-of-a-mesh", 400, "Only captures are converted.",
		w.call(w.alice, "POST", path, `{'file_name':'chair.glb','file_size':1,'content_type':'model/gltf-binary','convert_to':'sog'}`))
	w.golden("target-is-there", 400, "A conversion that changes nothing is refused.",
		w.call(w.alice, "POST", path, `{'file_name':'room.sog','file_size':1,'content_type':'application/octet-stream','convert_to':'sog'}`))
	w.golden("target-no-string", 400, "A field of another JSON type is named.",
		w.call(w.alice, "POST", path, `{'file_name':'room.ply','file_size':1,'content_type':'application/octet-stream','convert_to':true}`))
}

func TestUpload_takes_every_accepted_format_in_any_case(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	for _, extension := range []string{
		".ply", ".glb", ".gltf", ".spz", ".sog", ".zip", ".jpg", ".jpeg", ".png", ".gif", ".webp", ".mjs", ".path", // API section 2
		".json", ".bin", ".mp3", ".ogg", ".wav", ".mp4", ".webm",
	} {
		for _, name := range []string{"a" + extension, "A" + strings.ToUpper(extension)} {
			address := w.promise(w.alice, name, "application/octet-stream", 1)
			if plain, query, _ := strings.Cut(address, "?"); !strings.HasSuffix(plain, name) || query == "" {
				t.Errorf("%s: got %s, want an address that ends in the name, with a query", name, address)
			}
		}
	}
}

func TestGolden_confirmation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	const path = "/v1/files/upload-complete"
	address := w.sendFile(w.alice, "chair.glb", "model/gltf-binary", "glTF")
	w.golden("confirmed", 200, "A file that is not a zip, and not over 1.5 GiB, is confirmed at once.",
		w.call(w.alice, "POST", path, completion("success", address)))
	w.golden("confirmed-again", 200, "The same file again gives the same answer.",
		w.call(w.alice, "POST", path, completion("success", address)))
	w.golden("discarded-too-late", 400, "What is confirmed cannot be discarded.",
		w.call(w.alice, "POST", path, completion("failed", address)))
	given := w.sendFile(w.alice, "sofa.glb", "model/gltf-binary", "glTF")
	w.golden("discarded", 200, "With any other status than success the upload is discarded.",
		w.call(w.alice, "POST", path, completion("failed", given)))
	w.golden("discarded-before", 404, "Nothing is kept of an upload that was discarded.",
		w.call(w.alice, "POST", path, completion("success", given)))
	promised := w.promise(w.alice, "lamp.glb", "model/gltf-binary", 4)
	w.golden("bytes-not-there", 404, "The bytes were not sent. The address may come with its query.",
		w.call(w.alice, "POST", path, completion("success", promised)))
	w.golden("another-users-file", 404, "Another user's file is not there.",
		w.call(w.bob, "POST", path, completion("success", address)))
	w.golden("address-not-ours", 404, "An address of another server is not there.",
		w.call(w.alice, "POST", path, completion("success", "https://elsewhere.example/chair.glb")))
	w.golden("status-missing", 400, "A missing field is named.",
		w.call(w.alice, "POST", path, `{'extra_info':{'file_url':'`+address+`'}}`))
	w.golden("file-url-missing", 400, "A missing field is named with its parent.",
		w.call(w.alice, "POST", path, `{'status':'success','extra_info':{}}`))
	w.golden("extra-info-no-object", 400, "A field of another JSON type is named.",
		w.call(w.alice, "POST", path, `{'status':'success','extra_info':'x'}`))
	zip := w.sendFile(w.alice, "room.zip", "application/zip", "PK")
	w.golden("job", 202, "A zip starts a job.",
		w.call(w.alice, "POST", path, completion("success", zip)))
	converted := w.sendBody(w.alice, `{'file_name':'room.ply','file_size':3,'content_type':'application/octet-stream','convert_to':'sog'}`, "ply")
	w.golden("conversion", 202, "A file that is to be converted starts a job, whatever its size.",
		w.call(w.alice, "POST", path, completion("success", converted)))
	w.golden("job-again", 202, "The same file again gives the same job. poll_url is under the prefix of the request.",
		w.call(w.alice, "POST", "/api"+path, completion("success", zip)))
}

func TestGolden_threshold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{asyncThreshold: 1000})
	const path = "/v1/files/upload-complete"
	exactly := w.sendFile(w.alice, "exactly.ply", "application/octet-stream", strings.Repeat("a", 1000))
	w.golden("exactly", 200, "The threshold of a new server is 1.5 GiB, here it is 1000 bytes. A file of exactly that is confirmed at once.",
		w.call(w.alice, "POST", path, completion("success", exactly)))
	over := w.sendFile(w.alice, "over.ply", "application/octet-stream", strings.Repeat("a", 1001))
	w.golden("over", 202, "A file of one byte more starts a job.",
		w.call(w.alice, "POST", path, completion("success", over)))
}

// The client announces a file again if its bytes come after the expiry.
func TestGolden_late(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	address := w.sendFile(w.alice, "chair.glb", "model/gltf-binary", "glTF")
	w.exec("UPDATE uploads SET expires_at = now() - interval '1 minute', held_until = NULL")
	w.exec("UPDATE users SET quota = 3")
	w.golden("over-the-quota", 507, "The URL expired before the bytes came, and the storage promised to them is taken by now.",
		w.call(w.alice, "POST", "/v1/files/upload-complete", completion("success", address)))
}

func TestUpload_frees_promised_storage_when_it_is_discarded_or_has_expired(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	const all = 10_000_000_000
	first, _, _ := strings.Cut(w.promise(w.alice, "a.ply", "a/b", all), "?")
	const body = `{'file_name':'b.ply','file_size':1,'content_type':'a/b'}`
	if got := w.send(t, w.call(w.alice, "POST", "/v1/files/upload", body)); got.status != 507 {
		t.Errorf("while all is promised: got %d, want 507", got.status)
	}
	w.send(t, w.call(w.alice, "POST", "/v1/files/upload-complete", completion("failed", first)))
	w.promise(w.alice, "a.ply", "a/b", all)
	w.exec("UPDATE uploads SET expires_at = now() - interval '1 second'")
	w.promise(w.alice, "a.ply", "a/b", all)
}

func TestGolden_files(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	w.golden("none", 200, "A list without items.", w.call(w.alice, "GET", "/v1/files", ""))
	w.upload(w.alice, "chair.glb", "model/gltf-binary", "glTF")
	w.upload(w.alice, "Sofa.SPZ", "application/octet-stream", "spz")
	w.upload(w.bob, "lamp.glb", "model/gltf-binary", "glTF")
	w.golden("list", 200, "The caller's files, newest first.", w.call(w.alice, "GET", "/v1/files", ""))
	w.exec(`UPDATE files SET facts = $1, poster_key = 'derived/' || upload_id || '/poster.jpg',
		view_key = 'derived/' || upload_id || '/view.sog', derived_bytes = 48211,
		collision_key = 'derived/' || upload_id || '/collision/collision.voxel.json', start = '{"position":[0,1.5,2],
		"target":[0,1.5,-3],"up":[0,1,0],"scene":"indoor","walkable_area":18.5}' WHERE name = 'Sofa.SPZ'`,
		`{"format":"spz","version":"3","splats":45092,"degree":3,"bounds":{"min":[-1.5,0,-1],"max":[1.5,1.25,1]}}`)
	w.exec(`UPDATE files SET facts = $1 WHERE name = 'chair.glb'`, `{"format":"invalid","fault":"the file ends after 4 bytes"}`)
	w.golden("facts", 200, "What was found in the files. The first has a poster, a view and a collision, the second is damaged.",
		w.call(w.alice, "GET", "/v1/files", ""))
	w.exec("UPDATE files SET facts = NULL, poster_key = NULL, view_key = NULL, collision_key = NULL, start = NULL, derived_bytes = 0")
	page := w.golden("first-page", 200, "One file a page.", w.call(w.alice, "GET", "/v1/files?limit=1", ""))
	w.golden("last-page", 200, "The page after it, which is the last.",
		w.call(w.alice, "GET", "/v1/files?limit=1&cursor="+page.data(t, "nextCursor"), ""))
	w.golden("limit-below-1", 400, "The limit is at least 1.", w.call(w.alice, "GET", "/v1/files?limit=0", ""))
	w.golden("bad-cursor", 400, "Only a cursor of this server is accepted.", w.call(w.alice, "GET", "/v1/files?cursor=x", ""))
	w.golden("bad-query", 400, "A query that is not well-formed.", w.call(w.alice, "GET", "/v1/files?limit=%zz", ""))
	one := w.upload(w.alice, "stool.glb", "model/gltf-binary", "glTF")
	w.golden("delete", 200, "A file is deleted, for good.", w.call(w.alice, "DELETE", "/v1/files?resource_key="+one, ""))
	w.golden("delete-unknown", 404, "Unknown, deleted, or another user's.", w.call(w.alice, "DELETE", "/v1/files?resource_key="+one, ""))
	w.golden("delete-nothing", 400, "The key is required.", w.call(w.alice, "DELETE", "/v1/files", ""))
}

func TestGolden_bytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings{})
	signed := w.promise(w.alice, "chair.glb", "model/gltf-binary", 4)
	address, _, _ := strings.Cut(signed, "?")
	put := func(address, contentType, content string) string {
		request := w.request("PUT", address, content)
		request.Header.Set("Content-Type", contentType)
		return strings.TrimSpace(string(w.send(t, request).body))
	}
	request := w.request("PUT", signed, "glTF+")
	request.Header.Set("Content-Type", "model/gltf-binary")
	w.goldenFile("other-size", 403, "The presigned URL takes the size of the upload only.", request)
	request = w.request("PUT", signed, "glTF")
	request.Header.Set("Content-Type", "text/html")
	w.goldenFile("other-type", 403, "The presigned URL takes the content type of the upload only.", request)
	request = w.request("PUT", address, "glTF")
	request.Header.Set("Content-Type", "model/gltf-binary")
	w.goldenFile("not-signed", 403, "The address alone takes nothing.", request)
	w.goldenFile("not-there", 404, "No file yet.", w.request("GET", address, ""))
	request = w.request("PUT", signed, "glTF")
	request.Header.Set("Content-Type", "model/gltf-binary")
	w.goldenFile("put", 200, "Sends the bytes, without an API key.", request)
	if got := put(signed, "model/gltf-binary", "glTF"); got != "" {
		t.Errorf("the same bytes again: got %s, want 200 and nothing", got)
	}
	request = w.request("PUT", signed, "FTlg")
	request.Header.Set("Content-Type", "model/gltf-binary")
	w.goldenFile("other-bytes", 409, "Bytes that are there never change.", request)
	w.goldenFile("get", 200, "The address without its query serves the file to everybody.", w.request("GET", address, ""))
	request = w.request("GET", address, "")
	request.Header.Set("Range", "bytes=1-2")
	w.goldenFile("range", 206, "A part of the file.", request)
	w.goldenFile("preflight", 204, "A browser asks before it sends from another origin.", w.request("OPTIONS", signed, ""))
	w.goldenFile("wrong-method", 405, "Files are not deleted here.", w.request("DELETE", address, ""))
	late := w.promise(w.alice, "late.glb", "model/gltf-binary", 4)
	w.later.Store(int64(16 * time.Minute))
	request = w.request("PUT", late, "glTF")
	request.Header.Set("Content-Type", "model/gltf-binary")
	w.goldenFile("expired", 403, "The presigned URL works for 15 minutes; this is the sixteenth.", request)
}
