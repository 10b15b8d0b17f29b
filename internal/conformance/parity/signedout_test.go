package parity

// signedOutRows returns the rows about callers who are not signed in.
func signedOutRows() []row {
	return []row{
		{"upload not signed in", func(p pair) (any, error) { return p.nobody.upload("cat.json", "cat") }},
		{"viewer not signed in", func(p pair) (any, error) { return p.nobody.viewer() }},
		{"create upload not signed in", func(p pair) (any, error) { return p.nobody.createUpload("cat.png", 3) }},
		{"files not signed in", func(p pair) (any, error) { return p.nobody.files() }},
		{"delete file not signed in", func(p pair) (any, error) { return nil, p.nobody.deleteFile("api_uploads/unknown.glb") }},
		{"jobs not signed in", func(p pair) (any, error) { return p.nobody.jobs() }},
		{"create space not signed in", func(p pair) (any, error) { return p.nobody.createSpace(spaceInput{}) }},
		{"space not signed in", func(p pair) (any, error) { return p.nobody.space(p.hub()) }},
		{"entity not signed in", func(p pair) (any, error) { return p.nobody.entity(p.hub(), "RoomInfo") }},
	}
}
