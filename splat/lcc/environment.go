package lcc

import (
	"context"

	"portico/splat/gaussian"
	"portico/splat/input"
)

// maxEnvironment bounds how many splats the environment has, all of which are
// held in memory, of 236 bytes each. Real ones have some thousands.
const maxEnvironment = 1 << 20

// environmentBlock is how many records are read at once.
const environmentBlock = 1 << 12

// environmentStride is the size of a record, which has the harmonics in it.
func (c *Capture) environmentStride() int {
	if c.harmonics == nil {
		return recordSize
	}
	return recordSize + harmonicsSize
}

// countEnvironment checks the file by its size.
func (c *Capture) countEnvironment() error {
	if c.environment == nil {
		return nil
	}
	stride := int64(c.environmentStride())
	size := c.environment.Size()
	switch {
	case size%stride != 0:
		return input.Errorf(environmentName, "has %d bytes, which is no multiple of the %d that a splat takes", size, stride)
	case size/stride > maxEnvironment:
		return input.Errorf(environmentName, "has too many splats: %d, at most %d", size/stride, maxEnvironment)
	}
	c.environmentCount = int(size / stride)
	return nil
}

// Environment implements gaussian.Source. As in Positions, one of a thousand
// splats may have no finite position.
func (c *Capture) Environment(ctx context.Context, cloud *gaussian.Cloud) error {
	cloud.Resize(c.environmentCount, c.Degree())
	if c.environmentCount == 0 {
		return nil
	}
	stride, hidden := c.environmentStride(), 0
	block := make([]byte, stride*min(c.environmentCount, environmentBlock))
	for i := range c.environmentCount {
		at := i % environmentBlock * stride
		if at == 0 {
			if ctx.Err() != nil {
				return wrap(ctx.Err(), environmentName)
			}
			block = block[:min(len(block), stride*(c.environmentCount-i))]
			if err := readAt(c.environment, block, int64(stride)*int64(i), environmentName); err != nil {
				return err
			}
		}
		if !c.around.splat(block[at:], cloud, i) {
			c.hide(cloud, i, unit{})
			hidden++
		}
		if c.harmonics != nil {
			c.around.harmonics(block[at+recordSize:], cloud, i)
		}
	}
	if hidden > c.environmentCount/maxHiddenShare {
		return tooManyHidden(environmentName, c.environmentCount)
	}
	c.upright.Apply(cloud)
	return nil
}
