// A server, and what programs do there most. Everything else of the schema is a document for run or subscribe.

import { Client, createRequest, fetchExchange, type OperationType, stringifyDocument } from '@urql/core';
import type { TadaDocumentNode } from 'gql.tada';
import { createClient, NetworkError } from 'graphql-sse';
import { Backoff } from 'portico-upload/backoff.ts';
import { fetchWithin } from 'portico-upload/fetch.ts';
import type { Server } from 'portico-upload/resumable.ts';
import * as documents from './documents.ts';
import type {
  Entity,
  EntityUpdate,
  Job,
  NewEntity,
  NewSpace,
  Space,
  SpaceChange,
  SpaceFilter,
  SpaceUpdate,
  StoredFile,
} from './documents.ts';
import { fromResult, PorticoError, porticoError } from './error.ts';
import type { UploadOptions } from './options.ts';
import { pause, retrying, waitAfter } from './retry.ts';
import { fetchStream } from './stream.ts';
import { upload } from './upload.ts';

export interface PorticoOptions {
  /** The address of the server, such as https://portico.example. */
  url: string;
  /** The API key of an account. Without it, the kit reads what everybody may read. */
  key?: string | undefined;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

export interface PublishOptions extends UploadOptions, Omit<NewSpace, 'fileId'> {}

/** The variables of a document, which may be left out where it needs none. */
type Rest<Variables> = {} extends Variables
  ? [variables?: Variables, options?: CallOptions]
  : [variables: Variables, options?: CallOptions];

/** How long a query waits until its response begins, in milliseconds. A mutation may be long work. */
const maxWait = 60_000;

/** A server. Every method throws a PorticoError, or the reason of its signal. */
export class Portico {
  readonly #server: Server;
  readonly #address: string;
  readonly #headers: Record<string, string>;
  readonly #client: Client;
  #lastKey = 0;

  constructor({ url, key }: PorticoOptions) {
    const base = url.replace(/\/*$/, '/');
    this.#address = new URL('graphql', base).href;
    this.#headers = key ? { Authorization: `Bearer ${key}` } : {};
    this.#server = { url: base, headers: Object.entries(this.#headers).map(([name, value]) => ({ name, value })) };
    this.#client = new Client({
      url: this.#address,
      preferGetMethod: false,
      fetchOptions: { headers: this.#headers },
      exchanges: [fetchExchange],
    });
  }

  /** Runs a query or a mutation, and returns its data. A mutation whose response is lost may have been done. */
  async run<Data, Variables extends object>(document: TadaDocumentNode<Data, Variables>, ...rest: Rest<Variables>): Promise<Data> {
    const [variables = {} as Variables, { signal } = {}] = rest;
    signal?.throwIfAborted();
    const kind = operationType(document);
    // Each has a key of its own, because the library lets equal queries share a request, and with it a signal.
    const request = { ...createRequest(document, variables), key: ++this.#lastKey };
    const operation = this.#client.createRequestOperation(kind, request, {
      fetch: (address, init = {}) => {
        const limited = { ...init, signal: signal && init.signal ? AbortSignal.any([signal, init.signal]) : (init.signal ?? null) };
        return kind === 'query' ? fetchWithin(maxWait, address, limited) : fetch(address, limited);
      },
    });
    const { data, error } = await this.#client.executeRequestOperation(operation).toPromise();
    signal?.throwIfAborted();
    if (error) throw porticoError(error);
    return data as Data;
  }

  /**
   * Follows a subscription until it ends or is aborted. A lost connection is made again. Events between two
   * connections are lost, but each connection begins with the present state, where a subscription has one.
   */
  async *subscribe<Data, Variables extends object>(
    document: TadaDocumentNode<Data, Variables>,
    ...rest: Rest<Variables>
  ): AsyncGenerator<Data, void, void> {
    const [variables, { signal } = {}] = rest;
    const backoff = new Backoff();
    for (;;) {
      signal?.throwIfAborted();
      try {
        for await (const data of this.#connect(document, variables, signal)) {
          backoff.connected();
          yield data;
        }
        signal?.throwIfAborted();
        return;
      } catch (cause) {
        signal?.throwIfAborted();
        const error = porticoError(cause);
        if (!error.isTemporary) throw error;
        await pause(waitAfter(error, backoff), signal);
      }
    }
  }

  async *#connect<Data, Variables extends object>(
    document: TadaDocumentNode<Data, Variables>,
    variables: Variables | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Data, void, void> {
    const client = createClient({ url: this.#address, headers: this.#headers, retryAttempts: 0, fetchFn: fetchStream });
    const stop = (): void => client.dispose();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const query = stringifyDocument(document);
      for await (const { data, errors } of client.iterate<Data, unknown>({ query, variables: variables as Record<string, unknown> })) {
        if (errors?.[0]) throw fromResult(errors[0]);
        if (data) yield data;
      }
    } catch (error) {
      throw error instanceof NetworkError ? await refusal(error as NetworkError<Response>) : error;
    } finally {
      signal?.removeEventListener('abort', stop);
      stop();
    }
  }

  /** Sends a file, and returns it when the server has stored and processed it. A lost connection is made again. */
  upload(file: Blob, options: UploadOptions = {}): Promise<StoredFile> {
    return upload(this, this.#server, file, options);
  }

  /** Uploads a file, and creates a space that shows it. */
  async publish(file: Blob, options: PublishOptions = {}): Promise<Space> {
    const { fileName, contentType, convertTo, resume, onProgress, signal, ...input } = options;
    const { id: fileId } = await this.upload(file, { fileName, contentType, convertTo, resume, onProgress, signal });
    try {
      // Another refusal, or a lost response, may leave a space that a second try would create again.
      return await retrying(
        signal,
        () => this.createSpace({ ...input, fileId }),
        ({ code, isTemporary }) => code === 'RATE_LIMITED' && isTemporary,
      );
    } catch (error) {
      if (signal?.aborted) throw error;
      throw porticoError(error, { fileId });
    }
  }

  /** Follows a job until it has ended. */
  async *watchJob(id: string, options: CallOptions = {}): AsyncGenerator<Job, void, void> {
    for await (const { job } of this.subscribe(documents.jobChanges, { id }, options)) if (job) yield job;
  }

  /** Follows a space until it is deleted or can no longer be read. */
  async *watchSpace(id: string, options: CallOptions = {}): AsyncGenerator<SpaceChange, void, void> {
    for await (const { space } of this.subscribe(documents.spaceChanges, { id }, options)) if (space) yield space;
  }

  /** Reads the caller's spaces, in pages. */
  async *spaces(filter: SpaceFilter = null, options: CallOptions = {}): AsyncGenerator<Space, void, void> {
    yield* pages(async (after) => (await this.run(documents.spaces, { filter, after }, options)).spaces);
  }

  async space(id: string): Promise<Space> {
    return (await this.run(documents.space, { id })).space!;
  }

  async createSpace(input: NewSpace): Promise<Space> {
    return (await this.run(documents.createSpace, { input })).createSpace!.space;
  }

  async updateSpace(input: SpaceUpdate): Promise<Space> {
    return (await this.run(documents.updateSpace, { input })).updateSpace!.space;
  }

  async deleteSpace(spaceId: string): Promise<void> {
    await this.run(documents.deleteSpace, { input: { spaceId } });
  }

  /** Reads the entities of a space, of these types or of all, in pages. */
  async *entities(spaceId: string, type: string[] | null = null, options: CallOptions = {}): AsyncGenerator<Entity, void, void> {
    yield* pages(async (after) => (await this.run(documents.entities, { id: spaceId, type, after }, options)).space?.entities);
  }

  async createEntity(input: NewEntity): Promise<Entity> {
    return (await this.run(documents.createEntity, { input })).createEntity!.entity;
  }

  async updateEntity(input: EntityUpdate): Promise<Entity> {
    return (await this.run(documents.updateEntity, { input })).updateEntity!.entity;
  }

  /** Deletes an entity, by its global id, or by its id within a space. */
  async deleteEntity(entityId: string, spaceId: string | null = null): Promise<void> {
    await this.run(documents.deleteEntity, { input: { entityId, spaceId } });
  }
}

interface Page<T> {
  readonly nodes: readonly T[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

async function* pages<T>(read: (after: string | null) => Promise<Page<T> | null | undefined>): AsyncGenerator<T, void, void> {
  for (let after: string | null = null; ; ) {
    const page: Page<T> | null | undefined = await read(after);
    if (!page) return;
    yield* page.nodes;
    if (!page.pageInfo.hasNextPage) return;
    after = page.pageInfo.endCursor;
  }
}

function operationType({ definitions }: Pick<TadaDocumentNode, 'definitions'>): OperationType {
  for (const definition of definitions) if (definition.kind === 'OperationDefinition') return definition.operation;
  throw new TypeError('The document has no operation');
}

/** Returns the error of a subscription that was refused, or whose connection was lost. */
async function refusal({ response, message }: NetworkError<Response>): Promise<PorticoError> {
  const result = (await response?.json().catch(() => null)) as { errors?: { message: string }[] } | null | undefined;
  const first = result?.errors?.[0];
  return first ? fromResult(first) : new PorticoError(message, 'NETWORK', { status: response?.status ?? 0 });
}
