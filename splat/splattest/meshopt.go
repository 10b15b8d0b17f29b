package splattest

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// Meshopt returns values of a size as a stream of meshoptimizer, version 1, without
// compression: all differences are literal (KHR_meshopt_compression, appendix A). The size
// is a multiple of four, at most 256.
//
// The stream for values of n bytes, in blocks of up to 256 values:
//
//	1 byte    the header, 0xa1
//	for each block:
//	n/4       control bytes, 2 bits for each byte of a value: 3 is literal
//	          the differences of the first byte of all values, then of the second, and so on
//	at the end:
//	          a tail with the baseline and the modes, which are zero
func Meshopt(values []byte, size int) []byte {
	const header, literal, minTail = 0xa1, 0xff, 24
	stream, perBlock := []byte{header}, min(8192/size&^15, 256)
	previous := make([]byte, size)
	for rest := values; len(rest) > 0; {
		block := rest[:min(perBlock*size, len(rest))]
		for range size / 4 {
			stream = append(stream, literal)
		}
		for k := range size {
			before := previous[k]
			for i := k; i < len(block); i += size {
				difference := block[i] - before
				stream = append(stream, difference<<1^-(difference>>7)) // zigzag
				before = block[i]
			}
		}
		previous, rest = block[len(block)-size:], rest[len(block):]
	}
	// The baseline is 0, and so are the modes of the channels: differences of bytes.
	return append(stream, make([]byte, max(minTail, size+size/4))...)
}

// MeshoptGLB returns a GLB with one accessor for each buffer view. All views are streams of
// Meshopt, and the fallback buffer has no data.
func MeshoptGLB(glb []byte) ([]byte, error) {
	const start, chunkHeader = 12, 8
	length := int(binary.LittleEndian.Uint32(glb[start:]))
	var document map[string]any
	if err := json.Unmarshal(glb[start+chunkHeader:start+chunkHeader+length], &document); err != nil {
		return nil, fmt.Errorf("read a GLB: %w", err)
	}
	data := glb[start+2*chunkHeader+length:]
	var compressed []byte
	accessors := document["accessors"].([]any)
	for i, v := range document["bufferViews"].([]any) {
		view := v.(map[string]any)
		number := func(object map[string]any, key string) int { n, _ := object[key].(float64); return int(n) }
		from, size := number(view, "byteOffset"), number(view, "byteLength")
		count := number(accessors[i].(map[string]any), "count")
		stream := Meshopt(data[from:from+size], size/count)
		view["buffer"] = 1
		view["extensions"] = map[string]any{"KHR_meshopt_compression": map[string]any{
			"buffer": 0, "byteOffset": len(compressed), "byteLength": len(stream), "byteStride": size / count, "count": count, "mode": "ATTRIBUTES",
		}}
		compressed = append(compressed, stream...)
	}
	document["buffers"] = []any{map[string]any{"byteLength": len(compressed)}, document["buffers"].([]any)[0]}
	compressed = append(compressed, make([]byte, (4-len(compressed)%4)%4)...)
	text, err := json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("write a GLB: %w", err)
	}
	for len(text)%4 != 0 {
		text = append(text, ' ')
	}
	le := binary.LittleEndian
	out := le.AppendUint32([]byte("glTF"), 2)
	out = le.AppendUint32(out, uint32(start+2*chunkHeader+len(text)+len(compressed)))
	out = append(le.AppendUint32(out, uint32(len(text))), "JSON"...)
	out = append(le.AppendUint32(append(out, text...), uint32(len(compressed))), "BIN\x00"...)
	return append(out, compressed...), nil
}
