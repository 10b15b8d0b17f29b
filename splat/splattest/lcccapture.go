package splattest

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// lccCell is the length and width of a cell in metres.
const lccCell = 10

// LCCManifest is the name of an LCCCapture's manifest.
const LCCManifest = "scan.lcc"

// LCCCapture describes an XGRIDS LCC v1 capture: hilly ground with objects on it, in a
// grid of cells, coloured by position. The zero value of a field means a default or
// nothing. A splat is computed from its number, so that captures of any size can be written as a
// stream and checked splat by splat.
type LCCCapture struct {
	// Folder is the folder of all files in a zip, without a slash at the end. Empty
	// means the archive's top.
	Folder string
	// Splats is the number of splats of the finest level. Each other level has half
	// of the previous level's. Levels is at least 1.
	Splats, Levels int
	// Columns and Rows are the numbers of cells along x and y, at least 1. The splats
	// of a level are spread evenly over the cells, so cells may be empty in coarse
	// levels.
	Columns, Rows int
	// Harmonics adds harmonics of degree 3 ("Quality").
	Harmonics bool
	// Environment is the number of splats around the capture.
	Environment int
	// Seed selects the random values. The same seed gives the same bytes.
	Seed uint64
}

// Counts returns the number of splats of each level, the finest first.
func (c LCCCapture) Counts() []int {
	counts := make([]int, max(c.Levels, 1))
	for level := range counts {
		counts[level] = c.Splats >> level
	}
	return counts
}

// Cells returns the number of cells of the grid.
func (c LCCCapture) Cells() int { return max(c.Columns, 1) * max(c.Rows, 1) }

// CellCount returns the number of a level's splats in a cell. Cells are numbered row by
// row, and splats cell by cell.
func (c LCCCapture) CellCount(level, cell int) int {
	return c.firstSplat(level, cell+1) - c.firstSplat(level, cell)
}

// firstSplat returns the number of the first splat of a level in a cell.
func (c LCCCapture) firstSplat(level, cell int) int { return (c.Splats >> level) * cell / c.Cells() }

// cellOf returns the cell of a splat: the last cell that does not start after it.
func (c LCCCapture) cellOf(level, number int) int {
	cell := number * c.Cells() / max(c.Splats>>level, 1)
	for cell+1 < c.Cells() && c.firstSplat(level, cell+1) <= number {
		cell++
	}
	return cell
}

// Bounds returns the bounding box of the manifest in metres, with z up.
func (c LCCCapture) Bounds() (low, high [3]float64) {
	return [3]float64{-5, 20, -2}, [3]float64{-5 + lccCell*float64(max(c.Columns, 1)), 20 + lccCell*float64(max(c.Rows, 1)), 9}
}

// ManifestJSON returns the content of the .lcc file.
func (c LCCCapture) ManifestJSON() []byte {
	b, err := json.MarshalIndent(c.manifest(), "", "\t")
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return b
}

// manifest returns the fields of the manifest, as the exporter of a PortalCam writes them.
func (c LCCCapture) manifest() map[string]any {
	boxMin, boxMax := c.Bounds()
	total := 0
	for _, n := range c.Counts() {
		total += n
	}
	fileType := "Portable"
	if c.Harmonics {
		fileType = "Quality"
	}
	attribute := func(name string, low, high [3]float64) map[string]any {
		return map[string]any{"name": name, "min": low, "max": high}
	}
	scale, far := lccAttributeRanges(false), lccAttributeRanges(true)
	return map[string]any{
		"version": "5.0", "name": "capture", "source": "lcc", "dataType": "PortalCam",
		"totalSplats": total, "totalLevel": len(c.Counts()), "splats": c.Counts(),
		"cellLengthX": lccCell, "cellLengthY": lccCell, "indexDataSize": 4 + 16*len(c.Counts()),
		"offset": [3]int{}, "epsg": 0, "shift": [3]int{}, "scale": [3]int{1, 1, 1},
		"boundingBox": map[string]any{"min": boxMin, "max": boxMax},
		"encoding":    "COMPRESS", "fileType": fileType,
		"attributes": []any{
			attribute("position", boxMin, boxMax),
			attribute("normal", [3]float64{}, [3]float64{}),
			attribute("color", [3]float64{}, [3]float64{1, 1, 1}),
			attribute("shcoef", scale.lowHarmonic, scale.highHarmonic),
			map[string]any{"name": "opacity", "min": [1]float64{0}, "max": [1]float64{1}},
			attribute("scale", scale.lowScale, scale.highScale),
			attribute("envnormal", [3]float64{}, [3]float64{}),
			attribute("envshcoef", far.lowHarmonic, far.highHarmonic),
			attribute("envscale", far.lowScale, far.highScale),
		},
	}
}

// lccFile is a file of a capture, which is written as a stream.
type lccFile struct {
	name  string
	write func(io.Writer) error
}

// files returns the files of the capture; optional files only if they have content.
func (c LCCCapture) files() []lccFile {
	all := []lccFile{
		{LCCManifest, func(w io.Writer) error {
			_, err := w.Write(c.ManifestJSON())
			return err
		}},
		{"index.bin", c.writeIndex},
		{"data.bin", func(w io.Writer) error { return c.writeSplats(w, LCCSplat.dataRecord) }},
	}
	if c.Harmonics {
		all = append(all, lccFile{"shcoef.bin", func(w io.Writer) error { return c.writeSplats(w, LCCSplat.harmonicsRecord) }})
	}
	if c.Environment > 0 {
		all = append(all, lccFile{"environment.bin", c.writeEnvironment})
	}
	return all
}

// writeIndex writes a unit for each cell, in the order of the data.
func (c LCCCapture) writeIndex(w io.Writer) error {
	le := binary.LittleEndian
	offset := uint64(0)
	for cell := range c.Cells() {
		unit := le.AppendUint16(nil, uint16(cell%max(c.Columns, 1)))
		unit = le.AppendUint16(unit, uint16(cell/max(c.Columns, 1)))
		for level := range c.Counts() {
			count := c.CellCount(level, cell)
			unit = le.AppendUint32(unit, uint32(count))
			unit = le.AppendUint64(unit, offset)
			unit = le.AppendUint32(unit, uint32(32*count))
			offset += 32 * uint64(count)
		}
		if _, err := w.Write(unit); err != nil {
			return err
		}
	}
	return nil
}

// writeSplats writes a record of every splat, cell by cell, with the finest level of each
// cell first.
func (c LCCCapture) writeSplats(w io.Writer, record func(LCCSplat) []byte) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	for cell := range c.Cells() {
		for level := range c.Counts() {
			for number := c.firstSplat(level, cell); number < c.firstSplat(level, cell+1); number++ {
				if _, err := buffered.Write(record(c.Splat(level, number))); err != nil {
					return err
				}
			}
		}
	}
	return buffered.Flush()
}

// writeEnvironment writes the environment. Its records contain the harmonics.
func (c LCCCapture) writeEnvironment(w io.Writer) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	for i := range c.Environment {
		s := c.EnvironmentSplat(i)
		record := s.dataRecord()
		if c.Harmonics {
			record = append(record, s.harmonicsRecord()...)
		}
		if _, err := buffered.Write(record); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// WriteFolder writes the capture's files into an existing directory.
func (c LCCCapture) WriteFolder(directory string) error {
	for _, file := range c.files() {
		f, err := os.Create(filepath.Join(directory, file.name))
		if err != nil {
			return err
		}
		if err := errors.Join(file.write(f), f.Close()); err != nil {
			return fmt.Errorf("write %s: %w", file.name, err)
		}
	}
	return nil
}

// Zip writes the capture as a zip, in constant memory.
func (c LCCCapture) Zip(w io.Writer) error {
	z := zip.NewWriter(w)
	for _, file := range c.files() {
		f, err := z.CreateHeader(&zip.FileHeader{Name: Capture{Folder: c.Folder}.path(file.name), Method: zip.Store})
		if err != nil {
			return err
		}
		if err := file.write(f); err != nil {
			return err
		}
	}
	return z.Close()
}

// Memory returns the capture's files by name. Its type is convertible to folder.Memory.
func (c LCCCapture) Memory() map[string][]byte {
	all := map[string][]byte{}
	for _, file := range c.files() {
		var b bytes.Buffer
		if err := file.write(&b); err != nil {
			panic(err) // writes to a bytes.Buffer do not fail
		}
		all[file.name] = b.Bytes()
	}
	return all
}

// attributeRanges are the manifest's ranges of quantised values.
type attributeRanges struct{ lowScale, highScale, lowHarmonic, highHarmonic [3]float64 }

// lccAttributeRanges returns ranges that differ between axes, channels and the
// environment, so that tests notice a reader that mixes them up.
func lccAttributeRanges(environment bool) attributeRanges {
	r := attributeRanges{
		lowScale: [3]float64{0.001, 0.002, 0}, highScale: [3]float64{1.5, 2, 1},
		lowHarmonic: [3]float64{-1, -0.9, -0.8}, highHarmonic: [3]float64{1, 1.1, 1.2},
	}
	if environment {
		r.lowScale, r.highScale = [3]float64{0.5, 1, 0.25}, [3]float64{30, 31, 2}
		r.lowHarmonic, r.highHarmonic = [3]float64{-0.5, -0.4, -0.3}, [3]float64{0.25, 0.3, 0.35}
	}
	return r
}
