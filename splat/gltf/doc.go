// Package gltf checks glTF 2.0 files and tells what is in them: a .gltf with the files
// that it names, or a .glb, which has all in one. It decodes no geometry and no image.
//
// Checked is what a viewer relies on before it draws: that the JSON is of the right
// form, that indices point to something, that buffers, views and accessors lie
// within each other, that the nodes form trees, and that every file that is named
// is there. Addresses on other servers are refused: the space would break when one
// goes away, and would tell it who looks. Nothing is loaded from them.
//
// Bounds come from what the accessors say of themselves and the nodes that place
// them, at rest: skins, morph targets, animations and instances made by extensions
// are left out.
//
// Format: Khronos, "glTF 2.0 Specification" (ISO/IEC 12113:2022), whose sections are
// named in comments.
package gltf
