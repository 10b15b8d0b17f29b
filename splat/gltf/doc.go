// Package gltf checks glTF 2.0 files and returns facts about them: a .gltf with the files that
// it names, or a .glb, which is one file. It does not decode meshes and images, but it reads
// and writes 3D Gaussians. Packages splat and splat/archive use it.
//
// It checks what viewers rely on: the structure of the JSON, that indices are valid, that
// accessors are within views and views within buffers, that nodes form trees, and that every
// named file exists. It refuses addresses on other servers: the model would break when such a
// server goes away, and the server would see every visitor.
//
// It reads Gaussians of the ratified extension KHR_gaussian_splatting, and of its drafts of
// 2025: with COLOR_0 for colour and opacity, with names that start with an underscore, and
// compressed by SPZ. glTF is in metres with y up. Half a turn about z converts to the axes of
// package gaussian, y down. Quaternions are x, y, z, w, scales are linear, opacities are
// activated, and harmonics have at most degree 3.
//
// Bounds come from the ranges of the accessors and the transforms of the nodes. They leave out
// skins, morph targets, animations and instances of extensions. The limits are 64 MiB of JSON,
// 2^20 objects, 10,000 files, and 1024 primitives with Gaussians; a GLB has at most 4 GiB.
//
// The documents are Khronos, "glTF 2.0 Specification" (ISO/IEC 12113:2022), whose sections
// comments name; KhronosGroup/glTF, extensions/2.0/Khronos/KHR_gaussian_splatting and
// KHR_meshopt_compression; and the draft KHR_gaussian_splatting_compression_spz_2 of pull
// request 2531.
package gltf
