package gaussian

import "math"

// ColourOfByte returns the f_dc of a colour channel that a file stores as a byte from 0 to 255.
func ColourOfByte(b byte) float32 { return float32((float64(b)/255 - 0.5) / C0) }

// LogScale returns the logarithm of a standard deviation. It returns minus infinity for zero,
// and NaN for a negative deviation, which no Gaussian has. Sanitise corrects both.
func LogScale(deviation float32) float32 { return float32(math.Log(float64(deviation))) }
