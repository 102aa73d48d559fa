/** Proof of ownership from the command line: asks for the challenge, and reads it where the command line can. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readCliEnvironment } from '../config.ts'
import { type Client, logexport, Refused, type ScopeRef } from '../contract/index.ts'
import { judgeDestination } from '../destinations/index.ts'
import { CommandError, type Flags, type Terminal, UsageError } from './command.ts'

export const proofFlags = {
  prove: { type: 'boolean', says: 'Ask for the challenge, and read it where this machine can (file://).' },
  challenge: { type: 'string', value: '<token>', says: 'The token in the challenge file; - reads it from input.' },
  'file-root': {
    type: 'string',
    value: '<directory>',
    says: 'Where the service writes file:// destinations. [<data>/exports]',
  },
} as const satisfies Flags

type ProofGiven = {
  readonly prove?: boolean
  readonly challenge?: string
  readonly 'file-root'?: string
  readonly data?: string
}

type ProofNeeds = { readonly client: Client; readonly scope: ScopeRef; readonly terminal: Terminal }

/** The token of the flags, or of a new challenge; undefined when neither was asked for. */
export async function proofOf(needs: ProofNeeds, given: ProofGiven, conf: string): Promise<string | undefined> {
  if (given.prove && given.challenge !== undefined) throw new UsageError('say --prove or --challenge, not both')
  if (given.challenge === '-') return readLine(needs.terminal)
  return given.prove ? prove(needs, given, conf) : given.challenge
}

async function prove({ client, scope }: ProofNeeds, given: ProofGiven, conf: string): Promise<string> {
  const body = { destination_conf: conf }
  const { valid, message, filename } = await client.call(logexport.issueChallenge, { scope, body })
  if (!valid) throw new CommandError(`the challenge could not be written: ${message}`)
  const next = `${howToRead(conf, filename)}\nThen run the same command with --challenge <token> in place of --prove.`
  if (!/^file:/i.test(conf)) throw new CommandError(`the challenge was written. ${next}`)
  const root = given['file-root'] ?? join(given.data ?? readCliEnvironment().data ?? './data', 'exports')
  try {
    return (await readFile(below(root, filename), 'utf8')).trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new CommandError(
      `the challenge cannot be read below ${root} (${code}); say --file-root, the service's SPILLWAY_FILE_ROOT, if it is on this machine. ${next}`,
    )
  }
}

/** The service names the file, and its content is sent back: no service gets to read another file of ours that way. */
function below(root: string, filename: string): string {
  const isChallenge = /(^|\/)ownership-challenge-[0-9a-f]{8}\.txt$/.test(filename)
  if (!isChallenge || filename.split('/').some((segment) => /^\.{0,2}$/.test(segment))) {
    throw new CommandError(`the service names ${JSON.stringify(filename)}, which is no challenge file; not read`)
  }
  return join(root, filename)
}

/** A refusal for want of proof, with what to do about it; any other rises as it is. */
export function sayProof(error: unknown, token: string | undefined): never {
  const isProof =
    error instanceof Refused && error.errors.some(({ source }) => source?.pointer === '/ownership_challenge')
  if (!isProof) throw error
  throw new CommandError(
    token === undefined
      ? 'the destination needs proof that it is yours: say --prove, or --challenge <token>'
      : `${error.message}: the token is for another zone, account or destination, or older than seven days; say --prove for a new one`,
  )
}

/** What the owner of a destination does to see the token. */
export function howToRead(conf: string, filename: string): string {
  const [, scheme = '', bucket = ''] = /^(\w+):\/\/([^/?]*)/.exec(conf) ?? []
  switch (scheme.toLowerCase()) {
    case 's3':
      return conf.includes('endpoint=')
        ? `Read the object ${filename} of the bucket ${bucket}.`
        : `Read it with: aws s3 cp 's3://${bucket}/${filename}' -`
    case 'gs':
      return `Read it with: gcloud storage cat 'gs://${bucket}/${filename}'`
    case 'r2':
      return `Read the object ${filename} of the bucket ${bucket}.`
    case 'azure':
      return `Read the blob ${filename} of the container.`
    case 'file':
      return `Read the file ${filename} below the service's SPILLWAY_FILE_ROOT.`
    default:
      return `Look in the receiver for the record whose "filename" is ${filename}; its "content" is the token.`
  }
}

/** A destination as a word; `-` reads it from input, which keeps its secrets out of the shell's history. */
export async function destinationFrom(terminal: Terminal, word: string | undefined): Promise<string> {
  if (word === undefined || word === '') throw new UsageError('say the destination, or - to read it from input')
  return word === '-' ? readLine(terminal) : word
}

async function readLine({ input }: Terminal): Promise<string> {
  const text = Buffer.concat(await Array.fromAsync(input))
    .toString()
    .trim()
  if (text === '') throw new UsageError('nothing came in')
  return text
}

/** For tables and sentences: the destination without its secrets. */
export function maskedConf(conf: string): string {
  const judged = judgeDestination(conf)
  if (judged.ok) return judged.value.masked
  // Who may only read gets it masked already, and then it need not be a whole destination any more.
  return conf.includes('****') ? conf : '****'
}
