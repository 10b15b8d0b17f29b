package main

// entityType is the type of all entities here. It has no rules of its own.
const entityType = "Simple"

// document is the entity_data of all entities: 1 KB with the fields of a placed
// model. A blank follows every colon: pgbench takes :name for a variable.
const document = `{` +
	`"name": "Standing lamp, brushed steel", "glbUrl": "https://files.example.com/12345678/4f8a0c72b1/lamp-brushed-steel.glb", ` +
	`"scale": [1.25, 1.25, 1.25], "rotation": {"x": 0, "y": 87.5, "z": 180}, "position": [12.375, 0.004, -7.25], ` +
	`"visible": true, "locked": false, "collision": true, "castShadow": true, "receiveShadow": true, "opacity": 0.95, ` +
	`"revision": 1000000, "layer": "furniture", "parent": null, "tags": ["lamp", "steel", "living room", "2026"], ` +
	`"material": {"color": "#c8ccd0", "metalness": 0.82, "roughness": 0.31, "emissive": "#000000"}, ` +
	`"light": {"kind": "spot", "color": "#fff1d6", "intensity": 420.5, "angle": 38, "penumbra": 0.4, "distance": 9.5}, ` +
	`"interaction": {"kind": "toggle", "label": "Switch on or off", "radius": 1.75, "sound": "click-soft"}, ` +
	`"description": "A lamp of brushed steel beside the reading chair. It stands in every room of the tour, is switched by a touch, ` +
	`and throws a warm cone of light on the floor and on the lower half of the wall behind it, as the photographs show it."}`

// revisionPatch is the change that an update makes to the data of the sample entity.
const revisionPatch = `{"revision":` + sampleRevision + `}`

// seedTime is the time of creation of all seeded entities, as the API writes it.
const seedTime = "2026-01-02T03:04:05.678Z"
