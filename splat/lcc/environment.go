package lcc

import (
	"context"

	"portico/splat/gaussian"
	"portico/splat/input"
)

// maxEnvironment is the maximum number of splats in the environment. All of them are in memory,
// with 236 bytes each. Real environments have a few thousand.
const maxEnvironment = 1 << 20

// environmentBlock is the number of records that are read at a time.
const environmentBlock = 1 << 12

// environmentStride returns the size of a record, which includes the harmonics.
func (c *Capture) environmentStride() int {
	if c.harmonics == nil {
		return recordSize
	}
	return recordSize + harmonicsSize
}

// countEnvironment sets the number of splats from the size of the file.
//
// A wrong stride would show as noise and not as an error, so a size that is not a multiple of it is
// refused.
func (c *Capture) countEnvironment() error {
	if c.environment == nil {
		return nil
	}
	stride := int64(c.environmentStride())
	size := c.environment.Size()
	switch {
	case size%stride != 0:
		return input.Damaged(environmentName, "it has %d bytes, which is not a multiple of the %d of a Gaussian", size, stride)
	case size/stride > maxEnvironment:
		return input.Errorf(environmentName, "has too many Gaussians: %d, at most %d can be read", size/stride, maxEnvironment).
			Advise("Export the capture with a smaller environment")
	}
	c.environmentCount = int(size / stride)
	return nil
}

// Environment implements gaussian.Source. As in Positions, too many Gaussians without a finite
// position are an *input.Error.
func (c *Capture) Environment(ctx context.Context, cloud *gaussian.Cloud) error {
	cloud.Resize(c.environmentCount, c.Degree())
	if c.environmentCount == 0 {
		return nil
	}
	stride, broken := c.environmentStride(), int64(0)
	block := make([]byte, stride*min(c.environmentCount, environmentBlock))
	// Unlike the records of levels, these records contain their harmonics, so one pass over one
	// file is enough.
	for i := range c.environmentCount {
		at := i % environmentBlock * stride
		if at == 0 {
			if ctx.Err() != nil {
				return readError(ctx.Err(), environmentName)
			}
			block = block[:min(len(block), stride*(c.environmentCount-i))]
			if err := readAt(c.environment, block, int64(stride)*int64(i), environmentName); err != nil {
				return err
			}
		}
		if !c.environmentDecoder.splat(block[at:], cloud, i) {
			c.hideGaussian(cloud, i, unit{})
			broken++
		}
		if c.harmonics != nil {
			c.environmentDecoder.decodeHarmonics(block[at+recordSize:], cloud, i)
		}
	}
	if err := (input.Broken{Invalid: broken}).Check(environmentName, int64(c.environmentCount)); err != nil {
		return err
	}
	c.upright.Apply(cloud)
	return nil
}
