// Package gltf checks glTF 2.0 files and returns facts about them: a .gltf with the
// files that it names, or a .glb, which has everything in one file. It decodes no
// geometry and no image.
//
// It checks what a viewer relies on: the structure of the JSON, that indices are
// valid, that accessors are within views and views within buffers, that nodes form
// trees, and that every named file exists. It refuses addresses on other servers, and
// loads nothing from them: the space would break when a server goes away, and the
// server would see every visitor.
//
// Bounds come from the ranges of the accessors and the transforms of the nodes. They
// leave out skins, morph targets, animations and instances made by extensions.
//
// Format: Khronos, "glTF 2.0 Specification" (ISO/IEC 12113:2022), whose sections are
// named in comments.
package gltf
