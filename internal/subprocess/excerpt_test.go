package subprocess

import (
	"strings"
	"testing"
)

func TestExcerpt_keeps_the_start_and_the_end(t *testing.T) {
	t.Parallel()
	all := strings.Repeat("a", excerptHalf) + strings.Repeat("b", 5000) + strings.Repeat("c", excerptHalf)
	short := all[:excerptHalf+100]
	for _, size := range []int{1, 100, excerptHalf, len(all)} {
		for text, want := range map[string]string{
			all:   strings.Repeat("a", excerptHalf) + "\n[...]\n" + strings.Repeat("c", excerptHalf),
			short: short, "": "", "x\n": "x",
		} {
			var e Excerpt
			for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
				_, _ = e.Write([]byte(rest[:min(size, len(rest))]))
			}
			if got := e.String(); got != want {
				t.Errorf("%d bytes in pieces of %d: got %d bytes, want %d", len(text), size, len(got), len(want))
			}
		}
	}
}
