// Package graph is the core. Every operation that more than one door has is a method of Queries,
// Mutations or Subscriptions. The other methods of Resolver return what several doors show as part
// of something else (addresses, Storage, ExportedFiles), or serve a single door or page: the uploads
// of MCP, the files of a space in REST, tus, and exports.
//
// The doors (packages rest, mcp, supersplat and graph/door) call the same methods, so no door repeats a
// rule. This package knows nothing of GraphQL: gqlgen is in graph/door.
//
// # The order of a resolver
//
// Every resolver has the same steps in the same order. The first step that fails decides the
// error:
//
//   - caller: who asks (access.Caller); 401 without a valid key. This step and the next are one call
//     where the object has an owner.
//   - owned object: the object that the request names, if the caller may use it (package access);
//     404 where it does not exist, 403 where it is another account's space.
//   - validate: the other input (the Validate method in package model, or Page of a list); 400.
//   - do: the change or the read, in one transaction where it has several statements.
//   - return.
//
// # Access
//
// Who may do what, and the response otherwise (package access). An anonymous request has no key or
// session:
//
//	object              rule                  anonymous   another account     does not exist
//	space, to change    OwnedSpace            401         403                 404
//	space, locked       EditableSpace         401         403                 404; 423 for other editors
//	space, with a key   ReadableSpaceWithKey  401         403 if Private      404
//	space, on a page    ReadableSpace         the same, but a Public or Link Only space needs no key
//	space, by its link  LinkedSpace           404 if Private, for everybody
//	entity, on a page   ReadableEntity        as its space                    404
//	file, job, upload   owned...              401         404                 404
//	webhook             OwnedWebhook          401         404                 404
//
// Objects that are private by nature are 404 for other accounts, so that nobody learns their ids.
// Spaces are 403, because their addresses are given to people (API section 7).
//
// # Subscriptions
//
// Package live has them.
package graph
