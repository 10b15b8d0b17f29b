package space_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"image"
	"io"
	"math"
	"slices"
	"testing"

	"golang.org/x/image/webp"

	"portico/splat/folder"
	"portico/splat/splattest"
	"portico/splat/vp8l"
)

// oldSPZ returns an SPZ file of version 2, which most exporters wrote before 2025: the
// rotation has three bytes, and its fourth component follows from the length of 1
// (nianticlabs/spz, load-spz.cc). SPZ has y up and z to the back.
func oldSPZ(t *testing.T, cloud []splattest.LCCSplat) []byte {
	t.Helper()
	const fractionBits = 12
	var positions, opacities, colours, scales, rotations []byte
	for _, s := range cloud {
		w := math.Copysign(1, s.Rotation[3])
		for k, sign := range []float64{1, -1, -1} {
			fixed := int32(math.Round(sign * float64(s.Position[k]) * (1 << fractionBits)))
			positions = append(positions, byte(fixed), byte(fixed>>8), byte(fixed>>16))
			colours = append(colours, toByte(255*(0.15*(float64(s.Colour[k])/255-0.5)/harmonic+0.5)))
			scales = append(scales, toByte(16*(math.Log(s.Scale[k])+10)))
			rotations = append(rotations, toByte(127.5*(w*sign*s.Rotation[k]+1)))
		}
		opacities = append(opacities, s.Opacity)
	}
	header := binary.LittleEndian.AppendUint32([]byte("NGSP"), 2)
	header = binary.LittleEndian.AppendUint32(header, uint32(len(cloud)))
	header = append(header, 0, fractionBits, 0, 0) // no harmonics, no flags
	var b bytes.Buffer
	packer := gzip.NewWriter(&b)
	_, err := packer.Write(slices.Concat(header, positions, opacities, colours, scales, rotations))
	check(t, err)
	check(t, packer.Close())
	return b.Bytes()
}

// toByte rounds a number to the nearest byte.
func toByte(v float64) byte { return byte(max(0, min(math.Round(v), 255))) }

// manifest is the part of a meta.json that differs between the versions of SOG.
type manifest struct {
	Count  int       `json:"count"`
	Means  oldValues `json:"means"`
	Scales oldValues `json:"scales"`
	Quats  oldValues `json:"quats"`
	SH0    oldValues `json:"sh0"`
}

// oldValues describe the images of a property in both versions.
type oldValues struct {
	Shape    []int     `json:"shape"`
	Type     string    `json:"dtype"`
	Mins     []float64 `json:"mins,omitempty"`
	Maxs     []float64 `json:"maxs,omitempty"`
	Encoding string    `json:"encoding,omitempty"`
	Codebook []float64 `json:"codebook,omitempty"`
	Files    []string  `json:"files"`
}

// oldSOG returns the files of a SOG of version 1 with the Gaussians of a bundle of version 2,
// which must not have harmonics. Its bytes are linear between two numbers for each channel
// instead of indices into a codebook, and its opacities are logits (playcanvas/engine,
// src/framework/parsers/sogs.js). The manifest has no version.
func oldSOG(t *testing.T, bundle []byte) folder.Memory {
	t.Helper()
	files := unzip(t, bundle)
	var m manifest
	check(t, json.Unmarshal(files["meta.json"], &m))
	m.Means.Shape, m.Means.Type = []int{m.Count, 3}, "float32"
	m.Quats.Shape, m.Quats.Type, m.Quats.Encoding = []int{m.Count, 4}, "uint8", "quaternion_packed"
	scale := func(b byte) float64 { return m.Scales.Codebook[b] }
	colour := func(b byte) float64 { return m.SH0.Codebook[b] }
	logit := func(b byte) float64 {
		opacity := min(max(float64(b)/255, 1e-3), 1-1e-3)
		return math.Log(opacity / (1 - opacity))
	}
	m.Scales = m.Scales.linear(t, files, m.Count, scale, scale, scale)
	m.SH0 = m.SH0.linear(t, files, m.Count, colour, colour, colour, logit)
	old, err := json.Marshal(struct {
		Means  oldValues `json:"means"`
		Scales oldValues `json:"scales"`
		Quats  oldValues `json:"quats"`
		SH0    oldValues `json:"sh0"`
	}{m.Means, m.Scales, m.Quats, m.SH0})
	check(t, err)
	files["meta.json"] = old
	return files
}

// linear writes the image of a property again, with bytes that are linear between the minimum
// and the maximum of each channel. Decode has the value of a byte in each channel.
func (v oldValues) linear(t *testing.T, files folder.Memory, count int, decode ...func(byte) float64) oldValues {
	t.Helper()
	decoded, err := webp.Decode(bytes.NewReader(files[v.Files[0]]))
	check(t, err)
	picture, ok := decoded.(*image.NRGBA)
	if !ok {
		t.Fatalf("%s: got %T, want *image.NRGBA", v.Files[0], decoded)
	}
	linear := oldValues{Shape: []int{count, len(decode)}, Type: "float32", Files: v.Files}
	for channel, decode := range decode {
		low, high := math.Inf(1), math.Inf(-1)
		for i := range count {
			value := decode(picture.Pix[4*i+channel])
			low, high = min(low, value), max(high, value)
		}
		for i := range count {
			pixel := &picture.Pix[4*i+channel]
			*pixel = toByte(255 * (decode(*pixel) - low) / (high - low))
		}
		linear.Mins, linear.Maxs = append(linear.Mins, low), append(linear.Maxs, high)
	}
	var b bytes.Buffer
	check(t, vp8l.Encode(&b, picture.Pix, picture.Rect.Dx(), picture.Rect.Dy()))
	files[v.Files[0]] = b.Bytes()
	return linear
}

// unzip returns the files of a zip.
func unzip(t *testing.T, content []byte) folder.Memory {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	check(t, err)
	files := folder.Memory{}
	for _, entry := range archive.File {
		reader, err := entry.Open()
		check(t, err)
		files[entry.Name], err = io.ReadAll(reader)
		check(t, err)
		check(t, reader.Close())
	}
	return files
}
