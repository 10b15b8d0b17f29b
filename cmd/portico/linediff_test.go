package main

import (
	"strings"
	"testing"
)

func TestLineDiff(t *testing.T) {
	t.Parallel()
	lines := func(from, to int, changed string) string {
		var b strings.Builder
		for i := from; i <= to; i++ {
			b.WriteString(strings.Repeat("x", i) + "\n")
		}
		return b.String() + changed
	}
	for _, test := range []struct{ name, before, after, want string }{
		{"nothing", "a\n", "a\n", ""},
		{"a new text", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"a removed text", "a\n", "", "@@ -1,1 +0,0 @@\n-a\n"},
		{"a line", "a\nb\nc\n", "a\nx\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		{"far apart", lines(1, 12, ""), "0\n" + lines(1, 12, "end\n"), "@@ -1,3 +1,4 @@\n+0\n" +
			" x\n xx\n xxx\n@@ -10,3 +11,4 @@\n xxxxxxxxxx\n xxxxxxxxxxx\n xxxxxxxxxxxx\n+end\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := lineDiff(test.before, test.after); got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
		})
	}
}
