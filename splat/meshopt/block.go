package meshopt

// The sizes of blocks and groups, in elements (appendix A of KHR_meshopt_compression, "Mode 0:
// attributes").
const (
	blockBytes    = 8192 // of decoded data, at most
	maxElements   = 256  // of a block
	groupElements = 16
	maxGroups     = maxElements / groupElements
)

// blockElements returns the number of elements of each block except the last.
func blockElements(stride int) int {
	return min(blockBytes/stride&^(groupElements-1), maxElements)
}

// The control modes of a plane in version 1. A smaller control is the index of a row of groupBits.
const (
	controlZero    = 2
	controlLiteral = 3
)

// groupBits are the bits of a delta by the header of its group. The rows are the first two
// control modes of version 1, and version 0.
var groupBits = [3][4]int{{0, 1, 2, 4}, {1, 2, 4, 8}, {0, 2, 4, 8}}

// version0 is the row of groupBits for version 0.
const version0 = 2

// decodeBlock decodes the deltas of n elements into planes: one plane for each byte of an
// element. It returns the size of the compressed block, and false if there are too few encoded
// bytes.
//
// The layout of a block (appendix A):
//
//	stride/4 bytes  only in version 1: the control modes of the planes, 2 bits each, the first
//	                plane in the lowest bits of the first byte
//	planes          one for each byte of an element, in this order
//
// and of a plane of n elements:
//
//	controlZero     nothing: all deltas are zero
//	controlLiteral  n bytes: the deltas
//	otherwise       a header of 2 bits for each group, in whole bytes, then the groups
func (s *stream) decodeBlock(encoded []byte, n int) (used int, ok bool) {
	rest := encoded
	var controls []byte
	if s.version1 {
		if len(rest) < s.stride/4 {
			return 0, false
		}
		controls, rest = rest[:s.stride/4], rest[s.stride/4:]
	}
	for k := range s.stride {
		plane := s.planes[k*maxElements:][:maxElements]
		row := version0
		if s.version1 {
			row = int(controls[k/4] >> (k % 4 * 2) & 3)
		}
		switch {
		case s.version1 && row == controlZero:
			clear(plane)
		case s.version1 && row == controlLiteral:
			if len(rest) < n {
				return 0, false
			}
			copy(plane, rest[:n])
			rest = rest[n:]
		default:
			// A row of groupBits: version 0, or one of the two other control modes.
			if rest, ok = decodePlane(plane, rest, n, &groupBits[row]); !ok {
				return 0, false
			}
		}
	}
	return len(encoded) - len(rest), true
}

// decodePlane decodes one byte of each of n elements, and returns the remaining encoded bytes. It
// may set up to 15 bytes of the plane after the n elements, because groups are whole.
func decodePlane(plane, encoded []byte, n int, bits *[4]int) (rest []byte, ok bool) {
	groups := (n + groupElements - 1) / groupElements
	headers := (groups + 3) / 4
	if len(encoded) < headers {
		return nil, false
	}
	rest = encoded[headers:]
	for g := range groups {
		header := encoded[g/4] >> (g % 4 * 2) & 3
		group := plane[g*groupElements:][:groupElements]
		if rest, ok = decodeGroup(group, rest, bits[header]); !ok {
			return nil, false
		}
	}
	return rest, true
}

// decodeGroup decodes the deltas of a group, all with the same number of bits. A delta whose
// bits are all ones is an escape: its value is a whole byte. These bytes follow the group in
// the order of the deltas.
func decodeGroup(group, encoded []byte, bits int) (rest []byte, ok bool) {
	size := groupElements * bits / 8
	if len(encoded) < size {
		return nil, false
	}
	rest = encoded[size:]
	switch bits {
	case 0:
		clear(group)
		return rest, true
	case 8:
		copy(group, encoded)
		return rest, true
	}
	sentinel, perByte := byte(1)<<bits-1, 8/bits
	for i := range group {
		// Deltas of one bit start at the lowest bit of a byte, all others at the highest.
		shift := i % perByte * bits
		if bits > 1 {
			shift = 8 - bits - shift
		}
		group[i] = encoded[i/perByte] >> shift & sentinel
		if group[i] != sentinel {
			continue
		}
		if len(rest) == 0 {
			return nil, false
		}
		group[i], rest = rest[0], rest[1:]
	}
	return rest, true
}
