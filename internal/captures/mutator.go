package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"portico/splat/folder"
)

// mutator breaks captures at random.
type mutator struct {
	*rand.Rand
	// did says what was done, in words.
	did []string
}

// newMutator returns the one of a run: the same numbers break the same places.
func newMutator(seed, run uint64) *mutator {
	return &mutator{Rand: rand.New(rand.NewPCG(seed, run))} //nolint:gosec // numbers that a seed gives again
}

// note remembers what was done.
func (m *mutator) note(format string, values ...any) {
	m.did = append(m.did, fmt.Sprintf(format, values...))
}

// mutate returns the files of a capture, broken in one place or, now and then, up
// to three: most of what is broken in many is refused for the first of them. The
// capture is left as it is.
func (m *mutator) mutate(c capture) folder.Memory {
	files := maps.Clone(c.files)
	for range 1 + m.IntN(3)*m.IntN(2) {
		if files[lccIndex] != nil && m.IntN(8) == 0 {
			m.amplify(files, c.primary)
			continue
		}
		if len(files) > 1 && m.IntN(6) == 0 {
			m.mixUp(files, c.primary)
			continue
		}
		name := m.pick(files, c.primary)
		m.note("%s:", name)
		files[name] = m.change(name, files[name])
	}
	return files
}

// pick returns the name of a file: more often of one that says what is in the
// others.
func (m *mutator) pick(files folder.Memory, primary string) string {
	if _, ok := files[primary]; ok && m.IntN(5) == 0 {
		return primary
	}
	names := slices.Sorted(maps.Keys(files))
	telling := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return path.Ext(name) != ".json" && path.Base(name) != lccIndex
	})
	if len(telling) > 0 && m.IntN(5) == 0 {
		names = telling
	}
	return names[m.IntN(len(names))]
}

// mixUp exchanges two files, or leaves one out, or puts one in the place of
// another.
func (m *mutator) mixUp(files folder.Memory, primary string) {
	names := slices.Sorted(maps.Keys(files))
	one, other := names[m.IntN(len(names))], names[m.IntN(len(names))]
	switch m.IntN(3) {
	case 0:
		m.note("%s exchanged with %s", one, other)
		files[one], files[other] = files[other], files[one]
	case 1:
		m.note("%s in the place of %s", one, other)
		files[other] = files[one]
	default:
		if one == primary {
			return // without it there is nothing to open
		}
		m.note("without %s", one)
		delete(files, one)
	}
}

// change returns a file's content, broken in a way that its format knows or in one
// that any file does.
func (m *mutator) change(name string, content []byte) []byte {
	ways := append(m.waysOf(name, content), m.flip, m.flip, m.lie, m.lie, m.repeat, m.blank, m.cut, m.grow)
	return ways[m.IntN(len(ways))](bytes.Clone(content))
}

// way breaks a content, which it may write to.
type way = func([]byte) []byte

// waysOf returns how files of this format are broken.
func (m *mutator) waysOf(name string, content []byte) []way {
	switch begins := string(content[:min(len(content), 4)]); {
	case begins == "PK\x03\x04":
		return slices.Concat(times(16, m.inside), times(6, m.lieDirectory))
	case path.Base(name) == lccIndex:
		return times(6, m.units)
	case strings.HasPrefix(begins, "\x1f\x8b"):
		return times(16, m.unpacked)
	case begins == "RIFF" || begins == "\x89PNG" || begins == "GIF8" || strings.HasPrefix(begins, "\xff\xd8"):
		return times(4, m.size)
	case begins == "ply\n" || begins == "glTF":
		return []way{m.number, m.word, m.drop}
	case begins != "" && begins[0] == '{':
		return slices.Concat(times(4, m.number), []way{m.word, m.word, m.nest, m.drop, m.drop})
	}
	return nil
}

// times gives a way as much weight.
func times(n int, w way) []way { return slices.Repeat([]way{w}, n) }
