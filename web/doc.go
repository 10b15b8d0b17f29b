// Package web is the pages that a person sees: sign in, sign up, consent,
// account. They are plain HTML that works without scripts; what they need is
// embedded. Package oauth shows its pages through a Site; package cmd mounts it.
package web
