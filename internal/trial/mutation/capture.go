package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"

	"portico/splat"
	"portico/splat/folder"
	"portico/splat/splattest"
)

// capture is a valid capture, the input of mutations.
type capture struct {
	// name identifies the capture in reports.
	name string
	// files holds the files by path. The program opens primary.
	files   folder.Memory
	primary string
	// gaussians reports whether the capture can be converted.
	gaussians bool
}

// singleFile returns a capture of one file, whose name has the extension by which some
// formats are recognised.
func singleFile(name string, gaussians bool, content []byte) capture {
	return capture{name, folder.Memory{name: content}, name, gaussians}
}

// zip returns the capture as an upload: deflated, in a folder of a zip.
func (c capture) zip() capture {
	// In the order of the names, because the order of a map would give another zip, and
	// so other mutations, in every run.
	var entries []splattest.Entry
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		entries = append(entries, splattest.Entry{Name: "export/" + name, Body: c.files[name], Method: splattest.Deflate})
	}
	return singleFile(c.name+".zip", c.gaussians, splattest.Zip(entries...))
}

// captures returns captures of all formats in all their forms, with some hundred Gaussians
// for each unit of size.
func captures(ctx context.Context, size int) ([]capture, error) {
	plain := splattest.LCCCapture{Splats: 400 * size, Levels: 1, Columns: 3, Rows: 2, Seed: 1}
	full := splattest.LCCCapture{Splats: 100 * size, Levels: 3, Columns: 2, Rows: 2, Seed: 2, Harmonics: true, Environment: 50}
	lcc := addExtras(capture{"lcc", plain.Memory(), splattest.LCCManifest, true})
	quality := capture{"lcc-quality", full.Memory(), splattest.LCCManifest, true}
	sog, err := sogCaptures(ctx, lcc, quality)
	if err != nil {
		return nil, err
	}
	gltf, err := gaussianGLTF(ctx, quality)
	if err != nil {
		return nil, err
	}
	cloud := splatsOf(full)
	all := slices.Concat([]capture{lcc, quality, lcc.zip(), quality.zip(), brokenLCC(plain)}, sog,
		plyCaptures(cloud), spzCaptures(cloud), []capture{tilesCapture(cloud)}, splatCaptures(cloud), gltfCaptures(), gltf)
	pictures, err := pictureCaptures(sog)
	return append(all, pictures...), err
}

// sogCaptures converts the two captures to all forms of SOG and LCC2.
//
// They are converted by the code that is tested. If it is wrong there, measure fails before the
// first mutation, because the program cannot read the capture.
func sogCaptures(ctx context.Context, plain, quality capture) ([]capture, error) {
	small, err := bundle(ctx, plain)
	if err != nil {
		return nil, err
	}
	large, err := bundle(ctx, quality)
	if err != nil {
		return nil, err
	}
	folder, err := unzip(large)
	if err != nil {
		return nil, err
	}
	streamed, err := stream(ctx, quality)
	if err != nil {
		return nil, err
	}
	lcc2 := lcc2Capture(small, large)
	unpacked := capture{"sog-folder", folder, "meta.json", true}
	page := fmt.Appendf(nil, `<!DOCTYPE html><script>fetch("data:application/octet-stream;base64,%s")</script>`, base64.StdEncoding.EncodeToString(small))
	version1, err := sogVersion1(unpacked)
	if err != nil {
		return nil, err
	}
	withPNG, err := sogPNG(unpacked)
	if err != nil {
		return nil, err
	}
	return []capture{
		version1, withPNG, singleFile("viewer.html", true, page),
		singleFile("plain.sog", true, small), singleFile("quality.sog", true, large),
		unpacked, unpacked.zip(), streamed, streamed.zip(), lcc2, lcc2.zip(),
	}, nil
}

// bundle converts a capture to a SOG bundle.
func bundle(ctx context.Context, c capture) ([]byte, error) {
	opened, err := splat.Open(ctx, c.files, c.primary)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", c.name, err)
	}
	var out bytes.Buffer
	_, _, err = opened.WriteSOG(ctx, &out, splat.ConvertOptions{})
	return out.Bytes(), errors.Join(err, opened.Close())
}

// stream converts a capture to a streamed SOG.
func stream(ctx context.Context, c capture) (capture, error) {
	opened, err := splat.Open(ctx, c.files, c.primary)
	if err != nil {
		return capture{}, fmt.Errorf("open %s: %w", c.name, err)
	}
	made := capture{"streamed-sog", folder.Memory{}, splat.StreamedSOGName, true}
	_, _, err = opened.WriteStreamedSOG(ctx, made.files, splat.ConvertOptions{})
	return made, errors.Join(err, opened.Close())
}

// lcc2Capture returns an LCC2 export of two levels with a tile each. The coarse tile is
// also the environment.
func lcc2Capture(coarse, fine []byte) capture {
	manifest := `{"version":"0.0.3","name":"room","totalSplats":2,"lodSplats":[1,1],"totalLevels":2,"splatType":".sog","root":{
"boundingBox":{"min":[-50,-50,-50],"max":[50,50,50]},"splatFiles":["data/3dgs/0.sog","data/3dgs/1.sog"],"data":{"env":{"name":0}},
"child":{"0":{"data":{"3dgs":{"name":0,"start":0,"count":90}},"child":{"0":{"data":{"3dgs":{"name":1,"start":7,"count":80}}}}}}}}`
	return capture{"lcc2", folder.Memory{
		"room.lcc2": []byte(manifest), "data/3dgs/0.sog": coarse, "data/3dgs/1.sog": fine,
	}, "room.lcc2", true}
}

// tilesCapture returns an LCC2 export of two levels with a tile each, the coarse one as SPZ and
// the fine one as PLY.
func tilesCapture(cloud []splattest.LCCSplat) capture {
	manifest := fmt.Sprintf(`{"version":"0.0.3","name":"room","totalSplats":%d,"lodSplats":[%d,%d],"totalLevels":2,"splatType":".ply","root":{
"boundingBox":{"min":[-50,-50,-50],"max":[50,50,50]},"splatFiles":["data/3dgs/0.spz","data/3dgs/1.ply"],
"child":{"0":{"data":{"3dgs":{"name":0,"start":0,"count":%[3]d}},"child":{"0":{"data":{"3dgs":{"name":1,"start":0,"count":%[2]d}}}}}}}}`,
		len(cloud)+len(cloud)/2, len(cloud), len(cloud)/2)
	return capture{"lcc2-tiles", folder.Memory{
		"room.lcc2": []byte(manifest), "data/3dgs/0.spz": spzFile(3, cloud[:len(cloud)/2]), "data/3dgs/1.ply": trainedPLY(cloud),
	}, "room.lcc2", true}
}

// unzip returns the files of a zip.
func unzip(content []byte) (folder.Memory, error) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, err
	}
	files := folder.Memory{}
	for _, entry := range archive.File {
		r, err := entry.Open()
		if err != nil {
			return nil, err
		}
		if files[path.Clean(entry.Name)], err = io.ReadAll(r); err != nil {
			return nil, err
		}
	}
	return files, nil
}
