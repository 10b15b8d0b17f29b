package input

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"unicode/utf16"
)

// DecodeJSON parses JSON that viewers will parse too, so it forgives only what
// they do: a byte order mark.
func DecodeJSON(data []byte, v any) error {
	return json.Unmarshal(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), v)
}

// DecodeTolerantJSON parses the JSON of XGRIDS exporters, some of which write
// trailing commas or UTF-16. What is not JSON even so is the error of the second
// try, whose offsets are those of the text in UTF-8.
func DecodeTolerantJSON(data []byte, v any) error {
	data = toUTF8(data)
	if err := DecodeJSON(data, v); err == nil {
		return nil
	}
	return DecodeJSON(withoutTrailingCommas(data), v)
}

// toUTF8 converts UTF-16 that begins with a byte order mark; without one, the
// first character of JSON, which is ASCII, gives the byte order away.
func toUTF8(data []byte) []byte {
	var order binary.ByteOrder
	switch {
	case len(data) < 2:
		return data
	case data[0] == 0xff && data[1] == 0xfe:
		order, data = binary.LittleEndian, data[2:]
	case data[0] == 0xfe && data[1] == 0xff:
		order, data = binary.BigEndian, data[2:]
	case data[0] != 0 && data[1] == 0:
		order = binary.LittleEndian
	case data[0] == 0 && data[1] != 0:
		order = binary.BigEndian
	default:
		return data
	}
	units := make([]uint16, len(data)/2) // an odd byte at the end is left out
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// withoutTrailingCommas returns a copy in which every comma before a closing
// bracket is a space. Text in strings stays as it is.
func withoutTrailingCommas(data []byte) []byte {
	out := bytes.Clone(data)
	inString, comma := false, -1
	for i := 0; i < len(out); i++ {
		c := out[i]
		switch {
		case inString && c == '\\':
			i++ // whatever it escapes cannot end the string
		case c == '"':
			inString, comma = !inString, -1
		case inString || c == ' ' || c == '\t' || c == '\n' || c == '\r':
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			out[comma], comma = ' ', -1
		default:
			comma = -1
		}
	}
	return out
}
