package ply

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"portico/splat/folder"
	"portico/splat/input"
)

// Limits of a header. Real ones have at most a few kilobytes and a hundred
// properties. Without a limit, a file of gigabytes without a line end would be read
// into memory, and finding properties by name would take quadratic time.
const (
	maxHeader     = 128 << 10 // bytes
	maxElements   = 64
	maxProperties = 1024 // of one element
)

// Encoding is the representation of the values in a file.
type Encoding string

// The three encodings of PLY.
const (
	Text         Encoding = "ascii"
	LittleEndian Encoding = "binary_little_endian"
	BigEndian    Encoding = "binary_big_endian"
)

// header is the text before the data (Turk, "File Structure").
//
// A header has one statement in each line:
//
//	ply
//	format binary_little_endian 1.0
//	comment …
//	element vertex 1000
//	property float x
//	property list uchar int vertex_indices
//	end_header
//
// The properties after an element are its columns.
type header struct {
	encoding Encoding
	// elements are in the order of the data.
	elements []element
	size     int64 // bytes, including the last line
	model    Model // from the comments
	// up is the direction that the comments declare as up, a unit vector; nil for none.
	up *[3]float64
	// normalised reports whether the comments name a trainer that scales captures to a unit cube.
	normalised bool
}

// element is a table of the file. Its rows follow the rows of the previous element.
type element struct {
	name       string
	count      int64
	properties []property
}

// property is a column of an element.
type property struct {
	name   string
	scalar scalar
	// stored is the type in the file. parseRows changes scalar.
	stored scalar
	// length is the type of the number before each list, and zero for a property
	// that is not a list. Each row has a list of its own length (Turk, "Property
	// Lists").
	length scalar
}

// element returns the element with the name, or nil. Names are unique.
func (h *header) element(name string) *element {
	for i := range h.elements {
		if h.elements[i].name == name {
			return &h.elements[i]
		}
	}
	return nil
}

// stride returns the size of a row in a binary file and reports whether all rows have
// it. Rows with lists are at least as large, because a list has at least its length.
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

// readHeader reads and parses the header of a file, at most maxHeader bytes. Lines end
// with LF or CRLF; binary data starts right after the last LF.
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
		// Not bufio.Scanner: the offset of the data is the end of this line, to the byte.
		length := bytes.IndexByte(text[at:], '\n')
		if length < 0 {
			return nil, unterminatedError(text, name, file.Size())
		}
		line := strings.TrimSuffix(string(text[at:at+length]), "\r")
		first := at == 0
		at += length + 1
		if first {
			if strings.TrimSpace(line) != "ply" {
				return nil, input.Errorf(name, "is not a PLY file")
			}
			continue
		}
		done, err := h.parseLine(line)
		if err != nil {
			return nil, input.Damaged(name, "its PLY header is not valid: %s", err)
		}
		if done {
			h.size = int64(at)
			return h, h.check(name)
		}
	}
}

// unterminatedError returns the error about a file whose header does not end.
func unterminatedError(text []byte, name string, size int64) error {
	switch {
	case !bytes.HasPrefix(text, []byte("ply\n")) && !bytes.HasPrefix(text, []byte("ply\r\n")):
		return input.Errorf(name, "is not a PLY file")
	case size > maxHeader:
		return input.Errorf(name, "has a PLY header of more than %d bytes", maxHeader).Advise("Export it without comments")
	default:
		return input.CutOff(name, "it ends within its PLY header")
	}
}

// parseLine parses one line after the first and reports whether it was the last.
func (h *header) parseLine(line string) (done bool, err error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return false, nil
	}
	// An unknown keyword is an error, not ignored: it may declare data, and all offsets
	// after it would be wrong.
	switch words[0] {
	case "end_header":
		return true, nil
	case "comment":
		h.readComment(words[1:])
		return false, nil
	case "obj_info": // free text
		return false, nil
	case "format":
		return false, h.parseFormat(words[1:])
	case "element":
		return false, h.addElement(words[1:])
	case "property":
		return false, h.addProperty(words[1:])
	default:
		return false, fmt.Errorf("the line %s has an unknown keyword", input.Quote(line))
	}
}

// parseFormat parses the words after "format": the encoding and the version, of which only 1.0
// exists (Turk, "File Structure").
func (h *header) parseFormat(words []string) error {
	if len(words) != 2 || words[1] != "1.0" {
		return fmt.Errorf("the format must be an encoding and 1.0, not %s", input.Quote(strings.Join(words, " ")))
	}
	switch e := Encoding(words[0]); e {
	case Text, LittleEndian, BigEndian:
		h.encoding = e
		return nil
	default:
		return fmt.Errorf("the encoding %s is unknown", input.Quote(words[0]))
	}
}

// addElement parses a name and a count. The properties that follow belong to it.
func (h *header) addElement(words []string) error {
	if len(words) != 2 {
		return errors.New("an element needs a name and a count")
	}
	// 63 bits, so that the count also fits into an int64.
	count, err := strconv.ParseUint(words[1], 10, 63)
	switch {
	case err != nil:
		return fmt.Errorf("element %s has the count %s", input.Quote(words[0]), input.Quote(words[1]))
	case len(h.elements) == maxElements:
		return fmt.Errorf("there are more than %d elements", maxElements)
	case h.element(words[0]) != nil:
		return fmt.Errorf("two elements are called %s", input.Quote(words[0]))
	}
	h.elements = append(h.elements, element{name: words[0], count: int64(count)})
	return nil
}

// addProperty parses a type and a name, or the two types and the name of a list.
func (h *header) addProperty(words []string) error {
	if len(h.elements) == 0 {
		return errors.New("a property precedes the first element")
	}
	e := &h.elements[len(h.elements)-1]
	p := property{}
	if len(words) > 0 && words[0] == "list" {
		var ok bool
		words = words[1:]
		if len(words) > 0 {
			p.length, ok = scalarOf(words[0])
		}
		// A length must be an integer (Turk, "Property Lists").
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
	p.name, p.stored = words[1], p.scalar
	return e.add(p)
}

// add appends a property. It refuses a second one of the same name, because readers
// disagree about which of the two counts.
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

// check applies the rules for the header as a whole. Rows have numbers of 32 bits
// (gaussian.Source), so no element may have more of them.
func (h *header) check(name string) error {
	if h.encoding == "" {
		return input.Damaged(name, "its PLY header has no format line")
	}
	for _, e := range h.elements {
		if e.count > math.MaxUint32 {
			return input.Errorf(name, "is too large: it claims %d rows of element %s, at most %d can be read", e.count, input.Quote(e.name), uint32(math.MaxUint32))
		}
	}
	// gsplat writes an element sh without properties for degree 0. Such rows have no data, so they
	// are not there, but vertices and faces without data are a fault.
	h.elements = slices.DeleteFunc(h.elements, func(e element) bool {
		return len(e.properties) == 0 && e.name != "vertex" && e.name != "face"
	})
	for _, e := range h.elements {
		if len(e.properties) == 0 && e.count > 0 {
			return input.Damaged(name, "element %s of its PLY header has no properties", input.Quote(e.name))
		}
	}
	return nil
}
