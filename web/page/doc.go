// Package page serves the addresses that people share: the page of a space, its form for
// frames of other sites, the gallery of Public spaces, the page of a person, and what link
// previews and search engines read (oEmbed, sitemap, robots.txt). The pages are plain HTML;
// only the page of a space runs a script, the build in package web/dist.
//
// It is a door like package rest: its data comes from the resolvers, which decide who may read
// what. As part of web it does not import them: Queries and Mutations name the methods that it
// calls. The caller is the person who is signed in by the session of package web; without a
// session, the pages show what everybody may read. Package server mounts it.
//
// # Languages
//
// Each file of the folder messages is a language, named by its tag. A page is in the language
// of the parameter lang, or in the one that the browser prefers.
package page
