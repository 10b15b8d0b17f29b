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

// manifestName is the file that a converter is given.
const manifestName = "scan.lcc"

// corner is the lowest corner of the grid of cells. No Gaussian lies below it.
const corner = -3.0

// columns is the number of cells along each of x and y.
const columns = (extent+6)/cell + 1

// capture is an LCC v1 capture of a scene while it is written.
type capture struct {
	scene *scene
	ranges
	high [3]float64
	// numbers holds those of the finest level, ordered by cell; those of the i-th
	// cell begin at starts[i].
	numbers []uint32
	starts  [columns*columns + 1]uint32
}

// ranges are what values are quantised between: those of all levels, which share
// them, and those of the sky, which exporters fix.
type ranges struct {
	lowScale, highScale       [3]float64
	lowHarmonic, highHarmonic [3]float64
	lowSkyScale, highSkyScale [3]float64
}

// writeCapture writes the scene's capture into a folder, the manifest last. It
// makes every Gaussian twice, first to know the ranges and the cells.
func writeCapture(ctx context.Context, folder string, s *scene) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	c := &capture{scene: s}
	if err := c.survey(ctx); err != nil {
		return err
	}
	if err := c.writeData(ctx, folder); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "environment.bin"), c.skyRecords(), 0o600); err != nil {
		return err
	}
	manifest, err := json.MarshalIndent(c.manifest(), "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, manifestName), manifest, 0o600)
}

// looking is how many Gaussians are made between two looks at the context.
const looking = 1 << 16

// survey finds the ranges of all values and sorts the numbers by cell.
func (c *capture) survey(ctx context.Context) error {
	infinite := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	c.ranges = ranges{
		lowScale: infinite, lowHarmonic: infinite,
		lowSkyScale: [3]float64{0.1, 0.1, 0.1}, highSkyScale: [3]float64{30, 30, 2},
	}
	cells := make([]uint8, c.scene.splats)
	for number := range cells {
		if number%looking == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		g := c.scene.splat(number)
		c.include(number, &g)
		cells[number] = cellOf(&g)
		c.starts[cells[number]+1]++
	}
	for i := range columns * columns {
		c.starts[i+1] += c.starts[i]
	}
	c.numbers = make([]uint32, len(cells))
	next := c.starts
	for number, cell := range cells {
		c.numbers[next[cell]] = uint32(number)
		next[cell]++
	}
	return nil
}

// include widens the ranges to a Gaussian, in all levels that it is in.
func (c *capture) include(number int, g *splat) {
	largest := 1.0
	for level := 1; c.holds(level, number); level++ {
		largest *= growth
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

// holds tells whether a level has the Gaussian with this number in the finest:
// each has every other one of the level before it.
func (c *capture) holds(level, number int) bool {
	return level < c.scene.levels && number%(1<<level) == 0 && number>>level < c.scene.splats>>level
}

// cellOf returns the number of the cell that a Gaussian lies in.
func cellOf(g *splat) uint8 {
	column, row := int((g.position[0]-corner)/cell), int((g.position[1]-corner)/cell)
	return uint8(column*columns + row)
}

// writeData writes data.bin, shcoef.bin where there are harmonics, and index.bin.
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
		// Exporters list no cell that has nothing in it.
		numbers := c.numbers[c.starts[cell]:c.starts[cell+1]]
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

// writeLevel writes those of a cell's Gaussians that a level has, and returns how
// many they are. Errors come when the files are closed.
func (c *capture) writeLevel(data, harmonics *file, level int, numbers []uint32) (count uint32) {
	larger := math.Pow(growth, float64(level))
	for _, number := range numbers {
		if !c.holds(level, int(number)) {
			continue
		}
		g := c.scene.splat(int(number))
		for k := range g.scale {
			g.scale[k] *= larger
		}
		data.write(g.appendRecord(nil, c.lowScale, c.highScale))
		if harmonics != nil {
			harmonics.write(g.appendHarmonics(nil, c.ranges))
		}
		count++
	}
	return count
}

// skyRecords returns environment.bin.
func (c *capture) skyRecords() []byte {
	var b []byte
	for number := range c.scene.environment {
		g := c.scene.sky(number)
		b = g.appendRecord(b, c.lowSkyScale, c.highSkyScale)
		if c.scene.harmonics {
			b = g.appendHarmonics(b, c.ranges)
		}
	}
	return b
}

// file is a file that is written in small pieces; its first error stays.
type file struct {
	file   *os.File
	buffer *bufio.Writer
}

// create creates a file of the capture, to be closed by the caller.
func create(folder, name string) (*file, error) {
	f, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		return nil, err
	}
	return &file{f, bufio.NewWriterSize(f, 1<<20)}, nil
}

// write appends to the file; close returns what went wrong.
func (f *file) write(b []byte) { _, _ = f.buffer.Write(b) }

// close writes what is left and returns the first error of all.
func (f *file) close() error { return errors.Join(f.buffer.Flush(), f.file.Close()) }
