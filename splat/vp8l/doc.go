// Package vp8l encodes lossless WebP images (RFC 9649). It is made for the
// textures of SOG captures, whose four channels hold data instead of colours, and
// it is exact for every image: it keeps the colours of transparent pixels. It has
// no decoder; use golang.org/x/image/webp.
//
// The encoder works in four steps:
//
//   - It chooses a plan of transforms by trying several plans on a sample of the
//     rows (plan.go).
//   - It parses the transformed pixels into literals, copies of earlier pixels and
//     hits in the colour cache (match.go, parse.go).
//   - It splits the image into tiles, and clusters tiles with similar statistics
//     into groups (group.go).
//   - It writes the tokens with the prefix codes of their group (code.go, image.go).
//
// Most of these textures are nearly noise, and time spent on noise gains nothing.
// Three shortcuts follow. One predictor and one set of multipliers, found in a few
// thousand pixels, serve the whole image (predictchoice.go, crosscolour.go). Where
// nothing repeats, the matcher looks at one position in sixteen (match.go). Where
// the parts of an image have the same statistics, its tiles are not clustered
// (group.go).
package vp8l
