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

// mutator changes captures at random.
//
// Each round has its own mutator, so that nothing that another round does changes its random
// numbers.
type mutator struct {
	*rand.Rand
	// changes describes the changes in words.
	changes []string
}

// newMutator returns the mutator of a run. The same seed and run give the same changes.
func newMutator(seed, run uint64) *mutator {
	return &mutator{Rand: rand.New(rand.NewPCG(seed, run))} //nolint:gosec // numbers that a seed gives again
}

// note records a change.
func (m *mutator) note(format string, values ...any) {
	m.changes = append(m.changes, fmt.Sprintf(format, values...))
}

// mutate returns the files of a capture with one change, and sometimes up to three: a
// capture with many changes is mostly refused for the first. The capture itself does not
// change.
func (m *mutator) mutate(c capture) folder.Memory {
	files := maps.Clone(c.files)
	for range 1 + m.IntN(3)*m.IntN(2) {
		if files[lccIndex] != nil && m.IntN(8) == 0 {
			m.repeatUnits(files, c.primary)
			continue
		}
		if len(files) > 1 && m.IntN(6) == 0 {
			m.mixUpFiles(files, c.primary)
			continue
		}
		name := m.pickFile(files, c.primary)
		m.note("%s:", name)
		files[name] = m.mutateContent(name, files[name])
	}
	return files
}

// pickFile returns the name of a random file. Manifests and indexes are more likely than
// data.
func (m *mutator) pickFile(files folder.Memory, primary string) string {
	if _, ok := files[primary]; ok && m.IntN(5) == 0 {
		return primary
	}
	names := slices.Sorted(maps.Keys(files))
	manifests := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return path.Ext(name) != ".json" && path.Base(name) != lccIndex
	})
	if len(manifests) > 0 && m.IntN(5) == 0 {
		names = manifests
	}
	return names[m.IntN(len(names))]
}

// mixUpFiles exchanges two files, replaces a file by another, or removes one.
func (m *mutator) mixUpFiles(files folder.Memory, primary string) {
	names := slices.Sorted(maps.Keys(files))
	one, other := names[m.IntN(len(names))], names[m.IntN(len(names))]
	switch m.IntN(3) {
	case 0:
		m.note("%s exchanged with %s", one, other)
		files[one], files[other] = files[other], files[one]
	case 1:
		m.note("%s instead of %s", one, other)
		files[other] = files[one]
	default:
		if one == primary {
			return // there would be nothing to open
		}
		m.note("without %s", one)
		delete(files, one)
	}
}

// mutateContent returns a file's content after a random mutation, of its format or of any
// file.
func (m *mutator) mutateContent(name string, content []byte) []byte {
	// The general mutations are always possible, so that faults before the parts that a
	// format's own mutations know are found too.
	mutations := append(m.mutationsFor(name, content), m.flipBits, m.flipBits, m.writeNumber, m.writeNumber, m.copyPart, m.fillPart, m.truncate, m.appendZeros)
	return mutations[m.IntN(len(mutations))](bytes.Clone(content))
}

// mutation changes a content. It may write to its argument.
type mutation = func([]byte) []byte

// mutationsFor returns the mutations of a file's format.
//
// It recognises a format by the first bytes, because the content of a gzip file has no name:
//
//	PK 03 04                 zip: contents and headers
//	1F 8B                    gzip: what is compressed
//	RIFF, PNG, GIF8, FF D8   images: their sizes
//	ply, glTF                a text before the data
//	{                        JSON
//
// The index of an LCC capture has no signature and is known by its name.
func (m *mutator) mutationsFor(name string, content []byte) []mutation {
	switch begins := string(content[:min(len(content), 4)]); {
	case begins == "PK\x03\x04":
		return slices.Concat(weigh(16, m.changeZipEntry), weigh(6, m.changeZipHeader))
	case path.Base(name) == lccIndex:
		return weigh(6, m.changeUnits)
	case strings.HasPrefix(begins, "\x1f\x8b"):
		return weigh(16, m.changeGzipped)
	case begins == "RIFF" || begins == "\x89PNG" || begins == "GIF8" || strings.HasPrefix(begins, "\xff\xd8"):
		return weigh(4, m.changeImageSize)
	case begins == "ply\n" || begins == "glTF":
		return []mutation{m.changeNumber, m.changeWord, m.dropField}
	case begins != "" && begins[0] == '{':
		return slices.Concat(weigh(4, m.changeNumber), []mutation{m.changeWord, m.changeWord, m.nestValue, m.dropField, m.dropField})
	}
	return nil
}

// weigh gives a mutation the weight n. Mutations that keep a file's checksums have large
// weights: most others are refused at once and test little.
func weigh(n int, w mutation) []mutation { return slices.Repeat([]mutation{w}, n) }
