package parity

import (
	"portico/internal/testkit/api"
	"portico/splat/splattest"
)

func jobRows() []row {
	return []row{
		{"job with a result of another script", func(p pair) (any, error) {
			return p.alice.job(p.zip(api.Capture(p.t, splattest.Capture{Manifest: "Küche.lcc2", Tiles: 1, TileBytes: 100})))
		}},
		{"job", func(p pair) (any, error) { return p.alice.job(p.scan()) }},
		{"job that fails", func(p pair) (any, error) { return p.alice.job(p.zip(api.Text("no zip at all"))) }},
		{"job of another user", func(p pair) (any, error) { return p.bob.job(p.scan()) }},
		{"job unknown", func(p pair) (any, error) { return p.alice.job("unknown") }},
		{"jobs", func(p pair) (any, error) {
			p.scan()
			p.zip(api.Text("no zip at all"))
			return p.alice.jobs()
		}},
	}
}
