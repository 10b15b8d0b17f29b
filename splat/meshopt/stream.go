package meshopt

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"portico/splat/folder"
)

// errDamaged is the error of a stream that cannot be decoded.
var errDamaged = errors.New("damaged stream")

const (
	headerSize = 1
	header0    = 0xa0 // version 0
	header1    = 0xa1 // version 1
	// The minimum sizes of the tail: a shorter one is padded.
	minTail0 = 32
	minTail1 = 24
)

// stream is a compressed stream.
//
// Its layout (appendix A):
//
//	0  u8      header: 0xa0 or 0xa1, the version
//	1  blocks  each of blockElements, the last one may have fewer
//	   bytes   padding, if the tail is shorter than its minimum size
//	   tail    the baseline, stride bytes; in version 1 also a byte for each channel
//
// It must not be used concurrently: planes is the memory of a call of decode. View has the lock.
type stream struct {
	data     folder.File
	stride   int
	version1 bool
	end      int64 // of the blocks
	// baseline is the element from which the first element is computed.
	baseline []byte
	// channels contains the channel of each group of four bytes of an element.
	channels []channel
	// planes are the deltas of a block: the first bytes of all elements, then the second bytes,
	// and so on.
	planes []byte
}

// openStream reads the header and the tail.
func openStream(data folder.File, stride int) (*stream, error) {
	s := &stream{data: data, stride: stride, channels: make([]channel, stride/4), planes: make([]byte, stride*maxElements)}
	header := make([]byte, headerSize)
	if data.Size() < headerSize {
		return nil, errDamaged
	}
	if err := folder.ReadFull(data, header, 0); err != nil {
		return nil, err
	}
	// The tail is the baseline, and in version 1 also a byte for each channel. It is at the end of
	// the stream, after the padding (appendix A).
	tail, padded := stride, minTail0
	switch header[0] {
	case header0:
	case header1:
		s.version1 = true
		tail, padded = stride+stride/4, minTail1
	default:
		return nil, errDamaged
	}
	s.end = data.Size() - int64(max(tail, padded))
	if s.end < headerSize {
		return nil, errDamaged
	}
	b := make([]byte, tail)
	if err := folder.ReadFull(data, b, data.Size()-int64(tail)); err != nil {
		return nil, err
	}
	s.baseline = b[:stride]
	for i, mode := range b[stride:] {
		var ok bool
		if s.channels[i], ok = newChannel(mode); !ok {
			return nil, errDamaged
		}
	}
	return s, nil
}

// decode decodes elements from a state on until to is full, and returns the state after them.
func (s *stream) decode(from state, to []byte) (state, error) {
	// The window has room for the longest block, so Peek returns a whole block unless the stream
	// ends.
	window := bufio.NewReaderSize(io.NewSectionReader(s.data, from.at, s.end-from.at), s.maxBlock())
	previous := from.previous
	for len(to) > 0 {
		n := min(blockElements(s.stride), len(to)/s.stride)
		encoded, err := window.Peek(min(s.maxBlock(), int(min(s.end-from.at, int64(s.maxBlock())))))
		if err != nil && !errors.Is(err, io.EOF) {
			return from, fmt.Errorf("read a compressed view: %w", err)
		}
		used, ok := s.decodeBlock(encoded, n)
		if !ok {
			return from, errDamaged
		}
		if _, err := window.Discard(used); err != nil {
			return from, fmt.Errorf("read a compressed view: %w", err)
		}
		from.at += int64(used)
		for i, c := range s.channels {
			c.restore(s.planes[4*i*maxElements:], to[4*i:], previous[4*i:], n, s.stride)
		}
		previous, to = to[(n-1)*s.stride:n*s.stride], to[n*s.stride:]
	}
	from.previous = append([]byte(nil), previous...)
	return from, nil
}

// maxBlock returns the maximum size of a compressed block in bytes.
func (s *stream) maxBlock() int {
	// A group of 4 bits with 16 escapes is the longest.
	const maxGroup = groupElements/2 + groupElements
	return s.stride/4 + s.stride*(maxGroups/4+maxGroups*maxGroup)
}
