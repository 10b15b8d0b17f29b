// What caches need to know of the schema at run time.

import { getIntrospectedSchema, minifyIntrospectionQuery } from '@urql/introspection';

// readSchema returns the types of a schema in the form of an introspection.
export const readSchema = (sdl) => getIntrospectedSchema(sdl);

// possibleTypes returns the object types of each interface and union, for Apollo's cache.
export function possibleTypes({ __schema: { types } }) {
  const abstract = types.filter(({ possibleTypes: objects }) => objects?.length);
  return Object.fromEntries(abstract.map(({ name, possibleTypes: objects }) => [name, objects.map((object) => object.name)]));
}

// introspection returns the schema for graphcache.
export const introspection = (schema) => minifyIntrospectionQuery(schema);
