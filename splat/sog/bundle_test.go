package sog_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/sog"
)

// zipFiles returns a zip of the files with a compression method and a comment.
func zipFiles(t testing.TB, files folder.Memory, method uint16, comment string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, content := range files {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.SetComment(comment); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestOpenBundle_reads_zips_of_other_tools(t *testing.T) {
	t.Parallel()
	files := smallFolder(t)
	for name, data := range map[string][]byte{
		"stored":   zipFiles(t, files, zip.Store, ""),
		"deflated": zipFiles(t, files, zip.Deflate, ""),
		"comment":  zipFiles(t, files, zip.Store, "PK\x05\x06, says the comment"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compare(t, capture(100, 1, 1), readAll(t, openBundle(t, data), 0))
		})
	}
}

func TestOpen_reads_bundles_as_chunks(t *testing.T) {
	t.Parallel()
	files := folder.Memory{
		"0.sog":         zipFiles(t, smallFolder(t), zip.Store, ""),
		"lod-meta.json": []byte(`{"lodLevels":1,"filenames":["0.sog"],"tree":{"lods":{"0":{"file":0,"offset":0,"count":100}}}}`),
	}
	reader := open(t, files, "lod-meta.json")
	if _, err := reader.Check(t.Context()); err != nil {
		t.Errorf("check: %v", err)
	}
	compare(t, capture(100, 1, 1), readAll(t, reader, 0))
	positions := make([]float32, 300)
	if err := reader.Positions(t.Context(), 0, positions, nil); err != nil {
		t.Errorf("positions: %v", err)
	}
}

func TestWriteBundle_stores_entries_with_their_sizes_before_them(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	result, err := sog.WriteBundle(t.Context(), gaussian.NewMemorySource(nil, capture(100, 1, 1)), &out, sog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if result.Bytes != int64(out.Len()) || result.Files != 1 {
		t.Errorf("result: got %d bytes in %d files, wrote %d in 1", result.Bytes, result.Files, out.Len())
	}
	files, rest := smallFolder(t), out.Bytes()
	for binary.LittleEndian.Uint32(rest) == 0x04034b50 {
		name := string(rest[30 : 30+binary.LittleEndian.Uint16(rest[26:])])
		size := binary.LittleEndian.Uint32(rest[22:])
		if flags, method := rest[6], rest[8]; flags != 0 || method != 0 || binary.LittleEndian.Uint32(rest[18:]) != size {
			t.Errorf("%s: got flags %d, method %d, want a stored entry", name, flags, method)
		}
		content := rest[30+len(name):][:size]
		if !bytes.Equal(content, files[name]) || binary.LittleEndian.Uint32(rest[14:]) != crc32.ChecksumIEEE(content) {
			t.Errorf("%s: differs from WriteFolder", name)
		}
		delete(files, name)
		rest = rest[30+len(name)+int(size):]
	}
	if len(files) != 0 {
		t.Errorf("bundle: lacks %d files", len(files))
	}
}

func TestOpenBundle_refuses(t *testing.T) {
	t.Parallel()
	files := smallFolder(t)
	good := zipFiles(t, files, zip.Store, "")
	// patch changes a byte of the good bundle, whose directory starts at directory.
	directory := int(binary.LittleEndian.Uint32(good[len(good)-6:]))
	patch := func(at int, value byte) []byte {
		data := bytes.Clone(good)
		data[at] = value
		return data
	}
	deflated := zipFiles(t, files, zip.Deflate, "")
	for i := range deflated[:len(deflated)/2] {
		if i > 60 {
			deflated[i] ^= 0xff
		}
	}
	for name, test := range map[string]struct {
		data   []byte
		reason string
	}{
		"nothing":             {nil, `"scene.sog" is not a SOG bundle, or it is damaged`},
		"a short file":        {[]byte("PK\x05\x06"), "is not a SOG bundle"},
		"no zip":              {make([]byte, 100_000), "is not a SOG bundle"},
		"a cut zip":           {good[:len(good)-30], "is not a SOG bundle"},
		"a cut directory":     {append(bytes.Clone(good[:directory+20]), good[len(good)-22:]...), "is not a SOG bundle"},
		"an empty zip":        {zipFiles(t, nil, zip.Store, ""), `"scene.sog/meta.json" is missing`},
		"no manifest":         {zipFiles(t, folder.Memory{"a": nil}, zip.Store, ""), `"scene.sog/meta.json" is missing`},
		"a manifest below":    {zipFiles(t, folder.Memory{"x/meta.json": files["meta.json"]}, zip.Store, ""), "is missing"},
		"an encrypted entry":  {patch(directory+8, 1), "is encrypted"},
		"another method":      {patch(directory+10, 14), "neither stored nor deflated"},
		"other sizes":         {patch(directory+20, good[directory+20]+1), "of impossible size"},
		"a huge directory":    {patch(len(good)-22+15, 1), "has too many files"},
		"a far directory":     {patch(len(good)-22+19, 0x7f), "is not a SOG bundle"},
		"no entry":            {patch(directory, 0), "is not a SOG bundle"},
		"a long name":         {patch(directory+29, 0xff), "is not a SOG bundle"},
		"damaged deflate":     {deflated, ""},
		"no images":           {zipFiles(t, folder.Memory{"meta.json": files["meta.json"]}, zip.Store, ""), `"scene.sog/means_l.webp" is missing`},
		"a missing local one": {patch(0, 0), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reader, err := sog.OpenBundle(t.Context(), bundleFile(t, test.data), "scene.sog")
			if err == nil {
				// The fault may lie in an image's data.
				err = reader.Read(t.Context(), 0, []uint32{0}, &gaussian.Cloud{})
			}
			wantInputError(t, err, test.reason)
		})
	}
}
