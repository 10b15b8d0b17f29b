package rest

import "testing"

func TestFiles_lists_the_callers_files_newest_first(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(w.alice, "GET", "/v1/files", "").want(200,
		`{'status':'ok','data':{'files':[],'count':0,'total':0,'nextCursor':null,'hasMore':false}}`)
	first, firstURL := w.upload(w.alice, "my first.glb", "glTF")
	second, secondURL := w.upload(w.alice, "second.png", "PNG")
	w.upload(w.bob, "not hers.png", "PNG")
	w.exec("UPDATE files SET created_at = '2026-01-27T09:30:00.1234Z'")
	w.call(w.alice, "GET", "/v1/files", "").want(200, `{'status':'ok','data':{'files':[`+
		`{'resource_key':'`+second+`','file_name':'second.png','file_size':3,'content_type':'application/zip',`+
		`'url':'`+secondURL+`','created_at':'2026-01-27T09:30:00.123Z'},`+
		`{'resource_key':'`+first+`','file_name':'my first.glb','file_size':4,'content_type':'application/zip',`+
		`'url':'`+firstURL+`','created_at':'2026-01-27T09:30:00.123Z'}`+
		`],'count':2,'total':2,'nextCursor':null,'hasMore':false}}`)
}

func TestDeleteFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine, _ := w.upload(w.alice, "mine.glb", "glTF")
	theirs, _ := w.upload(w.bob, "theirs.glb", "glTF")
	for _, test := range []struct {
		name, query string
		status      int
		want        string
	}{
		{"no key", "", 400, `{'status':'error','message':'resource_key is required'}`},
		{"a malformed query", "?resource_key=%zz", 400, `{'status':'error','message':'The query of the address is not well-formed'}`},
		{"another user's", "?resource_key=" + theirs, 404, `{'status':'error','message':'File not found'}`},
		{"unknown", "?resource_key=api_uploads/x", 404, `{'status':'error','message':'File not found'}`},
		{"the caller's", "?resource_key=" + mine, 200, `{'status':'ok','data':{'message':'File deleted'}}`},
		{"twice", "?resource_key=" + mine, 404, `{'status':'error','message':'File not found'}`},
	} {
		t.Run(test.name, func(*testing.T) {
			w.call(w.alice, "DELETE", "/v1/files"+test.query, "").want(test.status, test.want)
		})
	}
	w.call(w.alice, "GET", "/v1/files", "").want(200,
		`{'status':'ok','data':{'files':[],'count':0,'total':0,'nextCursor':null,'hasMore':false}}`)
}
