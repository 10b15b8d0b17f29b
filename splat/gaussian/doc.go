// Package gaussian holds 3D Gaussians as the readers, writers and renderers of
// package splat pass them to each other. It does arithmetic only.
//
// Coordinates are those of 3DGS PLY files: right-handed, y down, metres where the
// capture knows its scale. Readers of formats with other axes turn what they
// read (see Cloud.Turn).
package gaussian
