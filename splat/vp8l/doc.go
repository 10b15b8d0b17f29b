// Package vp8l encodes lossless WebP images (RFC 9649). It is made for the
// textures of SOG captures, whose four channels are data instead of colours, and
// it is exact for every image: it keeps the colours of transparent pixels. Images have
// at most 16384 x 16384 pixels. There is no decoder; use golang.org/x/image/webp.
// Packages splat and sog use this package.
//
// The encoder works in four steps:
//
//   - It chooses a plan of transforms by trying several plans on a sample of the
//     rows (plan.go).
//   - It parses the transformed pixels into stretches of literals, copies of earlier
//     pixels and hits in the colour cache (match.go, parse.go).
//   - It splits the image into tiles, and clusters tiles with similar statistics
//     into groups (group.go).
//   - It writes the tokens with the prefix codes of their group (code.go, image.go).
//
// Most of these textures are nearly noise, and noise cannot be compressed, so the encoder
// saves time in five ways. It uses one predictor and one set of multipliers for the whole
// image, which it chooses by a few thousand pixels (predictchoice.go, crosscolour.go). If
// nothing repeats, the matcher searches at one position in sixteen (match.go). A caller who
// knows that an image is such a texture asks for copies of neighbours only, which need no
// search (Encoder.SetQuick). If the parts of an image have the same statistics, the encoder
// does not cluster the tiles, and otherwise every fourth pixel decides about a tile (group.go).
package vp8l
