package main

import "time"

// rows returns the figures of a capture with Portico's targets.
func (c comparison) rows() []row {
	return append(c.costRows(), c.exactnessRows()...)
}

// costRows returns the figures for time, memory and size.
func (c comparison) costRows() []row {
	n := float64(c.total())
	// With harmonics, building palettes takes most of the time. Memory is 20 bytes for
	// each Gaussian plus a constant for the chunk that is encoded.
	times, perSplat, peak, bytes := 1.0/12, 3.0, 200.0, 20.0
	if c.harmonics {
		times, perSplat, peak = 1.0/40, 45, 400
	}
	if c.single {
		// It is encoded as a whole, so all values of the capture are in memory.
		times, bytes = 1.0/10, 130
	}
	return []row{
		{name: "CPU, s", format: "%.2f", figure: func(o *outcome) float64 { return o.CPU.Seconds() }, maxRatio: times},
		{name: "CPU, us a splat", format: "%.2f", limit: perSplat, limited: true,
			figure: func(o *outcome) float64 { return float64(o.CPU) / float64(time.Microsecond) / n }},
		{name: "wall, s", format: "%.2f", figure: func(o *outcome) float64 { return o.Wall.Seconds() }},
		{name: "peak memory, MB", format: "%.0f", limit: peak + bytes*n/1e6, limited: true,
			figure: func(o *outcome) float64 { return megabytes(o.PeakMemory) }},
		{name: "size, MB", format: "%.3f", figure: func(o *outcome) float64 { return megabytes(o.bytes) }, maxRatio: 1.02},
	}
}

// exactnessRows returns the figures for the differences between result and capture.
func (c comparison) exactnessRows() []row {
	exact := func(name, format string, figure func(o *outcome) float64) row {
		return row{name: name, format: format, figure: figure, limited: true}
	}
	rows := []row{
		exact("unmatched", "%.0f", func(o *outcome) float64 { return float64(o.unmatched) }),
		exact("matched twice", "%.0f", func(o *outcome) float64 { return float64(o.duplicates) }),
		{name: "position mean, mm", format: "%.3f", figure: func(o *outcome) float64 { return o.positionMean }, maxRatio: 0.55},
		{name: "position mean, steps", format: "%.3f", figure: func(o *outcome) float64 { return o.positionSteps }, limit: 0.55, limited: true},
		{name: "position p99, mm", format: "%.3f", figure: func(o *outcome) float64 { return o.positionP99 }},
		{name: "position max, mm", format: "%.3f", figure: func(o *outcome) float64 { return o.positionMax }},
		{name: "rotation mean, deg", format: "%.3f", figure: func(o *outcome) float64 { return o.rotationMean }, limit: 0.40, limited: true},
		{name: "rotation max, deg", format: "%.3f", figure: func(o *outcome) float64 { return o.rotationMax }},
		exact("colours that differ, %", "%.3f", func(o *outcome) float64 { return 100 * o.colourShare }),
		{name: "colour max, of 255", format: "%.3f", figure: func(o *outcome) float64 { return o.colourMax }},
		exact("opacities that differ, %", "%.3f", func(o *outcome) float64 { return 100 * o.opacityShare }),
		{name: "opacity max, of 255", format: "%.3f", figure: func(o *outcome) float64 { return o.opacityMax }},
		{name: "log-scale rms", format: "%.5f", figure: func(o *outcome) float64 { return o.scaleRMS }, limit: 0.009, limited: true},
		{name: "log-scale max", format: "%.4f", figure: func(o *outcome) float64 { return o.scaleMax }, maxRatio: 1},
	}
	if c.harmonics {
		rows = append(rows, row{name: "harmonics rms", format: "%.5f", figure: func(o *outcome) float64 { return o.harmonicsRMS }, maxRatio: 0.5})
	}
	return append(rows, row{name: "picture, dB", format: "%.1f", figure: func(o *outcome) float64 { return o.picture }, maxLoss: 0.3})
}
