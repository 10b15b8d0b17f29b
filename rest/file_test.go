package rest

import (
	"testing"

	"portico/model"
)

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
		`'url':'`+secondURL+`','created_at':'2026-01-27T09:30:00.123Z','facts':null,'poster_url':null,'posters':[],`+
		`'view_url':'`+secondURL+`','collision_url':null,'start':null,'attribution':null,'derived_bytes':0},`+
		`{'resource_key':'`+first+`','file_name':'my first.glb','file_size':4,'content_type':'application/zip',`+
		`'url':'`+firstURL+`','created_at':'2026-01-27T09:30:00.123Z','facts':null,'poster_url':null,'posters':[],`+
		`'view_url':'`+firstURL+`','collision_url':null,'start':null,'attribution':null,'derived_bytes':0}`+
		`],'count':2,'total':2,'nextCursor':null,'hasMore':false}}`)
}

func TestFiles_shows_what_was_found(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key, address := w.upload(w.alice, "room.ply", "ply")
	file, err := w.db.Files().FileOf(t.Context(), w.alice.id, key)
	check(t, err)
	check(t, w.db.Files().SetFacts(t.Context(), key, &model.FileFacts{
		Format: model.FormatSPZ, Splats: 12345678901, Attribution: model.AttributionXGRIDS, Extensions: []string{"<&>"},
	}))
	_, err = w.db.Files().SetPosters(t.Context(), file, &model.Posters{Sizes: []model.StoredPoster{{Key: file.DerivedRoot() + "poster.jpg", Width: 640, Height: 400, Bytes: 10}}})
	check(t, err)
	_, err = w.db.Files().AddView(t.Context(), file, file.DerivedRoot()+"view.sog", 5)
	check(t, err)
	_, err = w.db.Files().AddCollision(t.Context(), file, file.DerivedRoot()+"collision/collision.voxel.json", 20, &model.Start{
		Position: [3]float64{1, 1.5, 2}, Target: [3]float64{4, 1.5, 2}, Up: [3]float64{0, 1, 0}, Scene: model.SceneIndoor, WalkableArea: 30.5,
	})
	check(t, err)
	w.exec("UPDATE files SET created_at = '2026-01-27T09:30:00.1234Z'")
	derived := w.base + "/files/" + file.DerivedStorageRoot()
	w.call(w.alice, "GET", "/v1/files", "").want(200, `{'status':'ok','data':{'files':[`+
		`{'resource_key':'`+key+`','file_name':'room.ply','file_size':3,'content_type':'application/zip','url':'`+address+`',`+
		`'created_at':'2026-01-27T09:30:00.123Z','facts':{'format':'spz','splats':12345678901,'extensions':['<&>'],`+
		`'attribution':'Data Organization Format originated from XGRIDS'},'poster_url':'`+derived+`poster.jpg',`+
		`'posters':[{'url':'`+derived+`poster.jpg','width':640,'height':400}],`+
		`'view_url':'`+derived+`view.sog','collision_url':'`+derived+`collision/collision.voxel.json',`+
		`'start':{'position':[1,1.5,2],'target':[4,1.5,2],'up':[0,1,0],'scene':'indoor','walkable_area':30.5},`+
		`'attribution':'Data Organization Format originated from XGRIDS','derived_bytes':35}`+
		`],'count':1,'total':1,'nextCursor':null,'hasMore':false}}`)
}

func TestDeleteFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	owned, _ := w.upload(w.alice, "mine.glb", "glTF")
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
		{"the caller's", "?resource_key=" + owned, 200, `{'status':'ok','data':{'message':'File deleted'}}`},
		{"twice", "?resource_key=" + owned, 404, `{'status':'error','message':'File not found'}`},
	} {
		t.Run(test.name, func(*testing.T) {
			w.call(w.alice, "DELETE", "/v1/files"+test.query, "").want(test.status, test.want)
		})
	}
	w.call(w.alice, "GET", "/v1/files", "").want(200,
		`{'status':'ok','data':{'files':[],'count':0,'total':0,'nextCursor':null,'hasMore':false}}`)
}
