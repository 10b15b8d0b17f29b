package input

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"unicode/utf16"
)

// DecodeJSON parses JSON that viewers also read. Like viewers, it accepts a byte order mark
// before standard JSON.
func DecodeJSON(data []byte, v any) error {
	return json.Unmarshal(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), v)
}

// DecodeTolerantJSON parses the JSON of XGRIDS exporters, some of which write trailing
// commas or UTF-16. The offset in its error counts bytes of the text in UTF-8.
func DecodeTolerantJSON(data []byte, v any) error {
	data = toUTF8(data)
	if err := DecodeJSON(data, v); err == nil {
		return nil
	}
	return DecodeJSON(withoutTrailingCommas(data), v)
}

// toUTF8 converts UTF-16 to UTF-8. Without a byte order mark it detects the byte order
// from the first character, which is ASCII in JSON (RFC 4627, section 3).
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
	units := make([]uint16, len(data)/2) // without an odd byte at the end
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// withoutTrailingCommas returns a copy in which a space replaces every comma before a closing
// bracket. It does not change strings.
func withoutTrailingCommas(data []byte) []byte {
	out := bytes.Clone(data)
	inString, comma := false, -1
	for i := 0; i < len(out); i++ {
		c := out[i]
		switch {
		case inString && c == '\\':
			i++ // an escaped character cannot end the string
		// Reached only for an unescaped quote: an escaped one was skipped above.
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
