// Package gltf checks glTF 2.0 files and returns facts about them: a .gltf with the
// files that it names, or a .glb, which has everything in one file. It decodes no
// mesh and no image, but reads and writes 3D Gaussians.
//
// It checks what a viewer relies on: the structure of the JSON, that indices are
// valid, that accessors are within views and views within buffers, that nodes form
// trees, and that every named file exists. It refuses addresses on other servers, and
// loads nothing from them: the space would break when a server goes away, and the
// server would see every visitor.
//
// Gaussians are read as the ratified extension KHR_gaussian_splatting has them, and as
// its drafts of 2025 had them: with COLOR_0 for colour and opacity, with names that start
// with an underscore, and compressed by SPZ. Half a turn about z converts between y up
// and y down.
//
// Bounds come from the ranges of the accessors and the transforms of the nodes. They
// leave out skins, morph targets, animations and instances made by extensions.
//
// Formats: Khronos, "glTF 2.0 Specification" (ISO/IEC 12113:2022), whose sections are
// named in comments; KhronosGroup/glTF, extensions/2.0/Khronos/KHR_gaussian_splatting,
// and the draft KHR_gaussian_splatting_compression_spz_2 of pull request 2531.
package gltf
