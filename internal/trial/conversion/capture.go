package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
)

// manifestName is the name of the file that the converters open.
const manifestName = "scan.lcc"

// corner is the minimum corner of the grid of cells. No coordinate is lower.
const corner = -3.0

// columns is the number of cells along x, and also along y.
const columns = (extent+6)/cell + 1

// capture writes an LCC v1 capture of a scene.
//
// The capture is a folder with these files (see package lcc for the layout of each):
//
//	scan.lcc         the manifest, which is written last
//	index.bin        for each cell and level, the range of its Gaussians in the data
//	data.bin         32 bytes for each Gaussian, cell by cell and level by level
//	shcoef.bin       64 bytes for each Gaussian, in the same order; only with harmonics
//	environment.bin  the sky
type capture struct {
	scene *scene
	ranges
	high [3]float64
	// indices holds the Gaussians of the finest level by cell. The Gaussians of cell i
	// are indices[starts[i]:starts[i+1]].
	indices []uint32
	starts  [columns*columns + 1]uint32
}

// ranges holds the ranges of quantised values. All levels share the same ranges; the
// environment has the fixed ranges of exporters.
type ranges struct {
	lowScale, highScale                       [3]float64
	lowHarmonic, highHarmonic                 [3]float64
	lowEnvironmentScale, highEnvironmentScale [3]float64
}

// writeCapture writes the scene's capture into a folder, the manifest last. It computes
// every Gaussian twice: first for the ranges and the cells, then to write it. That takes
// less memory than keeping all Gaussians.
func writeCapture(ctx context.Context, folder string, s *scene) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	c := &capture{scene: s}
	if err := c.measureRanges(ctx); err != nil {
		return err
	}
	if err := c.writeData(ctx, folder); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "environment.bin"), c.environmentRecords(), 0o600); err != nil {
		return err
	}
	manifest, err := json.MarshalIndent(c.manifest(), "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, manifestName), manifest, 0o600)
}

// contextInterval is the number of Gaussians between two checks of the context.
const contextInterval = 1 << 16

// measureRanges sets the ranges of all values and sorts the Gaussians by cell.
func (c *capture) measureRanges(ctx context.Context) error {
	infinite := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	c.ranges = ranges{
		lowScale: infinite, lowHarmonic: infinite,
		lowEnvironmentScale: [3]float64{0.1, 0.1, 0.1}, highEnvironmentScale: [3]float64{30, 30, 2},
	}
	cells := make([]uint8, c.scene.splats)
	for number := range cells {
		if number%contextInterval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		g := c.scene.splat(number)
		c.extendRanges(number, &g)
		cells[number] = cellOf(&g)
		c.starts[cells[number]+1]++
	}
	for i := range columns * columns {
		c.starts[i+1] += c.starts[i]
	}
	c.indices = make([]uint32, len(cells))
	next := c.starts
	for number, cell := range cells {
		c.indices[next[cell]] = uint32(number)
		next[cell]++
	}
	return nil
}

// extendRanges extends the ranges to a Gaussian in all of its levels. A Gaussian is larger in
// coarser levels, so the ranges cover its size in the coarsest level that contains it.
func (c *capture) extendRanges(number int, g *splat) {
	largest := 1.0
	for level := 1; c.contains(level, number); level++ {
		largest *= levelScale
	}
	for k := range 3 {
		c.high[k] = max(c.high[k], g.position[k])
		c.lowScale[k] = min(c.lowScale[k], g.scale[k])
		c.highScale[k] = max(c.highScale[k], g.scale[k]*largest)
		for _, v := range g.harmonics[15*k : 15*k+15] {
			c.lowHarmonic[k] = min(c.lowHarmonic[k], v)
			c.highHarmonic[k] = max(c.highHarmonic[k], v)
		}
	}
}

// contains reports whether a level contains a Gaussian, given by its number in the finest
// level. Each level has every second Gaussian of the previous level.
func (c *capture) contains(level, number int) bool {
	return level < c.scene.levels && number%(1<<level) == 0 && number>>level < c.scene.splats>>level
}

// cellOf returns the number of a Gaussian's cell.
func cellOf(g *splat) uint8 {
	column, row := int((g.position[0]-corner)/cell), int((g.position[1]-corner)/cell)
	return uint8(column*columns + row)
}

// writeData writes data.bin, index.bin, and shcoef.bin if the scene has harmonics.
func (c *capture) writeData(ctx context.Context, folder string) (err error) {
	data, err := create(folder, "data.bin")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, data.close()) }()
	var harmonics *file
	if c.scene.harmonics {
		if harmonics, err = create(folder, "shcoef.bin"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, harmonics.close()) }()
	}
	var index []byte
	offset := uint64(0)
	for cell := range columns * columns {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		// Exporters do not list empty cells.
		numbers := c.indices[c.starts[cell]:c.starts[cell+1]]
		if len(numbers) == 0 {
			continue
		}
		index = binary.LittleEndian.AppendUint16(index, uint16(cell/columns))
		index = binary.LittleEndian.AppendUint16(index, uint16(cell%columns))
		for level := range c.scene.levels {
			count := c.writeLevel(data, harmonics, level, numbers)
			index = binary.LittleEndian.AppendUint32(index, count)
			index = binary.LittleEndian.AppendUint64(index, offset)
			index = binary.LittleEndian.AppendUint32(index, count*recordSize)
			offset += uint64(count) * recordSize
		}
	}
	return os.WriteFile(filepath.Join(folder, "index.bin"), index, 0o600)
}

// writeLevel writes the Gaussians of a cell in a level and returns their number. Errors
// are returned when the files are closed.
func (c *capture) writeLevel(data, harmonics *file, level int, numbers []uint32) (count uint32) {
	factor := math.Pow(levelScale, float64(level))
	for _, number := range numbers {
		if !c.contains(level, int(number)) {
			continue
		}
		g := c.scene.splat(int(number))
		for k := range g.scale {
			g.scale[k] *= factor
		}
		data.write(g.appendRecord(nil, c.lowScale, c.highScale))
		if harmonics != nil {
			harmonics.write(g.appendHarmonics(nil, c.ranges))
		}
		count++
	}
	return count
}

func (c *capture) environmentRecords() []byte {
	var b []byte
	for number := range c.scene.environment {
		g := c.scene.environmentSplat(number)
		b = g.appendRecord(b, c.lowEnvironmentScale, c.highEnvironmentScale)
		if c.scene.harmonics {
			b = g.appendHarmonics(b, c.ranges)
		}
	}
	return b
}

// file is a buffered file that keeps its first error for close.
type file struct {
	file   *os.File
	buffer *bufio.Writer
}

// create creates a file of the capture. The caller must close it.
func create(folder, name string) (*file, error) {
	f, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		return nil, err
	}
	return &file{f, bufio.NewWriterSize(f, 1<<20)}, nil
}

// write appends to the file. Its error is returned by close.
func (f *file) write(b []byte) { _, _ = f.buffer.Write(b) }

// close flushes and closes the file, and returns the first error of all writes.
func (f *file) close() error { return errors.Join(f.buffer.Flush(), f.file.Close()) }
