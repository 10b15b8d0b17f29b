package vp8l

import (
	"math/bits"
	"testing"
)

func TestPrefix_splits_every_value_so_that_it_can_be_joined(t *testing.T) {
	t.Parallel()
	for value := uint32(1); value <= 1<<20; value++ {
		symbol, count, extra := prefixEncode(value)
		got := uint32(symbol) + 1
		if symbol >= 4 {
			// RFC 9649, section 3.6.2.2.
			got = (2+uint32(symbol)&1)<<((symbol-2)>>1) + extra + 1
		}
		if got != value || symbol >= distanceSymbols || extra>>count != 0 {
			t.Fatalf("value %d: got symbol %d and %d in %d bits, which is %d", value, symbol, extra, count, got)
		}
	}
	if symbol, _, _ := prefixEncode(maxLength); symbol != lengthSymbols-1 {
		t.Errorf("the maximum length: got symbol %d, want the last, %d", symbol, lengthSymbols-1)
	}
}

func TestPlaneTable_returns_codes_that_decode_to_the_distance(t *testing.T) {
	t.Parallel()
	for _, width := range []int{1, 2, 3, 7, 8, 9, 14, 15, 16, 17, 100} {
		var p planeTable
		p.set(width)
		for distance := uint32(1); distance < 2000; distance++ {
			code := p.code(distance)
			got := int(code) - planeCodes
			if code <= planeCodes {
				n := planeOffsets[code-1]
				got = max(int(n[0])+int(n[1])*width, 1)
			}
			if got != int(distance) {
				t.Fatalf("width %d, distance %d: got code %d, which is distance %d", width, distance, code, got)
			}
		}
		if got := p.code(uint32(width)); got != 1 {
			t.Errorf("width %d: got code %d for the pixel above, want 1", width, got)
		}
	}
}

func TestCoder_builds_codes(t *testing.T) {
	t.Parallel()
	fibonacci := []uint32{1, 1}
	for len(fibonacci) < 40 {
		fibonacci = append(fibonacci, fibonacci[len(fibonacci)-1]+fibonacci[len(fibonacci)-2])
	}
	equal := make([]uint32, 2328)
	for i := range equal {
		equal[i] = 7
	}
	for _, test := range []struct {
		name   string
		counts []uint32
		limit  int
	}{
		{"of two symbols", []uint32{0, 9, 0, 1}, 15},
		{"of equal counts", equal, 15},
		{"deeper than 15", fibonacci, 15},
		{"deeper than 7", fibonacci[:19], 7},
		{"of equal counts of code lengths", equal[:19], 7},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var c code
			new(coder).build(&c, test.counts, test.limit)
			checkComplete(t, &c, test.limit)
			for s, n := range test.counts {
				if (n != 0) != (c.lengths[s] != 0) {
					t.Errorf("symbol %d occurs %d times: got a code of %d bits", s, n, c.lengths[s])
				}
				for other, m := range test.counts {
					if m > n && n > 0 && c.lengths[other] > c.lengths[s] {
						t.Errorf("symbol %d is more frequent than %d: got %d and %d bits", other, s, c.lengths[other], c.lengths[s])
					}
				}
			}
		})
	}
}

// checkComplete fails the test unless the codes are complete and prefix-free: every
// sequence of bits begins with exactly one of them.
func checkComplete(t *testing.T, c *code, limit int) {
	t.Helper()
	space := make([]bool, 1<<limit)
	for s, l := range c.lengths {
		if int(l) > limit {
			t.Fatalf("symbol %d: got %d bits, want at most %d", s, l, limit)
		}
		if l == 0 {
			continue
		}
		first := int(bits.Reverse16(c.bits[s])) >> (16 - limit)
		for i := first; i < first+1<<(limit-int(l)); i++ {
			if space[i] {
				t.Fatalf("symbol %d: its bits begin like those of another", s)
			}
			space[i] = true
		}
	}
	for i, taken := range space {
		if !taken {
			t.Fatalf("bits %0*b: got no symbol", limit, i)
		}
	}
}

func TestBitWriter_writes_low_bits_first(t *testing.T) {
	t.Parallel()
	var b bitWriter
	b.write(0b101, 3)
	b.write(0xffffffff, 32)
	b.write(0, 0)
	b.writeFlag(false)
	b.writeFlag(true)
	got, want := string(b.close()), "\xfd\xff\xff\xff\x17"
	if got != want {
		t.Errorf("got % x, want % x", got, want)
	}
}
