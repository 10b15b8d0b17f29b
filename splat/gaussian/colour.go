package gaussian

import "math"

// ColourOfByte returns f_dc of a colour that a file stores as a byte, 0 for none of it
// and 255 for all of it.
func ColourOfByte(b byte) float32 { return float32((float64(b)/255 - 0.5) / C0) }

// LogScale returns the logarithm of a standard deviation. Zero gives minus infinity, and
// a negative one, which no Gaussian has, NaN: Sanitise corrects both.
func LogScale(deviation float32) float32 { return float32(math.Log(float64(deviation))) }
