package archive

import (
	"strings"
	"testing"
)

func TestCleanName_accepts_paths_inside_the_archive(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 255)
	for _, test := range []struct{ raw, want string }{
		{"scene.lcc2", "scene.lcc2"},
		{"data/3dgs/0.sog", "data/3dgs/0.sog"},
		{`data\3dgs\0.sog`, "data/3dgs/0.sog"},
		{"./data//0.sog", "data/0.sog"},
		{"data/./", "data"},
		{".", ""},
		{"...", "..."},
		{"a..b/..c", "a..b/..c"},
		{"10:30.ply", "10:30.ply"},
		{"扫描 é.ply", "扫描 é.ply"},
		{long, long},
	} {
		got, err := cleanName(test.raw)
		if err != nil || got != test.want {
			t.Errorf("cleanName(%q): got %q, %v, want %q", test.raw, got, err, test.want)
		}
	}
}

func TestCleanName_refuses(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"", "/", "/a", `\a`, "//host/a", "..", "../a", "a/..", "a/../b", `a\..\b`,
		"c:/a", `C:\a`, "z:", "a\x00b", "a\nb", "a\x7f", "a\u0085b", "a\xffb", "\xc0\xae/a",
		strings.Repeat("x", 256), strings.Repeat("x", 256) + "/a",
		strings.Repeat("xx/", 301), strings.Repeat("x/", 64) + "x",
	} {
		if got, err := cleanName(raw); err == nil {
			t.Errorf("cleanName(%q): got %q, want an error", raw, got)
		}
	}
}

func TestIsIgnored_leaves_out_what_macOS_adds(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"__MACOSX/scan/._a.sog": true,
		"scan/__MACOSX/a.sog":   true,
		"scan/._a.sog":          true,
		"scan/.DS_Store":        true,
		"scan/a.sog":            false,
		"scan/.hidden":          false,
		"my__MACOSX/a.sog":      false,
	} {
		if got := isIgnored(name); got != want {
			t.Errorf("isIgnored(%q): got %v, want %v", name, got, want)
		}
	}
}

func TestFold_joins_names_of_one_file(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"A/b.SOG", "a/B.sog"}, {"straſe", "STRASE"}, {"É", "é"}, {"σ", "ς"}} {
		if got, want := foldCase(pair[0]), foldCase(pair[1]); got != want {
			t.Errorf("foldCase(%q): got %q, want %q as of %q", pair[0], got, want, pair[1])
		}
	}
}

func TestWithCommas_groups_three_digits(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{-1: "0", 0: "0", 999: "999", 1000: "1,000", 34359738368: "34,359,738,368"} {
		if got := withCommas(n); got != want {
			t.Errorf("withCommas(%d): got %q, want %q", n, got, want)
		}
	}
}
