// Package picture renders posters of 3D Gaussians without a GPU, and resizes images. It
// is for package splat and the worker.
//
// Gaussians and images come from strangers. Limits bound the time and memory of each
// picture: a hostile cloud gives an ugly poster, not a slow one, and an image that would
// decode to too many pixels is refused by its header.
package picture
