package splattest

import (
	"bytes"
	"fmt"
	"strings"
)

// Hostile is a zip that must be refused when it is opened or extracted.
type Hostile struct {
	// Name completes the sentence "refuses ...".
	Name string
	Zip  []byte
	// Entry is the name that the error must quote; "" means that the fault is not in a
	// single entry.
	Entry string
	// Reason is a part of the error's text.
	Reason string
}

// HostileZips returns at least one zip for each rule.
func HostileZips() []Hostile {
	var all []Hostile
	for _, group := range [][]Hostile{hostileNames(), hostileTypes(), hostileMethods(), overlappingEntries(), contradictions(), damagedZips()} {
		all = append(all, group...)
	}
	return all
}

// captureWith returns a small capture with additional entries.
func captureWith(entries ...Entry) []byte {
	c := Capture{Tiles: 1, TileBytes: 64}
	good := []Entry{
		{Name: "scene.lcc2", Body: c.ManifestJSON()},
		{Name: TileName(0), Body: []byte(BundleMagic + "tile")},
	}
	return Zip(append(good, entries...)...)
}

// hostileNames returns zips with names that could leave the archive, collide, or break
// file systems (APPNOTE 4.4.17 allows only relative paths with forward slashes).
func hostileNames() []Hostile {
	named := func(what, name, reason string) Hostile {
		return Hostile{Name: what, Zip: captureWith(Entry{Name: name, Body: []byte("x")}), Entry: name, Reason: reason}
	}
	// An archive without a capture is stored with all its files, so each name counts.
	kept := func(what, name, reason string) Hostile {
		return Hostile{Name: what, Zip: Zip(Entry{Name: "notes.txt", Body: []byte("x")}, Entry{Name: name, Body: []byte("x")}), Entry: name, Reason: reason}
	}
	return []Hostile{
		named("a path out of the archive", "../../etc/passwd", "outside the archive"),
		named("a path out by a detour", "data/../../x.sog", "outside the archive"),
		named("a path out in backslashes", `data\..\..\x.sog`, "outside the archive"),
		named("a path out in an ignored file", "__MACOSX/../../x", "outside the archive"),
		named("an absolute path", "/etc/passwd", "absolute"),
		named("an absolute path in backslashes", `\\server\share\x.sog`, "absolute"),
		named("a drive", `C:\Windows\x.sog`, "drive"),
		kept("a NUL", "x.sog\x00.ply", "control characters"),
		kept("a line break", "x\n.sog", "control characters"),
		kept("a name that is not UTF-8", "x\xff.sog", "UTF-8"),
		kept("no name", "", "empty"),
		kept("a name too long", strings.Repeat("abcdefghi/", 91)+"x", "a name of more than"),
		kept("a segment too long", strings.Repeat("x", 256), "a part of more than"),
		kept("a path too deep", strings.Repeat("x/", 65)+"x", "more than 64 folders"),
		named("the same name twice", TileName(0), "same name"),
		named("the same name in another case", "SCENE.lcc2", "same name"),
		named("the same name by a detour", "./scene.lcc2", "same name"),
		{
			Name: "a file that is also a folder", Reason: "is a file", Entry: "x",
			Zip: Zip(Entry{Name: "x", Body: []byte("x")}, Entry{Name: "x/y", Body: []byte("y")}),
		},
		{
			Name: "a tile that is also a folder", Reason: "is a file", Entry: TileName(0),
			Zip: captureWith(Entry{Name: TileName(0) + "/y", Body: []byte("y")}),
		},
	}
}

// hostileTypes returns zips with Unix file types other than files and folders.
func hostileTypes() []Hostile {
	typed := func(what string, mode uint32, reason string) Hostile {
		return Hostile{Name: what, Zip: captureWith(Entry{Name: "x.sog", Body: []byte("/etc/passwd"), Mode: mode}), Entry: "x.sog", Reason: reason}
	}
	return []Hostile{
		typed("a symbolic link", 0o120777, "symbolic link"),
		typed("a character device", 0o020666, "device"),
		typed("a block device", 0o060666, "device"),
		typed("a named pipe", 0o010666, "device"),
		typed("a socket", 0o140777, "device"),
		typed("a folder with content", 0o040755, "folder but has content"),
	}
}

// hostileMethods returns zips that are encrypted (APPNOTE 4.4.4), that use methods other
// than Store and Deflate (4.4.5), or that unpack to much more than their size.
func hostileMethods() []Hostile {
	packed := func(what string, e Entry, reason string) Hostile {
		e.Name = "data/x.bin"
		return Hostile{Name: what, Zip: captureWith(e), Entry: e.Name, Reason: reason}
	}
	flag := func(bits uint16) Entry {
		return Entry{Body: []byte("secret"), ChangeCentral: func(h *Header) { h.Flags |= bits }}
	}
	return []Hostile{
		packed("encryption", flag(1), "encrypted"),
		packed("strong encryption", flag(1<<6), "encrypted"),
		packed("AES encryption", Entry{Body: []byte("secret"), Method: 99}, "encrypted"),
		packed("Deflate64", Entry{Body: []byte("x"), Method: 9}, "Deflate64"),
		packed("LZMA", Entry{Body: []byte("x"), Method: 14}, "LZMA"),
		packed("Zstandard", Entry{Body: []byte("x"), Method: 93}, "Zstandard"),
		packed("an unknown method", Entry{Body: []byte("x"), Method: 77}, "unknown method 77"),
		packed("a ratio bomb", Entry{Body: make([]byte, 8<<20), Method: Deflate}, "more than 200 times"),
	}
}

// overlappingEntries returns zips whose entries share bytes with each other or with the
// directory. With such entries small zips unpack to huge data despite a limit of the ratio.
func overlappingEntries() []Hostile {
	tile := []byte(BundleMagic + strings.Repeat("tile", 50))
	same := Entry{Name: "again.sog", Body: tile, ChangeCentral: func(h *Header) { h.Offset = 0 }}
	return []Hostile{
		{
			Name: "entries that share their data", Zip: Zip(Entry{Name: "first.sog", Body: tile}, same),
			Entry: "first.sog", Reason: "overlaps",
		},
		{
			Name: "entries that share their data in zip64", Reason: "overlaps", Entry: "first.sog",
			Zip: Zip(Entry{Name: "first.sog", Body: tile, Zip64: true}, Entry{Name: "again.sog", Body: tile, ChangeCentral: same.ChangeCentral, Zip64: true}),
		},
		{Name: "a quoted overlap bomb", Zip: QuotedBomb(50, 900_000), Entry: "00.sog", Reason: "overlaps"},
		{
			Name: "an entry that runs into the directory", Entry: "last.bin", Reason: "overlaps",
			Zip: Zip(Entry{Name: "last.bin", Body: tile, ChangeCentral: func(h *Header) { h.CompressedSize += 10; h.Size += 10 }}),
		},
		{
			Name: "an entry outside of the file", Entry: "far.bin", Reason: "outside of the archive",
			Zip: Zip(Entry{Name: "far.bin", Body: tile, ChangeCentral: func(h *Header) { h.Offset = 1 << 40 }, Zip64: true}),
		},
		{
			// Only the local header shows that the data starts so late.
			Name: "data that reaches into the next entry", Entry: "first.bin", Reason: "overlaps",
			Zip: Zip(Entry{
				Name: "first.bin", Body: tile,
				ChangeLocal:   func(h *Header) { h.Extra = make([]byte, 500) },
				ChangeCentral: func(h *Header) { h.CompressedSize += 400; h.Size += 400 },
			}, Entry{Name: "next.bin", Body: tile}),
		},
	}
}

// QuotedBomb returns a zip bomb with quoted overlaps (Fifield, A better zip bomb, 2019):
// the data of every entry quotes the header of the next entry as an uncompressed block,
// so that all entries end in the same compressed data.
//
// The data of the first of three entries, from its local header on:
//
//	header 0
//	a stored block that quotes header 1
//	a stored block that quotes header 2
//	compressed data, which all entries share
//
// Entry 1 starts at header 1, entry 2 at header 2. So each entry unpacks to the data and to the
// headers after its own.
func QuotedBomb(entries, size int) []byte {
	data := Entry{Body: make([]byte, size), Method: Deflate}.compressedBody()
	headers := make([]Header, entries)
	// From the last entry to the first, because each quotes the header of the next.
	for i := entries - 1; i >= 0; i-- {
		h := Header{Name: fmt.Sprintf("%02d.sog", i), Method: Deflate, CompressedSize: uint64(len(data)), Size: uint64(size)}
		headers[i] = h
		local := h.localHeader()
		data = append(local, data...)
		if i > 0 {
			n := len(local)
			data = append([]byte{0, byte(n), byte(n >> 8), byte(^n), byte(^n >> 8)}, data...)
			size += n
		}
	}
	var directory []byte
	for _, h := range headers {
		h.Offset = uint64(len(data)) - h.CompressedSize - uint64(len(h.localHeader()))
		directory = append(directory, h.centralHeader(Entry{})...)
	}
	return append(append(data, directory...), End(entries, len(directory), len(data))...)
}

// contradictions returns zips whose sizes, checksums or two headers contradict each other,
// so that two readers could see different files.
func contradictions() []Hostile {
	body := []byte(BundleMagic + strings.Repeat("some text to pack ", 20))
	lying := func(what string, method uint16, reason string, change, local func(*Header)) Hostile {
		return Hostile{Name: what, Entry: "lie.bin", Reason: reason, Zip: Zip(
			Entry{Name: "lie.bin", Body: body, Method: method, ChangeCentral: change, ChangeLocal: local},
			Entry{Name: "other.bin", Body: body},
		)}
	}
	return []Hostile{
		lying("a size too small", Deflate, "longer than its header", func(h *Header) { h.Size-- }, nil),
		lying("a size too large", Deflate, "shorter than its header", func(h *Header) { h.Size++ }, nil),
		lying("a size of nothing", Deflate, "longer than its header", func(h *Header) { h.Size = 0 }, nil),
		lying("sizes that contradict", Store, "contradict", func(h *Header) { h.Size-- }, nil),
		lying("a size without data", Deflate, "no data", func(h *Header) { h.CompressedSize = 0 }, nil),
		lying("a wrong checksum", Store, "checksum", func(h *Header) { h.CRC++ }, nil),
		lying("a wrong checksum of packed data", Deflate, "checksum", func(h *Header) { h.CRC++ }, nil),
		lying("packed data cut short", Deflate, "cannot be unpacked", func(h *Header) { h.CompressedSize -= 9 }, nil),
		lying("another name at the data", Store, "contradicts", nil, func(h *Header) { h.Name = "eil.bin" }),
		lying("another method at the data", Store, "contradicts", nil, func(h *Header) { h.Method = Deflate }),
		lying("encryption at the data", Store, "contradicts", nil, func(h *Header) { h.Flags |= 1 }),
	}
}

// damagedZips returns zips that are truncated, corrupt or not zips.
func damagedZips() []Hostile {
	whole := captureWith()
	corrupt := Zip(Entry{Name: "x.bin", Body: bytes.Repeat([]byte("text"), 99), Method: Deflate})
	corrupt[30+len("x.bin")] = 0xff // invalid block type
	headless := bytes.Clone(whole)
	headless[0] = 'X'
	return []Hostile{
		{Name: "an empty file", Reason: "damaged"},
		{Name: "not a zip", Zip: []byte(strings.Repeat("no zip ", 99)), Reason: "damaged"},
		{Name: "a zip cut in half", Zip: whole[:len(whole)/2], Reason: "damaged"},
		{Name: "a zip without its last byte", Zip: whole[:len(whole)-1], Reason: "damaged"},
		{Name: "a zip without its beginning", Zip: whole[50:], Reason: "damaged"},
		{Name: "a directory that is too long", Zip: append(whole[:len(whole)-22:len(whole)-22], End(1, 150, len(whole)-22-150)...), Reason: "damaged"},
		{Name: "more entries than declared", Zip: declareFewer(whole), Reason: "more entries"},
		{Name: "too many entries", Zip: manyEntries(1 << 40), Reason: "shorter than its entries"},
		{Name: "a split archive", Zip: append([]byte("PK\x05\x06\x01"), make([]byte, 17)...), Reason: "split"},
		{Name: "data that is not deflate", Zip: corrupt, Entry: "x.bin", Reason: "cannot be unpacked"},
		{Name: "a header that is missing", Zip: headless, Entry: "scene.lcc2", Reason: "header is missing"},
	}
}

// declareFewer changes the number of declared entries to one less.
func declareFewer(whole []byte) []byte {
	b := bytes.Clone(whole)
	end := b[len(b)-22:]
	end[8]--
	end[10]--
	return b
}

// manyEntries returns a zip64 archive without entries that declares many.
func manyEntries(entries uint64) []byte {
	return append(End64(entries, 0, 0, 0), End(1<<16-1, 1<<32-1, 1<<32-1)...)
}
