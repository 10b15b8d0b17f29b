// Package picture renders posters and turntables of 3D Gaussians without a GPU, and inspects
// and resizes images: JPEG (ITU T.81, with EXIF 2.3), PNG, GIF (GIF89a) and WebP (RFC 9649).
// Package splat uses it.
//
// It renders by splatting (Kerbl et al., "3D Gaussian Splatting", 2023). Coordinates are as in
// gaussian.Cloud: metres, y down. Sizes of pictures are in pixels.
//
// Gaussians and images come from strangers. Limits bound the time and the memory for each
// picture: a hostile cloud makes an ugly poster and not a slow one, and an image that would
// decode to too many pixels is refused by its header.
package picture
