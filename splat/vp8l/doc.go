// Package vp8l writes lossless WebP images, as RFC 9649 defines them. It is made
// for the textures of SOG captures, whose four channels hold data and no colours,
// and exact for every image: what lies under a transparent pixel is kept. It
// decodes nothing; golang.org/x/image/webp does.
//
// An image is encoded in four steps. A plan of transforms is chosen by trying
// some on a part of the rows (plan.go). The transformed pixels are parsed into
// literals, copies of earlier pixels and hits in a cache of colours (match.go,
// parse.go). The image is split into tiles, and tiles of like statistics into
// groups (group.go). Each group has prefix codes of its own, in which the tokens
// are written (code.go, image.go).
//
// Most of these textures are nearly noise, and time spent on noise gains nothing.
// So one predictor and one set of multipliers, found in a few thousand pixels, serve
// a whole image (predictchoice.go, crosscolour.go); where nothing repeats, only one
// place in sixteen is compared with others (match.go); and where stretches of an
// image do not differ, its tiles are not sorted into groups (group.go).
package vp8l
