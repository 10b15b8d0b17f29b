export type {
  ConversionTarget,
  Entity,
  EntityUpdate,
  Job,
  NewEntity,
  NewSpace,
  Space,
  SpaceChange,
  SpaceUpdate,
  StoredFile,
} from './documents.ts';
export { type ErrorCode, type ErrorParameters, type ErrorReason, PorticoError } from './error.ts';
export { graphql, type ResultOf, type VariablesOf } from './graphql.ts';
export { type CallOptions, Portico, type PorticoOptions, type PublishOptions } from './portico.ts';
export type { Progress, UploadOptions } from './options.ts';
