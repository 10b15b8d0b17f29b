package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"portico/splat/splattest"
)

// material is a file to publish. It is small, because the faults should hit the steps
// between the bytes, and a file of any size has these steps.
type material struct {
	kind string // for complaints
	name string // as the client names it
	body []byte
	// job marks a file that a job processes.
	job bool
	// parts are the SHA-256 of the objects that must result, by their names in the folder
	// of the result, or under "" if the result is the file itself. It is nil for a
	// conversion, whose result is not known before.
	parts map[string][sha256.Size]byte
}

// materials returns one material of each kind. The number makes them differ.
func materials(number int) ([]material, error) {
	scan, err := scanMaterial(number)
	if err != nil {
		return nil, err
	}
	tiles, err := tilesMaterial(number)
	if err != nil {
		return nil, err
	}
	return []material{
		tiles, singleFile("mesh", fmt.Sprintf("Mesh %d.glb", number), meshOf(number)),
		scan, singleFile("trained", fmt.Sprintf("Trained %d.ply", number), gaussiansOf(number)),
	}, nil
}

// singleFile returns a file that is stored unchanged.
func singleFile(kind, name string, body []byte) material {
	return material{kind: kind, name: name, body: body, parts: map[string][sha256.Size]byte{"": sha256.Sum256(body)}}
}

// scanSplats is the number of Gaussians in the finest level of a scan. Its conversion
// takes long enough to be hit by a fault.
const scanSplats = 100_000

// scanMaterial returns the zip of an LCC capture, which is converted.
func scanMaterial(number int) (material, error) {
	var packed bytes.Buffer
	err := splattest.LCCCapture{Folder: "scan", Splats: scanSplats, Levels: 2, Columns: 1, Rows: 1, Seed: uint64(number)}.Zip(&packed)
	return material{kind: "scan", name: fmt.Sprintf("Scan %d.zip", number), body: packed.Bytes(), job: true}, err
}

// tilesMaterial returns the zip of an LCC2 capture, which is unpacked.
func tilesMaterial(number int) (material, error) {
	capture := splattest.Capture{Tiles: 40, TileBytes: 3000, Seed: uint64(number)}
	var packed bytes.Buffer
	if _, err := capture.WriteTo(&packed); err != nil {
		return material{}, err
	}
	parts := map[string][sha256.Size]byte{capture.ManifestName(): sha256.Sum256(capture.ManifestJSON())}
	for i := range capture.Tiles {
		tile, err := io.ReadAll(capture.Tile(i))
		if err != nil {
			return material{}, err
		}
		parts[splattest.TileName(i)] = sha256.Sum256(tile)
	}
	return material{kind: "tiles", name: fmt.Sprintf("Tiles %d.zip", number), body: packed.Bytes(), job: true, parts: parts}, nil
}

// meshOf returns the smallest valid GLB: one empty scene with a name (glTF 2.0, section
// 4).
func meshOf(number int) []byte {
	scene, err := json.Marshal(map[string]any{
		"asset": map[string]string{"version": "2.0"}, "scene": 0,
		"scenes": []any{map[string]string{"name": fmt.Sprint("scene ", number)}},
	})
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	for len(scene)%4 != 0 {
		scene = append(scene, ' ')
	}
	le := binary.LittleEndian
	glb := le.AppendUint32([]byte("glTF"), 2)
	glb = le.AppendUint32(glb, uint32(20+len(scene)))
	glb = le.AppendUint32(glb, uint32(len(scene)))
	return append(append(glb, "JSON"...), scene...)
}

// gaussiansOf returns a PLY of some Gaussians on a line, as trainers write it.
func gaussiansOf(number int) []byte {
	const count = 50
	row := []struct {
		name  string
		value float32
	}{
		{"x", 0}, {"y", float32(number)}, {"z", 2}, {"f_dc_0", 1}, {"f_dc_1", 0}, {"f_dc_2", -1}, {"opacity", 2},
		{"scale_0", -3}, {"scale_1", -3}, {"scale_2", -4}, {"rot_0", 1}, {"rot_1", 0}, {"rot_2", 0}, {"rot_3", 0},
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", count)
	for _, property := range row {
		fmt.Fprintf(&b, "property float %s\n", property.name)
	}
	b.WriteString("end_header\n")
	for i := range count {
		row[0].value = float32(i) / 10
		for _, property := range row {
			b.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(property.value)))
		}
	}
	return b.Bytes()
}

// The zip of bombMaterial.
const (
	bombTiles = 4
	bombTile  = 3 << 20
	// In each block there are so few bytes that do not compress.
	bombBlock, bombNoise = 2048, 64
)

// bombMaterial returns the zip of an LCC2 capture that unpacks to about thirty times its
// size.
func bombMaterial() (material, error) {
	capture := splattest.Capture{Tiles: bombTiles}
	files := []struct {
		name string
		body []byte
	}{{capture.ManifestName(), capture.ManifestJSON()}}
	random := newRandom(1, "bomb")
	for i := range bombTiles {
		tile := make([]byte, bombTile)
		for at := 0; at < len(tile); at += bombBlock {
			for j := range bombNoise {
				tile[at+j] = byte(random.Uint32())
			}
		}
		files = append(files, struct {
			name string
			body []byte
		}{splattest.TileName(i), tile})
	}
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, file := range files {
		w, err := z.Create(file.name)
		if err != nil {
			return material{}, err
		}
		if _, err := w.Write(file.body); err != nil {
			return material{}, err
		}
	}
	err := z.Close()
	return material{kind: "bomb", name: "Bomb.zip", body: packed.Bytes(), job: true}, err
}
