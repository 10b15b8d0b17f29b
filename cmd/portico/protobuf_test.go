package main

import (
	"encoding/binary"
	"testing"
)

// fields are the values of a message of Protocol Buffers, by their numbers: the bytes of a
// text or a message, or of a number of fixed size. Numbers of variable size are left out.
type fields map[uint64][][]byte

// first returns the first value of a field, or nil.
func (f fields) first(number uint64) []byte {
	if len(f[number]) == 0 {
		return nil
	}
	return f[number][0]
}

// parseFields reads a message by the encoding alone
// (https://protobuf.dev/programming-guides/encoding), so that the test needs no generated
// code for the few fields of OTLP that it looks at.
func parseFields(t *testing.T, message []byte) fields {
	t.Helper()
	found := fields{}
	varint := func() uint64 {
		value, size := binary.Uvarint(message)
		if size <= 0 {
			t.Fatalf("message: want a number at %x", message)
		}
		message = message[size:]
		return value
	}
	for len(message) > 0 {
		tag, size := varint(), uint64(0)
		switch tag & 7 {
		case 0:
			varint()
			continue
		case 1:
			size = 8
		case 2:
			size = varint()
		case 5:
			size = 4
		default:
			t.Fatalf("message: got wire type %d, want 0, 1, 2 or 5", tag&7)
		}
		if size > uint64(len(message)) {
			t.Fatalf("message: got %d bytes of %d", len(message), size)
		}
		found[tag>>3] = append(found[tag>>3], message[:size])
		message = message[size:]
	}
	return found
}
