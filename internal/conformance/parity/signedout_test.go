package parity

// signedOutRows returns the rows about callers who are not signed in.
func signedOutRows() []row {
	return []row{
		{"upload not signed in", func(p pair) (any, error) { return p.anonymous.upload("cat.json", "cat") }},
		{"viewer not signed in", func(p pair) (any, error) { return p.anonymous.viewer() }},
		{"create upload not signed in", func(p pair) (any, error) { return p.anonymous.createUpload("cat.png", 3) }},
		{"files not signed in", func(p pair) (any, error) { return p.anonymous.files() }},
		{"delete file not signed in", func(p pair) (any, error) { return nil, p.anonymous.deleteFile("api_uploads/unknown.glb") }},
		{"jobs not signed in", func(p pair) (any, error) { return p.anonymous.jobs() }},
		{"create space not signed in", func(p pair) (any, error) { return p.anonymous.createSpace(spaceInput{}) }},
		{"space not signed in", func(p pair) (any, error) { return p.anonymous.space(p.hub()) }},
		{"entity not signed in", func(p pair) (any, error) { return p.anonymous.entity(p.hub(), "RoomInfo") }},
	}
}
