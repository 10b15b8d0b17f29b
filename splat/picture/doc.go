// Package picture makes pictures: posters of 3D Gaussians, drawn without a GPU,
// and small versions of images. It is for package splat, and through it for the
// worker.
//
// Gaussians and images come from strangers. What a picture costs is bounded by
// its size and by the limits below, whatever they hold: a hostile cloud gives an
// ugly poster, not a slow one, and an image that would unpack to too much is
// refused by its header.
package picture
