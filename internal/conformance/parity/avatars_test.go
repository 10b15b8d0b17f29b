package parity

// avatarOf uploads the files of an avatar of alice.
func avatarOf(p pair) avatarInput {
	binding := p.file("binding.json")
	return avatarInput{
		GLB: p.file("figure.glb"), Splat: p.file("person.spz"), Binding: binding, Fit: binding, OriginalName: "Ada",
	}
}

func avatarRows() []row {
	return []row{
		{"create avatar", func(p pair) (any, error) { return p.alice.createAvatar(avatarOf(p)) }},
		{"create avatar assigned", func(p pair) (any, error) {
			in := avatarOf(p)
			in.Assign = true
			return p.alice.createAvatar(in)
		}},
		{"create avatar without a capture", func(p pair) (any, error) {
			in := avatarOf(p)
			in.Splat = ""
			return p.alice.createAvatar(in)
		}},
		{"create avatar with another kind of file", func(p pair) (any, error) {
			in := avatarOf(p)
			in.Splat = in.GLB
			return p.alice.createAvatar(in)
		}},
		{"create avatar with a name of two lines", func(p pair) (any, error) {
			in := avatarOf(p)
			in.OriginalName = "Ada\nLovelace"
			return p.alice.createAvatar(in)
		}},
		{"create avatar of another user", func(p pair) (any, error) { return p.bob.createAvatar(avatarOf(p)) }},
		{"create avatar of an unknown file", func(p pair) (any, error) {
			in := avatarOf(p)
			in.Fit = "api_uploads/unknown.json"
			return p.alice.createAvatar(in)
		}},
		{"create avatar not signed in", func(p pair) (any, error) { return p.anonymous.createAvatar(avatarInput{}) }},
		{"avatars", func(p pair) (any, error) {
			in := avatarOf(p)
			if _, err := p.alice.createAvatar(in); err != nil {
				return nil, err
			}
			in.GLB, in.Assign = p.file("other.glb"), true
			p.must(p.alice.createAvatar(in))
			return p.alice.avatars()
		}},
		{"delete avatar", func(p pair) (any, error) {
			avatar, err := p.alice.createAvatar(avatarOf(p))
			if err != nil {
				return nil, err
			}
			if err := p.alice.deleteAvatar(avatar.ID); err != nil {
				return nil, err
			}
			return p.alice.avatars()
		}},
		{"delete avatar unknown", func(p pair) (any, error) { return nil, p.alice.deleteAvatar("unknown") }},
		{"delete avatar of another user", func(p pair) (any, error) {
			avatar, err := p.alice.createAvatar(avatarOf(p))
			if err != nil {
				return nil, err
			}
			return nil, p.bob.deleteAvatar(avatar.ID)
		}},
	}
}
