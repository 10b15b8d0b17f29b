package parity

import (
	"strings"

	"portico/internal/testkit/api"
)

// fileRows returns the rows about the account and its files.
func fileRows() []row {
	return []row{
		{"viewer", func(p pair) (any, error) { return p.alice.viewer() }},
		{"files", func(p pair) (any, error) {
			p.file("one.png")
			p.file("two words.glb")
			return p.alice.files()
		}},
		{"delete file", func(p pair) (any, error) {
			key := p.file("cat.png")
			p.file("dog.png")
			if err := p.alice.deleteFile(key); err != nil {
				return nil, err
			}
			return p.alice.files()
		}},
		{"delete file of another script", func(p pair) (any, error) { return nil, p.alice.deleteFile(p.file("Küche 客厅.glb")) }},
		{"delete file twice", func(p pair) (any, error) {
			key := p.file("cat.png")
			if err := p.alice.deleteFile(key); err != nil {
				return nil, err
			}
			return nil, p.alice.deleteFile(key)
		}},
		{"delete file unknown", func(p pair) (any, error) { return nil, p.alice.deleteFile("api_uploads/unknown.glb") }},
		{"delete file of another user", func(p pair) (any, error) { return nil, p.bob.deleteFile(p.file("cat.png")) }},
		{"files of a new user", func(p pair) (any, error) { return p.bob.files() }},
		{"convert file", func(p pair) (any, error) {
			capture, err := p.alice.upload("room.ply", onePoint)
			p.must(capture, err)
			id, err := p.alice.convertFile(capture.ResourceKey, "spz")
			if err != nil {
				return nil, err
			}
			p.files.Await(id)
			return p.alice.job(id)
		}},
		{"convert file without Gaussians", func(p pair) (any, error) { return p.alice.convertFile(p.file("cat.png"), "spz") }},
		{"convert file unknown", func(p pair) (any, error) { return p.alice.convertFile("api_uploads/unknown.ply", "spz") }},
		{"convert file of another user", func(p pair) (any, error) { return p.bob.convertFile(p.file("cat.png"), "spz") }},
	}
}

const onePoint = `ply
format ascii 1.0
element vertex 1
property float x
property float y
property float z
property float f_dc_0
property float f_dc_1
property float f_dc_2
property float opacity
property float scale_0
property float scale_1
property float scale_2
property float rot_0
property float rot_1
property float rot_2
property float rot_3
end_header
1 2 3 0.5 0.5 0.5 4 -3 -3 -3 1 0 0 0
`

func uploadRows() []row {
	return []row{
		{"create upload", func(p pair) (any, error) {
			upload, err := p.alice.createUpload("cat.png", 3)
			upload.URL, _, _ = strings.Cut(upload.URL, "?")
			return upload, err
		}},
		{"create upload of nothing", func(p pair) (any, error) { return p.alice.createUpload("cat.png", 0) }},
		{"create upload without a name", func(p pair) (any, error) { return p.alice.createUpload("", 1) }},
		{"create upload of another format", func(p pair) (any, error) { return p.alice.createUpload("cat.exe", 1) }},
		{"create upload over the quota", func(p pair) (any, error) { return p.alice.createUpload("cat.png", parityQuota+1) }},
		{"create upload that is too large", func(p pair) (any, error) { return p.alice.createUpload("cat.png", parityMax+1) }},
		{"complete upload", func(p pair) (any, error) {
			return p.alice.completeUpload("success", p.send("cat.png", api.Text("cat")))
		}},
		{"complete upload that was discarded", func(p pair) (any, error) {
			return p.alice.completeUpload("failed", p.send("cat.png", api.Text("cat")))
		}},
		{"complete upload of another user", func(p pair) (any, error) {
			return p.bob.completeUpload("success", p.send("cat.png", api.Text("cat")))
		}},
		{"complete upload without bytes", func(p pair) (any, error) {
			address, _, _ := strings.Cut(p.files.Promise("cat.png", 3).URL, "?")
			return p.alice.completeUpload("success", address)
		}},
		{"complete upload elsewhere", func(p pair) (any, error) {
			return p.alice.completeUpload("success", "https://elsewhere.example/x.png")
		}},
		{"complete upload without an address", func(p pair) (any, error) { return p.alice.completeUpload("success", "") }},
		{"upload", func(p pair) (any, error) { return p.alice.upload("My cat.json", `{"t":"<&>é"}`) }},
		{"upload without a name", func(p pair) (any, error) { return p.alice.upload("", "cat") }},
		{"upload of another format", func(p pair) (any, error) { return p.alice.upload("cat.exe", "cat") }},
		{"upload over the quota", func(p pair) (any, error) {
			return p.alice.upload("cat.json", strings.Repeat("x", parityQuota+1))
		}},
		{"upload that is too large", func(p pair) (any, error) {
			return p.alice.upload("cat.json", strings.Repeat("x", parityMax+1))
		}},
		{"upload of another script", func(p pair) (any, error) { return p.alice.upload("Küche 客厅.json", "{}") }},
	}
}
