/** What a destination kind is, what it is handed to deliver, and the only way it touches the world. */
import type { Judged } from '../base/index.ts'

/** How one delivery ended. Whoever asked for it decides what to do about it: no kind tries twice. */
export type Outcome =
  | { readonly outcome: 'delivered'; readonly status?: number }
  | { readonly outcome: 'retry'; readonly reason: string; readonly status?: number; readonly afterMs?: number }
  | { readonly outcome: 'refused'; readonly reason: string; readonly status?: number }

/** What a look at a delivered object showed. A store that does not let us look proves nothing either way. */
export type Sight =
  | { readonly sight: 'there'; readonly bytes: number }
  | { readonly sight: 'missing' }
  | { readonly sight: 'hidden'; readonly reason: string }

/** Bytes in memory, or a spooled file whose length and digest are already known. */
export type Body = Uint8Array | { readonly file: string; readonly size: number; readonly sha256: string }

export type Parcel = {
  /** The object's full key below bucket or container, as `objectName` made it; HTTP kinds do not look at it. */
  readonly name: string
  readonly body: Body
  /** What the bytes are once they are decompressed. */
  readonly contentType: string
  readonly contentEncoding: 'gzip' | 'zstd' | 'identity'
  /** The same for every attempt at the same batch, so that a receiver can drop a repeat. */
  readonly batchId: string
  /** Secrets the generic HTTPS kind signs with, newest first; two while one replaces the other. */
  readonly signingSecrets?: readonly string[]
}

export type OutgoingRequest = {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body | null
  /** Accept any certificate: the destination's owner asked for it in so many words. */
  readonly skipVerify?: true
  /** The URL was built on `Outside.endpoint`: the operator's own word, so the address policy does not apply. */
  readonly toOperatorEndpoint?: true
}

export type Answer = {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The first 64 KB, as text. */
  readonly body: string
}

export type StoreKind = 's3' | 'gcs' | 'azure'
export type AwsCredentials = {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** The world, handed in. Each of these throws an OutsideError when the world does not answer. */
export type Outside = {
  send(request: OutgoingRequest): Promise<Answer>
  now(): Date
  /** The bytes of a spooled file, for the kind that signs them. */
  read(file: string): AsyncIterable<Uint8Array>
  /** The operator's identity towards S3, from the vendor's default chain. */
  awsCredentials(): Promise<AwsCredentials>
  /** The operator's identity towards Google Cloud Storage, as a bearer token. */
  googleToken(): Promise<string>
  /** The store that the operator put in place of the vendor's own (path style). */
  endpoint(kind: StoreKind): URL | undefined
  /** Writes below the file root only, all or nothing. */
  writeFile(path: string, body: Body): Promise<void>
  /** The size of a file below the file root; undefined when there is none. */
  fileSize(path: string): Promise<number | undefined>
}

export type Trouble = 'blocked' | 'dns' | 'connect' | 'timeout' | 'tls' | 'reset' | 'identity' | 'file' | 'off'

/** The world did not answer, or must not be asked: `blocked` and `off` are our own policy, the rest may pass. */
export class OutsideError extends Error {
  readonly trouble: Trouble

  constructor(trouble: Trouble, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'OutsideError'
    this.trouble = trouble
  }
}

export type Limits = { readonly maxBytes?: number; readonly maxRecords?: number }

/** One file per kind holds one of these, and reads as a page about the provider. */
export type DestinationKind<T> = {
  readonly kind: string
  readonly title: string
  /** For the reference page: what the string holds and where the bytes go. */
  readonly says: string
  readonly examples: readonly string[]
  /** True for an object store: one object per parcel, and a path that may hold {DATE}. */
  readonly isObjectStore: boolean
  /** What the provider takes in one request at most, counted before compression. */
  readonly limits?: Limits
  claims(conf: string): boolean
  parse(conf: string): Judged<T>
  /** What makes it one destination: equal for two spellings of the same place, and fit to be printed. */
  identity(target: T): string
  /** Every text that must not be shown, as the provider would see it. */
  secrets(target: T): readonly string[]
  /** The string itself carries the credential that lets us write, so whoever has it may already write there. */
  provenByCredential(target: T): boolean
  /** The object key for a file written at this time. */
  objectName(target: T, at: Date, leaf: string): string
  deliver(target: T, parcel: Parcel, outside: Outside): Promise<Outcome>
  /** Whether an object is there, where the kind has objects. */
  look?(target: T, name: string, outside: Outside): Promise<Sight>
}

/** Keeps the target's type inside the kind's own file. */
export const destinationKind = <T>(kind: DestinationKind<T>): DestinationKind<T> => kind
