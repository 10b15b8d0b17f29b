package input

import (
	"encoding/binary"
	"testing"
	"unicode/utf16"
)

// utf16Of encodes text, with or without a byte order mark.
func utf16Of(order binary.AppendByteOrder, text string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

func TestDecodeTolerantJSON(t *testing.T) {
	t.Parallel()
	const want = `an ä, "quoted" ,] and 😀`
	const text = `{"text":"an ä, \"quoted\" ,] and 😀"}`
	for name, data := range map[string]string{
		"strict JSON":             text,
		"a byte order mark":       "\ufeff" + text,
		"UTF-16LE with a mark":    utf16Of(binary.LittleEndian, "\ufeff"+text),
		"UTF-16BE with a mark":    utf16Of(binary.BigEndian, "\ufeff"+text),
		"UTF-16LE without a mark": utf16Of(binary.LittleEndian, text),
		"UTF-16BE without a mark": utf16Of(binary.BigEndian, text),
		"trailing commas":         `{"list":[1,[2,],{"a":1 , }, ]` + "\n,\t" + text[1:len(text)-1] + ",\r\n}",
		"both":                    utf16Of(binary.LittleEndian, "\ufeff"+text[:len(text)-1]+",}"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got struct{ Text string }
			if err := DecodeTolerantJSON([]byte(data), &got); err != nil || got.Text != want {
				t.Errorf("got %q, %v, want %q", got.Text, err, want)
			}
		})
	}
}

func TestDecodeTolerantJSON_refuses(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", "{", "{,}x", `{"a":1,,}`, "[1 2]", "\xff\xfe", "\xff\xfe{", "{\x00", "\x00", `{"a":"\`, `"\`} {
		var v any
		if err := DecodeTolerantJSON([]byte(data), &v); err == nil {
			t.Errorf("DecodeTolerantJSON(%q): got %v, want an error", data, v)
		}
	}
}

func TestWithoutTrailingCommas_keeps_the_original(t *testing.T) {
	t.Parallel()
	data := []byte("[1,]")
	if got, want := string(withoutTrailingCommas(data)), "[1 ]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := string(data), "[1,]"; got != want {
		t.Errorf("original: got %q, want %q", got, want)
	}
}
