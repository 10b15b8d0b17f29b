package ply

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"portico/splat/folder"
	"portico/splat/input"
)

// Bounds of a header. Real ones have at most a few kilobytes and a hundred
// properties.
const (
	maxHeader     = 128 << 10 // bytes
	maxElements   = 64
	maxProperties = 1024 // of one element
)

// Encoding is how a file holds its values.
type Encoding string

// The three encodings of PLY.
const (
	Text         Encoding = "ascii"
	LittleEndian Encoding = "binary_little_endian"
	BigEndian    Encoding = "binary_big_endian"
)

// header is what stands before the data: text, whatever the encoding of the data.
type header struct {
	encoding Encoding
	// elements stand in the order in which the data has them.
	elements []element
	size     int64 // bytes, its last line included
}

// element is a table of the file. Its rows follow those of the element before it.
type element struct {
	name       string
	count      int64
	properties []property
}

// property is a column of an element.
type property struct {
	name   string
	scalar scalar
	// length is the type of the number before each list; none for single
	// values.
	length scalar
}

// element returns the element of a name, or nil. Names are unique.
func (h *header) element(name string) *element {
	for i := range h.elements {
		if h.elements[i].name == name {
			return &h.elements[i]
		}
	}
	return nil
}

// stride returns how many bytes a row takes in a binary file, and whether all take
// the same. Rows with lists take at least that.
func (e *element) stride() (size int64, fixed bool) {
	fixed = true
	for _, p := range e.properties {
		if p.length != 0 {
			size += p.length.size()
			fixed = false
		} else {
			size += p.scalar.size()
		}
	}
	return size, fixed
}

// readHeader reads and parses the header of a file. It takes in at most maxHeader
// bytes, whatever the file is. Lines end with LF or CRLF: binary data begins right
// behind the LF of the last.
func readHeader(file folder.File, name string) (*header, error) {
	text := make([]byte, min(file.Size(), maxHeader))
	if n, err := file.ReadAt(text, 0); n < len(text) {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("read PLY header: %w", err)
	}
	h := &header{}
	for at := 0; ; {
		length := bytes.IndexByte(text[at:], '\n')
		if length < 0 {
			return nil, endless(text, name, file.Size())
		}
		line := strings.TrimSuffix(string(text[at:at+length]), "\r")
		first := at == 0
		at += length + 1
		if first {
			if strings.TrimSpace(line) != "ply" {
				return nil, input.Errorf(name, "is no PLY file")
			}
			continue
		}
		done, err := h.line(line)
		if err != nil {
			return nil, input.Errorf(name, "has a damaged PLY header: %s", err)
		}
		if done {
			h.size = int64(at)
			return h, h.check(name)
		}
	}
}

// endless words what is wrong with a file whose header does not end.
func endless(text []byte, name string, size int64) error {
	switch {
	case !bytes.HasPrefix(text, []byte("ply\n")) && !bytes.HasPrefix(text, []byte("ply\r\n")):
		return input.Errorf(name, "is no PLY file")
	case size > maxHeader:
		return input.Errorf(name, "has a PLY header of more than %d bytes", maxHeader)
	default:
		return input.Errorf(name, "is cut off within its PLY header")
	}
}

// line takes in one line after the first and tells whether it was the last.
func (h *header) line(line string) (done bool, err error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return false, nil
	}
	switch words[0] {
	case "end_header":
		return true, nil
	case "comment", "obj_info":
		return false, nil
	case "format":
		return false, h.format(words[1:])
	case "element":
		return false, h.addElement(words[1:])
	case "property":
		return false, h.addProperty(words[1:])
	default:
		return false, fmt.Errorf("the line %s is of no known kind", input.Quote(line))
	}
}

// format takes in the encoding and the version.
func (h *header) format(words []string) error {
	if len(words) != 2 || words[1] != "1.0" {
		return fmt.Errorf("its format must be an encoding and 1.0, not %s", input.Quote(strings.Join(words, " ")))
	}
	switch e := Encoding(words[0]); e {
	case Text, LittleEndian, BigEndian:
		h.encoding = e
		return nil
	default:
		return fmt.Errorf("the encoding %s is not known", input.Quote(words[0]))
	}
}

// addElement takes in a name and a count. Properties that follow are its own.
func (h *header) addElement(words []string) error {
	if len(words) != 2 {
		return errors.New("an element needs a name and a count")
	}
	count, err := strconv.ParseUint(words[1], 10, 63)
	switch {
	case err != nil:
		return fmt.Errorf("element %s has %s as its count", input.Quote(words[0]), input.Quote(words[1]))
	case len(h.elements) == maxElements:
		return fmt.Errorf("it has more than %d elements", maxElements)
	case h.element(words[0]) != nil:
		return fmt.Errorf("it has two elements %s", input.Quote(words[0]))
	}
	h.elements = append(h.elements, element{name: words[0], count: int64(count)})
	return nil
}

// addProperty takes in a type and a name, or a list's two types and its name.
func (h *header) addProperty(words []string) error {
	if len(h.elements) == 0 {
		return errors.New("a property stands before the first element")
	}
	e := &h.elements[len(h.elements)-1]
	p := property{}
	if len(words) > 0 && words[0] == "list" {
		var ok bool
		words = words[1:]
		if len(words) > 0 {
			p.length, ok = scalarOf(words[0])
		}
		if !ok || p.length == float32Scalar || p.length == float64Scalar {
			return errors.New("a list property needs the type of its length")
		}
		words = words[1:]
	}
	if len(words) != 2 {
		return fmt.Errorf("a property of element %s needs a type and a name", input.Quote(e.name))
	}
	var ok bool
	if p.scalar, ok = scalarOf(words[0]); !ok {
		return fmt.Errorf("property %s has the unknown type %s", input.Quote(words[1]), input.Quote(words[0]))
	}
	p.name = words[1]
	return e.add(p)
}

// add appends a property. Names are unique within an element: of two, readers would
// take different ones.
func (e *element) add(p property) error {
	if len(e.properties) == maxProperties {
		return fmt.Errorf("element %s has more than %d properties", input.Quote(e.name), maxProperties)
	}
	for _, other := range e.properties {
		if other.name == p.name {
			return fmt.Errorf("element %s has two properties %s", input.Quote(e.name), input.Quote(p.name))
		}
	}
	e.properties = append(e.properties, p)
	return nil
}

// check applies the rules that need the whole header. The rows are counted with
// numbers of 32 bits everywhere, so no element may have more of them.
func (h *header) check(name string) error {
	if h.encoding == "" {
		return input.Errorf(name, "has a damaged PLY header: it has no format line")
	}
	for _, e := range h.elements {
		if e.count > math.MaxUint32 {
			return input.Errorf(name, "claims %d rows of element %s; at most %d can be read", e.count, input.Quote(e.name), uint32(math.MaxUint32))
		}
		if len(e.properties) == 0 && e.count > 0 {
			return input.Errorf(name, "has a damaged PLY header: element %s has no properties", input.Quote(e.name))
		}
	}
	return nil
}
